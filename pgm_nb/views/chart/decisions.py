"""Charts of decisions about one class: ROC, precision and recall, net benefit; each with the chosen point.

Altair is loaded when a chart is made. Names are data here, never code, so any name is safe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.errors import needed
from pgm_nb.views.chart.look import dressed, inline
from pgm_nb.views.style import brief, class_colour, colours

if TYPE_CHECKING:
    import altair as alt

__all__ = ["decision_chart", "precision_recall_chart", "roc_chart"]

MOST_POINTS = 400  # of a curve that are drawn
HEIGHT = 300
CHOSEN = "chosen"
MODEL, ALL, NONE = "model", "for all", "for none"


class _Curve(Protocol):
    @property
    def thresholds(self) -> Floats: ...
    @property
    def across(self) -> Floats: ...
    @property
    def up(self) -> Floats: ...


class _DecisionCurve(Protocol):
    @property
    def thresholds(self) -> Floats: ...
    @property
    def model(self) -> Floats: ...
    @property
    def everyone(self) -> Floats: ...


def roc_chart(
    curve: _Curve, point: tuple[float, float], label: str, *, theme: str = "light"
) -> alt.LayerChart:
    """Draw what is found against false alarms; on the dashed line is guessing.

    Parameters
    ----------
    curve
        False alarms across, cases found up, both as shares.
    point : (float, float)
        Where the chosen threshold is.
    label : str
        The class that counts.
    theme : {"light", "dark"}
        Colours for a light or a dark page.
    """
    titles = ("false alarms", f"{brief(label)}: found")
    return _rates_chart(curve, point, titles, [(0.0, 0.0), (1.0, 1.0)], theme)


def precision_recall_chart(
    curve: _Curve, point: tuple[float, float], prevalence: float, label: str, *, theme: str = "light"
) -> alt.LayerChart:
    """Draw how often a decision is right against what is found; on the dashed line is guessing."""
    titles = (f"{brief(label)}: found", "right where it is decided")
    return _rates_chart(curve, point, titles, [(0.0, prevalence), (1.0, prevalence)], theme)


def _rates_chart(
    curve: _Curve,
    point: tuple[float, float],
    titles: tuple[str, str],
    guess: list[tuple[float, float]],
    theme: str,
) -> alt.LayerChart:
    with needed("altair", "a chart"):
        import altair as alt

    paint, kept = colours(theme), _thinned(len(curve.up))
    rows = [
        {"x": float(x), "y": float(y), "place": place, "threshold": _written(float(t))}
        for place, (x, y, t) in enumerate(
            zip(curve.across[kept], curve.up[kept], curve.thresholds[kept], strict=True)
        )
    ]
    x, y = (_share_axis(alt, name, title) for name, title in zip("xy", titles, strict=True))
    tips = [
        alt.Tooltip("threshold:N", title="threshold"),
        alt.Tooltip("x:Q", format=".1%", title=titles[0]),
        alt.Tooltip("y:Q", format=".1%", title=titles[1]),
    ]
    line = alt.Chart(inline(rows)).encode(x=x, y=y, order="place:Q", tooltip=tips)
    chance = alt.Chart(inline([{"x": a, "y": b} for a, b in guess])).encode(x="x:Q", y="y:Q")
    layers = [
        chance.mark_line(strokeDash=[5, 4], strokeWidth=1.2, color=paint["outline"]),
        line.mark_line(strokeWidth=2.5, color=class_colour(0)),
        line.mark_point(size=60, opacity=0),  # something to rest the pointer on
    ]
    if np.isfinite(point).all():
        layers += _chosen(alt, {"x": point[0], "y": point[1]}, tips[1:], paint)
    finished: alt.LayerChart = dressed(alt.layer(*layers).properties(height=HEIGHT), theme)
    return finished


def decision_chart(curve: _DecisionCurve, threshold: float | None, *, theme: str = "light") -> alt.LayerChart:
    """Draw the net benefit against the threshold: of the model, of deciding the class for all, for none."""
    with needed("altair", "a chart"):
        import altair as alt

    paint = colours(theme)
    top = max(0.05, float(np.max([curve.model, curve.everyone])))
    scale = alt.Scale(domain=[-0.2 * top, 1.05 * top], nice=False)  # deciding it for all falls without end
    rows = [
        {"x": float(t), "y": float(value), "who": who}
        for who, values in (
            (MODEL, curve.model),
            (ALL, curve.everyone),
            (NONE, np.zeros(len(curve.thresholds))),
        )
        for t, value in zip(curve.thresholds, values, strict=True)
        if np.isfinite(value)
    ]
    lines = alt.Chart(inline(rows)).encode(
        x=_share_axis(alt, "x", "threshold"),
        y=alt.Y("y:Q", title="net benefit per case", scale=scale, axis=alt.Axis(tickCount=6)),
        color=alt.Color(
            "who:N",
            scale=alt.Scale(
                domain=[MODEL, ALL, NONE], range=[class_colour(0), class_colour(1), paint["outline"]]
            ),
            legend=alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3),
        ),
        strokeDash=alt.StrokeDash(
            "who:N", legend=None, scale=alt.Scale(domain=[MODEL, ALL, NONE], range=[[1, 0], [8, 3], [2, 2]])
        ),
    )
    tips = [
        alt.Tooltip("who:N", title="decided"),
        alt.Tooltip("x:Q", format=".1%", title="threshold"),
        alt.Tooltip("y:Q", format=".4f", title="net benefit"),
    ]
    spots = alt.Chart(inline(rows[::4])).encode(x="x:Q", y="y:Q", tooltip=tips)  # to rest the pointer on
    layers = [lines.mark_line(strokeWidth=2.5, clip=True), spots.mark_point(size=90, opacity=0, clip=True)]
    if threshold is not None:
        at = float(curve.model[np.searchsorted(curve.thresholds, threshold)])
        layers += _chosen(alt, {"x": threshold, "y": at, "who": MODEL}, tips, paint, above=True)
    finished: alt.LayerChart = dressed(alt.layer(*layers).properties(height=HEIGHT), theme)
    return finished


def _share_axis(alt: Any, name: str, title: str) -> Any:
    kind = alt.X if name == "x" else alt.Y
    scale = alt.Scale(domain=[0, 1], nice=False)
    return kind(f"{name}:Q", title=title, scale=scale, axis=alt.Axis(format="%", tickCount=5))


def _chosen(alt: Any, row: dict[str, Any], tips: list[Any], paint: Any, *, above: bool = False) -> list[Any]:
    """Mark the chosen point with a ring that is seen on any colour, its name above or below it."""
    base = alt.Chart(inline([row | {"name": CHOSEN}])).encode(x="x:Q", y="y:Q")
    ring = base.mark_point(
        size=170, filled=True, opacity=1, color=class_colour(5), stroke=paint["page"], strokeWidth=2
    )
    if above:  # a curve that falls all the way: above and to the right is free
        align, across, up = "right" if row["x"] > 0.85 else "left", 8, -14
    else:  # on the right, curves fall or are flat: below and to the left is free
        align, across, up = "right" if row["x"] > 0.5 else "left", 12, 14
    across = -across if align == "right" else across
    text = base.mark_text(align=align, dx=across, dy=up, fontSize=12, color=paint["text"])
    return [ring.encode(tooltip=tips), text.encode(text="name:N")]


def _thinned(n: int) -> Any:
    """Return the places of the points that are drawn, the first and last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).round().astype(np.intp)) if n else slice(0)


def _written(threshold: float) -> str:
    return f"{threshold:.1%}" if np.isfinite(threshold) else "above 100%"
