"""Pictures for print: exactly as wide as a column, at the resolution that a journal asks for."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from pgm_nb.errors import RenderError
from pgm_nb.views.native import chart_svg, svg_to_file
from pgm_nb.views.style import FONT, colours, visible

if TYPE_CHECKING:
    import altair as alt

__all__ = ["FORMATS", "PrintSize", "print_chart", "print_svg", "text_size"]

FORMATS = ("svg", "pdf", "png")
POINTS, MILLIMETRES = 72.0, 25.4  # of an inch
_SVG = "http://www.w3.org/2000/svg"
_LEGEND = 7.0  # points, of a legend below a picture unless a font size is asked for
_LIGHT = dict(zip(colours("dark").values(), colours("light").values(), strict=True))
_SHAPE = 0.8  # how high a chart of numbers may be, as a part of its width
_NARROW = 0.52  # width of a letter, as a part of the font size
ElementTree.register_namespace("", _SVG)


@dataclass(frozen=True)
class PrintSize:
    """How large a picture is on paper.

    Parameters
    ----------
    width_mm : float
        Width in millimetres; 85 is a column of many journals, 170 a page.
    dpi : int
        Pixels per inch of a PNG; 300 for pictures, 600 for line drawings.
    font_size : float, optional
        Size of the text on paper, in points. A chart is laid out with it. A graph or flow chart is never
        wider than `width_mm`, so that its text may be smaller; `text_size` says how large it is. By default
        the picture fills the width.
    legend : bool
        Whether the picture says what its colours and lines mean.

    Examples
    --------
    >>> PrintSize(85, 600).pixels
    2008
    >>> PrintSize(5)
    Traceback (most recent call last):
    pgm_nb.errors.RenderError: The width of a picture is 20 to 1000 mm, but 5 was asked for.
    """

    width_mm: float = 85.0
    dpi: int = 300
    font_size: float | None = None
    legend: bool = True

    def __post_init__(self) -> None:
        _check("The width of a picture", self.width_mm, 20, 1000, "mm")
        _check("The resolution of a picture", self.dpi, 36, 2400, "dpi")
        if self.font_size is not None:
            _check("The font size of a picture", self.font_size, 3, 72, "points")

    @property
    def points(self) -> float:
        """Width in points."""
        return self.width_mm / MILLIMETRES * POINTS

    @property
    def pixels(self) -> int:
        """Width of a PNG in pixels."""
        return round(self.width_mm / MILLIMETRES * self.dpi)


def _check(what: str, value: float, low: float, high: float, unit: str) -> None:
    if not low <= value <= high:
        raise RenderError(f"{what} is {low} to {high} {unit}, but {value:g} was asked for.")


def print_svg(
    svg: str, format: str, size: PrintSize, *, font: float = 12.0, legend: str = "", theme: str = "light"
) -> bytes:
    """Return a picture as a file that is exactly as wide as asked for.

    Parameters
    ----------
    svg : str
        The picture; its view box says how large it is.
    format : {"svg", "pdf", "png"}
        The file format. A PNG says its resolution, so that programs place it in the right size.
    size : PrintSize
        How large it is on paper.
    font : float
        Size of its text, in the units of its view box.
    legend : str
        How to read the picture, for below it; `size` says whether it is wanted.
    theme : {"light", "dark"}
        Colour of the page; an SVG has none.

    Examples
    --------
    >>> picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100"><circle r="9"/></svg>'
    >>> print_svg(picture, "svg", PrintSize(100))[:80].decode()
    '<svg xmlns="http://www.w3.org/2000/svg" width="100mm" height="50mm" viewBox="0 0'
    >>> print_svg(picture, "pdf", PrintSize(100))[:4]
    b'%PDF'
    """
    if format not in FORMATS:
        raise RenderError(f"A picture for print is {', '.join(FORMATS)}, but {format!r} was asked for.")
    picture = ElementTree.fromstring(svg)
    left, top, width, height = _box(picture)
    scale = _scale(width, font, size)
    page = size.points
    for name in ("style", "class", "width", "height"):
        picture.attrib.pop(name, None)
    picture.set("viewBox", f"{left:g} {top:g} {width:g} {height:g}")
    picture.set("x", f"{(page - scale * width) / 2:g}")
    picture.set("y", "0")
    picture.set("width", f"{scale * width:g}")
    picture.set("height", f"{scale * height:g}")
    lines, letters = _legend(legend if size.legend else "", size)
    tall = scale * height + len(lines) * letters * 1.35 + (letters / 2 if lines else 0.0)
    paint = colours(theme)
    root = ElementTree.Element(f"{{{_SVG}}}svg")
    root.set("width", f"{size.width_mm:g}mm")
    root.set("height", f"{tall / POINTS * MILLIMETRES:g}mm")
    root.set("viewBox", f"0 0 {page:g} {tall:g}")
    if format != "svg":
        paper = {"width": f"{page:g}", "height": f"{tall:g}", "fill": paint["page"]}
        ElementTree.SubElement(root, f"{{{_SVG}}}rect", paper)
    root.append(picture)
    for place, line in enumerate(lines):
        down = scale * height + letters * (1.35 * place + 1.4)
        words = {"x": f"{letters / 2:g}", "y": f"{down:g}", "font-family": FONT, "font-size": f"{letters:g}"}
        ElementTree.SubElement(root, f"{{{_SVG}}}text", words | {"fill": paint["number"]}).text = line
    return _written(root, format, size, tall)


def _written(root: ElementTree.Element, format: str, size: PrintSize, tall: float) -> bytes:
    """Return the page as a file."""
    if format == "svg":
        return ElementTree.tostring(root, encoding="unicode").encode() + b"\n"
    width = size.points if format == "pdf" else (size.pixels + 0.01) * POINTS / size.dpi  # whole pixels
    root.set("width", f"{width:.6f}")
    root.set("height", f"{tall * width / size.points:.6f}")
    text = ElementTree.tostring(root, encoding="unicode")
    return svg_to_file(text, format, dpi=size.dpi)


def text_size(svg: str, size: PrintSize, *, font: float = 12.0) -> float:
    """Return how large the text of a picture is on paper, in points.

    Examples
    --------
    >>> wide = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2000 100"/>'
    >>> round(text_size(wide, PrintSize(85, font_size=8)), 1)
    1.4
    """
    return font * _scale(_box(ElementTree.fromstring(svg))[2], font, size)


def _scale(width: float, font: float, size: PrintSize) -> float:
    """Return points per unit of a picture: it fills the width, or its text is as large as asked for."""
    fill = size.points / width
    return fill if size.font_size is None else min(fill, size.font_size / font)


def _box(picture: ElementTree.Element) -> tuple[float, float, float, float]:
    """Return the view box of a picture."""
    said = picture.get("viewBox", "").replace(",", " ").split()
    if len(said) != 4:
        sides = [picture.get(name, "100").rstrip("ptx") for name in ("width", "height")]
        said = ["0", "0", *sides]
    left, top, width, height = map(float, said)
    return left, top, max(width, 1.0), max(height, 1.0)


def _legend(text: str, size: PrintSize) -> tuple[list[str], float]:
    """Return the lines of a legend, and the size of their letters in points."""
    letters = min(size.font_size or _LEGEND, 12.0)
    most = max(int((size.points - letters) / (letters * _NARROW)), 10)
    return wrap(visible(text), most), letters


def print_chart(
    chart: alt.TopLevelMixin | dict[str, Any], format: str, size: PrintSize, *, theme: str = "light"
) -> bytes:
    """Return an Altair chart as a file that is exactly as wide as asked for, its text in the size asked for.

    Examples
    --------
    >>> import altair as alt
    >>> data = alt.Data(values=[{"x": 1}])
    >>> chart = alt.Chart(data).mark_point().encode(x="x:Q")
    >>> print_chart(chart, "pdf", PrintSize(85, font_size=8))[:4]
    b'%PDF'
    """
    said = _for_paper(chart if isinstance(chart, dict) else chart.to_dict())
    svg = chart_svg(_laid_out(dict(said), size))
    fill = PrintSize(size.width_mm, size.dpi, None, size.legend)
    return print_svg(svg, format, fill, theme=theme)


def _for_paper(part: Any) -> Any:
    """Return a part of a chart in the colours for a light page, whatever the page it was made for."""
    if isinstance(part, str):
        return _LIGHT.get(part, part)
    if isinstance(part, list):
        return [_for_paper(each) for each in part]
    if isinstance(part, dict):
        return {name: each if name == "datasets" else _for_paper(each) for name, each in part.items()}
    return part


def _laid_out(spec: dict[str, Any], size: PrintSize) -> dict[str, Any]:
    """Return a chart that is as wide as the paper, in points, with text and legend as asked for."""
    spec.pop("usermeta", None)
    if not any(name in spec for name in ("hconcat", "vconcat", "concat", "facet", "repeat")):
        spec |= {"width": size.points, "autosize": {"type": "fit-x", "contains": "padding"}}
        if isinstance(spec.get("height"), int | float) and not _has_rows(spec):
            spec["height"] = min(spec["height"], _SHAPE * size.points)
    config = {name: dict(part) if isinstance(part, dict) else part for name, part in spec["config"].items()}
    if size.font_size is not None:
        text = {"labelFontSize": size.font_size, "titleFontSize": size.font_size}
        for name in ("axis", "legend", "header"):
            config[name] = {**config.get(name, {}), **text}
        config["text"] = {**config.get("text", {}), "fontSize": size.font_size}
        config["title"] = {**config.get("title", {}), "fontSize": size.font_size + 1}
    spec["config"] = config
    return spec if size.legend else _without_legends(spec)


def _has_rows(spec: dict[str, Any]) -> bool:
    """Say whether the upright axis has names, each of which needs its line."""
    encodings = [each.get("encoding", {}) for each in (spec, *spec.get("layer", ()))]
    return any(found.get("y", {}).get("type") in ("nominal", "ordinal") for found in encodings)


def _without_legends(part: Any) -> Any:
    """Return a part of a chart in which no encoding has a legend."""
    if isinstance(part, list):
        return [_without_legends(each) for each in part]
    if not isinstance(part, dict):
        return part
    found = {name: each if name == "datasets" else _without_legends(each) for name, each in part.items()}
    for name in ("color", "fill", "stroke", "shape", "size", "opacity", "strokeDash"):
        channel = found.get("encoding", {}).get(name) if isinstance(found.get("encoding"), dict) else None
        if isinstance(channel, dict) and "field" in channel:
            channel["legend"] = None
    return found
