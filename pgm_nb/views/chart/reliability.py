"""The reliability plot: what a model says beside what happens."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import needed
from pgm_nb.views.chart.look import dressed, inline
from pgm_nb.views.style import colours
from pgm_nb.words import percent

if TYPE_CHECKING:
    import altair as alt

__all__ = ["interval", "reliability_chart"]

_SIDE = 340
Z = 1.96  # standard deviations either side that hold 95%


def reliability_chart(
    predicted: Sequence[float], observed: Sequence[float], rows: Sequence[int], *, theme: str = "light"
) -> alt.LayerChart:
    """Draw a dot for every group of rows: what the model said, and how often it happened.

    Dots on the dashed line are right on average. A bar is what chance leaves open: the 95% interval of the
    share (Wilson 1927).

    Parameters
    ----------
    predicted, observed, rows
        Mean probability, share that was right and number of rows of every group.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> chart = reliability_chart([0.6, 0.9], [0.5, 0.95], [40, 60])
    >>> len(chart.to_dict()["layer"])
    4
    """
    with needed("altair", "a chart"):
        import altair as alt

    paint = colours(theme)
    points: list[dict[str, Any]] = []
    for said, came, count in zip(predicted, observed, rows, strict=True):
        low, high = interval(came, count)
        points.append(
            {
                "said": said,
                "came": came,
                "low": low,
                "high": high,
                "rows": count,
                "says": percent(said),
                "happens": percent(came),
            }
        )
    least = min([point["low"] for point in points] + [point["said"] for point in points], default=0.0)
    scale = alt.Scale(domain=[float(f"{max(0.0, least - 0.02):.2f}"), 1.0], nice=False)
    percents = alt.Axis(format=".0%", tickCount=6)
    x = alt.X("said:Q", title="The model says", scale=scale, axis=percents)
    y = alt.Y("came:Q", title="It happens", scale=scale, axis=percents)
    ends = [{"said": value, "came": value} for value in scale.domain]
    diagonal = alt.Chart(inline(ends)).mark_line(color=paint["outline"], strokeDash=[5, 4], strokeWidth=1.2)
    base = alt.Chart(inline(points))
    tips = [
        alt.Tooltip("says:N", title="The model says"),
        alt.Tooltip("happens:N", title="It happens"),
        alt.Tooltip("rows:Q", title="Rows", format=","),
    ]
    bars = base.mark_rule(color=paint["class fill"], strokeWidth=2, opacity=0.45).encode(
        x=x, y=alt.Y("low:Q", scale=scale, title="It happens"), y2="high:Q", tooltip=tips
    )
    line = base.mark_line(color=paint["class fill"], strokeWidth=1.6).encode(x=x, y=y)
    dots = base.mark_circle(color=paint["class fill"], size=70, opacity=1).encode(x=x, y=y, tooltip=tips)
    chart = alt.layer(diagonal.encode(x=x, y=y), bars, line, dots).properties(width=_SIDE, height=_SIDE)
    finished: alt.LayerChart = dressed(chart, theme)
    return finished


def interval(share: float, rows: int) -> tuple[float, float]:
    """Return the 95% interval of a share of so many rows (Wilson 1927).

    Examples
    --------
    >>> low, high = interval(0.5, 100)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    if rows < 1:
        return 0.0, 1.0
    spread = Z * sqrt(share * (1 - share) / rows + Z**2 / (4 * rows**2))
    middle, unit = share + Z**2 / (2 * rows), 1 + Z**2 / rows
    return max(0.0, (middle - spread) / unit), min(1.0, (middle + spread) / unit)
