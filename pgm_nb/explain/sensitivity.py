"""What would change an answer: other values of known attributes, values of unknown ones, other parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Places
from pgm_nb.data.labels import class_place, fact
from pgm_nb.engine.evidence import Evidence
from pgm_nb.engine.questions import Entry, sensitivities
from pgm_nb.engine.variables import Variable
from pgm_nb.errors import QueryError
from pgm_nb.explain.cases import CaseAnalysis, asked_case
from pgm_nb.explain.protocols import Known
from pgm_nb.words import did_you_mean, listed, probability, together

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

__all__ = [
    "Change",
    "ChangeSet",
    "Changes",
    "Swing",
    "Tornado",
    "parameter_sensitivity",
    "tornado",
    "what_changes",
]

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


@dataclass(frozen=True)
class Swing:
    """How far one unknown attribute could move the probability."""

    attribute: str
    low: float  #: the least probability over its states
    high: float
    low_state: str  #: the state that gives it
    high_state: str

    @property
    def width(self) -> float:
        """The highest probability less the lowest."""
        return self.high - self.low


@dataclass(frozen=True, eq=False)
class Tornado:
    """The probability of a class now, and the range that each unknown attribute could move it over.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5)
    >>> case = pnb.CaseAnalysis.of(model.fit(X, y), X)
    >>> print(pnb.tornado(case, {"petal width": 1.6}, label="virginica"))
    virginica has a probability of 77.1%; petal length alone could make it 5.6% or 99.8%
    """

    label: str
    now: float
    swings: tuple[Swing, ...]  #: the widest first

    def to_frame(self) -> pd.DataFrame:
        """One row per unknown attribute, the widest range first: attribute, low, high, and their states."""
        import pandas as pd

        names = ["attribute", "low", "high", "low_state", "high_state"]
        return pd.DataFrame(
            [[getattr(swing, name) for name in names] for swing in self.swings], columns=names
        )

    def chart(self, *, theme: str = "light", largest: int = 12) -> alt.LayerChart:
        """Draw the ranges, the widest on top, around the probability now."""
        from pgm_nb.views.chart.tornado import Range, range_chart

        ranges = [Range(s.attribute, s.low, s.high, s.low_state, s.high_state) for s in self.swings[:largest]]
        return range_chart(self.now, ranges, title=f"probability of {self.label}", theme=theme)

    def __str__(self) -> str:
        says = f"{self.label} has a probability of {probability(self.now)}"
        if not self.swings:
            return f"{says}; no attribute is unknown"
        first = self.swings[0]
        return (
            f"{says}; {first.attribute} alone could make it {probability(first.low)} or "
            f"{probability(first.high)}"
        )


def tornado(case: CaseAnalysis, known: Known, label: str | None = None) -> Tornado:
    """Ask of every unknown attribute how far its value could move the probability of a class.

    Each state of it is set in turn, with everything else as it is. An empty cell is not among the states.

    Parameters
    ----------
    case : CaseAnalysis
        A fitted model with its table.
    known : mapping
        What is known of the case.
    label : str, optional
        The class; by default the most probable one.
    """
    usable = asked_case(case, known, "A tornado chart")
    now = case.posterior(usable).classes
    place = int(now.argmax()) if label is None else class_place(label, case.classes)
    unknown = [name for name, a in case.attributes.items() if name not in usable and a.column.known]
    cards = [len(case.attributes[name].column.known) for name in unknown]
    owner = np.repeat(np.arange(len(unknown)), cards)
    state = np.concatenate([np.arange(card) for card in cards]) if unknown else np.zeros(0, dtype=np.intp)
    places = {name: np.where(owner == i, state, -1) for i, name in enumerate(unknown)}
    chances = case.posteriors(usable, places)[:, place] if unknown else np.zeros(0)
    swings = []
    for i, name in enumerate(unknown):
        of_states, labels = chances[owner == i], case.attributes[name].column.labels
        low, high = int(of_states.argmin()), int(of_states.argmax())
        swings.append(Swing(name, float(of_states[low]), float(of_states[high]), labels[low], labels[high]))
    swings.sort(key=lambda swing: -swing.width)
    return Tornado(case.classes[place], float(now[place]), tuple(swings))


ODDS = 1.1  # what the odds of an entry are multiplied by to see how far the answer moves
SAME = 1e-9


def parameter_sensitivity(
    model: Any, given: Mapping[str, Any] | None = None, label: Any = None, *, most: int | None = 10
) -> pd.DataFrame:
    """List the entries of the tables that the probability of a class depends on most, given evidence.

    Each entry is moved by itself; the others of its distribution share what is left in their old proportions.
    The derivatives are exact.

    Parameters
    ----------
    model
        A model that is a joint distribution and reads the probability of the class off its tables.
    given : mapping, optional
        What is known, as `query` takes it.
    label : object, optional
        The class; by default the most probable one.
    most : int or None
        Entries to list; None for all.

    Returns
    -------
    pandas.DataFrame
        Per `entry`: what it is, its value, the derivative of the probability, the probability if the odds of
        the entry were 10% higher, and a sentence; the most influential first.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5)
    >>> model = model.fit(*pnb.load_sample("iris"))
    >>> table = pnb.parameter_sensitivity(model, {"petal width": 1.6}, "virginica", most=1)
    >>> print(table["sentence"][0])
    If class = versicolor had 10% higher odds (now 33.3%), virginica would have 75.5% instead of 77.1%.
    """
    if not model.about.is_joint:
        raise QueryError(
            f"{model.about.title} has no junction tree, in which alone it is known how an answer depends on "
            "each entry of a table; naive Bayes, TAN and GNB have one"
        )
    tree = model.junction_tree().observe(given or {})
    target = tree.variables.target
    if target.name in tree.evidence:
        raise QueryError(f"the class {target.name!r} is given, so its probability depends on no table")
    classes = tree.beliefs.classes()[0]
    if not np.allclose(model.class_posterior(tree), classes, atol=SAME):
        raise QueryError(
            "the parameters of this model were trained together for the class, so that no entry stands for "
            "itself; with its probabilities as counted (parameters='generative') single entries can be moved"
        )
    place = int(classes.argmax()) if label is None else class_place(label, target.labels)
    rows = []
    for entry in sensitivities(tree, place):
        odds = ODDS * entry.value / (1 - entry.value)
        after = entry.after(odds / (1 + odds))
        what, where = _facts(tree, entry)
        among = f" among cases with {together(where)}" if where else ""
        said = (
            f"If {what} had 10% higher odds{among} (now {probability(entry.value)}), "
            f"{target.labels[place]} would have {probability(after)} instead of {probability(entry.now)}."
        )
        written = f"P({what} | {', '.join(where)})" if where else f"P({what})"
        rows.append((written, entry.value, entry.derivative, after, said))
    names = ["entry", "value", "derivative", "after", "sentence"]
    import pandas as pd

    table = pd.DataFrame(rows, columns=names)
    order = (table["after"] - float(classes[place])).abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order[:most]].reset_index(drop=True)


def _facts(tree: Any, entry: Entry) -> tuple[str, list[str]]:
    """Return what an entry is the probability of, and given which facts: ``age > 60``, ``[class = ill]``."""
    target = tree.variables.target
    of_class = fact(target.name, target.labels[entry.y], is_interval=False)
    if entry.attribute == target.name:
        return of_class, []
    variable = tree.variables[entry.attribute]
    given: list[str] = []
    if entry.mother_state is not None:
        states = (entry.mother_state, *entry.other_states)
        places = tree.factors.given[tree.variables.position(entry.attribute)]
        mothers = [tree.variables.attributes[place] for place in places]
        given = [_fact(mother, state) for mother, state in zip(mothers, states, strict=True)]
    return _fact(variable, entry.state), [*given, of_class]


def _fact(variable: Variable, state: int) -> str:
    is_interval = variable.column is not None and bool(variable.column.cuts)
    return fact(variable.name, variable.labels[state], is_interval=is_interval)
