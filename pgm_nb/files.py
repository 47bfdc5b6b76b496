"""Write files completely or not at all, under names that say what they hold."""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path
from uuid import uuid4

from pgm_nb.errors import FileError

__all__ = ["file_stem", "user_cache", "write_atomically"]

STALE = 3600.0  # seconds after which the unfinished file of another program counts as left behind


def user_cache() -> Path:
    """Return the folder for what this user's later runs can do without.

    Examples
    --------
    >>> user_cache().name
    'pgm_nb'
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pgm_nb"


def write_atomically(path: str | Path, content: bytes) -> None:
    """Write `content` to a temporary file beside `path`, then rename it.

    An existing file keeps its permissions, and a link keeps pointing at the file that is written. What is
    not a file (a pipe, a device) is written to directly.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tree.dot"
    >>> write_atomically(path, b"digraph {}")
    >>> path.read_bytes()
    b'digraph {}'
    """
    path = Path(path)
    try:
        real = Path(os.path.realpath(path))
        try:
            mode = real.stat().st_mode
        except FileNotFoundError:
            mode = None
        if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            real.write_bytes(content)
        else:
            _replace(real, content, None if mode is None else stat.S_IMODE(mode))
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error.strerror}): choose another place.") from error


def _replace(path: Path, content: bytes, mode: int | None) -> None:
    """Put a whole new file in the place of an old one, or of none."""
    _clear(path)
    part = path.with_name(f"{_start(path)}{uuid4().hex}.part")
    try:
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600)
        with os.fdopen(number, "wb") as file:
            if mode is not None:
                part.chmod(mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _clear(path: Path) -> None:
    """Remove what a program that was killed while writing this file has left behind."""
    start, now = _start(path), time.time()
    with os.scandir(path.parent) as entries:
        left = [entry for entry in entries if entry.name.startswith(start) and entry.name.endswith(".part")]
    for entry in left:
        if now - entry.stat(follow_symlinks=False).st_mtime > STALE:
            Path(entry.path).unlink(missing_ok=True)


def _start(path: Path) -> str:
    """Return how the names of unfinished files begin; short, because a name has at most 255 bytes."""
    return f".{path.name[:40]}."


def file_stem(*names: str) -> str:
    """Return the start of a file's name that says what the file is about: of what table, by which model.

    Endings of files are left out, and so is what a file's name should not have.

    Examples
    --------
    >>> file_stem("Patients 2024.csv.gz", "gnb"), file_stem("../<b>", "nb", "junction")
    ('Patients-2024-gnb', 'b-nb-junction')
    """
    stems = [re.sub(r"(\.[A-Za-z0-9]{1,8}){1,2}$", "", name) or name for name in names]
    clean = [re.sub(r"[^\w]+", "-", stem).strip("-_")[:60] for stem in stems]
    return "-".join(part for part in clean if part) or "file"
