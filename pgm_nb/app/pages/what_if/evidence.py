"""What is known about the case on the What-if page: one set of values, shared by all pages.

Kept in the address as ``given=age=64``. A value is a number, a word of the column, or ``missing`` for an
empty cell, never an interval: so it means the same after a change of the model or of the cut points.
"""

from collections.abc import Mapping, Sequence

import streamlit as st

from pgm_nb.app.shell.address import keep_texts, put_texts
from pgm_nb.explain.cases import CaseReader
from pgm_nb.explain.protocols import Value

__all__ = ["can_undo", "case", "change", "forget", "given", "keep_evidence", "known", "set_known", "undo"]

GIVEN, CASE = "given", "case"
_BEFORE = "evidence before"
_REMEMBERED = 50  # changes that can be undone


def keep_evidence(reader: CaseReader, n_rows: int) -> None:
    """Keep the evidence that this table can have, and the case it was taken from."""

    def is_case(text: str) -> bool:
        return text.isascii() and text.isdigit() and 1 <= int(text) <= n_rows

    keep_texts(GIVEN, lambda text: reader.read(text) is not None)
    keep_texts(CASE, is_case)


def given(reader: CaseReader) -> dict[str, str]:
    """Return what is known: attribute -> value as text, in the order it was set."""
    found: dict[str, str] = {}
    for text in st.session_state.get(GIVEN, []):
        read = reader.read(text)
        if read is not None:
            found[read[0]] = text[len(read[0]) + 1 :]
    return found


def known(reader: CaseReader) -> dict[str, Value | None]:
    """Return what is known as values: attribute -> number or word; None for an empty cell."""
    read = [reader.read(text) for text in st.session_state.get(GIVEN, [])]
    return dict(pair for pair in read if pair is not None)


def case() -> int | None:
    """Return the number of the case that was taken from the table last, if any."""
    numbers: Sequence[str] = st.session_state.get(CASE, [])
    return int(numbers[-1]) if numbers else None


def set_known(evidence: Mapping[str, str], row: int | None = None) -> None:
    """Put this evidence in force, from a callback; `row` is the case it comes from."""
    before: list[tuple[list[str], list[str]]] = st.session_state.setdefault(_BEFORE, [])
    now = (list(st.session_state.get(GIVEN, [])), list(st.session_state.get(CASE, [])))
    texts = [f"{name}={value}" for name, value in evidence.items()]
    if texts != now[0]:
        before.append(now)
        del before[:-_REMEMBERED]
    _put(texts, [] if row is None else [str(row)])


def change(reader: CaseReader, name: str, text: str | None) -> None:
    """Set one attribute to a value, or to unknown."""
    evidence = {other: value for other, value in given(reader).items() if other != name or text is not None}
    set_known(evidence if text is None else {**evidence, name: text}, case())


def forget() -> None:
    """Make everything unknown."""
    set_known({})


def can_undo() -> bool:
    """Say whether there is a change to take back."""
    return bool(st.session_state.get(_BEFORE))


def undo() -> None:
    """Take the last change back."""
    if can_undo():
        _put(*st.session_state[_BEFORE].pop())


def _put(texts: list[str], row: list[str]) -> None:
    put_texts(GIVEN, texts)
    put_texts(CASE, row)
