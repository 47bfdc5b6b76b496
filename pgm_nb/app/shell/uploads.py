"""Files that a visitor has sent: kept in memory across a refresh, and what they hold.

A file is held for the browser that sent it, for an hour after use. Whoever asks for one must say two secrets
of 128 bits: the token in the address, and the one that Streamlit gave to the browser in a cookie. A link that
is passed on carries only the first, so it opens no table.
"""

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import streamlit as st

if TYPE_CHECKING:
    from pgm_nb.models.projects import Project

__all__ = [
    "MODEL_ENDING",
    "MOST_BYTES",
    "MOST_FILES",
    "MOST_SECONDS",
    "PROJECT_ENDING",
    "KeptFile",
    "Opened",
    "Shelf",
    "Upload",
    "find",
    "forget",
    "from_disk",
    "hold",
    "is_ours",
    "opened",
    "sentence_of_table",
]

MOST_FILES = 16
MOST_BYTES = 400 * 2**20  # of all files together
MOST_SECONDS = 3600  # since a file was last used
COOKIE = "_streamlit_xsrf"  # Streamlit sets it, and reads it when a file is uploaded
MODEL_ENDING, PROJECT_ENDING = ".pgmnb", ".pgmnbproj"


class Upload(Protocol):
    """A file that a visitor has sent."""

    @property
    def file_id(self) -> str:
        """What no other file is called."""

    @property
    def name(self) -> str:
        """Its name on the visitor's machine."""

    def getvalue(self) -> bytes:
        """Return its content."""


@dataclass(frozen=True, eq=False)
class KeptFile:
    """An upload as it was."""

    file_id: str
    name: str
    content: bytes

    def getvalue(self) -> bytes:
        """Return its content."""
        return self.content


class Shelf:
    """Files by two secrets, bounded in number, bytes and time; the one not used for longest goes first.

    Examples
    --------
    >>> shelf = Shelf()
    >>> token = shelf.put(b"browser", "patients.csv", b"age,class")
    >>> shelf.get(b"browser", token).name, shelf.get(b"another", token)
    ('patients.csv', None)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._files: OrderedDict[bytes, tuple[float, KeptFile]] = OrderedDict()

    def put(self, browser: bytes, name: str, content: bytes) -> str | None:
        """Keep a file, and return the token by which it is found; None if it is too large."""
        if len(content) > MOST_BYTES:
            return None
        token = secrets.token_hex(16)
        with self._lock:
            self._files[_key(browser, token)] = self._clock(), KeptFile(token, name, content)
            self._make_room()
        return token

    def get(self, browser: bytes, token: str) -> KeptFile | None:
        """Return a file, if it is still here and both secrets are right; its time begins anew."""
        key = _key(browser, token)
        with self._lock:
            self._make_room()
            if key not in self._files:
                return None
            _, file = self._files.pop(key)
            self._files[key] = self._clock(), file
            return file

    def drop(self, browser: bytes, token: str) -> None:
        """Forget a file."""
        with self._lock:
            self._files.pop(_key(browser, token), None)

    def _make_room(self) -> None:
        size = sum(len(file.content) for _, file in self._files.values())
        while self._files:
            used, file = next(iter(self._files.values()))
            late = self._clock() - used > MOST_SECONDS
            if not late and len(self._files) <= MOST_FILES and size <= MOST_BYTES:
                return
            self._files.popitem(last=False)
            size -= len(file.content)


_SHELF = Shelf()


def hold(upload: Upload) -> str | None:
    """Keep an upload for this browser, and return its token; None where the browser has no secret."""
    browser = browser_secret()
    return None if browser is None else _SHELF.put(browser, upload.name, upload.getvalue())


def find(token: str) -> KeptFile | None:
    """Return an upload of this browser by its token, if it is still kept."""
    browser = browser_secret()
    return None if browser is None else _SHELF.get(browser, token)


def forget(token: str) -> None:
    """Keep an upload of this browser no longer."""
    browser = browser_secret()
    if browser is not None:
        _SHELF.drop(browser, token)


def browser_secret() -> bytes | None:
    """Return the random bytes that Streamlit gave to this browser, or None."""
    return unmasked(st.context.cookies.get(COOKIE, ""))


def unmasked(cookie: str) -> bytes | None:
    """Return the secret in a cookie, which is written with another mask each time.

    Examples
    --------
    >>> unmasked("2|ffffffff|" + "fe" * 16 + "|1794913012").hex()
    '01010101010101010101010101010101'
    >>> unmasked("") is None
    True
    """
    try:
        version, mask, masked, _ = cookie.strip('"').split("|")
        key, text = bytes.fromhex(mask), bytes.fromhex(masked)
    except ValueError:
        return None
    if version != "2" or len(key) != 4 or len(text) < 16:
        return None
    return bytes(byte ^ key[place % 4] for place, byte in enumerate(text))


def _key(browser: bytes, token: str) -> bytes:
    return hashlib.blake2b(token.encode(errors="replace"), key=hashlib.sha256(browser).digest()).digest()


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
    from pgm_nb.models.files import check_guarded
    from pgm_nb.models.projects import read_project

    name, content = _upload.name, _upload.getvalue()
    if name.lower().endswith(MODEL_ENDING):
        check_guarded(name, content)
        return Opened(model=KeptFile(file_id, name, content))
    check_guarded(name, content, read_project)
    project = read_project(name, content)
    if project.is_sample:
        return Opened(project=project)
    if project.table is not None:
        return Opened(KeptFile(f"{file_id} table", project.table_name, project.table), project=project)
    if project.model is None:
        return Opened(project=project)
    check_guarded(name, project.model)
    return Opened(model=KeptFile(f"{file_id} model", name, project.model), project=project)


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
