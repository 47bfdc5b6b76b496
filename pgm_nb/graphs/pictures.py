"""The graph objects as drawings: which nodes and arcs each view shows, and what their numbers say.

Attributes are the darker the more they tell about the class, I(Xi;Y); arcs of the tree are the wider the more
mother and child tell about each other given the class, I(Xi;Xm|Y).
"""

from collections.abc import Mapping

from pgm_nb.graphs.base import Edge, Graph
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import box_size, butterfly, flow
from pgm_nb.views.style import shade
from pgm_nb.words import bits

__all__ = ["chordal_drawing", "star_drawing", "tree_drawing"]

FEW = 5  # attributes up to which the arcs of the class are drawn beside the tree; more would only blur it
NARROWEST, WIDEST = 0.8, 5.0  # lines, in points


def star_drawing(graph: Graph) -> Drawing:
    """Draw the class between its attributes, the most telling ones at the top.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> len(star_drawing(Star("disease", ("age", "pulse"))).arcs)
    2
    """
    relevance = graph.relevance or {}
    ranked = sorted(graph.attributes, key=lambda name: -relevance.get(name, 0.0))
    sizes = [box_size(name, bits(relevance.get(name))) for name in ranked]
    width = max(width for width, _ in sizes)
    middle, _ = box_size(graph.target)
    places = dict(zip(ranked, butterfly([height for _, height in sizes], width, middle), strict=True))
    ids = _ids(graph)
    nodes = [
        Node(
            ids[name],
            (name,),
            "attribute",
            number=bits(relevance.get(name)),
            fill=_fill(graph, name),
            at=places[name],
            width=width,
            tip=_attribute_tip(graph, name),
            names=(name,),
        )
        for name in graph.attributes
    ]
    arcs = [
        Arc(
            ids[edge.source],
            ids[edge.target],
            "class",
            width=_width(edge.weight, graph.relevance),
            port="w" if places[edge.target][0] > 0 else "e",
            tip=_arc_tip(graph, edge),
        )
        for edge in graph.edges
    ]
    hub = Node(ids[graph.target], (graph.target,), "class", at=(0.0, 0.0), names=(graph.target,))
    return Drawing("star", (hub, *nodes), tuple(arcs), flow="pinned")


def tree_drawing(graph: Graph, steps: Mapping[str, int] | None = None) -> Drawing:
    """Draw the tree of the attributes, mother to child, and the class before it.

    Examples
    --------
    >>> from pgm_nb.graphs import Tree
    >>> drawing = tree_drawing(Tree("disease", ("age", "pulse"), {"pulse": "age"}, dependence={"pulse": 0.4}))
    >>> [arc.label for arc in drawing.arcs if arc.kind == "tree"]
    ['0.40']
    """
    few = len(graph.attributes) <= FEW
    note = () if few else ("→ all attributes",)
    tip = f"{graph.target} points to every attribute"
    hub = Node("n0", (graph.target, *note), "class", tip=tip, names=(graph.target,))
    arcs = [
        _arc(graph, edge, steps or {}, hidden=not few and edge.kind == "class")
        for edge in graph.edges
        if few or edge.kind == "tree" or edge.target not in graph.mothers
    ]
    nodes = (hub, *_attributes(graph, steps or {}))
    return Drawing("tree", nodes, tuple(arcs), flow=_direction(graph))


def chordal_drawing(graph: Graph, steps: Mapping[str, int]) -> Drawing:
    """Draw the undirected graph: the class joined to every attribute, and the tree.

    Examples
    --------
    >>> from pgm_nb.graphs import CherryTree
    >>> len(chordal_drawing(CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "a"}), {}).arcs)
    5
    """
    hub = Node("n0", (graph.target,), "class", names=(graph.target,))
    arcs = [_arc(graph, edge, steps, numbered=False) for edge in graph.edges]
    nodes = (hub, *_attributes(graph, steps))
    return Drawing("chordal", nodes, tuple(arcs), directed=False, flow=_direction(graph), straight=True)


def _attributes(graph: Graph, steps: Mapping[str, int]) -> tuple[Node, ...]:
    ids = _ids(graph)
    return tuple(
        Node(
            ids[name],
            (name,),
            "attribute",
            fill=_fill(graph, name),
            step=steps.get(name),
            tip=_attribute_tip(graph, name),
            names=(name,),
        )
        for name in graph.attributes
    )


def _arc(
    graph: Graph, edge: Edge, steps: Mapping[str, int], *, numbered: bool = True, hidden: bool = False
) -> Arc:
    """Return the arc of an edge; only the tree and the class's arc to its root have a say in the layout."""
    ids = _ids(graph)
    of_tree = edge.kind == "tree"
    return Arc(
        ids[edge.source],
        ids[edge.target],
        edge.kind,
        label=bits(edge.weight) if of_tree and numbered else "",
        width=_width(edge.weight, graph.dependence) if of_tree else NARROWEST,
        step=steps.get(edge.target),
        tip=_arc_tip(graph, edge),
        pulls=of_tree or edge.target not in graph.mothers,
        hidden=hidden,
    )


def _direction(graph: Graph) -> str:
    children: dict[str, list[str]] = {name: [] for name in graph.attributes}
    for child, mother in graph.mothers.items():
        children[mother].append(child)
    rank = [name for name in graph.attributes if name not in graph.mothers]
    sizes = [1]  # the class is a rank of its own
    while rank:
        sizes.append(len(rank))
        rank = [child for name in rank for child in children[name]]
    return flow(max(sizes), len(sizes))


def _ids(graph: Graph) -> dict[str, str]:
    return {name: f"n{place}" for place, name in enumerate(graph.nodes)}


def _fill(graph: Graph, name: str) -> str:
    if graph.relevance is None:
        return shade(None, 0.0)
    return shade(graph.relevance[name], max(graph.relevance.values()))


def _width(weight: float | None, weights: Mapping[str, float] | None) -> float:
    largest = max(weights.values(), default=0.0) if weights else 0.0
    if weight is None or largest <= 0:
        return 1.0
    return NARROWEST + (WIDEST - NARROWEST) * max(weight, 0.0) / largest


def _attribute_tip(graph: Graph, name: str) -> str:
    return (
        name
        if graph.relevance is None
        else f"{name}: {bits(graph.relevance[name])} bits about {graph.target}"
    )


def _arc_tip(graph: Graph, edge: Edge) -> str:
    pair = f"{edge.source} → {edge.target}"
    if edge.weight is None:
        return pair
    given = f" given {graph.target}" if edge.kind == "tree" else ""
    return f"{pair}: {bits(edge.weight)} bits{given}"
