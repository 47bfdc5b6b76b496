"""The steps of a growth as an animation (GIF, WebP): every frame has title, reason, picture and curves."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from math import isfinite
from unicodedata import east_asian_width
from xml.etree import ElementTree

import numpy as np

from pgm_nb.errors import RenderError, needed
from pgm_nb.views.native import svg_to_file
from pgm_nb.views.player.candidates import propose
from pgm_nb.views.player.page import Play, PlayCurve
from pgm_nb.views.style import FONT, colours, visible
from pgm_nb.views.svg import label

with needed("pillow", "an animation"):
    from PIL import Image

__all__ = ["ANIMATIONS", "AnimationFrames", "animate"]

ANIMATIONS = ("gif", "webp")
_COLOURS = 255  # of a GIF
_LAST = 3  # times as long as the others the last frame stays
_SVG = "http://www.w3.org/2000/svg"
_NARROWEST, _WIDEST, _TALLEST = 820.0, 1280.0, 900.0  # of a frame, and of the picture in it
_EDGE, _TITLE, _LINE, _CURVES = 20.0, 44.0, 21.0, 104.0
_LETTERS = 15  # size of the sentence
_GLOW = {"light": "#c2500a", "dark": "#ffa24d"}
_POINTS = 4 / 3  # pixels
_SHAPES = ("path", "polygon", "ellipse", "rect", "polyline")


def animate(
    data: Play,
    format: str,
    *,
    seconds: float = 0.8,
    theme: str = "light",
    progress: Callable[[float], None] | None = None,
) -> bytes:
    """Draw every step as a frame and return them as one animated picture, which plays in a loop.

    Parameters
    ----------
    data : Play
        What a player would be given.
    format : {"gif", "webp"}
        The file format.
    seconds : float
        How long a step stays; the last one stays longer.
    theme : {"light", "dark"}
        Colours of the page.
    progress : callable, optional
        Called with the fraction that is done; an exception it raises stops the work.

    Examples
    --------
    >>> from pgm_nb.views.player.page import PlayStep
    >>> picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt" viewBox="0 0 9 9"/>'
    >>> step = PlayStep(title="age joins", parts=["", "age", " joins."], facts=[], contenders=[])
    >>> animate({"steps": [step], "pictures": [picture], "curves": [], "chosen": None}, "gif")[:3]
    b'GIF'
    """
    if format not in ANIMATIONS:
        raise RenderError(f"An animation can be {' or '.join(ANIMATIONS)}, but {format!r} was asked for.")
    if not 0.02 <= seconds <= 60:
        raise RenderError(f"A step must stay between 0.02 and 60 seconds, but {seconds:g} was asked for.")
    frames = AnimationFrames(data, theme)
    last = _drawn(frames.svg(len(frames) - 1))
    palette = _palette(last) if format == "gif" else None
    images = []
    for place in range(len(frames)):
        image = last if place == len(frames) - 1 else _drawn(frames.svg(place))
        images.append(image if palette is None else image.quantize(palette=palette, dither=Image.Dither.NONE))
        if progress is not None:
            progress((place + 1) / (len(frames) + 1))
    stays = [round(1000 * seconds)] * (len(images) - 1) + [round(1000 * seconds * _LAST)]
    held = BytesIO()
    images[0].save(
        held, format, save_all=True, append_images=images[1:], duration=stays, loop=0,
        **({"optimize": False} if format == "gif" else {"quality": 90, "method": 3}),
    )  # fmt: skip
    return held.getvalue()


def _palette(image: Image.Image) -> Image.Image:
    """Return the colours that are most of an image, as they are: page and boxes keep theirs."""
    colours, counts = np.unique(np.asarray(image).reshape(-1, 3), axis=0, return_counts=True)
    common = colours[np.argsort(-counts, kind="stable")[:_COLOURS]]
    palette = Image.new("P", (1, 1))
    palette.putpalette(common.ravel().tolist())
    return palette


def _drawn(svg: str) -> Image.Image:
    with Image.open(BytesIO(svg_to_file(svg, "png", purpose="an animation"))) as image:
        return image.convert("RGB")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a sentence."""

    text: str
    is_name: bool
    glued: bool  #: no space before it

    @property
    def width(self) -> float:
        """About its width in pixels, with a space."""
        ems = sum(1.0 if east_asian_width(letter) in "WF" else 0.55 for letter in self.text)
        return _LETTERS * (ems + 0.3)


