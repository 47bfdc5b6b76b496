"""Several parents: the class points to every attribute, and some attributes point to others; no cycles."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any, ClassVar, Self

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Edge, Graph, Headline, View
from pgm_nb.graphs.checks import check_names, check_weights, only
from pgm_nb.graphs.pictures import NARROWEST, arc_tip, arc_width, attribute_tip, fill, node_ids
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import flow
from pgm_nb.words import GLOSSARY, bits, in_bits, plural, says, scale

__all__ = ["Links", "ParentArrows", "Parents"]

Links = Mapping[str, Mapping[str, float]]

VIEWS = {
    "links": View(
        "All links",
        "Arrows lead from parents to children; the class points to every attribute. The wider an arrow, the "
        "more information the two attributes share given the class.",
    ),
    "focus": View(
        "One attribute",
        "An attribute between its parents, on the left, and its children, on the right. The number at an "
        "arrow is the information that the two attributes share given the class, in bits.",
    ),
}
MOST = 24  # children that the view of one attribute draws
MOST_LABELS = 40  # links that are drawn with their numbers


class ParentArrows(Graph):
    """A graph in which attributes have parents among each other: arrows beside those from the class."""

    attributes: tuple[str, ...]
    parents: Links  #: of every child: its parents, and the information that it shares with each
    relevance: Mapping[str, float] | None

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Class arcs (weight I(Xi;Y)), then arcs from parents (weight I(Xi;Xp|Y)), in attribute order."""
        relevance = self.relevance or {}
        class_arcs = [Edge(self.target, name, "class", relevance.get(name)) for name in self.attributes]
        links = [
            Edge(parent, child, "tree", shared)
            for child, above in self.parents.items()
            for parent, shared in above.items()
        ]
        return (*class_arcs, *links)

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        links = [edge for edge in self.edges if edge.kind == "tree"]
        if not links:
            return super()._sentence(view, target, mark)
        top = max(links, key=lambda edge: edge.weight or 0.0)
        return (
            f"{self._view_sentence(view, target)} Given {target}, {mark(top.source)} and {mark(top.target)} "
            f"share the most information ({in_bits(top.weight or 0.0, 2)})."
        )

    def _view_sentence(self, view: str, target: str) -> str:
        """Say what the arrows of a view mean."""
        raise NotImplementedError

    def _linked(self) -> dict[str, set[str]]:
        linked: dict[str, set[str]] = {name: set() for name in self.attributes}
        for child, above in self.parents.items():
            for parent in above:
                linked[child].add(parent)
                linked[parent].add(child)
        return linked

    def _drawing(self, view: str) -> Drawing:
        return self._focus_drawing(self.most_relevant) if view == "focus" else _links_drawing(self)

    def _focus_drawing(self, attribute: str) -> Drawing:
        return _focus_drawing(self, attribute)

    def _plain(self) -> dict[str, Any]:
        return super()._plain() | {"parents": {child: dict(above) for child, above in self.parents.items()}}

    def __hash__(self) -> int:
        arcs = frozenset((child, *above) for child, above in self.parents.items())
        return hash((self.type_name, self.target, self.attributes, arcs))


