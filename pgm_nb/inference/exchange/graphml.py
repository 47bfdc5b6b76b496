"""Structures from GraphML: ours with its weights, and those drawn in yEd, Gephi, igraph or networkx."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import Graph
from pgm_nb.inference.exchange.arcs import Arcs, to_structure
from pgm_nb.inference.exchange.parse import parse_xml

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["parse_graphml"]


def parse_graphml(data: bytes) -> Graph:
    """Read a structure from the bytes of a GraphML file.

    The class is the node marked as such (``kind`` is ``class``; its arcs may then be left out), or else the
    one with arrows to all others. Nodes are called by their ``label`` or ``name`` where they all have one.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> star = Star("disease", ("age", "pulse"), {"age": 0.2, "pulse": 0.1})
    >>> parse_graphml(star.to_graphml().encode()) == star
    True
    """
    graph = _named(_drawn(data))
    parents: dict[str, list[str]] = {node: [] for node in graph}
    for source, target in graph.edges():
        parents[target].append(source)
    marked = [node for node, kind in graph.nodes(data="kind") if kind == "class"]
    if len(marked) == 1:
        parents = {node: [*above, *marked] if node != marked[0] else above for node, above in parents.items()}
    structure = to_structure(Arcs(list(graph), parents), graph.graph.get("type"))
    return _weighted(structure, graph)


def _drawn(data: bytes) -> nx.DiGraph[str]:
    """Let networkx parse the file."""
    import networkx as nx

    parse_xml(data)
    try:
        graph = nx.read_graphml(BytesIO(data))
    except (nx.NetworkXException, KeyError, ValueError) as error:
        raise DataError(f"this is not GraphML that can be read ({error}): save it again.") from None
    if not graph.is_directed():
        raise StructureError(
            "the arcs have no direction; draw arrows from the class to all others and from mother to child."
        )
    return graph


def _named(graph: nx.DiGraph[str]) -> nx.DiGraph[str]:
    """Call the nodes by their labels: programs that draw number them."""
    import networkx as nx

    for key in ("label", "name"):
        names = dict(graph.nodes(data=key))
        if all(names.values()):
            if len(set(names.values())) < len(names):
                raise StructureError(f"two nodes have the same {key}; every node needs its own.")
            return nx.relabel_nodes(graph, {node: str(name).strip() for node, name in names.items()})
    return graph


def _weighted(structure: Graph, graph: nx.DiGraph[str]) -> Graph:
    """Add the weights in bits, if the file is ours and has all of them."""
    if graph.graph.get("type") != structure.type_name:
        return structure
    weights: dict[str, Any] = {}
    for kind, word in (("class", "relevance"), ("tree", "dependence")):
        arcs = [edge for edge in structure.edges if edge.kind == kind]
        bits = {arc.target: graph.edges.get(arc[:2], {}).get("weight") for arc in arcs}
        if bits and None not in bits.values():
            weights[word] = bits
    return replace(structure, **weights)
