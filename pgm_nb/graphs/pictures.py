"""What the drawings of several kinds of graph share: ids, shades, widths, tooltips, and steps of growth.

An attribute is the darker the more it says about the class, I(Xi;Y); an arc between two attributes is the
wider the more information they share given the class, I(Xi;Xm|Y).
"""

from collections.abc import Mapping
from dataclasses import replace

from pgm_nb.graphs.base import Edge, Graph
from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.views.style import shade
from pgm_nb.words import about_class, in_bits, scale

__all__ = ["NARROWEST", "arc_tip", "arc_width", "attribute_tip", "fill", "growing", "largest", "node_ids"]

NARROWEST, WIDEST = 0.8, 5.0  # lines, in points


def node_ids(graph: Graph) -> dict[str, str]:
    """Return the id of every node."""
    return {name: f"n{place}" for place, name in enumerate(graph.nodes)}


def fill(graph: Graph, name: str) -> str:
    """Return the role of the shade of an attribute."""
    if graph.relevance is None:
        return shade(None, 0.0)
    return shade(graph.relevance[name], max(graph.relevance.values()))


def arc_width(weight: float | None, largest: float) -> float:
    """Return the width of a line in points: the widest for the largest weight."""
    if weight is None or largest <= 0:
        return 1.0
    return NARROWEST + (WIDEST - NARROWEST) * max(weight, 0.0) / largest


def largest(weights: Mapping[str, float] | None) -> float:
    """Return the largest weight; 0 if there is none."""
    return max(weights.values(), default=0.0) if weights else 0.0


def attribute_tip(graph: Graph, name: str) -> str:
    """Say what an attribute says about the class."""
    if graph.relevance is None:
        return name
    amount = about_class(graph.relevance[name], 2)
    if scale() is None:
        return f"{name}: {amount} about {graph.target}"
    return f"{name}: says {amount} of what there is to know about {graph.target}"


def arc_tip(graph: Graph, edge: Edge) -> str:
    """Say what the two ends of an arc share."""
    pair = f"{edge.source} → {edge.target}"
    if edge.weight is None:
        return pair
    given = f" given {graph.target}" if edge.kind == "tree" else ""
    return f"{pair}: {in_bits(edge.weight, 2)}{given}"


def growing(graph: Graph, view: str | None, steps: Mapping[str, int]) -> Drawing:
    """Draw a view of a graph with the step of every attribute; views that know their steps keep them.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> drawing = growing(Star("ill", ("age", "sex")), "star", {"sex": 1, "age": 2})
    >>> [node.step for node in drawing.nodes], [arc.step for arc in drawing.arcs]
    ([None, 2, 1], [2, 1])
    """
    drawing = graph.drawing(view)
    if any(node.step is not None for node in drawing.nodes):
        return drawing
    step = {f"n{place}": steps.get(name) for place, name in enumerate(graph.nodes)}
    nodes = tuple(replace(node, step=step.get(node.id)) for node in drawing.nodes)
    arcs = tuple(replace(arc, step=step.get(arc.target)) for arc in drawing.arcs)
    return replace(drawing, nodes=nodes, arcs=arcs)
