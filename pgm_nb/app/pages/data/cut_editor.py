"""The editor of intervals: a histogram with its cut points, and their information about the class."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.cuts import KEY, MOST_CUTS, kept_cuts, set_cuts
from pgm_nb.app.shell.sidebar import DISCRETIZERS
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.app.widgets.own_key import own_key, said_by
from pgm_nb.data import Column, learn_encoder
from pgm_nb.data.frame import numbers
from pgm_nb.data.labels import number_label
from pgm_nb.data.learn import Way
from pgm_nb.explain.profile import Codes, information_about
from pgm_nb.words import GLOSSARY, about_class, scale

if TYPE_CHECKING:
    from pgm_nb.app.shell.fitting import Settings

__all__ = ["edit_cuts", "parse_points"]

HISTORY = "cut points before"
BARS = 40
COLOURS = 8  # classes that a histogram distinguishes
OWN = "own"
OTHERS = "all other classes"


def parse_points(text: str) -> tuple[float, ...] | None:
    """Read the cut points that were typed; None if they are not numbers.

    Between semicolons a number may have a decimal comma.

    Examples
    --------
    >>> parse_points("65.5, 40 50"), parse_points("1,5; 2,5"), parse_points("old")
    ((40.0, 50.0, 65.5), (1.5, 2.5), None)
    """
    parts = text.replace(",", ".").split(";") if ";" in text else re.split(r"[,\s]+", text)
    try:
        points = {float(part) + 0.0 for part in parts if part.strip()}
    except ValueError:
        return None
    return tuple(sorted(points)) if len(points) <= MOST_CUTS and np.isfinite([*points]).all() else None


def edit_cuts(
    frame: pd.DataFrame, settings: "Settings", columns: Sequence[str], classes: Sequence[str], y: Codes
) -> None:
    """Show the editor for the columns of numbers."""
    st.markdown("#### Intervals of numbers")
    st.write(
        "Before learning, measured numbers are sorted into intervals. Here you can see them, and set your "
        "own cut points, such as clinical thresholds."
    )
    keep("column", columns, columns[0])
    left, right = st.columns([1, 2], vertical_alignment="top")
    name = left.selectbox("Column", columns, key="column", format_func=str)
    own = kept_cuts(frame, settings.target, settings.leave_out)
    cells = frame[name]
    way = own.get(name, settings.discretizer)
    column, codes = _grouped(cells, y, way, settings.n_bins)
    automatic, before = _grouped(cells, y, settings.discretizer, settings.n_bins)
    cuts = _cuts(column)
    with left:
        _choose_way(name, own, cuts, settings.discretizer)
        _type_points(name, own, cuts)
        _buttons(name, own, settings.discretizer)
    with right:
        _histogram(name, cells, y, classes, cuts, own)
        _effect(name, codes, before, y, changed=column != automatic)
    _intervals(column, codes, y, classes)


def _grouped(cells: pd.Series, y: Codes, way: Way, n_bins: int | None) -> tuple[Column, Codes]:
    name = str(cells.name)
    encoder, codes, _, _ = learn_encoder(cells.to_frame(), y, discretizer={name: way}, n_bins=n_bins)
    return encoder.columns[0], codes[0]


def _cuts(column: Column) -> tuple[float, ...]:
    """Return the cut points of a column; between its values if it is not binned."""
    if column.cuts is not None:
        return column.cuts
    values = [float(state) for state in column.states[: column.card - column.missing_state]]
    return tuple((low + high) / 2 for low, high in pairwise(values))


def _choose_way(name: str, own: dict[str, Way], cuts: tuple[float, ...], discretizer: str) -> None:
    chosen = own.get(name)
    titles = {
        "": f"Like all numbers ({DISCRETIZERS[discretizer].lower()})",
        **DISCRETIZERS,
        OWN: "My own cut points",
    }
    st.radio(
        "Intervals of this column",
        [*titles],
        key=own_key(f"way of {name}", OWN if isinstance(chosen, tuple) else chosen or ""),
        format_func=titles.__getitem__,
        on_change=safely(partial(_take_way, name, own, cuts)),
        help="How the numbers of this column become intervals. The first choice follows the side bar.",
    )


def _take_way(name: str, own: dict[str, Way], cuts: tuple[float, ...]) -> None:
    way = said_by(f"way of {name}")
    _put(name, own, tuple(_rounded(cut) for cut in cuts) if way == OWN else way or None)


def _type_points(name: str, own: dict[str, Way], cuts: tuple[float, ...]) -> None:
    st.text_input(
        "Cut points",
        key=own_key(f"points of {name}", ", ".join(number_label(cut, 6) for cut in cuts)),
        on_change=safely(partial(_take_points, name, own)),
        placeholder="none",
        help="Numbers separated by commas, such as 40, 65.5. If you write decimal commas, separate the "
        "numbers by semicolons: 1,5; 2,5. A value equal to a cut point belongs to the lower interval.",
    )
    problem = st.session_state.pop(f"problem of {name}", None)
    if problem is not None:
        st.error(literal(problem))


def _take_points(name: str, own: dict[str, Way]) -> None:
    text = said_by(f"points of {name}")
    points = parse_points(text)
    if points is None:
        st.session_state[f"problem of {name}"] = (
            f"'{text}' is not a list of at most {MOST_CUTS} numbers: separate them by "
            "commas, such as 40, 65.5."
        )
    else:
        _put(name, own, points)


def _buttons(name: str, own: dict[str, Way], discretizer: str) -> None:
    history: list[list[str]] = st.session_state.setdefault(HISTORY, [])
    way = own.get(name)
    with st.container(horizontal=True):
        st.button(
            "Undo", on_click=safely(_undo), disabled=not history, help="Undo the last change of intervals."
        )
        st.button(
            "Back to automatic",
            on_click=safely(_put),
            args=(name, own, None),
            disabled=way is None,
            help="Use the same kind of intervals as for all numbers.",
        )
        if isinstance(way, str) and way != discretizer:
            st.button(
                "Use for all columns",
                on_click=safely(_for_all),
                args=(name, own, way),
                help="Make the intervals of all numbers this way; your own cut points stay.",
            )
        if len(own) > (way is not None):
            st.button(
                "All back to automatic",
                on_click=safely(_remember_and_set),
                args=({},),
                help=f"Undo what was set for {len(own)} columns.",
            )


def _put(name: str, own: dict[str, Way], way: Way | None) -> None:
    """Set how one column becomes intervals; None means like all numbers."""
    others = {column: its for column, its in own.items() if column != name}
    _remember_and_set(others if way is None else {**others, name: way})


def _for_all(name: str, own: dict[str, Way], way: str) -> None:
    st.session_state["bins"] = way
    _remember_and_set({column: its for column, its in own.items() if isinstance(its, tuple)})


def _remember_and_set(cuts: dict[str, Way]) -> None:
    st.session_state.setdefault(HISTORY, []).append(list(st.session_state.get(KEY) or []))
    set_cuts(cuts)


def _undo() -> None:
    st.session_state[KEY] = st.session_state[HISTORY].pop()


def _histogram(
    name: str,
    cells: pd.Series,
    y: Codes,
    classes: Sequence[str],
    cuts: tuple[float, ...],
    own: dict[str, Way],
) -> None:
    """Show how the column is spread; a click sets a cut point or removes one."""
    from pgm_nb.views.chart.rows import CLICK, histogram

    edges, counts, shown = _bars(numbers(cells), y, classes)
    if edges is None:
        st.info("This column has no two different values, so there is nothing to divide.")
        return
    chart = histogram(
        edges.tolist(), counts, shown, cuts, name=name, theme=st.context.theme.type or "light"
    ).properties(description=_alternative(name, cuts, classes))
    key = f"histogram {name} {hash(cuts)}"
    reach = float(edges[-1] - edges[0]) / 100
    st.altair_chart(
        chart,
        width="stretch",
        key=key,
        on_select=safely(partial(_take_click, key, name, own, cuts, reach)),
        selection_mode=CLICK,
    )
    st.caption("Click in the chart to set a cut point; click on a line to remove it.")


def _bars(
    values: "np.ndarray[Any, Any]", y: Codes, classes: Sequence[str]
) -> tuple[Any, list[list[int]], list[str]]:
    """Return the edges of the bars, the rows in each for every class shown, and the names of those."""
    known = ~np.isnan(values)
    values, y = values[known], y[known]
    if len(values) == 0 or values.min() == values.max():
        return None, [], []
    distinct = np.unique(values[:10_000])
    few = len(distinct) <= BARS and len(values) <= 10_000
    step = np.diff(distinct).min() if few else 0.0
    if few and (values.max() - values.min()) / step <= 2 * BARS:  # a bar for every value
        edges = np.arange(values.min() - step / 2, values.max() + step, step)
    else:
        edges = np.linspace(values.min(), values.max(), BARS + 1)
    order = np.argsort(-np.bincount(y, minlength=len(classes)), kind="stable")
    shown = sorted(order[:COLOURS] if len(classes) <= COLOURS else order[: COLOURS - 1])
    counts = [np.histogram(values[y == place], edges)[0].tolist() for place in shown]
    names = [classes[place] for place in shown]
    if len(classes) > COLOURS:
        counts.append(np.histogram(values[~np.isin(y, shown)], edges)[0].tolist())
        names.append(OTHERS)
    return edges, counts, names


def _take_click(key: str, name: str, own: dict[str, Way], cuts: tuple[float, ...], reach: float) -> None:
    points = st.session_state[key]["selection"].get("at") or []
    if not points:
        return
    at = float(points[0]["at"])
    near = [cut for cut in cuts if abs(cut - at) <= reach]
    kept = {_rounded(cut) for cut in cuts if cut not in near} | (set() if near else {at})
    if len(kept) <= MOST_CUTS:
        _put(name, own, tuple(sorted(kept)))


def _effect(name: str, codes: Codes, before: Codes, y: Codes, *, changed: bool) -> None:
    now, then = information_about(codes, y), information_about(before, y)
    of = scale()
    more = f"{now - then:+z.3f} bits" if of is None else f"{100 * (now - then) / of.of_class():+z.1f} points"
    st.metric(
        f"What {literal(name)} says about the class",
        about_class(now),
        delta=None if not changed else f"{more} compared with automatic intervals ({about_class(then)})",
        help=(GLOSSARY["bits"] if of is None else "100% is everything there is to know about it.")
        + " More intervals always carry a little more information about this table, "
        "but an interval with few rows may be chance.",
    )


def _intervals(column: Column, codes: Codes, y: Codes, classes: Sequence[str]) -> None:
    """List the intervals with their rows in every class."""
    k = len(classes)
    pairs = np.bincount(codes.astype(np.intp) * k + y, minlength=column.card * k).reshape(-1, k)
    if k > COLOURS:  # the commonest, and the others together, as in the histogram
        order = np.argsort(-pairs.sum(axis=0), kind="stable")
        first = sorted(order[: COLOURS - 1])
        others = pairs[:, order[COLOURS - 1 :]].sum(axis=1, keepdims=True)
        classes = [*(classes[place] for place in first), OTHERS]
        pairs, k = np.hstack([pairs[:, first], others]), COLOURS
    table = pd.DataFrame(pairs, columns=[f"class {place}" for place in range(k)])
    table.insert(0, "group", column.labels)
    table.insert(1, "rows", pairs.sum(axis=1))
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        key="groups of the column",
        column_config={
            "group": st.column_config.TextColumn("Interval"),
            "rows": st.column_config.ProgressColumn(
                "Rows", format="localized", min_value=0, max_value=max(int(table["rows"].max()), 1)
            ),
            **{f"class {place}": number(label, format="localized") for place, label in enumerate(classes)},
        },
    )
    empty = [label for label, rows in zip(column.labels, pairs.sum(axis=1), strict=True) if rows == 0]
    if empty:
        st.warning(f"No row falls into {', '.join(bold(label) for label in empty)}.")


def _alternative(name: str, cuts: Sequence[float], classes: Sequence[str]) -> str:
    where = ", ".join(number_label(cut, 4) for cut in cuts) or "none"
    return f"Histogram of {name} in {len(classes)} classes; cut points: {where}."


def _rounded(cut: float) -> float:
    return float(f"{cut:.6g}")
