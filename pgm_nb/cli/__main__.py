"""``python -m pgm_nb.cli`` is ``pgm-nb``."""

import sys

from pgm_nb.cli import main

if __name__ == "__main__":
    sys.exit(main())
