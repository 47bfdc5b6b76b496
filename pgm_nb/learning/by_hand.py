r"""Structures by hand: links that are required or forbidden one by one, and trees drawn parent by parent.

A link is written ``age:pulse``; in a name that holds a colon or a backslash it has a backslash before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pgm_nb.errors import StructureError
from pgm_nb.graphs import Graph, HigherCherryTree, Tree
from pgm_nb.learning.constraints import read_constraints
from pgm_nb.words import did_you_mean, listed

__all__ = [
    "Edits",
    "Families",
    "Link",
    "families_from",
    "link_text",
    "mothers_from",
    "read_link",
    "second_mothers",
    "structure_of",
    "with_mothers",
]

Families = dict[str, tuple[str, ...]]  #: the mothers of every attribute that has some, the first one first
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


def with_mothers(families: Mapping[str, Sequence[str]], child: str, mothers: Sequence[str]) -> Families:
    """Return a draft of a tree in which an attribute has these mothers: none, one or two.

    A pair of mothers elsewhere that loses its link keeps the first of the two.

    Raises
    ------
    StructureError
        If the attribute would become its own ancestor, or two mothers are not linked.

    Examples
    --------
    >>> draft = with_mothers({"b": ("a",)}, "c", ("a", "b"))
    >>> draft
    {'b': ('a',), 'c': ('a', 'b')}
    >>> with_mothers(draft, "b", ())
    {'c': ('a',)}
    >>> with_mothers({"b": ("a",)}, "a", ("b",))
    Traceback (most recent call last):
    ...
    pgm_nb.errors.StructureError: this link would close a circle: a - b - a; choose another parent
    """
    draft = {name: tuple(its) for name, its in families.items() if name != child and its}
    for mother in mothers:
        if way := _way_up(draft, mother, child):
            raise StructureError(
                f"this link would close a circle: {' - '.join([child, *way])}; choose another parent"
            )
    if len(mothers) == 2 and not _linked(draft, *mothers):
        raise StructureError(
            f"{mothers[0]} and {mothers[1]} are not linked, so they cannot both be parents of {child}; link "
            "them first"
        )
    if mothers:
        draft[child] = tuple(mothers)
    while apart := [name for name, its in draft.items() if len(its) == 2 and not _linked(draft, *its)]:
        for name in apart:
            draft[name] = draft[name][:1]
    return draft


def second_mothers(families: Mapping[str, Sequence[str]], child: str) -> list[str]:
    """Return the attributes that can be the second mother of one that has a first.

    Examples
    --------
    >>> second_mothers({"b": ("a",), "c": ("b",), "d": ("b",)}, "d")
    ['a', 'c']
    """
    first = families[child][0]
    near = {*families.get(first, ()), *(name for name, its in families.items() if first in its)} - {child}
    return sorted(name for name in near if not _way_up(families, name, child))


def structure_of(
    target: str, names: Sequence[str], families: Mapping[str, Sequence[str]], most: int
) -> Graph:
    """Return the finished structure; with `most` = 1 only first mothers count.

    Examples
    --------
    >>> structure_of("y", ("a", "b", "c"), {"b": ("a",), "c": ("a", "b")}, most=2).clusters
    (('y', 'a', 'b'), ('y', 'a', 'b', 'c'))
    >>> structure_of("y", ("a", "b"), {"b": ("a",)}, most=1)
    <Tree: class 'y', 2 attributes>
    """
    if most == 1:
        return Tree(target, tuple(names), {child: mothers[0] for child, mothers in families.items()})
    order: list[str] = []
    while len(order) < len(names):
        ready = [name for name in names if name not in order and set(families.get(name, ())) <= set(order)]
        order.append(ready[0])
    return HigherCherryTree(target, tuple(order), {child: tuple(its) for child, its in families.items()})


def mothers_from(structure: Graph, names: Sequence[str], target: str) -> dict[str, str]:
    """Take the mothers from a structure that was read from a file.

    Columns that it does not have are left without a mother.

    Raises
    ------
    StructureError
        If it has another class, or an attribute that is no column.

    Examples
    --------
    >>> mothers_from(Tree("y", ("a", "b"), {"b": "a"}), ("a", "b", "c"), "y")
    {'b': 'a'}
    """
    if structure.target != target:
        raise StructureError(
            f"its class is {structure.target!r}, but the class of the table is {target!r}; choose "
            "that class, or rename it in the file"
        )
    unknown = [name for name in structure.attributes if name not in names]
    if unknown:
        help_ = did_you_mean(unknown[0], names) or f"; the attributes are {listed(list(names))}"
        raise StructureError(f"it has an attribute {unknown[0]!r}, which is not a column of the table{help_}")
    return dict(structure.mothers)


def families_from(structure: Graph, names: Sequence[str], target: str) -> Families:
    """Take the mothers from a structure that was read from a file; see `mothers_from`.

    Examples
    --------
    >>> families_from(Tree("y", ("a", "b"), {"b": "a"}), ("a", "b", "c"), "y")
    {'b': ('a',)}
    """
    first = mothers_from(structure, names, target)
    several: Mapping[str, Sequence[str]] = getattr(structure, "families", {})
    return {child: tuple(several.get(child, (mother,)))[:2] for child, mother in first.items()}


def _way_up(families: Mapping[str, Sequence[str]], start: str, ancestor: str) -> list[str]:
    """Return one way from an attribute up to an ancestor, both included; empty if there is none."""
    waiting, seen = [[start]], {start}
    while waiting:
        way = waiting.pop()
        if way[-1] == ancestor:
            return way
        above = [mother for mother in families.get(way[-1], ()) if mother not in seen]
        seen.update(above)
        waiting += [[*way, mother] for mother in above]
    return []


def _linked(families: Mapping[str, Sequence[str]], one: str, other: str) -> bool:
    return other in families.get(one, ()) or one in families.get(other, ())
