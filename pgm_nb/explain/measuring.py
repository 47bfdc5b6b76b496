"""What to measure next: unknown attributes, alone or in groups, by what they say per price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from pgm_nb.arrays import Codes, Floats
from pgm_nb.errors import QueryError
from pgm_nb.explain.prospects import Prospects, expected_values
from pgm_nb.words import SAME_BITS, did_you_mean, listed

__all__ = ["BITS", "SAVED", "Groups", "Prices", "Purchase", "Rule", "read_rule"]

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
    elif isinstance(least, bool) or not isinstance(least, Real) or not 0 <= float(least) < np.inf:
        raise QueryError(f"least must be a number of at least 0, but is {least!r}")
    return Rule(tuple(purchases), cost is not None, costs, float(least), int(ahead))


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
    if isinstance(price, bool) or not isinstance(price, Real) or not 0 <= float(price) < np.inf:
        raise QueryError(f"the price of {name!r} must be a number of at least 0, but is {price!r}")
    return float(price)
