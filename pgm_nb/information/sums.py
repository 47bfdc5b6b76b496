"""Sums of n log2 n in fixed point: exact additions, so that order, threads and kernels change no bit.

Every measure here is a difference of sums L(table) = sum over the cells of n log2 n. The terms are rounded
once to integers (multiples of 2^-s bits) and then added as integers, which is associative. So equal tables
give equal numbers whatever the order of their cells, what cancels cancels to exactly zero, and ties between
columns are ties on every path. With N rows L <= N log2 N, which fixes s; the rounding of a term is then below
log2(N) 2^-60 bits after division by N, less than the rounding of the logarithm itself.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.counts import Counts, Singles
from pgm_nb.counts.kernels import in_threads, thread_count
from pgm_nb.counts.planes import COMPILED

__all__ = [
    "FixedPoint",
    "Scaled",
    "pair_sums",
    "pair_sums_without_class",
    "single_sums",
    "single_sums_without_class",
    "table_sums",
    "without_class",
]

Scaled = NDArray[np.int64]  # multiples of 2^-shift bits


class FixedPoint:
    """The terms n log2 n for the counts of a table of `n_rows` rows, as multiples of 2^-`shift`.

    Examples
    --------
    >>> import numpy as np
    >>> fixed = FixedPoint(4)
    >>> fixed.bits(fixed.terms(np.array([0, 1, 2, 4]))).tolist()  # n log2 n / 4
    [0.0, 0.0, 0.5, 2.0]
    """

    def __init__(self, n_rows: float) -> None:
        self.n_rows = n_rows
        largest = max(1.0, n_rows * math.log2(max(n_rows, 1)))
        self.shift = 60 - math.ceil(math.log2(largest))  # a measure adds and subtracts up to four sums
        self.whole = int(self.terms(np.array([n_rows]))[0])  # L(N)

    def terms(self, counts: NDArray[np.integer]) -> Scaled:
        """Return n log2 n of each count (zero for zero)."""
        n = np.asarray(counts, dtype=np.float64)
        logarithms = np.log2(n, out=np.zeros_like(n), where=n > 0)
        scaled: Scaled = np.rint(np.ldexp(n * logarithms, self.shift)).astype(np.int64)
        return scaled

    def table(self) -> Scaled:
        """Return the terms of 0, 1, ..., n_rows: worth it when there are more cells than rows."""
        return self.terms(np.arange(int(self.n_rows) + 1))

    def bits(self, sums: Scaled | np.int64) -> NDArray[np.float64]:
        """Return sums as bits per row, roundings below zero clipped to exactly zero."""
        clipped = np.maximum(np.asarray(sums, dtype=np.float64), 0.0)
        per_row: NDArray[np.float64] = np.ldexp(clipped, -self.shift) / self.n_rows
        return per_row


_CHUNK = 2**19  # cells turned into terms at a time


def single_sums(counts: Counts | Singles, fixed: FixedPoint) -> Scaled:
    """Return L(y, xi) of every attribute."""
    return table_sums(counts.singles, counts.n_classes * counts.layout.states(), fixed)


def single_sums_without_class(counts: Counts | Singles, fixed: FixedPoint) -> Scaled:
    """Return L(xi) of every attribute."""
    states = counts.layout.states()
    cells, starts = without_class(counts.singles, np.diff(states), counts.n_classes)
    return table_sums(cells, starts, fixed)


def pair_sums(counts: Counts, fixed: FixedPoint) -> Scaled:
    """Return L(y, xi, xj) of every pair, in the order of the pairs."""
    return table_sums(counts.pairs, counts.layout.pair_starts(), fixed)


def pair_sums_without_class(counts: Counts, fixed: FixedPoint) -> Scaled:
    """Return L(xi, xj) of every pair, in the order of the pairs."""
    starts, cards = counts.layout.column_starts(), np.asarray(counts.cards, dtype=np.int64)
    sums = [np.zeros(0, dtype=np.int64)]
    for i in range(len(cards) - 1):
        block = counts.pairs[starts[i] : starts[i + 1]]
        sums.append(table_sums(*without_class(block, cards[i] * cards[i + 1 :], counts.n_classes), fixed))
    return np.concatenate(sums)


def without_class(
    cells: NDArray[np.integer], sizes: NDArray[np.int64], k: int
) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """Sum packed tables of shape (k, size) over the class; return the packed sums and where each begins."""
    starts = np.concatenate(([0], np.cumsum(sizes)))
    at = np.arange(starts[-1]) + np.repeat((k - 1) * starts[:-1], sizes)
    size = np.repeat(sizes, sizes)
    summed = cells[at]
    for c in range(1, k):
        summed = summed + cells[at + c * size]
    return summed, starts


def table_sums(cells: NDArray[np.integer], starts: NDArray[np.int64], fixed: FixedPoint) -> Scaled:
    """Return L of each table of a packed array; `starts` ends with the end of the last table."""
    sums = np.zeros(len(starts) - 1, dtype=np.int64)
    whole = cells.dtype.kind in "iu"  # not weights
    terms = fixed.table() if whole and len(cells) > fixed.n_rows else None
    if terms is not None and cells.dtype == np.int32 and COMPILED.is_loaded():
        from pgm_nb.counts import compiled

        narrow, table = cells.astype(np.int32, copy=False), terms

        def add(first: int, last: int) -> None:
            compiled.sum_terms(narrow, table, starts, sums, first, last)

        in_threads(add, np.diff(starts).astype(np.float64), thread_count(None))
        return sums
    first = 0
    while first < len(sums):
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + _CHUNK, "right")) - 1)
        chunk = cells[starts[first] : starts[last]]
        found = fixed.terms(chunk) if terms is None else terms[chunk]
        sums[first:last] = np.add.reduceat(found, starts[first:last] - starts[first])
        first = last
    return sums
