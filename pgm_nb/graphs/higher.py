"""Cherry junction trees of higher order (Szántai, Kovács, arXiv 1104.2762): several mothers each.

An attribute joins a set of attributes that are together in one cluster; with the class and this set it makes
a cluster of its own. Every set is complete, so the graph is chordal, and the clusters form a junction tree.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Edge, View
from pgm_nb.graphs.checks import check_mothers, check_names, check_weights, only
from pgm_nb.graphs.cherry import Cherries, cherry_drawing
from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.words import in_bits, together

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["HigherCherryTree"]


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
    divisible: ClassVar[bool] = True
    report_views: ClassVar[tuple[str, ...]] = ("tree", "junction")
    about: ClassVar[Mapping[str, View]] = {
        "tree": View(
            "Mothers and children",
            "Arrows lead from mothers to their child; the class points to every attribute. The number at an "
            "arrow is what this mother adds to the information that the child shares with its mothers given "
            "the class, in bits.",
        ),
        "chordal": View(
            "Every link",
            "Every link is drawn: from the class to each attribute, and from each mother to her child.",
        ),
        "junction": View(
            "Clusters",
            "Each rounded box is a cluster (the class, the mothers and their child); each square box is the "
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
    families: Mapping[str, tuple[str, ...]]
    relevance: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None
    shares: Mapping[str, tuple[float, ...]] | None = None

    def __post_init__(self) -> None:
        order = check_names(self.target, self.order)
        families = {child: _names(child, mothers) for child, mothers in self.families.items()}
        for child, mothers in families.items():
            for mother in mothers:
                check_mothers(order, {child: mother})
        _check_families(order, families)
        self._set(
            order=order,
            families=MappingProxyType({child: families[child] for child in order[1:]}),
            relevance=check_weights("relevance", order, self.relevance),
            dependence=check_weights("dependence", order[1:], self.dependence),
            shares=_check_shares(families, order[1:], self.shares),
        )

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes, in `order`."""
        return self.order

    @property
    def root(self) -> str:
        """The first attribute: it depends on the class alone."""
        return self.order[0]

    @property
    def mothers(self) -> Mapping[str, str]:
        """The first mother of every attribute but the first: the one with which it shares most."""
        return {child: mothers[0] for child, mothers in self.families.items()}

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Class arcs in attribute order, then the arcs from all mothers to each attribute in that order."""
        relevance, shares = self.relevance or {}, self.shares or {}
        class_arcs = [Edge(self.target, name, "class", relevance.get(name)) for name in self.order]
        tree_arcs = [
            Edge(mother, child, "tree", shares[child][place] if child in shares else None)
            for child, mothers in self.families.items()
            for place, mother in enumerate(mothers)
        ]
        return (*class_arcs, *tree_arcs)

    @property
    def clusters(self) -> tuple[tuple[str, ...], ...]:
        """The clusters (class, mothers, child) in order: one for each attribute but the first."""
        return tuple((self.target, *self._ordered(child), child) for child in self.order[1:])

    @property
    def separators(self) -> tuple[tuple[str, ...], ...]:
        """The separator (class, mothers) that each cluster but the first shares with an earlier one."""
        return tuple((self.target, *self._ordered(child)) for child in self.order[2:])

    def _ordered(self, child: str) -> tuple[str, ...]:
        """Return the mothers of an attribute in the order in which they joined."""
        place = {name: i for i, name in enumerate(self.order)}
        return tuple(sorted(self.families[child], key=place.__getitem__))

    def separator_multiplicity(self) -> dict[tuple[str, ...], int]:
        """Count for each separator the clusters that share it."""
        return {separator: edges + 1 for separator, edges in Counter(self.separators).items()}

    def hooks(self) -> tuple[int, ...]:
        """Return for each cluster but the first the index of the cluster that it joins: its last mother's."""
        place = {name: i for i, name in enumerate(self.order)}
        return tuple(max(place[self._ordered(child)[-1]] - 1, 0) for child in self.order[2:])

    def junction_tree(self) -> "nx.Graph[tuple[str, ...]]":
        """Copy into a fresh ``networkx.Graph`` over `clusters`, its edges carrying their ``separator``."""
        import networkx as nx

        tree = nx.Graph()
        tree.add_nodes_from(self.clusters)
        for hook, cluster, separator in zip(self.hooks(), self.clusters[1:], self.separators, strict=True):
            tree.add_edge(self.clusters[hook], cluster, separator=separator)
        return tree

    def chordal_graph(self) -> "nx.Graph[str]":
        """Copy into a fresh undirected ``networkx.Graph``: all links, and those of the class."""
        return self.to_networkx().to_undirected()

    def chain(self) -> tuple[str, ...]:
        """Order attributes by importance: the childless one that adds least is deleted again and again."""
        if self.relevance is None or self.dependence is None:
            raise StructureError(
                "The order of importance needs the weights, but this tree has none; "
                "pass relevance= and dependence=."
            )
        first_pair, rest = self.order[:2], self.order[2:]
        position = {name: place for place, name in enumerate(self.order)}
        children = Counter(mother for mothers in self.families.values() for mother in mothers)
        gain = {name: self.relevance[name] + self.dependence[name] for name in rest}
        leaves = [(gain[name], -position[name], name) for name in rest if not children[name]]
        heapify(leaves)
        deleted = []
        while leaves:
            *_, leaf = heappop(leaves)
            deleted.append(leaf)
            for mother in self.families[leaf]:
                children[mother] -= 1
                if not children[mother] and mother not in first_pair:
                    heappush(leaves, (gain[mother], -position[mother], mother))
        return (*first_pair, *reversed(deleted))

    def _part(self, names: tuple[str, ...]) -> Self:
        chosen = set(names)
        kept = {
            child: tuple(mother for mother in mothers if mother in chosen)
            for child, mothers in self.families.items()
            if child in chosen
        }
        kept = {child: mothers for child, mothers in kept.items() if mothers}
        shares = self.shares and {
            child: tuple(
                share
                for share, mother in zip(self.shares[child], self.families[child], strict=True)
                if mother in chosen
            )
            for child in kept
        }
        dependence = None if shares is None else {child: sum(shares[child]) for child in kept}
        if self.dependence is not None and shares is None:
            dependence = only(self.dependence, kept)
        return type(self)(self.target, names, kept, only(self.relevance, names), dependence, shares)

    def _linked(self) -> dict[str, set[str]]:
        linked: dict[str, set[str]] = {name: set() for name in self.order}
        for child, mothers in self.families.items():
            for mother in mothers:
                linked[child].add(mother)
                linked[mother].add(child)
        return linked

    def _plain(self) -> dict[str, object]:
        plain = super()._plain()
        plain["families"] = {child: list(mothers) for child, mothers in self.families.items()}
        if self.shares is not None:
            plain["shares"] = {child: list(shares) for child, shares in self.shares.items()}
        return plain

    def __hash__(self) -> int:
        return hash((self.type_name, self.target, self.order, tuple(self.families.items())))

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        if len(self.order) == 1:
            return super()._sentence(view, target, mark)
        boxes = f"Each rounded box is a cluster ({target}, the mothers and their child); each square box is"
        if view == "junction":
            return f"{boxes} the separator that the cluster shares with an earlier one."
        if view == "compact":
            return f"{boxes} a separator, drawn once for all the clusters that share it."
        start = f"Arrows lead from mothers to their child, and {target} points to every attribute."
        if view == "chordal":
            start = f"Every link is drawn: from {target} and from its mothers to each attribute."
        if not self.dependence:
            return start
        child = max(self.dependence, key=self.dependence.__getitem__)
        mothers = together([mark(name) for name in self.families[child]])
        shared = in_bits(self.dependence[child], digits=2)
        return f"{start} Given {target}, {mark(child)} shares most with its mothers ({mothers}): {shared}."

    def _drawing(self, view: str) -> Drawing:
        return cherry_drawing(self, view)


