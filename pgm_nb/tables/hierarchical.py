"""Hierarchical smoothing: P(x) -> P(x|y) -> P(x|u,y), every level leaning on the one above.

How far a level leans is its concentration: the number of imaginary rows that are spread as the level above
says. It is chosen per attribute and level by leaving rows out. A row that is left out is missing from its
cell on every level, so the likelihood of the rows left out is a closed formula of the counts. Nothing is
fixed but a trace of the uniform distribution at the top.

The states of a numeric column have an order, and neighbours are alike. Where the order is given, a level
leans on its own counts spread over neighbouring states, and these lean on the level above; how widely they
are spread is chosen in the same way. The idea is that of hierarchical Dirichlet smoothing (Petitjean,
Buntine, Webb, Zaidi 2018), with leave-one-out instead of sampling.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints, Places
from pgm_nb.counts.kernels import in_threads, thread_count
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.families import Families

__all__ = [
    "Lean",
    "Level",
    "Plan",
    "StackedLevel",
    "estimate_hierarchical",
    "kernel",
    "smooth",
    "smooth_stack",
    "smoothing_plan",
]

TRACE = 0.1  # imaginary rows spread evenly at the top: only so that nothing is impossible
CONCENTRATIONS = tuple(float(a) for a in np.geomspace(0.05, 1000, 18))
SPREADS = (0.15, 0.3, 0.5, 0.75)  # share of a count that reaches each further neighbour
STACKED = 1 << 18  # cells of tables estimated at once
NEW = 1.0  # rows, besides those in the table, whose state their context has not shown yet


class Lean(NamedTuple):
    """How a level leans: imaginary rows spread as the level above says.

    With an order, `concentration` is how far the counts lean on the spread counts, and `above` how far those
    lean on the level above.

    Examples
    --------
    >>> Lean(2.5)
    Lean(concentration=2.5, spread=0.0, above=0.0)
    """

    concentration: float
    spread: float = 0.0
    above: float = 0.0


Plan: TypeAlias = tuple[tuple[Lean, ...], ...]


@dataclass(frozen=True, eq=False)
class Level:
    """The estimate of one level of one attribute, and how it was made.

    Attributes
    ----------
    estimate : array (..., v)
        The probabilities.
    left_out : array (..., v)
        The probability of each state when one of its rows is left out; 0 where there is no such row.
    lean : Lean
        How it leans on the level above.
    """

    estimate: Floats
    left_out: Floats
    lean: Lean


def estimate_hierarchical(
    families: Families, ordered: Sequence[int] = (), plan: Plan | None = None
) -> Factors:
    """Estimate the parameters of a forest by hierarchical smoothing.

    P(y) = (n(y) + 1/k) / (n + 1); for P(x|y) and P(x|u,y) see `smooth`.

    Parameters
    ----------
    families : Families
        The counts.
    ordered : sequence of int, optional
        For each attribute of `families`, how many of its first states have an order: all intervals of a
        numeric column, but not the state that stands for a missing cell; 0 for words. Empty: none has.
    plan : Plan, optional
        How every level leans, from `smoothing_plans.smoothing_plan`; default: chosen from these counts.

    Examples
    --------
    >>> counts = np.array([[20, 0], [0, 80]])  # all 20 rows of the first class have the first state
    >>> bird = Families(np.array([20, 80]), (0,), (-1,), (counts,))
    >>> joint = np.exp(estimate_hierarchical(bird).tables[0]) * np.array([[0.2], [0.8]])
    >>> bool((joint / joint.sum(axis=0))[0, 0] > 0.98)
    True
    """
    orders = tuple(ordered) or (0,) * len(families.tables)
    k = len(families.y)
    prior = (families.y + 1 / k) / (families.y.sum() + 1)
    if plan is not None:
        tables = _planned(families.tables, orders, plan)
    else:
        both = zip(families.tables, orders, strict=True)
        tables = tuple(np.log(smooth(counts, order)[-1].estimate) for counts, order in both)
    return Factors(np.log(prior), families.columns, families.mothers, tables, families.others)


def smooth(counts: Ints, ordered: int = 0, leans: Sequence[Lean] | None = None) -> tuple[Level, ...]:
    """Estimate P(x), P(x|y), P(x|y,u), ... from the counts of one attribute, each level from the one above.

    A level is P(x|c) = (n(c,x) + a P(x|c')) / (n(c) + a), where c' is the context c without its last
    variable and a the concentration of `CONCENTRATIONS` under which the rows, each left out in turn of all
    levels, are most likely. One imaginary row whose state is new in its context keeps a from vanishing
    where no state is rare. With an order, P(x|c') is replaced by (s(c,x) + b P(x|c')) / (n(c) + b), where
    s are the counts spread by `kernel`, if the rows left out gain by it.

    Parameters
    ----------
    counts : array (k, ..., v)
        n(y, u1, u2, ..., x); the context is taken off from the last variable to the first.
    ordered : int
        How many of the first states have an order.
    leans : sequence of Lean, optional
        One per variable of the context; default: chosen.

    Examples
    --------
    >>> counts = np.array([[[8, 2], [2, 8]], [[5, 5], [5, 5]]])
    >>> [level.estimate.shape for level in smooth(counts)]
    [(2,), (2, 2), (2, 2, 2)]
    >>> smooth(np.array([[6, 2], [0, 0]]), leans=[Lean(4.0)])[-1].estimate.round(3)  # no row of the second
    array([[0.749, 0.251],
           [0.747, 0.253]])
    """
    v = counts.shape[-1]
    even = np.full(v, 1 / v)
    top = _Leaning(_summed(counts, 0), even, even)
    levels = [Level(*top.at(TRACE), Lean(TRACE))]
    for depth in range(1, counts.ndim):
        estimate, left_out = levels[-1].estimate, levels[-1].left_out
        if depth > 1:  # the same for every state of the variable that joins the context
            estimate, left_out = estimate[..., None, :], left_out[..., None, :]
        here = _summed(counts, depth)
        lean = leans[depth - 1] if leans else _best(here, estimate, left_out, ordered)
        if lean.spread:
            spread = _Leaning(here, estimate, left_out, kernel(v, ordered, lean.spread))
            estimate, left_out = spread.at(lean.above)
        levels.append(Level(*_Leaning(here, estimate, left_out).at(lean.concentration), lean))
    return tuple(levels)


@cache
def kernel(v: int, ordered: int, spread: float) -> Floats:
    """Return how a count of each state is spread over all, (v, v); the rows sum to one.

    Examples
    --------
    >>> kernel(4, 3, 0.5).round(2)  # three intervals, and a state for missing cells
    array([[0.57, 0.29, 0.14, 0.  ],
           [0.25, 0.5 , 0.25, 0.  ],
           [0.14, 0.29, 0.57, 0.  ],
           [0.  , 0.  , 0.  , 1.  ]])
    """
    places = np.arange(ordered)
    near = spread ** np.abs(places[:, None] - places)
    spreading = np.eye(v)
    spreading[:ordered, :ordered] = near / near.sum(axis=1, keepdims=True)
    spreading.setflags(write=False)
    return spreading


def _planned(tables: Sequence[Ints], orders: Sequence[int], plan: Plan) -> tuple[Floats, ...]:
    """Return the log of the last estimate of `smooth` for every table, those of one shape at once."""
    found: dict[int, Floats] = {}
    for some in _alike([table.shape for table in tables], [table.size for table in tables], STACKED):
        stacked = np.stack([tables[place] for place in some])
        estimates = _stacked_estimates(stacked, [orders[i] for i in some], [plan[i] for i in some])
        found.update(zip(some, np.log(estimates), strict=True))
    return tuple(found[place] for place in range(len(tables)))


def _alike(kinds: Sequence[Hashable], sizes: Sequence[int], most: int) -> list[list[int]]:
    """Return the places of tables of one kind together, in groups of at most so many cells."""
    places: dict[Hashable, list[int]] = {}
    for place, kind in enumerate(kinds):
        places.setdefault(kind, []).append(place)
    groups: list[list[int]] = []
    for some in places.values():
        at_once = max(1, most // sizes[some[0]])
        groups += [some[first : first + at_once] for first in range(0, len(some), at_once)]
    return groups


def _stacked_estimates(counts: Ints, orders: Sequence[int], plan: Sequence[Sequence[Lean]]) -> Floats:
    """Return the estimates of tables (tables, k, ..., v), without those of rows left out."""
    v, contexts = counts.shape[-1], tuple(range(1, counts.ndim - 1))
    here = counts.sum(axis=contexts)
    estimate: Floats = (here + TRACE * (1 / v)) / (here.sum(axis=-1, keepdims=True) + TRACE)
    for depth, leans in enumerate(zip(*plan, strict=True), start=1):
        estimate = estimate[..., None, :]
        here = counts.sum(axis=contexts[depth:])
        total = here.sum(axis=-1, keepdims=True)
        alike: dict[tuple[int, float], list[int]] = {}
        for i, lean in enumerate(leans):
            if lean.spread:
                alike.setdefault((orders[i], lean.spread), []).append(i)
        if alike:
            estimate = np.broadcast_to(estimate, here.shape).copy()
        for (order, width), some in alike.items():
            above = np.array([leans[i].above for i in some]).reshape(-1, *(1,) * (here.ndim - 1))
            spread = here[some] @ kernel(v, order, width)
            estimate[some] = (spread + above * estimate[some]) / (total[some] + above)
        a = np.array([lean.concentration for lean in leans]).reshape(-1, *(1,) * (here.ndim - 1))
        estimate = (here + a * estimate) / (total + a)
    return estimate


def _summed(counts: Ints, depth: int) -> Ints:
    """Return the counts with only the first variables of the context, `depth` of them."""
    summed: Ints = counts.sum(axis=tuple(range(depth, counts.ndim - 1)))
    return summed


def _best(counts: Ints, estimate: Floats, left_out: Floats, ordered: int) -> Lean:
    """Choose how the counts lean on what is above them: without an order, and with it."""
    concentration, most = _Leaning(counts, estimate, left_out).choose()
    best = Lean(concentration)
    for spread in SPREADS if ordered > 2 else ():
        leaning = _Leaning(counts, estimate, left_out, kernel(counts.shape[-1], ordered, spread))
        above, _ = leaning.choose()
        concentration, likelihood = _Leaning(counts, *leaning.at(above)).choose()
        if likelihood > most:
            best, most = Lean(concentration, spread, above), likelihood
    return best


class _Leaning:
    """Counts, as they are or spread, that lean on an estimate by some concentration."""

    def __init__(
        self, counts: Ints, estimate: Floats, left_out: Floats, spread: Floats | None = None
    ) -> None:
        self.estimate = estimate
        self.spread = counts if spread is None else counts @ spread
        self.total = counts.sum(axis=-1, keepdims=True)
        self.filled = counts > 0
        own = 1.0 if spread is None else np.diag(spread)  # what a row gives to its own state
        self.n = counts[self.filled]
        self.rest = (self.spread - own)[self.filled]
        self.others = np.broadcast_to(self.total - 1, counts.shape)[self.filled]
        self.above = np.broadcast_to(left_out, counts.shape)[self.filled]
        if counts.dtype.kind == "f":  # weights: less than a row may be all there is
            self.rest, self.others = np.maximum(self.rest, 0.0), np.maximum(self.others, 0.0)

    def at(self, a: float) -> tuple[Floats, Floats]:
        """Return the estimate, and that of every filled cell when one of its rows is left out."""
        left_out = np.zeros(self.filled.shape)
        left_out[self.filled] = (self.rest + a * self.above) / (self.others + a)
        return (self.spread + a * self.estimate) / (self.total + a), left_out

    def choose(self) -> tuple[float, float]:
        """Return the best concentration, and the log-likelihood of the rows left out under it."""
        a = np.array(CONCENTRATIONS)[:, None]
        logs = np.log((self.rest + a * self.above) / (self.others + a))
        likelihood = np.einsum("ac,c->a", logs, self.n.astype(float))  # in one thread
        likelihood += NEW * np.log(a / (self.total[self.total > 0] + a)).mean(axis=1)
        best = int(np.argmax(likelihood))
        return CONCENTRATIONS[best], float(likelihood[best])


Integers: TypeAlias = NDArray[np.integer[Any]]
_GRID = np.array(CONCENTRATIONS)


class StackedLevel(NamedTuple):
    """The estimates of one level of many tables; an array of leans for each part of `Lean`."""

    estimate: Floats  #: (contexts, v)
    left_out: Floats  #: (contexts, v), of every state when one of its rows is left out; 0 where there is none
    concentration: Floats  #: (tables,)
    spread: Floats  #: (tables,)
    above: Floats  #: (tables,)


def smooth_stack(
    counts: Integers, starts: Places, estimate: Floats, left_out: Floats, ordered: int = 0
) -> StackedLevel:
    """Estimate one level of many tables from the level above, as `hierarchical.smooth` does for one table.

    Parameters
    ----------
    counts : array (contexts, v)
        The counts of all tables, one below the other.
    starts : array (tables,)
        The first context of every table.
    estimate, left_out : array (contexts, v)
        What the level above says in every context: of all rows, and with one of the state's rows left out.
    ordered : int
        How many of the first states have an order.

    Examples
    --------
    >>> from pgm_nb.tables.hierarchical import smooth
    >>> one, two = np.array([[8, 2], [2, 8]]), np.array([[5, 5], [5, 5]])
    >>> top = smooth(one)[0]
    >>> above, out = np.tile(top.estimate, (4, 1)), np.tile(top.left_out, (4, 1))
    >>> found = smooth_stack(np.vstack([one, two]), np.array([0, 2]), above, out)
    >>> [smooth(table)[1].lean.concentration for table in (one, two)] == found.concentration.tolist()
    True
    """
    stack = _Stack(counts, starts)
    v = counts.shape[1]
    above = left_out.ravel()[stack.cells]
    concentration, most = stack.choose(stack.rest, above)
    spreads, wider, leaning = np.zeros(len(starts)), np.zeros(len(starts)), above
    for spread in SPREADS if ordered > 2 else ():
        spreading = kernel(v, ordered, spread)
        rest = (stack.counts @ spreading).ravel()[stack.cells] - np.diag(spreading)[stack.cells % v]
        widely, _ = stack.choose(rest, above)
        near = stack.left_out(rest, above, widely)
        found, likelihood = stack.choose(stack.rest, near)
        better = likelihood > most
        most = np.where(better, likelihood, most)
        concentration = np.where(better, found, concentration)
        spreads[better], wider[better] = spread, widely[better]
        leaning = np.where(stack.of_cells(better), near, leaning)
    estimate = estimate.copy()
    for spread in set(spreads.tolist()) - {0.0}:
        rows = np.repeat(spreads == spread, stack.sizes)
        b, n = np.repeat(wider, stack.sizes)[rows, None], stack.counts[rows]
        estimate[rows] = (n @ kernel(v, ordered, spread) + b * estimate[rows]) / (stack.total[rows, None] + b)
    a = np.repeat(concentration, stack.sizes)[:, None]
    estimate = (stack.counts + a * estimate) / (stack.total[:, None] + a)
    out = np.zeros(counts.shape)
    out.ravel()[stack.cells] = stack.left_out(stack.rest, leaning, concentration)
    return StackedLevel(estimate, out, concentration, spreads, wider)


class _Stack:
    """Tables one below the other, and what is the same however they lean; only filled cells count."""

    def __init__(self, counts: Integers, starts: Places) -> None:
        self.counts = counts.astype(np.float64)
        self.sizes = np.diff(starts, append=len(counts))
        self.total = self.counts.sum(axis=1)
        self.cells = np.flatnonzero(counts)
        self.n = self.counts.ravel()[self.cells]
        self.rest = self.n - 1
        self.others = self.total[self.cells // counts.shape[1]] - 1
        bounds = np.searchsorted(self.cells, np.append(starts, len(counts)) * counts.shape[1])
        self.filled = np.diff(bounds)  # cells of each table
        self.some = self.filled > 0
        self.first = bounds[:-1][self.some]
        self.same = self._same_for_all(starts)

    def _same_for_all(self, starts: Places) -> Floats:
        """Return the part of the log-likelihoods that the contexts alone decide, (concentrations, tables)."""
        shown = self.total > 0
        contexts = np.maximum(np.add.reduceat(shown.astype(np.float64), starts), 1)
        a = _GRID[:, None]
        others = self.total * np.log(np.where(shown, self.total - 1, 0.0) + a)
        new = NEW * np.log(a / (self.total + a))
        same: Floats = np.add.reduceat(new, starts, axis=1) / contexts - np.add.reduceat(
            others, starts, axis=1
        )
        return same

    def of_cells(self, of_tables: NDArray[Any]) -> NDArray[Any]:
        """Repeat what every table has for each of its filled cells."""
        return np.repeat(of_tables, self.filled)

    def choose(self, rest: Floats, above: Floats) -> tuple[Floats, Floats]:
        """Return the best concentration of every table, and the log-likelihood of its rows left out.

        Every second concentration is tried, and then the neighbours of the best.
        """
        tables = np.arange(len(self.sizes))
        likelihood = np.full(self.same.shape, -np.inf)
        for place in range(0, len(CONCENTRATIONS), 2):
            likelihood[place] = self._likelihood(rest, above, CONCENTRATIONS[place]) + self.same[place]
        coarse = likelihood.argmax(axis=0)
        for step in (-1, 1):
            place = np.clip(coarse + step, 0, len(CONCENTRATIONS) - 1)
            a = self.of_cells(_GRID[place])
            likelihood[place, tables] = self._likelihood(rest, above, a) + self.same[place, tables]
        best = likelihood.argmax(axis=0)
        return _GRID[best], likelihood[best, tables]

    def _likelihood(self, rest: Floats, above: Floats, a: float | Floats) -> Floats:
        """Return what the filled cells of every table add to its log-likelihood."""
        logs = above * a
        logs += rest
        np.log(logs, out=logs)
        logs *= self.n
        sums = np.zeros(len(self.sizes))
        if len(self.first):
            sums[self.some] = np.add.reduceat(logs, self.first)
        return sums

    def left_out(self, rest: Floats, above: Floats, concentration: Floats) -> Floats:
        """Return the probability of every filled cell when one of its rows is left out."""
        a = self.of_cells(concentration)
        found: Floats = (rest + a * above) / (self.others + a)
        return found


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
    tables = families.tables
    kinds = [(table.shape, order) for table, order in zip(tables, orders, strict=True)]
    pieces = _alike(kinds, [table.size for table in tables], _CELLS)
    plan: list[tuple[Lean, ...]] = [()] * len(orders)

    def choose(first: int, last: int) -> None:
        for some in pieces[first:last]:
            found = _plans(np.stack([tables[place] for place in some]), orders[some[0]])
            for place, leans in zip(some, found, strict=True):
                plan[place] = leans

    cells = np.array([float(len(some) * tables[some[0]].size) for some in pieces])
    in_threads(choose, _CELL_NS * cells, thread_count(None) if cells.sum() > 2 * _CELLS else 1)
    return tuple(plan)


def _plans(counts: Ints, ordered: int) -> list[tuple[Lean, ...]]:
    """Return how each of several tables (tables, k, ..., v) leans, level by level."""
    n_tables, v = len(counts), counts.shape[-1]
    top = _Rows(_summed(counts, 1))
    left_out = top.spaced(top.left_out(top.rest(), np.full(len(top.n), 1 / v), np.full(n_tables, TRACE)))
    levels: list[list[Lean]] = []
    for depth in range(1, counts.ndim - 1):
        left_out, leans = _level(_summed(counts, depth + 1), left_out[..., None, :], ordered)
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
