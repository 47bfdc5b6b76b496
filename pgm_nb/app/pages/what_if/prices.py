"""Prices of measuring, on the What-if page: a small table, kept in the address as ``price=scan=20``.

What a wrong class costs, in the same unit, is ``wrong=500``; ``ahead=2`` looks two measurements ahead.
"""

from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Any

import numpy as np
import streamlit as st

from pgm_nb.app.shell.address import keep_texts, put_texts
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.measuring import Rule, read_rule

__all__ = ["choose_prices", "has_prices", "keep_prices", "looks_ahead", "measuring_rule"]

PRICE, WRONG, AHEAD = "price", "wrong", "ahead"
_BEFORE = "prices before"
_ROUND = "rounds of prices"  # a new table is shown after every change made elsewhere
_REMEMBERED = 50


def keep_prices(names: Sequence[str]) -> None:
    """Keep the prices of these attributes, the cost of a wrong class, and how far to look ahead."""
    keep_texts(PRICE, lambda text: _read(text, names) is not None)
    keep_texts(WRONG, lambda text: _number(text) is not None)
    keep_texts(AHEAD, lambda text: text == "2")


def has_prices() -> bool:
    """Say whether anything has a price, or a wrong class a cost."""
    return bool(st.session_state.get(PRICE) or st.session_state.get(WRONG))


def looks_ahead() -> bool:
    """Say whether pairs of measurements are looked at, too."""
    return bool(st.session_state.get(AHEAD))


def measuring_rule(analysis: CaseAnalysis, *, ahead: int = 1) -> Rule:
    """Return how measurements are chosen, by what is set here."""
    names, k = tuple(analysis.attributes), len(analysis.classes)
    prices = _prices(names)
    wrong = _wrong()
    costs = None if wrong is None else wrong * (1 - np.eye(k))
    return read_rule(names, cost=prices if has_prices() else None, costs=costs, ahead=ahead)


def choose_prices(analysis: CaseAnalysis) -> None:
    """Let the user give prices."""
    names = tuple(analysis.attributes)
    changed = has_prices()
    with st.expander("Prices" + (" (set)" if changed else ""), expanded=False):
        st.caption(
            "What does it cost to measure each attribute: money, minutes, discomfort? Any unit will do. What "
            "has no price costs 1."
        )
        prices = _prices(names)
        shown = {"attribute": list(names), "price": [prices.get(name) for name in names]}
        key = f"prices {st.session_state.get(_ROUND, 0)}"
        st.data_editor(
            shown,
            key=key,
            hide_index=True,
            height=250,
            num_rows="fixed",
            disabled=["attribute"],
            column_config={
                "attribute": st.column_config.TextColumn("Attribute"),
                "price": st.column_config.NumberColumn("Price", min_value=0.0, width="small"),
            },
            on_change=safely(partial(_take_prices, names, key)),
        )
        wrong = "cost of a wrong class"
        st.session_state[wrong] = _wrong()
        st.number_input(
            "A wrong class costs",
            min_value=0.0,
            value=None,
            placeholder="not said",
            format="%0.6g",
            key=wrong,
            on_change=safely(_take_wrong),
            help="In the same unit. Then measuring is worth its price only if it is expected to save more by "
            "avoiding wrong classes.",
        )
        with st.container(horizontal=True):
            undoable = bool(st.session_state.get(_BEFORE))
            st.button("Undo the last price", on_click=safely(_undo), disabled=not undoable)
            st.button("No prices", on_click=safely(partial(_put, [], [])), disabled=not changed)


def _read(text: str, names: Sequence[str]) -> tuple[str, float] | None:
    name, _, number = text.rpartition("=")
    price = _number(number)
    return (name, price) if price is not None and name in names else None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < inf else None


def _prices(names: Sequence[str]) -> dict[str, float]:
    read = [_read(text, names) for text in st.session_state.get(PRICE, [])]
    return dict(pair for pair in read if pair is not None)


def _wrong() -> float | None:
    said: list[str] = st.session_state.get(WRONG, [])
    return _number(said[-1]) if said else None


def _take_prices(names: Sequence[str], key: str) -> None:
    edits: dict[str, Any] = st.session_state[key]["edited_rows"]
    prices = _prices(names)
    for row, cells in edits.items():
        name = names[int(row)]
        if cells.get("price") is None:
            prices.pop(name, None)
        else:
            prices[name] = float(cells["price"])
    _put([f"{name}={price:g}" for name, price in prices.items()], st.session_state.get(WRONG, []))


def _take_wrong() -> None:
    cost = st.session_state["cost of a wrong class"]
    _put(st.session_state.get(PRICE, []), [] if not cost else [f"{cost:g}"])


def _put(prices: Sequence[str], wrong: Sequence[str]) -> None:
    now = (list(st.session_state.get(PRICE, [])), list(st.session_state.get(WRONG, [])))
    if (list(prices), list(wrong)) != now:
        before: list[Any] = st.session_state.setdefault(_BEFORE, [])
        before.append(now)
        del before[:-_REMEMBERED]
    _set(prices, wrong)


def _undo() -> None:
    if st.session_state.get(_BEFORE):
        _set(*st.session_state[_BEFORE].pop())


def _set(prices: Sequence[str], wrong: Sequence[str]) -> None:
    put_texts(PRICE, prices)
    put_texts(WRONG, wrong)
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
