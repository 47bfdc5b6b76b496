"""A picture of a graph before it is laid out: nodes and arcs, and what each of them stands for."""

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Arc", "Cell", "Drawing", "Element", "Node", "arc_id", "elements"]


@dataclass(frozen=True)
class Cell:
    """One cell of a node that is a table.

    Parameters
    ----------
    text : str
        What it says.
    fill : str
        Role of the fill colour in the palette; empty for none.
    align : str
        ``"left"``, ``"center"`` or ``"right"``.
    span : int
        Columns that it takes.
    small : bool
        Whether in a small font, for tables of many numbers.

    Examples
    --------
    >>> Cell("0.25", fill="shade 2").align
    'left'
    """

    text: str
    fill: str = ""
    align: str = "left"
    span: int = 1
    small: bool = False


@dataclass(frozen=True)
class Node:
    """One box of a drawing.

    Parameters
    ----------
    id : str
        A plain identifier (letters and digits), unique in the drawing.
    lines : tuple of str
        The text inside, one name or number per line; long lines are wrapped.
    kind : str
        ``"class"``, ``"attribute"``, ``"cluster"``, ``"separator"``, ``"hidden"``, ``"table"`` or ``"note"``
        (text without a box, in lines as they are): decides shape and colour.
    number : str
        A number behind the last line.
    fill : str
        Role of the fill colour in the palette; empty for the colour of the kind.
    at : tuple of float, optional
        Place of the centre in points, for drawings that are laid out by hand.
    width : float, optional
        Least width in points.
    step : int, optional
        The learning step at which the node appears.
    tip : str
        Text shown when the pointer rests on the node.
    table : tuple of tuple of Cell
        Rows of a node that is a table; its lines are not drawn.
    outline : str
        Colour of a thick outline (``#0072b2``); empty for the thin one of the kind.
    room : float
        Height in points that is kept free below the text, for bars; the box is then a rectangle.
    names : tuple of str
        The names of the graph that the node stands for; empty for a note.

    Examples
    --------
    >>> Node("n0", ("age",), "attribute").lines
    ('age',)
    """

    id: str
    lines: tuple[str, ...]
    kind: str
    number: str = ""
    fill: str = ""
    at: tuple[float, float] | None = None
    width: float | None = None
    step: int | None = None
    tip: str = ""
    table: tuple[tuple[Cell, ...], ...] = ()
    names: tuple[str, ...] = ()
    outline: str = ""
    room: float = 0.0


@dataclass(frozen=True)
class Arc:
    """One line between two nodes.

    Parameters
    ----------
    source, target : str
        Ids of the nodes.
    kind : str
        ``"class"``, ``"tree"``, ``"junction"`` or ``"hidden"`` (dashed), and in a comparison ``"common"``,
        ``"first"`` (dashed) or ``"second"`` (dotted), and of a person's wishes ``"required"`` or
        ``"forbidden"`` (dotted): decides the colour.
    label : str
        The number beside the line.
    width : float
        Width of the line in points.
    step : int, optional
        The learning step at which the arc appears.
    tip : str
        Text shown when the pointer rests on the arc.
    port, tail : str
        The sides at which the arc arrives at the target and leaves the source: ``"n"``, ``"e"``, ``"s"``,
        ``"w"``, empty for any.
    pulls : bool
        Whether the arc shapes the layout.
    hidden : bool
        Whether it is not drawn and only shapes the layout.

    Examples
    --------
    >>> Arc("n0", "n1", "tree", label="0.41", width=2.5).label
    '0.41'
    """

    source: str
    target: str
    kind: str
    label: str = ""
    width: float = 1.0
    step: int | None = None
    tip: str = ""
    port: str = ""
    tail: str = ""
    pulls: bool = True
    hidden: bool = False


@dataclass(frozen=True)
class Drawing:
    """Nodes and arcs, and how to lay them out.

    Parameters
    ----------
    title : str
        Name of the graph in the DOT text.
    nodes, arcs : tuple
        What is drawn, in a stable order.
    directed : bool
        Whether arcs have arrowheads.
    flow : str
        ``"TB"`` or ``"LR"``: ranks run down or to the right; ``"pinned"``: every node has its place.
    straight : bool
        Whether arcs are straight lines behind the nodes rather than curves around them.

    Examples
    --------
    >>> Drawing("star", (Node("n0", ("age",), "attribute"),), ()).flow
    'TB'
    """

    title: str
    nodes: tuple[Node, ...]
    arcs: tuple[Arc, ...]
    directed: bool = True
    flow: str = "TB"
    straight: bool = False


class Element(NamedTuple):
    """One element of a picture and what it stands for.

    ``kind`` is ``"class"``, ``"attribute"``, ``"cluster"``, ``"separator"``, ``"hidden"`` (a hidden parent),
    ``"table"`` (a bag) or ``"link"``; ``names`` are the names of the graph that it holds: one for an
    attribute, three for a cluster, source and target for a link.

    Examples
    --------
    >>> Element("link", ("age", "pulse")).names[-1]
    'pulse'
    """

    kind: str
    names: tuple[str, ...]


def elements(drawing: Drawing) -> dict[str, Element]:
    """Return what each node and arc of a drawing stands for, by the ``data-id`` of its SVG group.

    Notes are left out. A line of a junction tree stands for the separator it belongs to.

    Examples
    --------
    >>> from pgm_nb.graphs import CherryTree
    >>> cherry = CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "a"})
    >>> elements(cherry.drawing("tree"))["n1->n3"]
    Element(kind='link', names=('a', 'c'))
    >>> elements(cherry.drawing("junction"))["c2"]
    Element(kind='cluster', names=('y', 'a', 'c'))
    """
    found = {node.id: Element(node.kind, node.names) for node in drawing.nodes if node.names}
    for arc in drawing.arcs:
        if arc.source in found and arc.target in found and not arc.hidden:
            found[arc_id(arc, directed=drawing.directed)] = _link(arc, found[arc.source], found[arc.target])
    return found


def arc_id(arc: Arc, *, directed: bool) -> str:
    """Return the ``data-id`` that Graphviz gives an arc.

    Examples
    --------
    >>> arc_id(Arc("n0", "n1", "class", port="w"), directed=True)
    'n0->n1:w'
    """
    tail, head = (f":{side}" if side else "" for side in (arc.tail, arc.port))
    return f"{arc.source}{tail}{'->' if directed else '--'}{arc.target}{head}"


def _link(arc: Arc, source: Element, target: Element) -> Element:
    if arc.kind == "junction":
        return source if source.kind == "separator" else target
    return Element("link", (source.names[-1], target.names[-1]))
