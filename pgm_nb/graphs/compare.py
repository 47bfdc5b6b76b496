"""Two structures over the same attributes side by side: which links they share."""

from dataclasses import dataclass, replace

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Graph
from pgm_nb.views.graph.drawing import Drawing, arc_id, elements

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
