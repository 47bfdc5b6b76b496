"""Drawings of hidden parents and bags: one attribute in focus, the strongest arcs, the weights as a table.

Hidden naive Bayes has an arc from every attribute to every other, so no view draws them all: each says what
it leaves out.
"""

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

from pgm_nb.graphs.base import Edge
from pgm_nb.graphs.pictures import NARROWEST, WIDEST
from pgm_nb.views.graph.drawing import Arc, Cell, Drawing, Node
from pgm_nb.views.graph.layout import box_size, line_width
from pgm_nb.views.style import shade
from pgm_nb.words import bits, percent

if TYPE_CHECKING:
    from pgm_nb.graphs.hidden import HiddenParents

__all__ = ["bags_drawing", "focus_drawing", "heatmap_drawing", "strongest_drawing"]

MOST_ARCS, ARCS_EACH = 60, 2  # in the view of the strongest arcs: in all, and for each attribute
MOST_MEMBERS = 16  # around one hidden parent, before the rest is summed up
MOST_IN_BOX = 10  # members listed in the box of a bag
MOST_ATTRIBUTES = 60  # in a table of weights, or boxes of bags
_LINE = 22.5  # height of a row of a table, in points
_GAP = 14.0  # between boxes
_PAGE = 1.4  # width to height of a pleasant picture


def focus_drawing(graph: "HiddenParents", attribute: str) -> Drawing:
    """Draw one attribute, its hidden parent, and who contributes to it, the strongest at the top."""
    bag = sorted(graph.bag(attribute).items(), key=lambda pair: -pair[1])
    shown = bag if len(bag) <= MOST_MEMBERS + 1 else bag[:MOST_MEMBERS]
    rest = sum(weight for _, weight in bag[len(shown) :])
    lines = [(name, percent(weight), weight) for name, weight in shown]
    if rest:
        lines.append((f"{len(bag) - len(shown)} others", percent(rest), rest))
    width = max((box_size(name, number)[0] for name, number, _ in lines), default=0.0)
    nodes, arcs = [], []
    largest = max((weight for _, weight in shown), default=1.0)
    heights = [box_size(name, number)[1] + _GAP for name, number, _ in lines]
    ends = [sum(heights[: place + 1]) for place in range(len(lines))]
    for place, (name, number, weight) in enumerate(lines):
        known = name in graph.attributes
        nodes.append(
            Node(
                f"m{place}",
                (name,),
                "attribute" if known else "separator",
                number=number,
                fill=_fill(graph, name) if known else "",
                at=(-width / 2, sum(heights) / 2 - ends[place] + heights[place] / 2),
                width=width,
                tip=f"{name}: weight {number} in the hidden parent of {attribute}",
                names=(name,) if known else (),
            )
        )
        line = _width(min(weight, largest), largest)
        tip = f"{name}: {number}"
        arcs.append(Arc(f"m{place}", "hidden", "hidden", width=line, port="w", tail="e", tip=tip))
    middle = max(125.0, 0.26 * sum(heights))
    half = box_size(attribute, bits((graph.relevance or {}).get(attribute)))[0] / 2
    own = Node(
        "own",
        (attribute,),
        "attribute",
        number=bits((graph.relevance or {}).get(attribute)),
        fill=_fill(graph, attribute),
        at=(middle + 145.0 + half, 0.0),
        tip=f"{attribute}: hangs on {graph.target} and on its hidden parent",
        names=(attribute,),
    )
    place_of_class = (middle + 145.0 + half, 80.0)
    hub = Node("class", (graph.target,), "class", at=place_of_class, names=(graph.target,))
    arcs.append(Arc("class", "own", "class", tip=f"{graph.target} → {attribute}"))
    if bag:
        told = _mixture(attribute)
        nodes.append(
            Node("hidden", ("hidden parent",), "hidden", at=(middle, 0.0), tip=told, names=(attribute,))
        )
        arcs.append(Arc("hidden", "own", "tree", width=2.0, tip=told))
    return Drawing("focus", (hub, own, *nodes), tuple(arcs), flow="pinned")


def strongest_drawing(graph: "HiddenParents") -> Drawing:
    """Draw the heaviest arcs between attributes, as many as a picture can bear."""
    arcs = sorted((e for e in graph.edges if e.kind == "hidden"), key=lambda edge: -(edge.weight or 0.0))
    shown = arcs[: min(MOST_ARCS, ARCS_EACH * len(graph.attributes))]
    while len(shown) < len(arcs) and shown and shown[-1].weight == arcs[len(shown)].weight:
        shown = [edge for edge in shown if edge.weight != shown[-1].weight]  # equals are drawn or left out
    ends = {name for edge in shown for name in (edge.source, edge.target)}
    names = [name for name in graph.attributes if name in ends]
    ids = {name: f"n{place}" for place, name in enumerate(graph.attributes)}
    hub = Node("class", (graph.target, "→ all attributes"), "class", names=(graph.target,))
    note = _left_out(len(arcs) - len(shown), len(graph.attributes) - len(names), shown)
    largest = shown[0].weight or 1.0 if shown else 1.0
    drawn = tuple(
        Arc(
            ids[edge.source],
            ids[edge.target],
            "hidden",
            label=percent(edge.weight or 0.0),
            width=_width(edge.weight or 0.0, largest),
            tip=f"{edge.source} makes up {percent(edge.weight or 0.0)} of the hidden parent of {edge.target}",
        )
        for edge in shown
    )
    nodes = (hub, *note, *(_node(graph, name, ids[name]) for name in names))
    return Drawing("strongest", nodes, drawn, flow="LR")


