"""Prices of measuring, on the What-if page: a small table, kept in the address as ``price=scan=20``.

Attributes that are measured together are ``together=blood=sugar``, one piece each, with the name of the group
first. What a wrong class costs, in the same unit, is ``wrong=500``; ``ahead=2`` looks two measurements ahead.
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

__all__ = ["choose_prices", "groups_of", "has_prices", "keep_prices", "looks_ahead", "measuring_rule", "said"]

PRICE, WRONG, AHEAD, TOGETHER = "price", "wrong", "ahead", "together"
_BEFORE = "prices before"
_ROUND = "rounds of prices"  # a new table is shown after every change made elsewhere
_REMEMBERED = 50


def keep_prices(names: Sequence[str]) -> None:
    """Keep the prices of these attributes, the cost of a wrong class, and how far to look ahead."""
    keep_texts(PRICE, lambda text: _read(text, names) is not None)
    keep_texts(WRONG, lambda text: _number(text) is not None)
    keep_texts(AHEAD, lambda text: text == "2")
    keep_texts(TOGETHER, lambda text: _member(text, names) is not None)


def has_prices() -> bool:
    """Say whether anything has a price, or a wrong class a cost."""
    return bool(st.session_state.get(PRICE) or st.session_state.get(WRONG))


def looks_ahead() -> bool:
    """Say whether pairs of measurements are looked at, too."""
    return bool(st.session_state.get(AHEAD))


def said() -> tuple[tuple[str, ...], ...]:
    """Return all that is set here, as it stands in the address."""
    return tuple(tuple(st.session_state.get(key, [])) for key in (PRICE, WRONG, TOGETHER))


def groups_of(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the attributes that are measured together by the name of their group; one alone is no group."""
    found: dict[str, list[str]] = {}
    for name, group in _together(names).items():
        title = f"{group} (together)" if group in names else group
        found.setdefault(title, []).append(name)
    return {group: tuple(members) for group, members in found.items() if len(members) > 1}


def measuring_rule(analysis: CaseAnalysis, *, ahead: int = 1) -> Rule:
    """Return how measurements are chosen, by what is set here."""
    names, k = tuple(analysis.attributes), len(analysis.classes)
    prices, groups = _prices(names), groups_of(names)
    for group, members in groups.items():
        each = [prices.pop(name) for name in members if name in prices]
        prices |= {group: max(each)} if each else {}
    wrong = _wrong()
    costs = None if wrong is None else wrong * (1 - np.eye(k))
    cost = prices if has_prices() else None
    return read_rule(names, cost=cost, groups=groups or None, costs=costs, ahead=ahead)


def choose_prices(analysis: CaseAnalysis) -> None:
    """Let the user give prices."""
    names = tuple(analysis.attributes)
    changed = has_prices() or bool(st.session_state.get(TOGETHER))
    with st.expander("Prices" + (" (set)" if changed else ""), expanded=False):
        st.caption(
            "What does it cost to measure each attribute: money, minutes, discomfort? Any unit will do. What "
            "has no price costs 1. Write the same word in the last column for attributes that are measured "
            "together, such as “blood”: they cost one price, the highest of theirs."
        )
        prices, together = _prices(names), _together(names)
        shown = {
            "attribute": list(names),
            "price": [prices.get(name) for name in names],
            "together": [together.get(name) for name in names],
        }
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
                "together": st.column_config.TextColumn("Together", width="small", max_chars=40),
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
            st.button("No prices", on_click=safely(partial(_put, [], [], [])), disabled=not changed)


def _read(text: str, names: Sequence[str]) -> tuple[str, float] | None:
    name, _, number = text.rpartition("=")
    price = _number(number)
    return (name, price) if price is not None and name in names else None


def _member(text: str, names: Sequence[str]) -> tuple[str, str] | None:
    group, _, name = text.partition("=")
    return (name, group) if group and name in names else None


def _together(names: Sequence[str]) -> dict[str, str]:
    """Return the group of every attribute that has one."""
    read = [_member(text, names) for text in st.session_state.get(TOGETHER, [])]
    return dict(pair for pair in read if pair is not None)


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
    prices, together = _prices(names), _together(names)
    for row, cells in edits.items():
        name = names[int(row)]
        if "price" in cells:
            prices.pop(name, None)
            prices |= {} if cells["price"] is None else {name: float(cells["price"])}
        if "together" in cells:
            together.pop(name, None)
            group = (cells["together"] or "").replace("=", " ").strip()
            together |= {name: group} if group else {}
    _put(
        [f"{name}={price:g}" for name, price in prices.items()],
        st.session_state.get(WRONG, []),
        [f"{group}={name}" for name, group in together.items()],
    )


def _take_wrong() -> None:
    cost = st.session_state["cost of a wrong class"]
    wrong = [] if not cost else [f"{cost:g}"]
    _put(st.session_state.get(PRICE, []), wrong, st.session_state.get(TOGETHER, []))


def _put(prices: Sequence[str], wrong: Sequence[str], together: Sequence[str]) -> None:
    now = said()
    if (tuple(prices), tuple(wrong), tuple(together)) != now:
        before: list[Any] = st.session_state.setdefault(_BEFORE, [])
        before.append(now)
        del before[:-_REMEMBERED]
    _set(prices, wrong, together)


def _undo() -> None:
    if st.session_state.get(_BEFORE):
        _set(*st.session_state[_BEFORE].pop())


def _set(prices: Sequence[str], wrong: Sequence[str], together: Sequence[str]) -> None:
    put_texts(PRICE, prices)
    put_texts(WRONG, wrong)
    put_texts(TOGETHER, together)
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
