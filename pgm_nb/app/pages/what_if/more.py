"""More about the case: what the unknown values could change, what would have to change, what is likely."""

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from pgm_nb.app.pages.what_if.case import Case, base_rates
from pgm_nb.app.shell.address import follow, keep, keep_several, put
from pgm_nb.app.widgets.charts import offer_numbers, show_chart
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.engine.evidence import Evidence
from pgm_nb.engine.questions import most_probable
from pgm_nb.errors import QueryError
from pgm_nb.explain.cases import CaseAnalysis, CasePosterior
from pgm_nb.explain.protocols import Known
from pgm_nb.explain.sensitivity import MOST_ROWS, ChangeSet, parameter_sensitivity, tornado, what_changes
from pgm_nb.words import plural, probability, together

__all__ = ["keep_more", "show_more"]

UNKNOWNS, CHANGES, LIKELIEST, NUMBERS = "unknowns", "changes", "likeliest", "numbers"
TITLES = {
    UNKNOWNS: "What could the unknown values change?",
    CHANGES: "What would have to change?",
    LIKELIEST: "The most likely case like this",
    NUMBERS: "Which numbers matter?",
}
TRIED, PATIENCE = 16, 0.5  # combinations to see how fast a model is, and seconds that it may take
MOST_LIKELY = 40  # values of the most likely case that are listed


def keep_more(case: Case) -> None:
    """Keep which question is asked, and what may change, in the address."""
    keep("more", [*TITLES], None)
    keep("wanted", list(case.analysis.classes), None)
    keep_several("may_change", [*case.analysis.attributes])


def show_more(case: Case, known: Known, posterior: CasePosterior) -> None:
    """Let the user ask one of the further questions, and answer it."""
    st.markdown("#### More about this case")
    asked = st.pills(
        "Ask",
        [*TITLES],
        key="more",
        format_func=TITLES.__getitem__,
        label_visibility="collapsed",
        on_change=safely(partial(follow, "more")),
    )
    answers: dict[str, Callable[[Case, Known, CasePosterior], None]] = {
        UNKNOWNS: _show_unknowns,
        CHANGES: _show_changes,
        LIKELIEST: _show_likeliest,
        NUMBERS: _show_numbers,
    }
    if asked in answers:
        answers[asked](case, known, posterior)


def _show_unknowns(case: Case, known: Known, posterior: CasePosterior) -> None:
    """Draw how far each unknown attribute could move the probability."""
    label = st.session_state.get("explained") or case.analysis.classes[int(posterior.classes.argmax())]
    found = tornado(case.analysis, known, label)
    if not found.swings:
        st.caption("Everything is known.")
        return
    first = found.swings[0]
    st.markdown(
        f"{bold(found.label)} has a probability of **{probability(found.now)}** now (the upright line). "
        f"{bold(first.attribute)} alone could make it {probability(first.low)} "
        f"({literal(first.low_state)}) or {probability(first.high)} ({literal(first.high_state)}).",
        help="Each bar shows the lowest and the highest probability over the values of one unknown "
        "attribute, with everything else as it is.",
    )
    theme = st.context.theme.type or "light"
    show_chart(found.chart(theme=theme), found.to_frame(), "unknowns", str(found))


