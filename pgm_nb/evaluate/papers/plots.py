"""Pictures of ours against theirs, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from pgm_nb.evaluate.papers.figures import MARKS, Figure
from pgm_nb.views.style import class_colour, colours
from pgm_nb.views.svg import Panel, document, label

__all__ = ["MARK_COLOURS", "against", "differences", "dot_plot"]

MARK_COLOURS = {mark: class_colour(place) for mark, place in zip(MARKS, (0, 2, 1, 7), strict=True)}
SIDE = 380.0  # of the square
ROW = 20.0
THIN = 13.0
BARS = 2.0  # standard errors on either side


def against(title: str, figures: Sequence[Figure]) -> str:
    """Draw our figures against the paper's, with bars of two standard errors and the line of agreement.

    Examples
    --------
    >>> figure = Figure("iris", "NB", "accuracy", theirs=95.5, ours=95.9, error=0.3)
    >>> "iris" in against("A paper", [figure])
    True
    """
    values = [value for figure in figures for value in (figure.theirs, figure.ours)]
    low, high = min(values), max(values)
    room = 0.05 * (high - low) or 1.0
    ends = (low - room, high + room)
    panel = Panel(70, 40, SIDE, SIDE, ends, ends)
    paint = colours("light")
    parts = [panel.frame("light", "the paper, percent", "ours, percent")]
    (x1, y1), (x2, y2) = panel.place(ends[0], ends[0]), panel.place(ends[1], ends[1])
    parts.append(_line(x1, y1, x2, y2, paint["class arc"]))
    parts += [_point(panel, figure) for figure in figures]
    parts.append(label(title, 70 + SIDE / 2, 22, paint["text"]))
    for place, mark in enumerate(MARKS):
        y = 60 + ROW * place
        parts.append(f'<circle cx="{90 + SIDE:.1f}" cy="{y:.1f}" r="4" fill="{MARK_COLOURS[mark]}"/>')
        parts.append(label(mark, 100 + SIDE, y + 4, paint["text"], anchor="start"))
    parts.append(label("bars: two s.e.", 85 + SIDE, 60 + ROW * len(MARKS) + 4, paint["text"], anchor="start"))
    return document(210 + SIDE, 90 + SIDE, title, parts, "auto")


def differences(title: str, figures: Sequence[Figure]) -> str:
    """Draw ours minus theirs, one row for each figure, with bars of two standard errors.

    Examples
    --------
    >>> figure = Figure("iris", "NB", "accuracy", theirs=95.5, ours=95.9, error=0.3)
    >>> "iris, NB" in differences("A paper", [figure])
    True
    """
    reach = [BARS * figure.error if figure.error > 0 else 0.0 for figure in figures]
    far = max(abs(figure.difference) + bar for figure, bar in zip(figures, reach, strict=True)) * 1.05 or 1.0
    panel = Panel(290, 40, 400, THIN * len(figures), (-far, far), (0.0, float(len(figures))))
    paint = colours("light")
    parts = [panel.frame("light", "ours minus theirs, with two s.e. either way", y_ticks=False)]
    middle, _ = panel.place(0.0, 0.0)
    parts.append(_line(middle, panel.top, middle, panel.top + panel.height, paint["class arc"]))
    several = len({figure.measure for figure in figures}) > 1
    for place, (figure, bar) in enumerate(zip(figures, reach, strict=True)):
        height, colour = len(figures) - place - 0.5, MARK_COLOURS[figure.mark]
        x, y = panel.place(figure.difference, height)
        ends = [panel.place(figure.difference + side * bar, height)[0] for side in (-1, 1)]
        name = f"{figure.table}, {figure.system}{f', {figure.measure}' if several else ''}"
        parts += [
            label(name, 282, y + 3, paint["text"], size=9, anchor="end"),
            _line(ends[0], y, ends[1], y, colour),
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>',
        ]
    parts += [label(title, 490, 22, paint["text"])]
    return document(710, panel.height + 85, title, parts, "auto")


def _point(panel: Panel, figure: Figure) -> str:
    colour = MARK_COLOURS[figure.mark]
    x, y = panel.place(figure.theirs, figure.ours)
    bar = ""
    if not math.isnan(figure.error):
        ends = [
            min(max(figure.ours + side * BARS * figure.error, panel.y[0]), panel.y[1]) for side in (-1, 1)
        ]
        bar = _line(
            x, panel.place(figure.theirs, ends[0])[1], x, panel.place(figure.theirs, ends[1])[1], colour
        )
    words = f"{figure.table}, {figure.system}, {figure.measure}: paper {figure.theirs:.2f}"
    words = f"{words}, ours {figure.ours:.2f}"
    return (
        f'<g>{bar}<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/><title>{escape(words)}</title></g>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def dot_plot(title: str, points: Sequence[tuple[str, float, float, float]]) -> str:
    """Draw theirs (ring) and ours (dot, with a bar of two standard errors) in one row per name.

    Examples
    --------
    >>> "spambase" in dot_plot("Gain", [("spambase", 1.0, 2.0, 0.5)])
    True
    """
    values = [
        value for _, theirs, ours, error in points for value in (theirs, ours - 2 * error, ours + 2 * error)
    ]
    room = 0.05 * (max(values) - min(values)) or 1.0
    panel = Panel(
        250, 40, 400, ROW * len(points), (min(values) - room, max(values) + room), (0.0, float(len(points)))
    )
    paint = colours("light")
    parts = [panel.frame("light", "rings: the paper; dots: ours", y_ticks=False)]
    if panel.x[0] < 0 < panel.x[1]:
        x, _ = panel.place(0.0, 0.0)
        parts.append(_line(x, panel.top, x, panel.top + panel.height, paint["class arc"]))
    for place, (name, theirs, ours, error) in enumerate(points):
        height = len(points) - place - 0.5
        (x1, y), (x2, _) = panel.place(theirs, height), panel.place(ours, height)
        bars = [panel.place(ours + side * BARS * error, height)[0] for side in (-1, 1)]
        parts += [
            label(name, 240, y + 4, paint["text"], size=11, anchor="end"),
            _line(bars[0], y, bars[1], y, class_colour(0)),
            f'<circle cx="{x1:.1f}" cy="{y:.1f}" r="5" fill="none" stroke="{class_colour(1)}"/>',
            f'<circle cx="{x2:.1f}" cy="{y:.1f}" r="3.5" fill="{class_colour(0)}"/>',
        ]
    parts.append(label(title, 450, 22, paint["text"]))
    return document(680, panel.height + 85, title, parts, "auto")
