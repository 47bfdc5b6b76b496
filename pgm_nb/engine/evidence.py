"""Kinds of evidence: one of several values, not this value, a range of numbers, a likelihood for each value.

Each kind comes down to one number per state: how probable what was observed is, if the attribute is in that
state. A state that is ruled out has 0. A plain value, such as ``64`` or ``"red"``, needs none of this.

A range on an attribute with intervals: an interval inside the range counts in full, one outside not at all,
and one that is covered in part by the share of its width that the range covers, as if values were spread
evenly inside it. The lowest and the highest interval have no outer end, so they count in full as soon as the
range reaches into them.
"""

from __future__ import annotations

import math
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.allowed import NOT_NEGATIVE, Allowed
from pgm_nb.arrays import Floats
from pgm_nb.errors import QueryError
from pgm_nb.words import listed

if TYPE_CHECKING:
    from pgm_nb.data import Column
    from pgm_nb.engine.variables import Variable

__all__ = [
    "Between",
    "Evidence",
    "Likelihood",
    "Not",
    "OneOf",
    "ReadValue",
    "above",
    "below",
    "between",
    "exact",
    "likelihood",
    "name_text",
    "not_",
    "one_of",
    "part_text",
    "pieces",
    "plain",
    "plain_text",
    "read_evidence",
]

Plain = str | float | bool | None  # None: an empty cell


class Evidence(ABC):
    """What is known of a variable, other than its value."""

    @abstractmethod
    def weights(self, variable: Variable) -> Floats:
        """Return the likelihood of every state of the variable, (states,)."""

    @abstractmethod
    def written(self, name: str) -> str:
        """Write it as `read_evidence` reads it: ``age=40..50``, ``colour!=red``."""

    @abstractmethod
    def __str__(self) -> str:
        """Write it for people, after the name of the variable: ``between 40 and 50``, ``not red``."""


@dataclass(frozen=True)
class OneOf(Evidence):
    """One of these values."""

    values: tuple[Plain, ...]

    def weights(self, variable: Variable) -> Floats:
        """One for each of the values, zero for the others."""
        found = np.zeros(len(variable.labels))
        found[[_place(variable, value) for value in self.values]] = 1
        return found

    def written(self, name: str) -> str:
        """Write it as ``colour=red|blue``."""
        return f"{name_text(name)}={_parts([_part(value) for value in self.values])}"

    def __str__(self) -> str:
        return _alternatives(self.values)


@dataclass(frozen=True)
class Not(Evidence):
    """None of these values, and no empty cell."""

    values: tuple[Plain, ...]

    def weights(self, variable: Variable) -> Floats:
        """Zero for each of the values and for the state of an empty cell, one for the others."""
        found = np.ones(len(variable.labels))
        found[[_place(variable, value) for value in self.values]] = 0
        if variable.column is not None and variable.column.missing_state:
            found[-1] = 0
        return found

    def written(self, name: str) -> str:
        """Write it as ``colour!=red``."""
        return f"{name_text(name)}!={'|'.join(map(_part, self.values))}"

    def __str__(self) -> str:
        return f"not {_alternatives(self.values)}"


@dataclass(frozen=True)
class Between(Evidence):
    """A number of this range; an end may be infinite, and both belong to the range unless it is strict."""

    low: float
    high: float
    strict: bool = False

    def weights(self, variable: Variable) -> Floats:
        """Return the share of each interval that the range covers."""
        column = variable.column
        if column is None or not _has_numbers(column):
            raise QueryError(
                f"a range needs numbers, but {variable.name!r} has the states {listed(variable.labels)}; "
                "name the ones that are possible: one_of(...)"
            )
        found = np.zeros(len(variable.labels))
        known = column.card - column.missing_state
        if column.cuts is None:
            values = np.array(column.states[:known], dtype=float)
            inside = (values > self.low) & (values < self.high)
            if not self.strict:
                inside |= (values == self.low) | (values == self.high)
            found[:known] = inside
        elif self.low == self.high:
            found[int(np.searchsorted(column.cuts, self.low))] = 1
        else:
            edges = (-math.inf, *column.cuts, math.inf)
            found[:known] = [_share(a, b, self.low, self.high) for a, b in pairwise(edges)]
        return found

    def written(self, name: str) -> str:
        """Write it as ``age=40..50``, or ``age>60`` and ``age<40`` for a strict range."""
        name, low, high = name_text(name), _exact_end(self.low), _exact_end(self.high)
        if not self.strict:
            return f"{name}={low}..{high}"
        return f"{name}<{high}" if math.isinf(self.low) else f"{name}>{low}"

    def __str__(self) -> str:
        above, below = ("above", "below") if self.strict else ("at least", "at most")
        if math.isinf(self.high):
            return f"{above} {_end(self.low)}"
        return (
            f"{below} {_end(self.high)}"
            if math.isinf(self.low)
            else f"between {_end(self.low)} and {_end(self.high)}"
        )


