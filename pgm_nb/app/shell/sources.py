"""Where the table comes from: a sample, the file the app was started with, or an upload."""

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import streamlit as st

from pgm_nb.app.shell.launch import started_with
from pgm_nb.app.shell.table_choice import FILE, UPLOAD, TableChoice
from pgm_nb.app.shell.uploads import Upload
from pgm_nb.data.excerpt import Portion, read_guarded
from pgm_nb.data.read import file_bytes
from pgm_nb.errors import DataError

__all__ = [
    "Source",
    "chosen_source",
    "file_source",
    "portion",
    "received",
    "sample_source",
    "table",
    "upload_source",
]


@dataclass(frozen=True)
class Source:
    """One table to read: known by a digest of its content, so that results can be kept by content.

    Examples
    --------
    >>> upload_source("a.csv", b"x,y").digest == upload_source("a.csv", b"x,z").digest
    False
    """

    name: str
    digest: str
    content: bytes | None  #: None for a sample
    part: str = "first"  #: which columns, of a table that has too many
    target: str | None = None  #: the class, where it was named with the file
    recipe: str = ""  #: how it is repaired, as one word
    before: str = ""  #: the digest before it was repaired

    def taking(self, part: str) -> "Source":
        """Return the same table with another part of its columns.

        Examples
        --------
        >>> sample_source("iris").taking("first") == sample_source("iris")
        True
        """
        return self if part == self.part else replace(self, part=part, digest=f"{self.digest} {part}")


def chosen_source(choice: TableChoice) -> Source:
    """Return the table that was chosen as a source."""
    if choice.name == UPLOAD and choice.upload is not None:
        return received(choice.upload)
    if choice.name == FILE and choice.file is not None:
        return file_source(Path(choice.file), started_with()[1])
    return sample_source(choice.name)


def sample_source(name: str) -> Source:
    """Return a sample as a source.

    Examples
    --------
    >>> sample_source("iris").digest
    'sample iris'
    """
    return Source(name, f"sample {name}", None)


def upload_source(name: str, content: bytes) -> Source:
    """Return an uploaded file as a source.

    Examples
    --------
    >>> upload_source("patients.csv", b"age,class").name
    'patients.csv'
    """
    return Source(name, hashlib.blake2b(content, digest_size=16).hexdigest(), content)


def received(upload: Upload) -> Source:
    """Return an upload as a source; it is looked through once, however often the page is drawn."""
    return _received(upload.file_id, upload)


@st.cache_resource(max_entries=4, show_spinner=False)
def _received(file_id: str, _upload: Upload) -> Source:
    return upload_source(_upload.name, _upload.getvalue())


def file_source(path: Path, target: str | None = None) -> Source:
    """Return a file on this machine as a source; it is read again when it changes."""
    try:
        stat = path.stat()
    except OSError as problem:
        raise DataError(f"{path.name} cannot be opened: {problem.strerror}.") from None
    return _file_source(str(path.resolve()), stat.st_mtime_ns, stat.st_size, target)


@st.cache_resource(max_entries=2, show_spinner="Reading the file …")
def _file_source(path: str, modified: int, size: int, target: str | None) -> Source:
    content, name = file_bytes(path)
    source = upload_source(name, content)
    return source if target is None else replace(source, target=target, digest=f"{source.digest} of {target}")


def table(source: Source) -> pd.DataFrame:
    """Return the table of a source, repaired; not to be changed, because visits share it."""
    if not source.recipe:
        return portion(source).frame
    from pgm_nb.app.shell.repairs import repaired

    return repaired(source).frame


def portion(source: Source) -> Portion:
    """Return the table of a source as the file has it, and how much of the file it is."""
    return _portion(source.before or source.digest, source.name, source)


@st.cache_resource(max_entries=8, show_spinner="Reading the table …")
def _portion(digest: str, name: str, _source: Source) -> Portion:
    from pgm_nb.data import load_sample

    if _source.content is not None:
        return read_guarded(name, _source.content, _source.part, _source.target, duplicates="keep")
    X, y = load_sample(name)
    frame = pd.concat([X, y], axis=1)
    return Portion(frame, *frame.shape)
