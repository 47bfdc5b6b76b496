"""How the tables of many attributes lean, chosen for all attributes of the same form at once.

The rule is that of `hierarchical.smooth`, which takes one attribute. Here tables of one shape are stacked, so
that the time depends on their cells and not on how many attributes they belong to.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgm_nb.arrays import Floats, Ints, Places
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
    top = _Rows(_summed(counts, 0))
    left_out = top.spaced(top.left_out(top.rest(), np.full(len(top.n), 1 / v), np.full(n_tables, TRACE)))
    levels: list[list[Lean]] = []
    for depth in range(1, counts.ndim - 1):
        left_out, leans = _level(_summed(counts, depth), left_out[..., None, :], ordered)
        levels.append(leans)
    return list(zip(*levels, strict=True))


def _level(counts: Ints, left_out: Floats, ordered: int) -> tuple[Floats, list[Lean]]:
    """Choose how every table leans on what is above it: the estimates of rows left out, and the choices."""
    rows = _Rows(counts)
    rest, above = rows.rest(), rows.of(np.broadcast_to(left_out, counts.shape))
    concentration, most = rows.choose(rest, above)
    best = rows.left_out(rest, above, concentration)
    leans = [Lean(float(a)) for a in concentration]
    for spread in SPREADS if ordered > 2 else ():
        spread_rest = rows.rest(kernel(counts.shape[-1], ordered, spread))
        further, _ = rows.choose(spread_rest, above)
        over = rows.left_out(spread_rest, above, further)
        concentration, likelihood = rows.choose(rest, over)
        better = likelihood > most
        if better.any():
            here = np.repeat(better, rows.cells)
            best[here] = rows.left_out(rest, over, concentration)[here]
            most[better] = likelihood[better]
            for i in np.flatnonzero(better).tolist():
                leans[i] = Lean(float(concentration[i]), spread, float(further[i]))
    return rows.spaced(best), leans


def _summed(counts: Ints, depth: int) -> Ints:
    """Return tables with only the first variables of the context, `depth` of them."""
    summed: Ints = counts.sum(axis=tuple(range(depth + 1, counts.ndim - 1)))
    return summed


class _Rows:
    """Several tables of counts whose rows are left out in turn; lists go over the cells that have any."""

    def __init__(self, counts: Ints) -> None:
        self.counts = counts
        total = counts.sum(axis=-1)
        self.filled: Places = np.flatnonzero(counts)
        self.n = counts.ravel()[self.filled]
        self.weighted = counts.dtype.kind == "f"  # then less than a row may be all there is
        self.others = self._possible((total - 1).ravel()[self.filled // counts.shape[-1]])
        starts = np.arange(len(counts) + 1) * (counts[0].size if len(counts) else 0)
        ends = np.searchsorted(self.filled, starts)
        self.cells, self.start = np.diff(ends), ends[:-1]
        self._set_concentrations(total.reshape(len(counts), -1))

    def _set_concentrations(self, total: Ints) -> None:
        """Compute what depends on the concentrations alone, (concentrations, ...), once for every choice."""
        contexts = total > 0
        totals, owners = total[contexts], contexts.sum(axis=1)
        first = np.cumsum(owners) - owners
        self.every = np.array(CONCENTRATIONS)[:, None]
        self.new = np.empty((len(self.every), len(total)))
        self.at_once = max(1, _CELLS // max(1, len(self.n)))  # small tables: all concentrations in one step
        for begin in range(0, len(self.every), self.at_once):
            a = self.every[begin : begin + self.at_once]
            new = np.add.reduceat(np.log(a / (totals + a)), first, axis=1) / owners
            self.new[begin : begin + self.at_once] = NEW * new
        self.below = self.others + self.every if self.at_once >= len(self.every) else None

    def _possible(self, numbers: Floats) -> Floats:
        return np.maximum(numbers, 0.0) if self.weighted else numbers

    def of(self, table: Floats) -> Floats:
        """List the numbers of a table."""
        found: Floats = table.ravel()[self.filled]
        return found

    def spaced(self, numbers: Floats) -> Floats:
        """Put listed numbers into a table, with zeros where there are no rows."""
        table = np.zeros(self.counts.size)
        table[self.filled] = numbers
        return table.reshape(self.counts.shape)

    def rest(self, spread: Floats | None = None) -> Floats:
        """List the counts without the row that is left out, as they are or spread."""
        if spread is None:
            return self._possible(self.n.astype(float) - 1)
        return self._possible(self.of(self.counts @ spread - np.diag(spread)))

    def left_out(self, rest: Floats, above: Floats, a: Floats) -> Floats:
        """Return the estimate of every cell when one of its rows is left out."""
        each = np.repeat(a, self.cells)
        estimate: Floats = (rest + each * above) / (self.others + each)
        return estimate

    def choose(self, rest: Floats, above: Floats) -> tuple[Floats, Floats]:
        """Return the best concentration of each table, and the log-likelihood of its rows left out."""
        likelihood = np.empty(self.new.shape)
        for begin in range(0, len(self.every), self.at_once):
            some = slice(begin, begin + self.at_once)
            logs = self.every[some] * above
            logs += rest
            logs /= self.others + self.every[some] if self.below is None else self.below
            np.log(logs, out=logs)
            logs *= self.n
            np.add.reduceat(logs, self.start, axis=1, out=likelihood[some])
        likelihood += self.new
        best: Places = np.argmax(likelihood, axis=0)
        return np.array(CONCENTRATIONS)[best], likelihood[best, np.arange(len(best))]