class AnimationFrames:
    """The frames of a growth; all have one size, and nothing moves from one to the next.

    Examples
    --------
    >>> from pgm_nb.views.player.page import PlayStep
    >>> picture = '<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt" viewBox="0 0 9 9"/>'
    >>> step = PlayStep(title="age joins", parts=["", "age", " joins."], facts=[], contenders=[])
    >>> frames = AnimationFrames({"steps": [step], "pictures": [picture], "curves": [], "chosen": None})
    >>> len(frames), "age joins" in frames.svg(0)
    (1, True)
    """

    def __init__(self, data: Play, theme: str = "light") -> None:
        self._data = data
        self._theme = theme
        self._paint = colours(theme)
        self._pictures = [ElementTree.fromstring(text) for text in data["pictures"]]
        sizes = [_size(picture) for picture in self._pictures]
        wide, tall = max(w for w, _ in sizes), max(h for _, h in sizes)
        self.width = min(max(wide + 2 * _EDGE, _NARROWEST), _WIDEST)
        self._scale = min(1.0, (self.width - 2 * _EDGE) / wide, _TALLEST / tall)
        self._sentences = [_wrapped(step["parts"], self.width - 2 * _EDGE) for step in data["steps"]]
        self._top = _EDGE + _TITLE + _LINE * max(map(len, self._sentences))
        self._bottom = self._top + self._scale * tall + _EDGE
        self.height = self._bottom + (_CURVES + _EDGE if data["curves"] else 0.0)

    def __len__(self) -> int:
        return len(self._data["steps"])

    def svg(self, place: int) -> str:
        """Return the frame of one step, counted from 0."""
        paint, step = self._paint, self._data["steps"][place]
        counter = f"{place + 1} of {len(self)}"
        parts = [
            f'<rect width="100%" height="100%" fill="{paint["page"]}"/>',
            label(step["title"], _EDGE, _EDGE + 20, paint["text"], size=22, anchor="start"),
            label(counter, self.width - _EDGE, _EDGE + 20, paint["number"], size=15, anchor="end"),
            *self._sentence(place),
            self._picture(place),
            *self._curves(place),
        ]
        return (
            f'<svg xmlns="{_SVG}" width="{self.width:.0f}" height="{self.height:.0f}" '
            f'viewBox="0 0 {self.width:.0f} {self.height:.0f}">{"".join(parts)}</svg>'
        )

    def _sentence(self, place: int) -> list[str]:
        """Write the sentence, its names in the colour of the class."""
        paint = {False: self._paint["text"], True: self._paint["class fill"]}
        lines = []
        for number, words in enumerate(self._sentences[place]):
            y = _EDGE + _TITLE + _LINE * number + 8
            spans = [
                f'<tspan fill="{paint[word.is_name]}">{"" if word.glued else " "}{escape(visible(word.text))}'
                "</tspan>"
                for word in words
            ]
            lines.append(
                f'<text x="{_EDGE}" y="{y:.1f}" font-family="{FONT}" font-size="{_LETTERS}">'
                f"{''.join(spans)}</text>"
            )
        return lines

    def _picture(self, place: int) -> str:
        picture = self._pictures[place if len(self._pictures) > 1 else 0]
        if len(self._pictures) == 1:
            picture = ElementTree.fromstring(ElementTree.tostring(picture))
            glow, page = _GLOW[self._theme], self._paint["page"]
            propose(picture, self._data["steps"][place]["contenders"], place + 1, glow, page)
            _stage(picture, place + 1, glow, page)
        wide, tall = (self._scale * side for side in _size(picture))
        picture.attrib.pop("style", None)
        places = {"x": (self.width - wide) / 2, "y": self._top, "width": wide, "height": tall}
        for name, value in places.items():
            picture.set(name, f"{value:.1f}")
        return ElementTree.tostring(picture, encoding="unicode")

    def _curves(self, place: int) -> list[str]:
        curves = self._data["curves"]
        room = (self.width - 2 * _EDGE - 30 * (len(curves) - 1)) / max(len(curves), 1)
        parts = []
        for number, curve in enumerate(curves):
            left = _EDGE + number * (room + 30)
            parts += self._curve(curve, place, left, room)
        return parts

    def _curve(self, curve: PlayCurve, place: int, left: float, room: float) -> list[str]:
        paint, glow, count = self._paint, _GLOW[self._theme], len(self)
        top, bottom = self._bottom + 26, self._bottom + _CURVES - 8
        known = [number for number in curve["numbers"] if number is not None and isfinite(number)]
        low, span = min(known, default=0.0), (max(known, default=0.0) - min(known, default=0.0)) or 1.0

        def point(k: int, number: float) -> tuple[float, float]:
            return left + room * (k / (count - 1) if count > 1 else 0.5), bottom - (number - low) / span * (
                bottom - top
            )

        path = [point(k, number) for k, number in enumerate(curve["numbers"]) if number is not None]
        parts = [
            label(curve["name"], left, self._bottom + 12, paint["number"], size=13, anchor="start"),
            label(
                curve["texts"][place], left + room, self._bottom + 12, paint["text"], size=13, anchor="end"
            ),
            f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in path)}" fill="none" '
            f'stroke="{paint["tree arc"]}" stroke-width="2"/>',
        ]
        number = curve["numbers"][place]
        if number is not None:
            x, y = point(place, number)
            parts.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4:.1f}" y2="{bottom + 4:.1f}" stroke="{glow}"/>'
            )
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{glow}"/>')
        return parts


