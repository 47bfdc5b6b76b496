"""Hidden parents: every attribute depends on the class and on a hidden parent mixed from other attributes.

In packaged hidden naive Bayes only the closest attributes are mixed, in bags; one bag NB holds what has none.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import fsum, isfinite, sqrt
from typing import ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import NO_MOTHERS, Edge, Graph, Headline, View, nested
from pgm_nb.graphs.pictures import TO_ALL, arc_width, attribute_node, fill, ranked
from pgm_nb.views.graph.drawing import Arc, Cell, Drawing, Node
from pgm_nb.views.graph.layout import box_size, line_width
from pgm_nb.views.style import shade
from pgm_nb.words import GLOSSARY, in_bits, percent, says

__all__ = ["Bags", "HiddenParents"]

ROUNDING = 1e-9  # by which the weights of a mixture may miss one

HIDDEN_VIEWS = {
    "focus": View(
        "One attribute", "An attribute, its hidden parent, and the shares of the other attributes in it."
    ),
    "strongest": View(
        "Strongest links",
        "A dashed arrow leads from an attribute to each of those whose hidden parents it has a large share "
        "in.",
    ),
    "heatmap": View(
        "All shares",
        "Each row is the hidden parent of one attribute, with the shares of the others in percent.",
    ),
}
Weights = Mapping[str, Mapping[str, float]]
MOST_ARCS, ARCS_EACH = 60, 2  # in the view of the strongest arcs: in all, and for each attribute
MOST_MEMBERS = 16  # around one hidden parent, before the rest is summed up
MOST_ATTRIBUTES = 60  # in a table of weights, or boxes of bags
MOST_IN_BOX = 10  # members listed in the box of a bag
GAP = 14.0  # between boxes, in points
_LINE = 22.5  # height of a row of a table, in points
_PAGE = 1.4  # width to height of the whole picture


@dataclass(frozen=True, eq=False, repr=False)
class HiddenParents(Graph):
    """The graph of hidden naive Bayes (Jiang, Zhang, Cai 2009).

    The hidden parent of an attribute stands for all its contributors at once: P(ai | hidden parent, c) is
    the mixture of P(ai | aj, c) with the weights W_ij.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    weights : mapping of str to mapping of str to float
        For every attribute that has a hidden parent the contributors and their weights W_ij: shares between
        0 and 1 (no bits) that sum to one.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.

    Examples
    --------
    >>> graph = HiddenParents("disease", ("age", "sex", "pulse"), {"age": {"sex": 0.25, "pulse": 0.75}})
    >>> dict(graph.bag("age"))
    {'sex': 0.25, 'pulse': 0.75}
    >>> graph.in_naive_bag
    ('sex', 'pulse')
    >>> [edge for edge in graph.edges if edge.kind == "hidden"][1]
    Edge(source='pulse', target='age', kind='hidden', weight=0.75)
    """

    type_name: ClassVar[str] = "hidden parents"
    about: ClassVar[Mapping[str, View]] = HIDDEN_VIEWS
    links_view: ClassVar[str] = "strongest"
    report_views: ClassVar[tuple[str, ...]] = ("strongest", "heatmap")
    mothers: ClassVar[Mapping[str, str]] = NO_MOTHERS

    target: str
    attributes: tuple[str, ...]
    weights: Weights
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(weights=_check_shares(self.attributes, self.weights))

    def bag(self, attribute: str) -> Mapping[str, float]:
        """Return the contributors to an attribute's hidden parent with their weights W_ij; empty for none."""
        self._check_attribute(attribute)
        return self.weights.get(attribute, {})

    @property
    def in_naive_bag(self) -> tuple[str, ...]:
        """Attributes without a hidden parent: given the class alone, as in naive Bayes."""
        return tuple(name for name in self.attributes if name not in self.weights)

    def _links(self) -> Iterable[Edge]:
        """Return the arcs from contributors (weight W_ij)."""
        return [
            Edge(member, name, "hidden", weight)
            for name, bag in self.weights.items()
            for member, weight in bag.items()
        ]

    @property
    def most_relevant(self) -> str:
        """The attribute with a hidden parent that says most about the class (ties: column order)."""
        relevance = self.relevance or {}
        return max(self.weights or self.attributes, key=lambda name: relevance.get(name, 0.0))

    def headlines(self) -> tuple[Headline, ...]:
        """Return how many attributes have a hidden parent, how many are mixed into it, and from when on."""
        sizes = [len(bag) for bag in self.weights.values()]
        threshold = getattr(self, "threshold", None)
        return (
            Headline("Hidden parents", f"{len(sizes)} of {len(self.attributes)}", GLOSSARY["hidden parent"]),
            Headline(
                "Attributes in each", f"{sum(sizes) / len(sizes):.1f}" if sizes else "–", GLOSSARY["bag"]
            ),
            Headline(
                "Threshold",
                "none" if threshold is None else in_bits(threshold, scale=self.scale),
                "The least information that two attributes must share, given the class, to be mixed.",
            ),
        )

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        arcs = [*self._links()]
        if not arcs:
            return f"No attribute has a hidden parent; each depends on {target} alone."
        top = max(arcs, key=lambda edge: edge.weight or 0.0)
        largest = (
            f"The largest share is that of {mark(top.source)}: {percent(top.weight or 0.0)} of the hidden "
            f"parent of {mark(top.target)}."
        )
        return {
            "focus": f"The attribute on the right depends on {target} and on a hidden parent; the number "
            "beside each attribute on the left is its share in that hidden parent.",
            "strongest": "A dashed arrow leads from an attribute to each of those whose hidden parents it "
            f"has a large share in; {target} points to all attributes. {largest}",
            "heatmap": "Each row is the hidden parent of one attribute, with the shares of the other "
            f"attributes in percent. {largest}",
            "bags": "Each box is the bag of the attribute at its top, with the share of each member; the "
            f"number at the top is what that attribute says about {target}, in bits. The box “bag NB” holds "
            "the attributes without a bag.",
        }[view]

    def _drawing(self, view: str) -> Drawing:
        return _strongest_drawing(self) if view == "strongest" else _heatmap_drawing(self)

    def _focus_drawing(self, attribute: str) -> Drawing:
        return _focus_drawing(self, attribute)


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


