"""The codebook: names for columns, values and classes, and units."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar

import pandas as pd

from pgm_nb.data.read import file_bytes
from pgm_nb.data.repairs.cells import as_text, counted, is_measured, mapped, replaced
from pgm_nb.data.repairs.step import Step
from pgm_nb.data.repairs.values import check_settled
from pgm_nb.data.text import csv_text, decode, read_header
from pgm_nb.errors import DataError
from pgm_nb.words import listed, plural, together

__all__ = ["FIELDS", "Codebook", "read_codebook"]

FIELDS = ("column", "value", "name", "unit")
MOST_UNNAMED = 20  # different numbers without a name that a column with named ones may have


@dataclass(frozen=True)
class Codebook(Step):
    """Give columns and values the names that people use; cells that have them pass as they are.

    Parameters
    ----------
    columns
        Names of columns: ``{"plas": {"name": "glucose", "unit": "mg/dl"}}``, or just ``{"plas": "glucose"}``.
    values
        Names of values by column: ``{"class": {"0": "healthy", "1": "diabetic"}}``.

    Examples
    --------
    >>> book = Codebook({"plas": {"name": "glucose", "unit": "mg/dl"}}, {"y": {"0": "well", "1": "ill"}})
    >>> book.apply(pd.DataFrame({"plas": [90, 150], "y": [0, 1]}))
       glucose (mg/dl)     y
    0               90  well
    1              150   ill
    """

    do: ClassVar[str] = "codebook"
    columns: Mapping[str, Mapping[str, str]]
    values: Mapping[str, Mapping[str, str]]

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping) or not isinstance(self.values, Mapping):
            raise DataError("a codebook has names of columns and names of values, each as a mapping.")
        columns = {as_text(old): _named(old, entry) for old, entry in self.columns.items()}
        values = {}
        for column, names in self.values.items():
            if not isinstance(names, Mapping):
                raise DataError(f"{column}: the names of its values must be a mapping from value to name.")
            book = {as_text(value): as_text(name) for value, name in names.items() if as_text(name)}
            check_settled(str(column), book)
            if book:
                values[as_text(column)] = book
        columns = {old: entry for old, entry in columns.items() if entry}
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "values", values)
        news = list(self.renames.values())
        twice = sorted({name for name in news if news.count(name) > 1})
        if twice:
            raise DataError(f"the codebook gives more than one column the name {twice[0]!r}: change one.")

    @property
    def renames(self) -> dict[str, str]:
        """Columns that get another name, with their units."""
        found = {old: _title(old, entry) for old, entry in self.columns.items()}
        return {old: new for old, new in found.items() if old != new}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it names."""
        return tuple(dict.fromkeys([*self.columns, *self.values]))

    def missing_from(self, frame: pd.DataFrame) -> str:
        """Return why the codebook does not fit: it may name more columns than the table has, but not none."""
        every = {*self.names, *self.renames.values()}
        if not self.names or any(str(name) in every for name in frame.columns):
            return ""
        return f"the table has none of the columns {listed(self.names, 5)}"

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the table with the names."""
        for column, book in self.values.items():
            for name in {column, self.renames.get(column, column)}:
                if name in frame.columns:
                    cells = frame[name]
                    self._check_numbers(cells, book, new)
                    changed = mapped(cells, book)
                    frame = frame if changed is cells else replaced(frame, name, changed)
        there = {old: now for old, now in self.renames.items() if old in frame.columns}
        clash = [now for old, now in there.items() if now in frame.columns and now not in there]
        if clash:
            raise DataError(f"the table already has a column {clash[0]!r}: choose another name for it.")
        return frame.rename(columns=there) if there else frame

    def _check_numbers(self, cells: pd.Series, book: Mapping[str, str], new: bool) -> None:
        """Refuse to make words of a measurement because a few of its numbers have names."""
        if new or not is_measured(cells):
            return
        unnamed = [text for text in counted(cells) if text not in book]
        if len(unnamed) > MOST_UNNAMED and len(unnamed) < cells.nunique():
            raise DataError(
                f"column {str(cells.name)!r} holds {plural(len(unnamed), 'number')} without a name in the "
                f"codebook, such as {unnamed[0]}: name only values of columns that hold codes, or say what "
                "means not measured."
            )

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        parts = [
            *([f"{plural(len(self.columns), 'column')}"] if self.columns else []),
            *([f"the values of {listed([*self.values], 5)}"] if self.values else []),
        ]
        return f"The codebook names {together(parts)}." if parts else "The codebook names nothing."

    def rows(self) -> list[dict[str, str]]:
        """Return the codebook as rows of a table: column, value, name, unit."""
        found = [
            {"column": old, "value": "", "name": entry.get("name", ""), "unit": entry.get("unit", "")}
            for old, entry in self.columns.items()
        ]
        found += [
            {"column": column, "value": value, "name": name, "unit": ""}
            for column, book in self.values.items()
            for value, name in book.items()
        ]
        return found

    def as_csv(self) -> str:
        """Return the codebook as CSV, which `read_codebook` reads."""
        return csv_text(pd.DataFrame(self.rows(), columns=list(FIELDS)))

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Codebook:
        """Return the codebook that rows say: a row without a value names its column.

        Examples
        --------
        >>> Codebook.of_rows([{"column": "sex", "value": "1", "name": "male"}]).values
        {'sex': {'1': 'male'}}
        """
        columns: dict[str, dict[str, str]] = {}
        values: dict[str, dict[str, str]] = {}
        for number, row in enumerate(rows, start=1):
            column, value, name, unit = (_written(row.get(field)) for field in FIELDS)
            if not column:
                if value or name or unit:
                    raise DataError(f"row {number} of the codebook does not say which column it is about.")
                continue
            if value:
                if name and values.setdefault(column, {}).setdefault(value, name) != name:
                    raise DataError(f"the codebook has two names for the value {value!r} of {column!r}.")
            elif name and columns.setdefault(column, {}).setdefault("name", name) != name:
                raise DataError(f"the codebook has two names for column {column!r}: keep one.")
            if unit:
                columns.setdefault(column, {}).setdefault("unit", unit)
        return cls(columns, values)


def read_codebook(source: str | Path | IO[Any]) -> Codebook:
    r"""Read a codebook: CSV or JSON with column, value, name and unit.

    Parameters
    ----------
    source
        A path or an open file. CSV has a header line with these four words, of which unit and value may be
        absent; a line without a value names its column. JSON is a list of such rows, or ``{"columns": ...,
        "values": ...}`` as `Codebook` takes them.

    Raises
    ------
    DataError
        The file is neither, or gives two names to the same thing.

    Examples
    --------
    >>> read_codebook(io.BytesIO(b"column;value;name;unit\nplas;;glucose;mg/dl\ny;1;ill;\n")).rows()[1]
    {'column': 'y', 'value': '1', 'name': 'ill', 'unit': ''}
    """
    data, name = file_bytes(source)
    text = decode(data, name).lstrip("\n")
    if text.lstrip()[:1] in ("{", "["):
        try:
            record = json.loads(text)
        except ValueError as problem:
            raise DataError(f"{name} is not JSON ({problem}): save the codebook again.") from None
        if isinstance(record, list) and all(isinstance(row, Mapping) for row in record):
            return Codebook.of_rows(record)
        if isinstance(record, Mapping) and {"columns", "values"} & record.keys():
            return Codebook(record.get("columns", {}), record.get("values", {}))
        raise DataError(f"{name} is not a codebook: it needs rows with {listed(FIELDS)}.")
    if not text.strip():
        raise DataError(f"{name} is empty: a codebook has a line with the words {listed(FIELDS)}.")
    delimiter, header = read_header(text, name)
    fields = [field.strip().lower() for field in header]
    if not {"column", "name"} <= {*fields} and not {"column", "unit"} <= {*fields}:
        raise DataError(
            f"{name} is not a codebook: its first line must have the words {listed(FIELDS)}, but has "
            f"{listed(header, 6)}."
        )
    lines = list(csv.reader(io.StringIO(text), delimiter=delimiter))[1:]
    return Codebook.of_rows([dict(zip(fields, line, strict=False)) for line in lines])


def _named(old: object, entry: object) -> dict[str, str]:
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, Mapping) or not {*entry} <= {"name", "unit"}:
        raise DataError(f"{old}: a codebook gives a column a name and a unit, not {entry!r}.")
    return {key: text for key in ("name", "unit") if (text := _written(entry.get(key)))}


def _title(old: str, entry: Mapping[str, str]) -> str:
    name = entry.get("name", old)
    return f"{name} ({entry['unit']})" if "unit" in entry else name


def _written(cell: object) -> str:
    return "" if cell is None or (isinstance(cell, float) and cell != cell) else as_text(cell)
