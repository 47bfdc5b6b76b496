"""Write files completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

from pgm_nb.errors import FileError

__all__ = ["write_atomically"]


def write_atomically(path: str | Path, content: bytes) -> None:
    """Write `content` to a temporary file beside `path`, then rename it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tree.dot"
    >>> write_atomically(path, b"digraph {}")
    >>> path.read_bytes()
    b'digraph {}'
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error.strerror}): choose another place.") from error
    finally:
        part.unlink(missing_ok=True)
