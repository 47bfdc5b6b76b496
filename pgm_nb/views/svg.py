"""Pieces of pictures written as SVG text: a frame with ticks, labels, and the document around them."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10

from pgm_nb.views.style import FONT, SCOPE, colours, dark_style, visible

__all__ = ["Panel", "document", "label", "themed_svg", "ticks"]


def ticks(low: float, high: float, about: int = 4) -> tuple[float, ...]:
    """Return round numbers between two ends, about as many as asked for.

    Examples
    --------
    >>> ticks(0.0, 10.0)
    (0.0, 2.5, 5.0, 7.5, 10.0)
    """
    span = high - low
    if not span > 0:
        return (low,)
    power = 10.0 ** floor(log10(span / about))
    step = min((power * unit for unit in (1, 2, 2.5, 5, 10)), key=lambda size: abs(span / size - about))
    first = -floor(-low / step)
    marks = [(first + i) * step for i in range(4 * about)]
    return tuple(0.0 if abs(mark) < step / 1e6 else mark for mark in marks if mark <= high + step * 1e-9)


@dataclass(frozen=True)
class Panel:
    """A rectangle of the page and the numbers it spans; turns numbers into places.

    Examples
    --------
    >>> Panel(10, 10, 100, 50, (0.0, 1.0), (0.0, 1.0)).place(0.5, 1.0)
    (60.0, 10.0)
    """

    left: float
    top: float
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the page for a pair of numbers."""
        across = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1.0)
        up = (y - self.y[0]) / ((self.y[1] - self.y[0]) or 1.0)
        return self.left + across * self.width, self.top + (1 - up) * self.height

    def frame(self, theme: str, x_name: str, y_name: str = "", *, y_ticks: bool = True) -> str:
        """Draw the outline, the ticks with their numbers, and the names of the axes."""
        paint = colours(theme)
        parts = [
            f'<rect x="{self.left:.1f}" y="{self.top:.1f}" width="{self.width:.1f}" '
            f'height="{self.height:.1f}" fill="none" stroke="{paint["class arc"]}"/>'
        ]
        bottom, left = self.top + self.height, self.left
        for mark in ticks(*self.x):
            across, _ = self.place(mark, self.y[0])
            parts.append(label(f"{mark:.6g}", across, bottom + 14, paint["number"], size=10))
        for mark in ticks(*self.y) if y_ticks else ():
            _, down = self.place(self.x[0], mark)
            parts.append(label(f"{mark:.6g}", left - 5, down + 3, paint["number"], size=10, anchor="end"))
        parts.append(label(x_name, left + self.width / 2, bottom + 30, paint["text"]))
        if y_name:
            x, y = left - 44, self.top + self.height / 2
            turned = label(y_name, x, y, paint["text"])
            parts.append(f'<g transform="rotate(-90 {x:.1f} {y:.1f})">{turned}</g>')
        return "".join(parts)


def label(text: str, x: float, y: float, colour: str, *, size: int = 12, anchor: str = "middle") -> str:
    """Write text at a place of the page.

    Examples
    --------
    >>> '&lt;age&gt;' in label("<age>", 0, 0, "#000000")
    True
    """
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-family="{FONT}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="{colour}">{escape(visible(text))}</text>'
    )


def document(width: float, height: float, title: str, parts: Sequence[str], theme: str = "light") -> str:
    """Wrap parts as one SVG text that scales with its container.

    With the theme ``"auto"`` parts in light colours become dark where the reader's system prefers that.

    Examples
    --------
    >>> document(10, 10, "empty", []).startswith("<svg ")
    True
    """
    auto = theme == "auto"
    scope, style = (f'class="{SCOPE}" ', f"<style>{dark_style(SCOPE)}</style>") if auto else ("", "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" {scope}style="max-width:100%;height:auto" role="img">'
        f"<title>{escape(visible(title))}</title>{style}{''.join(parts)}</svg>\n"
    )


def themed_svg(box: tuple[float, float, float, float], parts: Sequence[str], theme: str) -> str:
    """Wrap parts as one SVG text with this view box; with the theme ``"auto"`` it follows the system.

    Examples
    --------
    >>> "prefers-color-scheme" in themed_svg((0, 0, 10, 10), [], "auto")
    True
    """
    style = f"<style>{dark_style(SCOPE)}</style>" if theme == "auto" else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{box[2]:.0f}" height="{box[3]:.0f}" '
        f'viewBox="{" ".join(f"{side:.1f}" for side in box)}" class="{SCOPE}" '
        f'style="max-width:100%;height:auto">{style}{"".join(parts)}</svg>\n'
    )
