"""Gaussians: bell curves of measured attributes side by side, and clusters in the plane of two attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, exp, pi, sin, sqrt
from typing import TYPE_CHECKING, Any

from pgm_nb.data.labels import unique_labels
from pgm_nb.errors import needed
from pgm_nb.views.chart.look import class_scale, dressed, inline
from pgm_nb.views.style import brief, colours

if TYPE_CHECKING:
    import altair as alt

__all__ = ["REACH", "Ellipse", "density_chart", "ellipse_chart", "ellipse_line"]

_SMALL = 210, 110  # width and height of the chart of one attribute
_PLANE = 460, 340
_ACROSS = 4  # charts in a row
_STEPS = 80  # of a bell curve
_SPREAD = 3.5  # standard deviations of a bell curve that are drawn
REACH = 2.0  # standard deviations from the centre of an ellipse to its line
_CORNERS = 72  # of the line of an ellipse

Point = tuple[float, float]


@dataclass(frozen=True)
class Ellipse:
    """A Gaussian in the plane: its name, the place of its class, its centre, and its half axes.

    The axes are vectors of one standard deviation in the units of the attributes. Drawn in other units
    they need not be at right angles, but make the same ellipse.

    Examples
    --------
    >>> Ellipse("ill 1", 0, (50.0, 120.0), ((5.0, 2.0), (-1.0, 10.0))).owner
    0
    """

    name: str
    owner: int
    centre: Point
    axes: tuple[Point, Point]


def density_chart(
    gaussians: Mapping[str, Sequence[Sequence[float]]], classes: Sequence[str], *, theme: str = "light"
) -> alt.FacetChart:
    """Draw one chart per attribute with one bell curve per class; the area under each curve is one.

    Parameters
    ----------
    gaussians : mapping of str to pairs of float
        (mean, standard deviation) of each class by attribute.
    classes : sequence of str
        Names of the classes, for the legend.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> chart = density_chart({"age": [(40.0, 10.0), (60.0, 5.0)]}, ["healthy", "ill"])
    >>> len(chart.to_dict()["spec"]["layer"])
    2
    """
    with needed("altair", "a chart"):
        import altair as alt

    names = unique_labels(brief(name) for name in classes)
    titles = unique_labels(brief(name) for name in gaussians)
    rows = [
        {"attribute": title, **point}
        for title, pairs in zip(titles, gaussians.values(), strict=True)
        for point in _bells(pairs, names)
    ]
    width, height = _SMALL
    axis = alt.Axis(grid=False, tickCount=5)
    base = alt.Chart(inline(rows), width=width, height=height).encode(
        x=alt.X("x:Q", title=None, scale=alt.Scale(nice=False, zero=False), axis=axis),
        y=alt.Y("density:Q", axis=None, stack=None),
        color=alt.Color("class:N", scale=class_scale(names), legend=alt.Legend(symbolType="circle")),
    )
    text = colours(theme)["text"]
    heads = alt.Header(title=None, labelOrient="bottom", labelPadding=2, labelColor=text, labelFontSize=12)
    charts = alt.layer(base.mark_area(opacity=0.12), base.mark_line()).facet(
        alt.Facet("attribute:N", sort=titles, header=heads), columns=_ACROSS, spacing=22
    )
    own_scales = charts.resolve_scale(x="independent", y="independent").resolve_axis(x="independent")
    finished: alt.FacetChart = dressed(own_scales.properties(description="Class densities"), theme)
    return finished


def _bells(pairs: Sequence[Sequence[float]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the points of one bell curve per class; a spread of zero becomes a needle."""
    rows = []
    for name, (mean, deviation) in zip(names, pairs, strict=True):
        spread = deviation or 1e-9 * (abs(mean) or 1.0)
        for step in range(_STEPS + 1):
            z = _SPREAD * (2 * step / _STEPS - 1)
            density = exp(-0.5 * z**2) / (spread * sqrt(2 * pi))
            rows.append({"class": name, "x": mean + spread * z, "density": density})
    return rows


