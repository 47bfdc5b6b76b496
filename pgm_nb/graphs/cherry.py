"""Cherry junction trees: the structure of generalized naive Bayes, of the third order and of higher ones.

A cherry of the third order is a cluster (Y, Xm, Xi) attached to a separator (Y, Xm): Xm is the mother of Xi,
the class Y its father (Kovács, Ország, Pfeifer, Benczúr 2024; pages and messages say *parent*). In a higher
order (Szántai, Kovács, arXiv 1104.2762) an attribute has several mothers, which are together in one earlier
cluster; every set is complete, so the graph is chordal, and the clusters form a junction tree.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Edge, Graph, View, check_mothers, check_names, check_weights, only
from pgm_nb.graphs.tree import TREE, chordal_drawing, strongest_link, tree_drawing, tree_sentence
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import flow
from pgm_nb.words import in_bits, together

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Cherries", "CherryTree", "HigherCherryTree"]

Names = tuple[str, ...]
Families = Mapping[str, Names]


def _views(tree: View, cluster: str) -> Mapping[str, View]:
    """Return the views of a cherry tree, given the first one and what a cluster holds."""
    return {
        "tree": tree,
        "chordal": View(
            "Every link",
            "Every link is drawn: from the class to each attribute, and from each mother to her child.",
        ),
        "junction": View(
            "Clusters",
            f"Each rounded box is a cluster (the class, {cluster}); each square box is the "
            "separator that the cluster shares with an earlier one.",
        ),
        "compact": View(
            "Compact clusters",
            "The clusters, with each separator drawn once for all the clusters that share it.",
        ),
    }


class Cherries(Graph):
    """What cherry trees of any order share: they differ in how many mothers an attribute has."""

    divisible: ClassVar[bool] = True
    link_kind: ClassVar[str] = "cherry"
    order: Names

    @abstractmethod
    def _all_mothers(self) -> Families:
        """Return the mothers of every attribute but the first."""

    def _checked(self, families: Families) -> dict[str, Any]:
        """Return the checked fields that both kinds have."""
        order = check_names(self.target, self.order)
        for child, mothers in families.items():
            for mother in mothers:
                check_mothers(order, {child: mother})
        _check_families(order, families)
        return {
            "order": order,
            "relevance": check_weights("relevance", order, self.relevance),
            "dependence": check_weights("dependence", order[1:], self.dependence),
        }

    @property
    def attributes(self) -> Names:
        """The attributes, in `order`."""
        return self.order

    @property
    def root(self) -> str:
        """The first attribute: it depends on the class alone."""
        return self.order[0]

    @property
    def clusters(self) -> tuple[Names, ...]:
        """The clusters (class, mothers, child) in order: one for each attribute but the first."""
        return tuple((self.target, *mothers, child) for child, mothers in self._joining())

    @property
    def separators(self) -> tuple[Names, ...]:
        """The separator (class, mothers) that each cluster but the first shares with an earlier one."""
        return tuple((self.target, *mothers) for _, mothers in self._joining()[1:])

    def _joining(self) -> list[tuple[str, Names]]:
        """Return every attribute but the first with its mothers, these in the order in which they joined."""
        place = {name: i for i, name in enumerate(self.order)}
        families = self._all_mothers()
        return [(child, tuple(sorted(families[child], key=place.__getitem__))) for child in self.order[1:]]

    def separator_multiplicity(self) -> dict[Names, int]:
        """Count for each separator the clusters that share it: nu in Kovács et al. 2024.

        Examples
        --------
        >>> CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "a", "d": "a"}).separator_multiplicity()
        {('y', 'a'): 3}
        """
        # a separator on nu - 1 edges of the junction tree is shared by nu clusters
        return {separator: edges + 1 for separator, edges in Counter(self.separators).items()}

    def hooks(self) -> tuple[int, ...]:
        """Return for each cluster but the first the index of the cluster that introduced its last mother."""
        brought = {name: max(place - 1, 0) for place, name in enumerate(self.order)}
        return tuple(brought[mothers[-1]] for _, mothers in self._joining()[1:])

    def junction_tree(self) -> "nx.Graph[Names]":
        """Copy into a fresh ``networkx.Graph`` over `clusters`, its edges carrying their ``separator``."""
        import networkx as nx

        tree, clusters = nx.Graph(), self.clusters
        tree.add_nodes_from(clusters)
        for hook, cluster, separator in zip(self.hooks(), clusters[1:], self.separators, strict=True):
            tree.add_edge(clusters[hook], cluster, separator=separator)
        return tree

    def chordal_graph(self) -> "nx.Graph[str]":
        """Copy into a fresh undirected ``networkx.Graph``: all links, with the class joined to all of it."""
        return self.to_networkx().to_undirected()

    def chain(self) -> Names:
        """Order the attributes by importance (Kovács et al. 2024).

        The childless attribute with the smallest gain I(Xi;Y) + I(Xi;S|Y), S its mothers, is deleted again
        and again (never one of the first pair; of equals the later in `order`); the reverse of the deletions
        is the order of importance.

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
        first_pair, rest, families = self.order[:2], self.order[2:], self._all_mothers()
        position = {name: place for place, name in enumerate(self.order)}
        children = Counter(mother for mothers in families.values() for mother in mothers)
        gain = {name: self.relevance[name] + self.dependence[name] for name in rest}
        leaves = [(gain[name], -position[name], name) for name in rest if not children[name]]
        heapify(leaves)
        deleted = []
        while leaves:
            *_, leaf = heappop(leaves)
            deleted.append(leaf)
            for mother in families[leaf]:
                children[mother] -= 1
                if not children[mother] and mother not in first_pair:
                    heappush(leaves, (gain[mother], -position[mother], mother))
        return (*first_pair, *reversed(deleted))

    def _drawing(self, view: str) -> Drawing:
        # the first two attributes come with the first cluster, every later one with its own
        steps = {name: max(place, 1) for place, name in enumerate(self.order)}
        if view == "tree":
            return tree_drawing(self, steps)
        if view == "chordal" or not self.clusters:  # one attribute has no cluster: its graph is one line
            return chordal_drawing(self, steps)
        nodes = [_cluster(self, step, cluster) for step, cluster in enumerate(self.clusters, start=1)]
        separators, arcs = _separators(self, once=view == "compact")
        return Drawing(
            view, (*nodes, *separators), tuple(arcs), directed=False, flow=_cluster_direction(self)
        )


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
    report_views: ClassVar[tuple[str, ...]] = ("tree", "junction")
    about: ClassVar[Mapping[str, View]] = _views(TREE, "a mother and her child")

    target: str
    order: Names
    mothers: Mapping[str, str]
    relevance: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        fields = self._checked(self._all_mothers())
        mothers = {child: str(self.mothers[child]) for child in fields["order"][1:]}
        self._set(mothers=MappingProxyType(mothers), **fields)

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
        order: list[str] = []
        mothers: dict[str, str] = {}
        for number, cluster in enumerate(clusters, start=1):
            names = tuple(cluster)
            where = f"cluster {number} ({', '.join(map(str, names))})"
            if isinstance(cluster, str) or len(names) != 3 or len(set(names)) != 3:
                raise StructureError(f"{where}: a cluster is three different names (class, mother, child).")
            if target not in names:
                raise StructureError(f"{where}: every cluster holds the class, but {target!r} is not in it.")
            pair = [name for name in names if name != target]
            order = order or pair[:1]  # the first cluster brings both
            known, new = [[n for n in pair if (n in order) is seen] for seen in (True, False)]
            if not new:
                raise StructureError(
                    f"{where}: both {pair[0]!r} and {pair[1]!r} are in earlier clusters, so it would close a "
                    "cycle; each cluster must bring one new attribute."
                )
            if not known:
                raise StructureError(
                    f"{where}: neither {pair[0]!r} nor {pair[1]!r} is in an earlier cluster, so nothing "
                    "holds it; each cluster must share one attribute with an earlier one."
                )
            order.append(new[0])
            mothers[new[0]] = known[0]
        if not order:
            raise StructureError(
                "At least one cluster is needed, but none was given; for a single attribute write "
                "CherryTree(target, order=(name,), mothers={})."
            )
        return cls(target, tuple(order), mothers, relevance, dependence)

    def _all_mothers(self) -> Families:
        return {child: (mother,) for child, mother in self.mothers.items()}

    def _kept(self, names: Names) -> dict[str, Any]:
        mothers = {child: mother for child, mother in self.mothers.items() if {child, mother} <= set(names)}
        relevance, dependence = only(self.relevance, names), only(self.dependence, mothers)
        return {"order": names, "mothers": mothers, "relevance": relevance, "dependence": dependence}

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        pair = strongest_link(self, mark)
        if len(self.order) == 1 or (pair is None and view in ("tree", "chordal")):
            return super()._sentence(view, target, mark)
        if view in ("junction", "compact") or pair is None:
            return _boxes_sentence(view, f"{target}, a mother and her child")
        if view == "tree":
            return tree_sentence(target, *pair)
        return (
            f"Every link is drawn: from {target} to each attribute, and from each attribute to its mother. "
            f"The widest line joins {pair[0]}, which share {pair[1]} given {target}."
        )