@dataclass(frozen=True)
class Likelihood(Evidence):
    """How probable what was observed is under each of some values; zero under every other."""

    weighed: tuple[tuple[Any, Any], ...]  #: values and their likelihoods

    def weights(self, variable: Variable) -> Floats:
        """Return the likelihoods as they are given."""
        found = np.zeros(len(variable.labels))
        for value, weight in self.weighed:
            name = f"soft evidence on {variable.name!r}: the likelihood of {value!r}"
            found[_place(variable, value)] = NOT_NEGATIVE.check(name, weight, QueryError)
        return found

    def written(self, name: str) -> str:
        """Write it as ``colour=red:0.7|blue:0.2``."""
        parts = [f"{_part(value)}:{exact(float(weight))}" for value, weight in self.weighed]
        return f"{name_text(name)}={_parts(parts)}"

    def __str__(self) -> str:
        return ", ".join(f"{_text(value)} ({weight:g})" for value, weight in self.weighed)


def one_of(*values: Plain) -> OneOf:
    """Say that a variable has one of these values.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(*pnb.load_sample("zoo"))
    >>> chances = model.query("class", given={"legs": pnb.one_of(2, 4)}).set_index("class")["probability"]
    >>> chances[["bird", "mammal"]].round(3).tolist()
    [0.302, 0.582]
    """
    if not values:
        raise QueryError("one_of needs at least one value, such as one_of('red', 'blue')")
    return OneOf(tuple(dict.fromkeys(values)))


def not_(*values: Plain) -> Not:
    """Say that a variable has none of these values.

    Examples
    --------
    >>> str(not_("red", "blue"))
    'not red or blue'
    """
    if not values:
        raise QueryError("not_ needs at least one value, such as not_('red')")
    return Not(tuple(dict.fromkeys(values)))


def between(low: float, high: float) -> Between:
    """Say that a number is between two others, both included.

    Examples
    --------
    >>> from pgm_nb.data import Column
    >>> from pgm_nb.engine.variables import Variable
    >>> age = Column("age", "numeric", ("≤ 40", "(40, 60]", "> 60"), cuts=(40.0, 60.0))
    >>> Variable("age", age.labels, age).likelihood(between(50, 70))  # half of (40, 60]
    array([0. , 0.5, 1. ])
    """
    ends = (_number(low), _number(high))
    if ends[0] > ends[1] or (math.isinf(ends[0]) and math.isinf(ends[1])):
        raise QueryError(
            f"a range goes from a lower to a higher number, such as between(40, 50), but was given {low!r} "
            f"and {high!r}"
        )
    return Between(*ends)


def above(low: float) -> Between:
    """Say that a number is above this one.

    Examples
    --------
    >>> str(above(60)), above(60).written("age")
    ('above 60', 'age>60')
    """
    return Between(_number(low, finite=True), math.inf, strict=True)


def below(high: float) -> Between:
    """Say that a number is below this one.

    Examples
    --------
    >>> str(below(40)), below(40).written("age")
    ('below 40', 'age<40')
    """
    return Between(-math.inf, _number(high, finite=True), strict=True)


def likelihood(weights: Mapping[Any, float]) -> Likelihood:
    """Say how probable what was observed is under each value: a test that errs, a witness who is not sure.

    Examples
    --------
    >>> likelihood({"red": 0.7, "blue": 0.2}).written("colour")
    'colour=red:0.7|blue:0.2'
    """
    return Likelihood(tuple(weights.items()))


def _place(variable: Variable, value: Plain) -> int:
    if value is None and variable.column is not None and variable.column.missing_state:
        return len(variable.labels) - 1
    return variable.state(value)


