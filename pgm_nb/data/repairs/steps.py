"""The steps that repair columns, values, numbers and dates."""

from __future__ import annotations

import datetime
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import ClassVar

import numpy as np
import pandas as pd
from pandas.api import types

from pgm_nb.arrays import Floats
from pgm_nb.data.cuts import bin_codes
from pgm_nb.data.frame import numbers
from pgm_nb.data.labels import interval_labels, unique_labels
from pgm_nb.data.repairs.step import (
    Step,
    Value,
    as_text,
    as_texts,
    as_values,
    counted,
    is_measured,
    mapped,
    replaced,
    which,
)
from pgm_nb.errors import DataError
from pgm_nb.words import listed, plural, together

__all__ = [
    "LIMIT",
    "SIGN",
    "UNIT",
    "Cut",
    "FromDate",
    "KeepCommon",
    "LeaveOut",
    "LeaveOutRows",
    "Merge",
    "NotMeasured",
    "NumberNames",
    "ReadNumbers",
    "check_settled",
    "date_form",
    "days_of",
    "quoted_all",
    "read_texts",
]


@dataclass(frozen=True)
class NumberNames(Step):
    """Number the columns whose name occurs before: ``dose``, ``dose (2)``.

    Examples
    --------
    >>> twice = pd.DataFrame([[1, 2]], columns=["dose", "dose"])
    >>> list(NumberNames().apply(twice))
    ['dose', 'dose (2)']
    """

    do: ClassVar[str] = "number names"

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the table with a name of its own for every column."""
        return frame.set_axis(list(unique_labels(str(name) for name in frame.columns)), axis=1)

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        return "Columns with the same name are numbered."


@dataclass(frozen=True)
class LeaveOut(Step):
    """Leave columns out.

    Examples
    --------
    >>> list(LeaveOut(["id"]).apply(pd.DataFrame({"id": [1], "age": [40]})))
    ['age']
    """

    do: ClassVar[str] = "leave out"
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", as_texts(self.columns, "the columns to leave out"))

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the table without the columns."""
        return frame.drop(columns=[name for name in self.columns if name in frame.columns])

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        return f"{together(self.columns)}: left out."

    def missing_from(self, frame: pd.DataFrame) -> str:
        """Return nothing: a column that is not there need not be left out."""
        return ""


@dataclass(frozen=True)
class LeaveOutRows(Step):
    """Leave out the rows in which a column, the class, is empty; rows to be classified stay.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [40, 50], "class": ["ill", None]})
    >>> len(LeaveOutRows("class").apply(frame)), len(LeaveOutRows("class").apply(frame, new=True))
    (1, 2)
    """

    do: ClassVar[str] = "leave out rows"
    column: str

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the rows in which the column is not empty."""
        if new:
            return frame
        kept = frame[self.column].notna().to_numpy(dtype=np.bool_)
        if kept.all():
            return frame
        frame = frame[kept].reset_index(drop=True)
        cells = frame[self.column]
        if types.is_float_dtype(cells.dtype) and len(cells) and bool((cells % 1 == 0).all()):
            frame = replaced(frame, self.column, cells.astype(np.int64))  # 0 and 1 were 0.0 beside gaps
        return frame

    @property
    def names(self) -> tuple[str, ...]:
        """The column it needs."""
        return (self.column,)

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        return f"Rows in which {self.column} is empty are left out."


def quoted_all(values: tuple[Value, ...] | list[str]) -> str:
    """Return values as a sentence has them: numbers bare, texts in quotation marks.

    Examples
    --------
    >>> print(quoted_all((0, "k. A.")))
    0 and “k. A.”
    """
    shown = [f"“{value}”" if isinstance(value, str) else as_text(value) for value in values]
    return together(shown) if len(shown) <= 8 else listed(shown, 8)


@dataclass(frozen=True)
class OneColumn(Step):
    """A step that changes the cells of one column."""

    column: str

    @property
    def names(self) -> tuple[str, ...]:
        """The column it needs."""
        return (self.column,)

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the table with the changed column."""
        cells = frame[self.column]
        changed = self.change(cells, new=new)
        return frame if changed is cells else replaced(frame, self.column, changed)

    @abstractmethod
    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the changed column, or the very same one if nothing changes."""


@dataclass(frozen=True)
class NotMeasured(OneColumn):
    """Empty the cells whose value stands for "not measured".

    Examples
    --------
    >>> step = NotMeasured("insulin", [0])
    >>> step.apply(pd.DataFrame({"insulin": [0, 14, 0]}))["insulin"].tolist()
    [nan, 14.0, nan]
    >>> step.said
    'insulin: 0 means not measured.'
    """

    do: ClassVar[str] = "not measured"
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", as_values(self.values, "the values that mean not measured"))

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the column with those cells empty."""
        hit = which(cells, self.values)
        return cells.mask(hit) if hit.any() else cells

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        verb = "mean" if len(self.values) > 1 else "means"
        return f"{self.column}: {quoted_all(self.values)} {verb} not measured."


