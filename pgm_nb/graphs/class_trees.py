"""One tree per class: the attributes form a tree of their own in every class."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Edge, Graph, Headline, View
from pgm_nb.graphs.checks import check_mothers, check_names, check_weights
from pgm_nb.graphs.pictures import arc_width, attribute_tip, fill, node_ids
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import flow
from pgm_nb.words import bits, in_bits

__all__ = ["ClassTrees"]

Trees = Mapping[str, Mapping[str, str]]
Bits = Mapping[str, Mapping[str, float]]

VIEWS = {
    "links": View(
        "All links",
        "A line joins two attributes that are linked in the tree of some class; beside it stands in which.",
    ),
    "trees": View(
        "Tree by tree",
        "The tree of every class by itself. The number at an arrow is the information that two attributes "
        "share among the rows of this class, in bits.",
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class ClassTrees(Graph):
    """The graph of a model that learns a tree over the attributes in every class.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    trees : mapping of str to mapping of str to str
        For every class the mother of every attribute but one, the root.
    shared : mapping of str to mapping of str to float
        For every class, I(Xi;Xm) of every attribute and its mother among the rows of this class, in bits.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.
    seconds, added : mappings as `trees` and `shared`, optional
        Where cliques are triples: for every class the second mother of attributes that have one, and what
        she adds to what is shared with the first, in bits.

    Examples
    --------
    >>> trees = {"no": {"b": "a", "c": "a"}, "yes": {"b": "a", "c": "b"}}
    >>> shared = {"no": {"b": 0.5, "c": 0.1}, "yes": {"b": 0.2, "c": 0.3}}
    >>> graph = ClassTrees("ill", ("a", "b", "c"), trees, shared)
    >>> graph.classes_linking("a", "b"), graph.classes_linking("c", "b")
    (('no', 'yes'), ('yes',))
    """

    type_name: ClassVar[str] = "class trees"
    about: ClassVar[Mapping[str, View]] = VIEWS
    mothers: ClassVar[Mapping[str, str]] = MappingProxyType({})

    target: str
    attributes: tuple[str, ...]
    trees: Trees
    shared: Bits
    relevance: Mapping[str, float] | None = None
    seconds: Trees = field(default_factory=dict)
    added: Bits = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        if not isinstance(self.trees, Mapping) or not self.trees or set(self.trees) != set(self.shared):
            raise StructureError("There must be a tree, and what its links share, for every class.")
        for label, mothers in self.trees.items():
            check_mothers(names, mothers)
            check_weights("shared information", mothers, self.shared[label])
        seconds = {c: dict(self.seconds.get(c, {})) for c in self.trees}
        added = {c: dict(self.added.get(c, {})) for c in self.trees}
        for label, others in seconds.items():
            _check_seconds(label, self.trees[label], others)
            check_weights("added information", others, added[label])
        self._set(
            attributes=names,
            trees=MappingProxyType({c: MappingProxyType(dict(tree)) for c, tree in self.trees.items()}),
            shared=MappingProxyType({c: MappingProxyType(dict(self.shared[c])) for c in self.trees}),
            relevance=check_weights("relevance", names, self.relevance),
            seconds=MappingProxyType({c: MappingProxyType(one) for c, one in seconds.items()}),
            added=MappingProxyType({c: MappingProxyType(one) for c, one in added.items()}),
        )

    def links(self, label: str) -> list[tuple[str, str, float]]:
        """Return the links in the tree of a class: mother, child, and the bits they stand for."""
        first = [(mother, child, self.shared[label][child]) for child, mother in self.trees[label].items()]
        second = [(mother, child, self.added[label][child]) for child, mother in self.seconds[label].items()]
        return first + second

    def mothers_in(self, label: str, name: str) -> tuple[str, ...]:
        """Return the mothers of an attribute in the tree of a class."""
        found = (self.trees[label].get(name), self.seconds[label].get(name))
        return tuple(mother for mother in found if mother is not None)

    def classes_linking(self, one: str, other: str) -> tuple[str, ...]:
        """Return the classes in whose trees two attributes are linked."""
        return tuple(
            label
            for label in self.trees
            if other in self.mothers_in(label, one) or one in self.mothers_in(label, other)
        )

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Class arcs, then the links of all trees, each pair once, with the largest shared information."""
        relevance = self.relevance or {}
        arcs = [Edge(self.target, name, "class", relevance.get(name)) for name in self.attributes]
        found: dict[frozenset[str], Edge] = {}
        for label in self.trees:
            for mother, child, weight in self.links(label):
                pair = frozenset((child, mother))
                if pair not in found or weight > (found[pair].weight or 0.0):
                    found[pair] = Edge(mother, child, "tree", weight)
        return (*arcs, *found.values())

    def headlines(self) -> tuple[Headline, ...]:
        """Return how many trees there are, and how many links they have in common."""
        links = [edge for edge in self.edges if edge.kind == "tree"]
        common = sum(len(self.classes_linking(e.source, e.target)) == len(self.trees) for e in links)
        return (
            Headline("Trees", str(len(self.trees)), "One for every class."),
            Headline("Links in all trees", f"{common} of {len(links)}", "Of the pairs linked in any tree."),
        )

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        links = [edge for edge in self.edges if edge.kind == "tree"]
        start = f"For every value of {target}, the attributes form a tree of their own."
        if not links:
            return start
        top = max(links, key=lambda edge: edge.weight or 0.0)
        label = max(
            self.classes_linking(top.source, top.target),
            key=lambda c: max(weight for m, x, weight in self.links(c) if {m, x} == {top.source, top.target}),
        )
        pair, amount = f"{mark(top.source)} and {mark(top.target)}", in_bits(top.weight or 0.0, 2)
        return f"{start} {pair} share the most, {amount}, where {target} is {mark(label)}."

    def _drawing(self, view: str) -> Drawing:
        return _trees_drawing(self) if view == "trees" else _links_drawing(self)

    def _plain(self) -> dict[str, Any]:
        nested = {"trees": self.trees, "shared": self.shared, "seconds": self.seconds, "added": self.added}
        return super()._plain() | {
            name: {label: dict(one) for label, one in value.items()} for name, value in nested.items()
        }

    def __hash__(self) -> int:
        trees = frozenset((label, frozenset(self.links(label))) for label in self.trees)
        return hash((self.type_name, self.target, self.attributes, trees))


