"""Which kernel adds up the mixtures of hidden parents: NumPy at once, or compiled code where waiting pays."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.errors import DataError

if TYPE_CHECKING:
    from pgm_nb.counts import Counts

__all__ = ["KERNELS", "LANES", "is_warm", "numpy_nanoseconds", "use_compiled", "warm_up"]

KERNELS = ("auto", "numpy", "compiled")
LANES = 4  # classes side by side in a vector of the compiled kernel
_LOAD_NS = 1.0e9  # import numba and read the kernel from its cache
_COMPILE_NS = 4.0e9  # import numba and compile the kernel
_COMPILED = "pgm_nb.models.hidden.compiled"


def numpy_nanoseconds(n_pairs: int, n_rows: int, n_classes: int) -> float:
    """Estimate how long NumPy needs for the mixtures of some rows.

    Examples
    --------
    >>> numpy_nanoseconds(870, 569, 2) < 1e8 < numpy_nanoseconds(57_360, 2_000, 10)
    True
    """
    return n_pairs * n_rows * (12.0 + 12.0 * n_classes) + 1e5


def use_compiled(kernel: str, counts: Counts, n_pairs: int, n_rows: int) -> bool:
    """Return whether to use the compiled kernel; "auto" does so where the waiting pays.

    The compiled kernel lays out a small table per member, which some dozens of rows must pay for.
    """
    if kernel not in KERNELS:
        raise DataError(f"kernel must be one of {', '.join(map(repr, KERNELS))}, got {kernel!r}")
    if kernel != "auto" or counts.pairs.dtype != np.int32:
        return kernel == "compiled" and counts.pairs.dtype == np.int32
    if n_rows < np.mean(counts.cards) ** 2 / 4:
        return False
    if hasattr(sys.modules.get(_COMPILED), "multiply_mixtures"):
        return True
    needed = numpy_nanoseconds(n_pairs, n_rows, counts.n_classes)
    return needed > _LOAD_NS and (needed > _COMPILE_NS or is_warm())


def is_warm() -> bool:
    """Return whether the compiled kernel lies ready in numba's cache."""
    source = Path(__file__).with_name("compiled.py")
    cached = source.with_name("__pycache__").glob("compiled.multiply_mixtures-*.nbi")
    return any(index.stat().st_mtime >= source.stat().st_mtime for index in cached)


def warm_up() -> None:
    """Compile the kernel once, so that later processes find it in numba's cache."""
    from pgm_nb.models.hidden import compiled

    del compiled
