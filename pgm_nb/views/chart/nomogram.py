"""A nomogram in SVG text: a scale of points, one per attribute, and from the total to the probability."""

from collections.abc import Callable, Sequence
from html import escape

from pgm_nb.views.style import colours, visible
from pgm_nb.views.svg import document, label, ticks

__all__ = ["nomogram_svg"]

_LEFT, _WIDTH, _RIGHT = 230.0, 640.0, 40.0
_ROW, _TOP = 46.0, 44.0
_NAME, _STATE = 28, 18  # characters of a name and of a state that are drawn; the tooltip has the rest
_APART = 5.6  # pixels per letter
_CHANCES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)

Axis = tuple[str, Sequence[str], Sequence[float]]


def nomogram_svg(
    axes: Sequence[Axis],
    total: Callable[[float], float],
    *,
    title: str,
    note: str = "",
    known: Sequence[float | None] = (),
    theme: str = "light",
) -> str:
    """Draw the scale of points, the attributes' scales, and below them total points and probability.

    The last two show the totals between which the probability changes; below and above them it is nearly
    zero or one.

    Parameters
    ----------
    axes : sequence of (name, states, points)
        The attributes, the widest first.
    total : callable
        From a probability to the total of points that gives it.
    title : str
        What probability is read off.
    note : str
        A note below the attributes.
    known : sequence of float or None
        Per attribute the points of the case at hand, which are marked, None where it has no state; and last
        the total of the case. Empty for no case.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> from math import log
    >>> axes = [("age", ("young", "old"), (0.0, 100.0))]
    >>> svg = nomogram_svg(axes, lambda p: 50 + log(p / (1 - p)) / 0.05, title="P(ill)")
    >>> "young" in svg, "P(ill)" in svg
    (True, True)
    """
    paint = colours(theme)
    most = max(max(points) for _, _, points in axes) or 1.0
    everything = sum(max(points) for _, _, points in axes) or 1.0
    parts = [label(title, _LEFT, 20, paint["text"], size=14, anchor="start")]
    points_of = _place(0.0, most)
    rulers = [(mark, f"{mark:g}") for mark in ticks(0.0, most, 10)]
    parts += _line("points", points_of, _TOP + _ROW / 2, rulers, theme)
    top = _TOP + _ROW
    for row, (name, states, points) in enumerate(axes):
        marks = sorted(zip(points, states, strict=True), key=lambda mark: mark[0])
        parts += _line(name, points_of, top + row * _ROW + _ROW / 2, marks, theme, spread=True)
        if known and (worth := known[row]) is not None:
            parts.append(_pointer(points_of(worth), top + row * _ROW + _ROW / 2, theme))
    top += len(axes) * _ROW
    if note:
        parts.append(label(note, _LEFT, top + 14, paint["number"], size=11, anchor="start"))
        top += 24
    low, high = max(0.0, total(_CHANCES[0])), min(everything, total(_CHANCES[-1]))
    if low >= high:  # whatever the row, the class is nearly certain
        low, high = 0.0, everything
    whole = _place(low, high)
    totals = [(mark, f"{mark:g}") for mark in ticks(low, high, 10)]
    parts += _line("total points", whole, top + _ROW / 2, totals, theme, ends=(low, high))
    chances = [(total(p), f"{p:g}") for p in _CHANCES if low <= total(p) <= high]
    parts += _line("probability", whole, top + 1.5 * _ROW, chances, theme, ends=(low, high))
    if known and (reached := known[-1]) is not None:
        x = whole(min(max(reached, low), high))
        parts += [_pointer(x, top + place * _ROW, theme) for place in (0.5, 1.5)]
    return document(_LEFT + _WIDTH + _RIGHT, top + 2 * _ROW + 10, _alternative(title, axes), parts)


def _pointer(x: float, y: float, theme: str) -> str:
    """Mark where the case at hand is on a scale."""
    colour = colours(theme)["separator outline"]
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="{colour}" fill-opacity="0.85" class="known"/>'


def _place(low: float, high: float) -> Callable[[float], float]:
    """Return the way from points to the place across the page."""
    return lambda points: _LEFT + _WIDTH * (points - low) / (high - low)


def _line(
    name: str,
    place: Callable[[float], float],
    y: float,
    marks: Sequence[tuple[float, str]],
    theme: str,
    *,
    spread: bool = False,
    ends: tuple[float, float] | None = None,
) -> list[str]:
    """Draw one scale: its name, its line, its marks; words that would meet go below or are left out."""
    paint = colours(theme)
    first, last = (place(points) for points in (ends or (marks[0][0], marks[-1][0])))
    parts = [
        f"<g><title>{escape(visible(name))}</title>",
        label(_short(name, _NAME), _LEFT - 40, y + 4, paint["text"], anchor="end"),
        f'<line x1="{first:.1f}" y1="{y:.1f}" x2="{last:.1f}" y2="{y:.1f}" '
        f'stroke="{paint["tree arc"]}" stroke-width="1.4"/>',
    ]
    until = {True: -1e9, False: -1e9}  # where the last word above and below the line ends
    for number, (points, word) in enumerate(marks):
        x, above = place(points), not spread or number % 2 == 0
        text = _short(word, _STATE)
        half = _APART * len(text) / 2
        fits = x - half > until[above]
        parts.append(
            f"<g><title>{escape(visible(f'{name}: {word}, {points:.1f} points'))}</title>"
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{paint["class fill"]}"/>'
        )
        if fits:
            parts.append(label(text, x, y - 7 if above else y + 16, paint["number"], size=10))
            until[above] = x + half
        parts.append("</g>")
    return [*parts, "</g>"]


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _alternative(title: str, axes: Sequence[Axis]) -> str:
    widest = ", ".join(f"{name} up to {max(points):.0f}" for name, _, points in axes[:3])
    return f"Nomogram. {title}. Points per attribute, the widest first: {widest}."
