"""Widgets whose value the program sets: their keys, and what they say."""

from typing import Any

import streamlit as st

__all__ = ["own_key", "said_by"]

_TURNS = "how often the program changed a widget"


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
