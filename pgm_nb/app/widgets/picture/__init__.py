"""A picture to pan, zoom, search and click: a component of our own, without an iframe.

`panzoom.js` is the part that other components share; `text` reads any of the files here.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import streamlit as st

from pgm_nb.app.widgets.clicks import new_click, safely
from pgm_nb.views.style import dark_rules

__all__ = ["clicked", "clicked_state", "show_picture", "text"]

_NAME = "pgm_nb_picture"


def text(file: str) -> str:
    """Return a file of this folder as text.

    Examples
    --------
    >>> "function panzoom(svg, frame" in text("panzoom.js")
    True
    """
    return Path(__file__).with_name(file).read_text(encoding="utf-8")


@cache
def _component() -> "st.components.v2.types.ComponentRenderer":
    return st.components.v2.component(
        _NAME,
        html=text("picture.html"),
        css=dark_rules("dark") + text("picture.css"),
        js=text("panzoom.js") + text("walk.js") + text("picture.js"),
    )


def show_picture(
    svg: bytes,
    alternative: str,
    *,
    key: str = "picture",
    labels: Mapping[str, str] | None = None,
    selected: str | Sequence[str] = "",
    legible: float = 0.45,
    on_choice: Callable[[], None] | None = None,
    dims: bool = True,
    marks: Mapping[str, str] | None = None,
    on_state: Callable[[], None] | None = None,
) -> None:
    """Show an SVG made by this package.

    Parameters
    ----------
    svg
        The picture in its colours for a light page, which turn dark with the page; its nodes and arcs are
        groups with a `data-id`.
    alternative
        What it shows, for those who cannot see it.
    key
        Under which the component is known; `clicked` asks by it.
    labels
        What can be chosen and found by its name: data-id to name. Arcs between nodes can be chosen too.
    selected
        The data-id of what is chosen, or those of several.
    legible
        The smallest scale at which it opens; a picture that is too large for it is not shown whole at first.
    on_choice
        Called before the next run when something was clicked.
    dims
        Whether all else fades when something is chosen.
    marks
        Pieces of SVG inside the boxes, by their data-id; the picture stays where it is when they change.
    on_state
        Called before the next run when a state in a box was clicked; `clicked_state` says which.
    """
    first, *more = [selected] if isinstance(selected, str) else selected or [""]
    _component()(
        key=key,
        data={
            "svg": svg.decode(),
            "alternative": alternative,
            "labels": dict(labels or {}),
            "selected": first,
            "more": more,
            "legible": legible,
            "dims": dims,
            "marks": dict(marks or {}),
        },
        on_state_change=safely(on_state or (lambda: None)),
        on_chosen_change=safely(on_choice or (lambda: None)),
    )


def clicked(key: str = "picture") -> str:
    """Return the data-id of what was just clicked, for `on_choice`; "" for the empty page."""
    return str(st.session_state[key]["chosen"] or "")


def clicked_state(key: str = "picture") -> tuple[str, int] | None:
    """Return the data-id of the box and the place of the state that was just clicked, for `on_state`."""
    click = new_click(key, "state")
    return None if click is None else (str(click["id"]), int(click["state"]))
