"""Attributes as parents of others: up to k each without cycles, or the one that each shares most with."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any, ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import NO_MOTHERS, Edge, Graph, Headline, View, check_weights, nested, only
from pgm_nb.graphs.pictures import NARROWEST, TO_ALL, attribute_node, class_arc, class_node, link_arc
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import flow
from pgm_nb.words import in_bits, plural, says

__all__ = ["ParentArrows", "Parents", "StrongestParents"]

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
STRONGEST = {
    "links": View(
        "All links",
        "An arrow leads to each attribute from the one it shares most with, its parent; two attributes can "
        "be each other's parents. The number at an arrow is what they share given the class, in bits.",
    ),
    "focus": View(
        "One attribute",
        "An attribute between its parent, on the left, and those whose parent it is, on the right. The "
        "number at an arrow is the information that the two share given the class, in bits.",
    ),
}
MOST = 24  # children that the view of one attribute draws
MOST_LABELS = 40  # links that are drawn with their numbers


class ParentArrows(Graph):
    """A graph in which attributes have parents among each other: arrows beside those from the class."""

    divisible: ClassVar[bool] = True
    parents: Links  #: of every child: its parents, and the information that it shares with each

    def _links(self) -> Iterable[Edge]:
        """Return the arcs from parents to children (weight I(Xi;Xp|Y))."""
        return [
            Edge(parent, child, "tree", shared)
            for child, above in self.parents.items()
            for parent, shared in above.items()
        ]

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        links = [*self._links()]
        if not links:
            return super()._sentence(view, target, mark)
        top = max(links, key=lambda edge: edge.weight or 0.0)
        return (
            f"{self._view_sentence(view, target)} Given {target}, {mark(top.source)} and {mark(top.target)} "
            f"share the most information ({in_bits(top.weight or 0.0, 2, scale=self.scale)})."
        )

    def _view_sentence(self, view: str, target: str) -> str:
        """Say what the arrows of a view mean."""
        raise NotImplementedError

    def _drawing(self, view: str) -> Drawing:
        return _links_drawing(self)

    def _focus_drawing(self, attribute: str) -> Drawing:
        return _focus_drawing(self, attribute)

    def _kept(self, names: tuple[str, ...]) -> dict[str, Any]:
        chosen = set(names)
        parents = {
            child: {parent: shared for parent, shared in above.items() if parent in chosen}
            for child, above in self.parents.items()
            if child in chosen and chosen & set(above)
        }
        return super()._kept(names) | {"parents": parents}


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

    target: str
    attributes: tuple[str, ...]
    parents: Links
    relevance: Mapping[str, float] | None = None
    shared: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        parents = _check_parents(self.attributes, self.parents)
        self._set(
            parents=parents,
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
            self._captured(weight),
            Headline("Links", f"{n_links:,}", help),
        )

    def _view_sentence(self, view: str, target: str) -> str:
        return {
            "links": f"Arrows lead from parents to children, and {target} points to every attribute.",
            "focus": f"The attribute in the middle depends on {target} and on its parents, on the left.",
        }[view]

    def _kept(self, names: tuple[str, ...]) -> dict[str, Any]:
        kept = super()._kept(names)
        return kept | {"shared": only(self.shared, kept["parents"])}


@dataclass(frozen=True, eq=False, repr=False)
class StrongestParents(ParentArrows):
    """The graph of one-dependence augmented naive Bayes (Jiang, Zhang, Cai, Su 2005).

    Arrows may form circles, mostly of two attributes that are each other's parents. So this is a picture of a
    rule for scores and not a Bayesian network.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    parents : mapping of str to mapping of str to float
        For every attribute that shares something with another: the one it shares most with, and I(Ai;Aj|C) in
        bits.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.

    Examples
    --------
    >>> graph = StrongestParents("ill", ("age", "sex"), {"age": {"sex": 0.25}, "sex": {"age": 0.25}})
    >>> graph.parent("sex"), graph.pairs
    ('age', (('age', 'sex'),))
    """

    type_name: ClassVar[str] = "strongest parents"
    about: ClassVar[Mapping[str, View]] = STRONGEST
    mothers: ClassVar[Mapping[str, str]] = NO_MOTHERS  # of a tree, which this is not

    target: str
    attributes: tuple[str, ...]
    parents: Links
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(parents=_check_one_parent(self.attributes, self.parents))

    def parent(self, attribute: str) -> str | None:
        """Return the attribute that one shares most with; None if it shares nothing with any."""
        self._check_attribute(attribute)
        return next(iter(self.parents.get(attribute, ())), None)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The attributes that are each other's parents, each pair once."""
        two_way = [(one, next(iter(above))) for one, above in self.parents.items()]
        place = {name: i for i, name in enumerate(self.attributes)}
        return tuple(
            (one, other) for one, other in two_way if place[one] < place[other] and self.parent(other) == one
        )

    @property
    def weights(self) -> Links:
        """The same as shares in a hidden parent: the parent has all of it."""
        return MappingProxyType({child: dict.fromkeys(above, 1.0) for child, above in self.parents.items()})

    def bag(self, attribute: str) -> Mapping[str, float]:
        """Return the parent of an attribute with its share, which is one; empty for none."""
        self._check_attribute(attribute)
        return self.weights.get(attribute, {})

    def headlines(self) -> tuple[Headline, ...]:
        """Return how many attributes have a parent, and how many pairs point at each other."""
        return (
            Headline(
                "With a parent",
                f"{len(self.parents)} of {len(self.attributes)}",
                "Attributes that share information with another, given the class.",
            ),
            Headline(
                "Pairs both ways",
                str(len(self.pairs)),
                "Attributes that are each other's parents: what they share is counted twice.",
            ),
        )

    def _view_sentence(self, view: str, target: str) -> str:
        return {
            "links": f"Each attribute depends on {target} and on the attribute it shares most with, its "
            "parent, from which the arrow comes.",
            "focus": f"The attribute in the middle depends on {target} and on its parent, on the left.",
        }[view]


