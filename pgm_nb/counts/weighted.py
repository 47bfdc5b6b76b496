"""Counts of rows that weigh more or less than one, and what forgetting makes of counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pgm_nb.allowed import number_array
from pgm_nb.arrays import Codes, Floats, Ints
from pgm_nb.counts.counting import count
from pgm_nb.counts.table import Counts
from pgm_nb.errors import DataError

__all__ = ["checked_weights", "count_weighted", "scaled"]

DIGITS = 20  # binary digits of real weights: a millionth of the largest
MOST_WEIGHT = 2**30  # of a row, in whole numbers


def checked_weights(weights: ArrayLike, n_rows: int) -> tuple[Ints | Floats, bool]:
    """Return weights of rows, and whether all of them are whole numbers: frequencies.

    Examples
    --------
    >>> checked_weights([1, 2.0], 2), checked_weights([0.5, 1], 2)
    ((array([1, 2]), True), (array([0.5, 1. ]), False))
    """
    found = number_array("sample_weight", weights, n_rows, "rows")
    if not found.any():
        raise DataError("sample_weight is zero for every row, so nothing is left to learn from")
    if (found == np.floor(found)).all() and found.max() <= MOST_WEIGHT:
        return found.astype(np.int64), True
    return found, False


def count_weighted(
    codes: Codes, y: NDArray[np.integer], weights: Ints | Floats, cards: Sequence[int], n_classes: int
) -> Counts:
    """Count rows with weights: whole ones as if rows were repeated, real ones to a millionth of the largest.

    A weight is a sum of powers of two, so the counts are sums of the counts of the rows whose weights have
    each of them.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1]], dtype=np.uint8)
    >>> count_weighted(codes, np.array([0, 0, 1]), np.array([3, 0, 2]), (2,), 2).single(0)
    array([[3, 0],
           [0, 2]], dtype=int32)
    >>> count_weighted(codes, np.array([0, 0, 1]), np.array([0.5, 0.25, 1]), (2,), 2).y
    array([0.75, 1.  ])
    """
    whole = weights.dtype.kind in "iu"
    shift = 0 if whole else DIGITS - 1 - int(np.floor(np.log2(weights.max())))
    units = weights.astype(np.int64) if whole else np.rint(np.ldexp(weights, shift)).astype(np.int64)
    total: Counts | None = None
    for digit in range(int(units.max()).bit_length()):
        rows = np.flatnonzero((units >> digit) & 1)
        if len(rows):
            part = count(np.ascontiguousarray(codes[:, rows]), np.asarray(y)[rows], cards, n_classes)
            part = scaled(part, 1 << digit)
            total = part if total is None else total + part
    if total is None:
        raise DataError("no row has a weight, so there is nothing to count")
    return total if whole else scaled(total, 2.0**-shift)


def scaled(counts: Counts, factor: float) -> Counts:
    """Return counts times a number: whole by whole stays whole, anything else is real.

    Examples
    --------
    >>> counts = count(np.array([[0, 1, 1]], dtype=np.uint8), np.array([0, 0, 1]), (2,), 2)
    >>> scaled(counts, 0.5).y
    array([1. , 0.5])
    """
    kind = np.int64 if isinstance(factor, int) and counts.y.dtype.kind in "iu" else np.float64
    y, singles, pairs = (
        np.multiply(part, factor, dtype=kind) for part in (counts.y, counts.singles, counts.pairs)
    )
    return Counts(counts.cards, counts.n_classes, counts.n_rows * factor, y, singles, pairs)
