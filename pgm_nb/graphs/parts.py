"""Parts of a graph that is too large for one picture: some of its attributes, or those around one of them."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Graph
from pgm_nb.graphs.cherry import CherryTree
from pgm_nb.graphs.gaussian import GaussianStar
from pgm_nb.graphs.star import Star
from pgm_nb.graphs.tree import Tree

__all__ = ["Divisible", "around", "cut_links", "part"]

Value = TypeVar("Value")
Divisible = Star | GaussianStar | Tree | CherryTree


def part(graph: Divisible, names: Collection[str]) -> Divisible:
    """Return the graph on some of its attributes, with the links between them.

    Raises
    ------
    StructureError
        Of a tree that falls apart: all but one of the attributes must have their mother among them.

    Examples
    --------
    >>> cherry = CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "b"})
    >>> dict(part(cherry, {"b", "c"}).mothers)
    {'c': 'b'}
    """
    chosen = set(names)
    strange = chosen - set(graph.attributes)
    if strange:
        raise StructureError(
            f"The graph has no attribute {min(strange)!r}; see `attributes` for their names."
        )
    kept = tuple(name for name in graph.attributes if name in chosen)
    relevance = None if graph.relevance is None else _only(graph.relevance, chosen)
    if isinstance(graph, Star):
        return replace(graph, attributes=kept, relevance=relevance)
    if isinstance(graph, GaussianStar):
        gaussians = _only(graph.gaussians, chosen)
        return replace(graph, attributes=kept, gaussians=gaussians, relevance=relevance)
    mothers = {child: mother for child, mother in graph.mothers.items() if {child, mother} <= chosen}
    dependence = None if graph.dependence is None else _only(graph.dependence, mothers)
    return type(graph)(graph.target, kept, mothers, relevance, dependence)


def around(graph: Graph, attribute: str, reach: int) -> tuple[str, ...]:
    """Return the attributes that are within `reach` links of one of them, the class left aside.

    Examples
    --------
    >>> cherry = CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "b", "d": "c"})
    >>> around(cherry, "d", 2)
    ('b', 'c', 'd')
    """
    if attribute not in graph.attributes:
        raise StructureError(f"The graph has no attribute {attribute!r}; see `attributes` for their names.")
    linked = _linked(graph)
    found, rim = {attribute}, {attribute}
    for _ in range(reach):
        rim = {other for name in rim for other in linked[name]} - found
        found |= rim
    return tuple(name for name in graph.attributes if name in found)


def cut_links(graph: Graph, names: Collection[str]) -> dict[str, int]:
    """Count for each of some attributes its links to the others, where it has any.

    Examples
    --------
    >>> cherry = CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "a", "d": "a"})
    >>> cut_links(cherry, {"a", "b"})
    {'a': 2}
    """
    chosen, linked = set(names), _linked(graph)
    counts = {name: len(linked[name] - chosen) for name in graph.attributes if name in chosen}
    return {name: count for name, count in counts.items() if count}


def _linked(graph: Graph) -> dict[str, set[str]]:
    linked: dict[str, set[str]] = {name: set() for name in graph.attributes}
    for child, mother in graph.mothers.items():
        linked[child].add(mother)
        linked[mother].add(child)
    return linked


def _only(values: Mapping[str, Value], chosen: Collection[str]) -> dict[str, Value]:
    return {name: value for name, value in values.items() if name in chosen}
