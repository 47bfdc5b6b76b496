"""What would have to change about a case for another class: the fewest changes of its known values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Places
from pgm_nb.data.labels import class_place
from pgm_nb.errors import QueryError
from pgm_nb.explain.asked_case import asked_case
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.protocols import Known
from pgm_nb.inference import Evidence
from pgm_nb.words import did_you_mean, listed, probability, together

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Change", "ChangeSet", "Changes", "what_changes"]

MOST_ROWS = 1 << 13  # cases that are tried for one number of changes


@dataclass(frozen=True)
class Change:
    """One attribute that takes another state."""

    attribute: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.attribute} from {self.before} to {self.after}"


@dataclass(frozen=True)
class ChangeSet:
    """Changes that together make the class the most probable one, and its probability then."""

    changes: tuple[Change, ...]
    probability: float


@dataclass(frozen=True, eq=False)
class Changes:
    """What would have to change for another class.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5)
    >>> case = pnb.CaseAnalysis.of(model.fit(X, y), X)
    >>> print(pnb.what_changes(case, {"petal width": 1.6, "sepal length": 6.0}, to="versicolor"))
    versicolor would have 95.5% with one change: petal width from (1.55, 1.95] to (1.15, 1.55]
    """

    to: str
    now: float  #: the probability of that class now
    is_already: bool  #: it is the most probable class now
    found: tuple[ChangeSet, ...]  #: the fewest changes, the best outcome first; may be empty
    is_exact: bool  #: every smaller number of changes was tried in full

    def to_frame(self) -> pd.DataFrame:
        """One row per change: number of the set, attribute, before, after, probability."""
        import pandas as pd

        rows = [
            (number, change.attribute, change.before, change.after, each.probability)
            for number, each in enumerate(self.found, 1)
            for change in each.changes
        ]
        return pd.DataFrame(rows, columns=["set", "attribute", "before", "after", "probability"])

    def __str__(self) -> str:
        if self.is_already:
            return f"{self.to} is the most probable class already ({probability(self.now)})"
        if not self.found:
            reach = "no change of these values" if self.is_exact else "none of the changes that were tried"
            return f"{reach} makes {self.to} the most probable class"
        first = self.found[0]
        number = len(first.changes)
        few = "one change" if number == 1 else f"{number} changes"
        honest = "" if self.is_exact else " (found step by step; fewer may do)"
        said = together([str(change) for change in first.changes])
        return f"{self.to} would have {probability(first.probability)} with {few}{honest}: {said}"


def what_changes(
    case: CaseAnalysis,
    known: Known,
    to: Any = None,
    *,
    changeable: Iterable[str] | None = None,
    most: int = 3,
    shown: int = 5,
    most_rows: int = MOST_ROWS,
) -> Changes:
    """Find the fewest changes of known values that make another class the most probable one.

    All combinations of one change are tried, then of two, up to `most`, as long as there are not too many
    (`most_rows`). Beyond that the best single change is made again and again, and changes that turn out not
    to be needed are taken back; then fewer may do, and `is_exact` is False.

    Parameters
    ----------
    case : CaseAnalysis
        A fitted model with its table.
    known : mapping
        What is known of the case.
    to : object, optional
        The class that is wanted; by default the most probable other one.
    changeable : iterable of str, optional
        Attributes that can change: a dose, not an age. By default all that have a known value.
    most : int
        Changes up to which all combinations are tried.
    shown : int
        Sets of changes that are returned.
    most_rows : int
        Combinations that are tried for one number of changes; fewer where a model is slow.
    """
    usable = asked_case(case, known, "A search for changes")
    now = case.posterior(usable).classes
    order = np.argsort(-now, kind="stable")
    target = int(order[1]) if to is None else class_place(to, case.classes)
    names = _changeable(case, usable, changeable)
    here = (case.classes[target], float(now[target]))
    if order[0] == target:
        return Changes(*here, is_already=True, found=(), is_exact=True)
    search = _Search(case, usable, target, names)
    for number in range(1, min(most, len(names)) + 1):
        if search.size(number) > most_rows:
            break
        found = search.all_of(number)
        if found:
            return Changes(*here, is_already=False, found=tuple(found[:shown]), is_exact=True)
    else:
        if most >= len(names):
            return Changes(*here, is_already=False, found=(), is_exact=True)
    steps = search.step_by_step()
    return Changes(*here, is_already=False, found=(steps,) if steps else (), is_exact=False)


def _changeable(case: CaseAnalysis, usable: Known, wanted: Iterable[str] | None) -> tuple[str, ...]:
    """Return the attributes that have a value and may have another."""
    asked = None if wanted is None else list(wanted)
    for name in asked or ():
        if name not in case.attributes:
            raise QueryError(
                f"there is no attribute {name!r} that could change{did_you_mean(name, case.attributes)} "
                f"(attributes: {listed([*case.attributes])})"
            )
    values = [name for name, value in usable.items() if not isinstance(value, Evidence)]
    return tuple(name for name in values if asked is None or name in asked)


@dataclass(frozen=True, eq=False)
class _Search:
    """Tries other states of some attributes of one case."""

    case: CaseAnalysis
    known: Known
    target: int
    names: tuple[str, ...]

    def others(self, name: str) -> Places:
        """Return the states an attribute does not have; never that of an empty cell."""
        attribute = self.case.attributes[name]
        states = np.arange(attribute.column.card - attribute.column.missing_state)
        others: Places = states[states != attribute.state(self.known[name])]
        return others

    def size(self, number: int) -> int:
        """Return in how many ways as many attributes can change: an elementary symmetric polynomial."""
        ways = [1] + [0] * number
        for name in self.names:
            for i in range(number, 0, -1):
                ways[i] += ways[i - 1] * len(self.others(name))
        return ways[number]

    def all_of(self, number: int) -> list[ChangeSet]:
        """Return all combinations of so many changes that do, the most probable outcome first."""
        blocks = []
        others = [self.others(name) for name in self.names]
        for chosen in combinations(range(len(self.names)), number):
            shape = [len(others[i]) for i in chosen]
            block = np.full((len(self.names), math.prod(shape)), -1)
            grid = np.indices(shape).reshape(number, -1)
            for i, at in zip(chosen, grid, strict=True):
                block[i] = others[i][at]
            blocks.append(block)
        places = np.concatenate(blocks, axis=1)
        if not places.shape[1]:
            return []
        chances = self._posteriors(places)
        does = np.flatnonzero(chances.argmax(axis=1) == self.target)
        ranked = does[np.argsort(-chances[does, self.target], kind="stable")]
        return [self._set(places[:, i], float(chances[i, self.target])) for i in ranked[:50]]

    def step_by_step(self) -> ChangeSet | None:
        """Make the best single change again and again, then take back what is not needed."""
        state = np.full(len(self.names), -1)
        for _ in self.names:
            tried = [(i, s) for i, name in enumerate(self.names) if state[i] < 0 for s in self.others(name)]
            if not tried:
                return None
            places = np.repeat(state[:, None], len(tried), axis=1)
            places[[i for i, _ in tried], np.arange(len(tried))] = [s for _, s in tried]
            chances = self._posteriors(places)
            best = int(chances[:, self.target].argmax())
            state = places[:, best]
            if chances[best].argmax() == self.target:
                return self._needed(state)
        return None

    def _needed(self, state: Places) -> ChangeSet:
        for i in np.flatnonzero(state >= 0):
            without = state.copy()
            without[i] = -1
            if self._posteriors(without[:, None])[0].argmax() == self.target:
                state = without
        return self._set(state, float(self._posteriors(state[:, None])[0, self.target]))

    def _posteriors(self, places: Places) -> Any:
        return self.case.posteriors(self.known, dict(zip(self.names, places, strict=True)))

    def _set(self, state: Sequence[int] | Places, chance: float) -> ChangeSet:
        changes = []
        for name, place in zip(self.names, state, strict=True):
            if place >= 0:
                before = self.case.label(name, self.known[name])
                changes.append(Change(name, before, self.case.attributes[name].column.labels[place]))
        return ChangeSet(tuple(changes), chance)