@dataclass(frozen=True)
class Merge(OneColumn):
    """Merge values of a column: each new name with the values that it takes the place of.

    Examples
    --------
    >>> step = Merge("colour", {"red": ["crimson", "scarlet"]})
    >>> step.apply(pd.DataFrame({"colour": ["crimson", "blue", "red"]}))["colour"].tolist()
    ['red', 'blue', 'red']
    """

    do: ClassVar[str] = "merge"
    groups: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        if not isinstance(self.groups, Mapping) or not self.groups:
            raise DataError("the groups to merge must be a mapping from a new name to a list of values.")
        groups = {
            as_text(name): as_texts(values, f"what becomes {name}") for name, values in self.groups.items()
        }
        every = [value for values in groups.values() for value in values]
        if len(set(every)) < len(every):
            twice = next(value for value in every if every.count(value) > 1)
            raise DataError(f"{self.column}: “{twice}” is in more than one group; leave it in one.")
        check_settled(self.column, {value: name for name, of in groups.items() for value in of})
        object.__setattr__(self, "groups", groups)

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the column with the new names."""
        return mapped(cells, {value: name for name, values in self.groups.items() for value in values})

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        parts = []
        for name, values in self.groups.items():
            others = [value for value in values if value != name]
            verb = "become" if len(others) > 1 else "becomes"
            parts.append(f"{quoted_all(others)} {verb} “{name}”")
        return f"{self.column}: {', '.join(parts)}."


@dataclass(frozen=True)
class KeepCommon(OneColumn):
    """Keep the common values of a column, and put all others together under one name.

    Examples
    --------
    >>> step = KeepCommon("ward", ["A", "B"], "other")
    >>> step.apply(pd.DataFrame({"ward": ["A", "X", "B", "Y"]}))["ward"].tolist()
    ['A', 'other', 'B', 'other']
    """

    do: ClassVar[str] = "keep common"
    keep: tuple[str, ...]
    other: str = "other"

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", as_texts(self.keep, "the values to keep"))

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the column with the rare values under one name."""
        kept = {*self.keep, self.other}
        return mapped(cells, {text: self.other for text in counted(cells) if text not in kept})

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        common = plural(len(self.keep), "common value")
        return f"{self.column}: {common} kept, all others become “{self.other}”."


def check_settled(column: str, names: Mapping[str, str]) -> None:
    """Refuse names that would be renamed once more: then it would matter how often a step is applied."""
    for value, name in names.items():
        if names.get(name, name) != name:
            raise DataError(
                f"{column}: “{value}” becomes “{name}”, which itself becomes “{names[name]}”; give it a name "
                "that is not one of the values."
            )


