"""The side bar: which table, which class, which model."""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from pgm_nb.app import words
from pgm_nb.app.address import keep, keep_several
from pgm_nb.app.columns import guess_class
from pgm_nb.app.learning import Settings
from pgm_nb.app.sources import FILE, UPLOAD, Source, file_source, given, sample_source, upload_source

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

__all__ = ["choose_data", "choose_settings"]

ENDINGS = ["csv", "tsv", "txt", "data", "parquet", "arff", "xlsx", "gz"]
BINS = {"quantile": 5, "uniform": 10}


def choose_data() -> tuple[Source, str]:
    """Let the user choose the table; returns it and its title."""
    from pgm_nb.data import SAMPLES

    data, _ = given()
    titles: dict[str, str] = {}
    upload = st.session_state.get("file")
    if upload is not None:
        titles[UPLOAD] = upload.name
    if data is not None and _is_file(data):
        titles[FILE] = Path(data).name
    titles |= {name: words.SAMPLE_TITLES.get(name, name) for name in SAMPLES}
    keep("sample", [*titles], FILE if FILE in titles else data if data in SAMPLES else SAMPLES[0])
    picked = st.selectbox(
        "Table",
        [*titles],
        key="sample",
        format_func=titles.__getitem__,
        help="Tables that come with the program, and your own.",
    )
    st.file_uploader(
        "Your own table",
        type=ENDINGS,
        key="file",
        on_change=_take_upload,
        help="CSV, TSV, Parquet, ARFF or Excel, one row per case, the first line with the column names. "
        "It stays on this computer.",
    )
    return _source(picked, data, upload), titles[picked]


def _is_file(data: str) -> bool:
    from pgm_nb.data import SAMPLES

    return data not in SAMPLES or Path(data).exists()


def _take_upload() -> None:
    """Show a new upload at once."""
    if st.session_state["file"] is not None:
        st.session_state["sample"] = UPLOAD


def _source(picked: str, data: str | None, upload: "UploadedFile | None") -> Source:
    if picked == UPLOAD and upload is not None:
        return upload_source(upload.name, upload.getvalue())
    if picked == FILE and data is not None:
        return file_source(Path(data))
    return sample_source(picked)


def choose_settings(frame: pd.DataFrame, picked: str) -> Settings | None:
    """Let the user choose the class, the model and its few parameters; None while there is no class."""
    target = _choose_class([str(name) for name in frame.columns], _usual_class(frame, picked))
    if target is None:
        return None
    model = _choose_model()
    search = _choose_search() if model == "gnb" else "greedy"
    threshold = _choose_threshold() if model == "phnb" else "average"
    with st.expander("Columns and values"):
        leave_out = _choose_columns([str(name) for name in frame.columns if str(name) != target])
        discretizer, n_bins = _choose_bins()
        missing = _choose_missing() if frame.isna().any(axis=None) else "state"
    return Settings(target, tuple(leave_out), model, search, threshold, discretizer, n_bins, missing)


def _usual_class(frame: pd.DataFrame, picked: str) -> str | None:
    _, target = given()
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
    from pgm_nb.models import TABLE_MODELS

    titles = {kind.short_name: kind.title for kind in TABLE_MODELS}
    keep("model", [*titles], "gnb")
    return st.selectbox(
        "Model", [*titles], key="model", format_func=titles.__getitem__, help=words.model_help(titles)
    )


def _choose_search() -> str:
    keep("search", [*words.SEARCHES], "greedy")
    return st.radio(
        "Search",
        [*words.SEARCHES],
        key="search",
        format_func=lambda name: words.SEARCHES[name][0],
        captions=[caption for _, caption in words.SEARCHES.values()],
        help="How the tree is looked for. All three are fast; the first tells the order of importance best.",
    )


def _choose_threshold() -> str:
    keep("threshold", [*words.THRESHOLDS], "average")
    return st.radio(
        "Bags",
        [*words.THRESHOLDS],
        key="threshold",
        format_func=lambda name: words.THRESHOLDS[name][0],
        captions=[caption for _, caption in words.THRESHOLDS.values()],
        help="How close two attributes must be, with the class known, to be in each other's bags.",
    )


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
