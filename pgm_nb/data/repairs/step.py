"""A step of a repair: what it is called, how it is written, and what it does to cells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pgm_nb.data.frame import is_number, numbers
from pgm_nb.data.labels import number_label
from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed

__all__ = [
    "Step",
    "as_step",
    "as_text",
    "as_texts",
    "as_values",
    "counted",
    "is_measured",
    "mapped",
    "replaced",
    "which",
]

Value = str | int | float | bool


def as_text(cell: Any) -> str:
    """Return a cell as it is read: numbers in their shortest form, text without outer blanks.

    Examples
    --------
    >>> as_text(1.0), as_text(" k. A. "), as_text(True)
    ('1', 'k. A.', 'True')
    """
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell))
    if isinstance(cell, int | np.integer):
        return str(int(cell))
    return number_label(float(cell)) if isinstance(cell, float | np.floating) else str(cell).strip()


def as_values(values: object, what: str) -> tuple[Value, ...]:
    """Return values that a recipe names, checked: text and numbers."""
    given = values if isinstance(values, list | tuple) else (values,)
    if not given or not all(isinstance(value, str | int | float) for value in given):
        raise DataError(f"{what} must be a list of texts and numbers, but is {values!r}.")
    return tuple(value.strip() if isinstance(value, str) else value for value in given)


def as_texts(values: object, what: str) -> tuple[str, ...]:
    """Return values that a recipe names as texts."""
    return tuple(as_text(value) for value in as_values(values, what))


def is_measured(column: pd.Series) -> bool:
    """Return whether a column holds numbers, and not truth values or declared categories."""
    numeric = types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype)
    return bool(numeric) and not isinstance(column.dtype, pd.CategoricalDtype)


def _coded(column: pd.Series) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the place of every cell among the distinct ones (-1: empty), and those; numbers ascending."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        used = column.cat.remove_unused_categories().cat
        return np.asarray(used.codes, dtype=np.intp), used.categories.tolist()
    codes, found = pd.factorize(column, sort=is_number(column))
    return codes.astype(np.intp), list(found.tolist())


def counted(column: pd.Series) -> dict[str, int]:
    """Return how many cells hold each text; the commonest first, empty cells left aside.

    Examples
    --------
    >>> counted(pd.Series(["b", "a", "b ", None]))
    {'b': 2, 'a': 1}
    """
    codes, found = _coded(column)
    found_times: dict[str, int] = {}
    for value, count in zip(found, np.bincount(codes[codes >= 0], minlength=len(found)), strict=True):
        found_times[as_text(value)] = found_times.get(as_text(value), 0) + int(count)
    return dict(sorted(found_times.items(), key=lambda item: -item[1]))


def which(column: pd.Series, values: Iterable[Value]) -> NDArray[np.bool_]:
    """Return which cells hold one of the values; numbers are compared as numbers.

    Examples
    --------
    >>> which(pd.Series([0.0, 1.5, 0.0]), ["0"]).tolist(), which(pd.Series(["x ", "y"]), ["x"]).tolist()
    ([True, False, True], [True, False])
    """
    if is_measured(column):
        wanted = [number for value in values if (number := _number(value)) is not None]
        return np.isin(numbers(column), wanted)
    texts = {as_text(value) for value in values}
    codes, found = _coded(column)
    hit = np.array([as_text(value) in texts for value in found] + [False])
    return hit[codes]


def _number(value: Value) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def mapped(column: pd.Series, names: Mapping[str, str]) -> pd.Series:
    """Return a column with other names for some of its values; what has none is kept as it is read.

    If no cell changes, the column is returned as it is. Values with an order, such as the codes 1, 2, 3 or
    declared categories, become categories in that order.

    Examples
    --------
    >>> mapped(pd.Series([1, 0, None]), {"0": "healthy", "1": "diabetic"}).tolist()
    ['diabetic', 'healthy', nan]
    """
    codes, found = _coded(column)
    before = [as_text(value) for value in found]
    after = [names.get(text, text) for text in before]
    if not any(old in names and names[old] != old for old in before):
        return column
    every = list(dict.fromkeys(after))
    place = np.array([every.index(name) for name in after] + [-1])
    if is_number(column) or isinstance(column.dtype, pd.CategoricalDtype):
        ordered = isinstance(column.dtype, pd.CategoricalDtype) and bool(column.cat.ordered)
        cells = pd.Categorical.from_codes(place[codes], categories=pd.Index(every), ordered=ordered)
        return pd.Series(cells, index=column.index, name=column.name)
    words = np.array([*every, np.nan], dtype=object)
    return pd.Series(words[place[codes]], index=column.index, name=column.name)


def replaced(frame: pd.DataFrame, name: str, column: pd.Series) -> pd.DataFrame:
    """Return the table with another column in the place of one; the given table is not changed."""
    place = frame.columns.get_loc(name)
    if not isinstance(place, int):
        raise DataError(f"more than one column is named {name!r}: number the names first.")
    frame = frame.copy(deep=False)
    frame.isetitem(place, column.array)
    return frame


STEPS: dict[str, type[Step]] = {}  #: what a step does -> its class


@dataclass(frozen=True)
class Step(ABC):
    """One change of a table; pure, and the same for the same table.

    A step that has been applied changes nothing when it is applied again, so that cells which are already
    repaired pass as they are.
    """

    do: ClassVar[str]  #: what JSON calls it

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "do" in vars(cls):
            STEPS[cls.do] = cls

    @abstractmethod
    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the changed table; of `new` rows, to be classified, none is left out."""

    @property
    @abstractmethod
    def said(self) -> str:
        """What the step does, in one sentence."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it needs."""
        return ()

    @property
    def renames(self) -> Mapping[str, str]:
        """Columns that get another name."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain values for JSON; what stands at its default is left out."""
        said = {
            field.name: _plain(getattr(self, field.name))
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        return {"do": self.do, **said}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the step that `to_dict` wrote."""
        known = {field.name: field for field in fields(cls)}
        given = {key: value for key, value in record.items() if key != "do"}
        strange = [key for key in given if key not in known]
        absent = [name for name, field in known.items() if field.default is MISSING and name not in given]
        if strange or absent:
            wrong = f"has no part {strange[0]!r}" if strange else f"needs {absent[0]!r}"
            raise DataError(f"a step {cls.do!r} {wrong} (its parts: {listed([*known])}).")
        return cls(**given)

    def missing_from(self, frame: pd.DataFrame) -> str:
        """Return why the step does not fit a table, in a few words; empty if its columns are there."""
        columns = [str(name) for name in frame.columns]
        for name in self.names:
            if name not in columns and self.renames.get(name) not in columns:
                return f"the table has no column {name!r}{did_you_mean(name, columns)}"
        return ""


def as_step(record: object) -> Step:
    """Read a step from plain values.

    Examples
    --------
    >>> as_step({"do": "not measured", "column": "insulin", "values": [0]}).said
    'insulin: 0 means not measured.'
    >>> as_step({"do": "leaves out"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pgm_nb.errors.DataError: there is no step 'leaves out' in a recipe; did you mean 'leave out'? (steps: ...
    """
    if isinstance(record, Step):
        return record
    if not isinstance(record, Mapping) or not isinstance(record.get("do"), str):
        raise DataError(
            f"a step of a recipe says what it does, such as {{'do': 'leave out', ...}}, not {record!r}."
        )
    kind = STEPS.get(record["do"])
    if kind is None:
        raise DataError(
            f"there is no step {record['do']!r} in a recipe{did_you_mean(record['do'], STEPS)} "
            f"(steps: {listed([*STEPS])})."
        )
    return kind.from_dict(record)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
