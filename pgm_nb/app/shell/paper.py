"""How large pictures are on paper: one choice for all pages."""

import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.widgets.print_files import set_print_size

__all__ = ["choose_paper", "offer_paper"]


def choose_paper() -> None:
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


def offer_paper() -> None:
    """Offer the same choice behind a button, beside files to download."""
    with st.popover("Size on paper", icon=":material/straighten:", help="Width, resolution, font, legend."):
        choose_paper()
