"""The tree of TAN: the class points to every attribute, and the attributes form a directed tree."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self, TypeVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Edge, Graph, View
from pgm_nb.graphs.checks import check_mothers, check_names, check_weights, only
from pgm_nb.graphs.pictures import NARROWEST, arc_tip, arc_width, attribute_tip, fill, largest, node_ids
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import flow
from pgm_nb.words import bits, in_bits

__all__ = [
    "TREE",
    "Tree",
    "chordal_drawing",
    "kept_links",
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
        names = check_names(self.target, self.attributes)
        check_mothers(names, self.mothers)
        _check_one_root(names, self.mothers)
        children = tuple(name for name in names if name in self.mothers)
        self._set(
            attributes=names,
            mothers=MappingProxyType({child: str(self.mothers[child]) for child in children}),
            relevance=check_weights("relevance", names, self.relevance),
            dependence=check_weights("dependence", children, self.dependence),
        )

    @property
    def root(self) -> str:
        """The one attribute that depends on the class only."""
        return next(name for name in self.attributes if name not in self.mothers)

    def _part(self, names: tuple[str, ...]) -> Self:
        return type(self)(self.target, names, *kept_links(self, names))

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        pair = strongest_link(self, mark)
        if not pair:
            return super()._sentence(view, target, mark)
        return tree_sentence(target, *pair)

    def _drawing(self, view: str) -> Drawing:
        return tree_drawing(self)


def kept_links(
    graph: Graph, names: tuple[str, ...]
) -> tuple[dict[str, str], dict[str, float] | None, dict[str, float] | None]:
    """Return the mothers, relevance and dependence of some attributes of a tree."""
    chosen = set(names)
    mothers = {child: mother for child, mother in graph.mothers.items() if {child, mother} <= chosen}
    return mothers, only(graph.relevance, names), only(graph.dependence, mothers)


def strongest_link(graph: Graph, mark: Callable[[str], str]) -> tuple[str, str] | None:
    """Return the mother and child that share most given the class, and how much; None without weights."""
    if not graph.dependence:
        return None
    child = max(graph.dependence, key=graph.dependence.__getitem__)
    return f"{mark(graph.mothers[child])} and {mark(child)}", in_bits(graph.dependence[child], digits=2)


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
    note = () if few else ("→ all attributes",)
    tip = f"{graph.target} points to every attribute"
    hub = Node("n0", (graph.target, *note), "class", tip=tip, names=(graph.target,))
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
    hub = Node("n0", (graph.target,), "class", names=(graph.target,))
    arcs = [_arc(graph, edge, steps, numbered=False) for edge in graph.edges]
    nodes = (hub, *_attributes(graph, steps))
    return Drawing("chordal", nodes, tuple(arcs), directed=False, flow=_direction(graph), straight=True)


def _attributes(graph: Graph, steps: Mapping[str, int]) -> tuple[Node, ...]:
    ids = node_ids(graph)
    return tuple(
        Node(
            ids[name],
            (name,),
            "attribute",
            fill=fill(graph, name),
            step=steps.get(name),
            tip=attribute_tip(graph, name),
            names=(name,),
        )
        for name in graph.attributes
    )


def _arc(
    graph: Graph, edge: Edge, steps: Mapping[str, int], *, numbered: bool = True, hidden: bool = False
) -> Arc:
    """Return the arc of an edge; only the tree and the class's arc to its root shape the layout."""
    ids = node_ids(graph)
    of_tree = edge.kind == "tree"
    return Arc(
        ids[edge.source],
        ids[edge.target],
        edge.kind,
        label=bits(edge.weight) if of_tree and numbered else "",
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
