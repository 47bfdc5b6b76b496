"""A case as text: what is known of each attribute, written and read by what the columns of a table hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pandas.api import types

from pgm_nb.explain.protocols import Value
from pgm_nb.inference import Evidence
from pgm_nb.inference.evidence import Between
from pgm_nb.inference.marks import exact
from pgm_nb.inference.reading import read_evidence

__all__ = ["MISSING", "CaseReader", "number_text", "value_text"]

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
