"""Sizes and places in points: boxes around names, the ranks of a tree, drawings laid out by hand."""

from collections.abc import Sequence
from itertools import zip_longest
from math import log
from textwrap import wrap
from unicodedata import east_asian_width

from pgm_nb.views.style import brief

__all__ = ["FONT_SIZE", "box_size", "butterfly", "flow", "line_width", "wrapped"]

FONT_SIZE = 13
LINE = 26  # characters after which a long name is wrapped

_BOX_WIDTH, _LINE, _RANK_DOWN, _RANK_RIGHT = 165.0, 17.0, 62.0, 210.0  # room in a tree, as measured
_PAGE = 1.3  # width to height of a page
_WIDEST = 2.4  # width to height up to which a star is not stretched
_ROW_GAP, _WING_GAP = 8.0, 90.0  # least gaps
_FAN = 0.15  # gap between the middle and a wing, as a share of the height, so that the arcs stay apart


def flow(breadth: int, depth: int, lines: int = 1) -> str:
    """Choose the direction of the ranks whose picture is closer to a page than to a strip.

    Parameters
    ----------
    breadth, depth : int
        Number of boxes side by side, and of ranks.
    lines : int
        Lines of text in a box.

    Examples
    --------
    >>> flow(breadth=1, depth=4), flow(breadth=20, depth=4)
    ('TB', 'LR')
    """
    breadth, depth = max(breadth, 1), max(depth, 1)  # a picture may be empty
    down = breadth * _BOX_WIDTH / (depth * (_RANK_DOWN + _LINE / 2 * lines))
    right = depth * _RANK_RIGHT / (breadth * _LINE * (lines + 1))
    return "TB" if abs(log(down / _PAGE)) <= abs(log(right / _PAGE)) else "LR"


def butterfly(heights: Sequence[float], width: float, middle: float) -> tuple[tuple[float, float], ...]:
    """Return places left and right of the origin by turns, from the top down, for boxes of one width.

    Parameters
    ----------
    heights : sequence of float
        Height of every box.
    width : float
        Width of every box.
    middle : float
        Width of the box at the origin.

    Examples
    --------
    >>> butterfly([30.0, 30.0], width=100.0, middle=80.0)
    ((-180.0, 0.0), (180.0, 0.0))
    """
    rows = [max(pair) for pair in zip_longest(heights[0::2], heights[1::2], fillvalue=0.0)]
    fan = max(_WING_GAP, _FAN * (sum(rows) + _ROW_GAP * len(rows)))
    wing = middle / 2 + fan + width / 2
    spare = (2 * wing + width) / _WIDEST - sum(rows)
    gap = max(_ROW_GAP, spare / max(len(rows) - 1, 1))
    top = (sum(rows) + gap * (len(rows) - 1)) / 2
    centres = []
    for height in rows:
        centres.append(top - height / 2)
        top -= height + gap
    return tuple((wing if place % 2 else -wing, centres[place // 2]) for place in range(len(heights)))


def box_size(name: str, number: str = "") -> tuple[float, float]:
    """Estimate the width and height in points of the box around a name.

    Examples
    --------
    >>> width, height = box_size("age")
    >>> 30 < width < 60 and 20 < height < 30
    True
    """
    lines = wrapped((name,), number)
    return max(map(line_width, lines)) + 20, 1.25 * FONT_SIZE * len(lines) + 9


def line_width(line: str) -> float:
    """Estimate the width in points of one line of text.

    Examples
    --------
    >>> line_width("wide") == 2 * line_width("id")
    True
    """
    return FONT_SIZE * sum(1.0 if east_asian_width(letter) in "WF" else 0.6 for letter in line)


def wrapped(lines: tuple[str, ...], number: str) -> list[str]:
    """Break long lines at their spaces (short ones stay exactly as they are) and append the number."""
    shown = []
    for line in map(brief, lines):
        endless = max(map(len, line.split()), default=0) > 2 * LINE
        shown += (
            [line]
            if len(line) <= LINE
            else wrap(line, LINE, break_long_words=endless, break_on_hyphens=False)
        )
    return [*shown[:-1], f"{shown[-1]}   {number}"] if number else shown
