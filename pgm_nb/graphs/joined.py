"""The star of one row: the class points to every known attribute, and some attributes are joined."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import NO_MOTHERS, Edge, Graph, Headline, View, check_mothers, check_weights
from pgm_nb.graphs.pictures import class_node
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
        What is one factor at this row: each attribute of a group but the first to one before it, in column
        order; of a pair the second to the first.
    correlation : mapping of str to float, optional
        Corr(a,b) of each such two at this row, under the name of the second.
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
            "Attributes in one box are joined at this row: there, their values occur together more or "
            "less often than they would by chance.",
        )
    }

    mothers: ClassVar[Mapping[str, str]] = NO_MOTHERS  # joined attributes are one factor

    target: str
    attributes: tuple[str, ...]
    joined: Mapping[str, str]
    correlation: Mapping[str, float] | None = None
    unknown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        names = self.attributes
        check_mothers(names, self.joined)
        _check_pairs(names, self.joined, tuple(self.unknown))
        seconds = tuple(name for name in names if name in self.joined)
        self._set(
            joined=MappingProxyType({name: str(self.joined[name]) for name in seconds}),
            correlation=check_weights("correlation", seconds, self.correlation),
            unknown=tuple(name for name in names if name in self.unknown),
        )

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The factors of this row: joined and single attributes, by their first attribute."""
        known = [name for name in self.attributes if name not in self.unknown]
        groups: dict[str, tuple[str, ...]] = {name: (name,) for name in known}
        first = {name: name for name in self.attributes}
        for second, earlier in self.joined.items():  # in column order
            first[second] = first[earlier]
            groups[first[second]] += groups.pop(second)
        return tuple(groups.values())

    def strongest(self, group: tuple[str, ...]) -> tuple[str, str, float] | None:
        """Return the two of a group that go together most, and their correlation; None if it is not known.

        Examples
        --------
        >>> graph = JoinedStar("y", ("a", "b", "c"), {"b": "a", "c": "a"}, {"b": 0.4, "c": 0.9})
        >>> graph.strongest(("a", "b", "c"))
        ('a', 'c', 0.9)
        """
        known = {name: value for name, value in (self.correlation or {}).items() if name in group}
        if not known:
            return None
        second = max(known, key=lambda name: abs(known[name]))
        return self.joined[second], second, known[second]

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Class arcs to the known attributes, then an edge per attribute joined to one before it."""
        return tuple(edge for edge in super().edges if edge.target not in self.unknown)

    def _links(self) -> Iterable[Edge]:
        correlation = self.correlation or {}
        return [
            Edge(first, second, "joined", correlation.get(second)) for second, first in self.joined.items()
        ]

    def headlines(self) -> tuple[Headline, ...]:
        """Return the number of joined pairs or groups."""
        groups, word = self._joined_groups()
        explained = f"{word.capitalize()}s of attributes that count as one at this row."
        return (Headline("Joined here", plural(len(groups), word), explained),)

    def _joined_groups(self) -> tuple[list[tuple[str, ...]], str]:
        """Return the groups of two and more, and what to call one of them."""
        groups = [group for group in self.groups if len(group) > 1]
        return groups, "pair" if all(len(group) == 2 for group in groups) else "group"

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        groups, word = self._joined_groups()
        if not groups:
            return f"At this row no two attributes are joined: each depends on {target} alone."
        joined = f"1 {word} of attributes is" if len(groups) == 1 else f"{len(groups)} {word}s are"
        said = f"At this row {joined} joined, because the values occur together more or less often than they"
        strongest = self.strongest(self.attributes)
        if strongest is None:
            return f"{said} would by chance."
        first, second, correlation = strongest
        most = f"{'the strongest is' if word == 'pair' else 'most of all'} {mark(first)} and {mark(second)}"
        return f"{said} would by chance; {most} ({1 + correlation:.2f} times as often)."

    def _drawing(self, view: str) -> Drawing:
        return _joined_drawing(self)


def _check_pairs(names: tuple[str, ...], joined: Mapping[str, str], unknown: tuple[str, ...]) -> None:
    ends = [*joined, *joined.values()]
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

    A joined group is the darker the stronger it is correlated; an unknown attribute has no arc.
    """
    found = {group: graph.strongest(group) if len(group) > 1 else None for group in graph.groups}
    correlation = {group: None if strongest is None else strongest[2] for group, strongest in found.items()}
    strength = {group: abs(value or 0.0) for group, value in correlation.items()}
    ranked = sorted(graph.groups, key=lambda group: (-len(group), -strength[group]))
    boxes = [*ranked, *((name, "unknown") for name in graph.unknown)]
    numbers = [_number(correlation[group]) for group in ranked]
    numbers += [""] * len(graph.unknown)
    sizes = [
        [box_size(line, number if line is box[-1] else "") for line in box]
        for box, number in zip(boxes, numbers, strict=True)
    ]
    width = max(size for box in sizes for size, _ in box)
    heights = [sum(height for _, height in box) for box in sizes]
    places = butterfly(heights, width, box_size(graph.target)[0])
    largest = max(strength.values(), default=0.0)
    nodes = [class_node(graph, at=(0.0, 0.0))]
    arcs = []
    for place, (box, number, at) in enumerate(zip(boxes, numbers, places, strict=True)):
        factor = place < len(ranked)
        joined = factor and len(box) > 1
        said = f"{', '.join(box[:-1])} and {box[-1]} joined{f': correlation {number}' if number else ''}"
        tip = said if joined else box[0]
        nodes.append(
            Node(
                f"n{place + 1}",
                box,
                "cluster" if joined else "attribute" if factor else "separator",
                number=number,
                fill=shade(strength[box], largest) if joined else "",
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