def _check_parents(names: tuple[str, ...], parents: Links) -> Links:
    """Check that parents are attributes that stand before their child; read-only, in attribute order."""
    checked = _check_links(names, parents)
    place = {name: i for i, name in enumerate(names)}
    for child, above in checked.items():
        if not above:
            raise StructureError(f"The attribute {child!r} is listed without parents; leave it out.")
        later = [parent for parent in above if place[parent] >= place[child]]
        if later:
            raise StructureError(
                f"A parent stands before its child, but {later[0]!r} does not stand before {child!r}; list "
                "the attributes with parents first."
            )
    return checked


def _check_one_parent(names: tuple[str, ...], parents: Links) -> Links:
    """Check that every attribute has at most one parent, another attribute; read-only, in column order."""
    checked = _check_links(names, parents)
    for child, above in checked.items():
        if len(above) != 1 or child in above:
            raise StructureError(
                f"An attribute has one parent, another attribute, but {child!r} is given {len(above)}: "
                f"{', '.join(map(repr, above)) or 'leave it out'}."
            )
    return checked


def _check_links(names: tuple[str, ...], parents: Links) -> Links:
    """Check that parents and children are attributes, each link with a weight; read-only, in their order."""
    if not isinstance(parents, Mapping) or not all(isinstance(above, Mapping) for above in parents.values()):
        raise StructureError("The parents must give for each attribute its parents and what they share.")
    known = set(names)
    for child, above in parents.items():
        for name in (child, *above):
            if name not in known:
                raise StructureError(f"Parents are given for {name!r}, which is not among the attributes.")
    weights = {child: check_weights("parents", tuple(above), above) or {} for child, above in parents.items()}
    return nested(weights, names)


def _links_drawing(graph: ParentArrows) -> Drawing:
    """Draw all attributes and their links, parents first, and the class before them."""
    links = [edge for edge in graph.edges if edge.kind == "tree"]
    widest = max((edge.weight or 0.0 for edge in links), default=0.0)
    hub = class_node(graph, TO_ALL, tip=f"{graph.target} points to every attribute")
    nodes = [attribute_node(graph, name) for name in graph.attributes]
    arcs = [link_arc(graph, edge, widest, label=len(links) <= MOST_LABELS) for edge in links]
    arcs += [
        class_arc(graph, name, width=NARROWEST) for name in graph.attributes if name not in graph.parents
    ]
    depth: dict[str, int] = {}
    for name in graph.attributes:  # where arrows form circles, as far as parents stand before children
        depth[name] = 1 + max((depth.get(parent, 0) for parent in graph.parents.get(name, ())), default=0)
    ranks = [list(depth.values()).count(rank) for rank in range(1, max(depth.values()) + 1)]
    return Drawing("links", (hub, *nodes), tuple(arcs), flow=flow(max(ranks), len(ranks) + 1))


def _focus_drawing(graph: ParentArrows, attribute: str) -> Drawing:
    """Draw one attribute with its parents and children, from left to right."""
    children = [child for child, above in graph.parents.items() if attribute in above]
    children.sort(key=lambda child: -graph.parents[child][attribute])
    shown = children if len(children) <= MOST + 1 else children[:MOST]
    above = graph.parents.get(attribute, {})
    names = dict.fromkeys((attribute, *above, *shown))  # a child can be the parent, too
    relevance = graph.relevance or {}
    nodes = [
        attribute_node(
            graph, name, number=says(relevance.get(name), scale=graph.scale) if name == attribute else ""
        )
        for name in names
    ]
    links = [Edge(parent, attribute, "tree", shared) for parent, shared in above.items()]
    links += [Edge(attribute, child, "tree", graph.parents[child][attribute]) for child in shown]
    widest = max((edge.weight or 0.0 for edge in links), default=0.0)
    arcs = [link_arc(graph, edge, widest) for edge in links]
    arcs += [class_arc(graph, name, width=NARROWEST) for name in (above or (attribute,))]
    if len(shown) < len(children):
        nodes.append(Node("rest", (f"{len(children) - len(shown):,} more children",), "separator"))
        arcs.append(Arc(graph.ids[attribute], "rest", "tree", width=NARROWEST))
    return Drawing("focus", (class_node(graph, TO_ALL), *nodes), tuple(arcs), flow="LR")
