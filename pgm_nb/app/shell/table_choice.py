"""Which table is used, by its name alone: the page shows its title before any table is read."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pgm_nb.app.shell.address import ask, asked, current, keep, note, open_choices, stand, waited
from pgm_nb.app.shell.launch import started_with
from pgm_nb.app.shell.uploads import (
    KeptFile,
    Opened,
    Upload,
    find,
    forget,
    from_disk,
    hold,
    is_ours,
    opened,
    sentence_of_table,
)
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.errors import PgmNbError
from pgm_nb.words import SAMPLE_TITLES

__all__ = ["FILE", "FILE_NAME", "MODEL", "TOKEN", "UPLOAD", "TableChoice", "choose_table"]

FILE, UPLOAD, MODEL = "file", "upload", "model file"  # names of the choices beside the samples
FILE_NAME, TOKEN = "table", "kept"  # what the address calls the name of an upload, and the word that finds it
_FOUND, _HELD = "upload from before a refresh", "tokens of uploads"
_PROJECT, _STARTED = "project without its table", "project that the app was started with"
RECIPE = "recipe"  # what the address calls the repairs of a table
ENDINGS = ["csv", "tsv", "txt", "data", "parquet", "arff", "xlsx", "gz", "pgmnb", "pgmnbproj"]


@dataclass(frozen=True, eq=False)
class TableChoice:
    """The table that was chosen: a sample, the file the app was started with, or an upload."""

    name: str  #: a sample's name, or `FILE`, or `UPLOAD`, or `MODEL`
    title: str  #: any text; escape it
    file: str | None  #: where the file is that the app was started with
    upload: Upload | None
    lost: str = ""  #: why there is no table, and what to do: the address names one that is not here
    model: KeptFile | None = None  #: a saved model, in place of a table


def choose_table() -> TableChoice:
    """Let the user choose the table."""
    data, _ = started_with()
    samples = SAMPLE_TITLES
    titles: dict[str, str] = {}
    upload: Upload | None = st.session_state.get("file") or _from_before() or _started(data)
    found, problem = _look_into(upload)
    if found.table is not None:
        titles[UPLOAD] = found.table.name
    if found.model is not None:
        titles[MODEL] = found.model.name
    if data is not None and not is_ours(data) and (data not in samples or Path(data).exists()):
        titles[FILE] = Path(data).name
    titles |= samples
    lost = _lost([*titles])
    if lost is None:
        usual = FILE if FILE in titles else data if data in samples else next(iter(samples))
        if data is not None and is_ours(data) and upload is not None:  # the app was started with it
            usual = MODEL if found.model is not None else UPLOAD if found.table is not None else usual
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
        "Your own table, model or project",
        type=ENDINGS,
        key="file",
        on_change=safely(_take_upload),
        help="CSV, TSV, Parquet, ARFF or Excel, also compressed with gzip: one row per case, with the column "
        "names in the first line. At most 200 MB; if a table is very large, a random part of its rows is "
        "used, and the page says so. Or a model (.pgmnb) or a project (.pgmnbproj) that was saved on the "
        "Export page. The file stays on this computer.",
    )
    if problem:
        st.error(literal(problem))
    if lost is not None:
        return lost
    picked: str = st.session_state["sample"]
    if picked in (UPLOAD, MODEL):
        note(FILE_NAME, titles[picked])
        if upload is not None and (token := _token(upload)) is not None:
            note(TOKEN, token)
        if upload is st.session_state.get(_FOUND):
            stand()  # the history from before the refresh may have the empty address that the menu left
    if picked == UPLOAD and found.table is not None and found.project is None:
        _compare_with_project(found.table)
    model = found.model if picked == MODEL else None
    return TableChoice(picked, titles[picked], data, found.table, model=model)


def _compare_with_project(table: Upload) -> None:
    """Say so when an upload is not the table of the project that waits for it."""
    project = st.session_state.get(_PROJECT)
    said = "" if project is None else sentence_of_table(project, table)
    if said:
        st.warning(literal(said))


def _look_into(upload: Upload | None) -> tuple[Opened, str]:
    """Return what a file holds, or what is wrong with it."""
    if upload is None:
        return Opened(), ""
    try:
        return opened(upload), ""
    except PgmNbError as problem:
        return Opened(), f"{problem}."


def _started(data: str | None) -> Upload | None:
    """Return the model or project that the app was started with; a project is opened once per visit."""
    upload = None if data is None else from_disk(data)
    if upload is not None and not st.session_state.get(_STARTED):
        st.session_state[_STARTED] = True
        found, _ = _look_into(upload)
        if found.project is not None and not current():
            _open(found)
    return upload


def _open(found: Opened) -> None:
    """Follow everything that a project says."""
    project = found.project
    if project is None:
        return
    choices = {key: texts for key, texts in project.choices.items() if key != TOKEN}
    if RECIPE in choices:
        from pgm_nb.app.shell.repairs import shortened

        choices[RECIPE] = shortened(choices[RECIPE])
    own = {"sample": [UPLOAD], FILE_NAME: [project.table_name]}
    if project.is_sample:
        own = {"sample": [project.table_name]}
    elif found.table is None and found.model is not None:
        own["sample"] = [MODEL]
    open_choices(choices | own)
    st.session_state[_PROJECT] = project


def _lost(names: list[str]) -> TableChoice | None:
    """Return the table that the address names if it is not here: after a refresh, or from another's link."""
    if waited() and (chosen := st.session_state.get("sample")) in names:
        ask("sample", chosen)  # in place of the one that is not here; all else stands
    name = asked("sample")
    if name is None or name in names:
        return None
    if name in (UPLOAD, FILE, MODEL):
        what = "Your model" if name == MODEL else "Your table"
        title = asked(FILE_NAME) or what
        called = f" “{title}”" if asked(FILE_NAME) else ""
        sentence = f"{what}{called} is no longer here: upload it again."
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
    if upload is None:
        return
    found, problem = _look_into(upload)
    if found.project is not None:
        _open(found)
    elif not problem:
        st.session_state["sample"] = UPLOAD if found.model is None else MODEL
