"""What the Structure page shows: a view of a model, how much of its graph, and the picture itself."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell.details import detailed
from pgm_nb.app.shell.fitting import FittedModel, Settings
from pgm_nb.app.shell.work import work
from pgm_nb.graphs import Graph
from pgm_nb.graphs.compare import SharedLinks
from pgm_nb.views.graph.drawing import Element, elements
from pgm_nb.views.graph.edited import mark_edits

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.views.graph.drawing import Drawing
    from pgm_nb.views.printing import PrintSize

__all__ = ["Rows", "ShownGraph", "ViewChoice", "find_row_graph"]

AT_ONCE = 60  # attributes up to which the graph of a row is found at once
Rows = Callable[[], "tuple[pd.DataFrame, pd.Series[Any]]"]


@dataclass(frozen=True)
class ViewChoice:
    """A view, and what it shows of a structure."""

    view: str
    part: tuple[str, ...] | None = None  #: the attributes that are drawn; None for all
    focus: str | None = None  #: the attribute that the view "focus" shows
    row: int | None = None  #: place of the row whose graph is drawn
    plane: tuple[str, str] | None = None  #: the attributes across and up
    against: Settings | None = None  #: the model it is compared with
    wishes: bool = False  #: links that a person forbids are drawn too


@dataclass(frozen=True, eq=False)
class ShownGraph:
    """A model as it is shown: its graph, the elements of the picture, and the picture itself."""

    fitted: FittedModel
    choice: ViewChoice
    rows: Rows  #: the attributes and the class of the table
    comparison: SharedLinks | None = None
    row_graph: Graph | None = None  #: the graph of one row, if that is shown

    @cached_property
    def structure(self) -> Graph:
        """The graph that is drawn."""
        whole: Graph = self.fitted.model.structure_
        if self.row_graph is not None:
            return self.row_graph
        if self.choice.part is not None and whole.divisible:
            return whole.part(self.choice.part)
        return whole

    @property
    def is_chart(self) -> bool:
        """Whether the picture is a chart, in which nothing can be clicked."""
        return bool(self.fitted.model.views_[self.choice.view].chart)

    @property
    def title(self) -> str:
        """Title of the view."""
        return str(self.fitted.model.views_[self.choice.view].title)

    @property
    def row(self) -> "pd.DataFrame | None":
        """The row whose graph is shown, as a table."""
        return None if self.choice.row is None else self.rows()[0].iloc[[self.choice.row]]

    @cached_property
    def drawing(self) -> "Drawing | None":
        """The picture before it is laid out; None for a chart."""
        if self.is_chart:
            return None
        view = None if self.row_graph is not None else self.choice.view
        drawing = self.structure.drawing(view, focus=self.choice.focus)
        if self.choice.part is not None:
            drawing = _with_cut_links(drawing, self.fitted.model.structure_.cut_links(self.choice.part))
        settings = self.fitted.key[1]
        if settings.edited and not settings.drawn and self.comparison is None:
            forbidden = settings.edits.forbidden if self.choice.wishes else ()
            drawing = mark_edits(drawing, settings.edits.required, forbidden)
        return drawing if self.comparison is None else self.comparison.mark(drawing)

    @cached_property
    def elements(self) -> dict[str, Element]:
        """What the nodes and arcs of the picture stand for, by their ids."""
        return {} if self.drawing is None else elements(self.drawing)

    @property
    def labels(self) -> dict[str, str]:
        """Names of the boxes, for the search."""
        return {id: ", ".join(found.names) for id, found in self.elements.items() if found.kind != "link"}

    def picture(self, format: str) -> bytes:
        """Return the bytes of a picture for the screen: svg, and dot if it is a graph."""
        return _picture(self.fitted.key, self.choice, format, detailed(), self._draw)

    def sentence(self, mark: Callable[[str], str] = str) -> str:
        """Say what the view shows; `mark` marks the names in it."""
        said = self.structure.sentence(None if self.row_graph is not None else self.choice.view, mark)
        if self.choice.part is None:
            return said
        n_all = len(self.fitted.model.structure_.attributes)
        return f"{said} The picture shows {len(self.choice.part):,} of {n_all:,} attributes."

    def _draw(self, format: str) -> bytes:
        from pgm_nb.views.graph.render import draw

        if self.drawing is not None:
            return draw(self.drawing, format=format)
        X, y = self.rows()
        svg: str = self.fitted.model.chart_svg(self.choice.view, plane=self.choice.plane, X=X, y=y)
        return svg.encode()

    def printed(self, format: str, size: "PrintSize") -> bytes:
        """Return the picture for print: svg, png or pdf."""
        from pgm_nb.views.graph.render import draw
        from pgm_nb.views.printing import print_svg

        reading = self.fitted.model.views_[self.choice.view].reading
        if self.drawing is not None:
            return draw(self.drawing, format=format, size=size, legend=reading)
        return print_svg(self._draw("svg").decode(), format, size, legend=reading)


def _with_cut_links(drawing: "Drawing", more: dict[str, int]) -> "Drawing":
    """Write beside each attribute how many of its links lead out of the picture."""
    nodes = tuple(
        replace(node, number=f"+{more[node.names[0]]}")
        if node.kind == "attribute" and not node.number and node.names and node.names[0] in more
        else node
        for node in drawing.nodes
    )
    return replace(drawing, nodes=nodes)


def find_row_graph(fitted: FittedModel, row: int, rows: Rows) -> Graph | None:
    """Return the graph of a row; with many attributes it takes a while, and is None until it is found."""
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
def _row_graph(key: tuple[str, Settings], row: int, _model: Any, _case: "pd.DataFrame") -> Graph:
    found: Graph = _model.structure_for(_case)
    return found


@st.cache_data(max_entries=128, show_spinner="Drawing …")
def _picture(
    key: tuple[str, Settings],
    choice: ViewChoice,
    format: str,
    numbers: bool,
    _draw: Callable[[str], bytes],
) -> bytes:
    return _draw(format)