def _has_numbers(column: Column) -> bool:
    known = column.states[: column.card - column.missing_state]
    return column.cuts is not None or all(
        isinstance(state, int | float) and not isinstance(state, bool) for state in known
    )


def _share(low: float, high: float, start: float, end: float) -> float:
    """Return the share of the interval (low, high] that a range covers; a half-open one counts in full."""
    covered = min(high, end) - max(low, start)
    if not covered > 0:
        return 0.0
    return covered / (high - low) if math.isfinite(high - low) else 1.0


_FINITE = Allowed(-sys.float_info.max, sys.float_info.max, "a finite number")
_ANY = Allowed(-np.inf, np.inf, advice="leave an end open with above or below")


def _number(value: Any, *, finite: bool = False) -> float:
    end: float = (_FINITE if finite else _ANY).check("the end of a range", value, QueryError)
    return end


def _parts(parts: list[str]) -> str:
    """Join parts; one alone is written twice, so that it is not read as a plain value."""
    return "|".join(parts if len(parts) > 1 else parts * 2)


def _part(value: Plain) -> str:
    return part_text(exact(value) if isinstance(value, float) else _text(value))


def _exact_end(number: float) -> str:
    return "" if math.isinf(number) else exact(number)


def _end(number: float) -> str:
    return "" if math.isinf(number) else format(number, ".15g")


def _text(value: Plain) -> str:
    if value is None:
        return "missing"
    return format(value, ".15g") if isinstance(value, float) else str(value)


def _alternatives(values: tuple[Plain, ...]) -> str:
    *most, last = map(_text, values)
    return f"{', '.join(most)} or {last}" if most else last


