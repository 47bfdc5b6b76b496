"""What a click does, wrapped so that an error in it is a sentence on the page."""

import logging
import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any

import streamlit as st

from pgm_nb.errors import PgmNbError

__all__ = ["UNTAKEN", "apology", "new_click", "safely", "went_wrong"]

UNTAKEN = "What you chose could not be taken"  #: how the sentence begins that hides a traceback
LOG = logging.getLogger(__name__)
_SAID = "what went wrong in clicks"
_LAST = "when the last click was made"


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
