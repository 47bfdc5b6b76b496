"""Drawings that grow: the final picture, every node and arc marked with the step at which it appears."""

from collections.abc import Mapping
from dataclasses import replace

from pgm_nb.graphs.base import Graph
from pgm_nb.views.graph.drawing import Drawing

__all__ = ["growing"]


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
