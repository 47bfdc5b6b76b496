"""The class column: guessed, checked, taken out of a table, and coded."""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pgm_nb.data.frame import as_frame, check_characters, empty_cells
from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed, plural

__all__ = [
    "FEW",
    "MOST_CLASSES",
    "USUAL_NAMES",
    "ClassGuess",
    "as_labels",
    "check_class",
    "check_rows",
    "class_guess",
    "encode_target",
    "names_rows",
    "split_target",
    "target_name",
    "unseen_classes",
]

USUAL_NAMES = ("class", "target", "label", "outcome", "diagnosis")
_CLASS_WORDS = """
classification category group result response status survived survival disease y klasse diagnose ergebnis
zielgröße classe diagnostic diagnóstico diagnosi species type grade letter lettr digit num"""
_ATTRIBUTE_WORDS = """
age sex gender id nr no name date time day month year weight height born birth race country city site ward
alter geschlecht datum gewicht größe edad sexo âge sexe"""
OTHER_NAMES, ATTRIBUTES = frozenset(_CLASS_WORDS.split()), frozenset(_ATTRIBUTE_WORDS.split())
FEW = 20  # distinct values up to which a column of numbers may be guessed to be the class
MOST_CLASSES = 100
LOOKED_AT = 2000  # rows
PER_CLASS = 10  # rows that every value of a class has on average
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class ClassGuess:
    """A column that is probably the class, and why."""

    name: str
    why: str  #: the rest of a sentence that begins with "because"
    named: bool = False  #: it is called class, so nobody need ask


@dataclass(frozen=True)
class _Column:
    """What is known about a column that may be the class."""

    states: frozenset[str]
    words: bool  #: not numbers
    points: float = 0.0


