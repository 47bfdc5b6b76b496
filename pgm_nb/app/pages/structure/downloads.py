"""The download row: the picture, the graph and the model as files."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pgm_nb.app.pages.structure.shown_graph import CHARTS, ShownGraph
from pgm_nb.app.shell.fitting import model_file

__all__ = ["Download", "download_row", "downloads"]


@dataclass(frozen=True)
class Download:
    """One file to take away; its content is made when it is asked for."""

    label: str
    ending: str
    mime: str
    help: str
    make: Callable[[], bytes]


def downloads(shown: ShownGraph) -> tuple[Download, ...]:
    """Return what can be downloaded: pictures of what is looked at, graph and model as a whole."""
    model = shown.fitted.model
    graph = shown.structure if shown.choice.view == "row" else model.structure_
    files = (
        Download("SVG", "svg", "image/svg+xml", "This picture, for web pages and slides; sharp at any size.",
                 lambda: shown.picture("svg")),
        Download("PNG", "png", "image/png", "This picture as pixels, for any document.",
                 lambda: shown.picture("png")),
        Download("PDF", "pdf", "application/pdf", "This picture for print.",
                 lambda: shown.picture("pdf")),
        Download("DOT", "dot", "text/vnd.graphviz", "This picture as Graphviz text.",
                 lambda: shown.picture("dot")),
        Download("GraphML", "graphml", "application/graphml+xml", "The graph for Gephi, yEd or Cytoscape.",
                 lambda: graph.to_graphml().encode()),
        Download("JSON", "json", "application/json", "The graph with its numbers, for programs.",
                 lambda: graph.to_json().encode()),
        Download("Model", "pgmnb", "application/zip", "The classifier, for pgm-nb predict or Python.",
                 lambda: model_file(model)),
    )  # fmt: skip
    return tuple(file for file in files if file.ending != "dot" or shown.choice.view not in CHARTS)


def download_row(shown: ShownGraph) -> None:
    """Show a button for every download; pictures are drawn only when clicked."""
    st.markdown("#### Take it with you")
    name = f"{shown.fitted.model.short_name}-{shown.choice.view}"
    with st.container(horizontal=True):
        for file in downloads(shown):
            st.download_button(
                file.label,
                file.make,
                file_name=f"{name}.{file.ending}",
                mime=file.mime,
                key=f"download {file.ending}",
                help=file.help,
                on_click="ignore",
            )