def ellipse_chart(
    names: tuple[str, str],
    classes: Sequence[str],
    ellipses: Sequence[Ellipse],
    points: Sequence[tuple[float, float, int]] = (),
    *,
    theme: str = "light",
) -> alt.LayerChart:
    """Draw ellipses of two standard deviations with their axes, over rows as dots.

    Parameters
    ----------
    names : pair of str
        The attributes across and up.
    classes : sequence of str
        Names of the classes, for the legend.
    ellipses : sequence of Ellipse
        The clusters.
    points : sequence of (x, y, class), optional
        The rows.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> one = Ellipse("ill 1", 0, (50.0, 120.0), ((5.0, 2.0), (-1.0, 10.0)))
    >>> chart = ellipse_chart(("age", "pressure"), ["ill"], [one], [(48.0, 118.0, 0)])
    >>> len(chart.to_dict()["layer"])
    4
    """
    with needed("altair", "a chart"):
        import altair as alt

    labels = unique_labels(brief(name) for name in classes)
    across, up = map(brief, names)
    scale, axis = alt.Scale(zero=False, nice=False, padding=12), alt.Axis(grid=False, tickCount=6)
    x = alt.X("x:Q", title=across, scale=scale, axis=axis)
    y = alt.Y("y:Q", title=up, scale=scale, axis=axis)
    legend = alt.Legend(symbolType="circle", symbolOpacity=1)
    colour = alt.Color("class:N", scale=class_scale(labels), legend=legend)
    rows = [{"x": a, "y": b, "class": labels[owner]} for a, b, owner in points]
    outlines = [
        {"x": a, "y": b, "class": labels[one.owner], "cluster": place, "corner": corner}
        for place, one in enumerate(ellipses)
        for corner, (a, b) in enumerate(_closed(ellipse_line(one)))
    ]
    axes = [_axis(one, axis) | {"class": labels[one.owner]} for one in ellipses for axis in one.axes]
    centres = [{"x": one.centre[0], "y": one.centre[1], "name": brief(one.name)} for one in ellipses]
    dots = alt.Chart(inline(rows)).mark_circle(size=18, opacity=0.55).encode(x=x, y=y, color=colour)
    lines = alt.Chart(inline(outlines)).mark_line(strokeWidth=1.6, fillOpacity=0.08)
    fill = alt.Fill("class:N", scale=class_scale(labels), legend=None)
    filled = lines.encode(x=x, y=y, color=colour, fill=fill, order="corner:Q", detail="cluster:N")
    cross = (
        alt.Chart(inline(axes))
        .mark_rule(strokeDash=[4, 3])
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q", color=colour)
    )
    text = alt.Chart(inline(centres)).mark_text(dy=-8, color=colours(theme)["text"])
    chart = alt.layer(dots, filled, cross, text.encode(x=x, y=y, text="name:N"))
    width, height = _PLANE
    described = chart.properties(width=width, height=height, description=f"Clusters: {across} and {up}")
    finished: alt.LayerChart = dressed(described, theme)
    return finished


def ellipse_line(ellipse: Ellipse) -> list[Point]:
    """Return the corners of the line that is two standard deviations from the centre.

    Examples
    --------
    >>> line = ellipse_line(Ellipse("ill 1", 0, (1.0, 1.0), ((0.5, 0.0), (0.0, 2.0))))
    >>> len(line), line[0], line[18]
    (72, (2.0, 1.0), (1.0, 5.0))
    """
    (a, b), (c, d) = ellipse.axes
    x, y = ellipse.centre
    angles = [2 * pi * i / _CORNERS for i in range(_CORNERS)]
    return [(x + REACH * (a * cos(t) + c * sin(t)), y + REACH * (b * cos(t) + d * sin(t))) for t in angles]


def _closed(line: Sequence[Point]) -> Sequence[Point]:
    return [*line, line[0]]


def _axis(ellipse: Ellipse, axis: Point) -> dict[str, Any]:
    (x, y), (a, b) = ellipse.centre, (REACH * axis[0], REACH * axis[1])
    return {"x": x - a, "y": y - b, "x2": x + a, "y2": y + b}
