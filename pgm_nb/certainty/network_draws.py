"""Scores of one case under draws of the tables, where an attribute has any parents, or every class its tree.

The sums over what is unknown are made once, with the expected tables, and not under every draw. One pass back
over them says how probable the cells of each table are, given the case. To first order, the table of an
attribute then changes the probability of the case by the factor sum w(cell) P(cell), where w is the
probability of the cell divided by its expected share. Its mean and variance are known under every chain, and
it lies between zero and its largest value: it is drawn as a Beta distribution of that mean and variance.
Where an attribute and its parents are known there is one cell, and the Beta distribution is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pgm_nb.arrays import Flags, Floats, Ints
from pgm_nb.certainty.chains import TableChains, run_chains
from pgm_nb.certainty.draws import CLASS_ROWS, LEAST
from pgm_nb.engine.elimination import summed_with_slopes, sums_of
from pgm_nb.tables.factors import Factors

__all__ = ["KeptChains", "class_draws", "network_draws", "table_factors"]

SURE = 1e12  # rows of a Beta distribution that has no variance left

States = Sequence[int | None]


class KeptChains:
    """The chains of the tables of some graphs, run when they are first needed; a copy runs them again.

    Examples
    --------
    >>> kept = KeptChains()
    >>> chains = kept.at(0, lambda: ([np.array([[20, 0], [4, 76]])], None))
    >>> kept.at(0, lambda: ([], None)) is chains
    True
    """

    def __init__(self) -> None:
        self._found: dict[int, list[TableChains]] = {}

    def at(
        self, graph: int, counts: Callable[[], tuple[Sequence[Ints], Sequence[Ints] | None]]
    ) -> list[TableChains]:
        """Return the chains of all tables of a graph, from their rows and those of other classes beside."""
        if graph not in self._found:
            tables, beside = counts()
            self._found[graph] = run_chains(tables, np.random.default_rng([0, graph]), beside)
        return self._found[graph]


def class_draws(y: Ints, n: int, seed: int = 0, seen: Flags | None = None) -> Floats:
    """Return draws of the log shares of the classes, (k, n); with the class of the case, if one is supposed.

    Examples
    --------
    >>> np.exp(class_draws(np.array([20, 80]), 1000)).mean(axis=1).round(2)
    array([0.21, 0.79])
    """
    rng = np.random.default_rng(seed)
    drawn = rng.standard_gamma(y + CLASS_ROWS, size=(n, len(y))) + LEAST
    if seen is not None:
        drawn += seen * rng.standard_exponential((n, 1))
    found: Floats = np.log(drawn / drawn.sum(axis=1, keepdims=True)).T
    return found


def network_draws(
    network: Factors,
    chains: Sequence[TableChains],
    states: States,
    n: int,
    seed: int = 0,
    seen: Flags | None = None,
) -> Floats:
    """Return log P(known attributes | y) under draws of the tables, (k, n).

    Parameters
    ----------
    network : Factors
        The graph; its tables are not read.
    chains : sequence of TableChains
        What is known of the table at each position of the network.
    states : sequence of int or None
        The state of every attribute of the network; None if it is unknown.
    n : int
        How many draws.
    seed : int
        Every table has a source of chance of its own, so that cases that share a value share its draws.
    seen : array (n, k), optional
        Of which class each draw takes the case to be. It counts where its cell of a table is known.

    Examples
    --------
    >>> chains = run_chains([np.array([[140, 60], [100, 700]])], np.random.default_rng(0))
    >>> network = Factors(np.log([0.2, 0.8]), (0,), (-1,), (np.zeros((2, 2)),))
    >>> np.exp(network_draws(network, chains, [0], 1000)).mean(axis=1).round(1)
    array([0.7, 0.1])
    """
    unknown = np.array([state is None for state in states])
    sums = sums_of(network, unknown)
    posteriors, factors = [], []
    for position, scope in zip(sums.needed, sums.scopes, strict=True):
        members = [states[member] for member in (*network.given[position], position)]
        means, rows = chains[position].posterior(members)
        posteriors.append((means, rows))
        factors.append((scope, np.log(means.mean(axis=0))))
    if not factors:
        return np.zeros((len(network.log_prior), n))
    total, slopes = summed_with_slopes(factors, sums.steps)
    found = np.repeat(total[:, None], n, axis=1)
    for position, (means, rows), slope in zip(sums.needed, posteriors, slopes, strict=True):
        if states[position] is not None:  # one state of the attribute
            means, slope = means[..., None], slope[..., None]
        rng, more = np.random.default_rng([seed, position]), seen if slope[0].size == 1 else None
        found += np.log(table_factors(means, rows, slope, n, rng, more) + LEAST)
    return found


def table_factors(
    means: Floats,
    rows: Floats,
    slope: Floats,
    n: int,
    rng: np.random.Generator,
    seen: Flags | None = None,
) -> Floats:
    """Draw by what factor a table changes the probability of a case, (k, n).

    Parameters
    ----------
    means, rows : arrays (chains, k, ..., v) and (chains, k, ...)
        The Dirichlet distributions of its contexts, under every draw of what they lean on.
    slope : array (k, ..., v)
        How probable its cells are, given the case and the expected table.
    n : int
        How many draws; all chains have the same share of them.
    rng : Generator
        The source of chance.
    seen : array (n, k), optional
        Whether a draw counts one row more in the only cell of a class.

    Examples
    --------
    >>> means, rows = np.array([[[0.75, 0.25]]]), np.array([[7.0]])  # one chain and class: Beta(5.25, 1.75)
    >>> drawn = table_factors(means, rows, np.array([[1.0, 0.0]]), 100_000, np.random.default_rng(0))
    >>> (0.75 * drawn.mean()).round(2), (0.75**2 * drawn.var()).round(2)  # 0.1875 / 8 = 0.0234
    (np.float64(0.75), np.float64(0.02))
    """
    k, v = slope.shape[0], slope.shape[-1]
    weight = (slope / means.mean(axis=0)).reshape(k, -1, v)
    means, rows = means.reshape(len(means), k, -1, v), rows.reshape(len(rows), k, -1)
    by_context = np.einsum("skcx,kcx->skc", means, weight)
    squares = np.einsum("skcx,kcx->skc", means, weight**2)
    variance = ((squares - by_context**2) / (rows + 1)).sum(axis=2)
    most = weight.max(axis=2).sum(axis=1)
    share = np.clip(by_context.sum(axis=2) / most, LEAST, 1 - 1e-9)
    size = np.clip(share * (1 - share) * most**2 / np.maximum(variance, LEAST) - 1, 1e-6, SURE)
    chain = rng.permutation(np.arange(n) % len(means))
    drawn = rng.standard_gamma((share * size)[chain]) + LEAST
    rest = rng.standard_gamma(((1 - share) * size)[chain])
    if seen is not None:
        drawn += seen * rng.standard_exponential((n, 1))
    found: Floats = most[:, None] * (drawn / (drawn + rest)).T
    return found
