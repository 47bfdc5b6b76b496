"""Cut points on the Data page: the intervals of a column, and a class of numbers cut into classes."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from pgm_nb.app.shell.address import keep
from pgm_nb.app.shell.repairs import CUTS, MOST_CUTS, add_steps, kept_cuts, set_cuts
from pgm_nb.app.shell.screen import DISCRETIZERS
from pgm_nb.app.widgets.clicks import own_key, safely, said_by
from pgm_nb.app.widgets.markdown import bold, literal
from pgm_nb.arrays import Floats, Ints
from pgm_nb.data import Column, learn_encoder
from pgm_nb.data.cuts import bin_codes
from pgm_nb.data.frame import numbers
from pgm_nb.data.labels import interval_labels, number_label
from pgm_nb.data.learn import Way
from pgm_nb.data.repairs import Cut
from pgm_nb.explain.profile import Codes, information_about
from pgm_nb.words import GLOSSARY, Scale, about_class, plural

if TYPE_CHECKING:
    from pgm_nb.app.shell.fitting import Settings

__all__ = ["cut_class", "edit_cuts", "equal_cuts", "moved", "parse_points", "slider_step"]

HISTORY = "cut points before"
BARS = 40
COLOURS = 8  # classes that a histogram distinguishes
OWN = "own"
OTHERS = "all other classes"
MOST_CLASSES = 10
MOST_EQUAL = 5  # classes with equally many rows that are offered
_POINTS, _DONE = "cut points of the class", "the class was cut"


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
    frame: pd.DataFrame,
    settings: "Settings",
    columns: Sequence[str],
    classes: Sequence[str],
    y: Codes,
    *,
    scale: Scale | None,
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
        _effect(name, codes, before, y, changed=column != automatic, scale=scale)
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
    st.session_state.setdefault(HISTORY, []).append(list(st.session_state.get(CUTS) or []))
    set_cuts(cuts)


def _undo() -> None:
    st.session_state[CUTS] = st.session_state[HISTORY].pop()


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


def _effect(name: str, codes: Codes, before: Codes, y: Codes, *, changed: bool, scale: Scale | None) -> None:
    now, then = information_about(codes, y), information_about(before, y)
    of = scale
    more = f"{now - then:+z.3f} bits" if of is None else f"{100 * (now - then) / of.of_class:+z.1f} points"
    st.metric(
        f"What {literal(name)} says about the class",
        about_class(now, scale=scale),
        delta=None
        if not changed
        else f"{more} compared with automatic intervals ({about_class(then, scale=scale)})",
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


def cut_class(cells: pd.Series, proposed: Cut, title: str) -> None:
    """Let the user cut a column of numbers into classes; `title` is what people call it."""
    _editor(str(cells.name), title, numbers(cells.dropna()), proposed.cuts)


@st.fragment  # a cut point that moves is answered at once, without the rest of the page
def _editor(name: str, title: str, known: Floats, proposed: tuple[float, ...]) -> None:
    if st.session_state.pop(_DONE, False):
        st.rerun()
    points: dict[str, tuple[float, ...]] = st.session_state.setdefault(_POINTS, {})
    cuts = points.setdefault(name, proposed)
    codes = np.asarray(bin_codes(known, cuts) if cuts else np.zeros(len(known)), dtype=np.int64)
    rows = np.bincount(codes, minlength=len(cuts) + 1)
    left, right = st.columns([1, 2], gap="medium")
    with right:
        _class_histogram(name, title, known, cuts, codes)
    with left:
        _sliders(name, known, cuts)
        key = f"typed cuts of the class {name}"
        st.session_state[key] = ", ".join(number_label(cut, 6) for cut in cuts)
        st.text_input(
            "Cut points",
            key=key,
            on_change=safely(partial(_take_typed, key, name)),
            help="Numbers separated by commas, such as 40, 65.5. A number equal to a cut point belongs to "
            "the lower class.",
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("Equally many rows:")
            for k in range(2, MOST_EQUAL + 1):
                st.button(
                    str(k),
                    key=f"{k} classes of {name}",
                    on_click=safely(partial(_put_class_cuts, name, equal_cuts(known, k))),
                    type="tertiary",
                    help=f"Cut into {k} classes with equally many rows.",
                )
        _classes(cuts, rows)
        possible = len(cuts) > 0 and int((rows > 0).sum()) > 1
        st.button(
            f"Cut into {plural(len(cuts) + 1, 'class', 'classes')}",
            key=f"cut the class {name}",
            on_click=safely(partial(_cut, name, cuts)),
            type="primary",
            disabled=not possible,
        )


def _sliders(name: str, values: Floats, cuts: tuple[float, ...]) -> None:
    """Show a slider for every cut point: it is dragged, or moved with the arrow keys."""
    low, high = float(values.min()), float(values.max())
    for place, cut in enumerate(cuts):
        key = f"slider {place} of the class {name}"
        st.session_state[key] = min(max(cut, low), high)
        st.slider(
            "Cut at" if len(cuts) == 1 else f"Cut {place + 1} at",
            low,
            high,
            key=key,
            step=slider_step(values),
            format="%g",
            on_change=safely(partial(_take_slider, key, name, place, cuts)),
        )


def slider_step(values: Floats) -> float:
    """Return a round number, about a two-hundredth of the range; whole for whole numbers.

    Examples
    --------
    >>> slider_step(np.array([0.0, 650.0])), slider_step(np.array([0.0, 0.31]))
    (2.0, 0.001)
    """
    aim = float(values.max() - values.min()) / 200
    ten = 10.0 ** np.floor(np.log10(aim))
    step = float(f"{max(factor * ten for factor in (1, 2, 5) if factor * ten <= aim):.6g}")
    return max(step, 1.0) if bool((values % 1 == 0).all()) else step


def _classes(cuts: tuple[float, ...], rows: Ints) -> None:
    st.dataframe(
        pd.DataFrame({"class": interval_labels(cuts), "rows": rows}),
        hide_index=True,
        column_config={
            "class": st.column_config.TextColumn("Class"),
            "rows": st.column_config.ProgressColumn(
                "Rows", format="localized", min_value=0, max_value=max(int(rows.max()), 1)
            ),
        },
    )


def equal_cuts(values: Floats, k: int) -> tuple[float, ...]:
    """Return cut points between k classes with about equally many rows.

    Examples
    --------
    >>> equal_cuts(np.arange(10.0), 2)
    (4.5,)
    """
    found = {float(f"{cut:.6g}") for cut in np.quantile(values, np.arange(1, k) / k)}
    return tuple(sorted(cut for cut in found if values.min() <= cut < values.max()))


def moved(cuts: Sequence[float], at: float, reach: float) -> tuple[float, ...]:
    """Return the cut points after a click: a new one, or without the one that was clicked.

    Examples
    --------
    >>> moved((40.0,), 65.0, reach=1.0), moved((40.0, 65.0), 40.5, reach=1.0)
    ((40.0, 65.0), (65.0,))
    """
    near = [cut for cut in cuts if abs(cut - at) <= reach]
    kept = {cut for cut in cuts if cut not in near} | (set() if near else {at})
    return tuple(sorted(kept)) if len(kept) < MOST_CLASSES else tuple(cuts)


def _class_histogram(name: str, title: str, values: Floats, cuts: tuple[float, ...], codes: Ints) -> None:
    from pgm_nb.views.chart.rows import CLICK, histogram

    edges = np.linspace(values.min(), values.max(), BARS + 1)
    labels = interval_labels(cuts)
    counts = [np.histogram(values[codes == code], edges)[0].tolist() for code in range(len(labels))]
    theme = st.context.theme.type or "light"
    where = ", ".join(number_label(cut, 4) for cut in cuts) or "none"
    chart = histogram(edges.tolist(), counts, labels, cuts, name=title, theme=theme).properties(
        description=f"Histogram of {title}; cut points: {where}."
    )
    key = f"histogram of the class {name} {hash(cuts)}"
    reach = float(edges[-1] - edges[0]) / 100
    st.altair_chart(
        chart,
        width="stretch",
        key=key,
        on_select=safely(partial(_take_class_click, key, name, cuts, reach)),
        selection_mode=CLICK,
    )
    st.caption(
        "Drag a slider, or move it with the arrow keys. A click in the chart sets a cut point; a click on a "
        "line removes it."
    )


def _take_slider(key: str, name: str, place: int, cuts: tuple[float, ...]) -> None:
    others = (*cuts[:place], *cuts[place + 1 :])
    _put_class_cuts(name, tuple(sorted({*others, float(f"{st.session_state[key]:.6g}")})))


def _take_class_click(key: str, name: str, cuts: tuple[float, ...], reach: float) -> None:
    points = st.session_state[key]["selection"].get("at") or []
    if points:
        _put_class_cuts(name, moved(cuts, float(points[0]["at"]), reach))


def _take_typed(key: str, name: str) -> None:
    points = parse_points(st.session_state[key])
    if points is None or len(points) >= MOST_CLASSES:
        st.toast(literal(f"“{st.session_state[key]}” is not a list of at most {MOST_CLASSES - 1} numbers."))
    else:
        _put_class_cuts(name, points)


def _put_class_cuts(name: str, cuts: tuple[float, ...]) -> None:
    st.session_state.setdefault(_POINTS, {})[name] = cuts


def _cut(name: str, cuts: tuple[float, ...]) -> None:
    st.session_state[_POINTS].pop(name, None)
    st.session_state[_DONE] = True
    add_steps(Cut(name, cuts))
