"""The third-order cherry junction tree of generalized naive Bayes (Kovács, Ország, Pfeifer, Benczúr 2024).

A cherry is a cluster (Y, Xm, Xi) attached to a separator (Y, Xm): Xm is the mother of Xi, the class Y its
father.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Graph, View
from pgm_nb.graphs.checks import check_mothers, check_names, check_weights
from pgm_nb.graphs.tree import TREE, chordal_drawing, kept_links, strongest_link, tree_drawing, tree_sentence
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import flow
from pgm_nb.words import in_bits

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Cherries", "CherryTree", "cherry_drawing"]

Names = tuple[str, str, str]
Separator = tuple[str, str]


class Cherries(Graph):
    """What the pictures of cherry trees of any order ask for."""

    if TYPE_CHECKING:  # fields, properties or methods of the subclasses

        @property
        def order(self) -> tuple[str, ...]:
            """The attributes in the order in which they join."""

        @property
        def clusters(self) -> tuple[tuple[str, ...], ...]:
            """The clusters in order."""

        @property
        def separators(self) -> tuple[tuple[str, ...], ...]:
            """What each cluster but the first shares with an earlier one."""

        def separator_multiplicity(self) -> Mapping[Any, int]:
            """Count for each separator the clusters that share it."""

        def hooks(self) -> tuple[int, ...]:
            """Return for each cluster but the first the index of the cluster that it joins."""


@dataclass(frozen=True, eq=False, repr=False)
class CherryTree(Cherries):
    """The graph of generalized naive Bayes.

    Parameters
    ----------
    target : str
        Name of the class.
    order : tuple of str
        The attributes in the order in which they join the tree; a mother comes before her children.
    mothers : mapping of str to str
        The mother of every attribute but the first, which is the root.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.
    dependence : mapping of str to float, optional
        I(Xi;Xm|Y) in bits for every attribute but the first.

    Examples
    --------
    >>> cherry = CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "a", "d": "c"})
    >>> cherry.clusters
    (('y', 'a', 'b'), ('y', 'a', 'c'), ('y', 'c', 'd'))
    >>> cherry.separators
    (('y', 'a'), ('y', 'c'))
    """

    type_name: ClassVar[str] = "cherry tree"
    divisible: ClassVar[bool] = True
    report_views: ClassVar[tuple[str, ...]] = ("tree", "junction")
    about: ClassVar[Mapping[str, View]] = {
        "tree": TREE,
        "chordal": View(
            "Every link",
            "Every link is drawn: from the class to each attribute, and from each mother to her child.",
        ),
        "junction": View(
            "Clusters",
            "Each rounded box is a cluster (the class, a mother and her child); each square box is the "
            "separator that the cluster shares with an earlier one.",
        ),
        "compact": View(
            "Compact clusters",
            "The clusters, with each separator drawn once for all the clusters that share it.",
        ),
    }
    link_kind: ClassVar[str] = "cherry"

    target: str
    order: tuple[str, ...]
    mothers: Mapping[str, str]
    relevance: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        order = check_names(self.target, self.order)
        check_mothers(order, self.mothers)
        _check_order(order, self.mothers)
        self._set(
            order=order,
            mothers=MappingProxyType({child: str(self.mothers[child]) for child in order[1:]}),
            relevance=check_weights("relevance", order, self.relevance),
            dependence=check_weights("dependence", order[1:], self.dependence),
        )

    @classmethod
    def from_clusters(
        cls,
        target: str,
        clusters: Iterable[Iterable[str]],
        relevance: Mapping[str, float] | None = None,
        dependence: Mapping[str, float] | None = None,
    ) -> Self:
        """Build the tree from its clusters, each of which brings one new attribute.

        Raises
        ------
        StructureError
            If the clusters, in the order given, violate the running intersection property.

        Examples
        --------
        >>> cherry = CherryTree.from_clusters("y", [("y", "a", "b"), ("y", "a", "c")])
        >>> cherry.order, dict(cherry.mothers)
        (('a', 'b', 'c'), {'b': 'a', 'c': 'a'})
        """
        pairs = [_attribute_pair(target, number, cluster) for number, cluster in enumerate(clusters, start=1)]
        if not pairs:
            raise StructureError(
                "At least one cluster is needed, but none was given; for a single attribute write "
                "CherryTree(target, order=(name,), mothers={})."
            )
        (first, second), *later = pairs
        mothers = {first: "", second: first}
        for number, pair in enumerate(later, start=2):
            mother, child = _attach(target, number, pair, mothers)
            mothers[child] = mother
        order = tuple(mothers)
        del mothers[first]
        return cls(target, order, mothers, relevance, dependence)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes, in `order`."""
        return self.order

    @property
    def root(self) -> str:
        """The first attribute: it depends on the class alone."""
        return self.order[0]

    @property
    def clusters(self) -> tuple[Names, ...]:
        """The clusters (class, mother, child) in order: one for each attribute but the first."""
        return tuple((self.target, self.mothers[child], child) for child in self.order[1:])

    @property
    def separators(self) -> tuple[Separator, ...]:
        """The separator (class, mother) that each cluster but the first shares with an earlier one."""
        return tuple((self.target, self.mothers[child]) for child in self.order[2:])

    def separator_multiplicity(self) -> dict[Separator, int]:
        """Count for each separator the clusters that share it: nu in Kovács et al. 2024.

        Examples
        --------
        >>> CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "a", "d": "a"}).separator_multiplicity()
        {('y', 'a'): 3}
        """
        # a separator on nu - 1 edges of the junction tree is shared by nu clusters
        return {separator: edges + 1 for separator, edges in Counter(self.separators).items()}

    def junction_tree(self) -> "nx.Graph[Names]":
        """Copy into a fresh ``networkx.Graph`` over `clusters`, its edges carrying their ``separator``."""
        import networkx as nx

        tree = nx.Graph()
        tree.add_nodes_from(self.clusters)
        tree.add_edges_from(
            (self.clusters[hook], cluster, {"separator": separator})
            for hook, cluster, separator in zip(self.hooks(), self.clusters[1:], self.separators, strict=True)
        )
        return tree

    def chordal_graph(self) -> "nx.Graph[str]":
        """Copy into a fresh undirected ``networkx.Graph``: the tree, and the class joined to all of it."""
        return self.to_networkx().to_undirected()

    def chain(self) -> tuple[str, ...]:
        """Order the attributes by importance (Kovács et al. 2024).

        The leaf with the smallest gain I(Xi;Y) + I(Xi;Xm|Y) is deleted again and again (never one of the
        first pair; of equals the later in `order`); the reverse of the deletions is the order of importance.

        Examples
        --------
        >>> cherry = CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "a", "d": "a"},
        ...                     relevance={"a": 1, "b": 1, "c": 0.2, "d": 0.3},
        ...                     dependence={"b": 1, "c": 0.2, "d": 0.3})
        >>> cherry.chain()
        ('a', 'b', 'd', 'c')
        """
        if self.relevance is None or self.dependence is None:
            raise StructureError(
                "The order of importance needs the weights, but this tree has none; "
                "pass relevance= and dependence=."
            )
        first_pair, rest = self.order[:2], self.order[2:]
        position = {name: place for place, name in enumerate(self.order)}
        n_children = Counter(self.mothers.values())
        gain = {name: self.relevance[name] + self.dependence[name] for name in rest}
        leaves = [(gain[name], -position[name], name) for name in rest if not n_children[name]]
        heapify(leaves)
        deleted = []
        while leaves:
            *_, leaf = heappop(leaves)
            deleted.append(leaf)
            mother = self.mothers[leaf]
            n_children[mother] -= 1
            if not n_children[mother] and mother not in first_pair:
                heappush(leaves, (gain[mother], -position[mother], mother))
        return (*first_pair, *reversed(deleted))

    def hooks(self) -> tuple[int, ...]:
        """Return for each cluster but the first the index of the cluster that introduced its mother."""
        brought = {name: max(place - 1, 0) for place, name in enumerate(self.order)}
        return tuple(brought[self.mothers[child]] for child in self.order[2:])

    def _part(self, names: tuple[str, ...]) -> Self:
        return type(self)(self.target, names, *kept_links(self, names))

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        pair = strongest_link(self, mark)
        if len(self.order) == 1 or (pair is None and view in ("tree", "chordal")):
            return super()._sentence(view, target, mark)
        boxes = f"Each rounded box is a cluster ({target}, a mother and her child); each square box is"
        if view == "junction":
            return f"{boxes} the separator that the cluster shares with an earlier one."
        if view == "compact" or pair is None:
            return f"{boxes} a separator, drawn once for all the clusters that share it."
        if view == "tree":
            return tree_sentence(target, *pair)
        return (
            f"Every link is drawn: from {target} to each attribute, and from each attribute to its mother. "
            f"The widest line joins {pair[0]}, which share {pair[1]} given {target}."
        )

    def _drawing(self, view: str) -> Drawing:
        return cherry_drawing(self, view)