def _check_shares(names: tuple[str, ...], weights: Weights) -> Weights:
    """Check that bags hold other attributes with positive weights of sum one; read-only, in column order."""
    if not isinstance(weights, Mapping) or not all(isinstance(bag, Mapping) for bag in weights.values()):
        raise StructureError("The weights must give for each attribute its contributors and their weights.")
    known = set(names)
    for name, bag in weights.items():
        unknown = [other for other in (name, *bag) if other not in known]
        if unknown:
            raise StructureError(f"Weights are given for {unknown[0]!r}, which is not among the attributes.")
        if name in bag:
            raise StructureError(f"The attribute {name!r} cannot contribute to its own hidden parent.")
        for member, share in bag.items():
            if not isinstance(share, int | float) or not isfinite(share) or share <= 0:
                raise StructureError(
                    f"The weight of {member!r} for {name!r} must be above zero, but is {share!r}; "
                    "leave out contributors without weight."
                )
        if abs(fsum(bag.values()) - 1) > ROUNDING:
            raise StructureError(
                f"The weights for {name!r} must sum to one, but sum to {fsum(bag.values())}; divide by that."
            )
    ordered = {
        name: {other: float(bag[other]) for other in names if other in bag} for name, bag in weights.items()
    }
    return nested(ordered, names)


def _focus_drawing(graph: HiddenParents, attribute: str) -> Drawing:
    """Draw one attribute, its hidden parent, and the contributors to it, the strongest at the top."""
    bag = sorted(graph.bag(attribute).items(), key=lambda pair: -pair[1])
    shown = bag if len(bag) <= MOST_MEMBERS + 1 else bag[:MOST_MEMBERS]
    rest = sum(weight for _, weight in bag[len(shown) :])
    lines = [(name, percent(weight), weight) for name, weight in shown]
    if rest:
        lines.append((f"{len(bag) - len(shown)} others", percent(rest), rest))
    width = max((box_size(name, number)[0] for name, number, _ in lines), default=0.0)
    nodes, arcs = [], []
    largest = max((weight for _, weight in shown), default=1.0)
    heights = [box_size(name, number)[1] + GAP for name, number, _ in lines]
    ends = [sum(heights[: place + 1]) for place in range(len(lines))]
    for place, (name, number, weight) in enumerate(lines):
        at = (-width / 2, sum(heights) / 2 - ends[place] + heights[place] / 2)
        tip = f"{name}: weight {number} in the hidden parent of {attribute}"
        if name in graph.attributes:
            nodes.append(attribute_node(graph, name, f"m{place}", number=number, at=at, width=width, tip=tip))
        else:
            nodes.append(Node(f"m{place}", (name,), "separator", number, at=at, width=width, tip=tip))
        line = arc_width(min(weight, largest), largest)
        tip = f"{name}: {number}"
        arcs.append(Arc(f"m{place}", "hidden", "hidden", width=line, port="w", tail="e", tip=tip))
    middle = max(125.0, 0.26 * sum(heights))
    number = says((graph.relevance or {}).get(attribute), scale=graph.scale)
    right = middle + 145.0 + box_size(attribute, number)[0] / 2
    tip = f"{attribute}: depends on {graph.target} and on its hidden parent"
    own = attribute_node(graph, attribute, "own", number=number, at=(right, 0.0), tip=tip)
    hub = Node("class", (graph.target,), "class", at=(right, 80.0), names=(graph.target,))
    arcs.append(Arc("class", "own", "class", tip=f"{graph.target} → {attribute}"))
    if bag:
        formula = (
            f"P({attribute} | hidden parent, class) = sum of weight × P({attribute} | contributor, class)"
        )
        nodes.append(
            Node("hidden", ("hidden parent",), "hidden", at=(middle, 0.0), tip=formula, names=(attribute,))
        )
        arcs.append(Arc("hidden", "own", "tree", width=2.0, tip=formula))
    return Drawing("focus", (hub, own, *nodes), tuple(arcs), flow="pinned")


