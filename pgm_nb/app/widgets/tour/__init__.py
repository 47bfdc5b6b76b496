"""A short tour of the pages, offered on the first visit; the browser remembers that it is over."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from pgm_nb.app.pages import Page

__all__ = ["show_tour"]

NUMBERS = {5: "five", 6: "six", 7: "seven", 8: "eight"}
_HERE = Path(__file__).parent
_tour = st.components.v2.component(
    "pgm_nb_tour",
    css=(_HERE / "tour.css").read_text(encoding="utf-8"),
    js=(_HERE / "tour.js").read_text(encoding="utf-8"),
    html='<div class="tour" role="note" aria-label="Tour" hidden></div>',
)


def show_tour(page: Page, pages: Sequence[Page], *, offered: bool) -> None:
    """Show the station of the tour that belongs to a page, if the visitor is there; or offer the tour.

    Parameters
    ----------
    page : Page
        The page that is shown.
    pages : sequence of Page
        All pages in their order; the tour stops at those that say what to look at.
    offered : bool
        Whether a visitor who has not seen the offer gets it here.
    """
    stations = [{"page": stop.name, "title": stop.title, "says": stop.tour} for stop in pages if stop.tour]
    number = NUMBERS.get(len(stations), str(len(stations)))
    offer = f"New here? A tour of {number} stations on this sample takes two minutes."
    _tour(key="tour", data={"page": page.name, "stations": stations, "offer": offer, "offered": offered})
