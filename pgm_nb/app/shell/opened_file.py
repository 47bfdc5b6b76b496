"""What a visitor's file holds: a table, a saved model, or a project with both and all choices."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.shell.kept import KeptFile, Upload

if TYPE_CHECKING:
    from pgm_nb.models.projects import Project

__all__ = ["MODEL_ENDING", "PROJECT_ENDING", "Opened", "from_disk", "is_ours", "opened", "sentence_of_table"]

MODEL_ENDING, PROJECT_ENDING = ".pgmnb", ".pgmnbproj"


@dataclass(frozen=True, eq=False)
class Opened:
    """What was found in a file."""

    table: Upload | None = None
    model: KeptFile | None = None  #: only where there is no table to learn it from
    project: "Project | None" = None


def is_ours(name: str) -> bool:
    """Say whether a file is a model or a project, by its name.

    Examples
    --------
    >>> is_ours("heart.pgmnb"), is_ours("Heart.PGMNBPROJ"), is_ours("heart.csv")
    (True, True, False)
    """
    return name.lower().endswith((MODEL_ENDING, PROJECT_ENDING))


def opened(upload: Upload) -> Opened:
    """Look into a file, once however often the page is drawn.

    Raises
    ------
    ModelFileError
        It is a damaged or foreign model or project; the message says so.
    """
    if not is_ours(upload.name):
        return Opened(upload)
    return _opened(upload.file_id, upload)


@st.cache_resource(max_entries=4, show_spinner="Opening the file …")
def _opened(file_id: str, _upload: Upload) -> Opened:
    from pgm_nb.models.files import loaded
    from pgm_nb.models.projects import read_project

    name, content = _upload.name, _upload.getvalue()
    if name.lower().endswith(MODEL_ENDING):
        loaded(name, content)  # a damaged file is refused here
        return Opened(model=KeptFile(file_id, name, content))
    project = read_project(name, content)
    if project.is_sample:
        return Opened(project=project)
    if project.table is not None:
        return Opened(KeptFile(f"{file_id} table", project.table_name, project.table), project=project)
    model = None if project.model is None else KeptFile(f"{file_id} model", name, project.model)
    return Opened(model=model, project=project)


def sentence_of_table(project: "Project", upload: Upload) -> str:
    """Say so when a table is not the one that a project was saved with; nothing if it is."""
    if _fingerprint(upload.file_id, upload) == project.table_print:
        return ""
    return (
        f"{upload.name} is not the same file as {project.table_name}, with which the project was saved. What "
        "was chosen applies where it fits."
    )


@st.cache_resource(max_entries=4, show_spinner=False)
def _fingerprint(file_id: str, _upload: Upload) -> str:
    from pgm_nb.models.projects import fingerprint

    return fingerprint(_upload.getvalue())


def from_disk(path: str) -> Upload | None:
    """Return a model or project with which the app was started, as if it had been uploaded."""
    if not is_ours(path) or not Path(path).is_file():
        return None
    stat = Path(path).stat()
    return _from_disk(path, stat.st_mtime_ns, stat.st_size)


@st.cache_resource(max_entries=2, show_spinner=False)
def _from_disk(path: str, modified: int, size: int) -> Upload:
    return KeptFile(f"{path} {modified}", Path(path).name, Path(path).read_bytes())
