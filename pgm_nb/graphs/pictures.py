"""What the drawings of several kinds of graph share: ids, shades, widths, tooltips, and steps of growth.

An attribute is the darker the more it says about the class, I(Xi;Y); an arc between two attributes is the
wider the more information they share given the class, I(Xi;Xm|Y).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pgm_nb.graphs.base import Edge, Graph
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import box_size, butterfly
from pgm_nb.views.style import shade
from pgm_nb.words import about_class, bits, in_bits, says

__all__ = [
    "NARROWEST",
    "TO_ALL",
    "arc_tip",
    "arc_width",
    "attribute_node",
    "class_arc",
    "class_node",
    "fill",
    "growing",
    "largest",
    "link_arc",
    "ranked",
    "star_drawing",
]

NARROWEST, WIDEST = 0.8, 5.0  # lines, in points
TO_ALL = "→ all attributes"  # in the box of the class, where its arcs are not drawn


def fill(graph: Graph, name: str) -> str:
    """Return the role of the shade of an attribute."""
    if graph.relevance is None:
        return shade(None, 0.0)
    return shade(graph.relevance[name], max(graph.relevance.values()))


def arc_width(weight: float | None, largest: float) -> float:
    """Return the width of a line in points: the widest for the largest weight."""
    if weight is None or largest <= 0:
        return 1.0
    return NARROWEST + (WIDEST - NARROWEST) * (max(weight, 0.0) / largest)  # in this order, never inf


def largest(weights: Mapping[str, float] | None) -> float:
    """Return the largest weight; 0 if there is none."""
    return max(weights.values(), default=0.0) if weights else 0.0


def attribute_node(graph: Graph, name: str, id: str = "", **look: Any) -> Node:
    """Return the box of an attribute, which says what the attribute says about the class."""
    known = {"tip": _attribute_tip(graph, name), "fill": fill(graph, name), "names": (name,)}
    return Node(id or graph.ids[name], (name,), "attribute", **(known | look))


def class_node(graph: Graph, *notes: str, **look: Any) -> Node:
    """Return the box of the class, with notes below its name."""
    return Node("n0", (graph.target, *notes), "class", names=(graph.target,), **look)


def class_arc(graph: Graph, name: str, **look: Any) -> Arc:
    """Return an arc of the class that has no number of its own."""
    return Arc("n0", graph.ids[name], "class", tip=f"{graph.target} → {name}", **look)


def _attribute_tip(graph: Graph, name: str) -> str:
    """Say what an attribute says about the class."""
    if graph.relevance is None:
        return name
    amount = about_class(graph.relevance[name], 2, scale=graph.scale)
    if graph.scale is None:
        return f"{name}: {amount} about {graph.target}"
    return f"{name}: says {amount} of what there is to know about {graph.target}"


def arc_tip(graph: Graph, edge: Edge) -> str:
    """Say what the two ends of an arc share."""
    pair = f"{edge.source} → {edge.target}"
    if edge.weight is None:
        return pair
    given = f" given {graph.target}" if edge.kind == "tree" else ""
    return f"{pair}: {in_bits(edge.weight, 2, scale=graph.scale)}{given}"


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
    step = {id: steps.get(name) for name, id in graph.ids.items()}
    nodes = tuple(replace(node, step=step.get(node.id)) for node in drawing.nodes)
    arcs = tuple(replace(arc, step=step.get(arc.target)) for arc in drawing.arcs)
    return replace(drawing, nodes=nodes, arcs=arcs)


def link_arc(graph: Graph, edge: Edge, largest: float, *, label: bool = True) -> Arc:
    """Return the arc between two attributes, the wider the more information they share."""
    ids, said = graph.ids, bits(edge.weight, scale=graph.scale) if label else ""
    width = arc_width(edge.weight, largest)
    return Arc(ids[edge.source], ids[edge.target], "tree", said, width, tip=arc_tip(graph, edge))


def ranked(graph: Graph, names: Iterable[str]) -> list[str]:
    """Return names, those that say most about the class first."""
    relevance = graph.relevance or {}
    return sorted(names, key=lambda name: -relevance.get(name, 0.0))


def star_drawing(graph: Graph, numbers: Mapping[str, str] | None = None) -> Drawing:
    """Draw the class between its attributes, those that say most about it at the top.

    `numbers` stand beside the names; by default what each attribute says about the class.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> len(star_drawing(Star("disease", ("age", "pulse"))).arcs)
    2
    """
    relevance, order = graph.relevance or {}, ranked(graph, graph.attributes)
    shown = numbers or {name: says(relevance.get(name), scale=graph.scale) for name in order}
    sizes = [box_size(name, shown[name]) for name in order]
    width = max(width for width, _ in sizes)
    wings = butterfly([height for _, height in sizes], width, box_size(graph.target)[0])
    places, ids = dict(zip(order, wings, strict=True)), graph.ids
    nodes = [
        attribute_node(graph, name, number=shown[name], at=places[name], width=width)
        for name in graph.attributes
    ]
    arcs = [
        Arc(
            ids[edge.source],
            ids[edge.target],
            "class",
            width=arc_width(edge.weight, largest(graph.relevance)),
            port="w" if places[edge.target][0] > 0 else "e",
            tip=arc_tip(graph, edge),
        )
        for edge in graph.edges
        if edge.kind == "class"
    ]
    return Drawing("star", (class_node(graph, at=(0.0, 0.0)), *nodes), tuple(arcs), flow="pinned")
