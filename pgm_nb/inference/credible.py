"""From drawn tables to how sure the posterior of the class is: scores of one case under every draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgm_nb.arrays import Flags, Floats, Places
from pgm_nb.inference.clique_beliefs import calibrate_cliques
from pgm_nb.inference.factors import Factors
from pgm_nb.inference.families import all_mothers
from pgm_nb.inference.table_draws import TableDraws
from pgm_nb.inference.table_posterior import LEAST, TablePosterior
from pgm_nb.inference.terms import forest_terms

Others = Sequence[Sequence[int]]

__all__ = ["bounds", "drawn_scores", "drawn_terms", "in_play", "possible_states"]


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
    used = [i for i, states in enumerate(possible) if states is not None]
    k, n = len(draws.posterior.families.y), draws.n
    if drawn.others:
        total = _clique_scores(drawn, [weights[i] for i in used], [possible[i] for i in used])
        return drawn.log_prior.reshape(k, n), total.reshape(k, n)
    arrived: dict[int, Floats] = {}
    total = np.zeros(len(drawn.log_prior))
    for place in reversed(range(len(used))):
        table, mother, weight = drawn.tables[place], drawn.mothers[place], weights[used[place]]
        states = possible[used[place]]
        logs = arrived.pop(place, np.zeros((len(total), table.shape[-1])))
        if weight is not None and states is not None:
            logs = logs + np.log(weight[states])
        message = _log_sum(table + (logs if mother < 0 else logs[:, None, :]))
        if mother < 0:
            total += message
        else:
            arrived[mother] = arrived[mother] + message if mother in arrived else message
    return drawn.log_prior.reshape(k, n), total.reshape(k, n)


def _clique_scores(
    drawn: Factors, weights: Sequence[Floats | None], possible: Sequence[Places | None]
) -> Floats:
    """Return log P(evidence | y) of tables with several mothers, (k,)."""
    evidence = [
        np.zeros((1, table.shape[-1])) if weight is None else np.log(weight[states])[None]
        for table, weight, states in zip(drawn.tables, weights, possible, strict=True)
    ]
    found = calibrate_cliques(drawn, evidence, drawn.log_prior[:, None]).log_class[:, 0]
    total: Floats = found - drawn.log_prior
    return total


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
    if families.others:
        used = [i for i, found in enumerate(possible) if found is not None]
        codes = [0 if states[i] is not None else cards[i] for i in used]
        if used:
            found = forest_terms(draws.factors(possible, seen), np.array(codes, dtype=np.uint16)[:, None])
            terms[used] = found[0].reshape(len(used), k, draws.n)
    else:
        _Revealed(draws, states, possible, terms, seen).fill()
    return draws.log_prior(seen).T, terms


class _Revealed:
    """One case whose values are revealed one by one, under every draw, as in `terms`.

    `arrived` holds what the children of an unknown attribute say about its states, (n, k, v), and `sent` what
    it has passed on to its mother, (n, k, v_mother), or to the class, (n, k). An unknown attribute alone says
    nothing: its drawn probabilities add up to one.
    """

    def __init__(
        self,
        draws: TableDraws,
        states: Sequence[int | None],
        possible: Sequence[Places | None],
        terms: Floats,
        seen: Flags | None,
    ) -> None:
        self.seen = seen
        self.mothers, self.draws, self.states, self.terms = (
            draws.posterior.families.mothers,
            draws,
            states,
            terms,
        )
        self.possible = possible
        self.tables: dict[int, Floats] = {}
        self.arrived: dict[int, Floats] = {}
        self.sent: dict[int, Floats | float] = {}

    def fill(self) -> None:
        """Write what each attribute adds; an unknown one adds nothing."""
        for i, own in enumerate(self.possible):
            if own is None:
                continue
            mother = self.mothers[i]
            above = [] if mother < 0 else [self.possible[mother]]
            table = self.draws.shares(i, own, [states for states in above if states is not None], self.seen)
            if self.states[i] is None:
                self.tables[i] = table
                self.arrived[i] = np.zeros((*table.shape[:2], table.shape[-1]))
                self.sent[i] = 0.0
            else:
                self.terms[i] = self._carried(i, np.log(table[..., 0] + LEAST)).T

    def _carried(self, i: int, new: Floats) -> Floats:
        """Carry a message up to the first known attribute, or the class, and return its change, (n, k)."""
        old: Floats | float = 0.0
        while (mother := self.mothers[i]) >= 0:
            if self.states[mother] is not None:
                return (new - old)[:, :, 0]  # her other states were never drawn
            self.arrived[mother] += new - old
            old = self.sent[mother]
            new = self.sent[mother] = self._summed_out(mother)
            i = mother
        change: Floats = new - old
        return change

    def _summed_out(self, i: int) -> Floats:
        """Log of sum_x P(x|mother,y) exp(arrived(y,x))."""
        arrived, table = self.arrived[i], self.tables[i]
        top = arrived.max(axis=-1, keepdims=True)
        shares = np.exp(arrived - top)
        message: Floats = np.log(np.einsum("nk...v,nkv->nk...", table, shares) + LEAST)
        message += top if table.ndim == 4 else top[..., 0]
        return message


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


def _log_sum(logs: Floats) -> Floats:
    """Log of the sum of exponentials over the last axis."""
    top = logs.max(axis=-1, keepdims=True)
    total: Floats = np.log(np.exp(logs - top).sum(axis=-1)) + top[..., 0]
    return total
