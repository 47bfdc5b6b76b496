"""Which kernel counts a table: a cost rule from measurements, the same integers either way.

The constants are nanoseconds measured on one core with AVX2. Only their ratios matter, and those hold on
other machines: an AND + popcount of 64 rows costs a quarter of one step of a histogram.
"""

import sys
from pathlib import Path

import numpy as np

from pgm_nb.counts.dense import FEW_STATES
from pgm_nb.counts.table import Layout
from pgm_nb.errors import DataError

__all__ = ["KERNELS", "bit_limit", "is_loaded", "is_warm", "numpy_seconds", "use_compiled", "warm_up"]

KERNELS = ("auto", "numpy", "bitset", "histogram")
_LOAD_SECONDS = 1.5  # import numba and read the kernels from its cache
_COMPILE_SECONDS = 6.0  # import numba and compile the kernels
_COMPILED = "pgm_nb.counts.compiled"


def numpy_seconds(layout: Layout, n_rows: int) -> float:
    """Estimate how long the NumPy kernel needs.

    Examples
    --------
    >>> numpy_seconds(Layout((5,) * 30, 2), 569) < 0.02 < numpy_seconds(Layout((5,) * 30, 2), 100_000) < 0.2
    True
    """
    cards = np.asarray(layout.cards)
    few = cards <= FEW_STATES
    narrow, wide = int(cards[few].sum()), int((~few).sum())
    products = n_rows * narrow * (narrow / 55 + 2.0)
    bincounts = wide * (len(cards) - 1) * (n_rows * 4.0 + 5000.0)
    return (products + bincounts + 12.0 * layout.n_cells) * 1e-9


def bit_limit(kernel: str, layout: Layout, n_rows: int) -> int:
    """Return the largest (v_i - 1)(v_j - 1) for which bit planes beat a histogram of that pair.

    Bit planes cost (v_i - 1)(v_j - 1) ANDs per word of 64 rows, a word at least per class; a histogram
    costs a step per row.

    Examples
    --------
    >>> bit_limit("auto", Layout((5, 5), 2), 100_000), bit_limit("auto", Layout((5, 5), 10), 2_000)
    (285, 104)
    """
    if kernel == "bitset":
        return 2**20
    if kernel == "histogram":
        return -1
    words = n_rows / 64 + layout.n_classes
    return int(n_rows / (words / 4.5 + layout.n_classes))


def use_compiled(kernel: str, layout: Layout, n_rows: int) -> bool:
    """Return whether to count with the compiled kernels; "auto" does so where the waiting pays.

    Examples
    --------
    >>> use_compiled("numpy", Layout((5,) * 30, 2), 569), use_compiled("bitset", Layout((5,) * 30, 2), 569)
    (False, True)
    """
    if kernel not in KERNELS:
        raise DataError(f"kernel must be one of {', '.join(map(repr, KERNELS))}, got {kernel!r}")
    if kernel != "auto":
        return kernel != "numpy"
    if is_loaded():
        return True
    seconds = numpy_seconds(layout, n_rows)
    return seconds > _LOAD_SECONDS and (seconds > _COMPILE_SECONDS or is_warm())


def is_loaded() -> bool:
    """Return whether the compiled kernels are ready in this process."""
    return hasattr(sys.modules.get(_COMPILED), "sum_terms")  # the last one to be compiled


def is_warm() -> bool:
    """Return whether the compiled kernels are loaded or lie ready in numba's cache beside them."""
    if is_loaded():
        return True
    source = Path(__file__).with_name("compiled.py")
    cached = source.with_name("__pycache__").glob("compiled.sum_terms-*.nbi")
    return any(index.stat().st_mtime >= source.stat().st_mtime for index in cached)


def warm_up() -> None:
    """Compile every kernel once, so that later processes find them in numba's cache.

    `python -m pgm_nb.warm_up` does so for all kernels from the command line.
    """
    from pgm_nb.counts import compiled

    del compiled
