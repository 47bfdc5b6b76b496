"""Everything chosen lives in the page's address, so that a view can be shared and the Back button works.

A run of the page begins with `begin`, asks `keep` for every choice before its widget is shown, and ends with
`publish`. Only what differs from the default is written. A choice the page does not know (an old link, a
mistyped word, a column of another table) is ignored, and the default stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

__all__ = ["begin", "keep", "keep_several", "publish"]

_RUN = "address of the last run"


@dataclass
class _Run:
    """What one run of the page read and wrote."""

    adopting: bool  #: the address says what is chosen; else the widgets do
    seen: dict[str, object] = field(default_factory=dict)
    address: dict[str, list[str]] = field(default_factory=dict)


def begin() -> None:
    """Begin a run: the address is followed at the first one, and when it alone has changed (Back)."""
    last: _Run | None = st.session_state.get(_RUN)
    adopting = last is None or (
        _address() != last.address
        and all(st.session_state.get(key) == value for key, value in last.seen.items())
    )
    st.session_state[_RUN] = _Run(adopting)


def keep(key: str, options: Sequence[str] | Sequence[int], default: str | int | None) -> None:
    """Keep what is chosen under `key` if it is among the options, else fall back on the default.

    Numbers arrive from the address as text and are matched as text.
    """
    run: _Run = st.session_state[_RUN]
    chosen = st.query_params.get(key) if run.adopting else st.session_state.get(key)
    value = {str(option): option for option in options}.get(str(chosen), default)
    st.session_state[key] = run.seen[key] = value
    if value != default:
        run.address[key] = [str(value)]


def keep_several(key: str, options: Sequence[str]) -> None:
    """Keep those of the choices under `key` that are among the options."""
    run: _Run = st.session_state[_RUN]
    chosen = st.query_params.get_all(key) if run.adopting else st.session_state.get(key, [])
    value = [option for option in options if option in chosen]
    st.session_state[key] = run.seen[key] = value
    if value:
        run.address[key] = value


def publish() -> None:
    """Write the choices of this run into the address."""
    address = st.session_state[_RUN].address
    if _address() != address:
        st.query_params.from_dict(address)


def _address() -> dict[str, list[str]]:
    return {key: st.query_params.get_all(key) for key in st.query_params}
