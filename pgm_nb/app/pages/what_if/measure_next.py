"""What to measure next, at which prices, and the flow chart that follows from it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from pgm_nb.app.pages.features import order
from pgm_nb.app.pages.what_if.case import PRIOR
from pgm_nb.app.shell.address import keep_texts, put, put_texts
from pgm_nb.app.shell.fitting import training_rows
from pgm_nb.app.shell.screen import Screen
from pgm_nb.app.shell.work import Progress, work
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.downloads import offer_prints
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.picture import show_picture
from pgm_nb.errors import QueryError
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.importance.study import sure_steps
from pgm_nb.explain.next_measurement import SAVED, Rule, read_rule
from pgm_nb.explain.protocols import Known
from pgm_nb.explain.questions import QuestionTree, question_tree
from pgm_nb.explain.questions.stations import Limits, grow, simplified
from pgm_nb.words import Scale, about_class, listed

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.next_measurement import Rule

__all__ = [
    "choose_prices",
    "groups_of",
    "has_prices",
    "keep_prices",
    "keep_questions",
    "looks_ahead",
    "measuring_rule",
    "said",
    "show_flow_chart",
    "show_next",
]

NEXT = 5  # attributes that are proposed to be measured next
SPACE = "\N{NO-BREAK SPACE}"
PRICE, WRONG, AHEAD, TOGETHER = "price", "wrong", "ahead", "together"
_BEFORE = "prices before"
_ROUND = "rounds of prices"  # a new table is shown after every change made elsewhere
_REMEMBERED = 50
QUESTIONS, CHART = "questions", "chart"
MOST, USUAL = 5, 3


def show_next(analysis: CaseAnalysis, known: Known, screen: Screen) -> None:
    """Rank the unknown attributes by what they are expected to say about the class, per price."""
    st.markdown(
        "**What to measure next**",
        help="With nothing known, the order of Features: what says most about the class, then what adds most "
        "to those above it, on rows the model has not seen. Once something is known, "
        + (
            "the information, in bits,"
            if screen.shares is None
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
            _show_order(path, scale=screen.shares)
    else:
        _show_ranked(analysis, known, screen, shown)


def _show_order(path: "pd.DataFrame", *, scale: Scale | None) -> None:
    """Propose the attributes in the order in which they matter, each with what it adds to those above it."""
    sure = sure_steps(path)
    for place, (name, bits) in enumerate(
        zip(path["attribute"].head(NEXT), path["value"].head(NEXT), strict=True)
    ):
        text = (
            f"{'then ' if place else ''}{literal(str(name))} · "
            f"{_adds(float(bits), place, place < sure, scale=scale)}"
        )
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
                _said(row, left if name in groups else (), scale=screen.shares),
                key=f"next {name}",
                type="tertiary",
                on_click=safely(partial(_point_at, left[0])),
            )
    if further is not None and not ranked.empty:
        st.caption(_together(ranked, scale=screen.shares))


def _pairs(analysis: CaseAnalysis, known: Known, screen: Screen) -> "pd.DataFrame | None":
    """Rank with an eye on pairs, in the background: for models without tables that takes seconds."""
    rule = measuring_rule(analysis, ahead=2)
    case = tuple((name, repr(value)) for name, value in known.items())
    rates = tuple(analysis.model.class_log_prior_.tolist())
    key = ("two ahead", *screen.fitted.key, case, said(), rates)
    return work(key, partial(_ranked, analysis, known, rule), label="Looking at pairs")


def _ranked(analysis: CaseAnalysis, known: Known, rule: "Rule", progress: Progress) -> "pd.DataFrame":
    return analysis.next_best(known, rule)


def _said(row: dict[Any, Any], members: Sequence[str], *, scale: Scale | None) -> str:
    """Write one attribute, or what is measured together, with what it is good for."""
    name = literal(str(row["attribute"]))
    name += f" ({literal(listed(members))})" if members else ""
    good = f"saves {row[SAVED]:.3g}" if SAVED in row else _amount(float(row["information"]), scale=scale)
    if "price" not in row:
        return f"{name} · {good}"
    text = f"{name} · {good} for {row['price']:g}"
    if SAVED not in row and 0 < row["price"] != 1:
        text += f" ({row['per price']:.3g} per 1)"
    return text if row["worth"] else f"{text} · not worth it"


def _adds(bits: float, place: int, sure: bool, *, scale: Scale | None) -> str:
    """Write what an attribute adds to those above it; on new rows that can be less than nothing."""
    if bits <= 0:
        return f"adds{SPACE}nothing"
    good = f"{_amount(bits, scale=scale)}{SPACE}more" if place else _amount(bits, scale=scale)
    return good if sure else f"{good}, may be chance"


def _amount(information: float, *, scale: Scale | None) -> str:
    """Write what is to be expected about the class."""
    said = about_class(information, scale=scale)
    return said.replace(" ", SPACE) if scale is None else f"settles{SPACE}{said}"


def _together(ranked: "pd.DataFrame", *, scale: Scale | None) -> str:
    """Say whether looking ahead changes what comes first."""
    first = ranked.iloc[0]
    if first["with"] is None:
        return "Looking two measurements ahead does not change what comes first."
    both = (
        f"{first['together']:.3g} saved"
        if SAVED in ranked
        else _amount(float(first["together"]), scale=scale)
    )
    one, other = bold(str(first["attribute"])), bold(str(first["with"]))
    return f"Neither {one} nor {other} says as much alone as both say together: {both}."


def _look_ahead() -> None:
    put_texts(AHEAD, ["2"] if st.session_state["look ahead"] else [])


def _point_at(name: str) -> None:
    put("attribute", name)
    st.session_state["asked"] = st.session_state.get("asked", 0) + 1


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
    for name, group in _measured_together(names).items():
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
        prices, together = _prices(names), _measured_together(names)
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


def _measured_together(names: Sequence[str]) -> dict[str, str]:
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
    prices, together = _prices(names), _measured_together(names)
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