@dataclass(frozen=True, eq=False, repr=False)
class Parents(ParentArrows):
    """The graph of k-dependence Bayes (Sahami 1996).

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes; parents stand before their children.
    parents : mapping of str to mapping of str to float
        For every attribute that has parents among the attributes: each parent and I(Xi;Xp|Y) in bits, the
        strongest first.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.
    shared : mapping of str to float, optional
        I(Xi;all parents|Y) in bits for every attribute that has parents.
    dependence : mapping of str to float, optional
        I(Xi;Xm|Y) of every attribute and its strongest parent; filled in from `parents`.

    Examples
    --------
    >>> graph = Parents("ill", ("age", "sex", "pulse"), {"pulse": {"age": 0.3, "sex": 0.1}})
    >>> graph.cliques()
    (('ill', 'age', 'sex', 'pulse'),)
    >>> graph.mothers["pulse"]
    'age'
    """

    type_name: ClassVar[str] = "parents"
    about: ClassVar[Mapping[str, View]] = VIEWS
    divisible: ClassVar[bool] = True
    link_kind: ClassVar[str] = "link"

    target: str
    attributes: tuple[str, ...]
    parents: Links
    relevance: Mapping[str, float] | None = None
    shared: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        parents = _check_parents(names, self.parents)
        self._set(
            attributes=names,
            parents=parents,
            relevance=check_weights("relevance", names, self.relevance),
            shared=check_weights("shared", tuple(parents), self.shared),
            dependence=MappingProxyType({child: next(iter(o.values())) for child, o in parents.items()}),
        )

    @property
    def mothers(self) -> Mapping[str, str]:
        """The strongest parent of every attribute that has one."""
        return MappingProxyType({child: next(iter(links)) for child, links in self.parents.items()})

    def moral_edges(self) -> tuple[tuple[str, str], ...]:
        """Return the undirected edges of the moral graph: the parents of a child are joined, too."""
        order = {name: place for place, name in enumerate(self.nodes)}
        found = {(self.target, name) for name in self.attributes}
        for child, above in self.parents.items():
            found |= {
                (one, two) if order[one] < order[two] else (two, one)
                for one, two in combinations((*above, child), 2)
            }
        return tuple(sorted(found, key=lambda edge: (order[edge[0]], order[edge[1]])))

    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """Return the clusters of a junction tree: the moral graph, triangulated by least fill-in.

        The class is in every one of them.
        """
        order = {name: place for place, name in enumerate(self.attributes)}
        near: dict[str, set[str]] = {name: set() for name in self.attributes}
        for one, two in self.moral_edges():
            if one != self.target:
                near[one].add(two)
                near[two].add(one)
        found: list[set[str]] = []
        left = dict(near)

        def missing(name: str) -> int:
            return sum(two not in left[one] for one, two in combinations(left[name], 2))

        while left:
            name = min(left, key=lambda n: (missing(n), len(left[n]), order[n]))
            clique = {name, *left[name]}
            if not any(clique <= other for other in found):
                found.append(clique)
            for one in left[name]:
                left[one] |= left[name] - {one}
                left[one].discard(name)
            del left[name]
        ordered = [tuple(sorted(clique, key=order.__getitem__)) for clique in found]
        ordered.sort(key=lambda clique: [order[name] for name in clique])
        return tuple((self.target, *clique) for clique in ordered)

    @property
    def width(self) -> int:
        """How many attributes the largest cluster of the junction tree holds."""
        return max(len(clique) for clique in self.cliques()) - 1

    def headlines(self) -> tuple[Headline, ...]:
        """Return the weight and the number of links."""
        n_links = sum(map(len, self.parents.values()))
        most = max(map(len, self.parents.values()), default=0)
        help = f"Arrows between attributes; none has more than {plural(most, 'parent')} among them."
        weight = sum((self.relevance or {}).values()) + sum((self.shared or {}).values())
        return (
            Headline("Weight" if scale() is None else "Captured", in_bits(weight), GLOSSARY["weight"]),
            Headline("Links", f"{n_links:,}", help),
        )

    def _view_sentence(self, view: str, target: str) -> str:
        return {
            "links": f"Arrows lead from parents to children, and {target} points to every attribute.",
            "focus": f"The attribute in the middle depends on {target} and on its parents, on the left.",
        }[view]

    def _part(self, names: tuple[str, ...]) -> Self:
        chosen = set(names)
        kept = {
            child: {parent: shared for parent, shared in above.items() if parent in chosen}
            for child, above in self.parents.items()
            if child in chosen
        }
        parents = {child: above for child, above in kept.items() if above}
        return type(self)(
            self.target, names, parents, only(self.relevance, names), only(self.shared, parents)
        )