def _check_seconds(label: str, tree: Mapping[str, str], seconds: Mapping[str, str]) -> None:
    """Check that second mothers are linked with the first ones, so that the three are a clique."""
    for child, second in seconds.items():
        first = tree.get(child)
        linked = first is not None and (
            second in (tree.get(first), seconds.get(first))
            or first in (tree.get(second), seconds.get(second))
        )
        if not linked:
            raise StructureError(
                f"In the tree of {label!r}, the mothers of {child!r} must be linked with each other, but "
                f"{first!r} and {second!r} are not."
            )


def _node(graph: ClassTrees, name: str, id: str) -> Node:
    tip = attribute_tip(graph, name)
    return Node(id, (name,), "attribute", fill=fill(graph, name), tip=tip, names=(name,))


def _links_drawing(graph: ClassTrees) -> Drawing:
    """Draw the links of all trees in one picture, each with the classes that have it."""
    ids = node_ids(graph)
    links = [edge for edge in graph.edges if edge.kind == "tree"]
    widest = max((edge.weight or 0.0 for edge in links), default=0.0)
    hub = Node(ids[graph.target], (graph.target, "→ all attributes"), "class", names=(graph.target,))
    arcs = []
    for edge in links:
        classes = graph.classes_linking(edge.source, edge.target)
        said = "" if len(classes) == len(graph.trees) else ", ".join(classes[:3])
        more = f" and {len(classes) - 3} more" if said and len(classes) > 3 else ""
        tip = f"{edge.source} – {edge.target}: linked where {graph.target} is {', '.join(classes)}"
        width = arc_width(edge.weight, widest)
        arcs.append(Arc(ids[edge.source], ids[edge.target], "tree", label=said + more, width=width, tip=tip))
    nodes = (hub, *(_node(graph, name, ids[name]) for name in graph.attributes))
    direction = flow(max(1, len(graph.attributes) // 3), 4)
    return Drawing("links", nodes, tuple(arcs), directed=False, flow=direction)


def _trees_drawing(graph: ClassTrees) -> Drawing:
    """Draw the tree of every class by itself, below the name of the class."""
    nodes, arcs = [], []
    widest = max((max(one.values(), default=0.0) for one in graph.shared.values()), default=0.0)
    for place, (label, tree) in enumerate(graph.trees.items()):
        ids = {name: f"t{place}n{i}" for i, name in enumerate(graph.attributes)}
        nodes.append(Node(f"t{place}", (f"{graph.target} = {label}",), "class", names=(graph.target,)))
        nodes += [_node(graph, name, ids[name]) for name in graph.attributes]
        root = next(name for name in graph.attributes if name not in tree)
        arcs.append(Arc(f"t{place}", ids[root], "class", tip=f"{label}: the tree starts from {root}"))
        arcs += [
            Arc(
                ids[mother],
                ids[child],
                "tree",
                label=bits(weight),
                width=arc_width(weight, widest),
                tip=f"{mother} → {child}, where {graph.target} is {label}",
            )
            for mother, child, weight in graph.links(label)
        ]
    return Drawing("trees", tuple(nodes), tuple(arcs), flow="LR")