def _show_changes(case: Case, known: Known, posterior: CasePosterior) -> None:
    """Find the fewest changes that lead to another class."""
    analysis = case.analysis
    ranked = [analysis.classes[i] for i in (-posterior.classes).argsort(kind="stable")]
    values = [name for name in analysis.attributes if name in known]
    values = [name for name in values if not isinstance(known[name], Evidence)]
    if not values:
        only = "Ranges and alternatives are not changed here. " if known else ""
        st.caption(
            f"{only}As soon as one value is set, this shows which changes would lead to another class."
        )
        return
    wanted, may = st.columns([1, 2])
    if st.session_state.get("wanted") == ranked[0]:
        put("wanted", None)
    others = ranked[1:]
    label = wanted.selectbox(
        "The class to reach",
        others,
        index=None,
        key="wanted",
        placeholder=others[0],
        on_change=safely(partial(follow, "wanted")),
    )
    chosen = may.multiselect(
        "What can change",
        [*analysis.attributes],
        key="may_change",
        placeholder="every known value",
        on_change=safely(partial(follow, "may_change")),
        help="Name what can be changed: a dose or a weight, not an age.",
    )
    with st.spinner("Trying changes …"):
        found = what_changes(
            analysis, known, label or others[0], changeable=chosen or None, most_rows=_rows_in_time(analysis)
        )
    if not found.found:
        tried = "" if found.is_exact else " Not all combinations were tried."
        st.markdown(f"No change of these values makes {bold(found.to)} the most probable class.{tried}")
        return
    number = len(found.found[0].changes)
    how = "one change" if number == 1 else plural(number, "change")
    fewest = (
        "Fewer are not enough."
        if found.is_exact and number > 1
        else ""
        if found.is_exact
        else "They were found step by step, so fewer may do."
    )
    st.markdown(f"{bold(found.to)} becomes the most probable class with {how}. {fewest}")
    st.markdown("\n".join(f"- {_written(each)}" for each in found.found))
    offer_numbers(found.to_frame(), "changes", "The changes, for a spreadsheet.")
    st.caption("This is what the model says of such a case; it does not say that a change causes the class.")


def _rows_in_time(analysis: CaseAnalysis) -> int:
    """Return how many combinations the model can try while a person waits."""
    name = next(iter(analysis.attributes))
    begin = time.perf_counter()
    analysis.posteriors({}, {name: np.zeros(TRIED, dtype=np.intp)})
    return min(MOST_ROWS, int(TRIED * PATIENCE / max(time.perf_counter() - begin, 1e-6)))


def _written(each: ChangeSet) -> str:
    parts = [
        f"{bold(change.attribute)} {literal(change.after)} instead of {literal(change.before)}"
        for change in each.changes
    ]
    return f"{together(parts)}: **{probability(each.probability)}**"


def _show_likeliest(case: Case, known: Known, posterior: CasePosterior) -> None:
    """List the most probable values of all that is unknown, together."""
    model = case.analysis.model
    given = case.analysis.given(known)
    try:
        found = (
            most_probable(model.junction_tree().observe(given))
            if model.about.is_joint
            else model.map_query(given=given, prior=base_rates(case.analysis.classes))
        )
    except QueryError as error:
        said = str(error)
        st.caption(literal(f"{said[0].upper()}{said[1:]}."))
        return
    st.markdown(
        "Of all ways to fill in what is unknown, this one is the most probable:",
        help="The values are chosen together, so they fit each other. One of them alone may have a more "
        "probable value. The class here belongs to this completed case.",
    )
    shown = [f"{literal(name)} = **{literal(state)}**" for name, state in found.items()][:MOST_LIKELY]
    more = len(found) - len(shown)
    st.markdown(" · ".join(shown) + (f" · and {plural(more, 'more value')}" if more else ""))


def _show_numbers(case: Case, known: Known, posterior: CasePosterior) -> None:
    """List the entries of the tables that the answer depends on most."""
    analysis = case.analysis
    label = st.session_state.get("explained") or analysis.classes[int(posterior.classes.argmax())]
    try:
        table = parameter_sensitivity(analysis.model, analysis.given(known), label)
    except QueryError as error:
        said = str(error)
        st.caption(literal(f"{said[0].upper()}{said[1:]}."))
        return
    st.markdown(
        f"The probability of {bold(label)} depends most on these numbers of the model:",
        help="Each is moved by itself, the others of its table in proportion. If such a number is in doubt, "
        "so is the answer.",
    )
    st.markdown("\n".join(f"- {literal(said)}" for said in table["sentence"]))
    offer_numbers(table, "numbers", "The numbers with their derivatives, for a spreadsheet.")