@dataclass(frozen=True, eq=False, repr=False)
class HigherCherryTree(Cherries):
    """The graph of generalized naive Bayes of order 4 or more.

    Parameters
    ----------
    target : str
        Name of the class.
    order : tuple of str
        The attributes in the order in which they join; mothers come before their children.
    families : mapping of str to tuple of str
        The mothers of every attribute but the first, the one it shares most with first. They must be together
        in one earlier cluster.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.
    dependence : mapping of str to float, optional
        I(Xi;S|Y) in bits for every attribute but the first, S its mothers.
    shares : mapping of str to tuple of float, optional
        What each mother adds to that, in the order of `families`: I(Xi;S1|Y), I(Xi;S2|S1,Y), ...

    Examples
    --------
    >>> cherry = HigherCherryTree("y", ("a", "b", "c", "d"), {"b": ("a",), "c": ("a", "b"), "d": ("c", "b")})
    >>> cherry.clusters
    (('y', 'a', 'b'), ('y', 'a', 'b', 'c'), ('y', 'b', 'c', 'd'))
    >>> cherry.separators
    (('y', 'a', 'b'), ('y', 'b', 'c'))
    """

    type_name: ClassVar[str] = "higher cherry tree"
    report_views: ClassVar[tuple[str, ...]] = ("tree", "junction")
    about: ClassVar[Mapping[str, View]] = _views(
        View(
            "Mothers and children",
            "Arrows lead from mothers to their child; the class points to every attribute. The number at an "
            "arrow is what this mother adds to the information that the child shares with its mothers given "
            "the class, in bits.",
        ),
        "the mothers and their child",
    )

    target: str
    order: Names
    families: Families
    relevance: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None
    shares: Mapping[str, tuple[float, ...]] | None = None

    def __post_init__(self) -> None:
        families = {child: _names(child, mothers) for child, mothers in self.families.items()}
        fields = self._checked(families)
        children = fields["order"][1:]
        shares = _check_shares(families, children, self.shares)
        self._set(
            families=MappingProxyType({child: families[child] for child in children}), shares=shares, **fields
        )

    @property
    def mothers(self) -> Mapping[str, str]:
        """The first mother of every attribute but the first: the one with which it shares most."""
        return {child: mothers[0] for child, mothers in self.families.items()}

    def _all_mothers(self) -> Families:
        return self.families

    def _links(self) -> Iterable[Edge]:
        """Return the arcs from all mothers to each attribute, in the order in which these join."""
        shares = self.shares or {}
        return [
            Edge(mother, child, "tree", shares[child][place] if child in shares else None)
            for child, mothers in self.families.items()
            for place, mother in enumerate(mothers)
        ]

    def _kept(self, names: Names) -> dict[str, Any]:
        stays = {
            child: [place for place, mother in enumerate(mothers) if mother in names]
            for child, mothers in self.families.items()
            if child in names
        }
        families = {c: tuple(self.families[c][i] for i in places) for c, places in stays.items() if places}
        shares, dependence = None, only(self.dependence, families)
        if self.shares is not None:
            shares = {child: tuple(self.shares[child][i] for i in stays[child]) for child in families}
            dependence = {child: sum(shares[child]) for child in families}
        kept = {"order": names, "relevance": only(self.relevance, names)}
        return kept | {"families": families, "dependence": dependence, "shares": shares}

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        if len(self.order) == 1:
            return super()._sentence(view, target, mark)
        if view in ("junction", "compact"):
            return _boxes_sentence(view, f"{target}, the mothers and their child")
        start = f"Arrows lead from mothers to their child, and {target} points to every attribute."
        if view == "chordal":
            start = f"Every link is drawn: from {target} and from its mothers to each attribute."
        if not self.dependence:
            return start
        child = max(self.dependence, key=self.dependence.__getitem__)
        mothers = together([mark(name) for name in self.families[child]])
        shared = in_bits(self.dependence[child], digits=2, scale=self.scale)
        return f"{start} Given {target}, {mark(child)} shares most with its mothers ({mothers}): {shared}."


