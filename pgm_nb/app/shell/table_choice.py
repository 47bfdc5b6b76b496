"""Which table is used, by its name alone: the page shows its title before any table is read."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pgm_nb.app.shell.address import asked, keep, note, stand, waited
from pgm_nb.app.shell.kept import Upload, find, forget, hold
from pgm_nb.app.shell.launch import started_with
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.words import SAMPLE_TITLES

__all__ = ["FILE", "UPLOAD", "TableChoice", "choose_table"]

FILE, UPLOAD = "file", "upload"  # names of the two choices beside the samples
FILE_NAME, TOKEN = "table", "kept"  # what the address calls the name of an upload, and the word that finds it
_FOUND, _HELD = "upload from before a refresh", "tokens of uploads"
ENDINGS = ["csv", "tsv", "txt", "data", "parquet", "arff", "xlsx", "gz"]


@dataclass(frozen=True, eq=False)
class TableChoice:
    """The table that was chosen: a sample, the file the app was started with, or an upload."""

    name: str  #: a sample's name, or `FILE`, or `UPLOAD`
    title: str  #: any text; escape it
    file: str | None  #: where the file is that the app was started with
    upload: Upload | None
    lost: str = ""  #: why there is no table, and what to do: the address names one that is not here


def choose_table() -> TableChoice:
    """Let the user choose the table."""
    data, _ = started_with()
    samples = SAMPLE_TITLES
    titles: dict[str, str] = {}
    upload: Upload | None = st.session_state.get("file") or _from_before()
    if upload is not None:
        titles[UPLOAD] = upload.name
    if data is not None and (data not in samples or Path(data).exists()):
        titles[FILE] = Path(data).name
    titles |= samples
    lost = _lost([*titles])
    if lost is None:
        usual = FILE if FILE in titles else data if data in samples else next(iter(samples))
        keep("sample", [*titles], usual)
    else:
        st.session_state["sample"] = None
    st.selectbox(
        "Table",
        [*titles],
        key="sample",
        index=0 if lost is None else None,
        placeholder="choose a table",
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
    if lost is not None:
        return lost
    picked: str = st.session_state["sample"]
    if picked == UPLOAD:
        note(FILE_NAME, titles[UPLOAD])
        if upload is not None and (token := _token(upload)) is not None:
            note(TOKEN, token)
        if upload is st.session_state.get(_FOUND):
            stand()  # the history from before the refresh may have the empty address that the menu left
    return TableChoice(picked, titles[picked], data, upload)


def _lost(names: list[str]) -> TableChoice | None:
    """Return the table that the address names if it is not here: after a refresh, or from another's link."""
    if waited() and (chosen := st.session_state.get("sample")) in names:
        st.query_params["sample"] = chosen  # in place of the one that is not here; all else stands
    name = asked("sample")
    if name is None or name in names:
        return None
    if name in (UPLOAD, FILE):
        title = asked(FILE_NAME) or "Your table"
        called = f" “{title}”" if asked(FILE_NAME) else ""
        sentence = f"Your table{called} is no longer here: upload it again."
    else:
        title = "No table"
        sentence = f"There is no table called “{name}” here: choose one, or upload your own."
    return TableChoice(name, title, None, None, f"{sentence} Everything else that you chose is kept.")


def _from_before() -> Upload | None:
    """Return the upload that the address names by its token, or did when this session began."""
    if (token := asked(TOKEN)) is not None and (found := find(token)) is not None:
        st.session_state[_FOUND] = found
    before: Upload | None = st.session_state.get(_FOUND)
    return before


def _token(upload: Upload) -> str | None:
    """Return the token by which an upload is found after a refresh, if it is kept; its time begins anew."""
    held: dict[str, str | None] = st.session_state.setdefault(_HELD, {})
    if upload is st.session_state.get(_FOUND):
        held[upload.file_id] = upload.file_id
    if upload.file_id not in held:
        held[upload.file_id] = hold(upload)
    token = held[upload.file_id]
    if token is not None:
        find(token)
    return token


def _take_upload() -> None:
    """Show a new upload at once; forget those that were taken away."""
    upload: Upload | None = st.session_state["file"]
    st.session_state.pop(_FOUND, None)
    for token in st.session_state.pop(_HELD, {}).values():
        if token is not None:
            forget(token)
    if upload is not None:
        st.session_state["sample"] = UPLOAD