def _check_order(order: tuple[str, ...], mothers: Mapping[str, str]) -> None:
    """Check that every attribute but the first has a mother that comes before it."""
    if order[0] in mothers:
        raise StructureError(
            f"The first attribute {order[0]!r} depends on the class only; leave its mother out."
        )
    earlier = {order[0]}
    for name in order[1:]:
        if name not in mothers:
            raise StructureError(
                f"Every attribute but the first needs a mother, but {name!r} has none; name one."
            )
        if mothers[name] not in earlier:
            raise StructureError(
                f"A mother comes before her children in the order, but {mothers[name]!r}, the mother of "
                f"{name!r}, comes after it; move it forward (if no order works, the mothers form a cycle)."
            )
        earlier.add(name)


def _attribute_pair(target: str, number: int, cluster: Iterable[str]) -> tuple[str, str]:
    """Check that a cluster is three names with the class among them, and return the other two."""
    names = tuple(cluster)
    where = _where(number, names)
    if isinstance(cluster, str) or len(names) != 3 or len(set(names)) != 3:
        raise StructureError(f"{where}: a cluster is three different names (class, mother, child).")
    if target not in names:
        raise StructureError(f"{where}: every cluster holds the class, but {target!r} is not in it.")
    first, second = (name for name in names if name != target)
    return first, second