def _names(child: str, mothers: Sequence[str]) -> Names:
    if isinstance(mothers, str) or not mothers:
        raise StructureError(f"The mothers of {child!r} must be a list of names, but are {mothers!r}.")
    return tuple(mothers)


def _boxes_sentence(view: str, cluster: str) -> str:
    """Say what the boxes of a junction tree are."""
    separator = (
        "the separator that the cluster shares with an earlier one."
        if view == "junction"
        else "a separator, drawn once for all the clusters that share it."
    )
    return f"Each rounded box is a cluster ({cluster}); each square box is {separator}"


def _check_families(order: Names, families: Families) -> None:
    """Check that every attribute but the first has mothers, all in one earlier cluster."""
    if order[0] in families:
        raise StructureError(
            f"The first attribute {order[0]!r} depends on the class only; leave its mothers out."
        )
    place = {name: i for i, name in enumerate(order)}
    for name in order[1:]:
        if name not in families:
            raise StructureError(
                f"Every attribute but the first needs a mother, but {name!r} has none; name one."
            )
        mothers = families[name]
        if len(set(mothers)) < len(mothers):
            raise StructureError(f"The mothers of {name!r} must differ, but are {', '.join(mothers)}.")
        late = [mother for mother in mothers if place[mother] > place[name]]
        if late:
            raise StructureError(
                f"Mothers come before their children in the order, but {late[0]!r}, a mother of {name!r}, "
                "comes after it; move it forward (if no order works, the mothers form a cycle)."
            )
        last = max(mothers, key=place.__getitem__)
        apart = sorted(set(mothers) - {last, *families.get(last, ())})
        if apart:
            raise StructureError(
                f"The mothers of an attribute must be in one cluster, but {apart[0]!r} and {last!r}, "
                f"mothers of {name!r}, are in none; the graph would not be chordal."
            )


