"""L(t), the sum of n log2 n over the cells of a count table, for all tables of a `Counts` at once."""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.counts import Counts
from pgm_nb.counts.kernels import in_threads, thread_count
from pgm_nb.counts.planes import COMPILED
from pgm_nb.information.fixed import FixedPoint, Terms

__all__ = ["pair_sums", "pair_sums_without_class", "single_sums", "single_sums_without_class"]

_CHUNK = 2**19  # cells turned into terms at a time


def single_sums(counts: Counts, fixed: FixedPoint) -> Terms:
    """Return L(y, xi) of every attribute."""
    return _table_sums(counts.singles, counts.n_classes * counts.layout.states(), fixed)


def single_sums_without_class(counts: Counts, fixed: FixedPoint) -> Terms:
    """Return L(xi) of every attribute."""
    states = counts.layout.states()
    cells, starts = _without_class(counts.singles, np.diff(states), counts.n_classes)
    return _table_sums(cells, starts, fixed)


def pair_sums(counts: Counts, fixed: FixedPoint) -> Terms:
    """Return L(y, xi, xj) of every pair, in the order of the pairs."""
    return _table_sums(counts.pairs, counts.layout.pair_starts(), fixed)


def pair_sums_without_class(counts: Counts, fixed: FixedPoint) -> Terms:
    """Return L(xi, xj) of every pair, in the order of the pairs."""
    starts, cards = counts.layout.column_starts(), np.asarray(counts.cards, dtype=np.int64)
    sums = [np.zeros(0, dtype=np.int64)]
    for i in range(len(cards) - 1):
        block = counts.pairs[starts[i] : starts[i + 1]]
        sums.append(_table_sums(*_without_class(block, cards[i] * cards[i + 1 :], counts.n_classes), fixed))
    return np.concatenate(sums)


def _without_class(
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


def _table_sums(cells: NDArray[np.integer], starts: NDArray[np.int64], fixed: FixedPoint) -> Terms:
    """Return L of each table of a packed array; `starts` ends with the end of the last table."""
    sums = np.zeros(len(starts) - 1, dtype=np.int64)
    terms = fixed.table() if len(cells) > fixed.n_rows else None
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
