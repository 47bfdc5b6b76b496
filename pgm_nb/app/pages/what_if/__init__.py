"""The What-if page: the answer for a case of which some values are known, and why."""

import time
from base64 import b64encode
from functools import partial
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from pgm_nb.app.pages.what_if.case import (
    Case,
    base_rates,
    choose_base_rates,
    choose_row,
    fact,
    keep_base_rates,
    open_case,
    set_one,
    show_known,
    where_it_comes_from,
)
from pgm_nb.app.pages.what_if.measure_next import keep_prices, keep_questions, show_flow_chart, show_next
from pgm_nb.app.pages.what_if.more import keep_more, show_more
from pgm_nb.app.shell import evidence
from pgm_nb.app.shell.address import follow, keep, put
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.charts import show_chart
from pgm_nb.app.widgets.clicks import calmly, safely
from pgm_nb.app.widgets.downloads import offer_prints
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.monitors import Box, clicked, show_monitors
from pgm_nb.arrays import Floats
from pgm_nb.engine.evidence import Evidence
from pgm_nb.explain.case_values import CaseAttribute, value_text
from pgm_nb.explain.cases import CaseAnalysis, CasePosterior, likeliest
from pgm_nb.explain.how_sure import in_the_table, remarks
from pgm_nb.explain.protocols import Known
from pgm_nb.words import Scale, class_name, credible, listed, plural, probability

if TYPE_CHECKING:
    pass

__all__ = ["headline", "remarks_on", "show", "show_classes", "show_formula", "show_nomogram", "show_why"]

MOST_BOXES = 120  # attributes that get a box; all others are reached by the picker
PAUSE = 0.1  # seconds in which the browser draws the probabilities, before it gets the charts below
FEW = 5  # classes that stand side by side
AT_FIRST = "By default the most probable class, compared with the next."


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
    show_why(case.analysis, known, posterior, scale=screen.shares)
    show_nomogram(case.analysis, known, posterior)
    show_more(case, known, posterior)
    show_flow_chart(case.analysis, known, screen)