_IN_NAME = re.compile(r"[\\=!<>]")
_IN_VALUE = re.compile(r"[\\|]|\.(?=\.)")
_IN_PART = re.compile(r"[\\|:]|\.(?=\.)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def name_text(name: str) -> str:
    """Write the name of a variable before a mark."""
    return _IN_NAME.sub(r"\\\g<0>", name)


def part_text(text: str) -> str:
    """Write a value as one of several."""
    return _IN_PART.sub(r"\\\g<0>", text)


def plain_text(name: str, text: str) -> str:
    r"""Write a plain value so that `read_evidence` reads it back, whatever marks the two hold.

    Examples
    --------
    >>> print(plain_text("age", "64"), plain_text("a=b", "x|y"))
    age=64 a\=b=x\|y
    """
    value = _IN_VALUE.sub(r"\\\g<0>", text)
    return f"{name_text(name)}={value}"


def plain(text: str) -> str:
    r"""Return what was written.

    Examples
    --------
    >>> plain(r"a\=b")
    'a=b'
    """
    return _ESCAPED.sub(r"\1", text)


def pieces(text: str, mark: str) -> list[str]:
    r"""Split at a mark, but not where it is escaped; the pieces remain escaped.

    Examples
    --------
    >>> print(*pieces(r"red|a\|b", "|"))
    red a\|b
    """
    found, last = [], 0
    for hit in re.finditer(rf"\\.|{re.escape(mark)}", text, re.DOTALL):
        if hit.group() == mark:
            found.append(text[last : hit.start()])
            last = hit.end()
    return [*found, text[last:]]


def exact(number: float) -> str:
    """Write a number in the shortest way that reads back as the same number.

    Examples
    --------
    >>> exact(64.0), exact(0.1 + 0.2), exact(-0.0), exact(1e30)
    ('64', '0.30000000000000004', '-0', '1e+30')
    """
    return repr(float(number)).removesuffix(".0")


ReadValue = Callable[[str, str], tuple[Plain] | None]  # attribute and text -> its value, if it is one
_MARKS = re.compile(r"!=|>=|<=|=|>|<")
_NAME = re.compile(r"((?:\\.|[^\\=!<>]|!(?!=))*)(!=|>=|<=|=|>|<)", re.DOTALL)


def read_evidence(text: str, names: Iterable[str], value: ReadValue) -> tuple[str, Plain | Evidence] | None:
    r"""Read what is known of one variable.

    ``age=64`` a value, ``age=40..50``, ``age=40..``, ``age>60`` and ``age<=40`` ranges, ``colour!=red`` and
    ``colour!=red|blue`` not these, ``colour=red|blue`` one of these, ``colour=red:0.7|blue:0.2`` likelihoods.
    A ``\`` before a mark makes it a letter like others.

    Parameters
    ----------
    text : str
        What was written.
    names : iterable of str
        The variables; a name may hold any of the marks.
    value : callable
        Returns the value of a text (in a tuple), or None if the variable has no such value.

    Returns
    -------
    (str, value or Evidence), or None if it cannot be read.

    Examples
    --------
    >>> value = lambda name, text: (text,) if text in ("red", "blue", "a|b") else None
    >>> read_evidence("colour=red|blue", ["colour"], value)
    ('colour', OneOf(values=('red', 'blue')))
    >>> read_evidence("colour=a|b", ["colour"], value)
    ('colour', 'a|b')
    >>> read_evidence(r"colour=a\|b|red", ["colour"], value)
    ('colour', OneOf(values=('a|b', 'red')))
    >>> read_evidence("colour>=3", ["colour"], value)
    ('colour', Between(low=3.0, high=inf, strict=False))
    """
    names = [*names]
    return _written(text, names, value) or _typed(text, names, value)


def _written(text: str, names: Collection[str], value: ReadValue) -> tuple[str, Plain | Evidence] | None:
    """Read a text in which every mark that is part of a name or value is escaped."""
    head = _NAME.match(text)
    if head is None or plain(head[1]) not in names:
        return None
    name, rest = plain(head[1]), text[head.end() :]
    parts = pieces(rest, "|")
    several = len(parts) > 1 or head[2] == "!="
    weighed = several and any(len(pieces(part, ":")) > 1 for part in parts)
    found = _read(name, head[2], rest, value, [] if weighed else [plain(part) for part in parts])
    return None if found is None else (name, found[0])


def _typed(text: str, names: Collection[str], value: ReadValue) -> tuple[str, Plain | Evidence] | None:
    """Read a text as it stands."""
    for name in sorted((name for name in names if text.startswith(name)), key=len, reverse=True):
        mark = _MARKS.match(text, len(name))
        if mark is not None:
            rest = text[mark.end() :]
            whole = value(name, rest)
            if whole is not None and mark.group() in ("=", "!="):
                return name, (whole[0] if mark.group() == "=" else Not(whole))
            found = _read(name, mark.group(), rest, value, rest.split("|"))
            if found is not None:
                return name, found[0]
    return None


def _read(
    name: str, mark: str, rest: str, value: ReadValue, parts: list[str]
) -> tuple[Plain | Evidence] | None:
    """Read what follows a mark; `parts` are the values between upright lines, if they are values."""
    if mark in ("=", "!="):
        values = [value(name, part) for part in parts]
        several = tuple(found[0] for found in values if found is not None)
        if parts and len(several) == len(parts):
            if mark == "!=":
                return (Not(several),)
            return (OneOf(tuple(dict.fromkeys(several))),) if len(several) > 1 else (several[0],)
        return None if mark == "!=" else _range(rest) or _weighed(name, rest, value)
    try:
        end = float(rest)
    except ValueError:
        return None
    if not math.isfinite(end):
        return None
    low, high = (end, math.inf) if mark[0] == ">" else (-math.inf, end)
    return (Between(low, high, strict=len(mark) == 1),)


def _range(text: str) -> tuple[Between] | None:
    found = re.fullmatch(r"\s*(.*?)\s*\.\.\s*(.*?)\s*", text)
    if found is None or not (found[1] or found[2]):
        return None
    try:
        low, high = float(found[1] or -math.inf), float(found[2] or math.inf)
    except ValueError:
        return None
    endless = math.isinf(low) and math.isinf(high)
    return (Between(low, high),) if low <= high and not endless else None


def _weighed(name: str, text: str, value: ReadValue) -> tuple[Likelihood] | None:
    found: dict[Plain, float] = {}
    parts = pieces(text, "|")
    for part in parts if len(parts) > 1 else ():
        *state, weight = pieces(part, ":")
        read = value(name, plain(":".join(state)))
        try:
            number = float(weight)
        except ValueError:
            return None
        if not state or read is None or not 0 <= number < math.inf:
            return None
        found[read[0]] = number
    return (Likelihood(tuple(found.items())),) if any(found.values()) else None
