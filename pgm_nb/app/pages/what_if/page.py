"""The What-if page: set what is known about a case, see what follows, and why."""

import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from pgm_nb.app.pages.what_if.answer import headline, remarks_on, show_classes, show_formula
from pgm_nb.app.pages.what_if.base_rate import choose_base_rates, keep_base_rates, where_it_comes_from
from pgm_nb.app.pages.what_if.case import Case, open_case
from pgm_nb.app.pages.what_if.flow_chart import keep_questions, show_flow_chart
from pgm_nb.app.pages.what_if.known_values import choose_row, show_known
from pgm_nb.app.pages.what_if.measure_next import show_next
from pgm_nb.app.pages.what_if.more import keep_more, show_more
from pgm_nb.app.pages.what_if.prices import keep_prices
from pgm_nb.app.pages.what_if.reasons import show_nomogram, show_why
from pgm_nb.app.pages.what_if.set_value import set_one
from pgm_nb.app.shell import evidence
from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.calm import calmly
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.app.widgets.monitors import Box, clicked, show_monitors
from pgm_nb.explain.case_attributes import CaseAttribute
from pgm_nb.explain.case_reader import value_text
from pgm_nb.explain.cases import CasePosterior
from pgm_nb.explain.protocols import Known
from pgm_nb.inference import Evidence
from pgm_nb.words import plural

if TYPE_CHECKING:
    pass

__all__ = ["show"]

MOST_BOXES = 120  # attributes that get a box; all others are reached by the picker
PAUSE = 0.1  # seconds in which the browser draws the probabilities, before it gets the charts below


def show(screen: Screen) -> None:
    """Show the page."""
    case = open_case(screen)
    analysis = case.analysis
    keep("attribute", [*analysis.attributes], next(iter(analysis.attributes)))
    keep("explained", list(analysis.classes), None)
    keep("rather", list(analysis.classes), None)
    keep_base_rates(analysis.classes)
    keep_prices([*analysis.attributes])
    keep_questions()
    keep_more(case)
    _board(case, screen)


@st.fragment
@calmly()
def _board(case: Case, screen: Screen) -> None:
    """Everything that follows from the evidence; a click runs this part of the page alone."""
    case = where_it_comes_from(case)
    known = case.known
    posterior, before = case.analysis.posterior(known), case.analysis.posterior({})
    st.markdown(headline(case, known, posterior))
    with st.container():  # a place of its own: what lies below keeps its own, and an open box stays open
        for remark in remarks_on(case, known):
            st.warning(remark)
    left, right = st.columns([5, 11], gap="medium")
    with left:
        show_classes(case, known, posterior, before)
        show_known(case, known)
        choose_row(case)
        show_next(case.analysis, known, screen)
        choose_base_rates(case.analysis.classes, np.exp(case.analysis.model.class_log_prior_))
        show_formula(case, known, posterior)
    with right:
        set_one(case)
        _monitors(case, known, posterior, before)
    if known:
        time.sleep(PAUSE)
    show_why(case.analysis, known, posterior)
    show_nomogram(case.analysis, known, posterior)
    show_more(case, known, posterior)
    show_flow_chart(case.analysis, known, screen)


def _monitors(case: Case, known: Known, posterior: CasePosterior, before: CasePosterior) -> None:
    analysis = case.analysis
    if posterior.states is None:
        st.caption(
            f"{literal(analysis.model.title)} predicts the class but not the attributes: you can set their "
            "values, but they have no probabilities."
        )
    elif without := len(analysis.attributes.keys() - posterior.states.keys()):
        st.caption(
            f"{plural(without, 'attribute')} without bars: too many attributes that depend on each other are "
            "unknown. Set values of some of them."
        )
    names = [*known, *(name for name in analysis.attributes if name not in known)][
        : max(MOST_BOXES, len(known))
    ]
    shown = set(names) | {st.session_state["attribute"]}
    if len(shown) < len(analysis.attributes):
        st.caption(
            f"Boxes are shown for {len(shown)} of {len(analysis.attributes):,} attributes, those that say "
            "most about the class; you can set the others above."
        )
    boxes = [
        _box(attribute, known, posterior, before)
        for name, attribute in analysis.attributes.items()
        if name in shown
    ]
    focus = (st.session_state["attribute"], st.session_state.get("asked", 0))
    show_monitors("monitors", boxes, partial(_set_state, case), focus=focus)


def _box(
    attribute: CaseAttribute,
    known: Known,
    posterior: CasePosterior,
    before: CasePosterior,
) -> Box:
    name = attribute.name
    chosen = attribute.state(known[name]) if name in known else None
    in_words = name in known and (attribute.is_number or isinstance(known[name], Evidence))
    value = value_text(known[name]) if in_words else ""
    has_bars = name in (posterior.states or {}) and name in (before.states or {})
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
