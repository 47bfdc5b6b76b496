"""Attributes on two arcs and curves between them, in SVG: which pairs are linked from which threshold on.

Of many links only the strongest of each attribute are drawn; the others are counted beside its box.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import hypot, sqrt

from pgm_nb.views.graph.layout import box_size, line_width
from pgm_nb.views.style import brief, colours, shade, visible
from pgm_nb.views.svg import label, themed_svg
from pgm_nb.words import Scale, in_bits

__all__ = ["Link", "links_svg", "strongest"]

_GAP = 13.0  # between boxes
_NARROW = 130.0  # least distance of a bow from the middle
_BEND = 0.8  # how round the bows are: 1 an ellipse, 0 two columns
_EDGE = 12.0  # around the picture
_MORE = 36.0  # room for the number of links that are not drawn
_THIN, _WIDE = 0.9, 5.0  # lines
_STRONGEST = 3  # links of an attribute that are drawn
_TOP = 46.0  # room for the class

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Link:
    """Two names with what they share, and the step at which they are linked.

    Examples
    --------
    >>> Link("age", "sex", 0.25, 2).step
    2
    """

    first: str
    second: str
    share: float  #: in bits
    step: int


def links_svg(
    names: Sequence[str],
    relevance: Mapping[str, float],
    links: Sequence[Link],
    *,
    target: str,
    theme: str = "light",
    scale: Scale | None = None,
) -> str:
    """Draw every name as a box, darker for more information, and every link as a curve of class ``s<step>``.

    Parameters
    ----------
    names : sequence of str
        Clockwise from the top right; close attributes should be neighbours.
    relevance : mapping of str to float
        The information each carries about the class, in bits.
    links : sequence of Link
        Wider lines share more.
    target : str
        Name of the class.
    theme : {"light", "dark", "auto"}
        Colours of the page.

    Examples
    --------
    >>> svg = links_svg(["age", "sex"], {"age": 0.3, "sex": 0.1}, [Link("age", "sex", 0.2, 2)], target="ill")
    >>> svg.count('class="edge tree s2"'), svg.count('class="node attribute"')
    (1, 2)
    """
    paint = colours(theme)
    boxes = dict(zip(names, _bows([box_size(name) for name in names]), strict=True))
    most = max((link.share for link in links), default=1.0)
    drawn = strongest(links)
    parts = [
        _curve(
            boxes[link.first][0], boxes[link.second][0], link, most, paint["tree arc"], target, scale=scale
        )
        for link in sorted(drawn, key=lambda link: link.share)
    ]
    more = _counted([link for link in links if link not in set(drawn)])
    last = max((link.step for link in links), default=0)
    largest = max(relevance.values(), default=0.0)
    for name, (at, outward) in boxes.items():
        fill = paint[shade(relevance[name], largest)]
        tip = f"{name}: {in_bits(relevance[name], scale=scale)} about {target}"
        parts.append(_box(name, tip, at, outward, fill, paint))
        parts += _others(more.get(name, {}), last, at, outward, box_size(name)[0], paint["number"])
    room = _MORE if more else 0.0
    across = max(abs(x) + box_size(name)[0] for name, ((x, _), _) in boxes.items()) + _EDGE + room
    across = max(across, _class_box(target)[1] / 2 + _EDGE)
    up = max(abs(y) + box_size(name)[1] / 2 for name, ((_, y), _) in boxes.items()) + _EDGE
    parts.append(_class(target, -up - _TOP / 2 + 4, paint))
    return themed_svg((-across, -up - _TOP, 2 * across, 2 * up + _TOP), parts, theme)


def strongest(links: Sequence[Link]) -> list[Link]:
    """Return the links that are among the strongest of one of their ends.

    Examples
    --------
    >>> links = [Link("a", other, share, 1) for other, share in zip("bcde", (0.4, 0.3, 0.2, 0.1))]
    >>> len(strongest([*links, Link("e", "x", 0.5, 1), Link("e", "y", 0.5, 1), Link("e", "z", 0.5, 1)]))
    6
    """
    seen: Counter[str] = Counter()
    kept = []
    for link in sorted(links, key=lambda link: -link.share):
        if seen[link.first] < _STRONGEST or seen[link.second] < _STRONGEST:
            kept.append(link)
        seen.update((link.first, link.second))
    return kept


def _counted(links: Sequence[Link]) -> dict[str, dict[int, int]]:
    """Count the links of each name that are not drawn, by the step at which they come."""
    found: dict[str, dict[int, int]] = {}
    for link in links:
        for name in (link.first, link.second):
            steps = found.setdefault(name, {})
            steps[link.step] = steps.get(link.step, 0) + 1
    return found


def _others(
    steps: Mapping[int, int], last: int, at: Point, outward: int, width: float, colour: str
) -> list[str]:
    """Write beside a box how many more links it has, at each step up to the last."""
    x, y = at[0] + outward * (width + 5), at[1] + 4.5
    anchor = "start" if outward > 0 else "end"
    parts, total = [], 0
    for step in range(1, last + 1):
        total += steps.get(step, 0)
        if total:
            parts.append(
                f'<g class="only s{step}"><text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
                f'font-size="12" fill="{colour}">+{total}</text></g>'
            )
    return parts


def _class_box(target: str) -> tuple[str, float]:
    """Return what the box of the class says, and its width."""
    said = f"{brief(target)} → all attributes"
    return said, line_width(said) + 24


def _class(target: str, y: float, paint: Mapping[str, str]) -> str:
    """Return the box of the class, which points to every attribute."""
    said, width = _class_box(target)
    return (
        f'<g class="node class"><rect x="{-width / 2:.1f}" y="{y - 14:.1f}" width="{width:.1f}" height="28" '
        f'rx="14" fill="{paint["class fill"]}"/>{label(said, 0.0, y + 4.5, paint["class text"], size=13)}</g>'
    )


def _bows(sizes: Sequence[tuple[float, float]]) -> list[tuple[Point, int]]:
    """Return the inner end of every box, and whether it goes on to the right (1) or to the left (-1)."""
    height = max(height for _, height in sizes) + _GAP
    rows = (len(sizes) + 1) // 2
    tall = rows * height / 2
    places: list[tuple[Point, int]] = []
    for place in range(len(sizes)):
        right = place < rows
        row = place if right else len(sizes) - 1 - place
        down = (row + 0.5) * height - tall
        bow = max(0.75 * tall, _NARROW) * sqrt(1 - _BEND * (down / tall) ** 2)
        places.append(((bow, down), 1) if right else ((-bow, down), -1))
    return places


def _curve(
    start: Point, end: Point, link: Link, most: float, colour: str, target: str, *, scale: Scale | None
) -> str:
    (x1, y1), (x2, y2) = start, end
    pull = 0.75 - 0.5 * min(1.0, hypot(x2 - x1, y2 - y1) / (2 * _NARROW))  # neighbours bend less
    x, y = pull * (x1 + x2) / 2, (y1 + y2) / 2
    width = _THIN + (_WIDE - _THIN) * link.share / (most or 1.0)
    tip = escape(visible(f"{link.first} – {link.second}: {in_bits(link.share, scale=scale)} given {target}"))
    return (
        f'<g class="edge tree s{link.step}"><title>{tip}</title>'
        f'<path fill="none" stroke="{colour}" stroke-width="{width:.2f}" stroke-linecap="round" '
        f'd="M{x1:.1f},{y1:.1f}Q{x:.1f},{y:.1f} {x2:.1f},{y2:.1f}"/></g>'
    )


def _box(name: str, tip: str, at: Point, outward: int, fill: str, paint: Mapping[str, str]) -> str:
    width, height = box_size(name)
    x, y = at
    left = x if outward > 0 else x - width
    return (
        f'<g class="node attribute"><title>{escape(visible(tip))}</title>'
        f'<rect x="{left:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8" '
        f'fill="{fill}" stroke="{paint["outline"]}"/>'
        f"{label(name, left + width / 2, y + 4.5, paint['text'], size=13)}</g>"
    )
