"""What is not known of a case yet: the states it may turn out to have, and the class each would mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.data import Column
from pgm_nb.explain.protocols import Value

__all__ = ["Look", "Measure", "Prospects", "expected_values"]

AT_ONCE = 1 << 14  # cases looked at together
MOST_COMBINATIONS = 1 << 14  # of states of attributes measured together; more are drawn at random
DRAWS = 4096

Look = Callable[[Codes], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class Measure:
    """An attribute as something to measure: its states, and what a row holds in each of them.

    Examples
    --------
    >>> age = Column("age", "numeric", ("≤ 40", "> 40"), cuts=(40.0,))
    >>> Measure(age, (31.0, 64.0)).column.name
    'age'
    """

    column: Column
    typical: tuple[
        Value, ...
    ] = ()  #: a value of each state; empty for a model that sees the states themselves
    log_widths: Floats | None = None  #: turn the density at a value into the chance of its state; None: 1


@dataclass(frozen=True, eq=False)
class Prospects:
    """One case of which some attributes are not known yet.

    Attributes
    ----------
    columns : tuple of Column
        The attributes that are not known.
    look : callable
        Codes of these attributes, (u, n), where a code equal to the number of states means unknown ->
        log of how likely these states are, (n,), up to one constant, and the posterior of the class, (n, k).

    Examples
    --------
    >>> coin = Column("coin", "categorical", ("heads", "tails"))
    >>> def look(codes):
    ...     return np.zeros(codes.shape[1]), np.where(codes.T == 0, [[0.9, 0.1]], [[0.1, 0.9]])
    >>> case = Prospects((coin,), look)
    >>> chances, posteriors = case.outcomes([(case.nothing, (0,))])[0]
    >>> chances, posteriors
    (array([0.5, 0.5]), array([[0.9, 0.1],
           [0.1, 0.9]]))
    """

    columns: tuple[Column, ...]
    look: Look
    _alone: dict[int, tuple[Floats, Floats]] = field(default_factory=dict, init=False, repr=False)

    @property
    def cards(self) -> Places:
        """Number of states of each attribute."""
        return np.array([column.card for column in self.columns], dtype=np.intp)

    @property
    def nothing(self) -> Codes:
        """The case as it is: every attribute unknown, (u,)."""
        return self.cards.astype(np.uint16)

    @property
    def posterior(self) -> Floats:
        """The posterior of the class as it is, (k,)."""
        posterior: Floats = self.look(self.nothing[:, None])[1][0]
        return posterior

    def outcomes(self, asked: Sequence[tuple[Codes, tuple[int, ...]]]) -> list[tuple[Floats, Floats]]:
        """Return what may come of measuring some attributes, for many questions at once.

        Parameters
        ----------
        asked : sequence of (codes, places)
            What is known beyond the case itself, (u,), and the attributes to measure.

        Returns
        -------
        list of (array (m,), array (m, k))
            The chance of every combination of their states, the last attribute's first, and the posterior of
            the class with it. Where there are more than `MOST_COMBINATIONS`, as many as `DRAWS` drawn with a
            fixed seed stand for them.
        """
        nothing = self.nothing
        alone = [
            places[0] if len(places) == 1 and np.array_equal(known, nothing) else -1
            for known, places in asked
        ]  # asked again and again: how likely every state is, and what it would say
        found = [self._alone.get(place) for place in alone]
        waiting: list[tuple[int, Codes]] = []
        size = 0
        for number, (known, places) in enumerate(asked):
            if found[number] is not None:
                continue
            shape = tuple(self.columns[place].card for place in places)
            if np.prod(shape, dtype=float) > MOST_COMBINATIONS:
                found[number] = self._drawn(known, places)
                continue
            waiting.append((number, self._combinations(known, places, shape)))
            size += waiting[-1][1].shape[1]
            if size >= AT_ONCE:
                self._settle(waiting, found)
                waiting, size = [], 0
        self._settle(waiting, found)
        answers = [each for each in found if each is not None]
        self._alone.update((place, each) for place, each in zip(alone, answers, strict=True) if place >= 0)
        return answers

    def _combinations(self, known: Codes, places: tuple[int, ...], shape: tuple[int, ...]) -> Codes:
        """Return the case once for every combination of states, (u, m)."""
        grid = np.indices(shape).reshape(len(shape), -1)
        codes = np.repeat(known[:, None], grid.shape[1], axis=1)
        codes[list(places)] = grid
        return codes

    def _settle(
        self, waiting: Sequence[tuple[int, Codes]], found: list[tuple[Floats, Floats] | None]
    ) -> None:
        if not waiting:
            return
        logs, posteriors = self.look(np.concatenate([codes for _, codes in waiting], axis=1))
        start = 0
        for number, codes in waiting:
            part = slice(start, start + codes.shape[1])
            found[number] = (_shares(logs[part]), posteriors[part])
            start = part.stop

    def _drawn(self, known: Codes, places: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Draw combinations of states one attribute after the other."""
        rng = np.random.default_rng(0)
        codes = np.repeat(known[:, None], DRAWS, axis=1)
        for place in places:
            card = self.columns[place].card
            tried = np.repeat(codes, card, axis=1)
            tried[place] = np.tile(np.arange(card), DRAWS)
            parts = [self.look(tried[:, i : i + AT_ONCE]) for i in range(0, tried.shape[1], AT_ONCE)]
            logs = np.concatenate([part for part, _ in parts]).reshape(DRAWS, card)
            posteriors = np.concatenate([part for _, part in parts]).reshape(DRAWS, card, -1)
            bounds = np.cumsum(_shares(logs), axis=1)
            state = np.minimum((bounds <= rng.random(DRAWS)[:, None]).sum(axis=1), card - 1)
            codes[place] = state
        return np.full(DRAWS, 1 / DRAWS), posteriors[np.arange(DRAWS), state]


