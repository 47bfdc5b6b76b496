"""Files to download: their names, buttons, and how large pictures are on paper."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.files import file_stem

if TYPE_CHECKING:
    from pgm_nb.views.printing import PrintSize

__all__ = [
    "STEM",
    "choose_paper",
    "name_files",
    "offer_paper",
    "offer_prints",
    "print_size",
    "set_print_size",
]

STEM, SIZE = "start of the names of files", "size of pictures on paper"
FORMATS = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


def name_files(table: str, model: str) -> None:
    """Let the names of all files of this run begin with the table and the model."""
    st.session_state[STEM] = file_stem(table, model)


def set_print_size(width_mm: float, dpi: int, font_size: float, legend: bool) -> None:
    """Let all pictures for print be of this size from now on."""
    st.session_state[SIZE] = (width_mm, dpi, font_size, legend)


def print_size() -> "PrintSize":
    """Return how large pictures are on paper: as chosen on the Export page, else a page with text of 8 pt."""
    from pgm_nb.views.printing import PrintSize

    return PrintSize(*st.session_state.get(SIZE, (170.0, 300, 8.0, True)))


def offer_prints(make: "Callable[[str, PrintSize], bytes]", name: str) -> None:
    """Show a button per format; a file is made when it is asked for."""
    stem = file_stem(st.session_state.get(STEM, ""), name)
    size = print_size()
    for format, mime in FORMATS.items():
        pixels = f", {size.dpi} dpi" if format == "png" else ""
        st.download_button(
            format.upper(),
            partial(make, format, size),
            file_name=f"{stem}.{format}",
            mime=mime,
            key=f"print {name} {format}",
            on_click="ignore",
            type="tertiary",
            help=f"This picture for print, {size.width_mm:g} mm wide{pixels}. The Export page sets the size.",
        )


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
