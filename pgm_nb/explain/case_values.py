"""What is known of a case: values read from text or rows, and the states that a person can choose between."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from pgm_nb.arrays import Floats
from pgm_nb.data import Column, as_frame, as_labels
from pgm_nb.data.frame import check_values, is_empty, number_blocks, numbers
from pgm_nb.data.labels import number_label
from pgm_nb.engine.evidence import Between, Evidence, exact, read_evidence
from pgm_nb.engine.variables import Variable
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.protocols import Value
from pgm_nb.words import did_you_mean, listed

__all__ = [
    "MISSING",
    "CaseAttribute",
    "CaseReader",
    "case_attribute",
    "first_cells",
    "left_out",
    "number_text",
    "one_row",
    "rows_and_labels",
    "shown",
    "state_of",
    "typical_value",
    "value_text",
]

MISSING = "missing"  # how an empty cell is written


def number_text(value: float) -> str:
    """Write a number for people, to fifteen digits.

    Examples
    --------
    >>> number_text(64.0), number_text(0.1 + 0.2)
    ('64', '0.3')
    """
    return format(value, ".15g")


def value_text(value: Value | Evidence | None) -> str:
    """Write what is known of an attribute.

    Examples
    --------
    >>> value_text(64.0), value_text(None), value_text(Between(40, 50))
    ('64', 'missing', 'between 40 and 50')
    """
    return number_text(value) if isinstance(value, float) else str(MISSING if value is None else value)


@dataclass(frozen=True)
class _Cells:
    """What the cells of one column can be."""

    number: bool
    words: Mapping[str, Value]  #: how each value is written, for columns that hold no numbers
    gaps: bool  #: some cell is empty


@dataclass(frozen=True)
class CaseReader:
    """Reads ``attribute=value`` and other evidence, by what the columns of a table hold.

    Examples
    --------
    >>> reader = CaseReader.of(pd.DataFrame({"age": [30.5, 64.0], "a=b": ["yes", None]}), "class")
    >>> reader.read("age=70.5"), reader.read("a=b=yes"), reader.read("a=b=missing")
    (('age', 70.5), ('a=b', 'yes'), ('a=b', None))
    >>> reader.read("age=old") is None
    True
    >>> reader.read("age=40..50")
    ('age', Between(low=40.0, high=50.0, strict=False))
    """

    columns: Mapping[str, _Cells]

    @classmethod
    def of(cls, frame: pd.DataFrame, target: str) -> CaseReader:
        """Look at every column but the class."""
        return cls({str(name): _look(column) for name, column in frame.items() if str(name) != target})

    def read(self, text: str) -> tuple[str, Value | Evidence | None] | None:
        """Return the attribute and what is known of it (None: an empty cell); None if it cannot be read.

        A range is read for a column of numbers only.
        """
        found = read_evidence(text, self.columns, self.value)
        if found is not None and isinstance(found[1], Between) and not self.columns[found[0]].number:
            return None
        return found

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
        return exact(float(str(cell))) if self.columns[name].number else str(cell)


def _look(column: pd.Series) -> _Cells:
    gaps = bool(column.isna().any())
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        return _Cells(True, {}, gaps)
    values = column.dropna().unique().tolist()
    return _Cells(False, {str(value): value for value in values}, gaps)


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
    shares: tuple[float, ...] = ()  #: how common each state is in the table

    @property
    def name(self) -> str:
        """Name of the attribute."""
        return self.column.name

    @property
    def is_number(self) -> bool:
        """Whether any number is a value of it."""
        return self.column.kind == "numeric"

    def state(self, value: Value | Evidence | None) -> int | None:
        """Return the place of a value among the states; None if it has no place."""
        return None if isinstance(value, Evidence) else state_of(self.column, value)

    def value(self, state: int) -> Value | None:
        """Return the value that stands for a state; None for an empty cell."""
        if self.column.missing_state and state == self.column.card - 1:
            return None
        return float(self.texts[state]) if self.column.cuts is not None else self.column.states[state]

    def weights(self, value: Value | Evidence | None) -> Floats:
        """Return the likelihood of every state, given what is known of the attribute.

        Examples
        --------
        >>> from pgm_nb.engine.evidence import between
        >>> age = CaseAttribute(Column("age", "numeric", ("≤ 40", "> 40"), cuts=(40.0,)), ("31", "64"))
        >>> age.weights(between(0, 30)), age.weights(50.0)
        (array([1., 0.]), array([0., 1.]))
        """
        if isinstance(value, Evidence):
            return Variable(self.name, self.column.labels, self.column).likelihood(value)
        found = np.zeros(self.column.card)
        state = self.state(value)
        found[... if state is None else state] = 1
        return found


def state_of(column: Column, value: Value | None) -> int | None:
    """Return the place of a value among the states of a column (None: an empty cell); None without a place.

    Examples
    --------
    >>> sex = Column("sex", "categorical", ("f", "m", "missing"), missing_state=True)
    >>> state_of(sex, "m"), state_of(sex, None), state_of(sex, "x")
    (1, 2, None)
    """
    if is_empty(value):
        return column.card - 1 if column.missing_state else None
    if column.cuts is not None and isinstance(value, float | int | np.number):
        return bisect_left(column.cuts, value)  # the number of cuts below it
    return column.states.index(value) if value in column.states else None


def case_attribute(column: Column, cells: pd.Series) -> CaseAttribute:
    """Return an attribute as people set it, by the cells of the table."""
    counted = np.bincount(column.encode(cells), minlength=column.card)[: column.card]
    return CaseAttribute(column, _texts(column, cells), tuple((counted / max(1, counted.sum())).tolist()))


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


UNKNOWN = "unknown"


def rows_and_labels(X: Any, y: Any) -> tuple[pd.DataFrame, pd.Series]:
    """Return the table as a frame and the labels as a Series of the same length, numbered from zero.

    Classes that are declared and that no row has are left out: they cannot be tested.
    """
    frame = as_frame(X).reset_index(drop=True)
    labels = pd.Series(as_labels(y), name=getattr(y, "name", None))
    if len(frame) != len(labels):
        raise DataError(
            f"every row needs one label, but the table has {len(frame):,} rows and there are "
            f"{len(labels):,} labels."
        )
    return frame, labels


def one_row(row: Any, names: Sequence[str]) -> pd.DataFrame:
    """Return the row as a table of one row with these columns; what is not given is missing.

    Parameters
    ----------
    row : mapping, Series, one-row DataFrame, or sequence
        Values by name; a sequence gives one for every name. An empty mapping: nothing is known.
    names : sequence of str
        The columns, in order.

    Examples
    --------
    >>> one_row({"age": 50}, ["age", "sex"])
       age  sex
    0   50  NaN
    """
    values, wanted = _by_name(row, names), set(names)
    for name in values:
        if name not in wanted:
            raise QueryError(
                f"the row has {name!r}, which is no attribute of the model{did_you_mean(name, names)} "
                f"(attributes: {listed(names)}); leave it out"
            )
    check_values(values)
    cells = {name: np.nan if is_empty(value) else value for name, value in values.items()}
    ordered = [cells.get(name, np.nan) for name in names]
    if all(isinstance(cell, float) for cell in ordered):
        return pd.DataFrame(np.array([ordered]), columns=list(names))
    return pd.DataFrame({name: [cell] for name, cell in zip(names, ordered, strict=True)})


def first_cells(frame: pd.DataFrame) -> list[Any]:
    """Return the cells of the first row, each of the type of its column.

    Examples
    --------
    >>> first_cells(pd.DataFrame({"age": [50], "sex": ["f"]}))
    [np.int64(50), 'f']
    """
    cells: list[Any] = [None] * frame.shape[1]
    blocks, others = number_blocks(frame)
    for block in blocks:
        for place, cell in zip(block.places.tolist(), block.cells[:, 0], strict=True):
            cells[place] = cell
    for place in others:
        cells[place] = frame.iloc[0, place]
    return cells


def left_out(row: Any, names: Sequence[str]) -> list[int]:
    """Return the places of the names that a row does not mention at all, not even as an empty cell.

    Examples
    --------
    >>> left_out({"age": 50, "sex": None}, ["age", "sex", "dose"])
    [2]
    """
    values = _by_name(row, names)
    return [place for place, name in enumerate(names) if name not in values]


def shown(value: object) -> str:
    """Write a cell for people.

    Examples
    --------
    >>> shown(0.3), shown(True), shown(None)
    ('0.3', 'True', 'unknown')
    """
    if is_empty(value):
        return UNKNOWN
    if isinstance(value, float | np.floating):
        return number_label(float(value))
    return str(value)


def _by_name(row: Any, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(row, pd.DataFrame):
        if len(row) != 1:
            raise QueryError(
                f"one row is explained at a time, but the table has {len(row):,}; choose one: X.iloc[0]"
            )
        return dict(zip(map(str, row.columns), first_cells(row), strict=True))
    if isinstance(row, pd.Series):
        return {str(name): value for name, value in row.items()}
    if isinstance(row, Mapping):
        return {str(name): value for name, value in row.items()}
    values = np.asarray(row, dtype=object)
    if values.ndim == 2 and len(values) == 1:
        values = values[0]
    if values.ndim != 1 or len(values) != len(names):
        raise QueryError(
            f"a row must give one value for each of the {len(names)} attributes, or values by name, "
            f"but what was given has shape {values.shape}"
        )
    return dict(zip(names, values.tolist(), strict=True))
