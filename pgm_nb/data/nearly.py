"""Columns that would be numbers but for a few cells, such as "k. A." or "not done"."""

import pandas as pd
from pandas.api import types

__all__ = ["foreign_marks"]

MOST_MARKS = 5  # different texts that may stand for "no number"
LEAST_SHARE = 0.5  # of the cells that must be numbers
_NUMBER = r"\s*[-+−]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?\s*"


def foreign_marks(cells: pd.Series) -> tuple[str, ...]:
    """Return the texts that keep a column from being numbers, the commonest first.

    At least half of the cells must be numbers, with a decimal point or comma, and all others share a few
    texts; else nothing is returned.

    Examples
    --------
    >>> foreign_marks(pd.Series(["12,5", "13,1", "k. A.", "11,9"]))
    ('k. A.',)
    >>> foreign_marks(pd.Series(["p1", "p2", "p3"]))
    ()
    """
    if types.is_numeric_dtype(cells.dtype) or types.is_datetime64_any_dtype(cells.dtype):
        return ()
    words = cells.dropna().astype(str)
    numbers = words.str.fullmatch(_NUMBER).astype(bool)
    others = words[~numbers].str.strip().value_counts()
    if others.empty or len(others) > MOST_MARKS or numbers.mean() < LEAST_SHARE:
        return ()
    return tuple(str(mark) for mark in others.index)
