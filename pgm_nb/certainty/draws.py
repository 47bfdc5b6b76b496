"""How sure the tables of a forest are: Dirichlet posteriors of their rows.

A row of a table, P(x | context), has a Dirichlet posterior with n(context, x) + a P(x | level above). Both a
and the level above are drawn (`chains`); every draw of them gives one Dirichlet distribution of the table.

This is the hierarchical prior of `hierarchical` without its point estimate: that one picks the single most
useful concentration for prediction and leans further than what a fair interval allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pgm_nb.arrays import Flags, Floats, Places, rebuilt
from pgm_nb.certainty.chains import CHAINS, run_chains
from pgm_nb.engine.beliefs import log_likelihoods
from pgm_nb.engine.sums import terms as attribute_terms
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.families import Families, all_mothers

__all__ = [
    "CLASS_ROWS",
    "LEAST",
    "TableDraws",
    "TablePosterior",
    "bounds",
    "drawn_scores",
    "drawn_terms",
    "in_play",
    "possible_states",
    "supposed",
]

MOST = 1 << 21  # cells that the posteriors of one table may hold
LEAST = 1e-300  # keeps the log of a share that is drawn as zero finite
CLASS_ROWS = 1.0  # imaginary rows that every class gets


@dataclass(frozen=True, eq=False)
class TablePosterior:
    """The posterior of the tables of a forest, given its counts.

    Examples
    --------
    >>> counts = Families(np.array([20, 80]), (0,), (-1,), (np.array([[20, 0], [4, 76]]),))
    >>> TablePosterior(counts).rows[0].shape[1:]
    (2, 2)
    """

    families: Families
    chains: int = CHAINS

    __reduce__ = rebuilt

    @cached_property
    def rows(self) -> tuple[Floats, ...]:
        """Real and imaginary rows of every table under some priors, all as probable, (priors, k, ..., v)."""
        found = run_chains(self.families.tables, np.random.default_rng(0), chains=self.chains)
        return tuple(chains.rows(MOST) for chains in found)


MOST_NUMBERS = 1 << 19  # that the draws of a table may take to be kept: 4 MB
ALL_NUMBERS = 1 << 23  # of all tables together: 64 MB
ENOUGH = 1 << 14  # numbers that are drawn of a table: what is summed over many cells needs fewer draws
AT_MOST = 4  # times is a draw of a table used


def supposed(point: Floats, n: int) -> Flags:
    """Say of which class every draw takes the case to be, (n, k): as often as the class is probable.

    Examples
    --------
    >>> supposed(np.array([0.8, 0.2]), 10).sum(axis=0)
    array([8, 2])
    """
    ends = np.rint(n * np.cumsum(point)).astype(np.intp)
    ends[-1] = n
    label = np.repeat(np.arange(len(point)), np.diff(ends, prepend=0))
    found: Flags = np.random.default_rng(n).permutation(label)[:, None] == np.arange(len(point))
    return found


@dataclass(frozen=True, eq=False)
class TableDraws:
    """So many draws of the tables; of large tables fewer, each of which is used several times.

    Examples
    --------
    >>> from pgm_nb.tables.families import Families
    >>> counts = Families(np.array([20, 80]), (0,), (-1,), (np.array([[20, 0], [4, 76]]),))
    >>> draws = TableDraws(TablePosterior(counts), 1000)
    >>> draws.shares(0, np.array([0])).shape  # one state is possible
    (1000, 2, 1)
    """

    posterior: TablePosterior
    n: int
    seed: int = 0
    _kept: dict[int, tuple[Floats, Floats]] = field(default_factory=dict, init=False, repr=False)

    __reduce__ = rebuilt

    @cached_property
    def _class_rows(self) -> Floats:
        y = self.posterior.families.y
        found: Floats = self._chance(len(self.posterior.families.tables)).standard_gamma(
            y + CLASS_ROWS, size=(self.n, len(y))
        )
        return found + LEAST

    def log_prior(self, seen: Flags | None = None) -> Floats:
        """Log shares of the classes, (n, k); with the class of the case, if one is supposed."""
        rows = self._class_rows
        if seen is not None:
            rows = rows + self._one_more(len(self.posterior.families.tables), seen)
        found: Floats = np.log(rows / rows.sum(axis=1, keepdims=True))
        return found

    @cached_property
    def _keeps(self) -> tuple[bool, ...]:
        """Which tables are kept: the same whatever was asked before."""
        sizes = self.n * np.array([table.size for table in self.posterior.families.tables])
        fits = sizes <= MOST_NUMBERS
        found: list[bool] = (fits & (np.cumsum(sizes * fits) <= ALL_NUMBERS)).tolist()
        return tuple(found)

    def shares(self, i: int, own: Places, above: Sequence[Places] = (), seen: Flags | None = None) -> Floats:
        """Return probabilities of some states of an attribute, (n, k, v), (n, k, v_mother, v) and so on.

        Parameters
        ----------
        i : int
            The place of the attribute in the families.
        own : array of int
            Its states.
        above : sequence of array of int
            The states of its mothers.
        seen : array (n, k), optional
            Of which class each draw takes the case to be. It counts where its cell of the table is known.
        """
        if self._keeps[i] and (len(own) > 1 or not above):
            if i not in self._kept:
                self._kept[i] = self._drawn(i, self.posterior.rows[i])
            drawn, total = self._kept[i]
            drawn, total = _taken(drawn, (*above, own)), _taken(total, above)
        else:
            drawn, total = self._some(i, own, above)
        if seen is None or drawn[0, 0].size > 1:
            return drawn
        more = self._one_more(i, seen).reshape(drawn.shape)
        total = total.reshape(drawn.shape)
        found: Floats = (drawn * total + more) / (total + more)
        return found

    def factors(self, possible: Sequence[Places | None], seen: Flags | None = None) -> Factors:
        """Return log tables, cut down to the states that are possible.

        Every draw of every class is a class of its own: first all draws of the first class. The columns are
        places in the list of those attributes that play a part.

        Parameters
        ----------
        possible : sequence of array of int or None
            For each attribute of the families the states that the evidence leaves possible; None for one that
            plays no part, whose children must play none either.
        seen : array (n, k), optional
            Of which class each draw takes the case to be.
        """
        families = self.posterior.families
        states = {i: found for i, found in enumerate(possible) if found is not None}
        place = {i: at for at, i in enumerate(states)}
        tables = []
        for i, own in states.items():
            drawn = self.shares(i, own, [states[m] for m in families.given[i]], seen)
            logs = np.log(np.moveaxis(drawn, 0, 1) + LEAST)
            tables.append(logs.reshape(-1, *drawn.shape[2:]))
        mothers = tuple(place[families.mothers[i]] if families.mothers[i] >= 0 else -1 for i in states)
        more = families.others and tuple(tuple(place[m] for m in families.others[i]) for i in states)
        return Factors(
            self.log_prior(seen).T.ravel(),
            tuple(range(len(states))),
            mothers,
            tuple(tables),
            more if any(more) else (),
        )

    def _some(self, i: int, own: Places, above: Sequence[Places]) -> tuple[Floats, Floats]:
        """Draw some entries of a large table; all other states are one."""
        rows = _taken(self.posterior.rows[i], above)
        if len(own) < rows.shape[-1]:
            some = rows[..., own]
            rest = rows.sum(axis=-1, keepdims=True) - some.sum(axis=-1, keepdims=True)
            rows = np.concatenate([some, rest], axis=-1)
        drawn, total = self._drawn(i, rows)
        return drawn[..., : len(own)], total

    def _drawn(self, i: int, rows: Floats) -> tuple[Floats, Floats]:
        """Draw from Dirichlet distributions, (priors, k, ..., v) -> (n, k, ..., v), and their totals."""
        rng, n = self._chance(i), max(self.n // AT_MOST, min(self.n, ENOUGH // rows[0].size))
        pick = rng.permutation(np.arange(n) % len(rows))
        drawn = rng.standard_gamma(rows[pick])
        drawn += LEAST
        total = drawn.sum(axis=-1)
        drawn /= total[..., None]
        if n < self.n:  # some of them several times
            again = rng.permutation(np.arange(self.n) % n)
            return drawn[again], total[again]
        return drawn, total

    def _one_more(self, i: int, seen: Flags) -> Floats:
        """Return the rows that the case adds, (n, k)."""
        found: Floats = seen * np.random.default_rng([self.seed, i, 1]).standard_exponential((self.n, 1))
        return found

    def _chance(self, i: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, i])


def _taken(table: Floats, states: Sequence[Places]) -> Floats:
    """Return the entries of some states, (n, k, ...); the first of them has the third axis, and so on."""
    for axis, some in enumerate(states, start=2):
        if len(some) < table.shape[axis]:
            table = table.take(some, axis=axis)
    return table


Others = Sequence[Sequence[int]]


def in_play(mothers: Sequence[int], known: Sequence[bool], others: Others = ()) -> list[bool]:
    """Say which attributes bear on the class: what is known, and what stands above it.

    Examples
    --------
    >>> in_play([-1, 0, 0], [False, True, False])
    [True, True, False]
    """
    found, given = list(known), all_mothers(mothers, others)
    for place in reversed(range(len(found))):
        if found[place]:
            for mother in given[place]:
                found[mother] = True
    return found


def drawn_scores(
    draws: TableDraws, weights: Sequence[Floats | None], seen: Flags | None = None
) -> tuple[Floats, Floats]:
    """Return log P(y) and log P(evidence | y) under drawn tables, each (k, n).

    Parameters
    ----------
    draws : TableDraws
        Draws of the tables.
    weights : sequence of array (v,) or None
        The likelihood of every state of each attribute; None: nothing is known of it.
    seen : array (n, k), optional
        Of which class each draw takes the case to be, from `supposed`.
    """
    possible = possible_states(draws.posterior, weights)
    drawn = draws.factors(possible, seen)
    k, n = len(draws.posterior.families.y), draws.n
    evidence = [
        np.log(np.ones(len(states)) if weight is None else weight[states])
        for weight, states in zip(weights, possible, strict=True)
        if states is not None
    ]
    flat = np.concatenate(evidence)[:, None] if evidence else np.zeros((0, 1))
    total: Floats = log_likelihoods(drawn, flat)[0] - drawn.log_prior
    return drawn.log_prior.reshape(k, n), total.reshape(k, n)


def drawn_terms(
    draws: TableDraws, states: Sequence[int | None], seen: Flags | None = None
) -> tuple[Floats, Floats]:
    """Return log P(y), (k, n), and what each attribute adds under drawn tables, (s, k, n).

    Parameters
    ----------
    draws : TableDraws
        Draws of the tables.
    states : sequence of int or None
        The state of every attribute; None if it is unknown.
    seen : array (n, k), optional
        Of which class each draw takes the case to be, from `supposed`.
    """
    families = draws.posterior.families
    cards, k = families.cards, len(families.y)
    single = [None if s is None else np.eye(v)[s] for s, v in zip(states, cards, strict=True)]
    possible = possible_states(draws.posterior, single)
    terms = np.zeros((len(cards), k, draws.n))
    used = [i for i, found in enumerate(possible) if found is not None]
    if used:
        codes = [0 if states[i] is not None else cards[i] for i in used]
        found = attribute_terms(draws.factors(possible, seen), np.array(codes, dtype=np.uint16)[:, None])
        terms[used] = found[0].reshape(len(used), k, draws.n)
    return draws.log_prior(seen).T, terms


def bounds(scores: Floats, point: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the lower and upper end of every class's credible interval, (k,) each.

    The ends are quantiles of the draws; the probability that is stated always lies between them.

    Parameters
    ----------
    scores : array (k, n)
        Log scores of the classes under every draw.
    point : array (k,)
        The probabilities that are stated.
    level : float
        The share of the draws between the ends, such as 0.9.

    Examples
    --------
    >>> scores = np.log([[0.2, 0.3, 0.4], [0.8, 0.7, 0.6]])
    >>> low, high = bounds(scores, np.array([0.3, 0.7]), 0.5)
    >>> low.round(2), high.round(2)
    (array([0.2, 0.6]), array([0.4, 0.8]))
    """
    shares = np.exp(scores - scores.max(axis=0))
    shares /= shares.sum(axis=0)
    ends = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(shares, ends, axis=1, method="weibull")  # a further draw lies between as often
    return np.minimum(low, point), np.maximum(high, point)


def possible_states(posterior: TablePosterior, weights: Sequence[Floats | None]) -> list[Places | None]:
    """Return the states that the evidence leaves possible, where an attribute bears on the class."""
    families = posterior.families
    play = in_play(families.mothers, [weight is not None for weight in weights], families.others)
    return [
        None if not here else np.arange(v) if weight is None else np.flatnonzero(weight)
        for here, weight, v in zip(play, weights, families.cards, strict=True)
    ]
