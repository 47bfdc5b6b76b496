"""The stations of a question tree: grown question by question, then made small enough to read."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import Codes, Floats
from pgm_nb.data import Column
from pgm_nb.data.labels import interval_labels
from pgm_nb.explain.next_measurement import Prospects, Purchase, Rule
from pgm_nb.words import SAME_BITS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Branch", "Limits", "Station", "branch_labels", "grow", "simplified", "walk"]

MOST_NAMED = 4  # states named on one branch; more are "any other"


@dataclass(frozen=True)
class Limits:
    """When no more is asked.

    Attributes
    ----------
    questions : int
        The most questions on any way through the tree.
    sure : float
        A class of this probability needs no more questions; above 1 for never.
    rare : float
        Where a smaller share of the cases arrives, no more is asked.
    """

    questions: int = 3
    sure: float = 0.95
    rare: float = 0.02


@dataclass(frozen=True, eq=False)
class Station:
    """A place in the tree: a question, or the answer.

    Attributes
    ----------
    reach : float
        Share of the cases that come here.
    posterior : array (k,)
        Probability of every class here.
    decision : int
        Place of the class to decide for, if no more is asked.
    column : Column or None
        What is asked; None at an answer.
    purchase : Purchase or None
        What is paid for here; None where it was paid before.
    branches : tuple of Branch
        Where the possible values lead.
    """

    reach: float
    posterior: Floats
    decision: int
    column: Column | None = None
    purchase: Purchase | None = None
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, eq=False)
class Branch:
    """The states of a question that lead the same way."""

    states: tuple[int, ...]
    station: Station


@dataclass
class _Draft:
    """A station while the tree grows."""

    codes: Codes
    rule: Rule
    reach: float
    posterior: Floats
    place: int | None = None
    purchase: Purchase | None = None
    children: list[_Draft] = field(default_factory=list)


def grow(prospects: Prospects, rule: Rule, limits: Limits) -> Station:
    """Ask what `rule` ranks first, again and again; every state of an answer is a branch of its own."""
    start = _Draft(prospects.nothing, rule, 1.0, prospects.posterior)
    level = [start]
    for left in range(limits.questions, 0, -1):
        waiting = [d for d in level if d.posterior.max() < limits.sure and d.reach >= limits.rare]
        if not waiting:
            break
        ahead = min(rule.ahead, left)
        tables = Rule.rank_all(prospects, [(replace(d.rule, ahead=ahead), d.codes) for d in waiting])
        for draft, table in zip(waiting, tables, strict=True):
            if _worth(table, rule):
                _choose(draft, str(table["attribute"].iloc[0]), prospects)
        asked = [draft for draft in waiting if draft.place is not None]
        outcomes = prospects.outcomes([(d.codes, (d.place,)) for d in asked if d.place is not None])
        level = []
        for draft, (chances, posteriors) in zip(asked, outcomes, strict=True):
            for state, (chance, posterior) in enumerate(zip(chances.tolist(), posteriors, strict=True)):
                codes = draft.codes.copy()
                codes[draft.place] = state
                draft.children.append(_Draft(codes, draft.rule, draft.reach * chance, posterior))
            level += draft.children
    return _station(start, prospects, rule)


def _worth(table: pd.DataFrame, rule: Rule) -> bool:
    """Say whether the first of a ranking is worth asking."""
    if table.empty or rule.priced:
        return not table.empty and bool(table["worth"].iloc[0])
    gains = [column for column in (rule.measured, "together") if column in table]
    return bool(table[gains].iloc[0].max() > SAME_BITS)


def _choose(draft: _Draft, name: str, prospects: Prospects) -> None:
    """Ask what was chosen; of several attributes measured together, the one that says most first."""
    purchase = next(p for p in draft.rule.purchases if p.name == name)
    place = {column.name: i for i, column in enumerate(prospects.columns)}
    first = purchase.attributes[0]
    if len(purchase.attributes) > 1:
        draft.rule = draft.rule.paid(purchase)
        ranked = replace(draft.rule, ahead=1).rank(prospects, draft.codes)["attribute"]
        first = next(n for n in ranked if n in purchase.attributes)
    draft.place = place[first]
    draft.purchase = purchase if purchase.price > 0 else None


def _station(draft: _Draft, prospects: Prospects, rule: Rule) -> Station:
    branches = tuple(
        Branch((state,), _station(child, prospects, rule)) for state, child in enumerate(draft.children)
    )
    column = None if draft.place is None else prospects.columns[draft.place]
    decision = _decided(draft.posterior, rule.costs)
    return Station(draft.reach, draft.posterior, decision, column, draft.purchase, branches)


def _decided(posterior: Floats, costs: Floats | None) -> int:
    """Return the place of the most probable class, or of the one of least expected cost."""
    return int(posterior.argmax() if costs is None else (posterior @ costs).argmin())


def simplified(station: Station, costs: Floats | None = None) -> Station:
    """Join branches that lead to the same questions and the same answers.

    Of a column with an order only neighbours are joined. A question whose every answer leads the same way is
    left out. `costs` are those of the rule that the tree was grown by: what is decided where branches were
    joined follows from what is probable there.
    """
    if station.column is None:
        return station
    column = station.column
    branches = [Branch(b.states, simplified(b.station, costs)) for b in station.branches]
    groups: list[list[Branch]] = []
    for missing, members in groupby(
        branches, lambda b: column.missing_state and b.states[0] == column.card - 1
    ):
        ordered = column.kind in ("numeric", "ordered")
        for branch in members:
            key = _key(branch.station)
            near = groups[-1:] if ordered and not missing else groups
            same = next((g for g in near if _key(g[0].station) == key), None)
            if same is None:
                groups.append([branch])
            else:
                same.append(branch)
    if len(groups) == 1:
        return _joined([branch.station for branch in branches], costs)
    joined = tuple(
        Branch(tuple(s for b in group for s in b.states), _joined([b.station for b in group], costs))
        for group in groups
    )
    return replace(station, branches=joined)


def _key(station: Station) -> Hashable:
    if station.column is None:
        return station.decision
    return station.column.name, tuple((b.states, _key(b.station)) for b in station.branches)


def _joined(stations: Sequence[Station], costs: Floats | None) -> Station:
    """Return several stations of the same form as one."""
    reach = sum(station.reach for station in stations)
    shares = np.array([station.reach for station in stations])
    shares = shares / reach if reach > 0 else np.full(len(stations), 1 / len(stations))
    posterior = shares @ np.array([station.posterior for station in stations])
    branches = tuple(
        Branch(alike[0].states, _joined([branch.station for branch in alike], costs))
        for alike in zip(*(station.branches for station in stations), strict=True)
    )
    first = stations[0]  # answers that are joined decide alike; questions need not
    decision = first.decision if first.column is None else _decided(posterior, costs)
    return replace(first, reach=reach, posterior=posterior, decision=decision, branches=branches)


def branch_labels(column: Column, branches: Sequence[Branch]) -> tuple[str, ...]:
    """Name the branches of a question by the values that lead there.

    Examples
    --------
    >>> age = Column("age", "numeric", ("≤ 40", "(40, 60]", "> 60"), cuts=(40.0, 60.0))
    >>> end = Station(0.5, np.array([1.0]), 0)
    >>> branch_labels(age, (Branch((0, 1), end), Branch((2,), end)))
    ('≤ 60', '> 60')
    """
    missing = column.card - 1 if column.missing_state else None
    inside = [[state for state in branch.states if state != missing] for branch in branches]
    if column.cuts is not None:
        ends = sorted(max(states) for states in inside if states)[:-1]
        names = dict(
            zip(
                sorted(max(states) for states in inside if states),
                interval_labels([column.cuts[i] for i in ends]),
                strict=True,
            )
        )
        texts = [names[max(states)] if states else "" for states in inside]
    else:
        longest = max(range(len(inside)), key=lambda i: len(inside[i]))
        texts = [
            "any other"
            if place == longest and len(states) > MOST_NAMED
            else ", ".join(column.labels[state] for state in states)
            for place, states in enumerate(inside)
        ]
    return tuple(
        text if missing not in branch.states else f"{text} or missing" if text else "missing"
        for text, branch in zip(texts, branches, strict=True)
    )


def walk(station: Station, depth: int = 0) -> Iterator[tuple[Station, int]]:
    """Yield every station with the number of questions before it, each before those below it."""
    yield station, depth
    for branch in station.branches:
        yield from walk(branch.station, depth + 1)
