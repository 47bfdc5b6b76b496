"""Files of pictures for print: as wide as a column, with the names of the table and the model."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.files import file_stem

if TYPE_CHECKING:
    from pgm_nb.views.printing import PrintSize

__all__ = ["STEM", "name_files", "offer_prints", "print_size", "set_print_size"]

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
