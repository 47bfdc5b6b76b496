"""Sums over the cells of rows, over the rows of cells, and over neighbouring cells: compiled, or by SciPy.

Both add in the same order, in one thread, so that the results are the same in every digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pgm_nb.arrays import Codes, Floats, Ints, Places
from pgm_nb.counts.kernels import CompiledModule
from pgm_nb.tables.families import Families

__all__ = [
    "COMPILED",
    "Layout",
    "Members",
    "Penalty",
    "Sparse",
    "folded",
    "last_share",
    "only_used",
    "unfolded",
]

COMPILED = CompiledModule("pgm_nb.training.compiled_cells", load_seconds=0.8, compile_seconds=3.0)
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
        from pgm_nb.training import compiled_cells

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
        from pgm_nb.training import compiled_cells

        result = np.empty((self.rows.shape[0], values.shape[1]))
        compiled_cells.gather(*_places(self.rows), np.ascontiguousarray(values), result)
        return result

    def added(self, values: Floats) -> Floats:
        """Return the sums of the values (n, k) of the rows in each cell, (c, k)."""
        if not self.compiled(values):
            found: Floats = self._columns @ values
            return found
        from pgm_nb.training import compiled_cells

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


_NO_EDGE = (np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp))


class Layout:
    """Where the parameters lie: first one for every state, then one for every pair of states.

    A row falls into one cell per attribute: the pair of states, or the state alone while there is no mother
    or she is unknown. The cell of a pair adds up the parameters of the pair and of the state. An attribute
    with several mothers has a parameter for every combination of states, and for every pair with one of them.

    A pair that no training row has would keep the number zero, unless its neighbours pull at it. So where
    states have no order, only pairs that some row has get a parameter: a table of 900 x 900 states has no
    more of them than there are rows.

    Parameters
    ----------
    families : Families
        The graph and its states.
    ordered : sequence of int
        How many of the first states of each attribute have an order.

    Examples
    --------
    >>> one = Layout(Families(np.array([5, 5]), (0,), (-1,), (np.array([[4, 1], [2, 3]]),)), [0])
    >>> one.rows(np.array([[0, 1, 2]], dtype=np.uint8)).toarray()  # the last is unknown
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    """

    def __init__(self, families: Families, ordered: Sequence[int]) -> None:
        self.families = families
        self.main: list[Places] = []
        self.pair: list[Places | None] = []  # -1 where a pair has no parameter
        self.size = 0
        for table in families.tables:
            self.main.append(self._numbered(np.ones(table.shape[-1], dtype=bool)))
        wanted = [
            _wanted(table, [ordered[m] for m in mothers], order)
            for table, mothers, order in zip(families.tables, families.given, ordered, strict=True)
        ]
        for table, some in zip(families.tables, wanted, strict=True):
            self.pair.append(None if table.ndim == 2 else self._numbered(some))
        self.each: list[list[Places]] = []  # of attributes with several mothers: the pairs with each of them
        for table, some in zip(families.tables, wanted, strict=True):
            mothers = range(some.ndim - 1 if table.ndim > 3 else 0)
            others = (tuple(axis for axis in mothers if axis != mother) for mother in mothers)
            self.each.append([self._numbered(np.asarray(some.any(axis=axes))) for axes in others])
        self.laplacian = self._differences(ordered)
        self.sums = self._added_up()

    def _numbered(self, wanted: NDArray[np.bool_]) -> Places:
        """Return the places of new parameters at the end of the list, -1 where none is wanted."""
        places = np.full(wanted.shape, -1)
        number = int(wanted.sum())
        places[wanted] = self.size + np.arange(number)
        self.size += number
        return places

    def _added_up(self) -> Sparse:
        """Which parameters each cell adds up: its own, and those of parts of it."""
        both = [(m, p) for m, p in zip(self.main, self.pair, strict=True) if p is not None]
        both += [
            (_along(one, axis, whole), whole)
            for each, whole in zip(self.each, self.pair, strict=True)
            for axis, one in enumerate(each)
            if whole is not None
        ]
        there = [pairs >= 0 for _, pairs in both]
        added = [np.broadcast_to(part, here.shape)[here] for (part, _), here in zip(both, there, strict=True)]
        own = np.arange(self.size)
        cells = np.concatenate([own, *(pairs[here] for (_, pairs), here in zip(both, there, strict=True))])
        parameters = np.concatenate([own, *added])
        return csr_array((np.ones(len(cells)), (cells, parameters)), shape=(self.size, self.size))

    def rows(self, codes: Codes) -> Sparse:
        """Which cells each row falls into; an unknown attribute gives none."""
        families, cards = self.families, self.families.cards
        index = np.empty((codes.shape[1], len(families.tables)), dtype=np.int32)
        known = np.empty(index.shape, dtype=bool)
        for i, (column, mothers) in enumerate(zip(families.columns, families.given, strict=True)):
            own = codes[column].astype(np.intp)
            known[:, i] = own < cards[i]
            own = np.where(known[:, i], own, 0)
            index[:, i] = self.main[i][own]
            pairs = self.pair[i]
            if pairs is not None:
                above = [codes[families.columns[mother]].astype(np.intp) for mother in mothers]
                both = np.ones(len(own), dtype=bool)
                for states, mother in zip(above, mothers, strict=True):
                    both &= states < cards[mother]
                found = pairs[(*(np.where(both, states, 0) for states in above), own)]
                index[:, i] = np.where(both & (found >= 0), found, index[:, i])
        starts = np.concatenate([[0], known.sum(axis=1).cumsum()]).astype(np.int32)
        shape = (codes.shape[1], self.size)
        return csr_array((np.ones(int(starts[-1])), index[known], starts), shape=shape)

    def added(self, rows: Sparse, theta: Floats) -> Floats:
        """Return what the numbers (p, k) add to the scores of rows, (n, k)."""
        return np.asarray(rows @ (self.sums @ theta))

    def tables(self, theta: Floats) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
        """Numbers (p, k) as tables: of states alone, and of states with their mothers'."""
        mains = tuple(np.ascontiguousarray(theta[places].T) for places in self.main)
        cells = []
        for main, pairs, each in zip(mains, self.pair, self.each, strict=True):
            if pairs is None:
                cells.append(main)
                continue
            whole = main.reshape(len(main), *(1,) * (pairs.ndim - 1), -1) + _read(theta, pairs)
            for axis, one in enumerate(each):
                whole = whole + _read(theta, _along(one, axis, pairs))
            cells.append(whole)
        return mains, tuple(cells)

    def _differences(self, ordered: Sequence[int]) -> Sparse:
        edges = []
        for i, (mothers, order) in enumerate(zip(self.families.given, ordered, strict=True)):
            edges.append(_neighbours(self.main[i], 0, order))
            pairs = self.pair[i]
            if pairs is None:
                continue
            edges.append(_neighbours(pairs, pairs.ndim - 1, order))
            edges += [_neighbours(pairs, axis, ordered[mother]) for axis, mother in enumerate(mothers)]
            for both, mother in zip(self.each[i], mothers, strict=False):
                edges += [_neighbours(both, 1, order), _neighbours(both, 0, ordered[mother])]
        left = np.concatenate([a.ravel() for a, _ in edges])
        right = np.concatenate([b.ravel() for _, b in edges])
        one, number = np.ones(len(left)), np.arange(len(left))
        signs = np.concatenate([one, -one])
        places = (np.concatenate([number, number]), np.concatenate([left, right]))
        difference = csr_array((signs, places), shape=(len(left), self.size))
        return csr_array(difference.T @ difference)


def _wanted(table: Ints, mothers: Sequence[int], order: int) -> NDArray[np.bool_]:
    """Return which cells of a table (k, mothers, v) get parameters: all, or without order those with rows."""
    some = np.asarray(table.any(axis=0))
    return np.ones_like(some) if max(order, *mothers, 0) >= 2 else some


def _read(theta: Floats, places: Places) -> Floats:
    """Return the numbers (p, k) at places, classes first; zeros where there is no parameter."""
    flat = theta[places.ravel()].T
    flat[:, places.ravel() < 0] = 0.0
    return flat.reshape(-1, *places.shape)


def _neighbours(places: Places, axis: int, order: int) -> tuple[Places, Places]:
    """Return the parameters of neighbours along an axis, the first `order` of which have an order."""
    if order < 2:
        return _NO_EDGE
    turned = np.moveaxis(places, axis, 0)
    return np.moveaxis(turned[: order - 1], 0, axis), np.moveaxis(turned[1:order], 0, axis)


def _along(pairs: Places, axis: int, whole: Places) -> Places:
    """Arrange the pairs of an attribute and one mother beside those with all its mothers."""
    shape = [1] * whole.ndim
    shape[axis], shape[-1] = pairs.shape
    return pairs.reshape(shape)
