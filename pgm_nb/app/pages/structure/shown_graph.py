"""What the Structure page shows: the view that is chosen, how much of the graph, and its picture."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import FittedModel, Settings, in_shares
from pgm_nb.app.shell.work import work
from pgm_nb.graphs import Graph
from pgm_nb.graphs.compare import SharedLinks
from pgm_nb.views.graph.drawing import Element, elements
from pgm_nb.views.graph.edited import mark_edits
from pgm_nb.words import Scale

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.views.graph.drawing import Drawing
    from pgm_nb.views.printing import PrintSize

__all__ = [
    "LEARNING",
    "MANY",
    "MOST",
    "GraphPart",
    "Rows",
    "ShownGraph",
    "ViewChoice",
    "choose_mode",
    "choose_part",
    "choose_view",
    "choose_view_details",
    "find_row_graph",
]

AT_ONCE = 60  # attributes up to which the graph of a row is found at once
Rows = Callable[[], "tuple[pd.DataFrame, pd.Series[Any]]"]
MANY = 60  # attributes up to which the whole structure is drawn without asking
MOST = 200  # attributes that a picture can hold
FARTHEST = 6  # links from one attribute
MODES = {"look": "Look", "values": "Known values", "links": "Edit links", "tree": "Draw a tree"}
LEARNING = ("links", "tree")  # modes in which the tree is learned again
PARTS = {"first": "Most important", "around": "Around one attribute"}


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
    scale: Scale | None = None  #: what amounts are written as shares of; None writes bits

    @cached_property
    def model(self) -> Any:
        """The model, writing amounts as they are written here."""
        return in_shares(self.fitted.model, self.scale)

    @cached_property
    def structure(self) -> Graph:
        """The graph that is drawn."""
        whole: Graph = self.model.structure_
        if self.row_graph is not None:
            return self.row_graph.in_shares(self.scale)
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
        return _picture(self.fitted.key, self.choice, format, self.scale is None, self._draw)

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


@dataclass(frozen=True)
class GraphPart:
    """How much of a large structure is drawn: the attributes that joined first, or those around one."""

    first: int = 0
    middle: str = ""
    reach: int = 0

    def of(self, model: Any) -> tuple[str, ...] | None:
        """Return the attributes of a model that are drawn; None where its views choose by themselves."""
        structure: Graph = model.structure_
        if not structure.divisible:
            return None
        if self.first:
            return tuple(model.importance_["attribute"][: self.first])
        reach, near = self.reach, structure.around(self.middle, self.reach)
        while len(near) > MOST:
            reach -= 1
            near = structure.around(self.middle, reach)
        return near


def choose_mode(*, rows: bool) -> str:
    """Let the visitor choose what a click in the picture is for; without rows nothing is learned again."""
    offered = [mode for mode in MODES if rows or mode not in LEARNING]
    keep("do", offered, offered[0])
    return (
        st.segmented_control(
            "What a click does",
            offered,
            key="do",
            format_func=MODES.__getitem__,
            label_visibility="collapsed",
        )
        or "look"
    )


def choose_view(model: Any, *, rows: bool = True) -> str:
    """Let the visitor choose one of the views of a model; that of a row only where there are rows."""
    titles = {name: view.title for name, view in model.views_.items() if rows or name != "row"}
    return _choose_one("view", "View", titles) if len(titles) > 1 else next(iter(titles))


def choose_view_details(model: Any, view: str, rows: Rows) -> ViewChoice:
    """Let the visitor choose what a view shows: a row, a plane, one attribute, or a part of the graph."""
    if view == "row":
        return ViewChoice(view, row=_choose_row(rows))
    if view == "plane":
        return ViewChoice(view, plane=_choose_plane(model))
    if view == "focus":
        return ViewChoice(view, focus=_choose_focus(model.structure_))
    part = choose_part(model)
    return ViewChoice(view, part=None if part is None else part.of(model))


def choose_part(model: Any) -> GraphPart | None:
    """Let the visitor choose how much of a large structure is drawn; None for all of it."""
    structure: Graph = model.structure_
    n_attributes = len(structure.attributes)
    if n_attributes <= MANY or not structure.divisible:
        return None
    left, right = st.columns([2, 3], vertical_alignment="center")
    with left:
        way = _choose_one("part", "Part", PARTS) if structure.mothers else "first"
    with right if structure.mothers else left:
        return _choose_around(model) if way == "around" else _choose_first(n_attributes)


def _choose_first(n_attributes: int) -> GraphPart:
    most = min(n_attributes, MOST)
    keep("shown", range(2, most + 1), MANY)
    n_shown = st.slider(
        f"Attributes in the picture, of {n_attributes:,}",
        2,
        most,
        key="shown",
        help="Attributes that joined first come first. A number such as +3 counts the links of an attribute "
        "that lead out of the picture. The numbers beside the picture and the graph files cover all "
        "attributes.",
    )
    return GraphPart(first=n_shown)


def _choose_around(model: Any) -> GraphPart:
    names = tuple(model.importance_["attribute"])
    keep("around", names, names[0])
    keep("reach", range(1, FARTHEST + 1), 3)
    one, other = st.columns(2)
    middle = one.selectbox("In the middle", names, key="around", help="Type to find an attribute.")
    reach = other.slider(
        "Links away from it",
        1,
        FARTHEST,
        key="reach",
        help="How far the picture reaches. A number such as +3 counts the links of an attribute that lead "
        "out of the picture.",
    )
    return GraphPart(middle=middle, reach=reach)


def _choose_focus(structure: Graph) -> str:
    keep("focus", list(structure.attributes), structure.most_relevant)
    return st.selectbox("Attribute", structure.attributes, key="focus")


def _choose_row(rows: Rows) -> int:
    X, _ = rows()
    keep("row", range(1, len(X) + 1), 1)
    number = st.number_input(
        f"Row of the table, of {len(X):,}",
        1,
        len(X),
        key="row",
        width=260,
        help="This model has no single graph: which attributes are joined is decided at every row.",
    )
    return int(number) - 1


def _choose_plane(model: Any) -> tuple[str, str]:
    names = tuple(model.importance_["attribute"])
    keep("across", names, names[0])
    one, other = st.columns(2)
    across = one.selectbox("Across", names, key="across")
    rest = tuple(name for name in names if name != across)
    keep("up", rest, rest[0])
    return across, other.selectbox("Up", rest, key="up")


def _choose_one(key: str, label: str, titles: dict[str, str]) -> str:
    """Offer a few choices side by side; the first one is the default."""
    keep(key, [*titles], next(iter(titles)))
    return st.radio(
        label,
        [*titles],
        key=key,
        format_func=titles.__getitem__,
        horizontal=True,
        label_visibility="collapsed",
    )
