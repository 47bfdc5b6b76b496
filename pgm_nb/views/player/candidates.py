"""Runners-up in the picture of a step: dashed boxes and lines with what each would have added."""

import re
from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree

from pgm_nb.views.player.page import PlayContender
from pgm_nb.views.style import FONT, visible

__all__ = ["CANDIDATES", "later_candidates", "propose"]

CANDIDATES = 3  #: runners-up that are drawn, here and in the player
_SVG = "http://www.w3.org/2000/svg"
_SHAPES = ("path", "polygon", "ellipse", "rect")
_BEND = 0.12  # of a line, to run beside the lines of the tree
_LETTERS, _LINE = 11, 13
_ALONG = [
    0.5 + 0.04 * (1 if k % 2 else -1) * ((k + 1) // 2) for k in range(19)
]  # where on its line a number may stand


def later_candidates(contenders: Sequence[PlayContender], boxes: Sequence[str]) -> list[PlayContender]:
    """Return the runners-up of a step that are drawn.

    Examples
    --------
    >>> won = {"names": ["age"], "number": "1", "value": 1.0, "won": True, "box": "", "mothers": []}
    >>> won |= {"mark": "", "home": False}
    >>> lost = {**won, "won": False, "box": "n2", "mark": "0.5"}
    >>> [one["mark"] for one in later_candidates([won, lost], ["n1", "n2"])]
    ['0.5']
    """
    return [one for one in contenders if one["box"] in boxes][:CANDIDATES]


def propose(
    picture: ElementTree.Element, contenders: Sequence[PlayContender], now: int, glow: str, page: str
) -> None:
    """Draw the runners-up of a step into its picture, before what is yet to come is taken away.

    Parameters
    ----------
    picture : Element
        The SVG whose groups carry ``data-id``, and ``s<step>`` among their classes; it is changed.
    contenders : sequence of PlayContender
        The runners-up.
    now : int
        The step, from 1.
    glow, page : str
        Their colour, and that of the page.
    """
    graph = next((g for g in picture.iter(f"{{{_SVG}}}g") if "graph" in g.get("class", "").split()), None)
    if graph is None:
        return
    boxes = {g.get("data-id", ""): g for g in graph.iter(f"{{{_SVG}}}g") if "node" in _kinds(g)}
    lines, numbers, below = [], [], Counter[str]()
    taken = [_frame(box) for box in boxes.values()]
    for one in later_candidates(contenders, [*boxes]):
        here = boxes[one["box"]]
        x, y, bottom = _place(here)
        mothers = [boxes[id] for id in one["mothers"] if id in boxes]
        if not mothers:
            if one["home"] and _step(here) > now:
                continue  # the box it would join is yet to come
            below[one["box"]] += 1
            numbers.append(_text(x, bottom - 1 + _LINE * below[one["box"]], one["mark"], glow, page))
        if not one["home"]:
            for box in (here, *mothers):
                box.set("class", f"{box.get('class', '')} candidate")
        for place, mother in enumerate(mothers):
            x1, y1, _ = _place(mother)
            lower = 64.0 if abs(y - y1) < 20 else 0.0
            cx, cy = (x + x1) / 2 + _BEND * (y - y1), (y + y1) / 2 - _BEND * (x - x1) + lower
            path = f"M{x1:.1f},{y1:.1f}Q{cx:.1f},{cy:.1f} {x:.1f},{y:.1f}"
            dashes = {"fill": "none", "stroke": glow, "stroke-width": "1.4", "stroke-dasharray": "6 4"}
            lines.append(ElementTree.Element(f"{{{_SVG}}}path", {"d": path} | dashes))
            if place == 0:
                left, top = _spot((x1, y1), (cx, cy), (x, y), one["mark"], taken)
                numbers.append(_text(left, top + 4, one["mark"], glow, page))
    first = next((place for place, child in enumerate(graph) if child.tag == f"{{{_SVG}}}g"), 0)
    for line in reversed(lines):  # behind the boxes
        graph.insert(first, line)
    graph.extend(numbers)


def _spot(
    start: tuple[float, float], bend: tuple[float, float], end: tuple[float, float],
    mark: str, taken: list[tuple[float, float, float, float]],
) -> tuple[float, float]:  # fmt: skip
    """Return where on its line a number covers neither a box nor another number (else its middle)."""
    wide = 3.5 * len(mark)
    spots = [
        tuple(
            (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t * t * c
            for a, b, c in zip(start, bend, end, strict=True)
        )
        for t in _ALONG
    ]
    free = [
        (x, y)
        for x, y in spots
        if all(
            x + wide + 2 < left or x - wide - 2 > right or y + 5 < top or y - 5 > bottom
            for left, right, top, bottom in taken
        )
    ]
    x, y = (free or spots)[0]
    taken.append((x - wide, x + wide, y - 5, y + 5))
    return x, y


def _text(x: float, y: float, said: str, glow: str, page: str) -> ElementTree.Element:
    look = {"x": f"{x:.1f}", "y": f"{y:.1f}", "fill": glow, "text-anchor": "middle"}
    look |= {"paint-order": "stroke", "stroke": page, "stroke-width": "3"}
    found = ElementTree.Element(
        f"{{{_SVG}}}text", look | {"font-family": FONT, "font-size": str(_LETTERS), "font-weight": "bold"}
    )
    found.text = visible(said)
    return found


def _kinds(group: ElementTree.Element) -> list[str]:
    return group.get("class", "").split()


def _step(group: ElementTree.Element) -> int:
    """Return the step at which a box appears; 0 if it is there from the beginning."""
    found = re.search(r"(?:^| )s(\d+)(?: |$)", group.get("class", ""))
    return 0 if found is None else int(found[1])


def _place(box: ElementTree.Element) -> tuple[float, float, float]:
    """Return the middle of a box, and where it ends below."""
    left, right, top, bottom = _frame(box)
    return (left + right) / 2, (top + bottom) / 2, bottom


def _frame(box: ElementTree.Element) -> tuple[float, float, float, float]:
    """Return where a box ends: left, right, top, bottom."""
    shape = next(child for child in box.iter() if child.tag.removeprefix(f"{{{_SVG}}}") in _SHAPES)
    if shape.get("cx") is not None:
        x, y, wide, tall = (float(shape.get(name, "0")) for name in ("cx", "cy", "rx", "ry"))
        return x - wide, x + wide, y - tall, y + tall
    if shape.get("x") is not None:
        x, y, wide, tall = (float(shape.get(name, "0")) for name in ("x", "y", "width", "height"))
        return x, x + wide, y, y + tall
    found = [float(text) for text in re.findall(r"-?\d+\.?\d*", shape.get("points", shape.get("d", "")))]
    across, down = found[::2], found[1::2]
    return min(across), max(across), min(down), max(down)
