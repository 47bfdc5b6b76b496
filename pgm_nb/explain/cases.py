"""What a model says about one case of which some values are known: the class, every attribute, and why.

A case is a mapping of attributes to values: a number or a word as it stands in the table, None for an empty
cell. An attribute that is left out is unknown.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
from pandas.api import types

from pgm_nb.arrays import Floats
from pgm_nb.data import Column, as_frame
from pgm_nb.data.frame import numbers
from pgm_nb.explain.explanation import Explanation, explanation
from pgm_nb.explain.measuring import Rule, read_rule
from pgm_nb.explain.nomogram import Nomogram, nomogram
from pgm_nb.explain.prospects import Measure, Prospects
from pgm_nb.explain.protocols import CaseModel, Known, Value
from pgm_nb.explain.rows import UNKNOWN
from pgm_nb.inference import normalise

if TYPE_CHECKING:
    from pgm_nb.inference import JunctionTree

__all__ = [
    "MISSING",
    "CaseAnalysis",
    "CaseAttribute",
    "CasePosterior",
    "CaseReader",
    "number_text",
    "state_of",
    "typical_value",
]

MISSING = "missing"  # how an empty cell is written
RARE = 10.0  # values this many times rarer together than apart are in conflict


@dataclass(frozen=True)
class CaseAttribute:
    """One attribute as people see and set it.

    Examples
    --------
    >>> age = CaseAttribute(Column("age", "numeric", ("≤ 40", "> 40"), cuts=(40.0,)), ("31", "64"))
    >>> age.state(50.0), age.state(None)
    (1, None)
    """

    column: Column
    texts: tuple[str, ...]  #: the value that choosing each state sets, as `CaseReader` reads it

    @property
    def name(self) -> str:
        """Name of the attribute."""
        return self.column.name

    @property
    def is_number(self) -> bool:
        """Whether any number is a value of it."""
        return self.column.kind == "numeric"

    def state(self, value: Value | None) -> int | None:
        """Return the place of a value among the states; None if it has no place."""
        return state_of(self.column, value)


def state_of(column: Column, value: Value | None) -> int | None:
    """Return the place of a value among the states of a column (None: an empty cell); None without a place.

    Examples
    --------
    >>> sex = Column("sex", "categorical", ("f", "m", "missing"), missing_state=True)
    >>> state_of(sex, "m"), state_of(sex, None), state_of(sex, "x")
    (1, 2, None)
    """
    if value is None:
        return column.card - 1 if column.missing_state else None
    if column.cuts is not None and isinstance(value, float):
        return bisect_left(column.cuts, value)  # the number of cuts below it
    return column.states.index(value) if value in column.states else None


@dataclass(frozen=True, eq=False)
class CasePosterior:
    """The posterior of the class, and of every attribute if the model predicts attributes."""

    classes: Floats
    states: Mapping[str, Floats] | None


@dataclass(frozen=True, eq=False)
class CaseAnalysis:
    """A fitted model, ready to be asked about many cases.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> analysis = CaseAnalysis.of(pnb.NaiveBayes().fit(X, y), X)
    >>> found = analysis.posterior({"petal width": 1.6})
    >>> dict(zip(analysis.classes, found.classes.round(3).tolist()))
    {'setosa': 0.038, 'versicolor': 0.231, 'virginica': 0.731}
    >>> analysis.fact("petal width", 1.6)
    'petal width in (1.55, 1.95]'
    """

    model: CaseModel
    attributes: Mapping[str, CaseAttribute]  #: the most important ones first
    measures: tuple[Measure, ...] = ()  #: the attributes as things to measure

    @classmethod
    def of(cls, model: CaseModel, X: pd.DataFrame) -> CaseAnalysis:
        """Prepare the attributes of a model that was learned from the table X."""
        frame = as_frame(X)
        columns = {column.name: column for column in model.case_columns(frame)}
        order = [name for name in model.importance_["attribute"] if name in columns]
        order += [name for name in columns if name not in order]
        attributes = {
            name: CaseAttribute(columns[name], _texts(columns[name], frame[name])) for name in order
        }
        return cls(model, attributes, model.measures(frame))

    @property
    def target(self) -> str:
        """Name of the class."""
        return str(self.model.structure_.target)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The class labels as text."""
        return tuple(map(str, self.model.classes_.tolist()))

    def usable(self, known: Known) -> dict[str, Value | None]:
        """Return the part of a case that the model can use."""
        return {
            name: value
            for name, value in known.items()
            if name in self.attributes
            and (self._uses_number(name, value) or self._state(name, value) is not None)
        }

    def label(self, name: str, value: Value | None) -> str:
        """Write a value as the model sees it: the interval of a number, or the value itself."""
        state = self._state(name, value)
        if state is None or self._uses_number(name, value):
            return _written(value)
        return self.attributes[name].column.labels[state]

    def fact(self, name: str, value: Value | None) -> str:
        """Write what is known of an attribute: ``sex = male``, ``age > 62.8``, ``dose in (1, 2]``."""
        label, column = self.label(name, value), self.attributes[name].column
        if column.cuts and label in column.labels and not label[0].isalnum():
            return f"{name} in {label}" if label.startswith("(") else f"{name} {label}"
        return f"{name} = {label}"

    def posterior(self, known: Known) -> CasePosterior:
        """Return how likely every class is, and every state of the attributes; `known` must be usable."""
        if self.model.is_joint:
            tree = self._observed(known)
            classes, states = self.model.class_posterior(tree), tree.beliefs.states[:, 0]
            places = {v.name: tree.forest.states(i) for i, v in enumerate(tree.variables.attributes)}
            found = {name: states[place] for name, place in places.items()}
            return CasePosterior(classes, self._certain(known, found))
        classes = np.exp(normalise(self.model.case_scores(known), self.model.class_log_prior_)[0])
        if not self.model.predicts_attributes:
            return CasePosterior(classes, None)
        mixed = {name: classes @ table for name, table in self._state_tables.items()}
        return CasePosterior(classes, self._certain(known, mixed))

    def _certain(self, known: Known, states: dict[str, Floats]) -> dict[str, Floats]:
        """Make what is known certain to the last bit."""
        return states | {
            name: np.eye(len(states[name]))[self._state(name, known[name])]
            for name in known
            if name in states
        }

    def explain(self, known: Known, label: str | None = None, against: str | None = None) -> Explanation:
        """Return the log-odds of one class against another as a sum; at least one value must be known."""
        cells = {
            name: (_written(known[name]), self.label(name, known[name]))
            if name in known
            else (UNKNOWN, UNKNOWN)
            for name in self.attributes
        }
        classes = self.model.classes_.tolist()
        return _without_zeros(
            explanation(self.model.case_terms(known), self.target, classes, cells, label, against)
        )

    def next_best(self, known: Known, rule: Rule | None = None) -> pd.DataFrame:
        """Rank what is not known by what it is expected to say about the class, by bits or by a rule."""
        return (rule or read_rule(tuple(self.attributes))).rank(self.prospects(known))

    def prospects(self, known: Known) -> Prospects:
        """Return what is not known of a case, ready for questions."""
        given = {
            name: value if self._uses_number(name, value) else self.label(name, value)
            for name, value in known.items()
        }
        return self.model.prospects(given, measures=self.measures)

    def nomogram(self, label: str, against: str) -> Nomogram | None:
        """Return the nomogram of one class against another; None if the model has none."""
        return (
            nomogram(cast(Any, self.model), label=label, against=against) if self.model.has_nomogram else None
        )

    def is_impossible(self, known: Known) -> bool:
        """Say whether no class gives these values a positive density, so that the answer is the prior."""
        return (
            bool(known) and not self.model.is_joint and bool(np.isneginf(self.model.case_scores(known)).all())
        )

    def conflict(self, known: Known) -> tuple[float, str] | None:
        """Return how many times rarer the values are together than apart, and which one fits least.

        None if that is less than `RARE` times, or if the model is no joint distribution. The measure is
        prod P(e_i) / P(e) of Jensen, Chamberlain, Nordahl and Jensen (1991).
        """
        if not self.model.is_joint or len(known) < 2:
            return None
        before, after = self.posterior({}).states or {}, self._observed(known).log_evidence
        states = {name: self._state(name, value) for name, value in known.items()}
        apart = {name: float(np.log(before[name][state])) for name, state in states.items()}
        factor = float(np.exp(min(sum(apart.values()) - after, 700.0)))
        if factor < RARE:
            return None
        rest = {name: self._observed({k: v for k, v in known.items() if k != name}) for name in known}
        return factor, max(known, key=lambda name: rest[name].log_evidence + apart[name] - after)

    def _state(self, name: str, value: Value | None) -> int | None:
        return self.attributes[name].state(value)

    def _uses_number(self, name: str, value: Value | None) -> bool:
        """Say whether the model sees a number itself and not its interval."""
        return not self.model.codes_numbers and self.attributes[name].is_number and isinstance(value, float)

    def _labels(self, known: Known) -> dict[str, str]:
        return {name: self.label(name, value) for name, value in known.items()}

    def _observed(self, known: Known) -> JunctionTree:
        return self.model.junction_tree().observe(self._labels(known))

    @cached_property
    def _state_tables(self) -> dict[str, Floats]:
        return self.model.state_tables([attribute.column for attribute in self.attributes.values()])


