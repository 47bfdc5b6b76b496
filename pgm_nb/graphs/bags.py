"""Bags: hidden parents mixed from the closest attributes only, and one bag NB for what has none."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import View
from pgm_nb.graphs.hidden import GAP, HIDDEN_VIEWS, HiddenParents, drawn_attributes
from pgm_nb.views.graph.drawing import Cell, Drawing, Node
from pgm_nb.views.graph.layout import line_width
from pgm_nb.views.style import shade
from pgm_nb.words import percent, says

__all__ = ["Bags"]

MOST_IN_BOX = 10  # members listed in the box of a bag
_LINE = 22.5  # height of a row of a table, in points
_PAGE = 1.4  # width to height of the whole picture


@dataclass(frozen=True, eq=False, repr=False)
class Bags(HiddenParents):
    """The graph of packaged hidden naive Bayes (Ji, Yu, Zhang).

    Parameters
    ----------
    target, attributes, weights, relevance
        As in `HiddenParents`; the weights of an attribute are those of its bag.
    threshold : float, optional
        I(Xi;Xj|Y) in bits from which on Xj is in the bag of Xi.

    Examples
    --------
    >>> graph = Bags("disease", ("age", "sex", "pulse"), {"age": {"pulse": 1.0}}, threshold=0.1)
    >>> dict(graph.bag("age")), graph.in_naive_bag
    ({'pulse': 1.0}, ('sex', 'pulse'))
    """

    type_name: ClassVar[str] = "bags"
    about: ClassVar[Mapping[str, View]] = {
        "bags": View("Bags", "Each box holds the attributes that are mixed into one hidden parent."),
        **HIDDEN_VIEWS,
    }
    links_view: ClassVar[str] = "strongest"
    report_views: ClassVar[tuple[str, ...]] = ("bags", "strongest")
    link_kind: ClassVar[str] = "bag"

    threshold: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threshold is None:
            return
        if not isinstance(self.threshold, int | float) or not isfinite(self.threshold):
            raise StructureError(
                f"The threshold of the bags must be a finite number of bits, but it is {self.threshold!r}."
            )
        self._set(threshold=float(self.threshold))

    def _drawing(self, view: str) -> Drawing:
        return _bags_drawing(self) if view == "bags" else super()._drawing(view)


def _bags_drawing(graph: Bags) -> Drawing:
    """Draw a box per bag with its members and their weights, and the one bag NB."""
    boxes = [
        _box(graph, name, place)
        for place, name in enumerate(drawn_attributes(graph))
        if name in graph.weights
    ]
    alone = graph.in_naive_bag
    if alone:
        boxes.append(_naive_box(graph))
    left = len(graph.weights) - (len(boxes) - bool(alone))
    if left:
        boxes.append(Node("left", (), "table", table=((Cell(f"{left} more bags not drawn"),),)))
    return Drawing("bags", _masonry(boxes), (), flow="pinned")


def _box(graph: Bags, name: str, place: int) -> Node:
    bag = sorted(graph.bag(name).items(), key=lambda pair: -pair[1])
    shown = bag if len(bag) <= MOST_IN_BOX + 1 else bag[:MOST_IN_BOX]
    rows = [
        (Cell(name, fill="separator fill"), Cell(says((graph.relevance or {}).get(name)), "separator fill"))
    ]
    rows += [(Cell(other), Cell(percent(w), shade(w, 1.0), align="right")) for other, w in shown]
    if len(shown) < len(bag):
        rest = sum(weight for _, weight in bag[len(shown) :])
        rows.append((Cell(f"{len(bag) - len(shown)} others"), Cell(percent(rest), shade(rest, 1.0), "right")))
    tip = f"bag of {name}: {len(bag)} members"
    return Node(f"b{place}", (), "table", table=tuple(rows), tip=tip, names=(name,))


def _naive_box(graph: Bags) -> Node:
    shown = [name for name in drawn_attributes(graph) if name not in graph.weights]
    rows = [(Cell("bag NB", fill="class arc"), Cell("", fill="class arc"))]
    rows += [(Cell(name), Cell(says((graph.relevance or {}).get(name)), align="right")) for name in shown]
    left = len(graph.in_naive_bag) - len(shown)
    if left:
        rows.append((Cell(f"{left} others"), Cell("")))
    return Node("naive", (), "table", table=tuple(rows), tip="attributes that depend on the class alone")


def _masonry(boxes: list[Node]) -> tuple[Node, ...]:
    """Stack the boxes in columns of one width, always on the shortest, in the shape of a page."""
    width = max(line_width(row[0].text) for box in boxes for row in box.table) + 60  # never wrapped there
    heights = [_LINE * len(box.table) + GAP for box in boxes]
    n_columns = max(1, round(sqrt(_PAGE * sum(heights) / (width + GAP))))
    ends = [0.0] * min(n_columns, len(boxes))
    placed = []
    for box, height in zip(boxes, heights, strict=True):
        column = ends.index(min(ends))
        at = (column * (width + GAP), -(ends[column] + height / 2))
        ends[column] += height
        placed.append(replace(box, at=at, width=width))
    return tuple(placed)
