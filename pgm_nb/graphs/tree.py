"""Trees: the class points to every attribute, and these form a tree; one for all classes, or one for each."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import (
    NO_MOTHERS,
    Edge,
    Graph,
    Headline,
    View,
    check_mothers,
    check_weights,
    nested,
    only,
)
from pgm_nb.graphs.pictures import (
    NARROWEST,
    TO_ALL,
    arc_tip,
    arc_width,
    attribute_node,
    class_node,
    largest,
)
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import flow
from pgm_nb.words import bits, in_bits

__all__ = [
    "TREE",
    "ClassTrees",
    "Tree",
    "chordal_drawing",
    "mothers_first",
    "strongest_link",
    "tree_drawing",
    "tree_sentence",
]

Name = TypeVar("Name", bound=Hashable)

FEW = 5  # attributes up to which the arcs of the class are drawn beside the tree; more would only blur it

TREE = View(
    "Family tree",
    "Arrows lead from mother to child; the class points to every attribute. The number at an arrow is the "
    "information that the two attributes share given the class, in bits.",
)
Trees = Mapping[str, Mapping[str, str]]
Bits = Mapping[str, Mapping[str, float]]

CLASS_TREES = {
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
class Tree(Graph):
    """The graph of tree augmented naive Bayes (Friedman, Geiger, Goldszmidt 1997).

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    mothers : mapping of str to str
        The mother of every attribute but one, the root.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.
    dependence : mapping of str to float, optional
        I(Xi;Xm|Y) in bits for every attribute that has a mother Xm.

    Examples
    --------
    >>> tree = Tree("disease", ("age", "pressure", "pulse"), {"age": "pressure", "pulse": "pressure"})
    >>> tree.root
    'pressure'
    >>> [edge.target for edge in tree.edges if edge.kind == "tree"]
    ['age', 'pulse']
    """

    type_name: ClassVar[str] = "tree"
    divisible: ClassVar[bool] = True
    about: ClassVar[Mapping[str, View]] = {"tree": TREE}
    link_kind: ClassVar[str] = "tree"

    target: str
    attributes: tuple[str, ...]
    mothers: Mapping[str, str]
    relevance: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_mothers(self.attributes, self.mothers)
        _check_one_root(self.attributes, self.mothers)
        children = tuple(name for name in self.attributes if name in self.mothers)
        self._set(
            mothers=MappingProxyType({child: str(self.mothers[child]) for child in children}),
            dependence=check_weights("dependence", children, self.dependence),
        )

    @property
    def root(self) -> str:
        """The one attribute that depends on the class only."""
        return next(name for name in self.attributes if name not in self.mothers)

    def _kept(self, names: tuple[str, ...]) -> dict[str, Any]:
        mothers = {child: mother for child, mother in self.mothers.items() if {child, mother} <= set(names)}
        links = {"mothers": mothers, "dependence": only(self.dependence, mothers)}
        return super()._kept(names) | links

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        pair = strongest_link(self, mark)
        if not pair:
            return super()._sentence(view, target, mark)
        return tree_sentence(target, *pair)

    def _drawing(self, view: str) -> Drawing:
        return tree_drawing(self)


def strongest_link(graph: Graph, mark: Callable[[str], str]) -> tuple[str, str] | None:
    """Return the mother and child that share most given the class, and how much; None without weights."""
    if not graph.dependence:
        return None
    child = max(graph.dependence, key=graph.dependence.__getitem__)
    shared = in_bits(graph.dependence[child], digits=2, scale=graph.scale)
    return f"{mark(graph.mothers[child])} and {mark(child)}", shared


def tree_sentence(target: str, pair: str, shared: str) -> str:
    """Say what a family tree shows."""
    return (
        f"Arrows lead from mother to child, and {target} points to every attribute. Given {target}, {pair} "
        f"share the most information ({shared})."
    )


def mothers_first(names: Iterable[Name], mothers: Mapping[Name, Name]) -> list[Name]:
    """Order the attributes so that a mother comes before her children, otherwise as they were.

    Examples
    --------
    >>> mothers_first(("a", "b", "c"), {"a": "c"})
    ['c', 'a', 'b']
    """
    placed: dict[Name, None] = {}
    for name in names:
        line = [name]  # from the name up to its first ancestor not yet placed
        while line[-1] in mothers and mothers[line[-1]] not in placed:
            line.append(mothers[line[-1]])
        placed.update(dict.fromkeys(reversed(line)))
    return list(placed)


def _check_one_root(names: tuple[str, ...], mothers: Mapping[str, str]) -> None:
    """Check that following the mothers leads from every attribute to the same root."""
    roots = [name for name in names if name not in mothers]
    if len(roots) > 1:
        raise StructureError(
            f"A tree has one root, but {roots[0]!r} and {roots[1]!r} have no mother; name one."
        )
    safe = set(roots)
    for name in names:
        path = {name: None}  # in order
        while name not in safe:
            mother = mothers[name]
            if mother in path:
                steps = list(path)
                cycle = " -> ".join(repr(step) for step in [*steps[steps.index(mother) :], mother])
                raise StructureError(f"The mothers of a tree form no cycle, but these do: {cycle}.")
            path[mother] = None
            name = mother
        safe.update(path)


def tree_drawing(graph: Graph, steps: Mapping[str, int] | None = None) -> Drawing:
    """Draw the tree of the attributes, mother to child, and the class before it.

    Examples
    --------
    >>> from pgm_nb.graphs import Tree
    >>> drawing = tree_drawing(Tree("disease", ("age", "pulse"), {"pulse": "age"}, dependence={"pulse": 0.4}))
    >>> [arc.label for arc in drawing.arcs if arc.kind == "tree"]
    ['0.40']
    """
    few = len(graph.attributes) <= FEW
    note = () if few else (TO_ALL,)
    hub = class_node(graph, *note, tip=f"{graph.target} points to every attribute")
    arcs = [
        _arc(graph, edge, steps or {}, hidden=not few and edge.kind == "class")
        for edge in graph.edges
        if few or edge.kind == "tree" or edge.target not in graph.mothers
    ]
    nodes = (hub, *_attributes(graph, steps or {}))
    return Drawing("tree", nodes, tuple(arcs), flow=_direction(graph))


def chordal_drawing(graph: Graph, steps: Mapping[str, int]) -> Drawing:
    """Draw the undirected graph: the class joined to every attribute, and the tree.

    Examples
    --------
    >>> from pgm_nb.graphs import CherryTree
    >>> len(chordal_drawing(CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "a"}), {}).arcs)
    5
    """
    arcs = [_arc(graph, edge, steps, numbered=False) for edge in graph.edges]
    nodes = (class_node(graph), *_attributes(graph, steps))
    return Drawing("chordal", nodes, tuple(arcs), directed=False, flow=_direction(graph), straight=True)


def _attributes(graph: Graph, steps: Mapping[str, int]) -> tuple[Node, ...]:
    return tuple(attribute_node(graph, name, step=steps.get(name)) for name in graph.attributes)


def _arc(
    graph: Graph, edge: Edge, steps: Mapping[str, int], *, numbered: bool = True, hidden: bool = False
) -> Arc:
    """Return the arc of an edge; only the tree and the class's arc to its root shape the layout."""
    of_tree = edge.kind == "tree"
    return Arc(
        graph.ids[edge.source],
        graph.ids[edge.target],
        edge.kind,
        label=bits(edge.weight, scale=graph.scale) if of_tree and numbered else "",
        width=arc_width(edge.weight, largest(graph.dependence)) if of_tree else NARROWEST,
        step=steps.get(edge.target),
        tip=arc_tip(graph, edge),
        pulls=of_tree or edge.target not in graph.mothers,
        hidden=hidden,
    )


