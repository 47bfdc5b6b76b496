"""The star of one row: the class points to every known attribute, and some attributes are joined in pairs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Edge, Graph, Headline, View
from pgm_nb.graphs.checks import check_mothers, check_names, check_weights
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import box_size, butterfly
from pgm_nb.views.style import shade
from pgm_nb.words import plural

__all__ = ["JoinedStar"]


@dataclass(frozen=True, eq=False, repr=False)
class JoinedStar(Graph):
    """The graph of kernel semi-naive Bayes at one row (Denton, Perrizo 2004).

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    joined : mapping of str to str
        The pairs that are one factor at this row: second attribute to first, in column order. An attribute is
        in one pair at most.
    correlation : mapping of str to float, optional
        Corr(a,b) of every pair at this row, under the name of its second attribute.
    unknown : tuple of str
        The attributes that have no say at this row.

    Examples
    --------
    >>> graph = JoinedStar("disease", ("age", "pulse", "sex"), {"pulse": "age"}, {"pulse": 0.4}, ("sex",))
    >>> graph.edges[-1]
    Edge(source='age', target='pulse', kind='joined', weight=0.4)
    >>> graph.groups
    (('age', 'pulse'),)
    """

    type_name: ClassVar[str] = "joined star"
    about: ClassVar[Mapping[str, View]] = {
        "joined": View(
            "At one row",
            "Two attributes in one box are joined at this row: there, their values occur together more or "
            "less often than they would by chance.",
        )
    }

    target: str
    attributes: tuple[str, ...]
    joined: Mapping[str, str]
    correlation: Mapping[str, float] | None = None
    unknown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        check_mothers(names, self.joined)
        _check_pairs(names, self.joined, tuple(self.unknown))
        seconds = tuple(name for name in names if name in self.joined)
        self._set(
            attributes=names,
            joined=MappingProxyType({name: str(self.joined[name]) for name in seconds}),
            correlation=check_weights("correlation", seconds, self.correlation),
            unknown=tuple(name for name in names if name in self.unknown),
        )

    @property
    def mothers(self) -> Mapping[str, str]:
        """Empty: joined attributes are one factor, neither depends on the other."""
        return MappingProxyType({})

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The factors of this row: pairs and single attributes, by their first attribute."""
        partner = {first: second for second, first in self.joined.items()}
        return tuple(
            (name, partner[name]) if name in partner else (name,)
            for name in self.attributes
            if name not in self.joined and name not in self.unknown
        )

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Class arcs to the known attributes, then one edge per joined pair with its correlation."""
        correlation = self.correlation or {}
        class_arcs = [
            Edge(self.target, name, "class", None) for name in self.attributes if name not in self.unknown
        ]
        pairs = [
            Edge(first, second, "joined", correlation.get(second)) for second, first in self.joined.items()
        ]
        return (*class_arcs, *pairs)

    def headlines(self) -> tuple[Headline, ...]:
        """Return the number of joined pairs."""
        pairs = plural(len(self.joined), "pair")
        return (Headline("Joined here", pairs, "Pairs of attributes that count as one at this row."),)

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        if not self.joined:
            return f"At this row no two attributes are joined: each depends on {target} alone."
        joined = "1 pair of attributes is" if len(self.joined) == 1 else f"{len(self.joined)} pairs are"
        said = f"At this row {joined} joined, because the values occur together more or less often than they"
        correlation = self.correlation or {}
        if not correlation:
            return f"{said} would by chance."
        second = max(correlation, key=lambda name: abs(correlation[name]))
        return (
            f"{said} would by chance; the strongest is {mark(self.joined[second])} and {mark(second)} "
            f"({1 + correlation[second]:.2f} times as often)."
        )

    def _drawing(self, view: str) -> Drawing:
        return _joined_drawing(self)


def _check_pairs(names: tuple[str, ...], joined: Mapping[str, str], unknown: tuple[str, ...]) -> None:
    ends = [*joined, *joined.values()]
    twice = next((name for name in ends if ends.count(name) > 1), None)
    if twice is not None:
        raise StructureError(f"An attribute is joined with one other at most, but {twice!r} with more.")
    for second, first in joined.items():
        if names.index(first) > names.index(second):
            raise StructureError(
                f"A pair goes from the first to the second in column order: write {first!r} to {second!r}."
            )
    odd = next((name for name in unknown if name not in names), None)
    if odd is not None:
        raise StructureError(f"{odd!r} is given as unknown, but is not among the attributes.")
    silent = next((name for name in ends if name in unknown), None)
    if silent is not None:
        raise StructureError(f"{silent!r} is unknown at this row, so it cannot be joined; leave out one.")


def _joined_drawing(graph: JoinedStar) -> Drawing:
    """Draw the class between the factors of the row, the most strongly joined ones at the top.

    A joined pair is the darker the stronger it is correlated; an unknown attribute has no arc.
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
