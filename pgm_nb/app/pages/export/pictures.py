"""Pictures of the structure, and the graph as files."""

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.export.button import offer
from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import FittedModel
from pgm_nb.app.widgets.print_files import print_size, set_print_size

if TYPE_CHECKING:
    from pgm_nb.graphs import Graph

__all__ = ["show_pictures"]

MOST = 200  # attributes that a picture can hold
FORMATS = {  # of pictures -> type, for whom
    "svg": ("image/svg+xml", "For web pages and slides; sharp at any size."),
    "png": ("image/png", "Pixels, for any document; the file says its resolution."),
    "pdf": ("application/pdf", "For print."),
    "dot": ("text/vnd.graphviz", "Graphviz text, to draw it in another way."),
}
GRAPHS = {
    "graphml": ("application/graphml+xml", "The graph for Gephi, yEd or Cytoscape."),
    "json": ("application/json", "The graph with its numbers, for programs."),
}


def show_pictures(fitted: FittedModel, stem: str) -> None:
    """Show a row of buttons for every view."""
    st.markdown("#### Pictures for print")
    _choose_size()
    structure, remark = _drawn(fitted.model)
    if remark:
        st.caption(remark)
    for view in structure.views:
        with st.container(horizontal=True, vertical_alignment="center"):
            title = structure.view(view).title
            st.markdown(f"**{title}**", width=170)
            for format, (mime, help) in FORMATS.items():
                size = None if format == "dot" else print_size()
                make = partial(structure.draw, view, format=format, size=size)
                offer(format.upper(), make, f"{stem}-{view}.{format}", mime, f"{title}. {help}")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**The graph**", width=170)
        whole: Graph = fitted.model.structure_
        for format, (mime, help) in GRAPHS.items():
            title = {"graphml": "GraphML", "json": "JSON"}[format]
            offer(title, partial(whole.export, format), f"{stem}.{format}", mime, help)


def _choose_size() -> None:
    """Let the user choose how large pictures and charts are on paper; this holds on all pages."""
    keep("mm", range(20, 421), 170)
    keep("dpi", [300, 600], 300)
    keep("pt", range(4, 25), 8)
    keep("legend", ["yes", "no"], "yes")
    width, dpi, points, legend = st.columns(4, vertical_alignment="bottom")
    width.number_input(
        "Width on paper, in mm", 20, 420, key="mm", help="85 mm is a column of many journals, 170 mm a page."
    )
    dpi.selectbox(
        "Resolution, in dpi",
        [300, 600],
        key="dpi",
        help="Pixels per inch of a PNG: 300 for pictures, 600 for line drawings.",
    )
    points.number_input(
        "Font size, in points",
        4,
        24,
        key="pt",
        help="Of charts; and of graphs where the width allows it, for a wide graph in a narrow column has "
        "smaller text.",
    )
    legend.selectbox(
        "Legend",
        ["yes", "no"],
        key="legend",
        format_func={"yes": "With a legend", "no": "Without"}.__getitem__,
        help="What colours and lines mean: beside a chart, below a graph.",
    )
    said = st.session_state
    set_print_size(float(said["mm"]), int(said["dpi"]), float(said["pt"]), said["legend"] == "yes")
    st.caption("This holds for all pictures below, and for the SVG, PDF and PNG of the charts on every page.")


def _drawn(model: Any) -> "tuple[Graph, str]":
    """Return the structure that is drawn: of a very large one the part that joined first."""
    structure: Graph = model.structure_
    if len(structure.attributes) <= MOST or not structure.divisible:
        return structure, ""
    said = f"The pictures show {MOST} of {len(structure.attributes):,} attributes, those that joined first."
    return structure.part(tuple(model.importance_["attribute"][:MOST])), said
