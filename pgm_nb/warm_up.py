"""Compile every kernel once: `python -m pgm_nb.warm_up`; later processes find them in numba's cache."""

from pgm_nb.counts import warm_up as warm_up_counts
from pgm_nb.models.hidden.choose import warm_up as warm_up_hidden

__all__ = ["warm_up"]


def warm_up() -> None:
    """Compile the counting kernels and the kernel of hidden parents, or find them in numba's cache.

    Examples
    --------
    >>> warm_up()
    >>> from pgm_nb.counts import is_warm
    >>> is_warm()
    True
    """
    warm_up_counts()
    warm_up_hidden()


if __name__ == "__main__":
    warm_up()
