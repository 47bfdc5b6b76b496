"""How sure tables with any number of parents are: draws from the posterior of hierarchical smoothing.

A row of a table, P(x | y, u1, u2), is a Dirichlet distribution around P(x | y, u1), that one around P(x | y),
and that around P(x), which lies around even shares. Nothing in this is fixed: neither the upper levels nor
the concentrations, the rows that a level is worth to the one below. Rows that agree with the level above say
nothing new about it, so each cell passes up only as many as would come from there (Antoniak's number of
tables). A concentration is drawn by how probable it makes every context, given the others. Levels and the
numbers passed up are then drawn in turn, given each other (Gibbs), in several chains at once. A chain ends in
one draw of the level above the table; given it, rows of the table are Dirichlet, with
n(context, x) + a P(x | context above).

Contexts that lean on the same level err together. Draws that lean on a fixed estimate do not, and sums over
unknown parents then seem surer than they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from pgm_nb.arrays import Floats, Ints

__all__ = ["CHAINS", "TableChains", "passed_up"]

CHAINS = 48  # draws of the upper levels
SWEEPS = 6  # until a draw is taken
CONCENTRATIONS = np.array([0.3, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1000])
EVENLY = CONCENTRATIONS[:8]  # of the highest level
EVEN = 0.5  # imaginary rows of every state at the top
EXACT = 8  # rows of a cell that are passed up or not one by one
MOST_NUMBERS = 1 << 15  # of cells under all chains: larger tables have fewer chains
FEWEST = 8  # chains, however large a table is
LEAST = 1e-12  # keeps shares positive


@dataclass(frozen=True, eq=False)
class TableChains:
    """Draws of what the rows of one table lean on.

    Attributes
    ----------
    counts : array (k, v_parent, ..., v)
        The rows.
    above : array (chains, k or 1, v_parent, ..., 1, v)
        Draws of the level above; for a table without parents (chains, 1, v).
    concentration : array (chains,)
        How many rows that level is worth.
    """

    counts: Ints
    above: Floats
    concentration: Floats

    @classmethod
    def of(
        cls, counts: Ints, rng: np.random.Generator, chains: int = CHAINS, label: int | None = None
    ) -> TableChains:
        """Run the chains.

        With a label, that class alone says how far its contexts lean: others may have no such link.

        Examples
        --------
        >>> alike = TableChains.of(np.array([[500, 500], [520, 480]]), np.random.default_rng(0))
        >>> apart = TableChains.of(np.array([[900, 100], [100, 900]]), np.random.default_rng(0))
        >>> bool(alike.concentration.mean() > 10 * apart.concentration.mean())
        True
        """
        depth, v = counts.ndim - 1, counts.shape[-1]
        shares = [_start(counts.sum(axis=tuple(range(level, depth))), chains) for level in range(depth)]
        cells, a = _Cells(counts), _concentrations(counts, chains, rng, label)
        for _ in range(SWEEPS):
            up = passed_up(cells.n, a[depth][:, None] * cells.of_parents(shares[-1]), rng)
            levels = [cells.to_parents(up).reshape(chains, *counts.shape[:-2], v)]
            for level in range(depth - 1, 0, -1):
                up = passed_up(levels[-1], _leaning(a[level], shares[level - 1]), rng)
                levels.append(up.sum(axis=-2))
            up = passed_up(levels[-1], a[0][:, None] / v, rng)
            a[0] = _evenness(up.sum(axis=1), levels[-1].sum(axis=1), rng)
            shares[0] = _dirichlet(levels.pop() + a[0][:, None] / v, rng)
            for level in range(1, depth):
                shares[level] = _dirichlet(levels.pop() + _leaning(a[level], shares[level - 1]), rng)
        return cls(counts, shares[-1][..., None, :], a[depth])

    def of_class(self, label: int) -> TableChains:
        """Return the same for one class alone."""
        above = self.above[:, label : label + 1] if self.above.shape[1] > 1 else self.above
        return TableChains(self.counts[label : label + 1], above, self.concentration)

    @cached_property
    def totals(self) -> Ints:
        """Rows of every context, (k, v_parent, ...)."""
        found: Ints = self.counts.sum(axis=-1)
        return found

    def posterior(self, states: Sequence[int | None]) -> tuple[Floats, Floats]:
        """Return means and rows of the Dirichlet distributions of some cells, given every chain.

        Parameters
        ----------
        states : sequence of int or None
            The states of the parents and of the attribute; None for all of them.

        Returns
        -------
        means : array (chains, k, axes of None ...)
            The expected shares.
        rows : array (chains, k, axes of the parents that are None ...)
            Real and imaginary rows. If the cells are many, only some of the chains are used.
        """
        every = tuple(slice(None) if state is None else state for state in states)
        n, total = self.counts[:, *every], self.totals[:, *every[:-1]]
        some = slice(max(FEWEST, MOST_NUMBERS // n.size))
        mothers = every[:-1] if len(every) == 1 or states[-2] is None else (*every[:-2], 0)
        above = self.above[some, :, *mothers, every[-1]]
        a = self.concentration[some]
        rows = total + a.reshape(-1, *(1,) * total.ndim)
        means = n + a.reshape(-1, *(1,) * n.ndim) * above
        means /= rows[..., None] if states[-1] is None else rows
        return means, rows


class _Cells:
    """The cells of a table that have rows, and where they stand in the level above.

    Attributes
    ----------
    n, parent, context : arrays (cells,)
        The rows of each cell, its place in the level above, and its context.
    contexts, parent_context : arrays (contexts,)
        The rows of every context that has any, and which context it has in the level above.
    """

    def __init__(self, counts: Ints) -> None:
        v = counts.shape[-1]
        flat = counts.reshape(-1, v)
        context, state = flat.nonzero()
        place, width = np.unique(context, return_inverse=True), counts.shape[-2]
        parent = place[0][place[1]] // width * v + state
        order = np.argsort(parent, kind="stable")
        self.parent, self.n, self.context = parent[order], flat[context, state][order], place[1][order]
        self.first = np.flatnonzero(np.diff(self.parent, prepend=-1))
        self.size = len(flat) // width * v
        self.contexts, self.parent_context = flat[place[0]].sum(axis=1), place[0] // width

    def of_parents(self, shares: Floats) -> Floats:
        """Return what the level above says about every cell, (chains, cells)."""
        return shares.reshape(len(shares), -1)[:, self.parent]

    def to_parents(self, values: Floats) -> Floats:
        """Sum values of the cells for the level above, (chains, cells above)."""
        found = np.zeros((len(values), self.size))
        if self.first.size:
            found[:, self.parent[self.first]] = np.add.reduceat(values, self.first, axis=1)
        return found


def passed_up(n: Ints | Floats, leaning: Floats, rng: np.random.Generator) -> Floats:
    """Draw how many of the rows of each cell come from the level above, which the cell leans on.

    The first row does, and the row after i others with probability l / (l + i), l being the imaginary rows of
    the cell. After the first few rows the rest is drawn at once, as a binomial number of the same mean and
    variance.

    Examples
    --------
    >>> passed_up(np.array([0, 1, 3]), np.full(3, 1e9), np.random.default_rng(0)).tolist()
    [0.0, 1.0, 3.0]
    """
    n, leaning = np.broadcast_arrays(n, np.maximum(leaning, LEAST))
    found = np.minimum(n, 1.0)
    several = np.flatnonzero(n > 1)
    if not several.size:
        return found
    flat, rows, worth = found.reshape(-1), n.reshape(-1)[several], leaning.reshape(-1)[several]
    one_by_one = np.arange(1, EXACT)[:, None]
    left = np.clip(rows - one_by_one, 0, 1)  # of a part of a row, a part
    here = left * worth / (worth + one_by_one)
    total = (rng.random(here.shape) < here).sum(axis=0).astype(float)
    many = np.flatnonzero(rows > EXACT)
    if many.size:
        w, m = worth[many], rows[many]
        low, high = w + EXACT, w + m
        mean = w * (_digamma(high) - _digamma(low))
        lost = w**2 * (_trigamma(low) - _trigamma(high))  # what its variance lacks to its mean
        size = np.maximum(np.rint(mean**2 / lost), np.ceil(mean))
        total[many] += rng.binomial(size.astype(np.int64), mean / size)
    flat[several] += total
    return found


def _digamma(x: Floats) -> Floats:
    """Return the digamma function of numbers from 8 on, to 1e-8; faster than that of SciPy."""
    found: Floats = np.log(x) - 0.5 / x - 1 / (12 * x**2) + 1 / (120 * x**4)
    return found


def _trigamma(x: Floats) -> Floats:
    """Return its derivative."""
    found: Floats = 1 / x + 0.5 / x**2 + 1 / (6 * x**3) - 1 / (30 * x**5)
    return found


def _evenness(up: Floats, rows: Floats, rng: np.random.Generator) -> Floats:
    """Draw the concentration of the highest level of each chain, given its rows and those passed up.

    Its probability is proportional to a^up G(a) / G(a + rows).
    """
    a = EVENLY[:, None]
    logs = up * np.log(a) + gammaln(a) - gammaln(a + rows)
    shares = np.exp(logs - logs.max(axis=0)).cumsum(axis=0)
    found: Floats = EVENLY[(shares < rng.random(len(up)) * shares[-1]).sum(axis=0)]
    return found


def _concentrations(counts: Ints, chains: int, rng: np.random.Generator, label: int | None = None) -> Floats:
    """Draw the concentrations of all levels, (levels, chains), each by how probable it makes the rows."""
    v = counts.shape[-1]
    above, worth = np.full(v, 1 / v), np.array(EVEN * v)
    found = [np.full(chains, EVEN * v)]
    for level in range(1, counts.ndim):
        here = counts.sum(axis=tuple(range(level, counts.ndim - 1)))
        if label is not None and level > 1:
            own = slice(label, label + 1)
            weights = _weights(_Cells(here[own]), above[own], worth[own])
        else:
            weights = _weights(_Cells(here), above, worth)
        found.append(rng.choice(CONCENTRATIONS, size=chains, p=weights))
        if level < counts.ndim - 1:
            prior = _said_by_others(here, above, worth, float(CONCENTRATIONS[weights.argmax()]))
            worth = prior.sum(axis=-1)
            above = prior / worth[..., None]
    return np.array(found)


def _weights(cells: _Cells, above: Floats, worth: Floats) -> Floats:
    """Weigh concentrations by how probable each context is given the others; as `_said_by_others`, if sparse.

    Parameters
    ----------
    cells : _Cells
        The rows.
    above, worth : arrays (..., v) and (...)
        What the level above says without these contexts, and how many rows that is worth.
    """
    said, v = (worth[..., None] * above).reshape(-1), above.shape[-1]
    logs = []
    for a in CONCENTRATIONS.tolist():
        trust = a / (a + cells.contexts)
        kept = cells.n * trust[cells.context]
        total = cells.to_parents(kept[None])[0] + said
        others = total[cells.parent] - kept
        rows = total.reshape(-1, v).sum(axis=1)[cells.parent_context] - trust * cells.contexts
        believed = a * rows / (a + rows)
        prior = others * (believed / rows)[cells.context]
        logs.append(
            (gammaln(prior + cells.n) - gammaln(prior)).sum()
            + (gammaln(believed) - gammaln(believed + cells.contexts)).sum()
        )
    weights: Floats = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    return weights


def _said_by_others(counts: Ints, above: Floats, worth: Floats, a: float) -> Floats:
    """Return the imaginary rows of every context (..., u, v), from the others and the level above.

    No context votes for itself, so that no row is used twice.
    """
    kept = counts * (a / (a + counts.sum(axis=-1)))[..., None]
    others = kept.sum(axis=-2, keepdims=True) - kept + (worth[..., None] * above)[..., None, :]
    rows = others.sum(axis=-1, keepdims=True)
    found: Floats = others * (a / (a + rows))
    return found


def _leaning(a: Floats, above: Floats) -> Floats:
    """Return the imaginary rows of every cell, (chains, ..., 1, v), from the shares of the level above."""
    found: Floats = a.reshape(-1, *(1,) * above.ndim) * above[..., None, :]
    return found


def _start(counts: Ints, chains: int) -> Floats:
    shares = (counts + 1.0) / (counts + 1.0).sum(axis=-1, keepdims=True)
    return np.repeat(shares[None], chains, axis=0)


def _dirichlet(rows: Floats, rng: np.random.Generator) -> Floats:
    drawn = rng.standard_gamma(rows) + LEAST
    found: Floats = drawn / drawn.sum(axis=-1, keepdims=True)
    return found