def class_guess(frame: pd.DataFrame) -> ClassGuess | None:
    """Guess the class column; None if no column can be one.

    A column with a usual name is taken at once. Otherwise a column is the likelier the class the more of this
    is true: it stands last or first; it holds words where the others hold numbers; few other columns have
    the same values; its name is not one of a series (x1, x2, …), and not that of a usual attribute, such as
    age.

    Examples
    --------
    >>> class_guess(pd.DataFrame({"Outcome": ["ill", "well"], "sex": ["f", "m"]}))
    ClassGuess(name='Outcome', why='of its name', named=False)
    >>> table = pd.DataFrame({"shape": [*"AABB"], "x1": [3, 1, 2, 2], "x2": [1, 2, 3, 1]})
    >>> print(class_guess(table).name, "because", class_guess(table).why)
    shape because it is the only column of words
    """
    names = [str(name) for name in frame.columns]
    by_name = {name.strip().casefold(): name for name in reversed(names)}
    for usual in USUAL_NAMES:
        if usual in by_name:
            return ClassGuess(by_name[usual], "of its name", usual == "class")
    step = max(1, len(frame) // LOOKED_AT)
    columns = [_looked_at(frame.iloc[::step, place]) for place in range(len(names))]
    sharing = Counter(column.states for column in columns if column is not None)
    series = Counter(_stem(name) for name in names)
    worded = [place for place in range(len(names)) if not types.is_numeric_dtype(frame.dtypes.iloc[place])]
    best: tuple[float, int] | None = None
    for place, column in enumerate(columns):
        if column is None:
            continue
        points = column.points + _place_points(place, len(names)) + _name_points(names[place])
        alike = (sharing[column.states] - 1) / max(len(names) - 1, 1)
        points -= 2 * alike + 2 * (series[_stem(names[place])] > 2)
        points += 3 * ((column.words and 5 * len(worded) <= len(names)) or worded == [place])
        if best is None or (points, place) >= best:
            best = points, place
    if best is None:
        return None
    return ClassGuess(names[best[1]], _why(names, best[1], worded))


def _looked_at(cells: pd.Series) -> _Column | None:
    """Return what a column holds if it can be the class: few values, no measured numbers."""
    words = not types.is_numeric_dtype(cells.dtype)
    present = cells.dropna()
    if types.is_datetime64_any_dtype(cells.dtype) or (not words and bool((present % 1 != 0).any())):
        return None
    try:
        codes, found = pd.factorize(present)
    except TypeError:  # cells that hold lists and the like cannot be classes
        return None
    most = MOST_CLASSES if words else FEW
    if not 2 <= len(found) <= most or (len(found) > FEW and PER_CLASS * len(found) > len(present)):
        return None
    commonest = np.bincount(codes).max() / len(codes)
    points = -(len(found) > FEW) - (commonest > 0.97) - 2.0 * (len(present) < 0.9 * len(cells))
    return _Column(frozenset(map(str, found)), words, points)


def _place_points(place: int, n_columns: int) -> float:
    return 3.0 if place == n_columns - 1 else 2.0 if place == 0 else 0.0


def _name_points(name: str) -> float:
    words = [word.casefold() for word in _WORD.findall(name)]
    if any(word in USUAL_NAMES for word in words):
        return 4.0
    if name.strip().casefold() in OTHER_NAMES:
        return 2.0
    return -4.0 if any(word in ATTRIBUTES for word in words) else 0.0


def _stem(name: str) -> str:
    """Return a name without the number that it ends on; the whole name if it has none."""
    stem = re.sub(r"\d+$", "", name)
    return f"{stem}#" if stem != name else name


def _why(names: list[str], place: int, worded: list[int]) -> str:
    if _name_points(names[place]) > 0:
        return "of its name"
    if worded == [place]:
        return "it is the only column of words"
    where = "last" if place == len(names) - 1 else "first" if place == 0 else ""
    return f"it stands {where} and has few values" if where else "it has few values"


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


def as_labels(y: object) -> NDArray[Any]:
    """Return the class of every row as text, whole numbers or booleans in a type of NumPy.

    Raises
    ------
    DataError
        `y` is not one column, a class is missing, or the classes are measured numbers, numbers that no
        64 bits hold, broken text, or a mixture.

    Examples
    --------
    >>> as_labels(pd.Series([1, 0], dtype=object)), as_labels(pd.Series([True, False], dtype="boolean"))
    (array([1, 0]), array([ True, False]))
    """
    values = np.asarray(y)
    if values.ndim != 1:
        raise DataError(f"y should be a 1d array, one class per row, but has shape {values.shape}.")
    if values.dtype.kind in "fc":
        _check_present(values)
        _check_labels(values)
    elif values.dtype.kind == "U":
        check_characters(values, "the class column")
    if values.dtype.kind in "SOV":
        return _plain_objects(values.astype(object))
    _check_present(values)
    return values


def _plain_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return classes of any type in one of NumPy's, text as it is."""
    found = types.infer_dtype(values, skipna=True)
    _check_present(values)
    if found == "string":
        check_characters(values, "the class column")
        return values
    if found == "boolean":
        return values.astype(np.bool_)
    if found == "floating":
        return as_labels(values.astype(np.float64))
    if found != "integer":
        kinds = sorted({type(label).__name__ for label in values})
        are = f"of type {kinds[0]}" if len(kinds) == 1 else "mixed"
        raise DataError(
            "Unknown label type: the classes must be all text, all whole numbers or all booleans, but are "
            f"{are}, such as {listed([repr(label)[:40] for label in values[:3].tolist()])}."
        )
    for whole in (np.int64, np.uint64):
        with suppress(OverflowError):
            return values.astype(whole)
    raise DataError(
        "the classes are whole numbers that 64 bits do not hold: write them as text, which keeps every digit."
    )


def target_name(y: object, names: Sequence[str] = ()) -> str:
    """Return the name of the class: that of the Series, else "class"; never that of an attribute.

    Examples
    --------
    >>> target_name(pd.Series([1], name="ill"), ["age"]), target_name([1], ["class"])
    ('ill', 'class_')
    """
    name = getattr(y, "name", None)
    target = "class" if name is None else str(name)
    check_characters([target], "the name of the class")
    while target in names:
        target += "_"
    return target


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
    values = as_labels(y)
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
    every = np.sort(as_labels(np.array([*classes.tolist(), *declared], dtype=object)))
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


def _check_present(column: pd.Series | NDArray[Any]) -> None:
    if len(column) == 0:
        raise DataError("the table has no rows, so there is no class to learn: add rows.")
    missing = np.flatnonzero(empty_cells(np.asarray(column)))
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
