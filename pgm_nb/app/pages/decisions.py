"""The Decisions page: what a miss and a false alarm cost, the threshold that follows, and how good it is."""

import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from pgm_nb.app.pages.what_if.case import base_rates, choose_base_rates, keep_base_rates
from pgm_nb.app.shell.address import follow, keep, keep_texts, put_texts
from pgm_nb.app.shell.fitting import training_rows, unseen_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.widgets.charts import MOST_SHOWN, confusions, offer_numbers, show_chart, show_folded
from pgm_nb.app.widgets.clicks import calmly, safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.words import class_name, percent

if TYPE_CHECKING:
    from pgm_nb.evaluate import Decisions
    from pgm_nb.evaluate.predictions import UnseenRows

__all__ = ["show"]

SIDE_BY_SIDE = 3  # classes whose table of decisions fits beside the rates
COSTS = {"miss": "A miss costs", "alarm": "A false alarm costs"}
MOST = 1e6  # a cost may be at most this
RATES = {
    "sensitivity": ("Sensitivity", "Of the cases that have the class, the share that is found (recall)."),
    "specificity": ("Specificity", "Of the cases that do not have it, the share that raises no alarm."),
    "positive predictive value": (
        "Positive predictive value",
        "Of the cases for which the class is decided, the share that has it (precision).",
    ),
    "negative predictive value": (
        "Negative predictive value",
        "Of the cases for which it is not decided, the share that does not have it.",
    ),
}


def show(screen: Screen) -> None:
    """Show the page."""
    frame, settings = screen.frame, screen.settings
    classes = [str(label) for label in screen.fitted.model.classes_]
    counts = training_rows(frame, settings)[1].astype(str).value_counts()
    rarest = min(reversed(classes), key=lambda label: int(counts.get(label, 0)))
    keep("counts", classes, rarest)
    for key in COSTS:
        keep_texts(key, _is_cost)
    keep_base_rates(classes)
    _board(screen, classes, [int(counts.get(label, 0)) / int(counts.sum()) for label in classes])


@st.fragment
@calmly()
def _board(screen: Screen, classes: list[str], common: list[float]) -> None:
    """Show the costs and what follows from them; a click runs this part of the page alone."""
    costs = _choose(classes, screen.settings.target)
    rates = base_rates(classes)
    shares = [rates[label] for label in classes] if rates else common
    choose_base_rates(tuple(classes), np.array(shares))
    unseen = unseen_rows(screen, "Deciding about rows that the model has not seen")
    if unseen is not None:
        _show_decisions(unseen, st.session_state["counts"], costs, rates)


def _choose(classes: list[str], target: str) -> dict[str, float]:
    """Let the user say which class counts and what mistakes cost; return the costs."""
    which, miss, alarm = st.columns([2, 1, 1], vertical_alignment="bottom")
    which.selectbox(
        f"Which value of {literal(class_name(target))} counts?",
        classes,
        key="counts",
        on_change=safely(partial(follow, "counts")),
        help="The one that must not be overlooked, such as an illness. The others are taken together.",
    )
    with miss:
        cost_of_miss = _cost("miss", "A case that counts is overlooked.")
    with alarm:
        cost_of_alarm = _cost("alarm", "A case is called so, but is not.")
    return {"miss": cost_of_miss, "false alarm": cost_of_alarm}


def _cost(key: str, help: str) -> float:
    kept = st.session_state.get(key)
    value = st.session_state[f"cost of {key}"] = float(kept[-1]) if kept else 1.0
    st.number_input(
        COSTS[key],
        min_value=0.01,
        max_value=MOST,
        step=1.0,
        format="%0.6g",
        key=f"cost of {key}",
        on_change=safely(partial(_set_cost, key)),
        help=f"{help} Any unit will do: only how the two costs compare matters.",
    )
    return value


def _set_cost(key: str) -> None:
    value = float(st.session_state[f"cost of {key}"])
    put_texts(key, [] if value == 1 else [f"{value:.15g}"])


def _is_cost(text: str) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    return math.isfinite(value) and 0.01 <= value <= MOST


def _show_decisions(
    unseen: "UnseenRows", label: str, costs: dict[str, float], rates: Mapping[str, float] | None
) -> None:
    from pgm_nb.evaluate.deciding import (
        benefit_sentence,
        decisions_of,
        found_sentence,
        mix_sentence,
        ratio_sentence,
        right_sentence,
        rows_sentence,
    )

    found = decisions_of(unseen, costs, label, rates)
    theme = st.context.theme.type or "light"
    st.markdown(literal(ratio_sentence(found)))
    st.markdown(f"##### {literal(found_sentence(found, intervals=False))}")
    st.markdown(literal(f"{right_sentence(found)} {benefit_sentence(found)}"))
    st.caption(literal(f"{mix_sentence(found)} {rows_sentence(found)}"))
    many = len(found.classes) > SIDE_BY_SIDE
    left, right = (st.container(), st.container()) if many else st.columns(2, gap="medium")
    with left:
        _confusion(found)
    with right:
        _rates(found)
    _curves(found, theme)
    if len(found.classes) > 2:
        _per_class(found)


