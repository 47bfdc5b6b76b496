"""The download row: the picture, the graph and the model as files."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pgm_nb.app.learning import Learned, Structure, model_file, picture

__all__ = ["Download", "download_row", "downloads"]


@dataclass(frozen=True)
class Download:
    """One file to take away; its content is made when it is asked for."""

    label: str
    ending: str
    mime: str
    help: str
    make: Callable[[], bytes]


def downloads(
    learned: Learned, shown: Structure, view: str, focus: str | None = None
) -> tuple[Download, ...]:
    """Return what can be downloaded: pictures of the view that is shown, graph and model as a whole."""
    model, structure = learned.model, learned.model.structure_
    return (
        Download("SVG", "svg", "image/svg+xml", "This picture, for web pages and slides; sharp at any size.",
                 lambda: picture(learned, shown, view, "svg", focus=focus)),
        Download("PNG", "png", "image/png", "This picture as pixels, for any document.",
                 lambda: picture(learned, shown, view, "png", focus=focus)),
        Download("PDF", "pdf", "application/pdf", "This picture for print.",
                 lambda: picture(learned, shown, view, "pdf", focus=focus)),
        Download("DOT", "dot", "text/vnd.graphviz", "This picture as Graphviz text.",
                 lambda: picture(learned, shown, view, "dot", focus=focus)),
        Download("GraphML", "graphml", "application/graphml+xml", "The graph for Gephi, yEd or Cytoscape.",
                 lambda: structure.to_graphml().encode()),
        Download("JSON", "json", "application/json", "The graph with its numbers, for programs.",
                 lambda: structure.to_json().encode()),
        Download("Model", "pgmnb", "application/zip", "The classifier, for pgm-nb predict or Python.",
                 lambda: model_file(model)),
    )  # fmt: skip


def download_row(learned: Learned, shown: Structure, view: str, focus: str | None = None) -> None:
    """Show a button for every download; pictures are drawn only when clicked."""
    st.markdown("#### Take it with you")
    name = f"{learned.model.short_name}-{view}"
    with st.container(horizontal=True):
        for file in downloads(learned, shown, view, focus):
            st.download_button(
                file.label,
                file.make,
                file_name=f"{name}.{file.ending}",
                mime=file.mime,
                key=f"download {file.ending}",
                help=file.help,
                on_click="ignore",
            )