def _strongest_drawing(graph: HiddenParents) -> Drawing:
    """Draw the heaviest arcs between attributes, as many as a picture can hold."""
    arcs = sorted((e for e in graph.edges if e.kind == "hidden"), key=lambda edge: -(edge.weight or 0.0))
    shown = arcs[: min(MOST_ARCS, ARCS_EACH * len(graph.attributes))]
    while len(shown) < len(arcs) and shown and shown[-1].weight == arcs[len(shown)].weight:
        shown = [edge for edge in shown if edge.weight != shown[-1].weight]  # equals are drawn or left out
    ends = {name for edge in shown for name in (edge.source, edge.target)}
    names = [name for name in graph.attributes if name in ends]
    hub = Node("class", (graph.target, TO_ALL), "class", names=(graph.target,))
    note = _left_out(len(arcs) - len(shown), len(graph.attributes) - len(names), shown)
    largest = shown[0].weight or 1.0 if shown else 1.0
    drawn = tuple(
        Arc(
            graph.ids[edge.source],
            graph.ids[edge.target],
            "hidden",
            label="" if edge.weight == 1 else percent(edge.weight or 0.0),
            width=arc_width(edge.weight or 0.0, largest),
            tip=f"{edge.source} makes up {percent(edge.weight or 0.0)} of the hidden parent of {edge.target}",
        )
        for edge in shown
    )
    nodes = (hub, *note, *(attribute_node(graph, name, tip=name) for name in names))
    return Drawing("strongest", nodes, drawn, flow="LR")


def _heatmap_drawing(graph: HiddenParents) -> Drawing:
    """Draw the weights W_ij as a table: a row per attribute, its contributors in the columns, in percent."""
    names = _drawn_attributes(graph)
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
            (Cell(name, align="right", fill=fill(graph, name)), _small(numbers[name], "right"), *cells)
        )
    said = "weights in percent; contributors in the columns, by their numbers"
    if len(names) < len(graph.attributes):
        said += f"; the {len(names)} attributes of {len(graph.attributes)} that say most about {graph.target}"
    rows.append((Cell(said, span=2 + len(names)),))
    return Drawing("heatmap", (Node("table", (), "table", table=tuple(rows), tip=said),), ())


def _left_out(n_arcs: int, n_attributes: int, shown: list[Edge]) -> tuple[Node, ...]:
    """Return the node that says what is not drawn, if anything."""
    said = []
    if n_arcs:
        which = f"below {percent(shown[-1].weight or 0.0)}" if shown else "of equal weight"
        said.append(f"{n_arcs:,} arcs {which}")
    if n_attributes:
        said.append(f"{n_attributes:,} attributes")
    return (Node("note", ("not drawn:", *said), "separator"),) if said else ()


def _drawn_attributes(graph: HiddenParents) -> list[str]:
    """Return the attributes in column order; of very many, those that say most about the class."""
    chosen = set(ranked(graph, graph.attributes)[:MOST_ATTRIBUTES])
    return [name for name in graph.attributes if name in chosen]


def _small(text: str, align: str, fill: str = "") -> Cell:
    return Cell(text, fill, align, small=True)


def _bags_drawing(graph: Bags) -> Drawing:
    """Draw a box per bag with its members and their weights, and the one bag NB."""
    boxes = [
        _box(graph, name, place)
        for place, name in enumerate(_drawn_attributes(graph))
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
        (
            Cell(name, fill="separator fill"),
            Cell(says((graph.relevance or {}).get(name), scale=graph.scale), "separator fill"),
        )
    ]
    rows += [(Cell(other), Cell(percent(w), shade(w, 1.0), align="right")) for other, w in shown]
    if len(shown) < len(bag):
        rest = sum(weight for _, weight in bag[len(shown) :])
        rows.append((Cell(f"{len(bag) - len(shown)} others"), Cell(percent(rest), shade(rest, 1.0), "right")))
    tip = f"bag of {name}: {len(bag)} members"
    return Node(f"b{place}", (), "table", table=tuple(rows), tip=tip, names=(name,))


def _naive_box(graph: Bags) -> Node:
    shown = [name for name in _drawn_attributes(graph) if name not in graph.weights]
    rows = [(Cell("bag NB", fill="class arc"), Cell("", fill="class arc"))]
    rows += [
        (Cell(name), Cell(says((graph.relevance or {}).get(name), scale=graph.scale), align="right"))
        for name in shown
    ]
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
