"""The class densities of measured attributes as small charts side by side, in SVG text."""

from collections.abc import Mapping, Sequence
from math import ceil, exp, pi, sqrt

from pgm_nb.views.chart import Panel, document, label
from pgm_nb.views.style import class_colour, colours

__all__ = ["densities_svg"]

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _HEAD = 210.0, 110.0, 24.0, 52.0, 34.0
_ACROSS = 4  # charts in a row
_POINTS = 81  # of a curve
_REACH = 3.5  # standard deviations that are drawn


def densities_svg(
    gaussians: Mapping[str, Sequence[Sequence[float]]], classes: Sequence[str], *, theme: str = "light"
) -> str:
    """Draw one chart per attribute, one curve per class; each curve's area is one.

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
    >>> svg = densities_svg({"age": [(40.0, 10.0), (60.0, 5.0)]}, ["healthy", "ill"])
    >>> svg.count("<polyline"), "healthy" in svg
    (2, True)
    """
    paint = colours(theme)
    across = max(1, min(_ACROSS, len(gaussians)))
    parts, legend = [], 12.0
    for place, name in enumerate(classes):
        parts.append(f'<circle cx="{legend:.1f}" cy="14" r="5" fill="{class_colour(place)}"/>')
        parts.append(label(name, legend + 10, 18, paint["text"], anchor="start"))
        legend += 30 + 8 * len(name)
    for place, (name, pairs) in enumerate(gaussians.items()):
        left = 12 + (place % across) * (_WIDTH + _GAP_X)
        top = _HEAD + (place // across) * (_HEIGHT + _GAP_Y)
        parts.append(_chart(name, pairs, left, top, theme))
    width = max(24 + across * _WIDTH + (across - 1) * _GAP_X, legend)
    height = _HEAD + ceil(len(gaussians) / across) * (_HEIGHT + _GAP_Y)
    return document(width, height, "Class densities", parts)


def _chart(name: str, pairs: Sequence[Sequence[float]], left: float, top: float, theme: str) -> str:
    pairs = [(mean, sd or 1e-9 * (abs(mean) or 1.0)) for mean, sd in pairs]
    low = min(mean - _REACH * sd for mean, sd in pairs)
    high = max(mean + _REACH * sd for mean, sd in pairs)
    peak = max(1 / (sd * sqrt(2 * pi)) for _, sd in pairs)
    panel = Panel(left, top, _WIDTH, _HEIGHT, (low, high), (0.0, 1.06 * peak))
    curves = []
    for c, (mean, sd) in enumerate(pairs):
        steps = [mean + sd * _REACH * (2 * i / (_POINTS - 1) - 1) for i in range(_POINTS)]
        points = [panel.place(x, exp(-0.5 * ((x - mean) / sd) ** 2) / (sd * sqrt(2 * pi))) for x in steps]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        curves.append(
            f'<polyline points="{path}" fill="none" stroke="{class_colour(c)}" stroke-width="1.8"/>'
        )
    return panel.frame(theme, name, y_ticks=False) + "".join(curves)