def _direction(graph: Graph) -> str:
    children: dict[str, list[str]] = {name: [] for name in graph.attributes}
    for child, mother in graph.mothers.items():
        children[mother].append(child)
    rank = [name for name in graph.attributes if name not in graph.mothers]
    sizes = [1]  # the class is a rank of its own
    while rank:
        sizes.append(len(rank))
        rank = [child for name in rank for child in children[name]]
    return flow(max(sizes), len(sizes))


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
    about: ClassVar[Mapping[str, View]] = CLASS_TREES
    mothers: ClassVar[Mapping[str, str]] = NO_MOTHERS

    target: str
    attributes: tuple[str, ...]
    trees: Trees
    shared: Bits
    relevance: Mapping[str, float] | None = None
    seconds: Trees = field(default_factory=dict)
    added: Bits = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.trees, Mapping) or not self.trees or set(self.trees) != set(self.shared):
            raise StructureError("There must be a tree, and what its links share, for every class.")
        for label, mothers in self.trees.items():
            check_mothers(self.attributes, mothers)
            check_weights("shared information", mothers, self.shared[label])
        seconds = {c: dict(self.seconds.get(c, {})) for c in self.trees}
        added = {c: dict(self.added.get(c, {})) for c in self.trees}
        for label, others in seconds.items():
            _check_seconds(label, self.trees[label], others)
            check_weights("added information", others, added[label])
        self._set(
            trees=nested(self.trees),
            shared=nested(self.shared, self.trees),
            seconds=nested(seconds),
            added=nested(added),
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

    def _links(self) -> Iterable[Edge]:
        """Return the links of all trees, each pair once, with the largest shared information."""
        found: dict[frozenset[str], Edge] = {}
        for label in self.trees:
            for mother, child, weight in self.links(label):
                pair = frozenset((child, mother))
                if pair not in found or weight > (found[pair].weight or 0.0):
                    found[pair] = Edge(mother, child, "tree", weight)
        return found.values()

    def headlines(self) -> tuple[Headline, ...]:
        """Return how many trees there are, and how many links they have in common."""
        links = [*self._links()]
        common = sum(len(self.classes_linking(e.source, e.target)) == len(self.trees) for e in links)
        return (
            Headline("Trees", str(len(self.trees)), "One for every class."),
            Headline("Links in all trees", f"{common} of {len(links)}", "Of the pairs linked in any tree."),
        )

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        links = [*self._links()]
        start = f"For every value of {target}, the attributes form a tree of their own."
        if not links:
            return start
        top = max(links, key=lambda edge: edge.weight or 0.0)
        label = max(
            self.classes_linking(top.source, top.target),
            key=lambda c: max(weight for m, x, weight in self.links(c) if {m, x} == {top.source, top.target}),
        )
        pair, amount = (
            f"{mark(top.source)} and {mark(top.target)}",
            in_bits(top.weight or 0.0, 2, scale=self.scale),
        )
        return f"{start} {pair} share the most, {amount}, where {target} is {mark(label)}."

    def _drawing(self, view: str) -> Drawing:
        return _trees_drawing(self) if view == "trees" else _links_drawing(self)


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


def _links_drawing(graph: ClassTrees) -> Drawing:
    """Draw the links of all trees in one picture, each with the classes that have it."""
    links, ids, arcs = [edge for edge in graph.edges if edge.kind == "tree"], graph.ids, []
    widest = max((edge.weight or 0.0 for edge in links), default=0.0)
    for edge in links:
        classes = graph.classes_linking(edge.source, edge.target)
        said = "" if len(classes) == len(graph.trees) else ", ".join(classes[:3])
        more = f" and {len(classes) - 3} more" if said and len(classes) > 3 else ""
        tip = f"{edge.source} – {edge.target}: linked where {graph.target} is {', '.join(classes)}"
        width = arc_width(edge.weight, widest)
        arcs.append(Arc(ids[edge.source], ids[edge.target], "tree", label=said + more, width=width, tip=tip))
    nodes = (class_node(graph, TO_ALL), *(attribute_node(graph, name) for name in graph.attributes))
    direction = flow(max(1, len(graph.attributes) // 3), 4)
    return Drawing("links", nodes, tuple(arcs), directed=False, flow=direction)


def _trees_drawing(graph: ClassTrees) -> Drawing:
    """Draw the tree of every class by itself, below the name of the class."""
    nodes, arcs = [], []
    widest = max((max(one.values(), default=0.0) for one in graph.shared.values()), default=0.0)
    for place, (label, tree) in enumerate(graph.trees.items()):
        ids = {name: f"t{place}n{i}" for i, name in enumerate(graph.attributes)}
        nodes.append(Node(f"t{place}", (f"{graph.target} = {label}",), "class", names=(graph.target,)))
        nodes += [attribute_node(graph, name, ids[name]) for name in graph.attributes]
        root = next(name for name in graph.attributes if name not in tree)
        arcs.append(Arc(f"t{place}", ids[root], "class", tip=f"{label}: the tree starts from {root}"))
        arcs += [
            Arc(
                ids[mother],
                ids[child],
                "tree",
                label=bits(weight, scale=graph.scale),
                width=arc_width(weight, widest),
                tip=f"{mother} → {child}, where {graph.target} is {label}",
            )
            for mother, child, weight in graph.links(label)
        ]
    return Drawing("trees", tuple(nodes), tuple(arcs), flow="LR")
