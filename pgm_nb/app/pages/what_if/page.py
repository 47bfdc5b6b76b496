"""The What-if page: set what is known about a case, see what follows, and why."""

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.what_if import evidence
from pgm_nb.app.pages.what_if.measure_next import show_next
from pgm_nb.app.pages.what_if.reasons import show_nomogram, show_why
from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.monitors import Box, clicked, show_monitors
from pgm_nb.explain.cases import CaseAnalysis, CaseAttribute, CasePosterior, CaseReader, number_text
from pgm_nb.explain.protocols import Value
from pgm_nb.words import class_name, listed, plural, probability

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["show"]

MOST_BOXES = 120  # attributes that get a box; all others are reached by the picker
MANY = 6  # known values that are shown without scrolling
PAUSE = 0.1  # seconds in which the browser draws the probabilities, before it gets the charts below
UNKNOWN = "unknown"


@dataclass(frozen=True, eq=False)
class _Case:
    """What one run of the page looks at."""

    analysis: CaseAnalysis
    reader: CaseReader
    frame: "pd.DataFrame"
    target: str

    @property
    def known(self) -> dict[str, Value | None]:
        """The evidence that the model takes in."""
        return self.analysis.usable(evidence.known(self.reader))


def show(screen: Screen) -> None:
    """Show the page."""
    settings = screen.settings
    reader = _reader(screen.source.digest, settings.target, screen.frame)
    analysis = _analysis(screen.source.digest, settings, screen.fitted.model, screen.frame)
    evidence.keep_evidence(reader, len(screen.frame))
    keep("attribute", [*analysis.attributes], next(iter(analysis.attributes)))
    keep("explained", list(analysis.classes), None)
    keep("rather", list(analysis.classes), None)
    _board(_Case(analysis, reader, screen.frame, settings.target))


@st.cache_resource(max_entries=8, show_spinner=False)
def _reader(digest: str, target: str, _frame: "pd.DataFrame") -> CaseReader:
    return CaseReader.of(_frame, target)


@st.cache_resource(max_entries=32, show_spinner=False)
def _analysis(digest: str, settings: Settings, _model: Any, _frame: "pd.DataFrame") -> CaseAnalysis:
    return CaseAnalysis.of(_model, training_rows(_frame, settings)[0])


@st.fragment
def _board(case: _Case) -> None:
    """Everything that follows from the evidence; a click runs this part of the page alone."""
    known = case.known
    posterior, before = case.analysis.posterior(known), case.analysis.posterior({})
    st.markdown(_headline(case, known, posterior))
    for remark in _remarks(case, known):
        st.warning(remark)
    left, right = st.columns([5, 11], gap="medium")
    with left:
        _class_panel(case, known, posterior, before)
        _known_panel(case, known)
        _case_panel(case)
        show_next(case.analysis, known)
    with right:
        _picker(case)
        _monitors(case, known, posterior, before)
    if known:
        time.sleep(PAUSE)
    show_why(case.analysis, known, posterior)
    show_nomogram(case.analysis, known, posterior)


def _headline(case: _Case, known: dict[str, Value | None], posterior: CasePosterior) -> str:
    """Say the answer in one sentence."""
    best = int(posterior.classes.argmax())
    chances = [probability(share) for share in posterior.classes]
    says = f"{bold(case.analysis.classes[best])} has a probability of **{chances[best]}**"
    if len(set(chances)) == 1:
        says = f"all {len(chances)} classes are equally likely (**{chances[best]}**)"
    if not known:
        return f"Nothing is known yet: {says}. Click a value to see what follows from it."
    total = len(case.analysis.attributes)
    return f"With {len(known)} of {plural(total, 'attribute')} known, {says}."


def _remarks(case: _Case, known: dict[str, Value | None]) -> list[str]:
    """Say what is unusual about the evidence."""
    analysis, remarks = case.analysis, []
    left_out = [name for name in evidence.given(case.reader) if name not in known]
    if left_out:
        remarks.append(
            f"This model cannot use the value of {literal(listed(left_out))}; it counts as unknown."
        )
    if analysis.is_impossible(known):
        remarks.append(
            "These values are far from those of every class, so the probabilities only show how common the "
            "classes are. Check the numbers."
        )
    conflict = analysis.conflict(known)
    if conflict is not None:
        times, odd = conflict
        often = f"about {times:,.0f} times" if times < 1e6 else "more than a million times"
        remarks.append(
            f"These values hardly go together: their combination is {often} rarer than it would be if they "
            f"were independent. {bold(odd)} fits least with the rest; is it right?"
        )
    return remarks


