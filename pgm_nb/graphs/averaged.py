"""Averaged stars: every attribute in turn is the parent of all others, each star with its share."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import fsum, isfinite
from types import MappingProxyType
from typing import ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import NO_MOTHERS, Edge, Graph, Headline, View
from pgm_nb.graphs.pictures import (
    TO_ALL,
    arc_width,
    attribute_node,
    class_arc,
    class_node,
    largest,
    ranked,
    star_drawing,
)
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import box_size, butterfly
from pgm_nb.words import percent

__all__ = ["AveragedStars"]

ROUNDING = 1e-9  # by which the shares may miss one
MOST = 40  # attributes around one parent, before the rest is counted

VIEWS = {
    "focus": View(
        "One parent",
        "One of the stars that are averaged: the class and one attribute, its parent, point to all others.",
    ),
    "parents": View(
        "All parents",
        "Every attribute takes a turn as the parent of all others. The number is the share of its star in "
        "the answer.",
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class AveragedStars(Graph):
    """The graphs of averaged one-dependence (Webb, Boughton, Wang 2005), in one object.

    In the star of a parent every other attribute depends on the class and on this parent. The joint
    distributions of the stars are averaged with their shares.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    shares : mapping of str to float
        For every attribute the share of the star in which it is the parent; the sum is one.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.

    Examples
    --------
    >>> graph = AveragedStars("disease", ("age", "sex"), {"age": 0.75, "sex": 0.25})
    >>> [edge for edge in graph.edges if edge.kind == "parent"][0]
    Edge(source='age', target='sex', kind='parent', weight=0.75)
    """

    type_name: ClassVar[str] = "averaged stars"
    about: ClassVar[Mapping[str, View]] = VIEWS
    mothers: ClassVar[Mapping[str, str]] = NO_MOTHERS

    target: str
    attributes: tuple[str, ...]
    shares: Mapping[str, float]
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(shares=_check_shares(self.attributes, self.shares))

    def _links(self) -> Iterable[Edge]:
        """Return the arcs of every star (weight: its share)."""
        return [
            Edge(parent, child, "parent", share)
            for parent, share in self.shares.items()
            for child in self.attributes
            if child != parent and share > 0
        ]

    @property
    def parents(self) -> tuple[str, ...]:
        """The attributes whose star has a share, the largest first (ties: column order)."""
        taking_part = [name for name in self.attributes if self.shares[name] > 0]
        return tuple(sorted(taking_part, key=lambda name: -self.shares[name]))

    def headlines(self) -> tuple[Headline, ...]:
        """Return how many stars are averaged, and the largest share."""
        parents = self.parents
        return (
            Headline(
                "Stars averaged",
                f"{len(parents)} of {len(self.attributes)}",
                "In each star, another attribute is the parent of all others.",
            ),
            Headline(
                "Largest share",
                percent(self.shares[parents[0]], digits=1),
                "Of one star in the answer.",
            ),
        )

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        if view == "focus":
            return (
                f"In this star, every attribute depends on {target} and on the attribute in the middle. The "
                f"answers of {len(self.parents)} such stars are averaged, one for each parent."
            )
        top, same = self.parents[0], len({*self.shares.values()}) == 1
        each = f"each star has the same share, {percent(self.shares[top], digits=1)}"
        most = f"the star of {mark(top)} has the largest share, {percent(self.shares[top], digits=1)}"
        return f"Every attribute takes a turn as the parent of all others; {each if same else most}."

    def _drawing(self, view: str) -> Drawing:
        return _parents_drawing(self)

    def _focus_drawing(self, attribute: str) -> Drawing:
        return _focus_drawing(self, attribute)


def _check_shares(names: tuple[str, ...], shares: Mapping[str, float]) -> Mapping[str, float]:
    """Check that every attribute has a share, none below zero, and that they sum to one."""
    if not isinstance(shares, Mapping) or set(shares) != set(names):
        raise StructureError("The shares must name every attribute, and nothing else.")
    for name, share in shares.items():
        if not isinstance(share, int | float) or not isfinite(share) or share < 0:
            raise StructureError(f"The share of {name!r} must be zero or more, but is {share!r}.")
    total = fsum(shares.values())
    if abs(total - 1) > ROUNDING:
        raise StructureError(f"The shares must sum to one, but sum to {total}; divide by that.")
    return MappingProxyType({name: float(shares[name]) for name in names})


def _focus_drawing(graph: AveragedStars, parent: str) -> Drawing:
    """Draw one star: the class above the parent, and the other attributes on both sides."""
    others = ranked(graph, [name for name in graph.attributes if name != parent])
    shown = others if len(others) <= MOST + 1 else others[:MOST]
    share = percent(graph.shares[parent], digits=1)
    width = max([box_size(name)[0] for name in shown], default=0.0)
    middle, height = box_size(parent, share)
    wide = max(middle, box_size(graph.target)[0])
    places = dict(zip(shown, butterfly([box_size(name)[1] for name in shown], width, wide), strict=True))
    above = max((y for _, y in places.values()), default=0.0) + 2.4 * height
    tip = f"{parent}: the parent in this star, which has a share of {share} in the answer"
    nodes = [
        class_node(graph, TO_ALL, at=(0.0, above), tip=f"{graph.target} points to every attribute"),
        attribute_node(graph, parent, number=share, at=(0.0, 0.0), tip=tip),
        *(attribute_node(graph, name, at=places[name], width=width) for name in shown),
    ]
    arcs = [
        Arc(
            graph.ids[parent],
            graph.ids[name],
            "tree",
            width=1.5,
            port="w" if places[name][0] > 0 else "e",
            tip=f"{parent} → {name}",
        )
        for name in shown
    ]
    arcs.append(class_arc(graph, parent))
    if len(shown) < len(others):
        below = min(y for _, y in places.values()) - 2.0 * height
        rest = f"{len(others) - len(shown):,} more attributes"
        nodes.append(Node("rest", (rest,), "separator", at=(0.0, below)))
    return Drawing("focus", tuple(nodes), tuple(arcs), flow="pinned")


def _parents_drawing(graph: AveragedStars) -> Drawing:
    """Draw the class between the parents, each with the share of its star."""
    numbers = {name: percent(share, digits=1) for name, share in graph.shares.items()}
    star, most = star_drawing(graph, numbers), largest(graph.shares)
    hub, *nodes = star.nodes
    tips = [f"{name}: its star has a share of {numbers[name]} in the answer" for name in graph.attributes]
    arcs = [
        replace(arc, width=arc_width(share, most), tip=f"{graph.target} → {name}")
        for arc, (name, share) in zip(star.arcs, graph.shares.items(), strict=True)
    ]
    said = (replace(node, tip=tip) for node, tip in zip(nodes, tips, strict=True))
    return replace(star, title="parents", nodes=(hub, *said), arcs=tuple(arcs))