def _shares(logs: Floats) -> Floats:
    """Scale along the last axis to sum one; all alike where nothing is possible."""
    top = logs.max(axis=-1, keepdims=True)
    weights = np.where(np.isneginf(top), 1.0, np.exp(logs - np.where(np.isneginf(top), 0.0, top)))
    shares: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return shares


def expected_values(outcomes: Sequence[tuple[Floats, Floats]], costs: Floats | None = None) -> Floats:
    """Return what each measurement is expected to be good for.

    Without costs the information about the class, I(Y;X) in bits: the entropy of the class before, less its
    mean after. With costs, (k, k) of deciding a class (across) where another is true (down): the least
    expected cost of a decision before, less its mean after. "Before" is the mean of the posteriors, so
    neither is ever negative.

    Examples
    --------
    >>> outcome = (np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> expected_values([outcome])
    array([1.])
    >>> expected_values([outcome], costs=np.array([[0.0, 10.0], [1.0, 0.0]]))
    array([0.5])
    """
    if not outcomes:
        return np.zeros(0)
    sizes = [len(chances) for chances, _ in outcomes]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
    chances = np.concatenate([part for part, _ in outcomes])
    posteriors = np.concatenate([part for _, part in outcomes])
    before = np.add.reduceat(chances[:, None] * posteriors, starts, axis=0)
    if costs is None:
        loss_before, loss_after = _entropy(before), _entropy(posteriors)
    else:
        loss_before, loss_after = (before @ costs).min(axis=1), (posteriors @ costs).min(axis=1)
    gain: Floats = np.maximum(loss_before - np.add.reduceat(chances * loss_after, starts), 0.0)
    return gain


def _entropy(posteriors: Floats) -> Floats:
    """Entropy in bits along the last axis."""
    logs = np.log2(posteriors, out=np.zeros_like(posteriors), where=posteriors > 0)
    entropy: Floats = -(posteriors * logs).sum(axis=-1)
    return entropy
