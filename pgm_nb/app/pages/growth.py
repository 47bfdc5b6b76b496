"""The Growth page: how the model was learned, step by step, as a player and as files."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import Settings, in_shares, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import Progress, work
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.player import show_player

if TYPE_CHECKING:
    from pgm_nb.explain.growth import Growth
    from pgm_nb.views.player.page import Play

__all__ = ["show"]

MANY = 60  # attributes up to which all steps are drawn without asking
MOST = 200  # attributes that a picture can hold
ANIMATIONS = {  # ending -> (title, help)
    "gif": ("GIF", "An animation for slides and messages that plays everywhere."),
    "webp": ("WebP", "The same animation, smaller and sharper, for web pages."),
}
SPEEDS = ("0.5", "1", "2", "4")
NOT_GROWN = (
    "This model is not learned step by step: it looks at the rows anew for every case. The attributes appear "
    "in the order of their information about the class."
)


def show(screen: Screen) -> None:
    """Show the page."""
    fitted = screen.fitted
    most = _choose_part(fitted.model)
    view = _choose_view(fitted.model, rows=screen.has_table)
    theme = "dark" if st.context.theme.type == "dark" else "light"
    play = _play(fitted.key, view, most, theme, screen.scale is None, screen)
    st.markdown(literal(play["introduction"] if fitted.model.about.grows_by else NOT_GROWN))
    keep("step", range(1, len(play["steps"]) + 1), 1)
    name = str(hash((fitted.key, view, most, theme, screen.scale is None)))
    keep("speed", [*SPEEDS], "1")
    show_player(
        play,
        name,
        st.session_state["step"],
        dark=theme == "dark",
        on_step=_go_to,
        speed=float(st.session_state["speed"]),
        on_speed=_hurry,
    )
    _downloads(screen, view, most)


def _go_to(step: int) -> None:
    st.session_state["step"] = step


def _hurry(speed: float) -> None:
    st.session_state["speed"] = f"{speed:g}"


def _choose_part(model: Any) -> int:
    """Let the user choose how many steps of a large structure are shown."""
    n_attributes = len(model.attribute_names_)
    if n_attributes <= MANY or model.about.grows_by == "round":
        return n_attributes
    most = min(n_attributes, MOST)
    keep("shown", range(2, most + 1), MANY)
    return st.slider(
        f"Attributes in the picture, of {n_attributes:,}",
        2,
        most,
        key="shown",
        help="Those that joined first come first.",
    )


def _choose_view(model: Any, *, rows: bool) -> str:
    from pgm_nb.explain.growth import growth_views

    views = growth_views(model, rows=rows)
    if len(views) == 1:
        return views[0]
    keep("growing", views, views[0])
    return st.radio(
        "View",
        views,
        key="growing",
        format_func=partial(_title, model),
        horizontal=True,
        label_visibility="collapsed",
    )


def _title(model: Any, view: str) -> str:
    """Return the title of a view; one that shows growth alone goes by its name."""
    about = model.structure_.about
    return str(about[view].title) if view in about else view.capitalize()


@st.cache_data(max_entries=64, show_spinner="Retracing the steps …")
def _play(
    key: tuple[str, Settings], view: str, most: int, theme: str, numbers: bool, _screen: Screen
) -> "Play":
    return _growth(_screen, view, most).play(theme)


def _growth(screen: Screen, view: str, most: int) -> "Growth":
    from pgm_nb.explain.growth import growth

    X, y = training_rows(screen.frame, screen.settings) if screen.has_table else (None, None)
    return growth(in_shares(screen.fitted.model, screen.scale), view, X=X, y=y, most=most)


def _downloads(screen: Screen, view: str, most: int) -> None:
    st.markdown("#### Downloads")
    with st.container(horizontal=True):
        for ending in ANIMATIONS:
            _animation(screen, view, most, ending)
        _button(
            "HTML",
            lambda: _growth(screen, view, most).to_html().encode(),
            _file(screen, "html"),
            "text/html",
            "This player as one page that works without the internet.",
        )


def _animation(screen: Screen, view: str, most: int, ending: str) -> None:
    """Offer to make an animation, show how far that is, and then the file."""
    title, help = ANIMATIONS[ending]
    key = (*screen.fitted.key, view, most, ending)
    wanted = st.session_state.setdefault("animations", {})  # ending -> the animation that was asked for
    if wanted.get(ending) != key:
        if st.button(f"Make {title}", key=f"make {ending}", help=help):
            wanted[ending] = key
            st.rerun()
        return
    found = _growth(screen, view, most)

    def make(progress: Progress) -> bytes:
        return found.animation(ending, progress=progress)

    made = work(key, make, label=f"Drawing the {title}")
    if made is not None:
        _button(title, made, _file(screen, ending), f"image/{ending}", help)


def _file(screen: Screen, ending: str) -> str:
    return f"{screen.fitted.model.about.short_name}-growth.{ending}"


def _button(title: str, content: bytes | Callable[[], bytes], file_name: str, kind: str, help: str) -> None:
    st.download_button(
        title, content, file_name=file_name, mime=kind, key=f"download {title}", help=help, on_click="ignore"
    )