def _stage(picture: ElementTree.Element, now: int, glow: str, page: str) -> None:
    """Show what is there at a step: later boxes are empty outlines, later lines are absent, new ones glow.

    What carries the class ``only`` is there at its own step alone, and does not glow.
    """
    for group in list(picture.iter(f"{{{_SVG}}}g")):
        found = re.search(r"(?:^| )s(\d+)(?: |$)", group.get("class", ""))
        if found is None:
            continue
        step, kinds = int(found[1]), group.get("class", "").split()
        is_node = "node" in kinds
        if "only" in kinds:
            if step != now:
                group.clear()
        elif step > now and "candidate" in kinds:
            for child in group:
                if child.tag.endswith(_SHAPES):
                    child.set("fill", page)
                    child.set("stroke", glow)
                    child.set("stroke-dasharray", "5 4")
        elif step > now:
            for child in list(group):
                if not is_node or child.tag.endswith(("text", "title")):
                    group.remove(child)
                else:
                    child.set("fill", "none")
                    child.set("stroke-dasharray", "3 4")
                    child.set("opacity", "0.45")
        elif step == now:
            for child in group:
                if child.tag.endswith(_SHAPES):
                    child.set("stroke", glow)
                    if is_node:
                        child.set("stroke-width", "2.6")
                    elif child.tag.endswith("polygon"):
                        child.set("fill", glow)


def _size(picture: ElementTree.Element) -> tuple[float, float]:
    """Return width and height in pixels."""
    _, _, wide, tall = map(float, picture.get("viewBox", "0 0 1 1").split())
    unit = _POINTS if picture.get("width", "").endswith("pt") else 1.0
    return wide * unit, tall * unit


def _wrapped(parts: Sequence[str], room: float) -> list[list[_Word]]:
    """Break a sentence in pieces into lines; every second piece is a name."""
    lines: list[list[_Word]] = [[]]
    used, before = 0.0, " "
    for place, part in enumerate(parts):
        for number, text in enumerate(part.split()):
            glued = number == 0 and not before[-1].isspace() and not part[0].isspace()
            word = _Word(text, is_name=place % 2 == 1, glued=glued)
            if used + word.width > room and lines[-1] and not glued:
                lines.append([])
                used = 0.0
            lines[-1].append(word)
            used += word.width
        before = part or before
    return lines
