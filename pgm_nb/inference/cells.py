"""Where the numbers that are learned for the cells of a graph lie in one long list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pgm_nb.arrays import Codes, Floats, Ints, Places
from pgm_nb.inference.cell_sums import Sparse
from pgm_nb.inference.families import Families

__all__ = ["Layout"]

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
