r"""What a person asks of a tree, link by link: require it, forbid it, clear it; written as ``age:pulse``.

In a name that holds a colon or a backslash it has a backslash before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pgm_nb.learning.constraints import read_constraints

__all__ = ["Edits", "Link", "link_text", "read_link"]

Link = tuple[str, str]
_MARK = re.compile(r"[\\:]")
_WRITTEN = re.compile(r"((?:[^\\:]|\\.)*):((?:[^\\:]|\\.)*)", re.DOTALL)


@dataclass(frozen=True)
class Edits:
    """Links that are required and links that are forbidden, each at most once and in no direction.

    Every method returns new edits; `checked` says whether a tree can meet them.

    Examples
    --------
    >>> edits = Edits().require("age", "pulse").forbid("age", "sex")
    >>> edits.parameters()
    {'required': [('age', 'pulse')], 'forbidden': [('age', 'sex')]}
    >>> edits.forbid("pulse", "age").parameters()
    {'forbidden': [('age', 'sex'), ('pulse', 'age')]}
    >>> edits.clear("pulse", "age").kind("age", "sex")
    'forbidden'
    """

    required: tuple[Link, ...] = ()
    forbidden: tuple[Link, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden)

    def kind(self, first: str, second: str) -> str:
        """Return "required", "forbidden", or "" for a link that is free."""
        pair = {first, second}
        if any(pair == set(link) for link in self.required):
            return "required"
        return "forbidden" if any(pair == set(link) for link in self.forbidden) else ""

    def require(self, first: str, second: str) -> Edits:
        """Ask for a link; it is no longer forbidden."""
        rest = self.clear(first, second)
        return replace(rest, required=(*rest.required, (first, second)))

    def forbid(self, first: str, second: str) -> Edits:
        """Rule a link out; it is no longer required."""
        rest = self.clear(first, second)
        return replace(rest, forbidden=(*rest.forbidden, (first, second)))

    def clear(self, first: str, second: str) -> Edits:
        """Leave a link to the search."""
        pair = {first, second}
        return Edits(
            tuple(link for link in self.required if set(link) != pair),
            tuple(link for link in self.forbidden if set(link) != pair),
        )

    def checked(self, names: Sequence[str], target: str, mothers: int = 1) -> Edits:
        """Return the edits if some tree over these attributes, with so many mothers each, meets them.

        Raises
        ------
        StructureError
            If none does; the message says why.
        """
        read_constraints(self.required, self.forbidden, names, target, mothers)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return them as parameters of a model; what is not asked for is left out."""
        asked = {"required": self.required, "forbidden": self.forbidden}
        return {name: list(links) for name, links in asked.items() if links}


def link_text(first: str, second: str) -> str:
    r"""Write a link.

    Examples
    --------
    >>> print(link_text("age", "ratio a:b"))
    age:ratio a\:b
    """
    return ":".join(_MARK.sub(r"\\\g<0>", name) for name in (first, second))


def read_link(text: str, names: Sequence[str]) -> Link | None:
    r"""Read a link between two attributes; None if it is none.

    Examples
    --------
    >>> read_link(r"age:ratio a\:b", ["age", "ratio a:b"])
    ('age', 'ratio a:b')
    >>> read_link("age:age", ["age"]), read_link("age:colour", ["age"]), read_link("age", ["age"])
    (None, None, None)
    """
    written = _WRITTEN.fullmatch(text)
    if written is None:
        return None
    first, second = (re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in written.groups())
    return (first, second) if first != second and first in names and second in names else None
