"""The tornado chart: how far each unknown value could move a probability.

Names are data here, never code, so any name is safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgm_nb.data.labels import unique_labels
from pgm_nb.errors import needed
from pgm_nb.views.chart.look import dressed, inline
from pgm_nb.views.style import brief, class_colour, colours, visible
from pgm_nb.words import probability

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Range", "range_chart"]

_WIDTH, _ROW = 520, 26
_LETTER, _MOST = 5.6, 20  # pixels of a letter, and letters that are shown of a state
LESS, MORE = "less probable", "more probable"


@dataclass(frozen=True)
class Range:
    """The lowest and the highest probability that one attribute could lead to, and the states that do.

    Examples
    --------
    >>> Range("age", 0.2, 0.7, "≤ 40", "> 60").high
    0.7
    """

    name: str
    low: float
    high: float
    low_state: str
    high_state: str


def range_chart(now: float, ranges: Sequence[Range], *, title: str, theme: str = "light") -> alt.LayerChart:
    """Draw the ranges, in the order given from the top, around the probability now.

    Examples
    --------
    >>> chart = range_chart(0.5, [Range("age", 0.2, 0.7, "≤ 40", "> 60")], title="probability of ill")
    >>> len(chart.to_dict()["layer"])
    4
    """
    with needed("altair", "a chart"):
        import altair as alt

    paint = colours(theme)
    names = unique_labels(brief(each.name) for each in ranges)
    rows = []
    for name, each in zip(names, ranges, strict=True):
        low, high = min(each.low, now), max(each.high, now)
        for kind, begin, end, state, chance in (
            (LESS, low, now, each.low_state, each.low),
            (MORE, now, high, each.high_state, each.high),
        ):
            rows.append(
                {
                    "name": name,
                    "kind": kind,
                    "begin": begin,
                    "end": end,
                    "state": visible(state),
                    "chance": probability(chance),
                }
            )
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(format="%", tickCount=5)
    base = alt.Chart(inline(rows)).encode(
        y=alt.Y(
            "name:N",
            sort=list(names),
            title=None,
            axis=alt.Axis(labelLimit=260, grid=False, ticks=False, domain=False),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="attribute"),
            alt.Tooltip("state:N", title="if it is"),
            alt.Tooltip("chance:N", title="probability"),
        ],
    )
    kinds = alt.Color(
        "kind:N", scale=alt.Scale(domain=[LESS, MORE], range=[class_colour(1), class_colour(0)])
    )
    bars = base.mark_bar(height={"band": 0.7}).encode(
        x=alt.X("begin:Q", title=brief(title), scale=scale, axis=axis), x2="end:Q", color=kinds
    )
    left = (
        _fitting(base.transform_filter(f"datum.kind == '{LESS}'"), "datum.begin")
        .mark_text(align="right", dx=-4, color=paint["number"])
        .encode(x=alt.X("begin:Q", scale=scale), text="shown:N")
    )
    right = (
        _fitting(base.transform_filter(f"datum.kind == '{MORE}'"), "(1 - datum.end)")
        .mark_text(align="left", dx=4, color=paint["number"])
        .encode(x=alt.X("end:Q", scale=scale), text="shown:N")
    )
    line = alt.Chart(inline([{"now": now}])).mark_rule(color=paint["text"]).encode(x="now:Q")
    chart = alt.layer(bars, left, right, line).properties(width=_WIDTH, height=_ROW * len(ranges))
    finished: alt.LayerChart = dressed(chart, theme)
    return finished


def _fitting(chart: alt.Chart, free: str) -> alt.Chart:
    """Shorten each state to the room beside its bar, which is that share of the width.

    A number is shown whole or not at all: cut short, it would be another one.
    """
    letters = f"min({_MOST}, floor(({free} * width - 4) / {_LETTER}))"
    cut = f"{letters} < 4 || test(/[0-9]/, datum.state) ? '' : truncate(datum.state, {letters})"
    return chart.transform_calculate(shown=f"length(datum.state) <= {letters} ? datum.state : {cut}")
