"""What charts share: fonts, lines and colours, the form of their data, and their SVG text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pgm_nb.errors import needed
from pgm_nb.views.native import chart_svg
from pgm_nb.views.style import FONT, class_colour, colours

if TYPE_CHECKING:
    import altair as alt

__all__ = ["class_scale", "dressed", "inline", "to_svg", "typical_axis"]

TYPICAL = "typical probability of the true class"


def dressed(chart: Any, theme: str = "light") -> Any:
    """Give a finished chart our fonts, lines and colours for a light or a dark page.

    Examples
    --------
    >>> import altair as alt
    >>> chart = alt.Chart(alt.Data(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    >>> dressed(chart, "dark").to_dict()["config"]["background"]
    'transparent'
    """
    paint = colours(theme)
    return chart.configure(  # all at once: every call copies the chart with its data
        font=FONT,
        background="transparent",
        view={"stroke": None},
        axis={
            "labelColor": paint["number"],
            "titleColor": paint["text"],
            "gridColor": paint["shade 1"],
            "domainColor": paint["outline"],
            "tickColor": paint["outline"],
            "titleFontWeight": "normal",
        },
        legend={
            "labelColor": paint["text"],
            "titleColor": paint["text"],
            "orient": "top",
            "title": None,
            "symbolOpacity": 1,
            "columns": {"expr": "max(1, floor(width / 150))"},  # on a phone one below the other
            "labelLimit": {"expr": "max(60, min(320, width - 45))"},
        },
        title={"color": paint["text"], "fontWeight": "normal", "anchor": "start"},
    )


def class_scale(names: Sequence[str]) -> alt.Scale:
    """Return the colours of some names, in their order.

    Examples
    --------
    >>> class_scale(["ill", "well"]).to_dict()["range"]
    ['#0072b2', '#e69f00']
    """
    with needed("altair", "a chart"):
        import altair as alt

    return alt.Scale(domain=list(names), range=[class_colour(place) for place in range(len(names))])


def inline(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return rows in the form in which a chart holds its data.

    Altair copies a chart at every step, with the lists in it, but not a tuple: with many rows that takes
    most of the time.

    Examples
    --------
    >>> inline([{"x": 1}])
    {'values': ({'x': 1},)}
    """
    return {"values": tuple(rows)}


def typical_axis(spec: dict[str, Any], channel: str) -> None:
    """Label an axis of log-losses with the probability of the true class that each amounts to; more is up.

    Examples
    --------
    >>> spec = {"layer": [{"encoding": {"x": {"field": "loss", "title": "log-loss"}}}]}
    >>> typical_axis(spec, "x")
    >>> spec["layer"][0]["encoding"]["x"]["axis"]["labelExpr"]
    "format(pow(2, -datum.value), '.0%')"
    """
    for layer in spec.get("layer", [spec]):
        encoding = layer.get("encoding", {})
        if "field" in encoding.get(channel, {}):
            drawn = encoding[channel]
            drawn["title"] = TYPICAL
            drawn["scale"] = {"zero": False} | drawn.get("scale", {}) | {"reverse": True}
            drawn["axis"] = drawn.get("axis", {}) | {
                "labelExpr": "format(pow(2, -datum.value), '.0%')",
                "tickCount": 6,
            }
        tips = encoding.get("tooltip")
        if isinstance(tips, list):
            encoding["tooltip"] = [tip for tip in tips if tip.get("type") != "quantitative"] or None


def to_svg(chart: alt.TopLevelMixin) -> str:
    """Draw a finished chart as SVG text that scales with its container.

    Examples
    --------
    >>> import altair as alt
    >>> to_svg(alt.Chart(inline([{"x": 1}])).mark_point().encode(x="x:Q"))[:29]
    '<svg style="max-width:100%;he'
    """
    svg = chart_svg(chart.to_dict())
    return svg.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1) + "\n"
