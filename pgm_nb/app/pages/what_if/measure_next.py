"""What to measure next: the unknown attributes by what they are expected to say about the class."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.features.study import order
from pgm_nb.app.pages.what_if.base_rate import PRIOR
from pgm_nb.app.pages.what_if.prices import (
    AHEAD,
    choose_prices,
    groups_of,
    looks_ahead,
    measuring_rule,
    said,
)
from pgm_nb.app.shell.address import put, put_texts
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import Progress, work
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.errors import QueryError
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.importance.sentences import sure_steps
from pgm_nb.explain.measuring import SAVED
from pgm_nb.explain.protocols import Known
from pgm_nb.words import about_class, listed, scale

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.measuring import Rule

__all__ = ["show_next"]

NEXT = 5  # attributes that are proposed to be measured next
SPACE = "\N{NO-BREAK SPACE}"


def show_next(analysis: CaseAnalysis, known: Known, screen: Screen) -> None:
    """Rank the unknown attributes by what they are expected to say about the class, per price."""
    st.markdown(
        "**What to measure next**",
        help="With nothing known, the order of Features: what says most about the class, then what adds most "
        "to those above it, on rows the model has not seen. Once something is known, "
        + (
            "the information, in bits,"
            if scale() is None
            else "how much of what there is to know about the class"
        )
        + " to expect from each unknown attribute, given everything that is known; with prices, the most per "
        "price first.",
    )
    with st.container():  # a place of its own: what lies below keeps its own, and an open box stays open
        try:
            _show_proposals(analysis, known, screen)
        except QueryError as error:  # such as too much to sum out while little is known
            st.caption(f"This cannot be said yet: {literal(str(error))}.")
    st.session_state["look ahead"] = looks_ahead()
    st.checkbox(
        "Look two measurements ahead",
        key="look ahead",
        on_change=safely(_look_ahead),
        help="Two attributes may say more together than each alone. Looking at every pair takes a moment; "
        "until then, the list is that of single measurements.",
    )
    choose_prices(analysis)


def _show_proposals(analysis: CaseAnalysis, known: Known, screen: Screen) -> None:
    shown = st.container(gap=None)
    path = None if known or looks_ahead() or any(said()) or st.session_state.get(PRIOR) else order(screen)
    if path is not None and set(path["attribute"]) == set(analysis.attributes):
        with shown:
            _show_order(path)
    else:
        _show_ranked(analysis, known, screen, shown)


def _show_order(path: "pd.DataFrame") -> None:
    """Propose the attributes in the order in which they matter, each with what it adds to those above it."""
    sure = sure_steps(path)
    for place, (name, bits) in enumerate(
        zip(path["attribute"].head(NEXT), path["value"].head(NEXT), strict=True)
    ):
        text = f"{'then ' if place else ''}{literal(str(name))} · {_adds(float(bits), place, place < sure)}"
        st.button(
            text,
            key=f"next {name}",
            type="tertiary",
            on_click=safely(partial(_point_at, str(name))),
        )


def _show_ranked(analysis: CaseAnalysis, known: Known, screen: Screen, shown: Any) -> None:
    """Propose the unknown attributes by what is expected of each, or of pairs, per price."""
    further = _pairs(analysis, known, screen) if looks_ahead() else None
    ranked = analysis.next_best(known, measuring_rule(analysis)) if further is None else further
    groups = groups_of(tuple(analysis.attributes))
    if ranked.empty:
        st.caption("Everything is known.")
    elif "worth" in ranked and not ranked["worth"].any():
        st.info("Nothing left is worth its price: stop here.")
    with shown:
        for row in ranked.head(NEXT).to_dict("records"):
            name = str(row["attribute"])
            left = [member for member in groups.get(name, (name,)) if member not in known]
            st.button(
                _said(row, left if name in groups else ()),
                key=f"next {name}",
                type="tertiary",
                on_click=safely(partial(_point_at, left[0])),
            )
    if further is not None and not ranked.empty:
        st.caption(_together(ranked))


def _pairs(analysis: CaseAnalysis, known: Known, screen: Screen) -> "pd.DataFrame | None":
    """Rank with an eye on pairs, in the background: for models without tables that takes seconds."""
    rule = measuring_rule(analysis, ahead=2)
    case = tuple((name, repr(value)) for name, value in known.items())
    rates = tuple(analysis.model.class_log_prior_.tolist())
    key = ("two ahead", *screen.fitted.key, case, said(), rates)
    return work(key, partial(_ranked, analysis, known, rule), label="Looking at pairs")


def _ranked(analysis: CaseAnalysis, known: Known, rule: "Rule", progress: Progress) -> "pd.DataFrame":
    return analysis.next_best(known, rule)


def _said(row: dict[Any, Any], members: Sequence[str]) -> str:
    """Write one attribute, or what is measured together, with what it is good for."""
    name = literal(str(row["attribute"]))
    name += f" ({literal(listed(members))})" if members else ""
    good = f"saves {row[SAVED]:.3g}" if SAVED in row else _amount(float(row["information"]))
    if "price" not in row:
        return f"{name} · {good}"
    text = f"{name} · {good} for {row['price']:g}"
    if SAVED not in row and 0 < row["price"] != 1:
        text += f" ({row['per price']:.3g} per 1)"
    return text if row["worth"] else f"{text} · not worth it"


def _adds(bits: float, place: int, sure: bool) -> str:
    """Write what an attribute adds to those above it; on new rows that can be less than nothing."""
    if bits <= 0:
        return f"adds{SPACE}nothing"
    good = f"{_amount(bits)}{SPACE}more" if place else _amount(bits)
    return good if sure else f"{good}, may be chance"


def _amount(information: float) -> str:
    """Write what is to be expected about the class."""
    said = about_class(information)
    return said.replace(" ", SPACE) if scale() is None else f"settles{SPACE}{said}"


def _together(ranked: "pd.DataFrame") -> str:
    """Say whether looking ahead changes what comes first."""
    first = ranked.iloc[0]
    if first["with"] is None:
        return "Looking two measurements ahead does not change what comes first."
    both = f"{first['together']:.3g} saved" if SAVED in ranked else _amount(float(first["together"]))
    one, other = bold(str(first["attribute"])), bold(str(first["with"]))
    return f"Neither {one} nor {other} says as much alone as both say together: {both}."


def _look_ahead() -> None:
    put_texts(AHEAD, ["2"] if st.session_state["look ahead"] else [])


def _point_at(name: str) -> None:
    put("attribute", name)
    st.session_state["asked"] = st.session_state.get("asked", 0) + 1
