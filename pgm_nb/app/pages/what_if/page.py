"""The What-if page: set what is known about a case, see what follows, and why."""

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.what_if import evidence
from pgm_nb.app.pages.what_if.case import Case
from pgm_nb.app.pages.what_if.known_values import choose_row, fact, set_one, show_known
from pgm_nb.app.pages.what_if.measure_next import show_next
from pgm_nb.app.pages.what_if.reasons import show_nomogram, show_why
from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.fitting import Settings, training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.monitors import Box, clicked, show_monitors
from pgm_nb.explain.cases import CaseAnalysis, CaseAttribute, CasePosterior, CaseReader
from pgm_nb.explain.protocols import Value
from pgm_nb.words import class_name, listed, plural, probability

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["show"]

MOST_BOXES = 120  # attributes that get a box; all others are reached by the picker
PAUSE = 0.1  # seconds in which the browser draws the probabilities, before it gets the charts below


def show(screen: Screen) -> None:
    """Show the page."""
    settings = screen.settings
    reader = _reader(screen.source.digest, settings.target, screen.frame)
    analysis = _analysis(screen.source.digest, settings, screen.fitted.model, screen.frame)
    evidence.keep_evidence(reader, len(screen.frame))
    keep("attribute", [*analysis.attributes], next(iter(analysis.attributes)))
    keep("explained", list(analysis.classes), None)
    keep("rather", list(analysis.classes), None)
    _board(Case(analysis, reader, screen.frame, settings.target))


@st.cache_resource(max_entries=8, show_spinner=False)
def _reader(digest: str, target: str, _frame: "pd.DataFrame") -> CaseReader:
    return CaseReader.of(_frame, target)


@st.cache_resource(max_entries=32, show_spinner=False)
def _analysis(digest: str, settings: Settings, _model: Any, _frame: "pd.DataFrame") -> CaseAnalysis:
    return CaseAnalysis.of(_model, training_rows(_frame, settings)[0])


@st.fragment
def _board(case: Case) -> None:
    """Everything that follows from the evidence; a click runs this part of the page alone."""
    known = case.known
    posterior, before = case.analysis.posterior(known), case.analysis.posterior({})
    st.markdown(_headline(case, known, posterior))
    for remark in _remarks(case, known):
        st.warning(remark)
    left, right = st.columns([5, 11], gap="medium")
    with left:
        _class_panel(case, known, posterior, before)
        show_known(case, known)
        choose_row(case)
        show_next(case.analysis, known)
    with right:
        set_one(case)
        _monitors(case, known, posterior, before)
    if known:
        time.sleep(PAUSE)
    show_why(case.analysis, known, posterior)
    show_nomogram(case.analysis, known, posterior)


def _headline(case: Case, known: dict[str, Value | None], posterior: CasePosterior) -> str:
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


def _remarks(case: Case, known: dict[str, Value | None]) -> list[str]:
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
    case: Case, known: dict[str, Value | None], posterior: CasePosterior, before: CasePosterior
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
    facts = ", ".join(fact(analysis, known, name) for name in known)
    event = f"{analysis.target} = {analysis.classes[best]}"
    return f"P({event}{' | ' if facts else ''}{facts}) = {probability(posterior.classes[best])}"


def _monitors(
    case: Case, known: dict[str, Value | None], posterior: CasePosterior, before: CasePosterior
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


def _set_state(case: Case) -> None:
    click = clicked("monitors")
    if click is not None and click[0] in case.analysis.attributes:
        name, state = click
        attribute = case.analysis.attributes[name]
        is_set = name in case.known and attribute.state(case.known[name]) == state
        evidence.change(case.reader, name, None if is_set else attribute.texts[state])
