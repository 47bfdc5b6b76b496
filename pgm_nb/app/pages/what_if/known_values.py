"""What is known about the case, and a row of the table to start from."""

from functools import partial

import streamlit as st

from pgm_nb.app.pages.what_if.case import Case
from pgm_nb.app.shell import evidence
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.own_key import own_key, said_by
from pgm_nb.explain.case_reader import CaseReader
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.protocols import Known
from pgm_nb.words import plural

__all__ = ["choose_row", "fact", "show_known"]

MANY = 6  # known values that are shown without scrolling


def show_known(case: Case, known: Known) -> None:
    """Show what is known; a click on a value removes it."""
    names = [*evidence.given(case.reader)]
    with st.container(height=250 if len(names) > MANY else "content", border=False):
        st.pills(
            "Known",
            names,
            key=own_key("known", names),
            selection_mode="multi",
            format_func=lambda name: "✕ " + literal(fact(case.analysis, known, name)),
            on_change=safely(partial(_take_back, case.reader)),
            help="What is known about the case; click a value to remove it.",
        )
    with st.container(horizontal=True):
        st.button(
            "Undo",
            on_click=safely(evidence.undo),
            disabled=not evidence.can_undo(),
            help="Undo the last change.",
        )
        st.button(
            "Reset", on_click=safely(evidence.forget), disabled=not names, help="Make everything unknown."
        )


def fact(analysis: CaseAnalysis, known: Known, name: str) -> str:
    """Write what is known of an attribute."""
    return analysis.fact(name, known[name]) if name in known else f"{name} (not used)"


def _take_back(reader: CaseReader) -> None:
    kept = set(said_by("known"))
    said = evidence.given(reader)
    evidence.set_known([text for name, text in said.items() if name in kept], evidence.case())


def choose_row(case: Case) -> None:
    """Let a row of the table be the case, and show what class it has there."""
    if case.rows is None:
        return
    row = evidence.case()
    st.number_input(
        "Use a case from the table",
        min_value=1,
        max_value=len(case.frame),
        value=None,
        step=1,
        key=own_key("row", row),
        placeholder=f"row 1 to {len(case.frame):,}",
        on_change=safely(partial(_take_case, case)),
        help="Fills in all values of that row; the first row below the column names is row 1.",
    )
    with st.container():
        _show_truth(case, row)


def _show_truth(case: Case, row: int | None) -> None:
    if row is not None:
        cells = case.reader.row(case.frame.iloc[row - 1].to_dict())
        now = evidence.known(case.reader)
        changed = sum(
            name not in now or case.reader.value(name, cells[name]) != (now[name],)
            for name in case.analysis.attributes
        )
        truth = f"In the table, row {row:,} is {bold(str(case.frame[case.target].iloc[row - 1]))}"
        st.markdown(f"{truth}." if not changed else f"{truth}; {plural(changed, 'value')} changed since.")


def _take_case(case: Case) -> None:
    row = said_by("row")
    if row is not None:
        cells = case.reader.row(case.frame.iloc[row - 1].to_dict())
        evidence.take_row({name: cells[name] for name in case.analysis.attributes}, row)
