"""What a person asks of the tree, shared by all pages: kept in the address, with undo and redo.

``require=age:pulse`` is a link that the tree must have, ``forbid=age:sex`` one that it must not have.
"""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from pgm_nb.app.shell.address import keep_texts, put_texts
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.errors import StructureError
from pgm_nb.learning.edits import Edits, link_text, read_link

__all__ = ["can_redo", "can_undo", "change_edits", "keep_edits", "redo", "undo"]

KEYS = {"require": Edits.require, "forbid": Edits.forbid}
_BEFORE, _AFTER = "edits before", "edits after"
_REMEMBERED = 50  # changes that can be undone
_State = dict[str, list[str]]


def keep_edits(names: Sequence[str], target: str) -> Edits:
    """Keep the wishes that this table can have; what contradicts those before is left out with a sentence."""
    edits = Edits()

    def takes(add: Callable[[Edits, str, str], Edits], text: str) -> bool:
        nonlocal edits
        link = read_link(text, names)
        if link is None:
            return False
        if edits.kind(*link):
            st.warning(literal(f"{link[0]} – {link[1]} was asked for twice; the first wish stands."))
            return False
        try:
            edits = add(edits, *link).checked(names, target)
        except StructureError as error:
            st.warning(literal(f"{link[0]} – {link[1]} was left out: {error}"))
            return False
        return True

    for key, add in KEYS.items():
        keep_texts(key, partial(takes, add))
    return edits


def change_edits(to: Edits, names: Sequence[str], target: str) -> None:
    """Put these wishes in force, from a callback.

    Raises
    ------
    StructureError
        If no tree meets them: then those before stand.
    """
    to.checked(names, target)
    now = _state()
    st.session_state.setdefault(_BEFORE, []).append(now)
    del st.session_state[_BEFORE][:-_REMEMBERED]
    st.session_state[_AFTER] = []
    _put(
        {
            "require": [link_text(*link) for link in to.required],
            "forbid": [link_text(*link) for link in to.forbidden],
        }
    )


def can_undo() -> bool:
    """Say whether there is a change to take back."""
    return bool(st.session_state.get(_BEFORE))


def can_redo() -> bool:
    """Say whether there is a change to make again."""
    return bool(st.session_state.get(_AFTER))


def undo() -> None:
    """Take the last change back, from a callback."""
    _move(_BEFORE, _AFTER)


def redo() -> None:
    """Make the change again that was taken back last, from a callback."""
    _move(_AFTER, _BEFORE)


def _move(source: str, target: str) -> None:
    if st.session_state.get(source):
        st.session_state.setdefault(target, []).append(_state())
        _put(st.session_state[source].pop())


def _state() -> _State:
    return {key: list(st.session_state.get(key, [])) for key in KEYS}


def _put(state: _State) -> None:
    for key, texts in state.items():
        put_texts(key, texts)
