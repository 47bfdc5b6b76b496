"""What is known about the case: the values, a row of the table to start from, and one value set by typing."""

from functools import partial

import streamlit as st

from pgm_nb.app.pages.what_if import evidence
from pgm_nb.app.pages.what_if.case import Case
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.explain.cases import CaseAnalysis, CaseReader, number_text
from pgm_nb.explain.protocols import Value
from pgm_nb.words import plural

__all__ = ["choose_row", "fact", "set_one", "show_known"]

MANY = 6  # known values that are shown without scrolling
UNKNOWN = "unknown"


def show_known(case: Case, known: dict[str, Value | None]) -> None:
    """Show what is known; a click on a value removes it."""
    names = [*evidence.given(case.reader)]
    st.session_state["known"] = names
    with st.container(height=250 if len(names) > MANY else "content", border=False):
        st.pills(
            "Known",
            names,
            key="known",
            selection_mode="multi",
            format_func=lambda name: "✕ " + literal(fact(case.analysis, known, name)),
            on_change=partial(_take_back, case.reader),
            help="What is known about the case; click a value to remove it.",
        )
    with st.container(horizontal=True):
        st.button(
            "Undo",
            on_click=evidence.undo,
            disabled=not evidence.can_undo(),
            help="Undo the last change.",
        )
        st.button("Reset", on_click=evidence.forget, disabled=not names, help="Make everything unknown.")


def fact(analysis: CaseAnalysis, known: dict[str, Value | None], name: str) -> str:
    """Write what is known of an attribute."""
    return analysis.fact(name, known[name]) if name in known else f"{name} (not used)"


def _take_back(reader: CaseReader) -> None:
    kept = set(st.session_state["known"])
    evidence.set_known(
        {name: text for name, text in evidence.given(reader).items() if name in kept}, evidence.case()
    )


def choose_row(case: Case) -> None:
    """Let a row of the table be the case, and show what class it has there."""
    row = evidence.case()
    st.session_state["row"] = row
    st.number_input(
        "Use a case from the table",
        min_value=1,
        max_value=len(case.frame),
        value=None,
        step=1,
        key="row",
        placeholder=f"row 1 to {len(case.frame):,}",
        on_change=partial(_take_case, case),
        help="Fills in all values of that row; the first row below the column names is row 1.",
    )
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
    row = st.session_state["row"]
    if row is not None:
        cells = case.reader.row(case.frame.iloc[row - 1].to_dict())
        evidence.set_known({name: cells[name] for name in case.analysis.attributes}, row)


def set_one(case: Case) -> None:
    """Set one attribute by typing."""
    chosen, entry = st.columns(2)
    name = chosen.selectbox(
        "Attribute",
        [*case.analysis.attributes],
        key="attribute",
        help="Type to search; the most important attributes come first.",
    )
    text = evidence.given(case.reader).get(name)
    key = f"value of {name}"
    change = partial(_type_in, case.reader, name, key)
    if case.analysis.attributes[name].is_number:
        found = None if text is None else case.reader.value(name, text)
        st.session_state[key] = found[0] if found else None
        entry.number_input(
            "Value", value=None, key=key, placeholder=UNKNOWN, on_change=change, format="%0.6g", step=None
        )
    else:
        options = list(dict.fromkeys(case.analysis.attributes[name].texts))
        st.session_state[key] = text if text in options else None
        entry.selectbox("Value", options, index=None, key=key, placeholder=UNKNOWN, on_change=change)


def _type_in(reader: CaseReader, name: str, key: str) -> None:
    value = st.session_state[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = number_text(float(value))
    evidence.change(reader, name, value)