def _attach(target: str, number: int, pair: tuple[str, str], earlier: Mapping[str, str]) -> tuple[str, str]:
    """Return (mother, child): the attribute of the pair seen in an earlier cluster, and the new one."""
    first, second = pair
    where = _where(number, (target, *pair))
    if first in earlier and second in earlier:
        raise StructureError(
            f"{where}: both {first!r} and {second!r} are in earlier clusters, so it would close a cycle; "
            "each cluster must bring one new attribute."
        )
    if first not in earlier and second not in earlier:
        raise StructureError(
            f"{where}: neither {first!r} nor {second!r} is in an earlier cluster, so nothing holds it; "
            "each cluster must share one attribute with an earlier one."
        )
    return (first, second) if first in earlier else (second, first)


def _where(number: int, names: tuple[str, ...]) -> str:
    return f"cluster {number} ({', '.join(map(str, names))})"


def cherry_drawing(cherry: Cherries, view: str) -> Drawing:
    """Draw a view; what appears at learning step k is marked with that step.

    Examples
    --------
    >>> len(cherry_drawing(CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "a"}), "junction").nodes)
    3
    """
    # the first two attributes come with the first cluster, every later one with its own
    steps = {name: max(place, 1) for place, name in enumerate(cherry.order)}
    if view == "tree":
        return tree_drawing(cherry, steps)
    if view == "chordal" or not cherry.clusters:  # one attribute has no cluster: its graph is one line
        return chordal_drawing(cherry, steps)
    nodes = [_cluster(cherry, step) for step in range(1, len(cherry.order))]
    attached = _compact(cherry) if view == "compact" else _junction(cherry)
    arcs = tuple(item for item in attached if isinstance(item, Arc))
    nodes += [item for item in attached if isinstance(item, Node)]
    return Drawing(view, tuple(nodes), arcs, directed=False, flow=_cluster_direction(cherry))


def _cluster_direction(cherry: Cherries) -> str:
    rank = {1: 1}  # of each cluster, by its step; between every two ranks there is one of separators
    for step, hook in enumerate(cherry.hooks(), start=2):
        rank[step] = rank[hook + 1] + 1
    breadth = max(Counter(rank.values()).values())
    return flow(breadth, 2 * max(rank.values()) - 1, lines=max(map(len, cherry.clusters)))


def _junction(cherry: Cherries) -> list[Node | Arc]:
    """Attach every cluster to a separator of its own: one for each edge of the junction tree."""
    attached: list[Node | Arc] = []
    for step, (separator, hook) in enumerate(zip(cherry.separators, cherry.hooks(), strict=True), start=2):
        attached.append(Node(f"s{step}", separator, "separator", step=step, names=separator))
        attached.append(Arc(f"c{hook + 1}", f"s{step}", "junction", step=step))
        attached.append(Arc(f"s{step}", f"c{step}", "junction", step=step))
    return attached


def _compact(cherry: Cherries) -> list[Node | Arc]:
    """Draw every separator once, with the number of clusters that share it, and attach them all to it."""
    shared = cherry.separator_multiplicity()
    attached: list[Node | Arc] = []
    first: dict[tuple[str, ...], int] = {}
    for step, (separator, hook) in enumerate(zip(cherry.separators, cherry.hooks(), strict=True), start=2):
        if separator not in first:
            first[separator] = step
            lines = (*separator, f"in {shared[separator]} clusters")
            tip = f"{', '.join(separator)}: shared by {shared[separator]} clusters"
            attached.append(Node(f"s{step}", lines, "separator", step=step, tip=tip, names=separator))
            attached.append(Arc(f"c{hook + 1}", f"s{step}", "junction", step=step))
        attached.append(Arc(f"s{first[separator]}", f"c{step}", "junction", step=step))
    return attached


def _cluster(cherry: Cherries, step: int) -> Node:
    cluster = cherry.clusters[step - 1]
    tip = ", ".join(cluster)
    if cherry.relevance is not None and cherry.dependence is not None:
        child = cluster[-1]
        # Kovács et al. 2024: I(Y,Xm,X) - I(Y,Xm) = I(X;Y) + I(Xm;X|Y)
        tip += f": {child} adds {in_bits(cherry.relevance[child] + cherry.dependence[child], 2)}"
    return Node(f"c{step}", cluster, "cluster", step=step, tip=tip, names=cluster)
