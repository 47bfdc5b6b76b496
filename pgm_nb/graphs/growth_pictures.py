"""Drawings that grow: the final picture, every node and arc marked with the step at which it appears."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pgm_nb.graphs.base import Graph
from pgm_nb.views.dot import Arc, Drawing, Node

__all__ = ["growing", "rounds_drawing"]


def growing(graph: Graph, view: str | None, steps: Mapping[str, int]) -> Drawing:
    """Draw a view of a graph with the step of every attribute; views that know their steps keep them.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> drawing = growing(Star("ill", ("age", "sex")), "star", {"sex": 1, "age": 2})
    >>> [node.step for node in drawing.nodes], [arc.step for arc in drawing.arcs]
    ([None, 2, 1], [2, 1])
    """
    drawing = graph.drawing(view)
    if any(node.step is not None for node in drawing.nodes):
        return drawing
    step = {f"n{place}": steps.get(name) for place, name in enumerate(graph.nodes)}
    nodes = tuple(replace(node, step=step.get(node.id)) for node in drawing.nodes)
    arcs = tuple(replace(arc, step=step.get(arc.target)) for arc in drawing.arcs)
    return replace(drawing, nodes=nodes, arcs=arcs)


def rounds_drawing(target: str, rounds: Sequence[Mapping[str, int]], rows: Mapping[str, int]) -> Drawing:
    """Draw the class, its labels as first clusters, and the clusters that formed in every later round.

    Parameters
    ----------
    target : str
        Name of the class.
    rounds : sequence of mapping of str to int
        How many rows of each label formed a new cluster in the second round, the third, and so on.
    rows : mapping of str to int
        Labels, with the number of their rows where it is known (0 where not).

    Examples
    --------
    >>> drawing = rounds_drawing("state", [{"ill": 3}], {"ill": 40, "well": 60})
    >>> [(node.lines, node.step) for node in drawing.nodes[1:]]
    [(('ill', '40 rows'), 1), (('well', '60 rows'), 1), (('ill, round 2', '3 rows moved'), 2)]
    """
    nodes = [Node("n0", (target,), "class")]
    arcs: list[Arc] = []
    latest: dict[str, str] = {}
    for place, (label, count) in enumerate(rows.items()):
        latest[label] = f"k{place}"
        lines = (label, f"{count:,} rows") if count else (label,)
        nodes.append(Node(latest[label], lines, "cluster", fill="shade 2", step=1))
        arcs.append(Arc("n0", latest[label], "class", step=1))
    for step, moved in enumerate(rounds, start=2):
        for label, count in moved.items():
            if not count:
                continue
            ident = f"{latest[label].split('r')[0]}r{step}"
            lines = (f"{label}, round {step}", f"{count:,} row{'s' if count > 1 else ''} moved")
            nodes.append(Node(ident, lines, "cluster", step=step))
            arcs.append(Arc(latest[label], ident, "tree", step=step))
            latest[label] = ident
    return Drawing("rounds", tuple(nodes), tuple(arcs), flow="LR")
