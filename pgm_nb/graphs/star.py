"""The star of naive Bayes: the class points to every attribute, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Self

from pgm_nb.graphs.base import Graph, View
from pgm_nb.graphs.checks import check_names, check_weights, only
from pgm_nb.graphs.pictures import arc_tip, arc_width, attribute_tip, fill, largest, node_ids
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import box_size, butterfly
from pgm_nb.words import says

__all__ = ["STAR", "Star", "star_drawing"]

STAR = View(
    "Star",
    "The class points to every attribute. The darker an attribute, the more it says about the class.",
)


@dataclass(frozen=True, eq=False, repr=False)
class Star(Graph):
    """The graph of naive Bayes.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.

    Examples
    --------
    >>> star = Star("disease", ("age", "blood pressure"), {"age": 0.2, "blood pressure": 0.1})
    >>> star.edges[0]
    Edge(source='disease', target='age', kind='class', weight=0.2)
    """

    type_name: ClassVar[str] = "star"
    divisible: ClassVar[bool] = True
    about: ClassVar[Mapping[str, View]] = {"star": STAR}

    target: str
    attributes: tuple[str, ...]
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        self._set(attributes=names, relevance=check_weights("relevance", names, self.relevance))

    @property
    def mothers(self) -> Mapping[str, str]:
        """Empty: no attribute of a star depends on another."""
        return MappingProxyType({})

    def _part(self, names: tuple[str, ...]) -> Self:
        return replace(self, attributes=names, relevance=only(self.relevance, names))

    def _drawing(self, view: str) -> Drawing:
        return star_drawing(self)


def star_drawing(graph: Graph, numbers: Mapping[str, str] | None = None) -> Drawing:
    """Draw the class between its attributes, those that say most about it at the top.

    `numbers` stand beside the names; by default what each attribute says about the class.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> len(star_drawing(Star("disease", ("age", "pulse"))).arcs)
    2
    """
    relevance = graph.relevance or {}
    ranked = sorted(graph.attributes, key=lambda name: -relevance.get(name, 0.0))
    shown = numbers or {name: says(relevance.get(name)) for name in ranked}
    sizes = [box_size(name, shown[name]) for name in ranked]
    width = max(width for width, _ in sizes)
    middle, _ = box_size(graph.target)
    places = dict(zip(ranked, butterfly([height for _, height in sizes], width, middle), strict=True))
    ids = node_ids(graph)
    nodes = [
        Node(
            ids[name],
            (name,),
            "attribute",
            number=shown[name],
            fill=fill(graph, name),
            at=places[name],
            width=width,
            tip=attribute_tip(graph, name),
            names=(name,),
        )
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
    ]
    hub = Node(ids[graph.target], (graph.target,), "class", at=(0.0, 0.0), names=(graph.target,))
    return Drawing("star", (hub, *nodes), tuple(arcs), flow="pinned")
