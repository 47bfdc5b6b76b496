"""A codebook, and the recipe that steps make: read, written, previewed, applied to a table."""

from __future__ import annotations

import base64
import csv
import io
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar

import pandas as pd

from pgm_nb.data.read import file_bytes
from pgm_nb.data.repairs.step import Step, as_step, as_text, counted, is_measured, mapped, replaced
from pgm_nb.data.repairs.steps import LeaveOut, LeaveOutRows, NumberNames, check_settled
from pgm_nb.data.text import csv_text, decode, read_header
from pgm_nb.errors import DataError
from pgm_nb.files import write_atomically
from pgm_nb.words import listed, plural, together

__all__ = ["Codebook", "Recipe", "preview", "read_codebook", "repair"]

EMPTY = "(empty)"
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


FORMAT, VERSION = "pgm_nb recipe", 1
MOST_PACKED = 2_000_000  # bytes of JSON that a packed recipe may become


@dataclass(frozen=True, init=False)
class Recipe:
    """An ordered list of steps that repair a table.

    Parameters
    ----------
    steps
        Steps, or plain values such as ``{"do": "not measured", "column": "insulin", "values": [0]}``.

    Examples
    --------
    >>> recipe = Recipe([{"do": "not measured", "column": "insulin", "values": [0]}])
    >>> recipe.apply(pd.DataFrame({"insulin": [0, 14]}))["insulin"].tolist()
    [nan, 14.0]
    >>> print(recipe)
    insulin: 0 means not measured.
    """

    steps: tuple[Step, ...]

    def __init__(self, steps: Iterable[Step | Mapping[str, Any]] = ()) -> None:
        object.__setattr__(self, "steps", tuple(as_step(step) for step in steps))

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __str__(self) -> str:
        return "\n".join(step.said for step in self.steps)

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the repaired table; the given one is not changed.

        Raises
        ------
        DataError
            A step does not fit the table; the message says which, why, and what to do.
        """
        for number, step in enumerate(self.steps, start=1):
            if why := _misfit(step, frame):
                raise DataError(
                    f"step {number} of the recipe ({step.said}) does not fit this table: {why}. Take the "
                    "step out of the recipe, or take the table it was made for."
                )
            try:
                frame = step.apply(frame)
            except DataError as problem:
                raise DataError(f"step {number} of the recipe ({step.said}): {problem}") from None
        return frame

    def for_rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return new rows as the repaired table has them, raw or already repaired; no row is left out.

        Columns that a table to be classified need not have, such as the class, may be absent.

        Examples
        --------
        >>> recipe = Recipe([Codebook({}, {"sex": {"1": "male"}}), {"do": "leave out rows", "column": "y"}])
        >>> recipe.for_rows(pd.DataFrame({"sex": [1, 2], "y": [None, 1]}))["sex"].tolist()
        ['male', '2']
        """
        for step in self.steps:
            if isinstance(step, Codebook) or not step.missing_from(frame):
                frame = step.apply(frame, new=True)
        return frame

    def fitting(self, frame: pd.DataFrame) -> tuple[Recipe, pd.DataFrame, tuple[str, ...]]:
        """Return the steps that fit a table, the table they make, and why the others do not fit."""
        steps, reasons = [], []
        for step in self.steps:
            why = _misfit(step, frame)
            try:
                frame = frame if why else step.apply(frame)
            except DataError as problem:
                why = str(problem)
            if why:
                reasons.append(f"{step.said} Not possible: {why.rstrip('.')}.")
            else:
                steps.append(step)
        return Recipe(steps), frame, tuple(reasons)

    def renamed(self, name: str) -> str:
        """Return what a column is called in the end.

        Examples
        --------
        >>> Recipe([Codebook({"y": {"name": "outcome"}}, {})]).renamed("y")
        'outcome'
        """
        for step in self.steps:
            name = step.renames.get(name, name)
        return name

    def first_name(self, name: str) -> str:
        """Return what a column was called at first."""
        for step in reversed(self.steps):
            name = next((old for old, new in step.renames.items() if new == name), name)
        return name

    @property
    def codebook(self) -> Codebook:
        """The names of columns and values; the last step that gives any."""
        books = [step for step in self.steps if isinstance(step, Codebook)]
        return books[-1] if books else Codebook({}, {})

    def plus(self, *steps: Step) -> Recipe:
        """Return the recipe with more steps; a codebook is the last one, and takes the place of another."""
        every = (*self.steps, *steps)
        books = [step for step in every if isinstance(step, Codebook) and step.names]
        return Recipe((*(step for step in every if not isinstance(step, Codebook)), *books[-1:]))

    def without(self, place: int) -> Recipe:
        """Return the recipe without the step at a place, from 0."""
        return Recipe(tuple(step for at, step in enumerate(self.steps) if at != place))

    def to_list(self) -> list[dict[str, Any]]:
        """Return the steps as plain values for JSON."""
        return [step.to_dict() for step in self.steps]

    def to_json(self) -> str:
        """Return the recipe as the text of a file."""
        steps = ",\n  ".join(json.dumps(step, ensure_ascii=False) for step in self.to_list())
        return f'{{"format": "{FORMAT}", "version": {VERSION}, "steps": [\n  {steps}\n]}}\n'

    @classmethod
    def from_json(cls, text: str, name: str = "the recipe") -> Recipe:
        """Read a recipe from the text of a file, or from a bare list of steps.

        Examples
        --------
        >>> Recipe.from_json('[{"do": "leave out", "columns": ["id"]}]').steps[0].said
        'id: left out.'
        """
        try:
            record = json.loads(text)
        except ValueError as problem:
            raise DataError(f"{name} is not JSON ({problem}): save it again.") from None
        if isinstance(record, dict):
            if record.get("format") != FORMAT or not isinstance(record.get("steps"), list):
                raise DataError(
                    f"{name} is not a recipe: it needs the format {FORMAT!r} and a list of steps."
                )
            if record.get("version") != VERSION:
                raise DataError(
                    f"{name} is of version {record.get('version')!r}, but this program reads {VERSION}: "
                    "update pgm_nb."
                )
            record = record["steps"]
        if not isinstance(record, list):
            raise DataError(f"{name} is not a recipe: it must be a list of steps.")
        return cls(record)

    @classmethod
    def read(cls, source: str | Path | IO[Any]) -> Recipe:
        """Read a recipe from a JSON file."""
        data, name = file_bytes(source)
        try:
            return cls.from_json(data.decode(), name)
        except UnicodeDecodeError:
            raise DataError(f"{name} is not a recipe: it is not UTF-8 text.") from None

    def save(self, path: str | Path) -> None:
        """Write the recipe to a JSON file."""
        write_atomically(path, self.to_json().encode())

    def pack(self) -> str:
        """Return the recipe as one short word for an address.

        Examples
        --------
        >>> recipe = Recipe([{"do": "number names"}])
        >>> Recipe.unpack(recipe.pack()) == recipe
        True
        """
        text = json.dumps(self.to_list(), ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")

    @classmethod
    def unpack(cls, word: str) -> Recipe:
        """Read what `pack` wrote; whatever else it is, is refused."""
        try:
            packed = base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_", validate=True)
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(packed, MOST_PACKED)
            if unpacker.unconsumed_tail:
                raise DataError("the recipe in this address is too long.")
            return cls.from_json(text.decode())
        except (ValueError, zlib.error, TypeError, AttributeError, RecursionError) as problem:
            raise DataError(f"the recipe in this address cannot be read ({problem}).") from None


def repair(frame: pd.DataFrame, recipe: Recipe | Iterable[Step | Mapping[str, Any]]) -> pd.DataFrame:
    """Return a table as a recipe repairs it; the given one is not changed.

    Parameters
    ----------
    frame
        The table, as `read_table` gives it.
    recipe
        A `Recipe`, or a list of steps as plain values.

    Examples
    --------
    >>> repair(pd.DataFrame({"dose": ["1,5 mg"]}), [{"do": "read numbers", "column": "dose", "decimal": ",",
    ...     "unit": "mg"}])
       dose
    0   1.5
    """
    return (recipe if isinstance(recipe, Recipe) else Recipe(recipe)).apply(frame)


def _misfit(step: Step, frame: pd.DataFrame) -> str:
    twice = frame.columns[frame.columns.duplicated()].unique()
    if len(twice) and not isinstance(step, NumberNames):
        return (
            f"more than one column is named {listed([repr(name) for name in twice])}; number the names first"
        )
    return step.missing_from(frame)


def preview(frame: pd.DataFrame, step: Step, most: int = 8) -> pd.DataFrame:
    """Return what a step changes: before, after, and in how many rows; the commonest changes first.

    Parameters
    ----------
    frame
        The table to which it would be applied.
    step
        The step.
    most
        How many different changes are listed.

    Examples
    --------
    >>> from pgm_nb.data.repairs import NotMeasured
    >>> preview(pd.DataFrame({"insulin": [0, 14, 0]}), NotMeasured("insulin", (0,)))
      before    after  rows
    0      0  (empty)     2
    """
    if isinstance(step, LeaveOutRows):
        rows = len(frame) - len(step.apply(frame))
        return _listed([(f"{step.column} {EMPTY}", "the row is left out", rows)])
    if isinstance(step, LeaveOut):
        return _listed([(name, "left out", len(frame)) for name in step.columns])
    if not step.names:
        after = [str(name) for name in step.apply(frame.head(1)).columns]
        changed = zip(map(str, frame.columns), after, strict=True)
        return _listed([(old, new, len(frame)) for old, new in changed if old != new])
    [name, *_] = step.names
    used = frame[[column for column in step.names if column in frame.columns]]
    after_cells = step.apply(used).iloc[:, 0]
    pairs = pd.DataFrame({"before": _texts(frame[name]), "after": _texts(after_cells)})
    differ = pairs[pairs["before"] != pairs["after"]]
    counts = (pairs if differ.empty else differ).value_counts().head(most)  # the same, read as numbers
    return counts.rename("rows").reset_index()


def _texts(cells: pd.Series) -> pd.Series:
    return cells.astype(object).map(as_text, na_action="ignore").where(cells.notna(), EMPTY)


def _listed(changes: list[tuple[str, str, int]]) -> pd.DataFrame:
    return pd.DataFrame(changes, columns=["before", "after", "rows"])
