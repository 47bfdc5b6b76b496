"""The player of a growth as a part of a page: the same script and style as in the page that works offline."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pgm_nb.app.widgets.clicks import safely
from pgm_nb.views.player.page import Play, player_script, player_style

__all__ = ["show_player"]

_JOINT = (Path(__file__).parent / "joint.js").read_text(encoding="utf-8")
_player = st.components.v2.component(
    "pgm_nb_player", css=player_style(), js=f"{player_script()}\n{_JOINT}", html='<div class="root"></div>'
)


def show_player(
    play: Play,
    name: str,
    step: int,
    *,
    dark: bool,
    on_step: Callable[[int], None],
    speed: float = 1.0,
    on_speed: Callable[[float], None] = lambda factor: None,
) -> None:
    """Show the player at a step; `on_step` hears of every step at which it comes to rest.

    Parameters
    ----------
    play : Play
        All that it shows.
    name : str
        Names the content: the player starts anew when it changes, and only then.
    step : int
        Where the cursor is, from 1 on.
    dark : bool
        Whether the page is dark.
    on_step : callable
        Called with the step before the page runs again.
    speed : float
        How fast it plays; 1 is usual.
    on_speed : callable
        Called with the speed when another one is chosen.
    """
    key = "player"

    def moved() -> None:
        state: Any = st.session_state[key]
        on_step(int(state["step"]))

    def hurried() -> None:
        state: Any = st.session_state[key]
        on_speed(float(state["speed"]))

    _player(
        key=key,
        data={"play": play, "name": name, "step": step, "dark": dark, "speed": speed},
        on_step_change=safely(moved),
        on_speed_change=safely(hurried),
    )
