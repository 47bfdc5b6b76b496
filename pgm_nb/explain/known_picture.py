"""The structure with what is known about a case in its boxes, and how likely everything else is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pgm_nb.engine.evidence import Evidence
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.protocols import Known
from pgm_nb.graphs import Graph, Star
from pgm_nb.views.graph.bars import Bars, bar_marks, with_marks, with_room
from pgm_nb.views.graph.grid import on_grid

if TYPE_CHECKING:
    from pgm_nb.views.graph.drawing import Drawing

__all__ = ["case_bars", "draw_known", "marked_boxes", "roomy_drawing"]


def case_bars(analysis: CaseAnalysis, known: Known) -> dict[str, Bars]:
    """Return what the boxes show of a case: of the class and of every attribute, by name.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", n_bins=5, smoothing=1.0).fit(X, y)
    >>> bars = case_bars(CaseAnalysis.of(model, X), {"petal width": 1.6})
    >>> bars["class"].best(), bars["petal width"].known
    ('virginica: 77.1%', '(1.55, 1.95]')
    """
    found = analysis.posterior(known)
    bars = {analysis.target: Bars(analysis.classes, tuple(found.classes.tolist()))}
    for name, attribute in analysis.attributes.items():
        value = known.get(name)
        state = attribute.state(value) if name in known and not isinstance(value, Evidence) else None
        has = found.states is not None and name in found.states
        bars[name] = Bars(
            attribute.column.labels,
            tuple((found.states or {})[name].tolist()) if has else None,
            analysis.label(name, known[name]) if name in known else "",
            state,
        )
    return bars


def roomy_drawing(structure: Graph, bars: Mapping[str, Bars]) -> Drawing:
    """Return the first view in which every attribute has a box, with room for bars in the boxes.

    A graph without one, such as that of a mixture, becomes a star. A large tree is laid out on a grid: in
    ranks it would be too high for any screen.
    """
    for view in (structure.links_view, *structure.views):
        drawing = structure.drawing(view)
        boxes = {node.names[0] for node in drawing.nodes if node.kind == "attribute" and node.names}
        if boxes >= set(structure.attributes):
            return on_grid(with_room(drawing, bars))
    return with_room(Star(structure.target, structure.attributes).drawing(), bars)


def marked_boxes(svg: str, drawing: Drawing, bars: Mapping[str, Bars]) -> dict[str, str]:
    """Return the pieces of SVG for the boxes of a picture of `roomy_drawing`, by their ids."""
    boxes = {node.id: bars[node.names[0]] for node in drawing.nodes if node.room}
    return bar_marks(svg, boxes)


def draw_known(model: Any, X: Any, given: Mapping[str, Any] | None = None, *, theme: str = "light") -> str:
    """Draw the structure of a model with the probabilities of a case in its boxes.

    Parameters
    ----------
    model : fitted model
        One of `pgm_nb.MODELS`.
    X : table
        The rows it was learned from, for the values that stand for each state.
    given : mapping, optional
        What is known: attribute -> value or evidence.
    theme : {"light", "auto"}
        Colours for a light page, or colours that follow the reader's system.

    Returns
    -------
    str
        SVG. The boxes of what is known have a thick outline.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> svg = pnb.draw_known(pnb.TreeAugmentedNaiveBayes().fit(X, y), X, {"petal width": 1.6})
    >>> svg.count('class="bars"'), svg.count('stroke-width="3"')
    (5, 1)
    """
    from pgm_nb.data import as_frame
    from pgm_nb.views.graph.render import draw

    analysis = CaseAnalysis.of(model, as_frame(X))
    bars = case_bars(analysis, analysis.usable(given or {}))
    drawing = roomy_drawing(model.structure_, bars)
    svg = draw(drawing, theme=theme).decode()
    return with_marks(svg, marked_boxes(svg, drawing, bars))