def _names(child: str, mothers: Sequence[str]) -> tuple[str, ...]:
    if isinstance(mothers, str) or not mothers:
        raise StructureError(f"The mothers of {child!r} must be a list of names, but are {mothers!r}.")
    return tuple(mothers)


def _check_families(order: tuple[str, ...], families: Mapping[str, tuple[str, ...]]) -> None:
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
                "comes after it; move it forward."
            )
        last = max(mothers, key=place.__getitem__)
        apart = sorted(set(mothers) - {last, *families.get(last, ())})
        if apart:
            raise StructureError(
                f"The mothers of an attribute must be in one cluster, but {apart[0]!r} and {last!r}, "
                f"mothers of {name!r}, are in none; the graph would not be chordal."
            )


def _check_shares(
    families: Mapping[str, tuple[str, ...]],
    children: tuple[str, ...],
    shares: Mapping[str, Sequence[float]] | None,
) -> Mapping[str, tuple[float, ...]] | None:
    """Check that every mother of every attribute has a share."""
    if shares is None:
        return None
    if set(shares) != set(children) or any(len(shares[name]) != len(families[name]) for name in children):
        raise StructureError("The shares must have one number for every mother of every attribute.")
    return MappingProxyType({name: tuple(float(share) for share in shares[name]) for name in children})
