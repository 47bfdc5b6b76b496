"""What a model says about one case of which some values are known: the class, every attribute, and why.

A case is a mapping of attributes to values: a number or a word as it stands in the table, None for an empty
cell, or other evidence: a range, one of several values (`pgm_nb.engine.evidence`). An attribute that is
left out is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from pgm_nb.arrays import Floats, Places
from pgm_nb.data import as_frame
from pgm_nb.data.frame import is_empty
from pgm_nb.data.labels import fact
from pgm_nb.engine.evidence import Evidence, likelihood
from pgm_nb.engine.questions import conflict
from pgm_nb.engine.sums import posteriors
from pgm_nb.engine.variables import Variable
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.case_values import UNKNOWN, CaseAttribute, case_attribute, value_text
from pgm_nb.explain.explanation import Explanation, Terms, explanation, split, with_evidence, without_zeros
from pgm_nb.explain.next_measurement import Measure, Prospects, Rule, read_rule
from pgm_nb.explain.nomogram import Nomogram, nomogram
from pgm_nb.explain.protocols import CaseModel, Known, Value
from pgm_nb.words import did_you_mean, listed

if TYPE_CHECKING:
    from pgm_nb.engine.junction import JunctionTree

__all__ = ["MANY", "TOP", "CaseAnalysis", "CasePosterior", "asked_case", "likeliest"]

MOST_KEPT = 32  # cases whose prospects are kept


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
    {'setosa': 0.002, 'versicolor': 0.305, 'virginica': 0.693}
    >>> analysis.fact("petal width", 1.6)
    'petal width in (1.55, 1.85]'
    """

    model: CaseModel
    attributes: Mapping[str, CaseAttribute]  #: the one to measure first, first
    measures: tuple[Measure, ...] = ()  #: the attributes as things to measure
    _kept: dict[object, Prospects] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, model: CaseModel, X: pd.DataFrame) -> CaseAnalysis:
        """Prepare the attributes of a model that was learned from the table X."""
        frame = as_frame(X)
        columns = {column.name: column for column in model.case_columns(frame)}
        measures = model.measures(frame)
        known = tuple(measure.column.name for measure in measures)
        try:
            order = read_rule(known).rank(model.prospects(measures=measures))["attribute"].tolist()
        except QueryError:  # too much to sum out while nothing is known: then they stay in their order
            order = []
        order += [name for name in columns if name not in order]
        found = {name: case_attribute(columns[name], frame[name]) for name in order}
        return cls(model, found, measures)

    @property
    def target(self) -> str:
        """Name of the class."""
        return str(self.model.structure_.target)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The class labels as text."""
        return tuple(map(str, self.model.classes_.tolist()))

    def usable(self, known: Known) -> dict[str, Value | Evidence | None]:
        """Return the part of a case that the model can use; NaN is unknown, and whole numbers are numbers."""
        values = {name: _plain(value) for name, value in known.items()}
        return {name: value for name, value in values.items() if self._is_usable(name, value)}

    def _is_usable(self, name: str, value: Value | Evidence | None) -> bool:
        if name not in self.attributes or (isinstance(value, float) and math.isnan(value)):
            return False
        if not isinstance(value, Evidence):
            return self._uses_number(name, value) or self._state(name, value) is not None
        try:
            self.attributes[name].weights(value)
        except QueryError:
            return False
        return True

    def label(self, name: str, value: Value | Evidence | None) -> str:
        """Write a value as the model sees it: the interval of a number, or the value itself."""
        if isinstance(value, Evidence):
            return str(value)
        state = self._state(name, value)
        if state is None or self._uses_number(name, value):
            return value_text(value)
        return self.attributes[name].column.labels[state]

    def fact(self, name: str, value: Value | Evidence | None) -> str:
        """Write what is known of an attribute: ``sex = male``, ``age > 62.8``, ``dose is not 3``."""
        if isinstance(value, Evidence):
            return f"{name} is {value}"
        label, column = self.label(name, value), self.attributes[name].column
        return fact(name, label, is_interval=bool(column.cuts) and label in column.labels)

    def posterior(self, known: Known) -> CasePosterior:
        """Return how likely every class is, and every state of the attributes; `known` must be usable."""
        if self.model.about.is_joint:
            tree = self._observed(known)
            classes, states = self.model.class_posterior(tree), tree.beliefs.states[:, 0]
            places = {v.name: tree.factors.states(i) for i, v in enumerate(tree.variables.attributes)}
            found = {name: states[place] for name, place in places.items()}
            return CasePosterior(classes, self._certain(known, found))
        classes = self._classes(known)
        if not self.model.about.predicts_attributes:
            return CasePosterior(classes, None)
        if not self._state_tables:
            return CasePosterior(classes, self._certain(known, self._chances(known)))
        mixed = {name: classes @ table for name, table in self._state_tables.items()}
        for name in split(known)[1]:
            if name in mixed:
                mixed[name] = _scaled(mixed[name] * self.attributes[name].weights(known[name]))
        return CasePosterior(classes, self._certain(known, mixed))

    def _chances(self, known: Known) -> dict[str, Floats]:
        """Return how likely every state of the attributes is, by the scores of the model.

        An attribute is left out where summing over what is unknown needs a table that is too large.
        """
        prospects, found = self.prospects(known), {}
        asked = [(prospects.nothing, (place,)) for place in range(len(prospects.columns))]
        try:
            for column, (chances, _) in zip(prospects.columns, prospects.outcomes(asked), strict=True):
                found[column.name] = chances
        except QueryError:
            for column, question in zip(prospects.columns, asked, strict=True):
                with suppress(QueryError):
                    found[column.name] = prospects.outcomes([question])[0][0]
        plain, other = split(known)
        for name in other:
            without = self._chances_of(name, {key: value for key, value in known.items() if key != name})
            if without is not None:
                found[name] = _scaled(without * self.attributes[name].weights(known[name]))
        cards = {name: self.attributes[name].column.card for name in plain}
        return found | {name: np.zeros(card) for name, card in cards.items()}

    def _chances_of(self, name: str, known: Known) -> Floats | None:
        """Return how likely every state of one attribute is; None if that cannot be computed."""
        prospects = self.prospects(known)
        place = [column.name for column in prospects.columns].index(name)
        with suppress(QueryError):
            return prospects.outcomes([(prospects.nothing, (place,))])[0][0]
        return None

    def posteriors(self, known: Known, states: Mapping[str, Places]) -> Floats:
        """Return the posterior of the class of many cases that are like one, (n, k).

        Parameters
        ----------
        known : mapping
            The case; it must be usable.
        states : mapping of str to array of int
            For some attributes, the state that each of the cases has; -1: what is known of it, if anything.
        """
        plain, other = split(known)
        varied = {name: (self._values(name, plain), places) for name, places in states.items()}
        if not other or not varied:
            return self._posterior_of(self.model.case_scores(plain, varied))
        if self.model.codes_numbers or not any(name in plain for name in states):
            return self._looked_at(known, states)
        rows = np.stack([*states.values()], axis=1).tolist()
        cases = [
            {**known, **{name: varied[name][0][i] for name, i in zip(states, row, strict=True) if i >= 0}}
            for row in rows
        ]
        return np.stack([self._classes(case) for case in cases])

    def _looked_at(self, known: Known, states: Mapping[str, Places]) -> Floats:
        """Return the posteriors of cases by the prospects of what they share, all at once."""
        shared = self.prospects({name: value for name, value in known.items() if name not in states})
        codes = np.repeat(shared.nothing[:, None], len(next(iter(states.values()))), axis=1)
        for column, row in zip(shared.columns, codes, strict=True):
            if column.name in states:
                own = self._state(column.name, known[column.name]) if column.name in known else None
                now = column.card if own is None else own
                row[:] = np.where(states[column.name] < 0, now, states[column.name])
        return shared.look(codes)[1]

    def _values(self, name: str, plain: Mapping[str, Value | None]) -> list[Value | None]:
        """Return the values that stand for the states of an attribute, and last what is known of it."""
        attribute = self.attributes[name]
        states = [attribute.value(state) for state in range(attribute.column.card)]
        return [*states, plain.get(name, math.nan)]

    def _posterior_of(self, scores: Floats) -> Floats:
        posterior: Floats = posteriors(scores, self.model.class_log_prior_)
        return posterior

    def _classes(self, known: Known) -> Floats:
        """Return the posterior of the class.

        A model that is no joint distribution averages over the values that other evidence leaves possible,
        as `prospects` weighs them.
        """
        if self.model.about.is_joint:
            return self.model.class_posterior(self._observed(known))
        plain, other = split(known)
        if other:
            return self.prospects(known).posterior
        posterior: Floats = self._posterior_of(self.model.case_scores(plain))[0]
        return posterior

    def _certain(self, known: Known, states: dict[str, Floats]) -> dict[str, Floats]:
        """Make what is known certain to the last bit."""
        return states | {
            name: np.eye(len(states[name]))[self._state(name, known[name])]
            for name in known
            if name in states and not isinstance(known[name], Evidence)
        }

    def explain(self, known: Known, label: str | None = None, against: str | None = None) -> Explanation:
        """Return the log-odds of one class against another as a sum; at least one value must be known."""
        cells = {
            name: (value_text(known[name]), self.label(name, known[name]))
            if name in known
            else (UNKNOWN, UNKNOWN)
            for name in self.attributes
        }
        classes = self.model.classes_.tolist()
        return without_zeros(explanation(self.terms(known), self.target, classes, cells, label, against))

    def terms(self, known: Known) -> Terms:
        """Return the scores of a case as a sum: the steps of the model, then other evidence piece by piece.

        A piece of other evidence adds what it changes in the log of the posterior, all before it known.
        """
        plain, other = split(known)
        return with_evidence(self.model.case_terms(plain), plain, other, self._classes)

    def next_best(self, known: Known, rule: Rule | None = None) -> pd.DataFrame:
        """Rank what is not known by what it is expected to say about the class, by bits or by a rule."""
        return (rule or read_rule(tuple(self.attributes))).rank(self.prospects(known))

    def prospects(self, known: Known) -> Prospects:
        """Return what is not known of a case, ready for questions; a few cases are kept with answers."""
        try:
            key = tuple((name, type(value), value) for name, value in known.items())
            found = self._kept.get(key)
        except TypeError:  # evidence that holds a mapping
            return self._prospects(known)
        if found is None:
            found = self._prospects(known)
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found

    def _prospects(self, known: Known) -> Prospects:
        given = {
            name: value
            if isinstance(value, Evidence) or self._uses_number(name, value)
            else self.label(name, value)
            for name, value in known.items()
        }
        return self.model.prospects(given, measures=self.measures)

    def nomogram(self, label: str, against: str) -> Nomogram | None:
        """Return the nomogram of one class against another; None if the model has none."""
        return (
            nomogram(cast(Any, self.model), label=label, against=against)
            if self.model.about.has_nomogram
            else None
        )

    def interval(self, known: Known, level: float = 0.9) -> tuple[Floats, Floats] | None:
        """Return the ends of the credible interval of every class, (k,) each; None if the model has none.

        The sentence that says why is that of the model, `intervals_.why_not_given`.
        """
        intervals = self.model.intervals_
        if intervals.why_not_given(known):
            return None
        if not self.model.about.is_joint:
            ends: tuple[Floats, Floats] = intervals.of_case(known, level)
        else:
            ends = intervals.of_tree(self._observed(known), level)
        return ends

    def is_impossible(self, known: Known) -> bool:
        """Say whether no class gives these values a positive density, so that the answer is the prior."""
        plain, _ = split(known)
        return (
            bool(plain)
            and not self.model.about.is_joint
            and bool(np.isneginf(self.model.case_scores(plain)).all())
        )

    def conflict(self, known: Known) -> tuple[float, str] | None:
        """Return how many times rarer the values are together than apart, and which one fits least.

        None if that is less than ten times, or if the model is no joint distribution.
        """
        return conflict(self._observed(known)) if self.model.about.is_joint else None

    def _state(self, name: str, value: Value | Evidence | None) -> int | None:
        return self.attributes[name].state(value)

    def _uses_number(self, name: str, value: Value | Evidence | None) -> bool:
        """Say whether the model sees a number itself and not its interval."""
        return not self.model.codes_numbers and self.attributes[name].is_number and isinstance(value, float)

    def given(self, known: Known) -> dict[str, str | Evidence]:
        """Return a case as `query` takes it: states by name, and other evidence."""
        return {
            name: value if isinstance(value, Evidence) else self.label(name, value)
            for name, value in known.items()
        }

    def _observed(self, known: Known) -> JunctionTree:
        return self.model.junction_tree().observe(self.given(known))

    @cached_property
    def _state_tables(self) -> dict[str, Floats]:
        return self.model.state_tables([attribute.column for attribute in self.attributes.values()])


def _plain(value: Any) -> Value | Evidence | None:
    """Return a cell as a case holds it: a whole number as a float, a scalar of NumPy as one of Python."""
    plain = value.item() if isinstance(value, np.generic) else math.nan if value is pd.NA else value
    whole = isinstance(plain, int) and not isinstance(plain, bool)
    return float(plain) if whole else cast("Value | Evidence | None", plain)


def _scaled(weights: Floats) -> Floats:
    """Scale to sum one."""
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))


MANY, TOP = 8, 6  # classes that are all shown; and of more, the most probable ones


def likeliest(shares: Sequence[float], chosen: int | None = None) -> tuple[list[int], list[int]]:
    """Return the places of the classes that are shown and of those that are folded.

    Few classes are all shown, in their own order. Of many, the most probable ones come first, and the one
    that was chosen is among them.

    Parameters
    ----------
    shares : sequence of float
        Probability of each class.
    chosen : int, optional
        Place of a class that is always shown.

    Examples
    --------
    >>> likeliest([0.2, 0.8])
    ([0, 1], [])
    >>> shown, rest = likeliest([place / 325 for place in range(26)], chosen=3)
    >>> shown, len(rest)
    ([25, 24, 23, 22, 21, 20, 3], 19)
    """
    if len(shares) <= MANY:
        return list(range(len(shares))), []
    order = sorted(range(len(shares)), key=lambda place: -float(shares[place]))
    shown = order[:TOP]
    if chosen is not None and chosen not in shown:
        shown.append(chosen)
    return shown, [place for place in order if place not in shown]


def asked_case(case: Any, known: Any, study: str) -> dict[str, Value | Evidence | None]:
    """Return what is known of a case as the model uses it; NaN is unknown.

    Parameters
    ----------
    case : CaseAnalysis
        A fitted model with its table; anything else is refused.
    known : mapping or Series
        What is known. A name or a value that the model does not have is refused.
    study : str
        What is asked, for the sentence that refuses.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> case = CaseAnalysis.of(pnb.NaiveBayes().fit(X, y), X)
    >>> asked_case(case, {"petal width": 1.6, "petal length": None}, "A tornado")
    {'petal width': 1.6}
    """
    if not isinstance(case, CaseAnalysis):
        raise DataError(
            f"{study} needs a fitted model with its table, pnb.CaseAnalysis.of(model, X), but was given an "
            f"object of type {type(case).__name__}"
        )
    if not isinstance(known, Mapping | pd.Series):
        raise QueryError(
            "what is known of a case is given by name, such as {'age': 64} or a row X.iloc[0], but was given "
            f"an object of type {type(known).__name__}"
        )
    values = dict(known.items())
    read: dict[str, Any] = {}
    for name, value in values.items():
        if name not in case.attributes:
            _check_name(case, name)
        else:
            read[name] = _value(case, name, value)
    return case.usable(read)


def _check_name(case: CaseAnalysis, name: str) -> None:
    """Refuse a name that is no attribute; one that the model has and does not use is left out."""
    if name == case.target:
        raise QueryError(f"the class {name!r} is given, but it is what is asked for; leave it out")
    if name not in case.model.attribute_names_:
        raise QueryError(
            f"there is no attribute {name!r} in this model{did_you_mean(name, case.attributes)} (attributes: "
            f"{listed([*case.attributes])})"
        )


def _value(case: CaseAnalysis, name: str, value: Any) -> Any:
    """Return a value as a case holds it, also if it is written otherwise; refuse what is none."""
    if isinstance(value, Mapping):
        value = likelihood(value)
    attribute = case.attributes[name]
    if isinstance(value, Evidence):
        attribute.weights(value)
        return value
    if is_empty(value):
        return value
    column = attribute.column
    place = Variable(name, column.labels, column).state(value)
    if case.usable({name: value}):
        return value
    return float(value) if column.cuts is not None else column.states[place]
