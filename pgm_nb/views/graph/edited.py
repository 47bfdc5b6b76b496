"""What a person asks for, drawn: required and forbidden links, and the draft of a tree."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pgm_nb.views.graph.drawing import Arc, Drawing, Node, arc_id, elements

__all__ = ["draft_drawing", "mark_edits"]

_WIDE = 2.5  # points: the least width of a required link
Link = tuple[str, str]
_ACROSS = 5  # boxes without any link that stand side by side


def mark_edits(drawing: Drawing, required: Sequence[Link], forbidden: Sequence[Link]) -> Drawing:
    """Mark required links, and add forbidden ones as dotted lines that do not shape the layout.

    Examples
    --------
    >>> from pgm_nb.graphs import Tree
    >>> tree = Tree("y", ("a", "b", "c"), {"b": "a", "c": "b"})
    >>> marked = mark_edits(tree.drawing(), [("b", "a")], [("a", "c")])
    >>> [(arc.source, arc.target, arc.kind) for arc in marked.arcs if arc.kind != "class"]
    [('n1', 'n2', 'required'), ('n2', 'n3', 'tree'), ('n1', 'n3', 'forbidden')]
    """
    stands_for = elements(drawing)
    wanted = {frozenset(link) for link in required}
    arcs = []
    for arc in drawing.arcs:
        element = stands_for.get(arc_id(arc, directed=drawing.directed))
        if element is not None and element.kind == "link" and frozenset(element.names) in wanted:
            arcs.append(
                replace(arc, kind="required", width=max(arc.width, _WIDE), tip=f"{arc.tip}, required")
            )
        else:
            arcs.append(arc)
    box = {node.names[0]: node.id for node in drawing.nodes if node.kind == "attribute" and node.names}
    arcs += [
        Arc(box[one], box[other], "forbidden", width=2.5, tip=f"{one} and {other}, forbidden", pulls=False)
        for one, other in forbidden
        if one in box and other in box
    ]
    return replace(drawing, arcs=tuple(arcs))


def draft_drawing(names: Sequence[str], mothers: Mapping[str, Sequence[str]]) -> Drawing:
    """Draw a tree that is not finished: attributes without any link stand in rows below one another.

    Examples
    --------
    >>> drawing = draft_drawing(("a", "b", "c"), {"b": ("a",)})
    >>> len(drawing.nodes), [(arc.source, arc.target) for arc in drawing.arcs]
    (3, [('n0', 'n1')])
    """
    ids = {name: f"n{place}" for place, name in enumerate(names)}
    nodes = tuple(Node(ids[name], (name,), "attribute", names=(name,)) for name in names)
    arcs = [
        Arc(ids[mother], ids[child], "tree", width=1.5) for child, its in mothers.items() for mother in its
    ]
    linked = {*mothers, *(mother for its in mothers.values() for mother in its)}
    alone = [name for name in names if name not in linked]
    arcs += [
        Arc(ids[above], ids[below], "tree", hidden=True)
        for above, below in zip(alone, alone[_ACROSS:], strict=False)
    ]
    return Drawing("draft", nodes, tuple(arcs))
