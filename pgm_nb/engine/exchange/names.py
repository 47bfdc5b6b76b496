"""Names made safe for programs that take plain words only, the way back, and the note that keeps both.

A safe name is an ASCII letter followed by letters, digits and underscores, differs from the others by more
than case, and is no word of the formats; such a name keeps its own spelling. The note in a written network
holds the real names and the structure. It is one line of JSON in a comment, spelled so that no reader can
take a part of it for something else.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pgm_nb.errors import DataError
from pgm_nb.graphs import Graph, from_json
from pgm_nb.words import did_you_mean, listed

__all__ = ["NameMap", "Note", "find_note", "note_inside", "safe_names"]

RESERVED = re.compile(
    "class|continuous|data|decision|default|discrete|domain|false|function|label|model_data|net|network|node"
    "|normal|position|potential|probability|property|states|table|true|type|utility|variable",
    re.IGNORECASE,
)
SPOKEN = str.maketrans({"≤": " le ", "≥": " ge ", "<": " lt ", ">": " gt ", "=": " eq ", "+": " plus "})


@dataclass(frozen=True)
class NameMap:
    """The real names and states for the safe ones.

    Attributes
    ----------
    variables : mapping of str to str
        {safe name: real name}, in the order of the file.
    states : mapping of str to mapping
        {safe name: {safe state: real state}}, in the order of the states.

    Examples
    --------
    >>> names = safe_names({"mean radius": ("≤ 14.8", "(14.8, 28.1]"), "class": ("yes", "no")})
    >>> names.variables
    {'mean_radius': 'mean radius', 'class_': 'class'}
    >>> names.states["mean_radius"]
    {'le_14_8': '≤ 14.8', 's14_8_28_1': '(14.8, 28.1]'}
    >>> names.safe("mean radius"), names.safe_state("mean radius", "≤ 14.8")
    ('mean_radius', 'le_14_8')
    >>> NameMap.from_json(names.to_json()) == names
    True
    """

    variables: Mapping[str, str]
    states: Mapping[str, Mapping[str, str]]

    def safe(self, name: str) -> str:
        """Return the safe name of a real one."""
        return _behind(self.variables, name)

    def safe_state(self, name: str, state: str) -> str:
        """Return the safe name of a real state of a variable given by its real name."""
        return _behind(self.states[self.safe(name)], state)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain dicts."""
        return {
            safe: {"name": name, "states": dict(self.states[safe])} for safe, name in self.variables.items()
        }

    @classmethod
    def from_dict(cls, content: object) -> NameMap:
        """Read what `to_dict` returned; refuse anything else."""
        if not isinstance(content, dict) or not all(map(_is_entry, content.values())):
            raise DataError(
                'a map of names must have the form {safe name: {"name": ..., "states": {...}}}, but has not.'
            )
        return cls(
            {safe: entry["name"] for safe, entry in content.items()},
            {safe: entry["states"] for safe, entry in content.items()},
        )

    def to_json(self) -> str:
        """Write the map as JSON text; `from_json` reads it back equal."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> NameMap:
        """Read the text written by `to_json`."""
        try:
            return cls.from_dict(json.loads(text))
        except json.JSONDecodeError as error:
            raise DataError(f"a map of names is JSON, but this text is not ({error}).") from None


def safe_names(variables: Mapping[str, Iterable[str]]) -> NameMap:
    """Give every variable and every state of {name: states} a safe name.

    Examples
    --------
    >>> safe_names({"node": ("true", "TRUE", "♥"), "Node": ("a", "-1")}).to_dict()
    {'node_': {'name': 'node', 'states': {'true_': 'true', 'TRUE_2': 'TRUE', 's': '♥'}},
     'Node_2': {'name': 'Node', 'states': {'a': 'a', 'minus_1': '-1'}}}
    """
    names = _safe(variables, "v")
    states = {safe: _safe(states, "s") for safe, states in zip(names, variables.values(), strict=True)}
    return NameMap(names, states)


def _safe(texts: Iterable[str], letter: str) -> dict[str, str]:
    """Return {safe: text} for all texts; of equals, the later get a number."""
    safe: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        word = _word(text, letter)
        name, number = f"{word}_" if RESERVED.fullmatch(word) else word, 1
        while name.lower() in taken:
            number += 1
            name = f"{word}_{number}"
        taken.add(name.lower())
        safe[name] = text
    return safe


def _word(text: str, letter: str) -> str:
    """Return the text as one word: itself if it is one, else its ASCII letters and digits."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text):
        return text
    spoken = re.sub(r"(?<!\w)[-−](?=[\d.])", " minus ", text).translate(SPOKEN)
    plain = unicodedata.normalize("NFKD", spoken).encode("ascii", "ignore").decode()
    word = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")
    return word if word[:1].isalpha() else letter + word


def _behind(names: Mapping[str, str], real: str) -> str:
    for safe, name in names.items():
        if name == real:
            return safe
    known = list(names.values())
    raise DataError(f"there is no {real!r} here (there are {listed(known)}){did_you_mean(real, known)}")


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("name"), str)
        and isinstance(entry.get("states"), dict)
        and all(isinstance(state, str) for state in entry["states"].values())
    )


MARK = "pgm_nb names"
BESIDE = ".names.json"  # ending of the file beside a format that has no comments


@dataclass(frozen=True)
class Note:
    """The real names for the safe ones, the structure, and what a reader should know of the network.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> from pgm_nb.engine.exchange.names import safe_names
    >>> note = Note(safe_names({"y": ("no", "yes"), "a--b": ("0", "1")}), Star("y", ("a--b",)))
    >>> Note.from_json(note.to_json()) == note
    True
    >>> note.comment()[:60]
    'pgm_nb names {"names":{"y":{"name":"y","states":{"no":"no","'
    """

    names: NameMap
    structure: Graph
    about: str = ""

    def to_json(self) -> str:
        """Write the note as JSON text."""
        about = {"about": self.about} if self.about else {}
        content = about | {"names": self.names.to_dict(), "structure": json.loads(self.structure.to_json())}
        return json.dumps(content, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Note:
        """Read the text written by `to_json`, or by `comment` after its mark."""
        try:
            content = json.loads(text)
            structure = from_json(json.dumps(content["structure"]))
            return cls(NameMap.from_dict(content["names"]), structure, str(content.get("about", "")))
        except (ValueError, TypeError, KeyError) as error:
            raise DataError(
                f"the note with the real names is damaged ({error}): remove it, or write the file again."
            ) from None

    def comment(self) -> str:
        r"""Return the note for a comment: what could be syntax (spaces, brackets, --) is spelled \u...."""
        # outside its strings JSON needs only the characters kept here
        plain = re.sub(r'[^\w{}\[\]",:.+\\-]', lambda match: f"\\u{ord(match[0]):04x}", self.to_json())
        return f"{MARK} {plain.replace('--', '-' + chr(92) + 'u002d')}"


def note_inside(text: str) -> Note | None:
    """Return the note inside the text of a file, if there is one."""
    inside = re.search(rf"{MARK} (\{{.*\}})", text)
    return Note.from_json(inside[1]) if inside else None


def find_note(path: Path, text: str) -> Note | None:
    """Return the note inside the text of a file or in the file beside it, if there is one."""
    inside = note_inside(text)
    if inside is not None:
        return inside
    beside = path.with_name(path.stem + BESIDE)
    return Note.from_json(beside.read_bytes()) if beside.is_file() else None
