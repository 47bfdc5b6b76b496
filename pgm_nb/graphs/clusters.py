"""The graph of the local-PCA mixture: the class, its clusters, and the principal components of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import NO_MOTHERS, Edge, Graph, Headline, View
from pgm_nb.graphs.pictures import class_node
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import flow
from pgm_nb.words import percent, plural

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["ClusterTree", "LocalCluster"]

MOST_COMPONENTS = 3  # drawn for a cluster; the rest is summed up
MOST_LOADINGS = 3  # written in a component


@dataclass(frozen=True)
class LocalCluster:
    """One cluster of a class.

    Parameters
    ----------
    label : str
        The class it belongs to.
    rows : int
        Training rows in it.
    mean : tuple of float
        Its centre, in the attributes' own units.
    variances : tuple of float
        Variance along each principal component, largest first, of columns in units of their spread.
    loadings : tuple of tuples of float
        Each principal component: its share in every attribute, a vector of length one.
    regularised : bool
        Whether its class had none but rank-deficient clusters, and this one stands in.

    Examples
    --------
    >>> LocalCluster("ill", 40, (50.0,), (1.0,), ((1.0,),)).explained
    (1.0,)
    """

    label: str
    rows: int
    mean: tuple[float, ...]
    variances: tuple[float, ...]
    loadings: tuple[tuple[float, ...], ...]
    regularised: bool = False

    @property
    def explained(self) -> tuple[float, ...]:
        """Share of the cluster's variance along each component."""
        total = sum(self.variances)
        return tuple(variance / total for variance in self.variances)