def _check_parents(names: tuple[str, ...], parents: Links) -> Links:
    """Check that parents are attributes that stand before their child; read-only, in attribute order."""
    if not isinstance(parents, Mapping) or not all(isinstance(above, Mapping) for above in parents.values()):
        raise StructureError("The parents must give for each attribute its parents and their weights.")
    place = {name: i for i, name in enumerate(names)}
    for child, above in parents.items():
        for name in (child, *above):
            if name not in place:
                raise StructureError(f"Parents are given for {name!r}, which is not among the attributes.")
        if not above:
            raise StructureError(f"The attribute {child!r} is listed without parents; leave it out.")
        later = [parent for parent in above if place[parent] >= place[child]]
        if later:
            raise StructureError(
                f"A parent stands before its child, but {later[0]!r} does not stand before {child!r}; list "
                "the attributes with parents first."
            )
        check_weights("parents", tuple(above), above)
    return MappingProxyType(
        {
            name: MappingProxyType({parent: float(shared) for parent, shared in parents[name].items()})
            for name in names
            if name in parents
        }
    )


def _links_drawing(graph: ParentArrows) -> Drawing:
    """Draw all attributes and their links, parents first, and the class before them."""
    ids = node_ids(graph)
    links = [edge for edge in graph.edges if edge.kind == "tree"]
    widest = max((edge.weight or 0.0 for edge in links), default=0.0)
    hub = Node(
        ids[graph.target],
        (graph.target, "→ all attributes"),
        "class",
        tip=f"{graph.target} points to every attribute",
        names=(graph.target,),
    )
    nodes = [
        Node(
            ids[name],
            (name,),
            "attribute",
            fill=fill(graph, name),
            tip=attribute_tip(graph, name),
            names=(name,),
        )
        for name in graph.attributes
    ]
    arcs = [
        Arc(
            ids[edge.source],
            ids[edge.target],
            "tree",
            label=bits(edge.weight) if len(links) <= MOST_LABELS else "",
            width=arc_width(edge.weight, widest),
            tip=arc_tip(graph, edge),
        )
        for edge in links
    ]
    arcs += [
        Arc(ids[graph.target], ids[name], "class", width=NARROWEST, tip=f"{graph.target} → {name}")
        for name in graph.attributes
        if name not in graph.parents
    ]
    depth: dict[str, int] = {}
    for name in graph.attributes:  # where arrows form circles, as far as parents stand before children
        depth[name] = 1 + max((depth.get(parent, 0) for parent in graph.parents.get(name, ())), default=0)
    ranks = [list(depth.values()).count(rank) for rank in range(1, max(depth.values()) + 1)]
    return Drawing("links", (hub, *nodes), tuple(arcs), flow=flow(max(ranks), len(ranks) + 1))


def _focus_drawing(graph: ParentArrows, attribute: str) -> Drawing:
    """Draw one attribute with its parents and children, from left to right."""
    ids = node_ids(graph)
    children = [child for child, above in graph.parents.items() if attribute in above]
    children.sort(key=lambda child: -graph.parents[child][attribute])
    shown = children if len(children) <= MOST + 1 else children[:MOST]
    above = graph.parents.get(attribute, {})
    names = dict.fromkeys((attribute, *above, *shown))  # a child can be the parent, too
    nodes = [
        Node(
            ids[name],
            (name,),
            "attribute",
            number=says((graph.relevance or {}).get(name)) if name == attribute else "",
            fill=fill(graph, name),
            tip=attribute_tip(graph, name),
            names=(name,),
        )
        for name in names
    ]
    hub = Node(ids[graph.target], (graph.target, "→ all attributes"), "class", names=(graph.target,))
    links = [(parent, attribute, shared) for parent, shared in above.items()]
    links += [(attribute, child, graph.parents[child][attribute]) for child in shown]
    widest = max((shared for *_, shared in links), default=0.0)
    arcs = [
        Arc(
            ids[one],
            ids[two],
            "tree",
            label=bits(shared),
            width=arc_width(shared, widest),
            tip=f"{one} → {two}: {in_bits(shared, 2)} given {graph.target}",
        )
        for one, two, shared in links
    ]
    arcs += [
        Arc(ids[graph.target], ids[name], "class", width=NARROWEST, tip=f"{graph.target} → {name}")
        for name in (above or (attribute,))
    ]
    if len(shown) < len(children):
        nodes.append(Node("rest", (f"{len(children) - len(shown):,} more children",), "separator"))
        arcs.append(Arc(ids[attribute], "rest", "tree", width=NARROWEST))
    return Drawing("focus", (hub, *nodes), tuple(arcs), flow="LR")
