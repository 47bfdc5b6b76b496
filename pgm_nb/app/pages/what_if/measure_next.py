"""What to measure next: the unknown attributes by what they are expected to say about the class."""

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from pgm_nb.app.pages.what_if.prices import AHEAD, choose_prices, looks_ahead, measuring_rule
from pgm_nb.app.shell.address import put, put_texts
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.measuring import SAVED
from pgm_nb.explain.protocols import Known
from pgm_nb.words import in_bits

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["show_next"]

NEXT = 5  # attributes that are proposed to be measured next
SPACE = "\N{NO-BREAK SPACE}"


def show_next(analysis: CaseAnalysis, known: Known) -> None:
    """Rank the unknown attributes by what they are expected to say about the class, per price."""
    st.markdown(
        "**What to measure next**",
        help="The information about the class, in bits, to expect from learning the value of an unknown "
        "attribute, given everything that is known; with prices, the most per price first.",
    )
    rule = measuring_rule(analysis, ahead=2 if looks_ahead() else 1)
    ranked = analysis.next_best(known, rule)
    if ranked.empty:
        st.caption("Everything is known.")
    elif "worth" in ranked and not ranked["worth"].any():
        st.info("Nothing left is worth its price: stop here.")
    with st.container(gap=None):
        for row in ranked.head(NEXT).to_dict("records"):
            st.button(
                _said(row),
                key=f"next {row['attribute']}",
                type="tertiary",
                on_click=safely(partial(_point_at, str(row["attribute"]))),
            )
    if looks_ahead() and not ranked.empty:
        st.caption(_together(ranked))
    st.session_state["look ahead"] = looks_ahead()
    st.checkbox(
        "Look two measurements ahead",
        key="look ahead",
        on_change=safely(_look_ahead),
        help="Two attributes may say more together than each alone. Looking at every pair takes a moment.",
    )
    choose_prices(analysis)


def _said(row: dict[Any, Any]) -> str:
    """Write one attribute with what it is good for."""
    name = literal(str(row["attribute"]))
    good = f"saves {row[SAVED]:.3g}" if SAVED in row else f"{row['information']:.3f}{SPACE}bits"
    if "price" not in row:
        return f"{name} · {good}"
    text = f"{name} · {good} for {row['price']:g}"
    if SAVED not in row and 0 < row["price"] != 1:
        text += f" ({row['per price']:.3g} per 1)"
    return text if row["worth"] else f"{text} · not worth it"


def _together(ranked: "pd.DataFrame") -> str:
    """Say whether looking ahead changes what comes first."""
    first = ranked.iloc[0]
    if first["with"] is None:
        return "Looking two measurements ahead does not change what comes first."
    both = f"{first['together']:.3g} saved" if SAVED in ranked else in_bits(float(first["together"]))
    one, other = bold(str(first["attribute"])), bold(str(first["with"]))
    return f"Neither {one} nor {other} says as much alone as both say together: {both}."


def _look_ahead() -> None:
    put_texts(AHEAD, ["2"] if st.session_state["look ahead"] else [])


def _point_at(name: str) -> None:
    put("attribute", name)
    st.session_state["asked"] = st.session_state.get("asked", 0) + 1
