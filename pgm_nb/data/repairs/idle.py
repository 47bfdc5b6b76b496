"""Columns that say nothing about new cases: identifiers, free text, constants, dates as they are."""

from __future__ import annotations

import re

import pandas as pd
from pandas.api import types

from pgm_nb.data.class_guess import FEW
from pgm_nb.data.repairs.dates import date_form
from pgm_nb.data.repairs.find_numbers import reading_of
from pgm_nb.data.target import names_rows

__all__ = [
    "DATES",
    "EMPTY",
    "FREE_TEXT",
    "MIXED",
    "NAMES_ROWS",
    "NUMBERS_ROWS",
    "ONE_VALUE",
    "idle_columns",
    "idle_reason",
]

ONE_VALUE = "One value only: it carries no information."
EMPTY = "Every cell is empty."
NAMES_ROWS = "A different value in almost every row: it identifies the rows."
NUMBERS_ROWS = "Numbers the rows, like a patient number."
FREE_TEXT = "Free text: almost no two rows have the same."
DATES = "Dates: to use them, turn them into an age, a month or a year."
MIXED = "Numbers and words mixed: make all its cells numbers, or all words."
LONG = 30  # letters of a free text on average
_NUMBERED = re.compile(r"(?:^|[\W_])(?:id|nr|no|pid|uid|mrn|key|index|number|nummer)$", re.IGNORECASE)


def idle_reason(cells: pd.Series, n_values: int | None = None) -> str:
    """Return why a column is left out unless somebody wants it; empty if it is used.

    A column of numbers that were read as text is never left out.

    Examples
    --------
    >>> idle_reason(pd.Series([7, 7, 7]))
    'One value only: it carries no information.'
    >>> idle_reason(pd.Series(range(30)))
    'Numbers the rows, like a patient number.'
    """
    if types.is_float_dtype(cells.dtype):  # fast, because most columns of most tables are measured
        low, high = cells.min(), cells.max()
        return EMPTY if low != low else ONE_VALUE if low == high and cells.notna().all() else ""
    if types.is_datetime64_any_dtype(cells.dtype):
        return DATES
    distinct = _distinct(cells) if n_values is None else n_values
    if distinct == 0:
        return EMPTY
    if distinct == 1:
        return "" if cells.isna().any() else ONE_VALUE
    if types.is_numeric_dtype(cells.dtype):
        return NUMBERS_ROWS if _numbers_rows(cells, distinct) else ""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        return NAMES_ROWS if names_rows(distinct, len(cells)) else ""
    if date_form(cells) is not None:
        return DATES
    mixed = types.infer_dtype(cells, skipna=True) not in ("string", "boolean", "decimal")
    if not (mixed or names_rows(distinct, len(cells))) or reading_of(cells) is not None:
        return ""
    if mixed:
        return MIXED
    words = cells.dropna().astype(str)
    return FREE_TEXT if words.str.len().mean() > LONG else NAMES_ROWS


def _numbers_rows(cells: pd.Series, distinct: int) -> bool:
    """Return whether whole numbers count the rows, or are all different in a column called a number."""
    if not types.is_integer_dtype(cells.dtype) or distinct < len(cells) or distinct <= FEW:
        return False
    span = int(cells.max()) - int(cells.min()) + 1
    return span == distinct or _NUMBERED.search(str(cells.name).strip()) is not None


def idle_columns(frame: pd.DataFrame) -> dict[str, str]:
    """Return the columns that are left out unless somebody wants them, with the reason.

    Examples
    --------
    >>> idle_columns(pd.DataFrame({"age": [40, 50], "site": ["B", "B"]}))
    {'site': 'One value only: it carries no information.'}
    """
    found = {str(name): idle_reason(cells) for name, cells in frame.items()}
    return {name: reason for name, reason in found.items() if reason}


def _distinct(cells: pd.Series) -> int:
    try:
        return int(cells.nunique())
    except TypeError:  # cells that hold lists and the like
        return int(cells.astype(str).nunique())