def _class_panel(
    case: _Case, known: dict[str, Value | None], posterior: CasePosterior, before: CasePosterior
) -> None:
    analysis = case.analysis
    st.markdown(
        f"**How likely is each value of {literal(class_name(case.target))}?**",
        help="The thin line marks the probability before anything was known. Click a class to see below what "
        "speaks for it.",
    )
    explained = st.session_state.get("explained")
    chosen = analysis.classes.index(explained) if explained in analysis.classes else None
    box = Box(analysis.target, analysis.classes, chosen, "", tuple(posterior.classes), tuple(before.classes))
    show_monitors("classes", [box], partial(_explain_class, analysis), large=True)
    st.code(_formula(analysis, known, posterior), language=None, wrap_lines=True)


def _explain_class(analysis: CaseAnalysis) -> None:
    click = clicked("classes")
    if click is not None:
        label = analysis.classes[click[1]]
        st.session_state["explained"] = None if st.session_state.get("explained") == label else label
        st.session_state["rather"] = None


def _formula(analysis: CaseAnalysis, known: dict[str, Value | None], posterior: CasePosterior) -> str:
    """Write the answer as a formula to copy."""
    best = int(posterior.classes.argmax())
    facts = ", ".join(_fact(analysis, known, name) for name in known)
    event = f"{analysis.target} = {analysis.classes[best]}"
    return f"P({event}{' | ' if facts else ''}{facts}) = {probability(posterior.classes[best])}"


def _known_panel(case: _Case, known: dict[str, Value | None]) -> None:
    """Show what is known; a click on a value removes it."""
    names = [*evidence.given(case.reader)]
    st.session_state["known"] = names
    with st.container(height=250 if len(names) > MANY else "content", border=False):
        st.pills(
            "Known",
            names,
            key="known",
            selection_mode="multi",
            format_func=lambda name: "✕ " + literal(_fact(case.analysis, known, name)),
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


def _fact(analysis: CaseAnalysis, known: dict[str, Value | None], name: str) -> str:
    return analysis.fact(name, known[name]) if name in known else f"{name} (not used)"


def _take_back(reader: CaseReader) -> None:
    kept = set(st.session_state["known"])
    evidence.set_known(
        {name: text for name, text in evidence.given(reader).items() if name in kept}, evidence.case()
    )


def _case_panel(case: _Case) -> None:
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


def _take_case(case: _Case) -> None:
    row = st.session_state["row"]
    if row is not None:
        cells = case.reader.row(case.frame.iloc[row - 1].to_dict())
        evidence.set_known({name: cells[name] for name in case.analysis.attributes}, row)


def _picker(case: _Case) -> None:
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


def _monitors(
    case: _Case, known: dict[str, Value | None], posterior: CasePosterior, before: CasePosterior
) -> None:
    analysis = case.analysis
    if posterior.states is None:
        st.caption(
            f"{literal(analysis.model.title)} predicts the class but not the attributes: you can set their "
            "values, but they have no probabilities."
        )
    names = [*known, *(name for name in analysis.attributes if name not in known)][
        : max(MOST_BOXES, len(known))
    ]
    shown = set(names) | {st.session_state["attribute"]}
    if len(shown) < len(analysis.attributes):
        st.caption(
            f"Boxes are shown for the {len(shown)} most important of {len(analysis.attributes):,} "
            "attributes; you can set the others above."
        )
    texts = evidence.given(case.reader)
    boxes = [
        _box(attribute, known, texts, posterior, before)
        for name, attribute in analysis.attributes.items()
        if name in shown
    ]
    focus = (st.session_state["attribute"], st.session_state.get("asked", 0))
    show_monitors("monitors", boxes, partial(_set_state, case), focus=focus)


def _box(
    attribute: CaseAttribute,
    known: dict[str, Value | None],
    texts: dict[str, str],
    posterior: CasePosterior,
    before: CasePosterior,
) -> Box:
    name = attribute.name
    chosen = attribute.state(known[name]) if name in known else None
    value = texts[name] if name in known and attribute.is_number else ""
    has_bars = posterior.states is not None and name in posterior.states
    return Box(
        name,
        attribute.column.labels,
        chosen,
        value,
        tuple((posterior.states or {})[name]) if has_bars else None,
        tuple((before.states or {})[name]) if has_bars else None,
    )


def _set_state(case: _Case) -> None:
    click = clicked("monitors")
    if click is not None and click[0] in case.analysis.attributes:
        name, state = click
        attribute = case.analysis.attributes[name]
        is_set = name in case.known and attribute.state(case.known[name]) == state
        evidence.change(case.reader, name, None if is_set else attribute.texts[state])
