"""Pictures of the structure, and the graph as files."""

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.export.button import offer
from pgm_nb.app.shell.fitting import FittedModel
from pgm_nb.app.shell.paper import choose_paper
from pgm_nb.app.widgets.print_files import print_size

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
    choose_paper()
    st.caption("This holds for all pictures below, and for the SVG, PDF and PNG of the charts on every page.")
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


def _drawn(model: Any) -> "tuple[Graph, str]":
    """Return the structure that is drawn: of a very large one the part that joined first."""
    structure: Graph = model.structure_
    if len(structure.attributes) <= MOST or not structure.divisible:
        return structure, ""
    said = f"The pictures show {MOST} of {len(structure.attributes):,} attributes, those that joined first."
    return structure.part(tuple(model.importance_["attribute"][:MOST])), said
