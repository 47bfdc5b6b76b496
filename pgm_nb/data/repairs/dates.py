"""Dates become ages, months or years."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from pandas.api import types

from pgm_nb.arrays import Floats
from pgm_nb.data.repairs.cells import replaced
from pgm_nb.data.repairs.step import Step
from pgm_nb.errors import DataError
from pgm_nb.words import listed

__all__ = ["FORMS", "MONTHS", "FromDate", "date_form", "days_of"]

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
