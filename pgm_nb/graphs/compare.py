"""Two structures over the same attributes side by side: which links they share."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Graph
from pgm_nb.views.graph.drawing import Drawing, arc_id, elements
from pgm_nb.words import plural

__all__ = ["SharedLinks", "compare"]

Link = frozenset[str]  # two attributes, in no order: turning a tree around makes no other structure
_WIDE = 2.5  # points: the least width of a line that only one structure has
_BETWEEN_ATTRIBUTES = ("tree", "hidden", "joined")


@dataclass(frozen=True)
class SharedLinks:
    """The links between attributes that two structures share, and those that only one of them has.

    Examples
    --------
    >>> from pgm_nb.graphs import Tree
    >>> one = Tree("y", ("a", "b", "c"), {"b": "a", "c": "a"})
    >>> other = Tree("y", ("a", "b", "c"), {"a": "b", "c": "b"})
    >>> found = compare(one, other)
    >>> len(found.common), len(found.only_first), len(found.only_second)
    (1, 1, 1)
    """

    common: frozenset[Link]
    only_first: frozenset[Link]
    only_second: frozenset[Link]

    def mark(self, drawing: Drawing) -> Drawing:
        """Return a drawing of either structure with its links in the colours of the comparison.

        Examples
        --------
        >>> from pgm_nb.graphs import Tree
        >>> one = Tree("y", ("a", "b", "c"), {"b": "a", "c": "a"})
        >>> other = Tree("y", ("a", "b", "c"), {"a": "b", "c": "b"})
        >>> marked = compare(one, other).mark(one.drawing())
        >>> [arc.kind for arc in marked.arcs]
        ['class', 'class', 'class', 'common', 'first']
        """
        stands_for = elements(drawing)
        kinds = {link: kind for kind, links in self._kinds().items() for link in links}
        arcs = []
        for arc in drawing.arcs:
            element = stands_for.get(arc_id(arc, directed=drawing.directed))
            ends = frozenset(element.names) if element is not None and element.kind == "link" else None
            kind = arc.kind if ends is None else kinds.get(ends, arc.kind)
            width = max(arc.width, _WIDE) if kind in ("first", "second") else arc.width
            arcs.append(replace(arc, kind=kind, width=width))
        return replace(drawing, arcs=tuple(arcs))

    def sentence(self, first: str, second: str, mark: Callable[[str], str] = str) -> str:
        """Say how many links two structures, of these names, share.

        Examples
        --------
        >>> ab, bc, ac = (frozenset({frozenset(pair)}) for pair in ("ab", "bc", "ac"))
        >>> SharedLinks(ab, bc, ac).sentence("A", "B")
        '1 of 2 links between attributes is in both; each has 1 of its own.'
        """
        common = len(self.common)
        one, other = common + len(self.only_first), common + len(self.only_second)
        first, second = mark(first), mark(second)
        if not one and not other:
            return "Neither has a link between attributes: each depends on the class alone."
        if not one or not other:
            bare, full = (first, second) if not one else (second, first)
            links = plural(max(one, other), "link")
            return (
                f"{bare} has no link between attributes and {full} has {links}; the class points to all "
                "attributes in both."
            )
        if not self.only_first and not self.only_second:
            return f"The two are the same: {plural(common, 'link')} between attributes, all in both."
        verb = "is" if common == 1 else "are"
        if one == other:
            own = one - common
            return f"{common} of {one} links between attributes {verb} in both; each has {own} of its own."
        return (
            f"{first} has {plural(one, 'link')} between attributes, {second} has {other:,}; "
            f"{common:,} {verb} in both."
        )

    def _kinds(self) -> dict[str, frozenset[Link]]:
        return {"common": self.common, "first": self.only_first, "second": self.only_second}


def compare(first: Graph, second: Graph) -> SharedLinks:
    """Compare the links between attributes; the arcs of the class are the same in all.

    Raises
    ------
    StructureError
        If the structures are not about the same class and attributes.
    """
    if first.target != second.target or set(first.attributes) != set(second.attributes):
        raise StructureError(
            "Only structures over the same class and attributes can be compared; learn both from one table."
        )
    one, other = _links(first), _links(second)
    return SharedLinks(one & other, one - other, other - one)


def _links(graph: Graph) -> frozenset[Link]:
    return frozenset(
        frozenset((edge.source, edge.target)) for edge in graph.edges if edge.kind in _BETWEEN_ATTRIBUTES
    )
