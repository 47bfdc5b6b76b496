"""A drawn network as nodes and parents, and the star, tree or cherry tree that it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, Graph, Star, Tree, mothers_first
from pgm_nb.words import listed

__all__ = ["Arcs", "to_structure"]

MOST_NODES = 5_000


@dataclass(frozen=True)
class Arcs:
    """Nodes in the order of the file, and the parents of each.

    Two are equal when they have the same nodes and arcs, in whatever order.

    Examples
    --------
    >>> Arcs(("y", "a"), {"a": ("y",)}) == Arcs(("a", "y"), {"a": ["y"], "y": []})
    True
    """

    nodes: Sequence[str] = field(compare=False)
    parents: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        if len(self.nodes) > MOST_NODES:
            raise StructureError(f"there are {len(self.nodes):,} nodes, and at most {MOST_NODES:,} are read.")
        twice = [node for node, times in Counter(self.nodes).items() if times > 1]
        if twice:
            raise StructureError(f"the node {twice[0]!r} is declared twice; rename one.")
        full = {node: tuple(sorted(set(self.parents.get(node, ())))) for node in self.nodes}
        for child, parents in self.parents.items():
            unknown = [name for name in (child, *parents) if name not in full]
            if unknown:
                raise StructureError(
                    f"an arc names {unknown[0]!r}, which is not among the nodes; declare it."
                )
        object.__setattr__(self, "parents", full)

    @classmethod
    def of(cls, structure: Graph) -> Arcs:
        """Take the arcs of a structure."""
        parents: dict[str, list[str]] = {}
        for edge in structure.edges:
            parents.setdefault(edge.target, []).append(edge.source)
        return cls(structure.nodes, parents)

    def renamed(self, names: Mapping[str, str]) -> Arcs:
        """Give the nodes their real names, as far as these are known."""
        return Arcs(
            [names.get(node, node) for node in self.nodes],
            {
                names.get(child, child): [names.get(parent, parent) for parent in parents]
                for child, parents in self.parents.items()
            },
        )


def to_structure(arcs: Arcs, kind: str | None = None) -> Graph:
    """Return the star (no arcs but those of the class), the tree or, if `kind` names one, the cherry tree.

    Examples
    --------
    >>> to_structure(Arcs(("y", "a", "b"), {"a": ("y",), "b": ("a", "y")}))
    <Tree: class 'y', 2 attributes>
    >>> to_structure(Arcs(("y", "a", "b"), {"a": ("y",), "b": ("y",)}))
    <Star: class 'y', 2 attributes>
    """
    target = _class_node(arcs)
    attributes = [node for node in arcs.nodes if node != target]
    mothers: dict[str, str] = {}
    for node in attributes:
        further = [parent for parent in arcs.parents[node] if parent != target]
        if len(further) > 1:
            raise StructureError(
                f"besides the class {target!r} an attribute has at most one parent, but {node!r} has "
                f"{len(further)}: {listed(further)}; keep one of them."
            )
        if further:
            mothers[node] = further[0]
    if not mothers and (len(attributes) > 1 or kind not in (Tree.type_name, CherryTree.type_name)):
        return Star(target, tuple(attributes))
    tree = Tree(target, tuple(attributes), mothers)  # refuses a cycle and a second root
    if kind != CherryTree.type_name:
        return tree
    return CherryTree(target, tuple(mothers_first(attributes, mothers)), mothers)


def _class_node(arcs: Arcs) -> str:
    """Find the node that is a parent of all others and has none itself."""
    if len(arcs.nodes) < 2:
        raise StructureError(f"a class and an attribute are needed, but the nodes are: {listed(arcs.nodes)}.")
    missing = {
        node: [other for other in arcs.nodes if other != node and node not in arcs.parents[other]]
        for node in arcs.nodes
    }
    nearest = min(missing, key=lambda node: len(missing[node]))
    if missing[nearest]:
        raise StructureError(
            "one node, the class, must be a parent of all others, but none is; the closest is "
            f"{nearest!r}, which has no arc to {listed(missing[nearest])}: add the missing arcs."
        )
    if arcs.parents[nearest]:
        raise StructureError(
            f"the class {nearest!r}, a parent of all others, must not have a parent itself, but "
            f"{arcs.parents[nearest][0]!r} points to it; reverse or remove this arc."
        )
    return nearest
