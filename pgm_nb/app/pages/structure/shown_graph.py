"""What is looked at on the page of the structure: a view of a model, and how much of its graph it shows."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell.fitting import FittedModel, Settings
from pgm_nb.app.shell.work import work
from pgm_nb.app.widgets import words
from pgm_nb.graphs import ClusterTree, GaussianStar, Graph, HiddenParents, JoinedStar
from pgm_nb.graphs.compare import SharedLinks
from pgm_nb.views.graph.drawing import Element, elements
from pgm_nb.words import plural

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.views.graph.drawing import Drawing

__all__ = ["CHARTS", "Rows", "ShownGraph", "ViewChoice", "find_row_graph", "views_of"]

CHARTS = ("curves", "plane")  # views that are charts, with nothing to click
AT_ONCE = 60  # attributes up to which the graph of a row is found at once
DOTS = 2_000  # rows that are drawn as dots at most
Rows = Callable[[], "tuple[pd.DataFrame, pd.Series[Any]]"]


@dataclass(frozen=True)
class ViewChoice:
    """A view, and what it shows of a structure."""

    view: str
    part: tuple[str, ...] | None = None  #: the attributes that are drawn; None for all
    focus: str | None = None  #: whose hidden parent is drawn
    row: int | None = None  #: place of the row whose graph is drawn
    plane: tuple[str, str] | None = None  #: the attributes across and up
    against: Settings | None = None  #: the model it is compared with


def views_of(model: Any) -> tuple[str, ...]:
    """Return the views of a fitted model: those of its graph, charts, and the graph of a row.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> views_of(pnb.GaussianNaiveBayes().fit(*pnb.load_sample("iris")))
    ('star', 'densities', 'curves')
    """
    structure: Graph = model.structure_
    views = structure.views
    if isinstance(structure, GaussianStar) and structure.gaussians:
        views += ("curves",)
    if isinstance(structure, ClusterTree) and len(structure.attributes) > 1:
        views += ("plane",)
    if hasattr(model, "structure_for"):
        views += ("row",)
    return views


@dataclass(frozen=True, eq=False)
class ShownGraph:
    """A model as it is looked at: its graph, the parts of the picture, and the picture itself."""

    fitted: FittedModel
    choice: ViewChoice
    rows: Rows  #: the attributes and the class of the table
    comparison: SharedLinks | None = None
    row_graph: JoinedStar | None = None  #: the graph of the row, if that is looked at

    @cached_property
    def structure(self) -> Graph:
        """The graph that is drawn."""
        whole: Graph = self.fitted.model.structure_
        if self.row_graph is not None:
            return self.row_graph
        if self.choice.part is not None and whole.divisible:
            return whole.part(self.choice.part)
        return whole

    @cached_property
    def drawing(self) -> "Drawing | None":
        """The picture before it is laid out; None for a chart."""
        if self.choice.view in CHARTS:
            return None
        if isinstance(self.structure, HiddenParents):
            drawing = self.structure.drawing(self.choice.view, focus=self.choice.focus)
        else:
            drawing = self.structure.drawing(None if self.choice.view == "row" else self.choice.view)
        if self.choice.part is not None:
            drawing = _with_cut_links(drawing, self.fitted.model.structure_.cut_links(self.choice.part))
        return drawing if self.comparison is None else self.comparison.mark(drawing)

    @cached_property
    def elements(self) -> dict[str, Element]:
        """What the parts of the picture stand for, by their ids."""
        return {} if self.drawing is None else elements(self.drawing)

    @property
    def labels(self) -> dict[str, str]:
        """Names of the boxes, for the search."""
        return {id: ", ".join(found.names) for id, found in self.elements.items() if found.kind != "link"}

    def picture(self, format: str) -> bytes:
        """Return the bytes of a picture: svg, png or pdf, and dot where it is a graph."""
        return _picture(self.fitted.key, self.choice, format, self._draw)

    def sentence(self, mark: Callable[[str], str] = str) -> str:
        """Say what the view shows; `mark` dresses the names in it."""
        told = self._told(mark)
        if self.choice.part is None:
            return told
        n_all = len(self.fitted.model.structure_.attributes)
        return f"{told} Drawn are {len(self.choice.part):,} of {n_all:,} attributes."

    def _told(self, mark: Callable[[str], str]) -> str:
        structure, choice = self.structure, self.choice
        target = "the class" if structure.target.lower() == "class" else mark(structure.target)
        if choice.view == "curves":
            return f"One bell curve for every value of {target}; the less they overlap, the more they tell."
        if choice.plane is not None:
            across, up = map(mark, choice.plane)
            return f"Each ellipse is a cluster as {across} and {up} show it; the dots are the cases."
        if isinstance(structure, ClusterTree):
            return (
                f"{plural(len(structure.clusters), 'cluster')} of cases, each with its own main directions; "
                "the numbers say how many, how much of its spread is along each, and what that is made of."
            )
        if isinstance(structure, JoinedStar):
            return _row_sentence(structure, choice.row or 0, mark)
        return words.sentence(structure, choice.view, mark)

    def _draw(self, format: str) -> bytes:
        from pgm_nb.views.graph.render import draw

        return (
            _converted(self._chart(), format) if self.drawing is None else draw(self.drawing, format=format)
        )

    def _chart(self) -> str:
        structure = self.structure
        if isinstance(structure, GaussianStar):
            relevance = structure.relevance or {}
            ranked = sorted(structure.gaussians, key=lambda name: -relevance.get(name, 0.0))
            return structure.densities_svg(ranked)
        X, y = self.rows()
        step = max(1, -(-len(X) // DOTS))
        svg: str = self.fitted.model.draw_clusters(self.choice.plane, X.iloc[::step], y.iloc[::step])
        return svg


def _with_cut_links(drawing: "Drawing", more: dict[str, int]) -> "Drawing":
    """Write beside each attribute how many of its links lead out of the picture."""
    nodes = tuple(
        replace(node, number=f"+{more[node.names[0]]}")
        if node.kind == "attribute" and not node.number and node.names and node.names[0] in more
        else node
        for node in drawing.nodes
    )
    return replace(drawing, nodes=nodes)


def _row_sentence(structure: JoinedStar, row: int, mark: Callable[[str], str]) -> str:
    pairs = structure.correlation or {}
    start = f"At row {row + 1:,},"
    if not pairs:
        return f"{start} no two attributes are joined: each hangs on {mark(structure.target)} alone."
    second = max(pairs, key=lambda name: abs(pairs[name]))
    joined = "1 pair of attributes is" if len(pairs) == 1 else f"{len(pairs)} pairs of attributes are"
    return (
        f"{start} {joined} joined, because their values there go together more than by chance; most of all "
        f"{mark(structure.joined[second])} and {mark(second)} ({pairs[second]:+.2f})."
    )


def find_row_graph(fitted: FittedModel, row: int, rows: Rows) -> JoinedStar | None:
    """Return the graph of a row; of many attributes it takes a while, and there is None until it is found."""
    X, _ = rows()
    case = X.iloc[[row]]
    if X.shape[1] <= AT_ONCE:
        return _row_graph(fitted.key, row, fitted.model, case)
    return work(
        (*fitted.key, "graph of row", row),
        lambda _: fitted.model.structure_for(case),
        label=f"Comparing row {row + 1:,} with all others",
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _row_graph(key: tuple[str, Settings], row: int, _model: Any, _case: "pd.DataFrame") -> JoinedStar:
    found: JoinedStar = _model.structure_for(_case)
    return found


@st.cache_data(max_entries=128, show_spinner="Drawing …")
def _picture(
    key: tuple[str, Settings], choice: ViewChoice, format: str, _draw: Callable[[str], bytes]
) -> bytes:
    return _draw(format)


def _converted(svg: str, format: str) -> bytes:
    """Return the bytes of a chart as svg, png or pdf."""
    import vl_convert

    if format == "png":
        return bytes(vl_convert.svg_to_png(svg, scale=2))
    return bytes(vl_convert.svg_to_pdf(svg)) if format == "pdf" else svg.encode()
