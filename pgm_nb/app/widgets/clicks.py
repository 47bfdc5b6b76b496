"""What a click does and says, and what a visitor sees when something goes wrong: a sentence."""

import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import streamlit as st

from pgm_nb.app.shell.work import Waiting
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.errors import PgmNbError

__all__ = [
    "UNEXPECTED",
    "UNTAKEN",
    "apology",
    "calmly",
    "new_click",
    "own_key",
    "safely",
    "said_by",
    "went_wrong",
]

UNTAKEN = "What you chose could not be taken"  #: how the sentence begins that hides a traceback
LOG = logging.getLogger(__name__)
_SAID = "what went wrong in clicks"
_LAST = "when the last click was made"
_TURNS = "how often the program changed a widget"
UNEXPECTED = "This part of the page could not be drawn"  #: how the sentence begins that hides a traceback


def safely(act: Callable[..., object]) -> Callable[..., None]:
    """Wrap what a click does: every ``on_click``, ``on_change`` and ``on_select`` of a widget.

    It runs before the page is drawn, so an error would leave nothing but Streamlit's own words. Now the page
    is drawn as far as it can be, with a sentence above it.
    """

    @wraps(act, assigned=())
    def acting(*args: object, **options: object) -> None:
        try:
            act(*args, **options)
        except PgmNbError as error:
            _remember(str(error))
        except Exception:
            LOG.exception("unexpected error %s", number := secrets.token_hex(3))
            _remember(apology(UNTAKEN, number))

    return acting


def new_click(key: str, event: str) -> dict[str, Any] | None:
    """Return what a component says was clicked, in a callback; None for nothing, or for a click taken before.

    A click may come twice: with a request for news of long work, and with its own. A click that sets a value
    and takes it back when repeated would then do nothing.
    """
    click: dict[str, Any] | None = st.session_state[key].get(event)
    taken: dict[tuple[str, str], Any] = st.session_state.setdefault(_LAST, {})
    if click is None or taken.get((key, event)) == click["at"]:
        return None
    taken[key, event] = click["at"]
    return click


def _remember(sentence: str) -> None:
    st.session_state[_SAID] = [*st.session_state.get(_SAID, ()), sentence]


def went_wrong() -> list[str]:
    """Return what has gone wrong in clicks since this was last asked."""
    said: list[str] = st.session_state.pop(_SAID, [])
    return said


def apology(beginning: str, number: str) -> str:
    """Say that the program made a mistake, and where to look for it."""
    return (
        f"{beginning}: the program made a mistake. Your table is unharmed, and other pages may work. "
        "Reload the page, or choose another model on the left. If it happens again, give whoever runs "
        f"this server the number {number}: its log says more."
    )


def own_key(name: str, value: Any) -> str:
    """Return the key of the widget `name`, which now says `value`.

    With every request the browser sends what all widgets say, as far as it has drawn them. If the program
    had just given one another value, the old one would look like a choice of the person, and undo what was
    done. So a widget that the program changes is a new widget; one that the person changes stays the same.
    """
    turns: dict[str, int] = st.session_state.setdefault(_TURNS, {})
    if name in turns and (_key(name) not in st.session_state or said_by(name) != value):
        turns[name] += 1
    turns.setdefault(name, 0)
    key = _key(name)
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return key


def said_by(name: str, otherwise: Any = None) -> Any:
    """Return what the widget `name` says, in its callback; `otherwise` if it is not shown."""
    return st.session_state.get(_key(name), otherwise)


def _key(name: str) -> str:
    turn = st.session_state.get(_TURNS, {}).get(name, 0)
    return f"{name}, {turn}" if turn else name


@contextmanager
def calmly() -> Iterator[None]:
    """Draw what is inside; say in one sentence why it cannot be drawn, and what to do.

    Our own errors say it themselves. Of any other the log of the server has the traceback, and the page a
    number by which it is found there. What went wrong in the click before stands above.
    """
    for sentence in went_wrong():
        st.error(literal(sentence))
    try:
        yield
    except PgmNbError as error:
        st.error(literal(str(error)))
    except Waiting:  # the page has a bar that will draw it anew
        pass
    except Exception:
        LOG.exception("unexpected error %s", number := secrets.token_hex(3))
        st.error(apology(UNEXPECTED, number))
