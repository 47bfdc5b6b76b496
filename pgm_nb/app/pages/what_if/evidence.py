"""What is known about a case: values as they stand in the table, one set for all pages.

Kept in the address as ``given=age=64``. A value is a number, a word of the column, or ``missing`` for an
empty cell, never a group of numbers: so it means the same after a change of the model or of the cut points.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from pandas.api import types

from pgm_nb.app.shell.address import keep_texts, put_texts

__all__ = [
    "MISSING",
    "Reader",
    "forget",
    "given",
    "keep_evidence",
    "known",
    "number_text",
    "set_known",
    "undo",
]

GIVEN, CASE = "given", "case"
MISSING = "missing"
_BEFORE = "evidence before"
_REMEMBERED = 50  # changes that can be undone

Value = float | str | bool


def number_text(value: float) -> str:
    """Write a number so that it reads back as it is.

    Examples
    --------
    >>> number_text(64.0), number_text(0.1 + 0.2)
    ('64', '0.3')
    """
    return format(value, ".15g")


@dataclass(frozen=True)
class _Cells:
    """What the cells of one column can be."""

    number: bool
    words: Mapping[str, Value]  #: how each value is written, for columns that hold no numbers
    gaps: bool  #: some cell is empty


@dataclass(frozen=True)
class Reader:
    """Reads evidence as text, by what the columns of a table hold.

    Examples
    --------
    >>> reader = Reader.of(pd.DataFrame({"age": [30.5, 64.0], "a=b": ["yes", None]}), "class")
    >>> reader.read("age=70.5"), reader.read("a=b=yes"), reader.read("a=b=missing")
    (('age', 70.5), ('a=b', 'yes'), ('a=b', None))
    >>> reader.read("age=old") is None
    True
    """

    columns: Mapping[str, _Cells]

    @classmethod
    def of(cls, frame: pd.DataFrame, target: str) -> "Reader":
        """Look at every column but the class."""
        return cls({str(name): _look(column) for name, column in frame.items() if str(name) != target})

    def read(self, text: str) -> tuple[str, Value | None] | None:
        """Return the attribute and its value (None: an empty cell), or None where the text is no evidence."""
        for place in reversed([i for i, letter in enumerate(text) if letter == "="]):
            name = text[:place]  # names may hold "=" themselves
            found = self.value(name, text[place + 1 :]) if name in self.columns else None
            if found:
                return name, found[0]
        return None

    def value(self, name: str, text: str) -> tuple[Value | None] | None:
        """Return the value of a text in its column (None inside for an empty cell), or None if it is none."""
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
        """Return the evidence of a row of the table: every attribute with its value as text."""
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


def keep_evidence(reader: Reader, n_rows: int) -> None:
    """Keep the evidence that this table can have, and the case it was taken from."""

    def is_case(text: str) -> bool:
        return text.isascii() and text.isdigit() and 1 <= int(text) <= n_rows

    keep_texts(GIVEN, lambda text: reader.read(text) is not None)
    keep_texts(CASE, is_case)


def given(reader: Reader) -> dict[str, str]:
    """Return what is known: attribute -> value as text, in the order it was set."""
    found: dict[str, str] = {}
    for text in st.session_state.get(GIVEN, []):
        read = reader.read(text)
        if read is not None:
            found[read[0]] = text[len(read[0]) + 1 :]
    return found


def known(reader: Reader) -> dict[str, Value | None]:
    """Return what is known as values: attribute -> number or word; None for an empty cell."""
    read = [reader.read(text) for text in st.session_state.get(GIVEN, [])]
    return dict(pair for pair in read if pair is not None)


def case() -> int | None:
    """Return the number of the case that was taken from the table last, if any."""
    numbers: Sequence[str] = st.session_state.get(CASE, [])
    return int(numbers[-1]) if numbers else None


def set_known(evidence: Mapping[str, str], row: int | None = None) -> None:
    """Put this evidence in force, from a callback; `row` is the case it comes from."""
    before: list[tuple[list[str], list[str]]] = st.session_state.setdefault(_BEFORE, [])
    now = (list(st.session_state.get(GIVEN, [])), list(st.session_state.get(CASE, [])))
    texts = [f"{name}={value}" for name, value in evidence.items()]
    if texts != now[0]:
        before.append(now)
        del before[:-_REMEMBERED]
    _put(texts, [] if row is None else [str(row)])


def change(reader: Reader, name: str, text: str | None) -> None:
    """Set one attribute to a value, or to unknown."""
    evidence = {other: value for other, value in given(reader).items() if other != name or text is not None}
    set_known(evidence if text is None else {**evidence, name: text}, case())


def forget() -> None:
    """Make everything unknown."""
    set_known({})


def can_undo() -> bool:
    """Tell whether there is a change to take back."""
    return bool(st.session_state.get(_BEFORE))


def undo() -> None:
    """Take the last change back."""
    if can_undo():
        _put(*st.session_state[_BEFORE].pop())


def _put(texts: list[str], row: list[str]) -> None:
    put_texts(GIVEN, texts)
    put_texts(CASE, row)


def sample_value(cells: np.ndarray[tuple[int], np.dtype[np.float64]], low: float, high: float) -> float:
    """Return a typical number of the group (low, high]: its median among the cells, else its upper end.

    Examples
    --------
    >>> sample_value(np.array([1.0, 2.0, 3.0, 9.0]), 1.0, 4.0)
    3.0
    """
    inside = np.sort(cells[(cells > low) & (cells <= high)])
    if len(inside):
        return float(inside[len(inside) // 2])
    return high if math.isfinite(high) else low + max(1.0, abs(low))
