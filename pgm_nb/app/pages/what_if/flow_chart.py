"""A flow chart for use without a computer: a few questions that lead to a class."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.what_if.prices import measuring_rule, said
from pgm_nb.app.shell.address import keep_texts, put_texts
from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import Progress, work
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.picture import show_picture
from pgm_nb.app.widgets.print_files import offer_prints
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.protocols import Known
from pgm_nb.explain.questions import QuestionTree, question_tree
from pgm_nb.explain.questions.stations import Limits, grow, simplified

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.measuring import Rule

__all__ = ["keep_questions", "show_flow_chart"]

QUESTIONS, CHART = "questions", "chart"
MOST, USUAL = 5, 3


def keep_questions() -> None:
    """Keep how many questions are asked, and whether the chart is shown."""
    keep_texts(QUESTIONS, lambda text: text in [str(n) for n in range(1, MOST + 1)])
    keep_texts(CHART, lambda text: text == "shown")


def show_flow_chart(analysis: CaseAnalysis, known: Known, screen: Screen) -> None:
    """Show the chart, and let the user choose how many questions it asks."""
    st.markdown("#### Flow chart for use without a computer")
    wanted = bool(st.session_state.get(CHART))
    if not wanted:
        st.caption(
            "A few questions, the most informative first, that lead to a class: to print and use on paper."
        )
        st.button("Make the flow chart", on_click=safely(partial(put_texts, CHART, ["shown"])))
        return
    chosen: Sequence[str] = st.session_state.get(QUESTIONS, [])
    most = int(chosen[-1]) if chosen else USUAL
    st.session_state["most questions"] = most
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "At most so many questions",
            min_value=1,
            max_value=MOST,
            key="most questions",
            on_change=safely(_take),
            width=220,
        )
        st.button("Hide", key="hide chart", on_click=safely(partial(put_texts, CHART, [])))
    rule = measuring_rule(analysis)
    tree = _tree(analysis, known, rule, most)
    if known:
        st.caption("The chart begins with what is known now. Reset to make it for every case.")
    elif screen.has_table and not any(said()) and analysis.model is screen.fitted.model:
        tree = _with_error(tree, screen, most)
    if tree.root.column is None:
        st.info(f"No question is worth asking: {tree.classes[tree.root.decision]} is the answer already.")
        return
    show_picture(tree.draw("svg"), "Flow chart of questions that lead to a class", key="flow chart")
    with st.container(horizontal=True):
        offer_prints(lambda format, size: tree.draw(format, size=size), "questions")


def _tree(analysis: CaseAnalysis, known: Known, rule: "Rule", most: int) -> QuestionTree:
    limits = Limits(questions=most)
    root = simplified(grow(analysis.prospects(known), rule, limits), rule.costs)
    given = tuple(analysis.fact(name, value) for name, value in known.items())
    return QuestionTree(root, analysis.target, analysis.classes, rule.priced, None, given)


def _with_error(tree: QuestionTree, screen: Screen, most: int) -> QuestionTree:
    """Add the error on rows not learned from, once it is asked for and found."""
    wanted = ("error of questions", *screen.fitted.key, most)
    if st.session_state.get("error wanted") != wanted:
        st.button(
            "Measure its error on rows not used in learning",
            on_click=safely(partial(st.session_state.__setitem__, "error wanted", wanted)),
            help="The model and the chart are made anew without a fifth of the rows, five times.",
        )
        return tree
    make = partial(_measured, screen.fitted.model, training_rows(screen.frame, screen.settings), most)
    found = work(wanted, make, label="Measuring the error")
    return tree if found is None else replace(tree, held_out=found.held_out)


def _measured(
    model: Any, rows: "tuple[pd.DataFrame, pd.Series[Any]]", most: int, progress: Progress
) -> QuestionTree:
    return question_tree(model, *rows, max_questions=most)


def _take() -> None:
    put_texts(QUESTIONS, [str(st.session_state["most questions"])])