def _without_zeros(why: Explanation) -> Explanation:
    """Leave out the steps that add nothing to any class: those of unknown attributes."""
    terms, steps = why.terms, why.terms.row(0)
    kept = np.flatnonzero((steps != 0).any(axis=1))
    names = tuple(terms.names[i] for i in kept)
    attributes = tuple(terms.attributes[i] for i in kept)
    return replace(why, terms=replace(terms, names=names, attributes=attributes, values=steps[None, kept]))


def _written(value: Value | None) -> str:
    return number_text(value) if isinstance(value, float) else str(MISSING if value is None else value)


def _texts(column: Column, cells: pd.Series) -> tuple[str, ...]:
    """Return the value that stands for each state: for an interval, a typical number of the table."""
    if column.cuts is None:
        texts = [number_text(s) if isinstance(s, float) else str(s) for s in column.states]
    else:
        values, edges = numbers(cells), (-np.inf, *column.cuts, np.inf)
        texts = [number_text(typical_value(values, low, high)) for low, high in pairwise(edges)]
    if column.missing_state:
        texts[column.card - 1 :] = [MISSING]
    return tuple(texts)


def number_text(value: float) -> str:
    """Write a number so that it reads back as it is.

    Examples
    --------
    >>> number_text(64.0), number_text(0.1 + 0.2)
    ('64', '0.3')
    """
    return format(value, ".15g")


