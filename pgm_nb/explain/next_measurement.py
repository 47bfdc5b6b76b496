"""What to measure next: unknown attributes, alone or in groups, by what they should say per price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pgm_nb.allowed import NOT_NEGATIVE
from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.data import Column
from pgm_nb.errors import QueryError
from pgm_nb.explain.protocols import Value
from pgm_nb.words import SAME_BITS, did_you_mean, listed

__all__ = [
    "BITS",
    "SAVED",
    "Groups",
    "Look",
    "Measure",
    "Prices",
    "Prospects",
    "Purchase",
    "Rule",
    "expected_values",
    "read_rule",
]

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


BITS, SAVED = "information", "saved"  # columns of the answer: bits, or expected cost saved
MOST_ROWS = 1 << 16  # combinations of states looked at for pairs; beyond, what says least alone is left out
Prices = Mapping[str, float] | float | None
Groups = Mapping[str, Iterable[str]] | Iterable[Iterable[str]] | None


@dataclass(frozen=True)
class Purchase:
    """Attributes that are measured together for one price."""

    name: str
    attributes: tuple[str, ...]
    price: float


@dataclass(frozen=True, eq=False)
class Rule:
    """How what to measure next is chosen.

    Attributes
    ----------
    purchases : tuple of Purchase
        What can be measured.
    priced : bool
        Whether prices were given; else everything costs 1.
    costs : array (k, k) or None
        Cost of deciding a class (across) where another is true (down); None: information counts.
    least : float
        What a measurement must be good for, per price, to be worth it.
    ahead : int
        1: every measurement by itself. 2: also what two of them say together.
    """

    purchases: tuple[Purchase, ...]
    priced: bool = False
    costs: Floats | None = None
    least: float = 0.0
    ahead: int = 1

    def paid(self, purchase: Purchase) -> Rule:
        """Return the rule once something was paid for: its attributes can be read one by one, for nothing."""
        if len(purchase.attributes) == 1:
            return self
        free = tuple(Purchase(name, (name,), 0.0) for name in purchase.attributes)
        rest = tuple(other for other in self.purchases if other is not purchase)
        return Rule((*free, *rest), self.priced, self.costs, self.least, self.ahead)

    def open(self, prospects: Prospects, known: Codes) -> list[tuple[Purchase, tuple[int, ...]]]:
        """Return what can still be measured, and the places of its attributes that are not known."""
        place = {column.name: i for i, column in enumerate(prospects.columns)}
        unknown = known >= prospects.cards
        found = []
        for purchase in self.purchases:
            places = tuple(place[n] for n in purchase.attributes if n in place and unknown[place[n]])
            if places:
                found.append((purchase, places))
        return found

    def rank(self, prospects: Prospects, known: Codes | None = None) -> pd.DataFrame:
        """Rank what can still be measured; `known` are codes beyond the case itself, (u,)."""
        return self.rank_all(prospects, [(self, prospects.nothing if known is None else known)])[0]

    @staticmethod
    def rank_all(prospects: Prospects, cases: Sequence[tuple[Rule, Codes]]) -> list[pd.DataFrame]:
        """Rank for many cases at once, each with its own rule (which differ in their purchases only)."""
        opened = [rule.open(prospects, known) for rule, known in cases]
        asked = [(known, p) for (_, known), o in zip(cases, opened, strict=True) for _, p in o]
        costs = cases[0][0].costs if cases else None
        values = expected_values(prospects.outcomes(asked), costs)
        ends = np.cumsum([len(o) for o in opened])[:-1]
        return [
            rule._table(prospects, known, o, alone)
            for (rule, known), o, alone in zip(cases, opened, np.split(values, ends), strict=True)
        ]

    def _table(
        self,
        prospects: Prospects,
        known: Codes,
        opened: Sequence[tuple[Purchase, tuple[int, ...]]],
        alone: Floats,
    ) -> pd.DataFrame:
        prices = np.array([purchase.price for purchase, _ in opened])
        names = [purchase.name for purchase, _ in opened]
        rates = _rates(alone, prices)
        best = rates.copy()
        table = pd.DataFrame({"attribute": pd.Series(names, dtype=object), self.measured: alone})
        if self.priced:
            table["price"], table["per price"] = prices, rates
        if self.ahead > 1:
            partners, together = self._ahead(prospects, known, opened, alone, rates, best)
            table["with"] = pd.Series([None if j < 0 else names[j] for j in partners], dtype=object)
            table["together"] = together
        if self.priced:
            table["worth"] = best > self.least
        order = np.lexsort((np.arange(len(alone)), -alone, -best))
        return table.iloc[order].reset_index(drop=True)

    @property
    def measured(self) -> str:
        """Name of the column of what a measurement is good for."""
        return BITS if self.costs is None else SAVED

    def _ahead(
        self,
        prospects: Prospects,
        known: Codes,
        opened: Sequence[tuple[Purchase, tuple[int, ...]]],
        alone: Floats,
        rates: Floats,
        best: Floats,
    ) -> tuple[list[int], Floats]:
        """Find for each measurement the partner with which it is good for more per price than either alone.

        Changes `best` to the larger of its own rate and that of the pair.
        """
        sizes = [float(np.prod(prospects.cards[list(places)], dtype=float)) for _, places in opened]
        pairs, rows = [], 0.0
        tried = np.argsort(-rates, kind="stable")
        for later in range(1, len(tried)):  # those that say more alone first
            for earlier in range(later):
                i, j = sorted((int(tried[earlier]), int(tried[later])))
                rows += sizes[i] * sizes[j]
                pairs.append((i, j))
            if rows > MOST_ROWS:
                break
        asked = [(known, (*opened[i][1], *opened[j][1])) for i, j in pairs]
        values = expected_values(prospects.outcomes(asked), self.costs)
        partners, together = [-1] * len(opened), np.full(len(opened), np.nan)
        for (i, j), value in zip(pairs, values, strict=True):
            rate = float(_rates(np.array([value]), np.array([opened[i][0].price + opened[j][0].price]))[0])
            if rate > max(rates[i], rates[j]) + SAME_BITS:
                for one, other in ((i, j), (j, i)):
                    if rate > best[one]:
                        best[one], partners[one], together[one] = rate, other, value
        return partners, together


def _rates(values: Floats, prices: Floats) -> Floats:
    """Return values per price; what is free and good for something has no bound."""
    free = np.where(values > SAME_BITS, np.inf, 0.0)
    return np.divide(values, prices, out=free, where=prices > 0)


def read_rule(
    attributes: Sequence[str],
    *,
    cost: Prices = None,
    groups: Groups = None,
    costs: Floats | None = None,
    least: Any = None,
    ahead: int = 1,
) -> Rule:
    """Read prices, groups and the rest as people give them.

    Examples
    --------
    >>> rule = read_rule(["age", "sugar", "fat"], cost={"blood": 20}, groups={"blood": ["sugar", "fat"]})
    >>> [(purchase.name, purchase.price) for purchase in rule.purchases]
    [('age', 1.0), ('blood', 20.0)]
    """
    if ahead not in (1, 2):
        raise QueryError(f"ahead must be 1 or 2 (look at pairs of measurements, too), but is {ahead!r}")
    named = _groups(attributes, groups)
    grouped = {name for members in named.values() for name in members}
    alone = {name: (name,) for name in attributes if name not in grouped}
    prices = _prices(cost, {**alone, **named}, attributes)
    order = [n for n in attributes if n in alone]
    purchases = [Purchase(n, alone[n], prices[n]) for n in order]
    purchases += [Purchase(n, members, prices[n]) for n, members in named.items()]
    if least is None:
        least = 0.0 if costs is None else 1.0
    return Rule(
        tuple(purchases), cost is not None, costs, NOT_NEGATIVE.check("least", least, QueryError), int(ahead)
    )


def _groups(attributes: Sequence[str], groups: Groups) -> dict[str, tuple[str, ...]]:
    if groups is None:
        return {}
    if isinstance(groups, Mapping):
        named = {str(name): _members(members) for name, members in groups.items()}
    else:
        listed_groups = [_members(members) for members in groups]
        named = {" + ".join(members): members for members in listed_groups}
    seen: dict[str, str] = {}
    for group, members in named.items():
        if group in attributes and members != (group,):
            raise QueryError(f"the group {group!r} has the name of an attribute; give it another name")
        if not members:
            raise QueryError(f"the group {group!r} has no attributes; name at least one")
        for name in members:
            if name not in attributes:
                raise QueryError(
                    f"the group {group!r} has {name!r}, which is no attribute of this model"
                    f"{did_you_mean(name, attributes)}"
                )
            if name in seen:
                where = "twice in" if seen[name] == group else f"in {seen[name]!r} and in"
                raise QueryError(f"{name!r} is {where} the group {group!r}; put it into one, once")
            seen[name] = group
    return named


def _members(members: Any) -> tuple[str, ...]:
    if isinstance(members, str):
        raise QueryError(f"a group is a list of attributes, but is the text {members!r}; write [{members!r}]")
    return tuple(str(name) for name in members)


def _prices(cost: Prices, sold: Mapping[str, tuple[str, ...]], attributes: Sequence[str]) -> dict[str, float]:
    """Return the price of everything sold: under its own name, or that of its attributes; else 1."""
    if cost is None or not isinstance(cost, Mapping):
        each = 1.0 if cost is None else _price("everything", cost)
        return dict.fromkeys(sold, each)
    known = [*attributes, *sold]
    for name in cost:
        if name not in known:
            raise QueryError(
                f"cost has a price for {name!r}, which is neither an attribute of this model nor a group "
                f"(there are {listed(attributes)}){did_you_mean(str(name), known)}"
            )
    given = {str(name): _price(name, price) for name, price in cost.items()}
    prices = {}
    for name, members in sold.items():
        found = {given[member] for member in members if member in given}
        if name not in given and len(found) > 1:
            raise QueryError(
                f"{listed(members)} are measured together for one price, but have different ones; give one "
                f"price under {name!r}"
            )
        prices[name] = given.get(name, found.pop() if found else 1.0)
    return prices


def _price(name: Any, price: Any) -> float:
    found: float = NOT_NEGATIVE.check(f"the price of {name!r}", price, QueryError)
    return found
