"""The side bar below the choice of the table: which class, which model."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import keep, keep_several
from pgm_nb.app.shell.cuts import cuts_in_force
from pgm_nb.app.shell.fitting import Settings
from pgm_nb.app.shell.launch import started_with
from pgm_nb.app.shell.sources import Source, portion
from pgm_nb.app.shell.table_choice import FILE
from pgm_nb.app.widgets import words
from pgm_nb.data.portions import MOST_COLUMNS
from pgm_nb.data.target import guess_class

__all__ = ["choose_part", "choose_settings"]

BINS = {"quantile": 5, "uniform": 10}
COLUMNS_USED = {"first": "The first ones", "last": "The last ones", "spread": "Evenly spread"}
BINNED = ("nb", "tan", "gnb", "hnb", "phnb")  # models of binned columns


def choose_part(source: Source) -> Source:
    """Say so when only a part of a table is used, and let the user choose which columns."""
    taken = portion(source)
    if taken.frame.shape[1] < taken.n_columns:
        keep("columns", [*COLUMNS_USED], "first")
        part = st.selectbox(
            "Columns used",
            [*COLUMNS_USED],
            key="columns",
            format_func=COLUMNS_USED.__getitem__,
            help=f"At most {MOST_COLUMNS:,} columns are looked at together. To use others, save a table that "
            "has only those.",
        )
        source = source.taking(part)
        taken = portion(source)
    if str(taken):
        st.info(words.literal(str(taken)), icon=":material/content_cut:")
    return source


def choose_settings(frame: pd.DataFrame, picked: str) -> Settings | None:
    """Let the user choose the class, the model and its few parameters; None while there is no class."""
    target = _choose_class([str(name) for name in frame.columns], _usual_class(frame, picked))
    if target is None:
        return None
    model = _choose_model()
    own = {
        "gnb": _choose_search,
        "phnb": _choose_threshold,
        "local-pca": _choose_vote,
        "kernel": _choose_joining,
    }
    chosen = own[model]() if model in own else {}
    with st.expander("Columns and values"):
        leave_out = _choose_columns([str(name) for name in frame.columns if str(name) != target])
        if model in BINNED or chosen == {"joining": "binned"}:
            discretizer, n_bins = _choose_bins()
            chosen |= {
                "discretizer": discretizer,
                "n_bins": n_bins,
                "cuts": cuts_in_force(frame, target, leave_out, discretizer),
            }
        if model in (*BINNED, "kernel") and frame.isna().any(axis=None):
            chosen["missing"] = _choose_missing()
    return Settings(target, tuple(leave_out), model, **chosen)


def _usual_class(frame: pd.DataFrame, picked: str) -> str | None:
    _, target = started_with()
    return target if picked == FILE and target in frame.columns else guess_class(frame)


def _choose_class(names: list[str], default: str | None) -> str | None:
    keep("class", names, default)
    return st.selectbox(
        "Class",
        names,
        key="class",
        index=None if default is None else 0,
        placeholder="choose a column",
        help="The column to explain and to predict, such as a diagnosis; all others are its attributes.",
    )


def _choose_columns(names: list[str]) -> list[str]:
    keep_several("without", names)
    return st.multiselect(
        "Leave out",
        names,
        key="without",
        placeholder="nothing",
        help="Columns that should play no part, such as a patient number or the date of a visit.",
    )


def _choose_model() -> str:
    from pgm_nb.models import MODELS

    titles = {kind.short_name: kind.title for kind in MODELS}
    keep("model", [*titles], "gnb")
    return st.selectbox(
        "Model", [*titles], key="model", format_func=titles.__getitem__, help=words.model_help(titles)
    )


def _choose_search() -> dict[str, Any]:
    return _choose_way(
        "search",
        "Search",
        words.SEARCHES,
        "How the tree is looked for. All three are fast; the first tells the order of importance best.",
    )


def _choose_threshold() -> dict[str, Any]:
    return _choose_way(
        "threshold",
        "Bags",
        words.THRESHOLDS,
        "How close two attributes must be, with the class known, to be in each other's bags.",
    )


def _choose_vote() -> dict[str, Any]:
    return _choose_way(
        "vote", "Clusters vote", words.VOTES, "How the clusters of a class decide together about a row."
    )


def _choose_joining() -> dict[str, Any]:
    return _choose_way(
        "joining",
        "Joining",
        words.JOININGS,
        "Attributes that go together around the row at hand are looked at as pairs.",
    )


def _choose_way(key: str, label: str, ways: Mapping[str, tuple[str, str]], help: str) -> dict[str, Any]:
    """Offer the ways in which a model can work; the first one is the default."""
    keep(key, [*ways], next(iter(ways)))
    way = st.radio(
        label,
        [*ways],
        key=key,
        format_func=lambda name: ways[name][0],
        captions=[caption for _, caption in ways.values()],
        help=help,
    )
    return {key: way}


def _choose_bins() -> tuple[str, int | None]:
    keep("bins", [*words.DISCRETIZERS], "quantile")
    discretizer = st.selectbox(
        "Numbers become",
        [*words.DISCRETIZERS],
        key="bins",
        format_func=words.DISCRETIZERS.__getitem__,
        help="Measured numbers are sorted into a few groups (low, middle, high, ...) before learning.",
    )
    if discretizer not in BINS:
        return discretizer, None
    keep("groups", range(2, 11), BINS[discretizer])
    n_bins = st.slider("Groups", 2, 10, key="groups", help="How many groups a measured number gets at most.")
    return discretizer, n_bins


def _choose_missing() -> str:
    keep("missing", [*words.MISSING], "state")
    return st.selectbox(
        "Empty cells",
        [*words.MISSING],
        key="missing",
        format_func=words.MISSING.__getitem__,
        help="This table has empty cells: what they count as while learning.",
    )
