"""Clusters in the plane of two attributes, round by round: the rows stay, the ellipses change."""

from collections.abc import Sequence
from dataclasses import dataclass

from pgm_nb.views.chart import Panel
from pgm_nb.views.ellipses import Ellipse, _legend, _line, _shape, _span
from pgm_nb.views.links import themed_svg
from pgm_nb.views.style import class_colour, colours

__all__ = ["Round", "rounds_svg"]

_LEFT, _TOP, _WIDTH, _HEIGHT, _BELOW = 70.0, 34.0, 620.0, 440.0, 46.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Round:
    """The clusters of a round, and the rows that moved to make them.

    Examples
    --------
    >>> Round((), ((1.0, 2.0),)).moved
    ((1.0, 2.0),)
    """

    ellipses: tuple[Ellipse, ...]
    moved: tuple[Point, ...]


def rounds_svg(
    names: tuple[str, str],
    classes: Sequence[str],
    points: Sequence[tuple[float, float, int]],
    rounds: Sequence[Round],
    *,
    theme: str = "light",
) -> str:
    """Draw rows as dots, and for every round its ellipses and rings around who moved, of class ``only s<k>``.

    Parameters
    ----------
    names : pair of str
        The attributes across and up.
    classes : sequence of str
        Names of the classes, for the legend.
    points : sequence of (x, y, class)
        The rows.
    rounds : sequence of Round
        What changes from round to round.
    theme : {"light", "dark", "auto"}
        Colours of the page.

    Examples
    --------
    >>> one = Ellipse("ill 1", 0, (50.0, 120.0), ((5.0, 2.0), (-1.0, 10.0)))
    >>> svg = rounds_svg(("age", "pressure"), ["ill"], [(48.0, 118.0, 0)], [Round((one,), ())])
    >>> svg.count('class="only s1"')
    1
    """
    ends = [point for each in rounds for ellipse in each.ellipses for point in _line(ellipse)]
    everything = [*ends, *((x, y) for x, y, _ in points)]
    spans = _span([x for x, _ in everything]), _span([y for _, y in everything])
    panel = Panel(_LEFT, _TOP, _WIDTH, _HEIGHT, *spans)
    parts = [*_legend(classes, theme), panel.frame(theme, *names)]
    for x, y, owner in points:
        across, down = panel.place(x, y)
        parts.append(
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="2.4" fill="{class_colour(owner)}" opacity="0.5"/>'
        )
    ring = colours(theme)["text"]
    for step, each in enumerate(rounds, start=1):
        shapes = [part for ellipse in each.ellipses for part in _shape(ellipse, _line(ellipse), panel, theme)]
        rings = [
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="5" fill="none" stroke="{ring}"/>'
            for across, down in (panel.place(*at) for at in each.moved)
        ]
        parts.append(f'<g class="only s{step}">{"".join(shapes)}{"".join(rings)}</g>')
    width = max(_LEFT + _WIDTH + 20, 24.0 + sum(30 + 8 * len(name) for name in classes))
    return themed_svg((0.0, 0.0, width, _TOP + _HEIGHT + _BELOW), parts, theme)