def _check_shares(
    families: Families, children: Names, shares: Mapping[str, Sequence[float]] | None
) -> Mapping[str, tuple[float, ...]] | None:
    """Check that every mother of every attribute has a share."""
    if shares is None:
        return None
    if set(shares) != set(children) or any(len(shares[name]) != len(families[name]) for name in children):
        raise StructureError("The shares must have one number for every mother of every attribute.")
    return MappingProxyType({name: tuple(float(share) for share in shares[name]) for name in children})


def _cluster_direction(cherry: Cherries) -> str:
    rank = {1: 1}  # of each cluster, by its step; between every two ranks there is one of separators
    for step, hook in enumerate(cherry.hooks(), start=2):
        rank[step] = rank[hook + 1] + 1
    breadth = max(Counter(rank.values()).values())
    return flow(breadth, 2 * max(rank.values()) - 1, lines=max(map(len, cherry.clusters)))


def _separators(cherry: Cherries, *, once: bool) -> tuple[list[Node], list[Arc]]:
    """Attach each cluster to a separator of its own, or to one that it shares, with how many share it."""
    shared = cherry.separator_multiplicity()
    first: dict[Names, int] = {}
    nodes, arcs = [], []
    for step, (separator, hook) in enumerate(zip(cherry.separators, cherry.hooks(), strict=True), start=2):
        if not once or separator not in first:
            first[separator] = step
            number = (f"in {shared[separator]} clusters",) if once else ()
            tip = f"{', '.join(separator)}: shared by {shared[separator]} clusters" if once else ""
            lines = (*separator, *number)
            nodes.append(Node(f"s{step}", lines, "separator", step=step, tip=tip, names=separator))
            arcs.append(Arc(f"c{hook + 1}", f"s{step}", "junction", step=step))
        arcs.append(Arc(f"s{first[separator]}", f"c{step}", "junction", step=step))
    return nodes, arcs


def _cluster(cherry: Cherries, step: int, cluster: Names) -> Node:
    tip = ", ".join(cluster)
    if cherry.relevance is not None and cherry.dependence is not None:
        child = cluster[-1]
        # Kovács et al. 2024: I(Y,Xm,X) - I(Y,Xm) = I(X;Y) + I(Xm;X|Y)
        gain = cherry.relevance[child] + cherry.dependence[child]
        tip += f": {child} adds {in_bits(gain, 2, scale=cherry.scale)}"
    return Node(f"c{step}", cluster, "cluster", step=step, tip=tip, names=cluster)
