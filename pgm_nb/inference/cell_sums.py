"""Sums over the cells of rows, over the rows of cells, and over neighbouring cells: compiled, or by SciPy.

Both add in the same order, in one thread, so that the results are the same in every digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from pgm_nb.arrays import Floats
from pgm_nb.counts.kernels import CompiledModule

__all__ = ["COMPILED", "Members", "Penalty", "Sparse", "folded", "last_share", "only_used", "unfolded"]

COMPILED = CompiledModule("pgm_nb.inference.compiled_cells", load_seconds=0.8, compile_seconds=3.0)
KERNELS = ("auto", "numpy", "compiled")
VECTOR = 4  # numbers of a cell from which compiled code adds up neighbours faster than SciPy
NEARLY_ALL = 0.8  # share of the cells from which leaving the others out takes longer than it saves
_NS = 1.6  # nanoseconds that SciPy needs for a cell of a row and class

Sparse: TypeAlias = "csr_array[Any, tuple[int, int]]"


@dataclass(frozen=True, eq=False)
class Penalty:
    """What the numbers of the cells cost: ridge / 2 |theta|^2 + smooth / 2 |differences of neighbours|^2.

    Attributes
    ----------
    ridge, smooth : float
        The two strengths.
    differences : sparse array (p, p)
        The Laplacian of the graph that joins neighbouring cells: theta' L theta is the sum of the squared
        differences.
    kernel : {"auto", "numpy", "compiled"}
        How to multiply; the results are the same in every digit.
    """

    ridge: float
    smooth: float
    differences: Sparse
    kernel: str = "auto"

    def __call__(self, theta: Floats) -> Floats:
        """Return the gradient at theta, (p, k); half its product with theta is the penalty."""
        rough = self.differences
        if not (self.smooth and rough.nnz):
            return self.ridge * theta
        k = theta.shape[1]
        few = self.kernel == "auto" and k < VECTOR
        if few or not COMPILED.chosen(self.kernel, KERNELS, 1e-9 * _NS * rough.nnz * k):
            gradient: Floats = self.ridge * theta + self.smooth * (rough @ theta)
            return gradient
        from pgm_nb.inference import compiled_cells

        gradient = np.empty_like(theta)
        compiled_cells.price(*_places(rough), rough.data, theta, self.ridge, self.smooth, gradient)
        return gradient

    def diagonal(self) -> Floats:
        """Return the second derivative by each parameter, (p,)."""
        return self.ridge + self.smooth * np.asarray(self.differences.diagonal())


class Members:
    """Which cells each row falls into: products with values of the cells, and with values of the rows.

    Parameters
    ----------
    rows : sparse array (n, c)
        Ones where a row falls into a cell.
    kernel : {"auto", "numpy", "compiled"}
        How to multiply; the results are the same in every digit.

    Examples
    --------
    >>> rows = Members(csr_array(np.eye(2)[[0, 0, 1]]))
    >>> rows.of(np.array([[2.0], [3.0]])).ravel(), rows.added(np.array([[1.0], [2.0], [4.0]])).ravel()
    (array([2., 2., 3.]), array([3., 4.]))
    """

    def __init__(self, rows: Sparse, kernel: str = "auto") -> None:
        self.rows, self.kernel = rows, kernel

    @cached_property
    def _columns(self) -> Sparse:
        return csr_array(self.rows.T)

    def of(self, values: Floats) -> Floats:
        """Return the sums of the values (c, k) of the cells of each row, (n, k)."""
        if not self.compiled(values):
            found: Floats = self.rows @ values
            return found
        from pgm_nb.inference import compiled_cells

        result = np.empty((self.rows.shape[0], values.shape[1]))
        compiled_cells.gather(*_places(self.rows), np.ascontiguousarray(values), result)
        return result

    def added(self, values: Floats) -> Floats:
        """Return the sums of the values (n, k) of the rows in each cell, (c, k)."""
        if not self.compiled(values):
            found: Floats = self._columns @ values
            return found
        from pgm_nb.inference import compiled_cells

        result = np.zeros((self.rows.shape[1], values.shape[1]))
        compiled_cells.scatter(*_places(self.rows), np.ascontiguousarray(values), result)
        return result

    def compiled(self, values: Floats) -> bool:
        """Return whether compiled code is to add up such values."""
        return COMPILED.chosen(self.kernel, KERNELS, 1e-9 * _NS * self.rows.nnz * values.shape[1])


def _places(matrix: Sparse) -> tuple[np.ndarray, np.ndarray]:
    """Return where the lines of a sparse matrix begin, and the columns of its entries."""
    return matrix.indptr.astype(np.int32, copy=False), matrix.indices.astype(np.int32, copy=False)


def folded(by_class: Floats) -> Floats:
    """Return k - 1 orthonormal coordinates of numbers for k classes that add up to zero, (n, k).

    What is best for the classes adds up to zero, and lengths are those of the coordinates: so a search for
    the coordinates is the same search, under the same penalty, for fewer numbers.

    Examples
    --------
    >>> coordinates = folded(np.array([[3.0, -1.0, -2.0]]))
    >>> (coordinates**2).sum().round(9), unfolded(coordinates).round(9)  # 9 + 1 + 4
    (np.float64(14.0), array([[ 3., -1., -2.]]))
    """
    coordinates: Floats = by_class[:, :-1] - last_share(by_class.shape[1]) * by_class[:, -1:]
    return coordinates


def unfolded(coordinates: Floats) -> Floats:
    """Return the numbers of all classes, (n, k), from their coordinates."""
    k, total = coordinates.shape[1] + 1, coordinates.sum(axis=1, keepdims=True)
    return np.hstack([coordinates - total / (k + np.sqrt(k)), -total / np.sqrt(k)])


def last_share(k: int) -> float:
    """Return what the last of k classes counts in the coordinates of `folded`."""
    return float(1 / (1 + np.sqrt(k)))


def only_used(rows: Sparse, sums: Sparse) -> tuple[Sparse, Sparse]:
    """Leave out the cells that no row falls into, unless they are few: the others keep their order."""
    used = np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]))
    if len(used) > NEARLY_ALL * rows.shape[1]:
        return rows, sums
    number = np.zeros(rows.shape[1], dtype=np.int32)
    number[used] = np.arange(len(used))
    shape = (rows.shape[0], len(used))
    return csr_array((rows.data, number[rows.indices], rows.indptr), shape=shape), sums[used]
