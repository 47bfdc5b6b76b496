"""Questions that were answered with "it is a value": they are not asked again in this visit."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pgm_nb.app.shell.sources import Source
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.data.repairs import Proposal
from pgm_nb.words import plural

__all__ = ["keep_button", "offer_again", "set_aside"]

_ASIDE = "questions set aside"  # pairs of a table and a column


def set_aside(source: Source, found: Sequence[Proposal]) -> list[Proposal]:
    """Return the proposals about a table that were set aside."""
    pairs: set[tuple[str, str]] = st.session_state.get(_ASIDE, set())
    return [one for one in found if one.kind == "not measured" and (_table(source), one.column) in pairs]


def keep_button(source: Source, proposal: Proposal, number: int) -> None:
    """Let the user answer that a mark is a value like the others."""
    st.button(
        "Keep it",
        key=f"keep {number} {proposal.column}",
        on_click=safely(partial(_put, source, proposal.column)),
        type="tertiary",
        help="It is a value like the others: nothing changes, and the question is not asked again.",
    )


def offer_again(source: Source, aside: Sequence[Proposal]) -> None:
    """Offer the questions that were set aside once more."""
    if aside:
        st.button(
            f"Ask again about {plural(len(aside), 'column')} whose values you kept",
            key="ask again",
            on_click=safely(partial(_forget, source)),
            type="tertiary",
            icon=":material/undo:",
        )


def _table(source: Source) -> str:
    return source.before or source.digest


def _put(source: Source, column: str) -> None:
    st.session_state[_ASIDE] = {*st.session_state.get(_ASIDE, ()), (_table(source), column)}


def _forget(source: Source) -> None:
    kept = st.session_state.get(_ASIDE, set())
    st.session_state[_ASIDE] = {pair for pair in kept if pair[0] != _table(source)}
