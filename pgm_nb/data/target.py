"""The class column: guessed, checked, taken out of a table, and coded."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pgm_nb.data.class_guess import FEW, MOST_CLASSES, class_guess
from pgm_nb.data.frame import as_frame
from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed, plural

__all__ = [
    "check_class",
    "check_rows",
    "encode_target",
    "guess_class",
    "names_rows",
    "split_target",
    "unseen_classes",
]

_LABELS = ("string", "integer", "boolean")


def guess_class(frame: pd.DataFrame) -> str | None:
    """Guess the class column by its name, its values and its place; None if no column can be one.

    Examples
    --------
    >>> guess_class(pd.DataFrame({"Outcome": ["ill", "well"], "sex": ["f", "m"]}))
    'Outcome'
    >>> guess_class(pd.DataFrame({"sex": ["f", "m", "m"], "age": [40.5, 41.5, 42.5]}))
    'sex'
    """
    guess = class_guess(frame)
    return None if guess is None else guess.name


def check_class(column: pd.Series) -> None:
    """Refuse a class column with so many values that it must be a measurement or a name.

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
        f"{what}, not a class: choose a column with at most {MOST_CLASSES} values."
    )


def check_rows(X: Any, y: Any, n_rows: int) -> None:
    """Refuse a class column with more or fewer rows than the table; warn if its rows are in another order.

    Examples
    --------
    >>> check_rows(None, ["a", "b"], 3)
    Traceback (most recent call last):
    ...
    pgm_nb.errors.DataError: the table has 3 rows, but the class column has 2: give one class per row.
    """
    if len(y) != n_rows:
        raise DataError(
            f"the table has {plural(n_rows, 'row')}, but the class column has {len(y):,}: give one class "
            "per row."
        )
    mine, theirs = getattr(X, "index", None), getattr(y, "index", None)
    if not (isinstance(mine, pd.Index) and isinstance(theirs, pd.Index)) or mine.equals(theirs):
        return
    if mine.is_unique and theirs.is_unique and len(mine) == len(theirs) and mine.isin(theirs).all():
        warnings.warn(
            "The table and the class column have the same row labels in a different order. The first row "
            "gets the first class, and so on; if rows belong together by their labels, pass y.loc[X.index].",
            UserWarning,
            stacklevel=5,
        )


def names_rows(distinct: int, n_rows: int) -> bool:
    """Return whether a column has so many values that it names the rows instead of describing them.

    Examples
    --------
    >>> names_rows(80, 80), names_rows(40, 400)
    (True, False)
    """
    return distinct > FEW and 2 * distinct > n_rows


def split_target(frame: pd.DataFrame, target: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the attributes and the class column of a table.

    Parameters
    ----------
    frame
        A table, as `read_table` or `as_frame` gives it.
    target
        Name of the class column.

    Raises
    ------
    DataError
        The table has no such column, no rows or no other column, or the class is missing in some rows.

    Examples
    --------
    >>> import pandas as pd
    >>> X, y = split_target(pd.DataFrame({"age": [40, 50], "class": ["a", "b"]}), "class")
    >>> list(X), list(y)
    (['age'], ['a', 'b'])
    """
    frame = as_frame(frame)
    names = list(frame.columns)
    if target not in names:
        raise DataError(
            f"class column {target!r} is not in the table{did_you_mean(str(target), names)} "
            f"(columns: {listed(names)})."
        )
    y = frame[target]
    _check_present(y)
    if len(names) == 1:
        raise DataError(f"the table has no attributes: its only column is the class {target!r}; add columns.")
    return frame.drop(columns=target), y


def encode_target(y: object) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes in ascending order, in their own type, and the class code of every row.

    A declared pandas category without any row is a class, too: it may occur in rows to come.

    Raises
    ------
    DataError
        `y` is not one column, a class is missing, there are fewer than two classes, or the classes are
        measured numbers or a mixture of numbers and text.

    Examples
    --------
    >>> classes, codes = encode_target(["no", "yes", "no"])
    >>> print(classes, codes)
    ['no' 'yes'] [0 1 0]
    >>> classes, codes = encode_target(pd.Categorical(["no", "yes", "no"], ["no", "perhaps", "yes"]))
    >>> print(classes, codes)
    ['no' 'perhaps' 'yes'] [0 2 0]
    """
    values = np.asarray(y)
    if values.ndim != 1:
        raise DataError(f"y should be a 1d array, one class per row, but has shape {values.shape}.")
    _check_present(pd.Series(values))
    if values.dtype.kind == "O" and types.infer_dtype(values) == "floating":
        values = values.astype(np.float64)
    if values.dtype.kind in "fc":
        _check_labels(values)
    elif values.dtype.kind == "O" and types.infer_dtype(values) not in _LABELS:
        kinds = sorted({type(label).__name__ for label in values})
        are = f"of type {kinds[0]}" if len(kinds) == 1 else "mixed"
        raise DataError(
            "Unknown label type: the classes must be all text, all whole numbers or all booleans, but are "
            f"{are}, such as {listed([repr(label) for label in pd.unique(values)[:3]])}."
        )
    codes, found = pd.factorize(values, sort=True)
    classes = np.asarray(found).astype(values.dtype)
    if len(classes) < 2:
        raise DataError(
            f"at least two classes are needed, but there is only one class ({classes[0]!s}): choose "
            "another class column, or add rows of other classes."
        )
    declared = unseen_classes(y)
    if not declared:
        return classes, codes
    every = np.sort(np.concatenate([classes, np.array(declared, dtype=classes.dtype)]))
    return every, np.searchsorted(every, classes)[codes]


def unseen_classes(y: object) -> list[Any]:
    """Return the categories that a pandas Categorical declares and no row has; nothing of anything else.

    Examples
    --------
    >>> unseen_classes(pd.Categorical(["no", "no"], ["no", "yes"])), unseen_classes(["no"])
    (['yes'], [])
    """
    dtype = getattr(y, "dtype", None)
    if not isinstance(dtype, pd.CategoricalDtype):
        return []
    seen = set(np.asarray(y).tolist())
    return [label for label in dtype.categories.tolist() if label not in seen]


def _check_present(column: pd.Series) -> None:
    if len(column) == 0:
        raise DataError("the table has no rows, so there is no class to learn: add rows.")
    missing = np.flatnonzero(column.isna())
    if len(missing):
        rows = listed((missing + 1).tolist(), limit=5)
        raise DataError(
            f"the class is missing (NaN) in {plural(len(missing), 'row')} of {len(column):,} (row {rows}): "
            "fill it in, or leave those rows out."
        )


def _check_labels(values: NDArray[Any]) -> None:
    if values.dtype.kind == "c":
        raise DataError("Complex data not supported: the classes are complex numbers.")
    if np.isinf(values).any():
        raise DataError("the class column contains infinity: classes must be words or whole numbers.")
    if (values != np.floor(values)).any():
        odd = values[values != np.floor(values)][0]
        raise DataError(
            f"Unknown label type: the class column holds measured numbers (such as {odd}); classes must be "
            "words or whole numbers: bin the column first, or choose another class column."
        )


def _distinct(column: pd.Series) -> int:
    try:
        return int(column.nunique())
    except TypeError:  # cells that hold lists and the like cannot be classes
        return 0
