"""Everything chosen lives in the page's address, so that a view can be shared and the Back button works.

A run of a page begins with `begin`, asks `keep` for every choice before its widget is shown, and ends with
`publish`. A fragment runs without them: there the callbacks of widgets, `follow` and `put`, write the address
at once. Only what differs from the default is written. A choice the page does not know (an old link, a
mistyped word, a column of another table) is ignored, and the default stands. What was chosen on one page is
remembered while another one is shown. An address that names a table which is not here is left as it is
(`leave_unread`), so that its choices apply once the table has come. A project that is opened says what is
chosen on every page (`open_choices`), and `all_choices` is what it is saved with.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

__all__ = [
    "all_choices",
    "ask",
    "asked",
    "begin",
    "current",
    "follow",
    "keep",
    "keep_several",
    "keep_texts",
    "leave_unread",
    "note",
    "open_choices",
    "publish",
    "put",
    "put_texts",
    "stand",
    "stay",
    "waited",
]

_RUN = "address of this run"
_LAST = "address of the last run"  # that came to its end: a run may be cut short by the next one
_UNREAD = "address that waits for its table"
_ARRIVED = "pages to which the menu has led"  # without choices in their address
_MEMORY = "choices of all pages"
_USUAL = "defaults in force when choices were last shown"
_WRITTEN = "choices of all pages as the address says them"
_OPENED = "choices of an opened project"  # that no page has asked for yet
_STAYS = "the next run is the program's own"


@dataclass
class _Run:
    """What one run of the page read and wrote."""

    page: str
    adopting: bool  #: the address says what is chosen; else the widgets do
    waited: bool = False  #: the run before left the address unread
    standing: dict[str, list[str]] | None = None  #: choices for which the empty address of the menu stands
    values: dict[str, object] = field(default_factory=dict)
    address: dict[str, list[str]] = field(default_factory=dict)


def begin(page: str = "") -> None:
    """Begin a run: the address is followed at the first one, and when it alone has changed (Back).

    The menu leads to a page without any choices in its address: then those made before stand, also when Back
    leads to that address again. It is then left empty, or the next Back would lead there once more.
    """
    last: _Run | None = st.session_state.get(_LAST)
    unread: dict[str, list[str]] | None = st.session_state.pop(_UNREAD, None)
    address = current()
    arrived: set[str] = st.session_state.setdefault(_ARRIVED, set())
    standing = None
    if unread is not None:
        adopting = True
        if not address:  # another page was opened from the menu
            st.query_params.from_dict(unread)
    elif last is not None and not address and page == last.page and page in arrived:
        adopting, standing = False, dict(last.address)
    elif last is not None:
        if not address and page != last.page:
            arrived.add(page)
        changed = address != last.address and (bool(address) or page == last.page)
        adopting = changed and _untouched(last)
    else:  # the first run, or the first one was cut short
        first: _Run | None = st.session_state.get(_RUN)
        adopting = first is None or (bool(address) and _untouched(first))
    if st.session_state.pop(_STAYS, False) and last is not None:
        adopting = False
    st.session_state[_RUN] = _Run(page, adopting, unread is not None, standing)
    st.session_state.setdefault(_MEMORY, {})


def leave_unread() -> None:
    """End a run without a table, in place of `publish`: the next run follows the address as it stands."""
    st.session_state[_UNREAD] = current()


def stand() -> None:
    """Let the choices stand also when Back leads to this page with an empty address, as after the menu."""
    st.session_state[_ARRIVED].add(st.session_state[_RUN].page)


def stay() -> None:
    """Keep what is chosen in the next run, which the program asks for itself.

    The browser asks for news of long work time and again, and says its address as it was a moment ago: what
    was chosen meanwhile would be undone if that were followed.
    """
    st.session_state[_STAYS] = True


def waited() -> bool:
    """Say whether the run before left the address unread."""
    run: _Run = st.session_state[_RUN]
    return run.waited


def asked(key: str) -> str | None:
    """Return what an opened project or the address asks for under `key`, if this run follows it."""
    run: _Run = st.session_state[_RUN]
    opened = st.session_state.get(_OPENED, {}).get(key)
    if opened:
        return str(opened[-1])
    return st.query_params.get(key) if run.adopting else None


def ask(key: str, text: str) -> None:
    """Put a choice in the place of one that the address or an opened project asks for in vain."""
    st.session_state.get(_OPENED, {}).pop(key, None)
    st.query_params[key] = text


def open_choices(choices: Mapping[str, Sequence[str]]) -> None:
    """Follow the choices of a project on all pages, in place of all that were made; from a callback."""
    for key in st.session_state.get(_MEMORY, {}):
        st.session_state.pop(key, None)
    for kept in (_MEMORY, _WRITTEN, _USUAL):
        st.session_state[kept] = {}
    st.session_state.pop(_LAST, None)
    st.session_state[_OPENED] = {key: list(texts) for key, texts in choices.items() if texts}
    st.query_params.from_dict(st.session_state[_OPENED])


def all_choices() -> dict[str, list[str]]:
    """Return what was chosen on all pages, as an address would say it; the defaults are left out."""
    run: _Run = st.session_state[_RUN]
    kept: dict[str, list[str]] = st.session_state.get(_OPENED, {}) | st.session_state.get(_WRITTEN, {})
    return {key: list(texts) for key, texts in (kept | run.address).items() if texts}


def _opened(key: str) -> list[str] | None:
    """Take what an opened project says under `key`, once."""
    said: list[str] | None = st.session_state.get(_OPENED, {}).pop(key, None)
    return said


def note(key: str, text: str) -> None:
    """Write a text into the address that no widget says."""
    run: _Run = st.session_state[_RUN]
    run.address[key] = [text]


def _untouched(run: _Run) -> bool:
    """Say whether the widgets still say what they said in a run."""
    return all(st.session_state.get(key) == value for key, value in run.values.items())


def keep(key: str, options: Sequence[str] | Sequence[int], default: str | int | None) -> None:
    """Keep what is chosen under `key` if it is among the options, else fall back on the default.

    Numbers arrive from the address as text and are matched as text. The default may depend on another
    choice, such as that of the model: what stood at the former default then moves to the present one.
    """
    run: _Run = st.session_state[_RUN]
    opened = _opened(key)
    chosen = st.query_params.get(key) if run.adopting else _remembered(key)
    chosen = opened[-1] if opened else chosen
    usual = st.session_state.setdefault(_USUAL, {})
    if not run.adopting and usual.get(key, default) != default and chosen == usual[key]:
        chosen = default
    usual[key] = default
    value = {str(option): option for option in options}.get(str(chosen), default)
    _remember(key, value, [] if value == default else [str(value)])


def keep_several(key: str, options: Sequence[str], default: Sequence[str] = ()) -> None:
    """Keep those of the choices under `key` that are among the options; nothing said means the default.

    None of them, where the default is some, is written as an empty word. What stood at the former default
    moves to the present one.
    """
    run: _Run = st.session_state[_RUN]
    said = _opened(key)
    if said is None:
        said = st.query_params.get_all(key) or None if run.adopting else _remembered(key)
        former = st.session_state.setdefault(_USUAL, {}).get(key)
        if not run.adopting and said is not None and said == former:
            said = None
    chosen = default if said is None else said
    value = [option for option in options if option in chosen]
    usual = [option for option in options if option in default]
    st.session_state[_USUAL][key] = usual
    _remember(key, value, [] if value == usual else value or [""])


def keep_texts(key: str, valid: Callable[[str], bool]) -> list[str]:
    """Keep those of the texts under `key` that are valid; there need be no widget of that name.

    Returns
    -------
    list of str
        What is kept; `st.session_state[key]` may be set to another list before the next run.
    """
    run: _Run = st.session_state[_RUN]
    chosen = _opened(key)
    if chosen is None:
        chosen = st.query_params.get_all(key) if run.adopting else _remembered(key) or []
    value = [text for text in chosen if valid(text)]
    _remember(key, value, value)
    return value


def put(key: str, value: Any) -> None:
    """Change what `keep` or `keep_several` keeps, from a callback, and the address with it."""
    run: _Run = st.session_state[_RUN]
    run.address.pop(key, None)
    usual = st.session_state[_USUAL].get(key)
    texts = [str(each) for each in value] if isinstance(value, list) else [str(value)]
    _remember(key, value, [] if value == usual or value is None else texts)
    publish()


def follow(key: str) -> None:
    """Write what a widget says into the address at once: the callback of a widget in a fragment."""
    put(key, st.session_state[key])


def put_texts(key: str, texts: Sequence[str]) -> None:
    """Change kept texts from a callback, and the address with them: a fragment runs without `publish`."""
    run: _Run = st.session_state[_RUN]
    run.address.pop(key, None)
    _remember(key, list(texts), list(texts))
    publish()


def _remembered(key: str) -> Any:
    """Return what the widget says, or what was chosen when it was last shown."""
    return st.session_state.get(key, st.session_state[_MEMORY].get(key))


def _remember(key: str, value: object, address: list[str]) -> None:
    run: _Run = st.session_state[_RUN]
    st.session_state[key] = st.session_state[_MEMORY][key] = run.values[key] = value
    st.session_state.setdefault(_WRITTEN, {})[key] = address
    if address:
        run.address[key] = address


def publish() -> None:
    """Write the choices of this run into the address."""
    run: _Run = st.session_state[_RUN]
    address = current()
    if address != run.address and (address or run.address != run.standing):
        st.query_params.from_dict(run.address)
    st.session_state[_LAST] = run


def current() -> dict[str, list[str]]:
    """Return the choices that the address now says."""
    return {key: st.query_params.get_all(key) for key in st.query_params}
