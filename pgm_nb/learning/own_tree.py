"""A tree that a person draws: a mother for one attribute after the other, until there is one root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pgm_nb.errors import StructureError
from pgm_nb.graphs import Graph, Tree
from pgm_nb.words import did_you_mean, listed

__all__ = ["complete", "mothers_from", "with_mother"]

Mothers = dict[str, str]


def with_mother(mothers: Mapping[str, str], child: str, mother: str | None) -> Mothers:
    """Return a draft in which an attribute has this mother, or none.

    Raises
    ------
    StructureError
        If the attribute would become its own ancestor; the message names the circle.

    Examples
    --------
    >>> with_mother({"b": "a"}, "c", "b")
    {'b': 'a', 'c': 'b'}
    >>> with_mother({"b": "a"}, "a", "b")
    Traceback (most recent call last):
    ...
    pgm_nb.errors.StructureError: this link would close a circle: a - b - a; choose another mother
    """
    draft = {name: its for name, its in mothers.items() if name != child}
    if mother is None:
        return draft
    draft[child] = mother
    circle = _circle(draft, child)
    if circle:
        path = " - ".join(circle)
        raise StructureError(f"this link would close a circle: {path}; choose another mother")
    return draft


def _circle(mothers: Mapping[str, str], start: str) -> list[str]:
    """Return the way from an attribute up to itself; empty if there is none."""
    path = [start]
    while path[-1] in mothers:
        path.append(mothers[path[-1]])
        if path[-1] == start:
            return path
        if len(path) > len(mothers) + 1:
            break
    return []


def complete(mothers: Mapping[str, str], names: Sequence[str], target: str) -> Tree | None:
    """Return the tree once every attribute but one has a mother; None before.

    Examples
    --------
    >>> complete({"b": "a"}, ("a", "b"), "y"), complete({}, ("a", "b"), "y")
    (<Tree: class 'y', 2 attributes>, None)
    """
    if len(names) - len(mothers) != 1:
        return None
    return Tree(target, tuple(names), dict(mothers))


def mothers_from(structure: Graph, names: Sequence[str], target: str) -> Mothers:
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
