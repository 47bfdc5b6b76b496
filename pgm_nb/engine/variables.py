"""The variables of a model by name: their states, and the meaning of values given as evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pgm_nb.arrays import Floats, rebuilt
from pgm_nb.data import Column
from pgm_nb.data.frame import check_values, is_empty
from pgm_nb.engine.evidence import Evidence, likelihood
from pgm_nb.errors import DataError, QueryError
from pgm_nb.words import did_you_mean, listed

__all__ = ["Potential", "Variable", "Variables", "asked_names"]


def asked_names(asked: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of the variables that are asked for; refuse values, which are not asked but given.

    Examples
    --------
    >>> asked_names("class"), asked_names(["class", "age"])
    (('class',), ('class', 'age'))
    """
    if isinstance(asked, Mapping):
        raise QueryError(
            "what is asked for comes first, by name; what is known comes second: query('class', given={...})"
        )
    return (asked,) if isinstance(asked, str) else tuple(asked)


@dataclass(frozen=True, eq=False)
class Potential:
    """A table over some variables, one axis each: a factor of a Markov network.

    Examples
    --------
    >>> Potential(("ill", "age"), np.array([[0.2, 0.8], [0.7, 0.3]])).table.shape
    (2, 2)
    """

    names: tuple[str, ...]
    table: Floats
    labels: Mapping[str, Sequence[str]] | None = None  #: the states of variables that are hidden


@dataclass(frozen=True)
class Variable:
    """The class or an attribute: a name and the readable names of its states.

    Examples
    --------
    >>> age = Variable("age", ("≤ 40", "> 40"), Column("age", "numeric", ("≤ 40", "> 40"), cuts=(40.0,)))
    >>> age.state("> 40"), age.state(35)
    (1, 0)
    """

    name: str
    labels: tuple[str, ...]
    column: Column | None = None  #: how a raw value becomes a state; None for the class

    def is_unknown(self, value: Any) -> bool:
        """Say whether a value says nothing: None, NaN, NA or NaT, unless an empty cell is a state here.

        Examples
        --------
        >>> sex = Column("sex", "categorical", ("f", "m", "missing"), missing_state=True)
        >>> Variable("sex", sex.labels, sex).is_unknown(None), Variable("class", ("a", "b")).is_unknown(None)
        (False, True)
        """
        column = self.column
        return is_empty(value) and (column is None or not column.missing_state or column.empty_unknown)

    def state(self, value: Any) -> int:
        """Return the code of a state given by its name, or by a value of the table (a number is binned)."""
        check_values({self.name: value})
        text = str(value)
        if is_empty(value) and not self.is_unknown(value):
            return len(self.labels) - 1
        if text in self.labels:
            return self.labels.index(text)
        if self.column is not None:
            number = _number(value) if self.column.kind == "numeric" else value
            code = self._code(self.column, number)
            if code < len(self.labels):
                return code
        raise QueryError(
            f"{self.name!r} has no state {text!r} (states: {listed(self.labels)})"
            f"{did_you_mean(text, self.labels)}"
        )

    def _code(self, column: Column, value: Any) -> int:
        """Return the code of a value of the table; the number of states if it has none."""
        if is_empty(value):
            return len(self.labels)
        if column.cuts is not None and type(value) in (float, int) and abs(value) < np.inf:
            return column.encode_number(value)  # what is asked most often, and fast
        try:
            return int(column.encode([value])[0])
        except DataError:
            return len(self.labels)

    def likelihood(self, value: Any) -> Floats:
        """Return the likelihood of every state: one and zeros for a state, numbers for other evidence."""
        if isinstance(value, Mapping):
            value = likelihood(value)
        if not isinstance(value, Evidence):
            weights = np.zeros(len(self.labels))
            weights[self.state(value)] = 1
            return weights
        found = value.weights(self)
        if not found.any():
            raise QueryError(
                f"the evidence on {self.name!r} ({value}) rules out every state; leave at least one possible "
                f"(states: {listed(self.labels)})"
            )
        return found


@dataclass(frozen=True)
class Variables:
    """The class and the attributes of a model, in the order of its factors."""

    target: Variable
    attributes: tuple[Variable, ...]
    spare: tuple[Variable, ...] = ()  #: columns that the model leaves out: evidence on them changes nothing

    __reduce__ = rebuilt

    @cached_property
    def _place(self) -> dict[str, int]:
        return {variable.name: place for place, variable in enumerate(self.attributes)}

    @property
    def names(self) -> tuple[str, ...]:
        """The class first, then the attributes."""
        return (self.target.name, *(v.name for v in self.attributes))

    def __getitem__(self, name: str) -> Variable:
        return self.target if name == self.target.name else self.attributes[self.position(name)]

    def heard(self, name: str) -> Variable:
        """Return the variable on which evidence is given; it may be a column that the model leaves out."""
        return next((spare for spare in self.spare if spare.name == name), None) or self[name]

    def is_spare(self, name: str) -> bool:
        """Say whether the model leaves this column out."""
        return any(variable.name == name for variable in self.spare)

    def position(self, name: str) -> int:
        """Return the place of an attribute among the factors."""
        if self.is_spare(name):
            raise QueryError(
                f"{name!r} takes no part in this model, which left it out, so nothing can be said about it; "
                f"ask about one of {listed(self.names)}"
            )
        if name not in self._place:
            raise QueryError(
                f"there is no variable {name!r} in this model (it has {listed(self.names)})"
                f"{did_you_mean(str(name), self.names)}"
            )
        return self._place[name]

    def check(self, asked: Iterable[str], given: Iterable[str]) -> tuple[str, ...]:
        """Refuse an empty question, an unknown or repeated name, and one that is asked and given."""
        names = asked_names(asked)
        if not names:
            raise QueryError(f"no variable is asked for; name at least one (such as {self.target.name!r})")
        for name in names:
            _ = self[name]
            if names.count(name) > 1:
                raise QueryError(f"{name!r} is asked for twice; name it once")
            if name in given:
                raise QueryError(f"{name!r} is both asked for and given; leave it out of one of them")
        return names


def _number(value: Any) -> Any:
    """Return a number written as text as a number; None for a text that is no number."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return value
