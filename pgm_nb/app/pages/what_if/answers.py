"""What a model says about a case of which some values are known: the class, and every other attribute."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from pgm_nb.app.pages.what_if.evidence import MISSING, Value, number_text, sample_value
from pgm_nb.data import Column, as_frame, learn_encoder
from pgm_nb.data.frame import numbers
from pgm_nb.inference import normalise
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.models.table import TableClassifier

if TYPE_CHECKING:
    from pgm_nb.explain import Explanation

__all__ = ["Answer", "Field", "Interview"]

Floats = NDArray[np.float64]
Known = Mapping[str, Value | None]

RARE = 10.0  # values this many times rarer together than apart are remarked on


@dataclass(frozen=True)
class Field:
    """One attribute as people see and set it.

    Examples
    --------
    >>> age = Field(Column("age", "numeric", ("≤ 40", "> 40"), cuts=(40.0,)), ("31", "64"))
    >>> age.state(50.0), age.state(None)
    (1, None)
    """

    column: Column
    texts: tuple[str, ...]  #: the value that a click on each state sets, as evidence is written

    @property
    def name(self) -> str:
        """Name of the attribute."""
        return self.column.name

    @property
    def is_number(self) -> bool:
        """Whether any number may be typed in."""
        return self.column.kind == "numeric"

    def state(self, value: Value | None) -> int | None:
        """Return the place of a value among the states (None: an empty cell); None if it is none of them."""
        if value is None:
            return self.column.card - 1 if self.column.missing_state else None
        if self.column.cuts is not None and isinstance(value, float):
            return bisect_left(self.column.cuts, value)  # the number of cuts below it
        return self._places.get(value)

    @cached_property
    def _places(self) -> dict[Value, int]:
        return {state: place for place, state in enumerate(self.column.states)}


@dataclass(frozen=True, eq=False)
class Answer:
    """The posterior of the class, and of the attributes where the model has one."""

    classes: Floats
    states: Mapping[str, Floats] | None


@dataclass(frozen=True, eq=False)
class Interview:
    """A model and the attributes it may be told; made once for a model, asked many times."""

    model: Any
    fields: Mapping[str, Field]  #: the most important ones first

    @classmethod
    def of(cls, model: Any, X: pd.DataFrame) -> "Interview":
        """Prepare the attributes of a model that was learned from the table X."""
        frame = as_frame(X)
        columns = {column.name: column for column in _columns(model, frame)}
        order = [name for name in model.importance_["attribute"] if name in columns]
        order += [name for name in columns if name not in order]
        return cls(model, {name: Field(columns[name], _texts(columns[name], frame[name])) for name in order})

    @property
    def target(self) -> str:
        """Name of the class."""
        return str(self.model.structure_.target)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return tuple(map(str, self.model.classes_.tolist()))

    @property
    def has_joint(self) -> bool:
        """Whether the model is a joint distribution over coded tables."""
        return isinstance(self.model, ForestClassifier)

    def usable(self, known: Known) -> dict[str, Value | None]:
        """Return the part of the evidence that the model can take in."""
        return {
            name: value
            for name, value in known.items()
            if name in self.fields
            and (self._takes_numbers(name, value) or self._state(name, value) is not None)
        }

    def label(self, name: str, value: Value | None) -> str:
        """Write a value as the model sees it: its group of numbers, or itself."""
        state = self._state(name, value)
        if state is None or self._takes_numbers(name, value):
            return (
                number_text(value) if isinstance(value, float) else str(MISSING if value is None else value)
            )
        return self.fields[name].column.labels[state]

    def fact(self, name: str, value: Value | None) -> str:
        """Write what is known of an attribute: ``sex = male``, ``age > 62.8``, ``dose in (1, 2]``."""
        label, column = self.label(name, value), self.fields[name].column
        if column.cuts and label in column.labels and not label[0].isalnum():
            return f"{name} in {label}" if label.startswith("(") else f"{name} {label}"
        return f"{name} = {label}"

    def ask(self, known: Known) -> Answer:
        """Return what the model says; `known` must be usable."""
        if self.has_joint:
            beliefs = self._observed(known).beliefs
            tree, states = self.model.junction_tree(), beliefs.states[:, 0]
            places = {v.name: tree.forest.states(i) for i, v in enumerate(tree.variables.attributes)}
            return self._answer(
                known, beliefs.classes()[0], {name: states[place] for name, place in places.items()}
            )
        classes = np.exp(normalise(self._scores(known), self.model.class_log_prior_)[0])
        if self.model.short_name != "gaussian":
            return Answer(classes, None)
        mixed = {name: classes @ table for name, table in self._class_tables.items()}
        return self._answer(known, classes, mixed)

    def _answer(self, known: Known, classes: Floats, states: Mapping[str, Floats]) -> Answer:
        """Return the answer, in which what is known is certain to the last bit."""
        certain = {
            name: np.eye(len(states[name]))[self._state(name, known[name])]
            for name in known
            if name in states
        }
        return Answer(classes, {**states, **certain})

    def explain(self, known: Known, label: str | None = None, against: str | None = None) -> "Explanation":
        """Take the log-odds of one class against another apart; some value must be known."""
        from pgm_nb.explain.explanation import explanation

        if not isinstance(self.model, TableClassifier):
            return _telling(self.model.explain(self._row(known), label=label, against=against))
        cells = {
            name: (self._written(name, known), self.label(name, known[name]) if name in known else "unknown")
            for name in self.fields
        }
        terms = self.model.coded_terms(self._codes(known))
        return _telling(explanation(terms, self.target, self.model.classes_.tolist(), cells, label, against))

    def next_best(self, known: Known) -> pd.DataFrame | None:
        """Rank the unknown attributes by expected information about the class; None if that is not known."""
        return self.model.next_best(self._labels(known)) if self.has_joint else None

    def is_beyond(self, known: Known) -> bool:
        """Tell whether no class can have made these values, so that the answer is the class prior."""
        return bool(known) and not self.has_joint and bool(np.isneginf(self._scores(known)).all())

    def conflict(self, known: Known) -> tuple[float, str] | None:
        """Return how many times rarer the values are together than apart, and which is most at odds.

        None unless that is remarkable. The measure is prod P(e_i) / P(e) of Jensen, Chamberlain, Nordahl and
        Jensen 1991.
        """
        if not self.has_joint or len(known) < 2:
            return None
        before, after = self.ask({}).states or {}, self._observed(known).log_evidence
        states = {name: self._state(name, value) for name, value in known.items()}
        apart = {name: float(np.log(before[name][state])) for name, state in states.items()}
        factor = float(np.exp(min(sum(apart.values()) - after, 700.0)))
        if factor < RARE:
            return None
        rest = {name: self._observed({k: v for k, v in known.items() if k != name}) for name in known}
        return factor, max(known, key=lambda name: rest[name].log_evidence + apart[name] - after)

    def _state(self, name: str, value: Value | None) -> int | None:
        return self.fields[name].state(value)

    def _takes_numbers(self, name: str, value: Value | None) -> bool:
        """Tell whether the model looks at a number itself and not at its group."""
        coded = isinstance(self.model, TableClassifier) or bool(getattr(self.model, "discretizer", None))
        return not coded and self.fields[name].is_number and isinstance(value, float)

    def _labels(self, known: Known) -> dict[str, str]:
        return {name: self.label(name, value) for name, value in known.items()}

    def _observed(self, known: Known) -> Any:
        return self.model.junction_tree().observe(self._labels(known))

    def _codes(self, known: Known) -> NDArray[np.unsignedinteger]:
        """Return the row as codes; what is not known is unknown, also where missing is a state."""
        columns = self.model.encoder_.columns
        states = [self._state(c.name, known[c.name]) if c.name in known else None for c in columns]
        codes = [c.card if state is None else state for c, state in zip(columns, states, strict=True)]
        return np.array(codes, dtype=np.uint16)[:, None]

    def _row(self, known: Known) -> pd.DataFrame:
        """Return the row as a table; what is not known is empty."""
        cells = {name: known.get(name) for name in self.model.attribute_names_}
        return pd.DataFrame({name: [np.nan if cell is None else cell] for name, cell in cells.items()})

    def _scores(self, known: Known) -> Floats:
        if isinstance(self.model, TableClassifier):
            scores: Floats = self.model.score_codes(self._codes(known))
        else:
            scores = self.model.predict_joint_log_proba(self._row(known))
        return scores

    def _written(self, name: str, known: Known) -> str:
        if name not in known:
            return "unknown"
        value = known[name]
        return number_text(value) if isinstance(value, float) else str(MISSING if value is None else value)

    @cached_property
    def _class_tables(self) -> dict[str, Floats]:
        """P(state of x | class) of every attribute, (k, states), for Gaussian naive Bayes."""
        bells = self.model.structure_.gaussians
        tables = {}
        for name, field in self.fields.items():
            if name in bells and field.column.cuts is not None:
                mean, deviation = np.array(bells[name]).T[:, :, None]
                below = ndtr((np.array(field.column.cuts) - mean) / deviation)
                tables[name] = np.diff(below, axis=1, prepend=0.0, append=1.0)
        words = [(n, s) for n, field in self.fields.items() if n not in bells for s in field.column.states]
        if words:  # one row for each state, of which nothing else is known
            rows = pd.DataFrame(
                {n: [s if n == name else np.nan for name, s in words] for n in self.model.attribute_names_}
            )
            given_class = np.exp(self.model.predict_joint_log_proba(rows) - self.model.class_log_prior_)
            of = np.array([name for name, _ in words], dtype=object)
            tables |= {name: given_class[of == name].T for name in dict(words)}
        return tables


def _telling(why: "Explanation") -> "Explanation":
    """Leave out the steps that add nothing to any class: those of unknown attributes."""
    terms, steps = why.terms, why.terms.row(0)
    kept = np.flatnonzero((steps != 0).any(axis=1))
    names = tuple(terms.names[i] for i in kept)
    attributes = tuple(terms.attributes[i] for i in kept)
    return replace(why, terms=replace(terms, names=names, attributes=attributes, values=steps[None, kept]))


def _columns(model: Any, frame: pd.DataFrame) -> tuple[Column, ...]:
    """Return the attributes with their states; numbers that the model does not bin get groups to click on."""
    columns: tuple[Column, ...]
    if isinstance(model, TableClassifier):
        columns = model.encoder_.columns
        return columns
    columns = model.encoder_.columns if hasattr(model, "encoder_") else learn_encoder(frame, None)[0].columns
    return tuple(  # these models know no state for an empty cell
        replace(column, states=column.states[:-1], missing_state=False) if column.missing_state else column
        for column in columns
    )


def _texts(column: Column, cells: pd.Series) -> tuple[str, ...]:
    """Return the value that stands for each state: of a group of numbers, a typical one of the table."""
    if column.cuts is None:
        texts = [number_text(s) if isinstance(s, float) else str(s) for s in column.states]
    else:
        values, edges = numbers(cells), (-np.inf, *column.cuts, np.inf)
        texts = [number_text(sample_value(values, low, high)) for low, high in pairwise(edges)]
    if column.missing_state:
        texts[column.card - 1 :] = [MISSING]
    return tuple(texts)
