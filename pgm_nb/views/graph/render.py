"""Drawings to SVG, PNG and PDF files, and SVG that is fit for a web page."""

from xml.etree import ElementTree

from pgm_nb.errors import RenderError
from pgm_nb.views.graph.dot import to_dot
from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.views.graph.layout import FONT_SIZE
from pgm_nb.views.native import render
from pgm_nb.views.printing import PrintSize, print_svg
from pgm_nb.views.style import SCOPE, THEMES, colours, dark_style

__all__ = ["FORMATS", "draw", "tidy_svg"]

FORMATS = ("dot", "svg", "png", "pdf")

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", _SVG)


def draw(
    drawing: Drawing,
    *,
    format: str = "svg",
    theme: str = "light",
    dpi: int = 144,
    size: PrintSize | None = None,
    legend: str = "",
) -> bytes:
    """Draw in one of `FORMATS`; SVG has a transparent page, PNG and PDF the page colour of the theme.

    Parameters
    ----------
    drawing : Drawing
        What to draw.
    format : {"dot", "svg", "png", "pdf"}
        The file format.
    theme : {"light", "dark", "auto"}
        Colours for a light or a dark page; ``"auto"`` lets an SVG follow the reader's system.
    dpi : int
        Pixels per inch of a PNG.
    size : PrintSize, optional
        How large an SVG, PNG or PDF is on paper; it then says its resolution itself.
    legend : str
        How to read the picture, below one for print.

    Examples
    --------
    >>> from pgm_nb.views.graph.drawing import Node
    >>> draw(Drawing("one", (Node("n0", ("age",), "attribute"),), ()), format="png")[1:4]
    b'PNG'
    """
    if format not in FORMATS:
        raise RenderError(f"A picture can be {', '.join(FORMATS)}, but {format!r} was asked for.")
    if theme not in THEMES:
        raise RenderError(f"The theme of a picture is {', '.join(THEMES)}, but {theme!r} was asked for.")
    page = colours(theme)["page"] if format in {"png", "pdf"} else "transparent"
    dot = to_dot(drawing, theme, page)
    if format == "dot":
        return dot.encode()
    if size is not None:
        svg = tidy_svg(render(to_dot(drawing, theme, "transparent"), "svg").decode())
        return print_svg(svg, format, size, font=FONT_SIZE, legend=legend, theme=theme)
    picture = render(dot, format, dpi=dpi)
    return tidy_svg(picture.decode(), theme).encode() if format == "svg" else picture


def tidy_svg(svg: str, theme: str = "light") -> str:
    """Make Graphviz's SVG fit for a web page.

    It scales with its container, shows each tooltip as the title of its element, has no ids that could clash
    with another picture (the DOT id becomes ``data-id``) and, with the theme ``"auto"``, follows the system.

    Examples
    --------
    >>> from pgm_nb.views.native import render
    >>> tidy_svg(render('digraph { a [tooltip="age in years"] }').decode()).count("age in years")
    1
    """
    root = ElementTree.fromstring(svg)
    root.set("class", SCOPE)
    root.set("style", "max-width:100%;height:auto")
    for group in root.iter(f"{{{_SVG}}}g"):
        group.attrib.pop("id", None)
        title, link = group.find(f"{{{_SVG}}}title"), group.find(f"{{{_SVG}}}g/{{{_SVG}}}a")
        if title is not None:
            group.set("data-id", title.text or "")
            if link is None:
                group.remove(title)
            else:
                title.text = link.get(f"{{{_XLINK}}}title")
        _unwrap_links(group)
    if theme == "auto":
        style = ElementTree.Element(f"{{{_SVG}}}style")
        style.text = dark_style(SCOPE)
        root.insert(0, style)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _unwrap_links(group: ElementTree.Element) -> None:
    """Replace each link that Graphviz wraps around a shape to carry its tooltip by what is inside it."""
    for place, child in reversed(list(enumerate(group))):
        link = child.find(f"{{{_SVG}}}a") if child.tag == f"{{{_SVG}}}g" else None
        if link is not None:
            group[place : place + 1] = list(link)
