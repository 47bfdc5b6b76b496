"""A tree that a person draws in which an attribute may have two mothers, who are linked themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pgm_nb.errors import StructureError
from pgm_nb.graphs import Graph, HigherCherryTree, Tree
from pgm_nb.learning.own_tree import mothers_from, with_mother

__all__ = ["Families", "families_from", "second_mothers", "structure_of", "with_mothers"]

Families = dict[str, tuple[str, ...]]  #: the mothers of every attribute that has some, the first one first


def with_mothers(families: Mapping[str, Sequence[str]], child: str, mothers: Sequence[str]) -> Families:
    """Return a draft in which an attribute has these mothers, none, one or two.

    A second mother of another attribute goes where her link with the first one has gone.

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
    >>> with_mothers({"b": ("a",)}, "d", ("b", "c"))
    Traceback (most recent call last):
    ...
    pgm_nb.errors.StructureError: b and c are not linked, so they cannot both be mothers of d; link them first
    """
    draft = {name: tuple(its) for name, its in families.items() if name != child and its}
    for mother in mothers:
        if _is_above(draft, child, mother) or mother == child:
            with_mother(_single(draft, mother, child), child, mother)  # raises, and names the circle
            raise StructureError(f"{mother} depends on {child}; choose another mother")
    if len(mothers) == 2 and not _linked(draft, *mothers):
        raise StructureError(
            f"{mothers[0]} and {mothers[1]} are not linked, so they cannot both be mothers of {child}; link "
            "them first"
        )
    if mothers:
        draft[child] = tuple(mothers)
    changed = True
    while changed:  # a pair of mothers that lost their link keeps the first one
        apart = [name for name, its in draft.items() if len(its) == 2 and not _linked(draft, *its)]
        changed = bool(apart)
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
    return sorted(name for name in near if not _is_above(families, child, name))


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


def _single(families: Mapping[str, Sequence[str]], start: str, end: str) -> dict[str, str]:
    """Return one way from an attribute up to another, as mothers."""
    for mother in families.get(start, ()):
        if mother == end:
            return {start: mother}
        if _is_above(families, end, mother):
            return {start: mother, **_single(families, mother, end)}
    return {}


def _is_above(families: Mapping[str, Sequence[str]], ancestor: str, name: str) -> bool:
    """Say whether one attribute is an ancestor of another."""
    seen, waiting = set(), [name]
    while waiting:
        here = waiting.pop()
        for mother in families.get(here, ()):
            if mother == ancestor:
                return True
            if mother not in seen:
                seen.add(mother)
                waiting.append(mother)
    return False


def _linked(families: Mapping[str, Sequence[str]], one: str, other: str) -> bool:
    return other in families.get(one, ()) or one in families.get(other, ())