def typical_value(cells: Floats, low: float, high: float) -> float:
    """Return a typical number of the interval (low, high]: the median of its cells, else its upper end.

    Examples
    --------
    >>> typical_value(np.array([1.0, 2.0, 3.0, 9.0]), 1.0, 4.0)
    3.0
    """
    inside = np.sort(cells[(cells > low) & (cells <= high)])
    if len(inside):
        return float(inside[len(inside) // 2])
    return high if math.isfinite(high) else low + max(1.0, abs(low))


@dataclass(frozen=True)
class _Cells:
    """What the cells of one column can be."""

    number: bool
    words: Mapping[str, Value]  #: how each value is written, for columns that hold no numbers
    gaps: bool  #: some cell is empty


@dataclass(frozen=True)
class CaseReader:
    """Reads ``attribute=value``, by what the columns of a table hold.

    Examples
    --------
    >>> reader = CaseReader.of(pd.DataFrame({"age": [30.5, 64.0], "a=b": ["yes", None]}), "class")
    >>> reader.read("age=70.5"), reader.read("a=b=yes"), reader.read("a=b=missing")
    (('age', 70.5), ('a=b', 'yes'), ('a=b', None))
    >>> reader.read("age=old") is None
    True
    """

    columns: Mapping[str, _Cells]

    @classmethod
    def of(cls, frame: pd.DataFrame, target: str) -> CaseReader:
        """Look at every column but the class."""
        return cls({str(name): _look(column) for name, column in frame.items() if str(name) != target})

    def read(self, text: str) -> tuple[str, Value | None] | None:
        """Return the attribute and its value (None: an empty cell), or None if the text cannot be read."""
        for place in reversed([i for i, letter in enumerate(text) if letter == "="]):
            name = text[:place]  # names may hold "=" themselves
            found = self.value(name, text[place + 1 :]) if name in self.columns else None
            if found:
                return name, found[0]
        return None

    def value(self, name: str, text: str) -> tuple[Value | None] | None:
        """Return the value of a text (None inside for an empty cell), or None if the column has no such."""
        cells = self.columns[name]
        if text in cells.words:
            return (cells.words[text],)
        if text == MISSING and cells.gaps:
            return (None,)
        if not cells.number:
            return None
        try:
            number = float(text)
        except ValueError:
            return None
        return (number,) if math.isfinite(number) else None

    def row(self, row: Mapping[Any, object]) -> dict[str, str]:
        """Return the values of a row of the table as texts, by attribute."""
        return {name: self._text(name, row[name]) for name in self.columns if name in row}

    def _text(self, name: str, cell: object) -> str:
        if pd.isna(cell):  # type: ignore[call-overload]  # any object is meant
            return MISSING
        return number_text(float(str(cell))) if self.columns[name].number else str(cell)


def _look(column: pd.Series) -> _Cells:
    gaps = bool(column.isna().any())
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        return _Cells(True, {}, gaps)
    values = column.dropna().unique().tolist()
    return _Cells(False, {str(value): value for value in values}, gaps)
