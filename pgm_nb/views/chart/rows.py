"""Charts of the rows themselves: how often each class occurs, and how a measurement is spread."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from typing import Any

from pgm_nb.data.labels import number_label, unique_labels
from pgm_nb.errors import needed
from pgm_nb.views.chart.look import class_scale, dressed, inline
from pgm_nb.views.style import brief, colours
from pgm_nb.words import percent

__all__ = ["CLICK", "class_balance", "histogram", "places"]

CLICK = "at"  # the selection that holds where a histogram was clicked
PLACES = 200  # places of a histogram that can be clicked
_BAR, _AXIS, _HEIGHT = 34, 60, 300  # pixels: a class, the axis below, a histogram with all around it


def class_balance(classes: Sequence[str], counts: Sequence[int], theme: str = "light") -> Any:
    """Draw how many rows each class has, with the number and the share at each bar.

    Examples
    --------
    >>> chart = class_balance(["ill", "well"], [25, 75])
    >>> [row["label"] for [*rows] in chart.to_dict()["datasets"].values() for row in rows]
    ['25 (25%)', '75 (75%)']
    """
    with needed("altair", "a chart"):
        import altair as alt

    names = unique_labels(brief(name) for name in classes)
    whole = sum(counts) or 1
    rows = [
        {"class": name, "rows": int(count), "label": f"{count:,} ({percent(count, whole)})"}
        for name, count in zip(names, counts, strict=True)
    ]
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y("class:N", sort=list(names), title=None, axis=alt.Axis(labelLimit=220, ticks=False)),
        x=alt.X(
            "rows:Q",
            title="rows",
            scale=alt.Scale(domainMax=max([*counts, 1]) * 1.45),
            axis=alt.Axis(tickMinStep=1),
        ),
        tooltip=[alt.Tooltip("class:N"), alt.Tooltip("rows:Q", format=",")],
    )
    bars = base.mark_bar(height={"band": 0.7}).encode(
        color=alt.Color("class:N", scale=class_scale(names), legend=None)
    )
    labels = base.mark_text(align="left", dx=5, color=colours(theme)["text"]).encode(text="label:N")
    return dressed(alt.layer(bars, labels).properties(height=_BAR * len(names) + _AXIS), theme)


def histogram(
    edges: Sequence[float],
    counts: Sequence[Sequence[int]],
    classes: Sequence[str],
    cuts: Sequence[float],
    *,
    name: str,
    theme: str = "light",
) -> Any:
    """Draw how a measurement is spread in every class, with its cut points as lines.

    Parameters
    ----------
    edges
        Of the bars, ascending; one more than bars.
    counts
        Rows in each bar, for every class.
    classes
        Names of the classes.
    cuts
        The cut points.
    name
        Of the measurement.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Returns
    -------
    altair.LayerChart
        Its selection named by `CLICK` holds the number at which it was clicked.

    Examples
    --------
    >>> chart = histogram([0, 1, 2], [[3, 1], [0, 4]], ["ill", "well"], [1.0], name="dose")
    >>> [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]
    ['rect', 'rule', 'text', 'rect']
    """
    with needed("altair", "a chart"):
        import altair as alt

    names = unique_labels(brief(label) for label in classes)
    domain = alt.Scale(domain=[float(edges[0]), float(edges[-1])], nice=False, clamp=True)
    bars = (
        alt.Chart(inline(_stacked(edges, counts, names)))
        .mark_rect(stroke=colours(theme)["page"], strokeWidth=0.5)
        .encode(
            x=alt.X("from:Q", title=brief(name), scale=domain, axis=alt.Axis(grid=False)),
            x2="to:Q",
            y=alt.Y("below:Q", title="rows", axis=alt.Axis(tickMinStep=1)),
            y2="above:Q",
            color=alt.Color("class:N", scale=class_scale(names), sort=list(names)),
        )
    )
    paint = colours(theme)
    at = [
        {"cut": float(cut), "label": number_label(float(cut), 4), "height": -14 * (place % 2)}
        for place, cut in enumerate(cuts)  # on two levels, so that close ones stay legible
    ]
    marks = alt.Chart(inline(at)).encode(x=alt.X("cut:Q", scale=domain, title=brief(name)))
    lines = marks.mark_rule(color=paint["text"], strokeWidth=2, strokeDash=[6, 3], clip=True)
    labels = marks.mark_text(color=paint["text"], dy=-6, baseline="bottom", fontSize=11).encode(
        y=alt.Y("height:Q", scale=None, axis=None), text="label:N"
    )
    strips = _strips(alt, edges, domain, brief(name))
    return dressed(alt.layer(bars, lines, labels, strips).properties(height=_HEIGHT), theme)


def places(low: float, high: float, number: int = PLACES) -> tuple[float, ...]:
    """Return round numbers, about evenly spread between two ends, at which a histogram can be clicked.

    Examples
    --------
    >>> places(0.0, 1.0, number=5)
    (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    """
    step = (high - low) / number
    digits = 0 if step <= 0 else max(0, -floor(log10(step)))
    return tuple(dict.fromkeys(round(low + i * step, digits) for i in range(number + 1)))


def _stacked(
    edges: Sequence[float], counts: Sequence[Sequence[int]], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the boxes of a stacked histogram, the last class at the bottom."""
    rows, below = [], [0] * (len(edges) - 1)
    for name, bars in zip(reversed(names), reversed(counts), strict=True):
        for place, count in enumerate(bars):
            if count:
                box = {"from": float(edges[place]), "to": float(edges[place + 1])}
                rows.append({"class": name, **box, "below": below[place], "above": below[place] + int(count)})
                below[place] += int(count)
    return rows


def _strips(alt: Any, edges: Sequence[float], domain: Any, name: str) -> Any:
    """Return invisible strips over the histogram that can be clicked."""
    low, high = float(edges[0]), float(edges[-1])
    half = (high - low) / PLACES / 2
    values = [
        {"at": place, "from": max(low, place - half), "to": min(high, place + half)}
        for place in places(low, high)
    ]
    click = alt.selection_point(name=CLICK, fields=["at"], on="click", empty=False, toggle=False)
    return (
        alt.Chart(inline(values))
        .mark_rect(opacity=0.001, cursor="crosshair")
        .encode(
            x=alt.X("from:Q", scale=domain, title=name),
            x2="to:Q",
            y=alt.value(0),
            y2=alt.value("height"),
            tooltip=[alt.Tooltip("at:Q", title="click: cut at")],
        )
        .add_params(click)
    )
