"""The star of one row as a drawing: a joined pair is one box."""

from pgm_nb.graphs.joined import JoinedStar
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import box_size, butterfly
from pgm_nb.views.style import shade

__all__ = ["joined_drawing"]


def joined_drawing(graph: JoinedStar) -> Drawing:
    """Draw the class between the factors of the row, the most strongly joined ones at the top.

    A joined pair is the darker the stronger it is correlated; an unknown attribute has no arc.

    Examples
    --------
    >>> graph = JoinedStar("disease", ("age", "pulse", "sex"), {"pulse": "age"}, {"pulse": 0.4}, ("sex",))
    >>> [node.lines for node in joined_drawing(graph).nodes]
    [('disease',), ('age', 'pulse'), ('sex', 'unknown')]
    """
    correlation = graph.correlation or {}
    strength = {group: abs(correlation.get(group[-1], 0.0)) for group in graph.groups}
    ranked = sorted(graph.groups, key=lambda group: (-len(group), -strength[group]))
    boxes = [*ranked, *((name, "unknown") for name in graph.unknown)]
    numbers = [_number(correlation.get(group[-1])) if len(group) > 1 else "" for group in ranked]
    numbers += [""] * len(graph.unknown)
    sizes = [
        [box_size(line, number if line is box[-1] else "") for line in box]
        for box, number in zip(boxes, numbers, strict=True)
    ]
    width = max(size for box in sizes for size, _ in box)
    middle, _ = box_size(graph.target)
    places = butterfly([sum(height for _, height in box) for box in sizes], width, middle)
    largest = max(strength.values(), default=0.0)
    nodes = [Node("n0", (graph.target,), "class", at=(0.0, 0.0), names=(graph.target,))]
    arcs = []
    for place, (box, number, at) in enumerate(zip(boxes, numbers, places, strict=True)):
        factor = place < len(ranked)
        pair = factor and len(box) > 1
        tip = (
            f"{box[0]} and {box[-1]} joined{f': correlation {number}' if number else ''}" if pair else box[0]
        )
        nodes.append(
            Node(
                f"n{place + 1}",
                box,
                "cluster" if pair else "attribute" if factor else "separator",
                number=number,
                fill=shade(strength[box], largest) if pair else "",
                at=at,
                width=width,
                tip=tip if factor else f"{box[0]} is unknown",
                names=box if factor else box[:1],
            )
        )
        if factor:
            arcs.append(Arc("n0", f"n{place + 1}", "class", port="w" if at[0] > 0 else "e", tip=tip))
    return Drawing("joined", tuple(nodes), tuple(arcs), flow="pinned")


def _number(correlation: float | None) -> str:
    return "" if correlation is None else f"{correlation:+.2f}"
