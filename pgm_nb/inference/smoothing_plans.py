"""How the tables of many attributes lean, chosen for all attributes of the same form at once.

The rule is that of `hierarchical.smooth`, which takes one attribute. Here tables of one shape are stacked, so
that the time depends on their cells and not on how many attributes they belong to.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgm_nb.arrays import Flags, Floats, Ints, Places
from pgm_nb.counts.kernels import in_threads, thread_count
from pgm_nb.inference.families import Families
from pgm_nb.inference.hierarchical import CONCENTRATIONS, NEW, SPREADS, TRACE, Lean, Plan, kernel

__all__ = ["smoothing_plan"]

_CELLS = 1 << 16  # of tables handled at once: they stay in cache
_CELL_NS = 300.0  # that a cell of a table takes


def smoothing_plan(families: Families, ordered: Sequence[int] = ()) -> Plan:
    """Choose how every level of every attribute leans, to estimate from other rows in the same way.

    Parameters
    ----------
    families : Families
        The counts.
    ordered : sequence of int, optional
        For each attribute, how many of its first states have an order; empty: none has.

    Examples
    --------
    >>> counts = np.array([[20, 0], [0, 80]])
    >>> [len(leans) for leans in smoothing_plan(Families(np.array([20, 80]), (0,), (-1,), (counts,)))]
    [1]
    """
    orders = tuple(ordered) or (0,) * len(families.tables)
    alike: dict[tuple[tuple[int, ...], int], list[int]] = {}
    for place, (table, order) in enumerate(zip(families.tables, orders, strict=True)):
        alike.setdefault((table.shape, order), []).append(place)
    pieces: list[tuple[int, list[int]]] = []
    for (shape, order), places in alike.items():
        at_once = max(1, _CELLS // int(np.prod(shape)))
        pieces += [(order, places[first : first + at_once]) for first in range(0, len(places), at_once)]
    plan: list[tuple[Lean, ...]] = [()] * len(orders)

    def choose(first: int, last: int) -> None:
        for order, some in pieces[first:last]:
            found = _plans(np.stack([families.tables[place] for place in some]), order)
            for place, leans in zip(some, found, strict=True):
                plan[place] = leans

    cells = np.array([float(len(some) * families.tables[some[0]].size) for _, some in pieces])
    in_threads(choose, _CELL_NS * cells, thread_count(None) if cells.sum() > 2 * _CELLS else 1)
    return tuple(plan)


def _plans(counts: Ints, ordered: int) -> list[tuple[Lean, ...]]:
    """Return how each of several tables (tables, k, ..., v) leans, level by level."""
    n_tables, v = len(counts), counts.shape[-1]
    even = np.broadcast_to(1 / v, (n_tables, v))
    left_out = _Leaning(_summed(counts, 0), even).at(np.full(n_tables, TRACE))
    levels: list[list[Lean]] = []
    for depth in range(1, counts.ndim - 1):
        left_out, leans = _level(_summed(counts, depth), left_out[..., None, :], ordered)
        levels.append(leans)
    return list(zip(*levels, strict=True))


def _level(counts: Ints, left_out: Floats, ordered: int) -> tuple[Floats, list[Lean]]:
    """Choose how every table leans on what is above it: the estimates of rows left out, and the choices."""
    plain = _Leaning(counts, left_out)
    concentration, most = plain.choose()
    best = plain.at(concentration)
    leans = [Lean(float(a)) for a in concentration]
    for spread in SPREADS if ordered > 2 else ():
        spreading = _Leaning(counts, left_out, kernel(counts.shape[-1], ordered, spread))
        above, _ = spreading.choose()
        over = _Leaning(counts, spreading.at(above))
        concentration, likelihood = over.choose()
        better = np.flatnonzero(likelihood > most)
        best[better], most[better] = over.at(concentration)[better], likelihood[better]
        for i in better.tolist():
            leans[i] = Lean(float(concentration[i]), spread, float(above[i]))
    return best, leans


def _summed(counts: Ints, depth: int) -> Ints:
    """Return tables with only the first variables of the context, `depth` of them."""
    summed: Ints = counts.sum(axis=tuple(range(depth + 1, counts.ndim - 1)))
    return summed


class _Leaning:
    """Several tables of counts, as they are or spread, that lean on estimates by some concentration each."""

    def __init__(self, counts: Ints, left_out: Floats, spread: Floats | None = None) -> None:
        reached = counts if spread is None else counts @ spread
        self.total = counts.sum(axis=-1, keepdims=True)
        self.filled: Flags = counts > 0
        own = 1.0 if spread is None else np.diag(spread)  # what a row gives to its own state
        self.n = counts[self.filled]
        self.rest = (reached - own)[self.filled]
        self.others = np.broadcast_to(self.total - 1, counts.shape)[self.filled]
        self.above = np.broadcast_to(left_out, counts.shape)[self.filled]
        if counts.dtype.kind == "f":  # weights: less than a row may be all there is
            self.rest, self.others = np.maximum(self.rest, 0.0), np.maximum(self.others, 0.0)
        self.cells = self.filled.reshape(len(counts), -1).sum(axis=1)

    def at(self, a: Floats) -> Floats:
        """Return the estimate of every filled cell when one of its rows is left out."""
        left_out = np.zeros(self.filled.shape)
        each = np.repeat(a, self.cells)
        left_out[self.filled] = (self.rest + each * self.above) / (self.others + each)
        return left_out

    def choose(self) -> tuple[Floats, Floats]:
        """Return the best concentration of each table, and the log-likelihood of its rows left out."""
        start = np.cumsum(self.cells) - self.cells
        contexts = self.total.reshape(len(self.cells), -1) > 0
        totals, owners = self.total.reshape(contexts.shape)[contexts], contexts.sum(axis=1)
        first = np.cumsum(owners) - owners
        likelihood = np.empty((len(CONCENTRATIONS), len(self.cells)))
        every = np.array(CONCENTRATIONS)[:, None]
        at_once = max(1, _CELLS // len(self.n))  # small tables: all concentrations in one step
        for begin in range(0, len(every), at_once):
            a = every[begin : begin + at_once]
            logs = np.log((self.rest + a * self.above) / (self.others + a))
            new = np.add.reduceat(np.log(a / (totals + a)), first, axis=1) / owners
            likelihood[begin : begin + at_once] = np.add.reduceat(logs * self.n, start, axis=1) + NEW * new
        best: Places = np.argmax(likelihood, axis=0)
        return np.array(CONCENTRATIONS)[best], likelihood[best, np.arange(len(best))]
