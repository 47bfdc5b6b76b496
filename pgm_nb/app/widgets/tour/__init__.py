"""A short tour of the pages, offered on the first visit; the browser remembers that it is over."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

__all__ = ["STATIONS", "show_tour"]

OFFER = "New here? A tour of six stations on this sample takes two minutes."
STATIONS = {  # pages, in the order of the tour -> what to look at there
    "structure": (
        "Each box is a measurement. A line joins two that share information even when the class is known. "
        "The darker a box, the more it says about the class. Click a box to see its numbers."
    ),
    "growth": (
        "This is how the picture came about. Press play: at each step the box that adds most joins, and "
        "those that came close are named."
    ),
    "what_if": (
        "Here you ask. Click a value: the probability of each class follows at once, with the reasons and "
        "with what to measure next."
    ),
    "cases": "Every row is judged here by a model that has not seen it. Look at a wrong one to see why.",
    "compare": "Is another model better, and is its lead more than chance? All are tested on the same rows.",
    "export": (
        "Take away a report, pictures for print, the model, or the whole project. Then upload a table of "
        "your own on the left (on a phone behind »)."
    ),
}
_HERE = Path(__file__).parent
_tour = st.components.v2.component(
    "pgm_nb_tour",
    css=(_HERE / "tour.css").read_text(encoding="utf-8"),
    js=(_HERE / "tour.js").read_text(encoding="utf-8"),
    html='<div class="tour" role="note" aria-label="Tour" hidden></div>',
)


def show_tour(page: str, titles: Mapping[str, str], *, offered: bool) -> None:
    """Show the station of the tour that belongs to a page, if the visitor is there; or offer the tour.

    Parameters
    ----------
    page : str
        The page that is shown.
    titles : mapping of str to str
        What the menu calls the pages.
    offered : bool
        Whether a visitor who has not seen the offer gets it here.
    """
    stations = [{"page": name, "title": titles[name], "says": says} for name, says in STATIONS.items()]
    _tour(key="tour", data={"page": page, "stations": stations, "offer": OFFER, "offered": offered})
