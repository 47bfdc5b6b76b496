"""Clusters in the plane of two attributes: rows as dots, Gaussians as ellipses with their axes, in SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from pgm_nb.views.chart import Panel, document, label
from pgm_nb.views.style import class_colour, colours

__all__ = ["Ellipse", "ellipses_svg"]

_LEFT, _TOP, _WIDTH, _HEIGHT, _BELOW = 70.0, 34.0, 460.0, 340.0, 46.0
_REACH = 2.0  # standard deviations from the centre to the line
_POINTS = 73  # of a line


@dataclass(frozen=True)
class Ellipse:
    """A Gaussian in the plane: its name, the place of its class, its centre, and its half axes.

    The axes are vectors of one standard deviation in the units of the attributes. Drawn in other units
    they need not stand upright on each other, but make the same ellipse.

    Examples
    --------
    >>> Ellipse("ill 1", 0, (50.0, 120.0), ((5.0, 2.0), (-1.0, 10.0))).owner
    0
    """

    name: str
    owner: int
    centre: tuple[float, float]
    axes: tuple[tuple[float, float], tuple[float, float]]


def ellipses_svg(
    names: tuple[str, str],
    classes: Sequence[str],
    ellipses: Sequence[Ellipse],
    points: Sequence[tuple[float, float, int]] = (),
    *,
    theme: str = "light",
) -> str:
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
    >>> ellipses_svg(("age", "pressure"), ["ill"], [one], [(48.0, 118.0, 0)]).count("<polygon")
    1
    """
    lines = [_line(ellipse) for ellipse in ellipses]
    everything = [(x, y) for line in lines for x, y in line] + [(x, y) for x, y, _ in points]
    span_x, span_y = _span([x for x, _ in everything]), _span([y for _, y in everything])
    panel = Panel(_LEFT, _TOP, _WIDTH, _HEIGHT, span_x, span_y)
    parts = [*_legend(classes, theme), panel.frame(theme, *names)]
    for x, y, owner in points:
        across, down = panel.place(x, y)
        parts.append(
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="2.2" fill="{class_colour(owner)}" opacity="0.55"/>'
        )
    for ellipse, line in zip(ellipses, lines, strict=True):
        parts += _shape(ellipse, line, panel, theme)
    width = max(_LEFT + _WIDTH + 20, 24.0 + sum(30 + 8 * len(name) for name in classes))
    return document(width, _TOP + _HEIGHT + _BELOW, f"Clusters: {names[0]} and {names[1]}", parts)


def _line(ellipse: Ellipse) -> list[tuple[float, float]]:
    (a, b), (c, d) = ellipse.axes
    x, y = ellipse.centre
    angles = [2 * pi * i / (_POINTS - 1) for i in range(_POINTS - 1)]
    return [(x + _REACH * (a * cos(t) + c * sin(t)), y + _REACH * (b * cos(t) + d * sin(t))) for t in angles]


def _shape(ellipse: Ellipse, line: Sequence[tuple[float, float]], panel: Panel, theme: str) -> list[str]:
    colour, (x, y) = class_colour(ellipse.owner), ellipse.centre
    path = " ".join("{:.1f},{:.1f}".format(*panel.place(*point)) for point in line)
    parts = [
        f'<polygon points="{path}" fill="{colour}" fill-opacity="0.08" stroke="{colour}" stroke-width="1.6"/>'
    ]
    for a, b in ellipse.axes:
        (x1, y1), (x2, y2) = (panel.place(x + s * _REACH * a, y + s * _REACH * b) for s in (-1, 1))
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        parts.append(f'<line {ends} stroke="{colour}" stroke-width="1" stroke-dasharray="4 3"/>')
    across, down = panel.place(x, y)
    parts.append(label(ellipse.name, across, down - 5, colours(theme)["text"], size=11))
    return parts


def _legend(classes: Sequence[str], theme: str) -> list[str]:
    parts, left = [], 16.0
    for place, name in enumerate(classes):
        parts.append(f'<circle cx="{left:.1f}" cy="14" r="5" fill="{class_colour(place)}"/>')
        parts.append(label(name, left + 10, 18, colours(theme)["text"], anchor="start"))
        left += 30 + 8 * len(name)
    return parts


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room
