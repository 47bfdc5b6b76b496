"""The answer on the What-if page: how likely each class is, and what is unusual about the evidence."""

from functools import partial

import streamlit as st

from pgm_nb.app.pages.what_if.base_rate import base_rates
from pgm_nb.app.pages.what_if.case import Case
from pgm_nb.app.pages.what_if.known_values import fact
from pgm_nb.app.shell import evidence
from pgm_nb.app.shell.address import put
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.monitors import Box, clicked, show_monitors
from pgm_nb.arrays import Floats
from pgm_nb.explain.cases import CaseAnalysis, CasePosterior
from pgm_nb.explain.likeliest import likeliest
from pgm_nb.explain.protocols import Known
from pgm_nb.explain.remarks import remarks
from pgm_nb.explain.sure import in_the_table
from pgm_nb.words import class_name, credible, listed, plural, probability

__all__ = ["headline", "remarks_on", "show_classes", "show_formula"]


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
        f"is the credible interval. {analysis.model.about_interval} Click a class to see below what speaks "
        "for it.",
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
        return f"{counted} {literal(analysis.model.no_interval_given(known))}".strip()
    sure = f"The probability of {bold(label)} is {credible(ends[0][best], ends[1][best])}."
    return f"{counted} {sure} {literal(analysis.model.interval_caution)}".strip()


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
