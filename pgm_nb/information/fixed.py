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

__all__ = ["FixedPoint", "Terms"]

Terms = NDArray[np.int64]


class FixedPoint:
    """The terms n log2 n for the counts of a table of `n_rows` rows, as multiples of 2^-`shift`.

    Examples
    --------
    >>> import numpy as np
    >>> fixed = FixedPoint(4)
    >>> fixed.bits(fixed.terms(np.array([0, 1, 2, 4]))).tolist()  # n log2 n / 4
    [0.0, 0.0, 0.5, 2.0]
    """

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        largest = max(1.0, n_rows * math.log2(max(n_rows, 1)))
        self.shift = 60 - math.ceil(math.log2(largest))  # a measure adds and subtracts up to four sums
        self.whole = int(self.terms(np.array([n_rows]))[0])  # L(N)

    def terms(self, counts: NDArray[np.integer]) -> Terms:
        """Return n log2 n of each count (zero for zero)."""
        n = np.asarray(counts, dtype=np.float64)
        logarithms = np.log2(n, out=np.zeros_like(n), where=n > 0)
        scaled: Terms = np.rint(np.ldexp(n * logarithms, self.shift)).astype(np.int64)
        return scaled

    def table(self) -> Terms:
        """Return the terms of 0, 1, ..., n_rows: worth it when there are more cells than rows."""
        return self.terms(np.arange(self.n_rows + 1))

    def bits(self, sums: Terms | np.int64) -> NDArray[np.float64]:
        """Return sums as bits per row, roundings below zero clipped to exactly zero."""
        clipped = np.maximum(np.asarray(sums, dtype=np.float64), 0.0)
        per_row: NDArray[np.float64] = np.ldexp(clipped, -self.shift) / self.n_rows
        return per_row
