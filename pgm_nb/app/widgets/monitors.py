"""Boxes of states with their probabilities, to click on: a small component in the page itself."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pgm_nb.app.widgets.clicks import new_click, safely
from pgm_nb.words import probability

__all__ = ["Box", "clicked", "show_monitors"]

_HERE = Path(__file__)


@dataclass(frozen=True)
class Box:
    """One variable: its states, which is chosen, and their probabilities now and before.

    Examples
    --------
    >>> Box("sex", ("f", "m"), 0, "f", (1.0, 0.0), (0.5, 0.5)).numbers
    ('100.0%', '0.0%')
    """

    name: str
    states: tuple[str, ...]
    chosen: int | None  #: place of the state that is known
    value: str  #: what is known, as it was given; empty for nothing
    shares: tuple[float, ...] | None = None  #: None where the model has no probabilities
    before: tuple[float, ...] | None = None  #: the same with nothing known
    low: tuple[float, ...] | None = None  #: the ends of their credible intervals, drawn as a line on the bar
    high: tuple[float, ...] | None = None

    def part(self, places: Sequence[int]) -> "Box":
        """Return the box with some of its states, in this order.

        Examples
        --------
        >>> Box("sex", ("f", "m"), 0, "", (0.2, 0.8)).part([1, 0]).states
        ('m', 'f')
        """
        numbers = (self.shares, self.before, self.low, self.high)
        cut = [None if row is None else tuple(row[place] for place in places) for row in numbers]
        chosen = places.index(self.chosen) if self.chosen in places else None
        states = tuple(self.states[place] for place in places)
        return Box(self.name, states, chosen, self.value, *cut)

    @property
    def numbers(self) -> tuple[str, ...] | None:
        """The shares as they are read."""
        return None if self.shares is None else tuple(map(probability, self.shares))


def show_monitors(
    key: str,
    boxes: Sequence[Box],
    on_click: Callable[[], None],
    *,
    large: bool = False,
    focus: tuple[str, int] = ("", 0),
) -> None:
    """Show the boxes; `on_click` finds what was clicked with `clicked(key)`.

    Parameters
    ----------
    key
        Name of the component in the page.
    boxes
        The variables, in order.
    on_click
        Called when a state is clicked.
    large
        One variable in large letters, over the whole width.
    focus
        A box to scroll to, and a number that changes when it is asked for.
    """
    data = {
        "boxes": [asdict(box) | {"numbers": box.numbers} for box in boxes],
        "large": large,
        "focus": focus[0],
        "asked": focus[1],
    }
    _component()(key=key, data=data, on_click_change=safely(on_click))


def clicked(key: str) -> tuple[str, int] | None:
    """Return the variable and the state that was clicked, in a callback; None if nothing was."""
    click = new_click(key, "click")
    return None if click is None else (str(click["name"]), int(click["state"]))


@st.cache_resource(show_spinner=False)
def _component() -> Any:
    return st.components.v2.component(
        "pgm_nb_monitors",
        html='<div class="monitors"></div>',
        css=_HERE.with_suffix(".css").read_text(encoding="utf-8"),
        js=_HERE.with_suffix(".js").read_text(encoding="utf-8"),
    )
