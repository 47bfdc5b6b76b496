"""Hierarchical smoothing of many tables at once: every P(x | u, y) of hidden naive Bayes.

The levels, and how far each leans on the one above, are those of `hierarchical.smooth`, chosen for every
table by leaving rows out. There are d (d - 1) tables of pairs, so they are not visited one by one: tables of
attributes with as many states are stacked context upon context, and one pass over the stack tries a
concentration for all of them. Every second one of `CONCENTRATIONS` is tried, then the neighbours of the best;
the likelihood rises to one top in almost every table, so that is hardly ever another choice.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places
from pgm_nb.inference.hierarchical import CONCENTRATIONS, NEW, SPREADS, kernel

__all__ = ["StackedLevel", "smooth_stack"]

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
    >>> from pgm_nb.inference.hierarchical import smooth
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