@dataclass(frozen=True, eq=False, repr=False)
class ClusterTree(Graph):
    """The graph of the local-PCA mixture (Haghpanah Jahromi, Taheri).

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    classes : tuple of str
        Readable names of the classes.
    clusters : tuple of LocalCluster
        The clusters in use, by class.
    ignored : mapping of str to int
        Rank-deficient clusters of each class, which are not used.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits under the model for every attribute.

    Examples
    --------
    >>> part = LocalCluster("ill", 40, (50.0, 120.0), (1.5, 0.5), ((0.8, 0.6), (-0.6, 0.8)))
    >>> tree = ClusterTree("state", ("age", "pressure"), ("ill", "well"), (part,), {"ill": 0, "well": 1})
    >>> tree.edges[0], tree.edges[1]
    (Edge(source='state', target='ill 1', kind='class', weight=None),
     Edge(source='ill 1', target='ill 1 PC1', kind='component', weight=0.75))
    """

    type_name: ClassVar[str] = "cluster tree"
    about: ClassVar[Mapping[str, View]] = {
        "clusters": View(
            "Clusters",
            "The class leads to the clusters of similar rows in each class, and each cluster to its main "
            "directions.",
        ),
        "plane": View(
            "In a plane", "The clusters in the plane of two attributes; the dots are rows.", chart=True
        ),
    }

    mothers: ClassVar[Mapping[str, str]] = NO_MOTHERS  # attributes depend on components

    target: str
    attributes: tuple[str, ...]
    classes: tuple[str, ...]
    clusters: Sequence[LocalCluster]
    ignored: Mapping[str, int]
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        classes = tuple(str(label) for label in self.classes)
        d = len(self.attributes)
        self._set(
            classes=classes,
            clusters=tuple(_check_cluster(part, classes, d) for part in self.clusters),
            ignored=MappingProxyType({label: int(self.ignored.get(label, 0)) for label in classes}),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Name of every cluster: its class and its number in it, kept apart from the attributes."""
        taken = {self.target, *self.attributes}
        names = []
        for place, part in enumerate(self.clusters):
            number = 1 + sum(other.label == part.label for other in self.clusters[:place])
            name = f"{part.label} {number}"
            while name in taken or any(f"{name} PC{i + 1}" in taken for i in range(len(part.variances))):
                name += "_"
            taken |= {name, *(f"{name} PC{i + 1}" for i in range(len(part.variances)))}
            names.append(name)
        return tuple(names)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The class, the clusters with their components, then the attributes."""
        parts = [
            node
            for name, part in zip(self.names, self.clusters, strict=True)
            for node in (name, *_components(name, part))
        ]
        return (self.target, *parts, *self.attributes)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Class to cluster, cluster to component (explained share), component to attribute (loading)."""
        arcs = []
        for name, part in zip(self.names, self.clusters, strict=True):
            arcs.append(Edge(self.target, name, "class", None))
            for component, share, loadings in zip(
                _components(name, part), part.explained, part.loadings, strict=True
            ):
                arcs.append(Edge(name, component, "component", share))
                arcs += [
                    Edge(component, attribute, "loading", loading)
                    for attribute, loading in zip(self.attributes, loadings, strict=True)
                ]
        return tuple(arcs)

    def to_networkx(self) -> "nx.DiGraph[str]":
        """Copy into a fresh ``networkx.DiGraph``; a node is a class, cluster, component or attribute."""
        graph = super().to_networkx()
        for name, part in zip(self.names, self.clusters, strict=True):
            graph.nodes[name].update(kind="cluster", rows=part.rows)
            for component in _components(name, part):
                graph.nodes[component]["kind"] = "component"
        return graph

    @property
    def charts(self) -> tuple[str, ...]:
        """The plane of two attributes, if there are two."""
        return super().charts if len(self.attributes) > 1 else ()

    def headlines(self) -> tuple[Headline, ...]:
        """Return how many clusters there are, in all and in each class."""
        each = len(self.clusters) / len(self.classes)
        return (
            Headline("Clusters", str(len(self.clusters)), "Groups of similar rows, over all classes."),
            Headline("In each class", f"{each:.1f}", "Clusters of a class, on average."),
        )

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        if view == "plane":
            return "Each ellipse is a cluster in the plane of two attributes; the dots are rows."
        return (
            f"The rows form {plural(len(self.clusters), 'cluster')}, each with its own main directions. "
            "The numbers give the rows of a cluster, the share of its spread along each direction, and the "
            "attributes that make up that direction."
        )

    def _drawing(self, view: str) -> Drawing:
        note = tuple(f"{label}: {count} ignored" for label, count in self.ignored.items() if count)
        tip = (
            "Rank-deficient clusters are ignored"
            if note
            else f"{self.target} has {len(self.clusters)} clusters"
        )
        nodes: list[Node] = [class_node(self, *note, tip=tip)]
        arcs: list[Arc] = []
        for place, (name, part) in enumerate(zip(self.names, self.clusters, strict=True)):
            lines = (name, f"{part.rows:,} rows", *(("regularised",) if part.regularised else ()))
            kind = "separator" if part.regularised else "cluster"
            nodes.append(Node(f"c{place}", lines, kind, fill="shade 2", names=(name,)))
            arcs.append(Arc("n0", f"c{place}", "class", tip=f"{self.target} → {name}"))
            self._draw_components(place, name, part, nodes, arcs)
        boxes = len(nodes) - 1 - len(self.clusters)
        return Drawing("clusters", tuple(nodes), tuple(arcs), flow=flow(boxes, 3, MOST_LOADINGS + 1))

    def _draw_components(
        self, place: int, owner: str, part: LocalCluster, nodes: list[Node], arcs: list[Arc]
    ) -> None:
        shown = (
            part.explained if len(part.variances) <= MOST_COMPONENTS + 1 else part.explained[:MOST_COMPONENTS]
        )
        for number, share in enumerate(shown):
            largest = sorted(
                zip(part.loadings[number], self.attributes, strict=True), key=lambda pair: -abs(pair[0])
            )
            shown_loadings = [f"{loading:+.2f} {name}" for loading, name in largest[:MOST_LOADINGS]]
            ident = f"c{place}p{number}"
            every = ", ".join(f"{loading:+.2f} {name}" for loading, name in largest)
            lines = (f"PC{number + 1}: {percent(share)}", *shown_loadings)
            name = _components(owner, part)[number]
            nodes.append(Node(ident, lines, "attribute", tip=every, names=(name,)))
            arcs.append(
                Arc(
                    f"c{place}",
                    ident,
                    "tree",
                    width=0.8 + 4 * share,
                    tip=f"{percent(share, digits=1)} of the variance",
                )
            )
        rest = part.explained[len(shown) :]
        if rest:
            nodes.append(Node(f"c{place}r", (f"{len(rest)} more: {percent(sum(rest))}",), "attribute"))
            arcs.append(Arc(f"c{place}", f"c{place}r", "tree", width=0.8 + 4 * sum(rest)))


def _components(name: str, part: LocalCluster) -> tuple[str, ...]:
    return tuple(f"{name} PC{number + 1}" for number in range(len(part.variances)))


def _check_cluster(part: LocalCluster | Mapping[str, Any], classes: tuple[str, ...], d: int) -> LocalCluster:
    """Check a cluster, also one that comes as the plain values of JSON."""
    try:
        given = part if isinstance(part, LocalCluster) else LocalCluster(**part)
        checked = LocalCluster(
            str(given.label),
            int(given.rows),
            tuple(float(x) for x in given.mean),
            tuple(float(x) for x in given.variances),
            tuple(tuple(float(x) for x in row) for row in given.loadings),
            bool(given.regularised),
        )
    except (TypeError, ValueError) as error:
        raise StructureError(f"A cluster of a cluster tree is not complete ({error}): {part!r}.") from None
    if checked.label not in classes:
        raise StructureError(f"A cluster belongs to {checked.label!r}, which is not one of the classes.")
    lengths = {len(checked.mean), *(len(row) for row in checked.loadings)}
    if lengths != {d} or len(checked.loadings) != len(checked.variances):
        raise StructureError(
            f"A cluster of {checked.label!r} must have a mean and loadings over the {d} attributes, one row "
            "of loadings per variance."
        )
    numbers = [*checked.mean, *checked.variances, *(x for row in checked.loadings for x in row)]
    if not all(map(isfinite, numbers)) or min(checked.variances, default=1.0) <= 0:
        raise StructureError(
            f"A cluster of {checked.label!r} must have finite numbers and positive variances."
        )
    return checked
