"""What attributes are worth: a bar for each, with the interval of its value.

Names are data here, never code, so any name is safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import needed
from pgm_nb.views.chart.look import dressed, inline
from pgm_nb.views.style import class_colour, colours, visible
from pgm_nb.words import Scale, about_class

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Worth", "worth_chart"]

_ROW = 24


@dataclass(frozen=True)
class Worth:
    """What an attribute is worth, in bits, and between which bounds.

    Examples
    --------
    >>> Worth("age", 0.25, 0.2, 0.3).high
    0.3
    """

    attribute: str
    value: float
    low: float | None = None
    high: float | None = None


def worth_chart(
    worths: Sequence[Worth], *, x_title: str | Sequence[str], theme: str = "light", scale: Scale | None = None
) -> alt.LayerChart:
    """Draw a bar per attribute, in the order given, and a line from the lower to the upper bound.

    Several titles stand below each other.

    Examples
    --------
    >>> chart = worth_chart([Worth("age", 0.25, 0.2, 0.3), Worth("dose", 0.1)], x_title="bits it adds")
    >>> [row["bits"] for row in next(iter(chart.to_dict()["datasets"].values()))]
    [0.25, 0.1]
    """
    with needed("altair", "a chart"):
        import altair as alt

    of = scale
    whole, said = (1.0, "{:.3f}".format) if of is None else (of.of_class, partial(about_class, scale=of))
    format = ".4f" if of is None else ".1%"
    rows = [
        {
            "attribute": visible(worth.attribute),
            "place": place,
            "bits": worth.value / whole,
            "low": None if worth.low is None else worth.low / whole,
            "high": None if worth.high is None else worth.high / whole,
            "range": ""
            if worth.low is None or worth.high is None
            else f"{said(worth.low)} to {said(worth.high)}",
        }
        for place, worth in enumerate(worths)
    ]
    base = alt.Chart(inline(rows), height=alt.Step(_ROW)).encode(
        y=alt.Y(
            "attribute:N",
            sort=alt.SortField("place"),
            title=None,
            axis=alt.Axis(labelLimit=260, ticks=False, domain=False),
        ),
        tooltip=[
            alt.Tooltip("attribute:N", title="attribute"),
            alt.Tooltip("bits:Q", title="bits" if of is None else "share", format=format),
            alt.Tooltip("range:N", title="95% interval"),
        ],
    )
    ticks: dict[str, Any] = {} if of is None else {"format": ".0%", "tickMinStep": 0.01}
    # a title that is wider than a narrow chart goes to the left
    inside = alt.Axis(titleAnchor="end", **ticks)
    bars = base.mark_bar(height={"band": 0.66}, color=class_colour(0)).encode(
        x=alt.X("bits:Q", title=x_title, axis=inside)
    )
    bounds = base.mark_rule(strokeWidth=2, color=colours(theme)["number"]).encode(
        x=alt.X("low:Q", title=x_title, axis=inside), x2="high:Q"
    )
    finished: alt.LayerChart = dressed(alt.layer(bars, bounds), theme)
    return finished
