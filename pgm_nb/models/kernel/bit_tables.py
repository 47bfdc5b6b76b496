"""Range counts of two coded columns for many pairs of codes at once, from one table of all pairs of codes.

A P-tree answers one row without looking at the others. For many rows at once it is cheaper to count every
pair of codes first: the counts of wider ranges are sums of neighbouring cells, and each answer a lookup.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["crossed_counts"]

Integers = NDArray[np.int64]


def crossed_counts(
    rows: NDArray[np.integer],
    bits: tuple[int, int],
    codes: NDArray[np.integer],
    levels: tuple[Sequence[int], Sequence[int]],
) -> Integers:
    """Count the rows in both ranges around every pair of codes, at every two levels, (u, levels, levels).

    Parameters
    ----------
    rows : array of int (2, n)
        The codes of the rows in the two columns.
    bits : pair of int
        Bits of the two columns.
    codes : array of int (2, u)
        The pairs of codes asked for.
    levels : pair of sequences of int
        Ascending numbers of low-order bits to drop, for each column.

    Examples
    --------
    >>> rows = np.array([[0, 1, 1], [0, 0, 1]])
    >>> crossed_counts(rows, (1, 1), np.array([[1], [0]]), ((0, 1), (0, 1)))
    array([[[1, 2],
            [2, 3]]])
    """
    wide, high = 1 << bits[0], 1 << bits[1]
    cells = np.bincount(rows[0].astype(np.int64) << bits[1] | rows[1], minlength=wide * high)
    table = cells.reshape(wide, high)
    counts = np.empty((codes.shape[1], len(levels[0]), len(levels[1])), dtype=np.int64)
    before = 0
    for i, dropped in enumerate(levels[0]):
        table = _merged(table, dropped - before)
        across, there = table.T, 0
        for j, lost in enumerate(levels[1]):
            across = _merged(across, lost - there)
            counts[:, i, j] = across[codes[1] >> lost, codes[0] >> dropped]
            there = lost
        before = dropped
    return counts


def _merged(table: Integers, bits: int) -> Integers:
    """Add up rows of a table whose places differ in the lowest bits only."""
    for _ in range(bits):
        table = table[0::2] + table[1::2]
    return table
