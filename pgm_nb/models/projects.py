"""Project files: a table, everything that was chosen for it, and the model, to go on another day.

A ``.pgmnbproj`` file is the container of a saved model (`pgm_nb.models.files`): a JSON part, plain arrays and
a checksum, with the same bounds, and no pickle. docs/format.md describes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import stored
from pgm_nb.errors import ModelFileError
from pgm_nb.files import write_atomically
from pgm_nb.models.files import loaded, packed_parts, reading

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ENDING", "Project", "fingerprint", "load_project", "read_project"]

FORMAT = "pgm_nb project"
VERSION = 1
ENDING = ".pgmnbproj"
MOST_HELD = 1 << 29  # bytes of a table or model inside
MOST_CHOICES, LONGEST = 1_000, 100_000  # choices, and characters of all texts of one choice


def fingerprint(content: bytes) -> str:
    """Return what identifies the content of a table's file: its SHA-256, in hexadecimal.

    Examples
    --------
    >>> fingerprint(b"age,class")[:12]
    '3e6fc1c19f3f'
    """
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True, eq=False)
class Project:
    r"""A table or its fingerprint, what was chosen for it, and the model.

    Parameters
    ----------
    table_name : str
        Name of the table's file, or of the sample.
    table : bytes, optional
        The file itself. Without it the project only knows its fingerprint.
    is_sample : bool
        Whether the table comes with the program.
    table_print : str
        Fingerprint of the file; by default that of `table`.
    choices : mapping of str to texts
        What was chosen, as the address of the app says it: class, model, columns left out, cut points,
        constraints, known values, repairs.
    model : bytes, optional
        The file of the fitted model.
    notes : mapping
        Whatever else belongs to the project, such as a codebook; anything that JSON can hold.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "patients.pgmnbproj"
    >>> Project("patients.csv", b"age,class\n64,ill\n", choices={"class": ["class"]}).save(path)
    >>> again = load_project(path)
    >>> again.table_name, again.table, dict(again.choices)
    ('patients.csv', b'age,class\n64,ill\n', {'class': ['class']})
    """

    table_name: str
    table: bytes | None = None
    is_sample: bool = False
    table_print: str = ""
    choices: Mapping[str, list[str]] = field(default_factory=dict)
    model: bytes | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    def saved(self) -> bytes:
        """Return the bytes of the project's file; the same project is always the same bytes."""
        from pgm_nb.version import __version__

        description = {
            "format": FORMAT,
            "version": VERSION,
            "written_by": f"pgm_nb {__version__}",
            "table": {
                "name": self.table_name,
                "sample": self.is_sample,
                "fingerprint": self.table_print or ("" if self.table is None else fingerprint(self.table)),
            },
            "choices": {name: list(texts) for name, texts in sorted(self.choices.items())},
            "notes": dict(self.notes),
        }
        files = {"table": self.table, "model": self.model}
        return packed_parts(description, {name: _bytes(part) for name, part in files.items() if part})

    def save(self, path: str | Path) -> None:
        """Write the project to a file; an existing one is replaced only when the new one is whole."""
        write_atomically(path, self.saved())

    def frame(self) -> pd.DataFrame:
        """Return the table with its class column.

        Raises
        ------
        ModelFileError
            The project holds only the fingerprint of its table.
        """
        import pandas as pd

        from pgm_nb.data import load_sample
        from pgm_nb.data.excerpt import read_guarded

        if self.is_sample:
            X, y = load_sample(self.table_name)
            return pd.concat([X, y], axis=1)
        if self.table is None:
            raise ModelFileError(
                f"the project was saved without its table: read {self.table_name} itself (SHA-256 "
                f"{self.table_print})"
            )
        return read_guarded(self.table_name, self.table).frame

    def fitted(self) -> Any:
        """Return the fitted model.

        Raises
        ------
        ModelFileError
            The project has no model, or it is damaged.
        """
        if self.model is None:
            raise ModelFileError("the project was saved without a model: learn it from the table")
        return loaded("the model of the project", self.model)


def load_project(path: str | Path) -> Project:
    """Read a project that `Project.save` or the app wrote.

    Raises
    ------
    ModelFileError
        The file is absent, damaged, of a later version, or something else altogether.
    """
    return _project(Path(path), None)


def read_project(name: str, content: bytes) -> Project:
    """Read a project from the bytes of its file; `name` is what errors call it.

    Examples
    --------
    >>> read_project("notes.pgmnbproj", b"not a project")
    Traceback (most recent call last):
    pgm_nb.errors.ModelFileError: notes.pgmnbproj is not a pgm_nb project, or is damaged
    """
    return _project(Path(name), content)


def _project(path: Path, content: bytes | None) -> Project:
    with reading(path, FORMAT, VERSION, content) as (description, arrays):
        table, notes = description["table"], description["notes"]
        name, is_sample, known = table["name"], table["sample"], table["fingerprint"]
        if not (isinstance(name, str) and isinstance(is_sample, bool) and isinstance(known, str)):
            raise ValueError("the table has no name or no fingerprint")
        if not isinstance(notes, dict):
            raise ValueError("the notes are no mapping")
        files = {part: _content(arrays, part) for part in ("table", "model") if part in arrays}
        held = files.get("table")
        if held is not None and fingerprint(held) != known:
            raise ValueError("the table is not the one that the fingerprint is of")
        return Project(
            name, held, is_sample, known, _choices(description["choices"]), files.get("model"), notes
        )


def _choices(said: Any) -> dict[str, list[str]]:
    """Check that what was chosen is names with texts, and not endlessly many."""
    if not isinstance(said, dict) or len(said) > MOST_CHOICES:
        raise ValueError("the choices are no mapping, or too many")
    for name, texts in said.items():
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"the choice {str(name)[:40]!r} is no list of texts")
        if sum(map(len, texts)) > LONGEST:
            raise ValueError(f"the choice {str(name)[:40]!r} is too long")
    return said


def _bytes(content: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(content, dtype=np.uint8)


def _content(arrays: Mapping[str, NDArray[Any]], name: str) -> bytes:
    if arrays[name].dtype != np.uint8 or len(arrays[name]) > MOST_HELD:
        raise ValueError(f"the {name} in it is not a sequence of at most {MOST_HELD:,} bytes")
    return stored(arrays, name, (None,), "whole numbers").tobytes()
