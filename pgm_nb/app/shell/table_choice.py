"""Which table is used, by its name alone: the page shows its title before any table is read."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.launch import started_with
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.words import SAMPLE_TITLES

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

__all__ = ["FILE", "UPLOAD", "TableChoice", "choose_table"]

FILE, UPLOAD = "file", "upload"  # names of the two choices beside the samples
ENDINGS = ["csv", "tsv", "txt", "data", "parquet", "arff", "xlsx", "gz"]


@dataclass(frozen=True, eq=False)
class TableChoice:
    """The table that was chosen: a sample, the file the app was started with, or an upload."""

    name: str  #: a sample's name, or `FILE`, or `UPLOAD`
    title: str  #: any text; escape it
    file: str | None  #: where the file is that the app was started with
    upload: "UploadedFile | None"


def choose_table() -> TableChoice:
    """Let the user choose the table."""
    data, _ = started_with()
    samples = SAMPLE_TITLES
    titles: dict[str, str] = {}
    upload = st.session_state.get("file")
    if upload is not None:
        titles[UPLOAD] = upload.name
    if data is not None and (data not in samples or Path(data).exists()):
        titles[FILE] = Path(data).name
    titles |= samples
    keep("sample", [*titles], FILE if FILE in titles else data if data in samples else next(iter(samples)))
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
        on_change=safely(_take_upload),
        help="CSV, TSV, Parquet, ARFF or Excel, also compressed with gzip: one row per case, with the column "
        "names in the first line. At most 200 MB; if a table is very large, a random part of its rows is "
        "used, and the page says so. The file stays on this computer.",
    )
    return TableChoice(picked, titles[picked], data, upload)


def _take_upload() -> None:
    """Show a new upload at once."""
    if st.session_state["file"] is not None:
        st.session_state["sample"] = UPLOAD
