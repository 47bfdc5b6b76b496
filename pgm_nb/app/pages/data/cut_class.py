"""Cut a class of numbers into classes: a histogram, and cut points that are dragged, typed or clicked."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from pgm_nb.app.pages.data.cut_editor import parse_points
from pgm_nb.app.shell.repairs import add_steps
from pgm_nb.app.widgets.clicks import safely
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.arrays import Floats, Ints
from pgm_nb.data.discretize import bin_codes
from pgm_nb.data.frame import numbers
from pgm_nb.data.labels import interval_labels, number_label
from pgm_nb.data.repairs import Cut
from pgm_nb.words import plural

__all__ = ["cut_class", "equal_cuts", "moved", "slider_step"]

BARS = 40
MOST_CLASSES = 10
MOST_EQUAL = 5  # classes with equally many rows that are offered
_POINTS, _DONE = "cut points of the class", "the class was cut"


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
        _histogram(name, title, known, cuts, codes)
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
                    on_click=safely(partial(_put, name, equal_cuts(known, k))),
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


def _histogram(name: str, title: str, values: Floats, cuts: tuple[float, ...], codes: Ints) -> None:
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
        on_select=safely(partial(_take_click, key, name, cuts, reach)),
        selection_mode=CLICK,
    )
    st.caption(
        "Drag a slider, or move it with the arrow keys. A click in the chart sets a cut point; a click on a "
        "line removes it."
    )


def _take_slider(key: str, name: str, place: int, cuts: tuple[float, ...]) -> None:
    others = (*cuts[:place], *cuts[place + 1 :])
    _put(name, tuple(sorted({*others, float(f"{st.session_state[key]:.6g}")})))


def _take_click(key: str, name: str, cuts: tuple[float, ...], reach: float) -> None:
    points = st.session_state[key]["selection"].get("at") or []
    if points:
        _put(name, moved(cuts, float(points[0]["at"]), reach))


def _take_typed(key: str, name: str) -> None:
    points = parse_points(st.session_state[key])
    if points is None or len(points) >= MOST_CLASSES:
        st.toast(literal(f"“{st.session_state[key]}” is not a list of at most {MOST_CLASSES - 1} numbers."))
    else:
        _put(name, points)


def _put(name: str, cuts: tuple[float, ...]) -> None:
    st.session_state.setdefault(_POINTS, {})[name] = cuts


def _cut(name: str, cuts: tuple[float, ...]) -> None:
    st.session_state[_POINTS].pop(name, None)
    st.session_state[_DONE] = True
    add_steps(Cut(name, cuts))
