"""A part of a large graph: some of its attributes, with all that hangs on them."""

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from pgm_nb.graphs.base import Graph
from pgm_nb.graphs.cherry import CherryTree
from pgm_nb.graphs.gaussian import GaussianStar
from pgm_nb.graphs.star import Star
from pgm_nb.graphs.tree import Tree

__all__ = ["part"]

Value = TypeVar("Value")
AnyGraph = TypeVar("AnyGraph", bound=Graph)


def part(graph: AnyGraph, names: Sequence[str]) -> AnyGraph:
    """Return a star or tree on some of its attributes; every mother of them must be among them.

    Other graphs stay whole: their views choose what they show.

    Examples
    --------
    >>> part(CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "a"}), ("a", "b")).order
    ('a', 'b')
    """
    chosen = set(names)
    kept = tuple(name for name in graph.attributes if name in chosen)
    if len(kept) == len(graph.attributes):
        return graph
    smaller: Graph = graph
    if isinstance(graph, Star):
        smaller = Star(graph.target, kept, _only(graph.relevance, chosen))
    elif isinstance(graph, GaussianStar):
        leaves = {name: leaf for name, leaf in graph.gaussians.items() if name in chosen}
        smaller = GaussianStar(graph.target, kept, graph.classes, leaves, _only(graph.relevance, chosen))
    elif isinstance(graph, Tree | CherryTree):
        mothers = {child: mother for child, mother in graph.mothers.items() if child in chosen}
        weights = _only(graph.relevance, chosen), _only(graph.dependence, chosen)
        smaller = type(graph)(graph.target, kept, mothers, *weights)
    return cast("AnyGraph", smaller)


def _only(values: Mapping[str, Value] | None, chosen: set[str]) -> dict[str, Value] | None:
    return None if values is None else {name: value for name, value in values.items() if name in chosen}
