"""The four drawings of a cherry tree; what appears at learning step k is marked with that step."""

from collections import Counter
from typing import TYPE_CHECKING

from pgm_nb.graphs.pictures import chordal_drawing, tree_drawing
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.layout import flow
from pgm_nb.words import bits

if TYPE_CHECKING:
    from pgm_nb.graphs.cherry import CherryTree

__all__ = ["cherry_drawing"]


def cherry_drawing(cherry: "CherryTree", view: str) -> Drawing:
    """Draw one of the views ``"tree"``, ``"chordal"``, ``"junction"``, ``"compact"``.

    Examples
    --------
    >>> from pgm_nb.graphs import CherryTree
    >>> cherry = CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "a", "d": "a"})
    >>> [len(cherry_drawing(cherry, view).nodes) for view in cherry.views]
    [5, 5, 5, 4]
    """
    # the first two attributes come with the first cluster, every later one with its own
    steps = {name: max(place, 1) for place, name in enumerate(cherry.order)}
    if view == "tree":
        return tree_drawing(cherry, steps)
    if view == "chordal" or not cherry.clusters:  # one attribute has no cluster: its graph is one line
        return chordal_drawing(cherry, steps)
    nodes = [_cluster(cherry, step) for step in range(1, len(cherry.order))]
    hung = _compact(cherry, steps) if view == "compact" else _junction(cherry, steps)
    arcs = tuple(item for item in hung if isinstance(item, Arc))
    nodes += [item for item in hung if isinstance(item, Node)]
    return Drawing(view, tuple(nodes), arcs, directed=False, flow=_direction(cherry, steps))


def _direction(cherry: "CherryTree", steps: dict[str, int]) -> str:
    rank = {1: 1}  # of each cluster, by its step; between every two ranks there is one of separators
    for step, (_, mother) in enumerate(cherry.separators, start=2):
        rank[step] = rank[steps[mother]] + 1
    breadth = max(Counter(rank.values()).values())
    return flow(breadth, 2 * max(rank.values()) - 1, lines=3)


def _junction(cherry: "CherryTree", steps: dict[str, int]) -> list[Node | Arc]:
    """Hang every cluster on a separator of its own: one for each edge of the junction tree."""
    hung: list[Node | Arc] = []
    for step, separator in enumerate(cherry.separators, start=2):
        hook = steps[separator[1]]  # the cluster that brought the mother
        hung.append(Node(f"s{step}", separator, "separator", step=step, names=separator))
        hung.append(Arc(f"c{hook}", f"s{step}", "junction", step=step))
        hung.append(Arc(f"s{step}", f"c{step}", "junction", step=step))
    return hung


def _compact(cherry: "CherryTree", steps: dict[str, int]) -> list[Node | Arc]:
    """Draw every separator once, with the number of clusters that share it, and hang them all on it."""
    shared = cherry.separator_multiplicity()
    hung: list[Node | Arc] = []
    first: dict[tuple[str, str], int] = {}
    for step, separator in enumerate(cherry.separators, start=2):
        if separator not in first:
            first[separator] = step
            lines = (*separator, f"in {shared[separator]} clusters")
            tip = f"{', '.join(separator)}: shared by {shared[separator]} clusters"
            hung.append(Node(f"s{step}", lines, "separator", step=step, tip=tip, names=separator))
            hung.append(Arc(f"c{steps[separator[1]]}", f"s{step}", "junction", step=step))
        hung.append(Arc(f"s{first[separator]}", f"c{step}", "junction", step=step))
    return hung


def _cluster(cherry: "CherryTree", step: int) -> Node:
    cluster = cherry.clusters[step - 1]
    tip = ", ".join(cluster)
    if cherry.relevance is not None and cherry.dependence is not None:
        child = cluster[2]
        # Kovács et al. 2024: I(Y,Xm,X) - I(Y,Xm) = I(X;Y) + I(Xm;X|Y)
        tip += f": {child} adds {bits(cherry.relevance[child] + cherry.dependence[child])} bits"
    return Node(f"c{step}", cluster, "cluster", step=step, tip=tip, names=cluster)