def _confusion(found: "Decisions") -> None:
    across = " (across)" if len(found.classes) > SIDE_BY_SIDE else ""
    st.markdown(
        f"**What is decided{across}, and what is true**",
        help="Rows of the table, each decided by a model that had not seen it. Right decisions are on the "
        "diagonal.",
    )
    said = "" if len(found.classes) > SIDE_BY_SIDE else "decided: "
    table = found.confusion.rename(columns=lambda name: f"{said}{name}").rename_axis("true class")
    if len(found.classes) > MOST_SHOWN:
        wrong = confusions(found.confusion)
        if wrong.empty:
            st.caption("No decision is wrong.")
        else:
            st.caption("The commonest wrong decisions:")
            st.dataframe(wrong.head(MOST_SHOWN), hide_index=True)
        with st.expander(f"All {len(found.classes)} classes, across what is decided"):
            st.dataframe(table.reset_index(), hide_index=True)
    else:
        st.dataframe(table.reset_index(), hide_index=True)
    offer_numbers(table.reset_index(), "decisions", "These counts, for a spreadsheet.")
    with st.expander("What the rates mean"):
        st.markdown("\n".join(f"- **{name}**: {said}" for name, said in RATES.values()))


def _rates(found: "Decisions") -> None:
    st.markdown(
        f"{bold(found.label)} **against the rest**",
        help="The 95% interval (Wilson's) says how far a rate may be off because the rows are few.",
    )
    is_table = found.unseen.base_rates is None
    rows = [
        (
            RATES[name][0],
            percent(rate.value, digits=1),
            f"{percent(rate.low, digits=1)} to {percent(rate.high, digits=1)}",
            f"{rate.hits:,} of {rate.total:,}" if is_table or "predictive" not in name else "",
        )
        for name, rate in found.detection.rates.items()
    ]
    table = pd.DataFrame(rows, columns=["Rate", "Value", "95% interval", "Rows"])
    st.dataframe(table, hide_index=True)
    offer_numbers(found.to_frame(), "decision-rates", "These rates, for a spreadsheet.")


def _curves(found: "Decisions", theme: str) -> None:
    seen, name = found.detection, literal(found.label)
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(
            "#### Found, at the price of false alarms",
            help="The ROC curve: every threshold is a point. The area under it is how often a case that "
            "counts gets a higher probability than one that does not; 0.5 is guessing.",
        )
        st.caption(f"The nearer to the upper left corner, the better. Area: {found.roc.area:.3f}.")
        show_chart(
            found.chart("roc", theme=theme),
            found.curve_frame("roc"),
            "roc",
            f"ROC curve of {found.label}, area {found.roc.area:.3f}. Chosen: "
            f"{percent(seen.sensitivity.value)} found.",
        )
    with right:
        st.markdown(
            "#### Found, and right when it is decided",
            help="Precision and recall at every threshold. The dashed line is the share of such cases in the "
            "table: deciding at random.",
        )
        area = found.precision_recall.area
        st.caption(f"The nearer to the upper right corner, the better. Average precision: {area:.3f}.")
        show_chart(
            found.chart("precision-recall", theme=theme),
            found.curve_frame("precision-recall"),
            "precision-recall",
            f"Precision and recall of {found.label}, average precision {area:.3f}.",
        )
    st.markdown(
        "#### Is it worth using?",
        help="The net benefit (Vickers and Elkin 2006): cases found per case looked at, less false alarms at "
        "their price, found/n - alarms/n · t/(1 - t) at the threshold t.",
    )
    st.caption(
        f"Each threshold stands for a ratio of costs. Where the line of the model is above both others, its "
        f"decisions are worth more than deciding {name} for all cases or for none."
    )
    show_chart(
        found.chart("decision", theme=theme),
        found.curve_frame("decision"),
        "decision-curve",
        f"Net benefit against the threshold. Chosen: {seen.net_benefit:.3f}, against "
        f"{seen.net_benefit_of_all:.3f} for all and 0 for none.",
    )


def _per_class(found: "Decisions") -> None:
    st.markdown(
        "#### Every class against the rest",
        help="Each class in turn is the one that counts, at the same costs of a miss and of a false alarm.",
    )
    table = found.per_class()
    if len(table) > MOST_SHOWN:
        st.caption("The classes that are found least come first.")
        table = table.sort_values("sensitivity", kind="stable")
    names = ["class", "rows", *RATES, "auc", "net benefit"]
    shown = table[names].assign(**{name: 100 * table[name] for name in RATES})
    number = st.column_config.NumberColumn
    config = {
        "class": st.column_config.TextColumn("Class"),
        "rows": number("Rows"),
        **{name: number(title, format="%.1f%%", help=said) for name, (title, said) in RATES.items()},
        "auc": number("Area (ROC)", format="%.3f"),
        "net benefit": number("Net benefit", format="%.3f"),
    }
    show_folded(shown, lambda part: st.dataframe(part, hide_index=True, column_config=config))
    offer_numbers(table, "decisions-per-class", "The rates of every class with their intervals.")