LIMIT = r"(?:[<>≤≥]=?\s*)?"  # "<5", below what the method can measure
SIGN = r"[-+\u2212]?"
UNIT = r"(?:[^\W\d_]|[°%‰€$£/])(?:\S|[ ](?=\S)){0,14}"
_PLAIN = re.compile(rf"{SIGN}(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
GROUPINGS = (".", ",", "'", " ")
_BLANKS = re.compile("[\u00a0\u202f\u2009]")


def read_texts(texts: Sequence[str], decimal: str = ".", grouping: str = "", unit: str = "") -> Floats:
    """Return the numbers that texts are, NaN where one is none.

    With a decimal comma a decimal point is read as well, unless it divides thousands. A number after a
    sign such as "<" is read as it stands.

    Examples
    --------
    >>> read_texts(["12,5 mg", "<3 mg", "k. A.", "1.250,5"], decimal=",", grouping=".", unit="mg").tolist()
    [12.5, 3.0, nan, 1250.5]
    """
    tail = rf"\s*(?:{re.escape(unit)})?" if unit else ""
    shape = re.compile(rf"{LIMIT}(.*?){tail}", re.IGNORECASE)
    grouped = re.compile(rf"{SIGN}\d{{1,3}}(?:{re.escape(grouping)}\d{{3}})+(?!\d)") if grouping else None

    def read(text: str) -> float:
        found = shape.fullmatch(_BLANKS.sub(" ", text.strip()))
        core = found[1].strip() if found else ""
        if grouped is not None and grouped.match(core):
            core = core.replace(grouping, "")
        if decimal == "," and grouping != ",":
            core = core.replace(",", ".", 1) if "." not in core else core
        if _PLAIN.fullmatch(core) is None:
            return float("nan")
        number = float(core.replace("\u2212", "-"))
        return number if isfinite(number) else float("nan")

    return np.array([read(text) for text in texts], dtype=np.float64)


@dataclass(frozen=True)
class ReadNumbers(OneColumn):
    """Read text as numbers: with decimal commas, a unit, and texts that mean "not measured".

    Examples
    --------
    >>> step = ReadNumbers("dose", decimal=",", unit="mg", not_measured=["k. A."])
    >>> step.apply(pd.DataFrame({"dose": ["12,5 mg", "k. A.", "8 mg"]}))["dose"].tolist()
    [12.5, nan, 8.0]
    """

    do: ClassVar[str] = "read numbers"
    decimal: str = "."
    grouping: str = ""  #: what divides thousands
    unit: str = ""  #: what stands behind the numbers
    not_measured: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.decimal not in (".", ",") or self.grouping not in ("", *GROUPINGS):
            raise DataError(
                f"{self.column}: numbers have a decimal point or comma, and thousands are divided by one of "
                f"{listed([repr(mark) for mark in GROUPINGS])} or nothing."
            )
        if not isinstance(self.unit, str):
            raise DataError(f"{self.column}: a unit is a text, such as 'mg', but it is {self.unit!r}.")
        if self.not_measured:
            marks = as_texts(self.not_measured, "the texts that mean not measured")
            object.__setattr__(self, "not_measured", marks)

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the column as numbers."""
        if is_measured(cells):
            return cells
        cells = cells.mask(which(cells, self.not_measured)) if self.not_measured else cells
        texts = [text for text in counted(cells) if text]
        found = read_texts(texts, self.decimal, self.grouping, self.unit)
        unread = [text for text, number in zip(texts, found, strict=True) if np.isnan(number)]
        if unread:
            row = int(which(cells, unread[:1]).argmax()) + 1
            raise DataError(
                f"column {self.column!r} holds {plural(len(unread), 'text')} that cannot be read as numbers, "
                f"such as “{unread[0]}” in row {row}: correct the cell, leave it empty, or say that it means "
                "not measured."
            )
        values = dict(zip(texts, found.tolist(), strict=True))
        written = cells.astype(object).map(as_text, na_action="ignore")
        return written.map({"": np.nan, **values}, na_action="ignore").astype(np.float64)

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        how = [
            *(["with decimal commas"] if self.decimal == "," else []),
            *([f"in {self.unit}"] if self.unit else []),
        ]
        marks = f"; {quoted_all(self.not_measured)} not measured" if self.not_measured else ""
        return f"{self.column}: read as numbers{' ' + ', '.join(how) if how else ''}{marks}."


@dataclass(frozen=True)
class Cut(OneColumn):
    """Cut a column of numbers into classes; a number equal to a cut point belongs to the lower one.

    Examples
    --------
    >>> step = Cut("pressure", [120, 140], ["normal", "raised", "high"])
    >>> step.apply(pd.DataFrame({"pressure": [110, 120, 130, 150]}))["pressure"].tolist()
    ['normal', 'normal', 'raised', 'high']
    """

    do: ClassVar[str] = "cut"
    cuts: tuple[float, ...]
    classes: tuple[str, ...] = ()  #: their names; by default the intervals

    def __post_init__(self) -> None:
        given = self.cuts if isinstance(self.cuts, list | tuple) else (self.cuts,)
        real = all(isinstance(cut, int | float) and not isinstance(cut, bool) for cut in given)
        if not given or not real or not all(map(isfinite, given)):
            raise DataError(
                f"{self.column}: the cut points must be numbers, at least one, not {self.cuts!r}."
            )
        cuts = tuple(float(cut) for cut in given)
        if any(low >= high for low, high in pairwise(cuts)):
            raise DataError(f"{self.column}: the cut points must ascend, but they are {listed(cuts)}.")
        object.__setattr__(self, "cuts", cuts)
        if self.classes:
            names = as_texts(self.classes, "the names of the classes")
            object.__setattr__(self, "classes", names)
            if len(names) != len(cuts) + 1 or len(set(names)) < len(names):
                raise DataError(
                    f"{self.column}: {plural(len(cuts), 'cut point')} give {len(cuts) + 1} classes, each "
                    f"with a name of its own, but the names are {listed(names)}."
                )

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, from the smallest numbers on."""
        return self.classes or interval_labels(self.cuts)

    def change(self, cells: pd.Series, *, new: bool) -> pd.Series:
        """Return the class of every number."""
        if not is_measured(cells):
            strange = [text for text in counted(cells) if text not in self.labels]
            if strange:
                raise DataError(
                    f"column {self.column!r} must hold numbers to be cut, but holds “{strange[0]}”: read it "
                    "as numbers first."
                )
            return cells
        found = numbers(cells)
        words = np.array([*self.labels, None], dtype=object)
        codes = np.where(np.isnan(found), len(self.labels), bin_codes(found, self.cuts))
        return pd.Series(words[codes], index=cells.index, name=cells.name)

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        return (
            f"{self.column}: cut into {plural(len(self.labels), 'class', 'classes')}: {listed(self.labels)}."
        )


FORMS = {  # how dates are written -> how pandas reads them
    "year-month-day": "%Y-%m-%d",
    "day.month.year": "%d.%m.%Y",
    "day.month.year (2 digits)": "%d.%m.%y",
    "day/month/year": "%d/%m/%Y",
    "month/day/year": "%m/%d/%Y",
    "year/month/day": "%Y/%m/%d",
    "day-month-year": "%d-%m-%Y",
}
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LEAST_SHARE = 0.9  # of the cells that must be dates
SEARCHED = 2_000  # cells that are looked at
_LIKE_A_DATE = r"\d{4}[-/]\d\d?[-/]\d\d?(?:[ T].*)?|\d\d?[./-]\d\d?[./-]\d{2,4}(?: .*)?"
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
PARTS = {"age": "age from {}", "month": "month of {}", "year": "year of {}"}


def days_of(cells: pd.Series, form: str = "year-month-day") -> pd.Series:
    """Return the days that the cells of a column are; what is none is empty.

    Examples
    --------
    >>> days_of(pd.Series(["03.04.1950", "k. A."]), "day.month.year").dt.year.tolist()
    [1950.0, nan]
    """
    if types.is_datetime64_any_dtype(cells.dtype):
        here: pd.Series = cells.dt.tz_localize(None) if cells.dt.tz is not None else cells
        days: pd.Series = here.dt.normalize()
        return days
    texts = cells.astype(object).map(lambda cell: re.split("[ T]", str(cell).strip())[0], na_action="ignore")
    if any(isinstance(cell, datetime.date) for cell in cells.dropna().head(1)):
        form = "year-month-day"
    return pd.to_datetime(texts, format=FORMS[form], errors="coerce")


def date_form(cells: pd.Series) -> str | None:
    """Return how the dates of a column are written; None if it holds none.

    Nine of ten cells must be dates. Where day and month cannot be told apart, the day comes first.

    Examples
    --------
    >>> date_form(pd.Series(["3/25/2020", "4/1/2020"])), date_form(pd.Series(["12.5", "13.5"]))
    ('month/day/year', None)
    """
    if types.is_datetime64_any_dtype(cells.dtype):
        return "year-month-day"
    if types.is_numeric_dtype(cells.dtype):
        return None
    found = cells.dropna()
    found = found.iloc[:: max(1, len(found) // SEARCHED)]
    if found.empty:
        return None
    if isinstance(found.iloc[0], datetime.date):
        return "year-month-day"
    texts = found.astype(str).str.strip()
    if texts.str.fullmatch(_LIKE_A_DATE).mean() < LEAST_SHARE:
        return None
    shares = {form: float(days_of(found, form).notna().mean()) for form in FORMS}
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= LEAST_SHARE else None


@dataclass(frozen=True)
class FromDate(Step):
    """Turn a date into an age in years, a month or a year; the column is renamed accordingly.

    Examples
    --------
    >>> frame = pd.DataFrame({"born": ["03.04.1950", "01.12.1960"], "seen": ["02.04.2020", "01.12.2020"]})
    >>> FromDate("born", "age", "day.month.year", on="seen").apply(frame)["age from born"].tolist()
    [69.0, 60.0]
    >>> FromDate("seen", "month", "day.month.year").apply(frame)["month of seen"].tolist()
    ['Apr', 'Dec']
    """

    do: ClassVar[str] = "date"
    column: str
    to: str
    form: str = "year-month-day"
    on: str = ""  #: for an age: a day (2026-11-17), or another column of dates

    def __post_init__(self) -> None:
        if self.to not in PARTS or self.form not in FORMS:
            raise DataError(
                f"{self.column}: a date becomes one of {listed([*PARTS])}, and is written as one of "
                f"{listed([*FORMS])}."
            )
        if (self.to == "age") != bool(self.on):
            raise DataError(
                f"{self.column}: an age needs a day (on='2026-11-17') or a column of dates, and nothing else "
                "does."
            )

    @property
    def result(self) -> str:
        """The name of the column that takes the place of the date."""
        return PARTS[self.to].format(self.column)

    @property
    def renames(self) -> dict[str, str]:
        """The column gets another name."""
        return {self.column: self.result}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it needs."""
        return (self.column,) if not self.on or _ISO.fullmatch(self.on) else (self.column, self.on)

    def missing_from(self, frame: pd.DataFrame) -> str:
        """Return why the step does not fit a table; nothing where it has been applied."""
        return "" if self.result in frame.columns else super().missing_from(frame)

    def apply(self, frame: pd.DataFrame, *, new: bool = False) -> pd.DataFrame:
        """Return the table with the age, month or year in the place of the date."""
        if self.column not in frame.columns:
            return frame
        days = days_of(frame[self.column], self.form)
        if frame[self.column].notna().any() and not days.notna().any():
            raise DataError(
                f"column {self.column!r} holds no date written {self.form}: such as "
                f"“{frame[self.column].dropna().iloc[0]}”."
            )
        if self.to == "month":
            numbered = days.dt.month.to_numpy(dtype=np.float64, na_value=np.nan)
            seen = np.unique(numbered[~np.isnan(numbered)]).astype(int)
            codes = np.where(np.isnan(numbered), -1, np.searchsorted(seen, numbered))
            months = pd.Index([MONTHS[month - 1] for month in seen])
            cells = pd.Series(pd.Categorical.from_codes(codes, categories=months, ordered=True))
        elif self.to == "year":
            cells = days.dt.year.astype(np.float64)
        else:
            cells = pd.Series(self._ages(frame, days))
        return replaced(frame, self.column, cells).rename(columns=self.renames)

    def _ages(self, frame: pd.DataFrame, days: pd.Series) -> Floats:
        """Return the completed years between the dates and the day on which they are counted."""
        if _ISO.fullmatch(self.on):
            at = pd.Series(pd.Timestamp(self.on), index=days.index)
        elif self.on in frame.columns:
            at = days_of(frame[self.on], self.form)
            if not at.notna().any():
                at = days_of(frame[self.on], date_form(frame[self.on]) or self.form)
        else:
            raise DataError(f"the table has no column {self.on!r}, on whose date the age is counted.")
        early = (at.dt.month * 100 + at.dt.day) < (days.dt.month * 100 + days.dt.day)
        years: Floats = (at.dt.year - days.dt.year - early).where(days.notna() & at.notna())
        return np.asarray(years, dtype=np.float64)

    @property
    def said(self) -> str:
        """What the step does, in one sentence."""
        if self.to != "age":
            return f"{self.column}: its {self.to} is used."
        return f"{self.column}: the age in years on {self.on} is used."
