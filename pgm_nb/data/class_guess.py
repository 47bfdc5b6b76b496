"""Guess which column is the class, by what it is called, what it holds and where it stands."""

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api import types

__all__ = ["FEW", "MOST_CLASSES", "USUAL_NAMES", "ClassGuess", "class_guess"]

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
