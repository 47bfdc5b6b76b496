"""What the parts of a picture stand for: from the ids in an SVG back to the names of the graph."""

from typing import NamedTuple

from pgm_nb.views.dot import Arc, Drawing

__all__ = ["Element", "arc_id", "elements"]


class Element(NamedTuple):
    """One thing in a picture.

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

    Mere notes are left out. A line of a junction tree stands for the separator it belongs to.

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
