"""Merge values of a column by selecting them, or say that they mean "not measured"."""

from functools import partial

import pandas as pd
import streamlit as st
from pandas.api import types

from pgm_nb.app.pages.data.repairs import unnamed_frame
from pgm_nb.app.shell.repairs import add_steps
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.data.repairs import Merge, NotMeasured
from pgm_nb.data.repairs.cells import counted, is_measured
from pgm_nb.words import plural

__all__ = ["edit_values"]

MOST_VALUES = 200  # the commonest ones that are offered
COLUMN, CHOSEN, NAME = "column whose values change", "values that change", "name of merged values"


def edit_values(screen: Screen) -> None:
    """Show the tool for the values of one column."""
    frame, _, _ = unnamed_frame(screen)
    with st.expander("Merge values, or say what means not measured"):
        _tool(frame, screen.source.digest)


def _tool(frame: pd.DataFrame, digest: str) -> None:
    names = [str(name) for name, cells in frame.items() if not types.is_datetime64_any_dtype(cells.dtype)]
    name = st.selectbox("Column", names, key=COLUMN)
    found = _counted(digest, name, frame[name])
    values = list(found)[:MOST_VALUES]
    key = f"{CHOSEN} {name}"
    st.multiselect(
        "Values",
        values,
        key=key,
        format_func=lambda value: f"{value} ({plural(found[value], 'row')})",
        placeholder="select values",
        help=f"The {MOST_VALUES} commonest are offered." if len(found) > MOST_VALUES else None,
    )
    chosen: list[str] = st.session_state.get(key) or []
    merged = st.text_input(
        "Name of the merged value", key=f"{NAME} {name}", placeholder=chosen[0] if chosen else ""
    )
    into = merged.strip() or (chosen[0] if chosen else "")
    with st.container(horizontal=True):
        merge = partial(_merge, name, key, chosen, into)
        st.button(
            "Merge them",
            key="merge values",
            on_click=safely(merge),
            disabled=not chosen
            or (len(chosen) == 1 and into == chosen[0])
            or is_measured_widely(frame[name]),
            help="They become one value. A measured number cannot be merged: set its intervals below.",
        )
        st.button(
            "They mean not measured",
            key="values not measured",
            on_click=safely(partial(_empty, name, key, chosen)),
            disabled=not chosen or len(chosen) == len(found),
        )


def is_measured_widely(cells: pd.Series) -> bool:
    """Return whether a column holds more numbers than codes would be."""
    return is_measured(cells) and cells.nunique() > 20


@st.cache_data(max_entries=32, show_spinner=False)
def _counted(digest: str, name: str, _cells: pd.Series) -> dict[str, int]:
    return counted(_cells)


def _merge(name: str, key: str, chosen: list[str], into: str) -> None:
    st.session_state[key] = []
    add_steps(Merge(name, {into: tuple(chosen)}))


def _empty(name: str, key: str, chosen: list[str]) -> None:
    st.session_state[key] = []
    add_steps(NotMeasured(name, tuple(chosen)))
