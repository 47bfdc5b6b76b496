"""Compile the counting kernels once: `python -m pgm_nb.counts`."""

from pgm_nb.counts import warm_up

if __name__ == "__main__":
    warm_up()
