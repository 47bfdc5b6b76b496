"""What is known about a case: one set of values, shared by all pages.

Kept in the address as ``given=age=64``; other evidence as ``given=age=40..50`` or ``given=colour!=red``. In a
name or value that holds such a mark it has a backslash before it. A
value is a number, a word of the column, or ``missing`` for an empty cell, never an interval of the model: so
it means the same after a change of the model or of the cut points.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pgm_nb.app.shell.address import keep_texts, put_texts
from pgm_nb.engine.evidence import Evidence, plain_text
from pgm_nb.explain.case_values import CaseReader
from pgm_nb.explain.protocols import Value

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "can_undo",
    "case",
    "change",
    "forget",
    "given",
    "keep_evidence",
    "keep_shared",
    "known",
    "reader_of",
    "set_known",
    "take_row",
    "undo",
]

GIVEN, CASE = "given", "case"
_BEFORE = "evidence before"
_REMEMBERED = 50  # changes that can be undone


def keep_shared(digest: str, target: str, frame: "pd.DataFrame") -> None:
    """Keep what is known on every page, also on those that do not show it."""
    if st.query_params.get_all(GIVEN) or st.session_state.get(GIVEN):
        keep_evidence(reader_of(digest, target, frame), len(frame))


@st.cache_resource(max_entries=8, show_spinner=False)
def reader_of(digest: str, target: str, _frame: "pd.DataFrame") -> CaseReader:
    """Return what reads the values of a table."""
    return CaseReader.of(_frame, target)


def keep_evidence(reader: CaseReader, n_rows: int) -> None:
    """Keep the evidence that this table can have, and the case it was taken from."""

    def is_case(text: str) -> bool:
        return text.isascii() and text.isdigit() and 1 <= int(text) <= n_rows

    keep_texts(GIVEN, lambda text: reader.read(text) is not None)
    keep_texts(CASE, is_case)


def given(reader: CaseReader) -> dict[str, str]:
    """Return what is known: attribute -> text such as ``age=64``, in the order it was set."""
    found: dict[str, str] = {}
    for text in st.session_state.get(GIVEN, []):
        read = reader.read(text)
        if read is not None:
            found[read[0]] = text
    return found


def known(reader: CaseReader) -> dict[str, Value | Evidence | None]:
    """Return what is known: attribute -> number, word or other evidence; None for an empty cell."""
    read = [reader.read(text) for text in st.session_state.get(GIVEN, [])]
    return dict(pair for pair in read if pair is not None)


def case() -> int | None:
    """Return the number of the case that was taken from the table last, if any."""
    numbers: Sequence[str] = st.session_state.get(CASE, [])
    return int(numbers[-1]) if numbers else None


def take_row(cells: Mapping[str, str], row: int) -> None:
    """Put the values of a row of the table in force, from a callback."""
    set_known([plain_text(name, text) for name, text in cells.items()], row)


def set_known(texts: Iterable[str], row: int | None = None) -> None:
    """Put this evidence in force, from a callback; `row` is the case it comes from."""
    before: list[tuple[list[str], list[str]]] = st.session_state.setdefault(_BEFORE, [])
    now = (list(st.session_state.get(GIVEN, [])), list(st.session_state.get(CASE, [])))
    said = list(texts)
    if said != now[0]:
        before.append(now)
        del before[:-_REMEMBERED]
    _put(said, [] if row is None else [str(row)])


def change(reader: CaseReader, name: str, to: str | Evidence | None) -> None:
    """Set one attribute to a value as text, to other evidence, or to unknown."""
    said = given(reader)
    if to is None:
        said.pop(name, None)
    else:
        said[name] = to.written(name) if isinstance(to, Evidence) else plain_text(name, to)
    set_known(said.values(), case())


def forget() -> None:
    """Make everything unknown."""
    set_known([])


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
