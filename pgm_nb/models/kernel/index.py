"""Training rows kept so that kernel sums are quick to take: in P-trees, or simply class by class.

Both kinds of index answer `log_sums`. P-trees can `advance`: the oldest rows leave, new ones come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places
from pgm_nb.models.kernel.groups import Flags
from pgm_nb.models.kernel.hobbit import HobbitColumn
from pgm_nb.models.kernel.ptree import PTree
from pgm_nb.models.kernel.sums import (
    gaussian_log_kernel,
    gaussian_log_sums,
    hobbit_log_sums,
)

__all__ = ["GaussianIndex", "HobbitIndex", "KernelIndex"]


class KernelIndex(Protocol):
    """What a kernel model needs from its rows."""

    def log_sums(self, values: NDArray[np.generic], *, pairs: bool) -> tuple[Floats, Floats | None, Flags]:
        """Log kernel sums at rows to classify, and which of their cells are known."""

    def log_kernel(self, place: int, value: float) -> Floats:
        """Log of an attribute's kernel between a known value and all training rows, class by class, (n,)."""


class HobbitIndex:
    """The rows of every class in a P-tree, for HOBbit kernels.

    Parameters
    ----------
    columns : sequence of HobbitColumn
        The kernels.
    codes : array of int (d, n)
        The rows, oldest first.
    y : array (n,)
        Class codes of the rows.
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> column = HobbitColumn(number_bits=2, states=0, sigma=1.0)
    >>> index = HobbitIndex([column], np.array([[0, 1, 3]]), np.array([0, 0, 1]), 2)
    >>> index.advance([column], np.array([[1, 3, 2]]), np.array([0, 1, 0]), gone=1)
    >>> [tree.n_rows for tree in index.trees]
    [2, 1]
    """

    def __init__(
        self, columns: Sequence[HobbitColumn], codes: NDArray[np.integer], y: Places, n_classes: int
    ) -> None:
        self._set(columns, codes, y, n_classes)
        bits = [column.bits for column in columns]
        self.trees = tuple(PTree(part, bits) for part in self._parts)
        self._numbers = np.empty(len(y), dtype=np.int64)  # the number of each row in the tree of its class
        for c, tree in enumerate(self.trees):
            self._numbers[y == c] = np.arange(tree.n_rows)

    def log_sums(self, values: NDArray[np.generic], *, pairs: bool) -> tuple[Floats, Floats | None, Flags]:
        """Log kernel sums at rows of codes, (d, m); see `hobbit_log_sums`."""
        queries = values.astype(np.int64)
        return hobbit_log_sums(self.trees, self.columns, queries, self._parts, pairs=pairs)

    def log_kernel(self, place: int, value: float) -> Floats:
        """Log of an attribute's kernel between a code and all rows, class by class, (n,)."""
        rows = np.concatenate([part[place] for part in self._parts])
        return self.columns[place].log_kernel(int(value), rows)

    def advance(
        self, columns: Sequence[HobbitColumn], codes: NDArray[np.integer], y: Places, *, gone: int
    ) -> None:
        """Drop the oldest `gone` rows; `codes` and `y` are the rows that are left and the new ones.

        The rows that are left may have other codes than before: only those that do are touched.
        """
        left = len(self.y) - gone
        numbers = np.append(self._numbers[gone:], np.empty(len(y) - left, dtype=np.int64))
        before = self.codes[:, gone:]
        new = np.arange(len(y)) >= left
        for c, tree in enumerate(self.trees):
            tree.drop(self._numbers[:gone][self.y[:gone] == c])
            for place, column in enumerate(columns):
                moved = np.flatnonzero((before[place] != codes[place, :left]) & (y[:left] == c))
                if len(moved) or column.bits > tree.bits[place]:
                    tree.recode(place, numbers[moved], codes[place, moved], column.bits)
            mine = new & (y == c)
            numbers[mine] = tree.add(codes[:, mine])
        self._numbers = numbers
        self._set(columns, codes, y, len(self.trees))

    def _set(
        self, columns: Sequence[HobbitColumn], codes: NDArray[np.integer], y: Places, n_classes: int
    ) -> None:
        self.columns, self.codes, self.y = tuple(columns), codes, y
        self._parts = [codes[:, y == c] for c in range(n_classes)]


class GaussianIndex:
    """The rows of every class as they are, for Gaussian kernels: there is nothing to build.

    Parameters
    ----------
    sigmas : sequence of float
        Width of each attribute's kernel; 0 for categories.
    values : array (d, n)
        The rows.
    y : array (n,)
        Class codes of the rows.
    n_classes : int
        Number of classes.
    """

    def __init__(self, sigmas: Sequence[float], values: Floats, y: Places, n_classes: int) -> None:
        self._sigmas = tuple(sigmas)
        self._parts = tuple(np.ascontiguousarray(values[:, y == c]) for c in range(n_classes))

    def log_sums(self, values: NDArray[np.generic], *, pairs: bool) -> tuple[Floats, Floats | None, Flags]:
        """Log kernel sums at rows of values, (d, m); see `gaussian_log_sums`."""
        return gaussian_log_sums(self._parts, self._sigmas, values.astype(np.float64), pairs=pairs)

    def log_kernel(self, place: int, value: float) -> Floats:
        """Log of an attribute's kernel between a value and all rows, class by class, (n,)."""
        rows = np.concatenate([part[place] for part in self._parts])
        return gaussian_log_kernel(value, rows, self._sigmas[place])