def heatmap_drawing(graph: "HiddenParents") -> Drawing:
    """Draw the weights W_ij as a table: a row per attribute, its contributors in the columns, in percent."""
    names = _first(graph)
    numbers = {name: str(place) for place, name in enumerate(names, 1)}
    largest = max((max(bag.values()) for bag in graph.weights.values()), default=0.0)
    head = [Cell("hidden parent of", align="right", span=2), *(_small(n, "center") for n in numbers.values())]
    rows = [tuple(head)]
    for name in names:
        bag = graph.bag(name)
        cells = [
            _small(
                f"{100 * bag[o]:.0f}" if bag.get(o, 0.0) >= 0.005 else "", "center", shade(bag[o], largest)
            )
            if o in bag
            else _small("–" if o == name else "", "center")
            for o in names
        ]
        rows.append(
            (Cell(name, align="right", fill=_fill(graph, name)), _small(numbers[name], "right"), *cells)
        )
    said = "weights in percent; contributors in the columns, by their numbers"
    if len(names) < len(graph.attributes):
        said += (
            f"; the {len(names)} attributes that tell most about {graph.target}, of {len(graph.attributes)}"
        )
    rows.append((Cell(said, span=2 + len(names)),))
    return Drawing("heatmap", (Node("table", (), "table", table=tuple(rows), tip=said),), ())


def bags_drawing(graph: "HiddenParents") -> Drawing:
    """Draw a box per bag with its members and their weights, and the one bag NB."""
    boxes = [_box(graph, name, place) for place, name in enumerate(_first(graph)) if name in graph.weights]
    alone = graph.in_naive_bag
    if alone:
        boxes.append(_naive_box(graph))
    left = len(graph.weights) - (len(boxes) - bool(alone))
    if left:
        boxes.append(Node("left", (), "table", table=((Cell(f"{left} more bags are not drawn"),),)))
    return Drawing("bags", _masonry(boxes), (), flow="pinned")


def _left_out(n_arcs: int, n_attributes: int, shown: list[Edge]) -> tuple[Node, ...]:
    """Return the node that says what is not drawn, if anything."""
    said = []
    if n_arcs:
        which = f"below {percent(shown[-1].weight or 0.0)}" if shown else "of equal weight"
        said.append(f"{n_arcs:,} arcs {which}")
    if n_attributes:
        said.append(f"{n_attributes:,} attributes")
    return (Node("note", ("not drawn:", *said), "separator"),) if said else ()


def _box(graph: "HiddenParents", name: str, place: int) -> Node:
    bag = sorted(graph.bag(name).items(), key=lambda pair: -pair[1])
    shown = bag if len(bag) <= MOST_IN_BOX + 1 else bag[:MOST_IN_BOX]
    rows = [
        (Cell(name, fill="separator fill"), Cell(bits((graph.relevance or {}).get(name)), "separator fill"))
    ]
    rows += [(Cell(other), Cell(percent(w), shade(w, 1.0), align="right")) for other, w in shown]
    if len(shown) < len(bag):
        rest = sum(weight for _, weight in bag[len(shown) :])
        rows.append((Cell(f"{len(bag) - len(shown)} others"), Cell(percent(rest), shade(rest, 1.0), "right")))
    tip = f"bag of {name}: {len(bag)} members"
    return Node(f"b{place}", (), "table", table=tuple(rows), tip=tip, names=(name,))


def _naive_box(graph: "HiddenParents") -> Node:
    shown = [name for name in _first(graph) if name not in graph.weights]
    rows = [(Cell("bag NB", fill="class arc"), Cell("", fill="class arc"))]
    rows += [(Cell(name), Cell(bits((graph.relevance or {}).get(name)), align="right")) for name in shown]
    left = len(graph.in_naive_bag) - len(shown)
    if left:
        rows.append((Cell(f"{left} others"), Cell("")))
    return Node("naive", (), "table", table=tuple(rows), tip="attributes that hang on the class alone")


def _masonry(boxes: list[Node]) -> tuple[Node, ...]:
    """Stack the boxes in columns of one width, always on the shortest, so that the page is pleasant."""
    width = max(line_width(row[0].text) for box in boxes for row in box.table) + 60  # never wrapped there
    heights = [_LINE * len(box.table) + _GAP for box in boxes]
    n_columns = max(1, round(sqrt(_PAGE * sum(heights) / (width + _GAP))))
    ends = [0.0] * min(n_columns, len(boxes))
    placed = []
    for box, height in zip(boxes, heights, strict=True):
        column = ends.index(min(ends))
        at = (column * (width + _GAP), -(ends[column] + height / 2))
        ends[column] += height
        placed.append(replace(box, at=at, width=width))
    return tuple(placed)


def _first(graph: "HiddenParents") -> list[str]:
    """Return the attributes in column order; of very many, those that tell most about the class."""
    relevance = graph.relevance or {}
    ranked = sorted(graph.attributes, key=lambda name: -relevance.get(name, 0.0))[:MOST_ATTRIBUTES]
    chosen = set(ranked)
    return [name for name in graph.attributes if name in chosen]


def _node(graph: "HiddenParents", name: str, id: str) -> Node:
    return Node(id, (name,), "attribute", fill=_fill(graph, name), tip=name, names=(name,))


def _fill(graph: "HiddenParents", name: str) -> str:
    relevance = graph.relevance
    return shade(None, 0.0) if relevance is None else shade(relevance[name], max(relevance.values()))


def _width(weight: float, largest: float) -> float:
    return NARROWEST + (WIDEST - NARROWEST) * weight / largest


def _small(text: str, align: str, fill: str = "") -> Cell:
    return Cell(text, fill, align, small=True)


def _mixture(attribute: str) -> str:
    return f"P({attribute} | hidden parent, class) = sum of weight × P({attribute} | contributor, class)"
