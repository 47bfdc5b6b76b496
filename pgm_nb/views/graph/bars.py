"""Probabilities inside the boxes of a picture: room for them in the layout, and the bars as pieces of SVG.

The layout depends on how many states there are, not on the probabilities: a picture is laid out once, and
only the pieces change when something becomes known. Few states are rows with their names, many are columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from re import findall
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from pgm_nb.views.graph.drawing import Drawing, Node
from pgm_nb.views.graph.layout import box_size
from pgm_nb.views.style import FONT, brief, colours
from pgm_nb.words import probability

__all__ = ["Bars", "bar_marks", "with_marks", "with_room"]

FEW = 4  # states up to which each is a row with its name
WIDTH, ROW, COLUMNS, LINE, EDGE = 140.0, 13.5, 27.0, 13.0, 6.0  # points
CLASS = 170.0  # width of the class
NAME, NUMBER = 56.0, 38.0  # points of a row for the name of a state and for its probability
LETTERS, SMALL = 11, 9.5  # letters of a name in a row; the size of the font
_SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Bars:
    """What a box shows of a variable.

    Examples
    --------
    >>> Bars(("no", "yes"), (0.25, 0.75)).best()
    'yes: 75.0%'
    >>> Bars(("no", "yes"), (0.0, 1.0), known="yes", state=1).best()
    'yes'
    """

    labels: tuple[str, ...]  #: its states
    shares: tuple[float, ...] | None = None  #: how likely each is; None where the model has no probabilities
    known: str = ""  #: what is known of it, in words; empty for nothing
    state: int | None = None  #: the state that is known, if it is one

    def best(self, letters: float = inf) -> str:
        """Return what is known, or else the most probable state, in so many letters."""
        if self.known or self.shares is None:
            return _short(self.known, letters)
        place = max(range(len(self.shares)), key=self.shares.__getitem__)
        number = f": {probability(self.shares[place])}"
        return f"{_short(self.labels[place], letters - len(number))}{number}"

    @property
    def room(self) -> float:
        """Height in points that the bars need below the name."""
        return (ROW * len(self.labels) if len(self.labels) <= FEW else COLUMNS + LINE) + EDGE


def with_room(drawing: Drawing, bars: Mapping[str, Bars]) -> Drawing:
    """Return a drawing whose boxes of these variables have room for bars.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> star = Star("y", ("a",)).drawing()
    >>> [node.room for node in with_room(star, {"a": Bars(("no", "yes"))}).nodes]
    [0.0, 33.0]
    """
    nodes = tuple(
        replace(
            node,
            room=bars[node.names[0]].room,
            width=max(node.width or 0.0, CLASS if node.kind == "class" else WIDTH),
        )
        if node.kind in ("class", "attribute") and node.names and node.names[0] in bars
        else node
        for node in drawing.nodes
    )
    return replace(drawing, nodes=_apart(nodes) if drawing.flow == "pinned" else nodes)


def _apart(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Move boxes that have their places apart, as much as the largest needs."""
    columns: dict[float, list[float]] = {}
    for node in nodes:
        if node.at is not None:
            columns.setdefault(round(node.at[0], 1), []).append(node.at[1])
    gaps = [high - low for places in columns.values() for low, high in pairwise(sorted(places))]
    sizes = [box_size(node.lines[0], node.number)[1] + node.room for node in nodes if node.lines]
    down = max(1.0, (max(sizes, default=0.0) + EDGE) / min(gaps)) if gaps and min(gaps) > 0 else 1.0
    return tuple(
        node if node.at is None else replace(node, at=(1.2 * node.at[0], down * node.at[1])) for node in nodes
    )


def bar_marks(svg: str, bars: Mapping[str, Bars]) -> dict[str, str]:
    """Return the pieces of SVG that go into the boxes of a picture, by the ``data-id`` of the box.

    Parameters
    ----------
    svg : str
        A picture drawn from `with_room`.
    bars : mapping
        What each box shows, by its ``data-id``.
    """
    root = ElementTree.fromstring(svg)
    found = {}
    for group in root.iter(f"{_SVG}g"):
        id = group.get("data-id", "")
        if id in bars and "node" in group.get("class", ""):
            box = _box(group)
            if box is not None:
                found[id] = _mark(bars[id], *box, is_class="class" in group.get("class", "").split())
    return found


