"""The expert's own cut points, kept in the address: ``column:1.5,2.5`` or ``column:mdlp``."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st
from pandas.api import types

from pgm_nb.app.shell.address import keep_texts
from pgm_nb.data.learn import METHODS, Way

__all__ = ["KEY", "MOST_CUTS", "cuts_in_force", "format_cuts", "kept_cuts", "parse_cuts", "set_cuts"]

KEY = "cut"
MOST_CUTS = 30


def parse_cuts(text: str) -> tuple[str, Way] | None:
    """Read ``column:1.5,2.5`` into the column and its ascending cut points; None if it is not of that form.

    Examples
    --------
    >>> parse_cuts("blood: sugar:1.5,2.5")
    ('blood: sugar', (1.5, 2.5))
    >>> parse_cuts("age:mdlp"), parse_cuts("age:")
    (('age', 'mdlp'), ('age', ()))
    >>> parse_cuts("age:old") is None
    True
    """
    name, colon, points = text.rpartition(":")
    if not colon:
        return None
    if points in METHODS:
        return name, points
    try:
        cuts = tuple(sorted({float(point) + 0.0 for point in points.split(",")})) if points else ()
    except ValueError:
        return None
    return (name, cuts) if len(cuts) <= MOST_CUTS and all(map(math.isfinite, cuts)) else None


def format_cuts(name: str, way: Way) -> str:
    """Write how a column becomes intervals, as `parse_cuts` reads it.

    Examples
    --------
    >>> format_cuts("age", (40.0, 65.5)), format_cuts("age", "uniform")
    ('age:40,65.5', 'age:uniform')
    """
    return f"{name}:{way if isinstance(way, str) else ','.join(format(cut, '.15g') for cut in way)}"


def kept_cuts(frame: pd.DataFrame, target: str, leave_out: Sequence[str]) -> dict[str, Way]:
    """Return the columns of this table that have cut points or a way of their own."""
    columns = set(_measured(frame, target, leave_out))

    def fits(text: str) -> bool:
        cuts = parse_cuts(text)
        return cuts is not None and cuts[0] in columns

    return dict(cuts for text in keep_texts(KEY, fits) if (cuts := parse_cuts(text)) is not None)


def cuts_in_force(
    frame: pd.DataFrame, target: str, leave_out: Sequence[str], discretizer: str
) -> tuple[tuple[str, Way], ...]:
    """Return how columns become intervals, as `Settings` holds it: empty if no column has a way of its own.

    As soon as one has, the others are named too, with the way chosen for all.
    """
    own = kept_cuts(frame, target, leave_out)
    if not own:
        return ()
    rest = dict.fromkeys(_measured(frame, target, leave_out), discretizer)
    return tuple(sorted((rest | own).items()))


def set_cuts(cuts: Mapping[str, Way]) -> None:
    """Put other cut points in force, from the next run on; a widget's callback may call this."""
    st.session_state[KEY] = [format_cuts(name, way) for name, way in cuts.items()]


def _measured(frame: pd.DataFrame, target: str, leave_out: Sequence[str]) -> list[str]:
    """Return the columns of numbers that are attributes."""
    without = {target, *leave_out}
    return [
        str(name)
        for name, dtype in frame.dtypes.items()
        if types.is_numeric_dtype(dtype) and not types.is_bool_dtype(dtype) and name not in without
    ]