def _monitors(case: Case, known: Known, posterior: CasePosterior, before: CasePosterior) -> None:
    analysis = case.analysis
    if posterior.states is None:
        st.caption(
            f"{literal(analysis.model.about.title)} predicts the class but not the attributes: you can set "
            "their values, but they have no probabilities."
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


def headline(case: Case, known: Known, posterior: CasePosterior) -> str:
    """Say the answer in one sentence."""
    best = int(posterior.classes.argmax())
    chances = [probability(share) for share in posterior.classes]
    says = f"{bold(case.analysis.classes[best])} has a probability of **{chances[best]}**"
    if len(set(chances)) == 1:
        every = "both classes" if len(chances) == 2 else f"all {len(chances)} classes"
        says = f"{every} are equally likely (**{chances[best]}**)"
    if not known:
        return f"Nothing is known yet: {says}. Click a value to see what follows from it."
    total = len(case.analysis.attributes)
    return f"With {len(known)} of {plural(total, 'attribute')} known, {says}."


def remarks_on(case: Case, known: Known) -> list[str]:
    """Say what is unusual about the evidence."""
    analysis, said = case.analysis, []
    left_out = [name for name in evidence.given(case.reader) if name not in known]
    if left_out:
        said.append(f"This model cannot use the value of {literal(listed(left_out))}; it counts as unknown.")
    return [*said, *remarks(analysis, known, case.rows, mark=bold)]


def show_classes(case: Case, known: Known, posterior: CasePosterior, before: CasePosterior) -> None:
    """Show the probability of every class; a click on one explains it below."""
    analysis = case.analysis
    st.markdown(
        f"**How likely is each value of {literal(class_name(case.target))}?**",
        help="The thin line across a bar marks the probability before anything was known; the line along it "
        f"is the credible interval. {analysis.model.intervals_.coverage} Click a class to see below what "
        "speaks for it.",
    )
    explained = st.session_state.get("explained")
    chosen = analysis.classes.index(explained) if explained in analysis.classes else None
    ends = analysis.interval(known)
    low, high = (None, None) if ends is None else (tuple(ends[0]), tuple(ends[1]))
    shares, first = tuple(posterior.classes), tuple(before.classes)
    box = Box(analysis.target, analysis.classes, chosen, "", shares, first, low, high)
    shown, rest = likeliest(shares, chosen)
    if rest:
        box = box.part(shown)
    labels = [analysis.classes[place] for place in shown]
    show_monitors("classes", [box], partial(_explain_class, labels), large=True)
    if rest:
        _show_rest(analysis, posterior, rest)
    st.caption(_how_sure(case, known, posterior, ends))


def show_formula(case: Case, known: Known, posterior: CasePosterior) -> None:
    """Offer the answer as a formula to copy."""
    with st.expander("As a formula"):
        st.code(_formula(case.analysis, known, posterior), language=None, wrap_lines=True)


def _how_sure(case: Case, known: Known, posterior: CasePosterior, ends: tuple[Floats, Floats] | None) -> str:
    """Say how many rows the answer rests on, and between which numbers it lies."""
    analysis = case.analysis
    best = int(posterior.classes.argmax())
    label = analysis.classes[best]
    counted = "" if case.rows is None else literal(case.rows.support(known).sentence(label))
    if counted and base_rates(analysis.classes) is not None:
        counted = in_the_table(counted)
    if ends is None:
        return f"{counted} {literal(analysis.model.intervals_.why_not_given(known))}".strip()
    sure = f"The probability of {bold(label)} is {credible(ends[0][best], ends[1][best])}."
    return f"{counted} {sure} {literal(analysis.model.intervals_.caution)}".strip()


def _show_rest(analysis: CaseAnalysis, posterior: CasePosterior, rest: list[int]) -> None:
    """Fold the less probable classes."""
    together = probability(float(posterior.classes[rest].sum()))
    with st.expander(f"{len(rest)} other classes, together {together}"):
        named = [
            f"{literal(analysis.classes[place])} {probability(posterior.classes[place])}" for place in rest
        ]
        st.markdown(" · ".join(named))


def _explain_class(labels: list[str]) -> None:
    click = clicked("classes")
    if click is not None:
        label = labels[click[1]]
        put("explained", None if st.session_state.get("explained") == label else label)
        put("rather", None)


def _formula(analysis: CaseAnalysis, known: Known, posterior: CasePosterior) -> str:
    """Write the answer as a formula to copy."""
    best = int(posterior.classes.argmax())
    facts = ", ".join(fact(analysis, known, name) for name in known)
    event = f"{analysis.target} = {analysis.classes[best]}"
    return f"P({event}{' | ' if facts else ''}{facts}) = {probability(posterior.classes[best])}"


def show_why(analysis: CaseAnalysis, known: Known, posterior: CasePosterior, *, scale: Scale | None) -> None:
    """Show what each known value adds to the log-odds of a class against another."""
    st.markdown(
        "#### Why",
        help=("Log-odds measure" if scale is None else "The bars show")
        + " how strongly a value speaks for one class against another"
        + (": +0.7 doubles the odds, +2.3 makes them ten times as high" if scale is None else "")
        + ". Bars to the right speak for the class.",
    )
    if not known:
        st.caption("As soon as a value is known, this chart shows what each value adds.")
        return
    label, against = _choose_classes(analysis, posterior)
    why = analysis.explain(known, label, against)
    add_up = (
        f", and add each known value. They sum to {why.log_odds:+z.2f}, which gives"
        if scale is None
        else ". Each known value multiplies (×) or divides (÷) that ratio. Together they give"
    )
    st.markdown(
        f"The bars start with how common {bold(label)} is compared with {bold(against)}{add_up} "
        f"{bold(label)} a probability of **{probability(why.probability)}**."
    )
    theme = st.context.theme.type or "light"
    chart = why.chart(theme=theme, scale=scale)
    said = str(why) if scale is None else f"{label} has a probability of {probability(why.probability)}."
    show_chart(chart, why.to_frame(), "why", f"What speaks for {label} against {against}: {said}")


def _choose_classes(analysis: CaseAnalysis, posterior: CasePosterior) -> tuple[str, str]:
    """Let the user choose which class is explained, and against which; by default the two most probable."""
    label, against = _explained(analysis, posterior)
    with st.container(horizontal=True):
        if len(analysis.classes) <= FEW:
            st.segmented_control(
                "What speaks for",
                analysis.classes,
                key="explained",
                format_func=literal,
                help=AT_FIRST,
                on_change=safely(partial(follow, "explained")),
            )
        else:
            st.selectbox(
                "What speaks for",
                analysis.classes,
                index=None,
                key="explained",
                placeholder=label,
                help=AT_FIRST,
                on_change=safely(partial(follow, "explained")),
            )
        if len(analysis.classes) > 2:
            others = [name for name in analysis.classes if name != label]
            if st.session_state.get("rather") not in (None, *others):
                put("rather", None)
            st.selectbox(
                "rather than",
                others,
                index=None,
                key="rather",
                placeholder=against,
                on_change=safely(partial(follow, "rather")),
            )
    return label, against


def _explained(analysis: CaseAnalysis, posterior: CasePosterior) -> tuple[str, str]:
    """Return the class that is explained and the class it is compared with."""
    ranked = [analysis.classes[i] for i in (-posterior.classes).argsort(kind="stable")]
    label: str = st.session_state.get("explained") or ranked[0]
    others = [name for name in ranked if name != label]
    chosen = [name for name in others if name == st.session_state.get("rather")]
    return label, (chosen or others)[0]


def show_nomogram(analysis: CaseAnalysis, known: Known, posterior: CasePosterior) -> None:
    """Show the nomogram, with what is known marked on its scales, if the model has one."""
    label, against = _explained(analysis, posterior)
    drawn = analysis.nomogram(label, against)
    if drawn is None:
        return
    case = {name: analysis.label(name, value) for name, value in known.items()}
    svg = drawn.draw(theme=st.context.theme.type or "light", known=case)
    with st.expander("Nomogram: the same sum on paper"):
        st.markdown(
            "Every value is worth some points. Add them up, find the total on the scale below, and read off "
            f"the probability of {bold(label)}. Known values are marked; unknown ones do not change the odds."
        )
        st.html(_image(svg.encode(), f"Nomogram of {label} against {against}"))
        with st.container(horizontal=True):
            offer_prints(partial(drawn.printed, known=case), "nomogram")


def _image(svg: bytes, alternative: str) -> str:
    """Return HTML that shows an SVG as an image, in which no script can run."""
    return (
        f'<img src="data:image/svg+xml;base64,{b64encode(svg).decode()}" alt="{escape(alternative)}" '
        'style="display:block; margin:0 auto; max-width:100%; height:auto">'
    )
