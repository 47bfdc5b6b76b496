"""What a person asks of the tree, shared by all pages: kept in the address, with undo and redo.

``require=age:pulse`` is a link that the tree must have, ``forbid=age:sex`` one that it must not have. In a
tree drawn by hand ``tree=age:pulse`` says that a mother of age is pulse.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from pgm_nb.app.shell.address import keep_texts, put_texts
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.errors import StructureError
from pgm_nb.learning.by_hand import Edits, Families, link_text, read_link, with_mothers

__all__ = ["can_redo", "can_undo", "change_edits", "change_tree", "keep_edits", "keep_tree", "redo", "undo"]

KEYS = {"require": Edits.require, "forbid": Edits.forbid}
TREE = "tree"
_BEFORE, _AFTER = "edits before", "edits after"
_REMEMBERED = 50  # changes that can be undone
_State = dict[str, list[str]]


def keep_edits(names: Sequence[str], target: str, mothers: int = 1) -> Edits:
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
            edits = add(edits, *link).checked(names, target, mothers)
        except StructureError as error:
            st.warning(literal(f"{link[0]} – {link[1]} was left out: {error}"))
            return False
        return True

    for key, add in KEYS.items():
        keep_texts(key, partial(takes, add))
    return edits


def keep_tree(names: Sequence[str]) -> Families:
    """Keep the mothers that were drawn by hand, as far as this table has them and they close no circle.

    Two lines about one attribute are two mothers; they are read once all first ones are there.
    """
    families: Families = {}
    second: list[str] = []

    def takes(text: str) -> bool:
        nonlocal families
        link = read_link(text, names)
        if link is None or len(families.get(link[0], ())) == 2 or link[1] in families.get(link[0], ()):
            return False
        child, mother = link
        if child in families:
            second.append(text)
            return True
        try:
            families = with_mothers(families, child, (mother,))
        except StructureError as error:
            st.warning(literal(f"{child} is left without a mother: {error}."))
            return False
        return True

    keep_texts(TREE, takes)
    refused = []
    while second:  # a pair may need the link of another pair first
        taken = [text for text in second if _second(families, text, names) is not None]
        if not taken:
            refused = second
            break
        families = _second(families, taken[0], names) or families
        second.remove(taken[0])
    for text in refused:
        child, mother = read_link(text, names) or (text, "")
        st.warning(literal(f"{mother} is no second mother of {child}: the two mothers need a link."))
    return families


def _second(families: Families, text: str, names: Sequence[str]) -> Families | None:
    """Return the draft with a second mother, if she can be one."""
    link = read_link(text, names)
    if link is None:
        return None
    try:
        return with_mothers(families, link[0], (*families[link[0]], link[1]))
    except StructureError:
        return None


def change_tree(families: Mapping[str, Sequence[str]]) -> None:
    """Put another draft of a tree in force, from a callback."""
    _remember()
    put_texts(TREE, [link_text(child, mother) for child, its in families.items() for mother in its])


def change_edits(to: Edits, names: Sequence[str], target: str, mothers: int = 1) -> None:
    """Put these wishes in force, from a callback.

    Raises
    ------
    StructureError
        If no tree with so many mothers each meets them: then those before stand.
    """
    to.checked(names, target, mothers)
    _remember()
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


def _remember() -> None:
    """Note what is in force, before it changes."""
    st.session_state.setdefault(_BEFORE, []).append(_state())
    del st.session_state[_BEFORE][:-_REMEMBERED]
    st.session_state[_AFTER] = []


def _state() -> _State:
    return {key: list(st.session_state.get(key, [])) for key in (*KEYS, TREE)}


def _put(state: _State) -> None:
    for key, texts in state.items():
        put_texts(key, texts)
