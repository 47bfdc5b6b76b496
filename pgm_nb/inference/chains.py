"""How sure tables are: draws from the posterior of hierarchical smoothing, all tables of a model together.

A row of a table, P(x | y, u1, u2), is a Dirichlet distribution around P(x | y, u1), that one around P(x | y),
and that around P(x), which lies around even shares. Nothing in this is fixed: neither the upper levels nor
the concentrations, the rows that a level is worth to the one below. Rows that agree with the level above say
nothing new about it, so each cell passes up only as many as would come from there (Antoniak's number of
tables). Levels, concentrations and the numbers passed up are drawn in turn, given each other (Gibbs), in
several chains at once. Every table has concentrations of its own, but what is usual among the tables of the
model at a level is drawn, too: a table that says little about how far its contexts lean follows the others.

Given a draw of the level above it, rows of a table are Dirichlet, with n(context, x) + a P(x | above).
Contexts that lean on the same level err together. Draws that lean on a fixed estimate do not, and sums over
unknown parents then seem surer than they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from pgm_nb.arrays import Floats, Ints, Places
from pgm_nb.inference.cell_rows import CONCENTRATIONS
from pgm_nb.inference.table_levels import TableLevel, levels_of

__all__ = ["TableChains", "run_chains"]

CHAINS = 24
SCOUTS = 3  # times fewer chains go ahead, until a draw can be taken; the others begin where these are then
SWEEPS = 6  # until a draw is taken; chains that begin elsewhere have met by then
PASSED_UP = 0.7  # at the beginning, of n rows the power of n with this exponent
KEPT = 6  # draws of each chain, of the sweeps that follow
WEIGHED = 3  # concentrations are drawn in every third of these
NEAR = (0.3, 1.0, 3.0)  # to the usual one: standard deviations of the logarithm of concentrations
WORTH = 2.0  # rows: a level is usually worth more than that to the next one, or less, as probably as not
MOST_CELLS = 1 << 14  # under all chains: models with more have fewer chains
FEWEST = 6  # chains, however large a model is
MOST_NUMBERS = 1 << 15  # of cells under all draws: larger tables use fewer of them
FEWEST_DRAWS = 8


@dataclass(frozen=True, eq=False)
class TableChains:
    """Draws of what the rows of one table lean on.

    Attributes
    ----------
    counts : array (k, v_parent, ..., v)
        The rows.
    above : array (draws, k or 1, v_parent, ..., 1, v)
        Draws of the level above; for a table without parents (draws, 1, v).
    concentration : array (draws,)
        How many rows that level is worth.
    """

    counts: Ints
    above: Floats
    concentration: Floats

    @cached_property
    def totals(self) -> Ints:
        """Rows of every context, (k, v_parent, ...)."""
        found: Ints = self.counts.sum(axis=-1)
        return found

    def rows(self, most: int) -> Floats:
        """Return real and imaginary rows of the whole table under some of the draws, (draws, k, ..., v)."""
        some = slice(max(1, most // self.counts.size))
        a = self.concentration[some].reshape(-1, *(1,) * self.counts.ndim)
        found: Floats = self.counts + a * self.above[some]
        return found

    def posterior(self, states: Sequence[int | None]) -> tuple[Floats, Floats]:
        """Return means and rows of the Dirichlet distributions of some cells, given every draw.

        Parameters
        ----------
        states : sequence of int or None
            The states of the parents and of the attribute; None for all of them.

        Returns
        -------
        means : array (draws, k, axes of None ...)
            The expected shares.
        rows : array (draws, k, axes of the parents that are None ...)
            Real and imaginary rows. If the cells are many, only some of the draws are used.
        """
        every = tuple(slice(None) if state is None else state for state in states)
        n, total = self.counts[:, *every], self.totals[:, *every[:-1]]
        some = slice(max(FEWEST_DRAWS, MOST_NUMBERS // n.size))
        mothers = every[:-1] if len(every) == 1 or states[-2] is None else (*every[:-2], 0)
        above = self.above[some, :, *mothers, every[-1]]
        a = self.concentration[some]
        rows = total + a.reshape(-1, *(1,) * total.ndim)
        means = n + a.reshape(-1, *(1,) * n.ndim) * above
        means /= rows[..., None] if states[-1] is None else rows
        return means, rows


def run_chains(
    tables: Sequence[Ints],
    rng: np.random.Generator,
    beside: Sequence[Ints] | None = None,
    chains: int = CHAINS,
) -> list[TableChains]:
    """Run the chains of all tables of a model.

    Parameters
    ----------
    tables : sequence of arrays (k, v_parent, ..., v)
        Their rows.
    rng : Generator
        The source of chance.
    beside : sequence of arrays (classes, v), optional
        Rows of other classes, of which nothing but P(x | y) is asked.
    chains : int
        How many, unless the model is large.

    Examples
    --------
    >>> def concentration(table):
    ...     return run_chains([np.array(table)], np.random.default_rng(0))[0].concentration.mean()
    >>> bool(concentration([[500, 500], [520, 480]]) > 10 * concentration([[900, 100], [100, 900]]))
    True
    """
    if not tables:
        return []
    levels = levels_of(tables, beside)
    size = sum(len(level.table) for level in levels)
    chains = min(chains, max(FEWEST, MOST_CELLS // size))
    state = _State(levels, [table.shape[-1] for table in tables], -(-chains // SCOUTS), rng)
    for _ in range(SWEEPS - 1):
        state.sweep(weigh=True)
    state.spread(chains)  # their first sweep is the last of these
    drawn = []
    for sweep in range(KEPT):
        state.sweep(weigh=sweep % WEIGHED == 0)
        drawn.append((list(state.shares), state.a.copy()))
    kept = [np.concatenate(parts, axis=1).T for parts in zip(*(shares for shares, _ in drawn), strict=True)]
    a = np.concatenate([found for _, found in drawn], axis=2)
    places, found = [0] * len(levels), []
    for i, table in enumerate(tables):
        depth = table.ndim - 1
        for level in range(depth):
            cells = prod(table.shape[:level]) * table.shape[-1]
            places[level] += cells
        last = kept[depth - 1][:, places[depth - 1] - cells : places[depth - 1]]
        above = last.reshape(-1, *table.shape[: depth - 1], 1, table.shape[-1])
        found.append(TableChains(table, above, a[depth, i]))
    return found


class _State:
    """Where the chains are.

    Attributes
    ----------
    shares : list of arrays (drawn, chains)
        The shares of every level that is drawn.
    a : array (levels, tables, chains)
        The concentrations.
    """

    def __init__(
        self, levels: list[TableLevel], cards: Sequence[int], chains: int, rng: np.random.Generator
    ) -> None:
        self.levels, self.rng, self.chains = levels, rng, chains
        self.even = np.repeat(1 / np.array(cards)[levels[0].drawn_table, None], chains, axis=1)
        self.a = np.empty((len(levels), len(cards), chains))
        self.shares = self._start()

    def spread(self, chains: int) -> None:
        """Go on in more chains, each of which begins where one of these is."""
        places = np.arange(chains) % self.chains
        self.chains, self.even, self.a = chains, self.even[:, places], self.a[..., places]
        self.shares = [shares[:, places] for shares in self.shares]

    def _start(self) -> list[Floats]:
        """Return the shares of rows of which a good part is passed up, and one imaginary row as above."""
        rows = [np.zeros((len(level.drawn_table), 1)) for level in self.levels]
        for place in range(len(self.levels) - 1, 0, -1):
            level = self.levels[place]
            here = np.concatenate([level.rows[:, None], rows[place]])
            rows[place - 1] += level.to_parents @ here**PASSED_UP
        found, parents = [], self.even[:, :1]
        for level, here in zip(self.levels[:-1], rows, strict=False):
            parents = level.shares(here + parents.take(level.parent[len(level.rows) :], axis=0))
            found.append(np.repeat(parents, self.chains, axis=1))
        return found

    def sweep(self, weigh: bool) -> None:
        """Draw everything once, given the rest: upwards what is passed up, and downwards the levels.

        Concentrations, which take most of the time, are drawn if they are to be weighed.
        """
        rows: list[Floats] = [np.zeros((len(level.drawn_table), self.chains)) for level in self.levels]
        for place in range(len(self.levels) - 1, -1, -1):
            level, parents = self.levels[place], self._parents(place)
            if weigh:
                logs = level.concentration_logs(rows[place], parents)[level.tables]
                self.a[place][level.tables] = draw_concentrations(logs, self.rng)
            if place:
                leaning = self.a[place].take(level.table, axis=0) * parents.take(level.parent, axis=0)
                rows[place - 1] += level.passed_up(rows[place], leaning, self.rng)
        for place, level in enumerate(self.levels[:-1]):
            above = self._parents(place).take(level.parent[len(level.rows) :], axis=0)
            leaning = self.a[place].take(level.drawn_table, axis=0) * above
            self.shares[place] = level.shares(self.rng.standard_gamma(rows[place] + leaning))

    def _parents(self, place: int) -> Floats:
        """Return the shares of the level above, (above, chains)."""
        return self.shares[place - 1] if place else self.even


def draw_concentrations(logs: Floats, rng: np.random.Generator) -> Floats:
    """Draw the concentration of every table, (tables, chains), and what is usual among them.

    Logarithms of concentrations lie around a usual one, near or far; both are drawn first, by how probable
    they make the rows of all tables. Before any rows are seen, the share that the level above has in a
    context of `WORTH` rows, a / (a + WORTH), is as probable everywhere between none and all of it, if a is
    the usual concentration (a uniform shrinkage prior, Daniels 1999). So few rows do not make tables lean
    further than they should: that moves answers to one side, and no width of an interval makes up for it.

    Parameters
    ----------
    logs : array (tables, concentrations, chains)
        The log-probability of the rows of each table for every concentration.
    rng : Generator
        The source of chance.
    """
    likely = np.exp(logs - logs.max(axis=1, keepdims=True))
    total = np.log(USUAL @ likely).sum(axis=0).T + BEFORE
    usual = USUAL[_picked(np.exp(total - total.max(axis=1, keepdims=True)), rng)]  # (chains, concentrations)
    weights: Floats = likely * usual.T
    found: Floats = CONCENTRATIONS[_picked(weights.swapaxes(1, 2), rng)]
    return found


def _usual() -> Floats:
    """Return how probable each concentration is, (usual ones and how near, concentrations)."""
    logs = np.log(CONCENTRATIONS)
    apart = (logs[:, None] - logs) / np.array(NEAR)[:, None, None]
    found: Floats = np.exp(-(apart**2) / 2).reshape(-1, len(logs))
    found /= found.sum(axis=1, keepdims=True)
    return found


def _before() -> Floats:
    """Return the log-probability of each usual concentration before any rows are seen, near and far."""
    between = np.sqrt(CONCENTRATIONS[1:] * CONCENTRATIONS[:-1])
    ends = np.concatenate([[0.0], between / (between + WORTH), [1.0]])
    return np.tile(np.log(np.diff(ends)), len(NEAR))


def _picked(weights: Floats, rng: np.random.Generator) -> Places:
    """Draw a place on the last axis by its weight."""
    ends = weights.cumsum(axis=-1)
    found: Places = (ends < rng.random((*ends.shape[:-1], 1)) * ends[..., -1:]).sum(axis=-1)
    return found


USUAL, BEFORE = _usual(), _before()
