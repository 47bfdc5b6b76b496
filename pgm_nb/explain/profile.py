"""What each column of a table holds: its kind, values and states, and reasons to leave it out."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from pgm_nb.data import Column, encode_target, learn_encoder
from pgm_nb.data.frame import tidy
from pgm_nb.data.learn import BY_CLASS, Way
from pgm_nb.data.repairs.find_cells import reading_of
from pgm_nb.data.repairs.finding import DATES, idle_reason
from pgm_nb.data.target import FEW
from pgm_nb.errors import DataError
from pgm_nb.information import entropy
from pgm_nb.words import together

__all__ = ["Profile", "class_codes", "information_about", "profile", "profiles"]

Codes = NDArray[np.integer]

KINDS = {"numeric": "number", "categorical": "category", "boolean": "yes / no", "ordered": "ordered"}
YES_NO = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"})


@dataclass(frozen=True)
class Profile:
    """What one column holds.

    Attributes
    ----------
    name, kind
        Its name, and "number", "category", "yes / no", "ordered" or "date".
    n_values, n_missing
        How many different values it has, and how many missing cells.
    groups
        The states it becomes.
    bits
        The information it carries about the class; None without a class, or if it cannot be used.
    remark, better_out
        What stands out, and whether that is a reason to leave the column out.

    Examples
    --------
    >>> ages = pd.Series([40, 50, 60, 70], name="age")
    >>> found = profile(ages, np.array([0, 0, 1, 1]), "quantile", n_bins=2)
    >>> found.kind, found.n_values, found.groups, found.bits
    ('number', 4, ('≤ 55', '> 55'), 1.0)
    """

    name: str
    kind: str
    n_values: int
    n_missing: int
    groups: tuple[str, ...]
    bits: float | None
    remark: str
    better_out: bool


def class_codes(y: pd.Series) -> tuple[tuple[str, ...], Codes]:
    """Return the classes as text, and the position of every row's class among them.

    Examples
    --------
    >>> class_codes(pd.Series(["well", "ill"]))
    (('ill', 'well'), array([1, 0]))
    """
    if y.isna().any():
        raise DataError(
            f"the class '{y.name}' is empty in {int(y.isna().sum()):,} of {len(y):,} rows: fill it in, or "
            "leave those rows out."
        )
    classes, codes = encode_target(y)
    return tuple(str(label) for label in classes), codes


def profiles(
    frame: pd.DataFrame,
    y: Codes | None,
    ways: dict[str, Way],
    discretizer: str,
    n_bins: int | None,
) -> tuple[Profile, ...]:
    """Describe every column of a table.

    Parameters
    ----------
    frame
        The attributes.
    y
        Class codes, or None.
    ways
        How the numbers of some columns become intervals: a method or cut points.
    discretizer, n_bins
        The method and number of intervals for the others.

    Examples
    --------
    >>> [found.remark for found in profiles(pd.DataFrame({"a": [1, 1]}), None, {}, "quantile", None)]
    ['One value only: it carries no information.']
    """
    return tuple(profile(cells, y, ways.get(str(name), discretizer), n_bins) for name, cells in frame.items())


def profile(cells: pd.Series, y: Codes | None, way: Way, n_bins: int | None = None) -> Profile:
    """Describe one column; `way` says how its numbers become intervals."""
    name, n_missing = str(cells.name), int(cells.isna().sum())
    if types.is_datetime64_any_dtype(cells.dtype):
        return Profile(name, "date", int(cells.nunique()), n_missing, (), None, DATES, True)
    try:
        clean = tidy(cells)
        n_values = int(clean.nunique())
        column, codes = _learned(clean, y, way, n_bins)
    except DataError as problem:
        kind, n_values = ("date", _distinct(cells)) if "dates" in str(problem) else ("?", _distinct(cells))
        remark = DATES if kind == "date" else _sentence(str(problem))
        return Profile(name, kind, n_values, n_missing, (), None, remark, True)
    remark, better_out = _remark(clean, n_values)
    known = {label.lower() for label in column.labels[: column.card - column.missing_state]}
    kind = KINDS["boolean" if known in YES_NO else column.kind]
    bits = None if y is None else information_about(codes, y)
    return Profile(name, kind, n_values, n_missing, column.labels, bits, remark, better_out)


def _learned(cells: pd.Series, y: Codes | None, way: Way, n_bins: int | None) -> tuple[Column, Codes]:
    """Return how a column becomes states, and the state of every row."""
    name = str(cells.name)
    numeric = types.is_numeric_dtype(cells.dtype) and not types.is_bool_dtype(cells.dtype)
    possible = numeric and (way not in BY_CLASS or y is not None)
    discretizer = {name: way} if possible else "quantile"
    encoder, codes, _, _ = learn_encoder(cells.to_frame(name), y, discretizer=discretizer, n_bins=n_bins)
    return encoder.columns[0], codes[0]


def information_about(codes: Codes, y: Codes) -> float:
    """Return I(X;Y) = H(X) + H(Y) - H(X,Y) of coded cells and classes, in bits.

    Examples
    --------
    >>> information_about(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    1.0
    """
    k = int(y.max()) + 1
    pairs = np.bincount(codes.astype(np.intp) * k + y, minlength=(int(codes.max()) + 1) * k).reshape(-1, k)
    return max(0.0, entropy(pairs.sum(axis=1)) + entropy(pairs.sum(axis=0)) - entropy(pairs))


def _remark(cells: pd.Series, n_values: int) -> tuple[str, bool]:
    """Return what stands out in a column, and whether that is a reason to leave it out."""
    reason = idle_reason(cells, n_values)
    if reason:
        return reason, True
    if n_values == 1:
        return "One value, or empty.", False
    if n_values > FEW and (reading := reading_of(cells)) is not None:
        marks = together([f"“{mark}”" for mark in reading.not_measured]) if reading.not_measured else ""
        but = f", but for {marks}" if marks else ""
        return f"Numbers{but}, read as text: Repairs offers to read them as numbers.", False
    return "", False


def _distinct(cells: pd.Series) -> int:
    return int(cells.astype(str).nunique())


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
