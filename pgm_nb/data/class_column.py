"""Which column is the class: a sensible guess, and a check of the choice."""

import pandas as pd
from pandas.api import types

from pgm_nb.errors import DataError

__all__ = ["check_class", "guess_class", "names_rows"]

USUAL_NAMES = ("class", "target", "label", "outcome", "diagnosis")
FEW = 20  # distinct values up to which a column may be guessed to be the class
MOST_CLASSES = 100


def guess_class(frame: pd.DataFrame) -> str | None:
    """Guess the class column: one with a usual name, else the last one with few values, else None.

    Examples
    --------
    >>> guess_class(pd.DataFrame({"Outcome": ["ill", "well"], "sex": ["f", "m"]}))
    'Outcome'
    >>> guess_class(pd.DataFrame({"sex": ["f", "m", "m"], "age": [40.5, 41.5, 42.5]}))
    'sex'
    """
    by_name = {str(name).strip().lower(): str(name) for name in reversed(frame.columns)}
    for usual in USUAL_NAMES:
        if usual in by_name:
            return by_name[usual]
    for position in reversed(range(frame.shape[1])):
        column = frame.iloc[:, position]
        if not _is_measured(column) and 2 <= _distinct(column) <= FEW:
            return str(frame.columns[position])
    return None


def check_class(column: pd.Series) -> None:
    """Refuse a class column with so many values that it is a measurement or a name.

    Examples
    --------
    >>> check_class(pd.Series(["ill", "well"], name="outcome"))
    """
    distinct = _distinct(column)
    if distinct <= MOST_CLASSES and not names_rows(distinct, len(column)):
        return
    what = "a measurement" if types.is_numeric_dtype(column.dtype) else "a name or an identifier"
    raise DataError(
        f"'{column.name}' has {distinct:,} different values in {len(column):,} rows, so it looks like "
        f"{what}, not a class: choose a column that sorts the rows into at most {MOST_CLASSES} groups."
    )


def names_rows(distinct: int, n_rows: int) -> bool:
    """Tell whether a column has so many values that it names the rows rather than describing them.

    Examples
    --------
    >>> names_rows(80, 80), names_rows(40, 400)
    (True, False)
    """
    return distinct > FEW and 2 * distinct > n_rows


def _is_measured(column: pd.Series) -> bool:
    """Tell whether a column holds numbers with a fraction."""
    return types.is_float_dtype(column.dtype) and bool((column.dropna() % 1 != 0).any())


def _distinct(column: pd.Series) -> int:
    try:
        return int(column.nunique())
    except TypeError:  # lists and the like inside the cells: no class, as learning would say
        return 0
