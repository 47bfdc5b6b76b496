"""The note that travels with a written network: the real names, and the structure it was made from.

It is one line of JSON in a comment, spelled so that no reader can take a part of it for something else.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from pgm_nb.errors import DataError
from pgm_nb.graphs import Graph, from_json
from pgm_nb.inference.exchange.names import NameMap

__all__ = ["Note", "find_note"]

MARK = "pgm_nb names"
BESIDE = ".names.json"  # ending of the file beside a format that has no comments


@dataclass(frozen=True)
class Note:
    """The names behind the safe ones, and the structure.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> from pgm_nb.inference.exchange.names import safe_names
    >>> note = Note(safe_names({"y": ("no", "yes"), "a--b": ("0", "1")}), Star("y", ("a--b",)))
    >>> Note.from_json(note.to_json()) == note
    True
    >>> note.comment()[:60]
    'pgm_nb names {"names":{"y":{"name":"y","states":{"no":"no","'
    """

    names: NameMap
    structure: Graph

    def to_json(self) -> str:
        """Write the note as JSON text."""
        content = {"names": self.names.to_dict(), "structure": json.loads(self.structure.to_json())}
        return json.dumps(content, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Note:
        """Read the text written by `to_json`, or by `comment` after its mark."""
        try:
            content = json.loads(text)
            return cls(NameMap.from_dict(content["names"]), from_json(json.dumps(content["structure"])))
        except (ValueError, TypeError, KeyError) as error:
            raise DataError(
                f"the note with the real names is damaged ({error}): take it out, or write the file again."
            ) from None

    def comment(self) -> str:
        r"""Return the note for a comment: what could be syntax (spaces, brackets, --) is spelled \u...."""
        # outside its strings JSON needs only the characters kept here
        plain = re.sub(r'[^\w{}\[\]",:.+\\-]', lambda match: f"\\u{ord(match[0]):04x}", self.to_json())
        return f"{MARK} {plain.replace('--', '-' + chr(92) + 'u002d')}"


def find_note(path: Path, text: str) -> Note | None:
    """Return the note inside the text of a file or in the file beside it, if there is one."""
    inside = re.search(rf"{MARK} (\{{.*\}})", text)
    if inside:
        return Note.from_json(inside[1])
    beside = path.with_name(path.stem + BESIDE)
    return Note.from_json(beside.read_bytes()) if beside.is_file() else None
