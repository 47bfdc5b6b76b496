"""The critical-difference diagram: average ranks on a line, models that are not told apart joined (SVG)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import ceil
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from pgm_nb.views.chart import document, label
from pgm_nb.views.style import FONTS, colours, visible

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

__all__ = ["critical_difference_svg"]

_UNIT = 70.0  # pixels of one rank, at least
_LEAST, _MARGIN = 280.0, 16.0  # width of the line, space around the picture
_NUMBER = 64.0  # width of the rank behind a name, and of the space between them
_SIZE = 12  # of letters
_ROW, _BAR = 20.0, 9.0  # height of a name and of a joining bar


def critical_difference_svg(
    ranks: Mapping[str, float],
    difference: float,
    groups: Sequence[Sequence[str]],
    *,
    theme: str = "light",
) -> str:
    """Draw average ranks, the best on the left (Demšar 2006, figure 1).

    Parameters
    ----------
    ranks : mapping of str to float
        Average rank by model.
    difference : float
        The critical difference, drawn to scale above the line.
    groups : sequence of sequences of str
        Models that cannot be told apart; a bar joins each group.
    theme : {"light", "dark"}
        Colours for a light or a dark page.

    Examples
    --------
    >>> svg = critical_difference_svg({"NB": 1.8, "TAN": 1.2}, 0.9, [("NB", "TAN")])
    >>> "CD = 0.90" in svg, svg.count("<text")
    (True, 5)
    """
    paint = colours(theme)
    ordered = sorted(ranks, key=lambda name: ranks[name])
    half = ceil(len(ordered) / 2)
    left, right = ordered[:half], ordered[half:][::-1]  # both from the top down
    unit = max(_UNIT, _LEAST / (len(ranks) - 1))
    start = _MARGIN + max(map(_width, left)) + _NUMBER
    stop = start + unit * (len(ranks) - 1)
    across = {name: start + unit * (rank - 1) for name, rank in ranks.items()}
    line = 64.0  # where the line of ranks is, below the critical difference
    levels = _levels([(across[g[0]], across[g[-1]]) for g in _sorted(groups, ranks)])
    names_from = line + 14 + _BAR * (max((level for *_, level in levels), default=-1) + 1) + 12
    parts = [*_ruler(start, line, unit, len(ranks), difference, paint)]
    for low, high, level in levels:
        y = line + 12 + _BAR * level
        parts.append(_stroke(low - 4, y, high + 4, y, paint["separator outline"], 4))
    for side, edge in ((left, start - 14), (right, stop + 14)):
        for row, name in enumerate(side):
            y = names_from + _ROW * row
            parts += _named(name, ranks[name], across[name], line, y, edge, side is left, paint)
    widest = max(map(_width, right), default=0.0)
    width = max(stop + widest + _NUMBER, start + unit * difference) + _MARGIN
    return document(width, names_from + _ROW * (half - 1) + _MARGIN, "Critical-difference diagram", parts)


def _ruler(
    start: float, line: float, unit: float, count: int, difference: float, paint: Mapping[str, str]
) -> list[str]:
    """Draw the line with a tick per rank, and the critical difference to scale above it."""
    parts = [_stroke(start, line, start + unit * (count - 1), line, paint["text"], 1.2)]
    for rank in range(1, count + 1):
        x = start + unit * (rank - 1)
        parts.append(_stroke(x, line - 6, x, line, paint["text"], 1.2))
        parts.append(label(str(rank), x, line - 11, paint["number"], size=11))
    end = start + unit * difference
    parts.append(_stroke(start, 28, end, 28, paint["number"], 1.6))
    parts += [_stroke(x, 24, x, 32, paint["number"], 1.6) for x in (start, end)]
    parts.append(label(f"CD = {difference:.2f}", start, 17, paint["number"], size=11, anchor="start"))
    return parts


def _named(
    name: str,
    rank: float,
    x: float,
    line: float,
    y: float,
    edge: float,
    on_left: bool,
    paint: Mapping[str, str],
) -> list[str]:
    """Lead from a place on the line down and out to the name of the model and its rank."""
    path = f'<polyline points="{x:.1f},{line:.1f} {x:.1f},{y:.1f} {edge:.1f},{y:.1f}" '
    text = f"{name}  {rank:.2f}" if on_left else f"{rank:.2f}  {name}"
    place, anchor = (edge - 5, "end") if on_left else (edge + 5, "start")
    return [
        f'{path}fill="none" stroke="{paint["tree arc"]}" stroke-width="1"/>',
        label(text, place, y + 4, paint["text"], size=_SIZE, anchor=anchor),
    ]


def _sorted(groups: Sequence[Sequence[str]], ranks: Mapping[str, float]) -> list[list[str]]:
    return [sorted(group, key=lambda name: ranks[name]) for group in groups]


def _levels(bars: Sequence[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """Give every bar the first level on which it touches no other."""
    placed: list[tuple[float, float, int]] = []
    for low, high in sorted(bars):
        taken = {level for _, other, level in placed if other + 12 > low}
        placed.append((low, high, next(i for i in range(len(bars)) if i not in taken)))
    return placed


def _stroke(x1: float, y1: float, x2: float, y2: float, colour: str, width: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{width:g}" stroke-linecap="round"/>'
    )


def _width(name: str) -> float:
    """Return how wide a name is drawn in our font, which is wider than those of browsers."""
    shown = visible(name)
    wide = sum(east_asian_width(letter) in "WF" for letter in shown)  # the font has no Chinese letters
    return _font().getlength(shown) + _SIZE * wide


@cache
def _font() -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(FONTS / "DejaVuSans.ttf", _SIZE)
