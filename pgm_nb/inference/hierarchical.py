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

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np

from pgm_nb.arrays import Floats, Ints
from pgm_nb.inference.factors import Factors
from pgm_nb.inference.families import Families

__all__ = ["Lean", "Level", "Plan", "estimate_hierarchical", "kernel", "smooth"]

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
    alike: dict[tuple[int, ...], list[int]] = {}
    for place, table in enumerate(tables):
        alike.setdefault(table.shape, []).append(place)
    found: dict[int, Floats] = {}
    for shape, places in alike.items():
        at_once = max(1, STACKED // int(np.prod(shape)))
        for first in range(0, len(places), at_once):
            some = places[first : first + at_once]
            stacked = np.stack([tables[place] for place in some])
            estimates = np.log(
                _stacked_estimates(stacked, [orders[i] for i in some], [plan[i] for i in some])
            )
            found.update(zip(some, estimates, strict=True))
    return tuple(found[place] for place in range(len(tables)))


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