def with_marks(svg: str, marks: Mapping[str, str]) -> str:
    """Return the picture with these pieces in its boxes, for a file.

    Examples
    --------
    >>> empty = '<svg xmlns="http://www.w3.org/2000/svg"><g data-id="n1"/></svg>'
    >>> "<g><rect /></g></g></svg>" in with_marks(empty, {"n1": "<g><rect/></g>"})
    True
    """
    root = ElementTree.fromstring(svg)
    for group in root.iter(f"{_SVG}g"):
        if (mark := marks.get(group.get("data-id", ""))) is not None:
            group.append(ElementTree.fromstring(mark.replace("<g", f'<g xmlns="{_SVG[1:-1]}"', 1)))
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _box(group: ElementTree.Element) -> tuple[float, float, float, float] | None:
    """Return left, top, right and bottom of the shape of a box."""
    for shape in group:
        if shape.tag in (f"{_SVG}path", f"{_SVG}polygon"):
            numbers = [
                float(n) for n in findall(r"-?\d+(?:\.\d+)?", shape.get("d") or shape.get("points") or "")
            ]
            across, down = numbers[0::2], numbers[1::2]
            return min(across), min(down), max(across), max(down)
    return None


def _mark(bars: Bars, left: float, top: float, right: float, bottom: float, *, is_class: bool) -> str:
    paint = colours("light")
    ink = paint["class text" if is_class else "text"]
    pieces = []
    if bars.known:
        ring = _rect(left - 3, top - 3, right - left + 6, bottom - top + 6, "none")
        pieces.append(ring.replace("/>", f' rx="9" stroke="{paint["second arc"]}" stroke-width="3"/>'))
    start = bottom - bars.room
    many = len(bars.labels) > FEW
    for place in range(len(bars.labels)):
        draw = _column if many else _row
        pieces.append(draw(bars, place, (left + EDGE, start, right - EDGE), ink, is_class))
    if many:
        said = bars.best((right - left - EDGE) / (0.56 * SMALL))
        pieces.append(_text(said, (left + right) / 2, bottom - EDGE + 1, ink, "middle"))
    return f'<g class="bars" font-family="{FONT}" font-size="{SMALL}">{"".join(pieces)}</g>'


def _colours(bars: Bars, place: int, is_class: bool) -> tuple[str, str]:
    """Return the colours of a bar and of what it fills."""
    paint = colours("light")
    if bars.known and bars.shares is not None and (bars.state is None or bars.state == place):
        return paint["second arc"], paint["page"]
    return (paint["shade 4"], paint["tree arc"]) if is_class else (paint["tree arc"], paint["page"])


def _row(bars: Bars, place: int, ends: tuple[float, float, float], ink: str, is_class: bool) -> str:
    left, top, right = ends
    y, height = top + ROW * place, ROW - 4
    fill, track = _colours(bars, place, is_class)
    start, full = left + NAME, right - NUMBER - left - NAME
    pieces = [_text(_short(bars.labels[place], LETTERS), left, y + ROW - 3.5, ink)]
    if bars.shares is not None:
        share = bars.shares[place]
        pieces += [
            _rect(start, y + 2, full, height, track),
            _rect(start, y + 2, full * share, height, fill),
            _text(probability(share), right, y + ROW - 3.5, ink, "end"),
        ]
    elif bars.state == place:
        pieces.append(_rect(start, y + 2, height, height, fill))
    return "".join([*pieces, _reach(bars, place, left, y, right - left, ROW)])


def _column(bars: Bars, place: int, ends: tuple[float, float, float], ink: str, is_class: bool) -> str:
    left, top, right = ends
    width = (right - left) / len(bars.labels)
    x, inner = left + width * place, max(width - 1.0, 0.5)
    fill, track = _colours(bars, place, is_class)
    share = float(bars.state == place) if bars.shares is None else bars.shares[place]
    highest = 1.0 if bars.shares is None else max(*bars.shares, 0.25)
    height = COLUMNS * share / highest
    return (
        _rect(x, top, inner, COLUMNS, track)
        + _rect(x, top + COLUMNS - height, inner, height, fill)
        + _reach(bars, place, x, top, width, COLUMNS)
    )


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    area = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.0):.1f}" height="{max(height, 0.0):.1f}"'
    return f'<rect {area} fill="{fill}"/>'


def _reach(bars: Bars, place: int, x: float, y: float, width: float, height: float) -> str:
    """Return the unseen area of a state, which can be clicked and says what it is."""
    said = bars.labels[place] + ("" if bars.shares is None else f": {probability(bars.shares[place])}")
    area = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {area} fill="transparent" data-state="{place}"><title>{escape(brief(said))}</title></rect>'


def _short(text: str, letters: float) -> str:
    shown = brief(text)
    return shown if len(shown) <= letters else f"{shown[: max(int(letters) - 1, 1)]}…"


def _text(text: str, x: float, y: float, ink: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{ink}" text-anchor="{anchor}">{escape(text)}</text>'
