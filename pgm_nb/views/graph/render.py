"""DOT text to SVG, PNG and PDF through the Graphviz that comes inside pygraphviz: no system ``dot`` needed.

Text is measured and drawn with the font in ``views/fonts``, so pictures are the same on every machine, even
one without any fonts. Its letters are wide: a browser that draws the SVG in Arial stays inside the boxes.
(The ``.uuid`` beside the font is fontconfig's name for the folder; it would write one if it found none.)
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from pgm_nb.errors import RenderError, needed
from pgm_nb.views.graph.dot import to_dot
from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.views.graph.layout import FONT_SIZE
from pgm_nb.views.printing import PrintSize, print_svg
from pgm_nb.views.style import FONTS, SCOPE, THEMES, colours, dark_style

__all__ = ["FORMATS", "draw", "render", "tidy_svg"]

FORMATS = ("dot", "svg", "png", "pdf")

_lock = Lock()  # Graphviz is not thread-safe: two layouts at once give wrong pictures
_fonts_are_loaded = Event()
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_SYSTEM_FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts")
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


def render(dot: str, format: str = "svg", *, dpi: int = 144) -> bytes:
    """Lay out DOT text with the engine it names (``layout=...``) and return the picture.

    Raises
    ------
    RenderError
        If the format is unknown, or Graphviz cannot read or draw the text.
    MissingPackageError
        If pygraphviz cannot be imported.

    Examples
    --------
    >>> render("digraph { a -> b }", "pdf")[:4]
    b'%PDF'
    """
    if format not in {"svg", "png", "pdf"}:
        raise RenderError(f"Graphviz draws svg, png or pdf here, but {format!r} was asked for.")
    with needed("pygraphviz", "drawing a graph", "or write DOT text and draw it with `dot -Tsvg`"):
        import pygraphviz
    said: list[str] = []
    try:
        with _lock, _own_fonts(), _captured_stderr(said):
            graph = pygraphviz.AGraph(string=dot)
            if format == "png":
                graph.graph_attr["dpi"] = str(dpi)
            picture = graph.draw(format=format, prog=graph.graph_attr.get("layout") or "dot")
            graph.close()
    except (ValueError, TypeError) as error:  # what pygraphviz raises for text it cannot read or draw
        reason = " ".join(said) or str(error)
        raise RenderError(f"Graphviz could not draw the picture ({reason}); check the DOT text.") from error
    except OSError as error:
        raise RenderError(
            f"Graphviz needs room for temporary files, and there is none ({error.strerror}): free some, or "
            "name another folder in the environment variable TMPDIR."
        ) from error
    sys.stderr.write("".join(f"{line}\n" for line in said))
    return bytes(picture)


def tidy_svg(svg: str, theme: str = "light") -> str:
    """Make Graphviz's SVG fit for a web page.

    It scales with its container, shows each tooltip as the title of its element, has no ids that could clash
    with another picture (the DOT id becomes ``data-id``) and, with the theme ``"auto"``, follows the system.

    Examples
    --------
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


@contextmanager
def _own_fonts() -> Iterator[None]:
    """Point fontconfig, which reads its settings at the first picture, to our font and then the system's."""
    if _fonts_are_loaded.is_set():
        yield
        return
    before = os.environ.get("FONTCONFIG_FILE")
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "fonts.conf"
        settings.write_text(_font_settings(), encoding="utf-8")
        os.environ["FONTCONFIG_FILE"] = str(settings)
        try:
            yield
        finally:
            del os.environ["FONTCONFIG_FILE"]
            if before is not None:
                os.environ["FONTCONFIG_FILE"] = before
    _fonts_are_loaded.set()


def _font_settings() -> str:
    folders = "".join(f"<dir>{escape(str(folder))}</dir>" for folder in (FONTS, *_SYSTEM_FONTS))
    return f"""<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  {folders}
  <cachedir prefix="xdg">fontconfig</cachedir>
  <match><edit name="family" mode="prepend_first" binding="strong"><string>DejaVu Sans</string></edit></match>
</fontconfig>
"""


@contextmanager
def _captured_stderr(said: list[str]) -> Iterator[None]:
    """Collect what C libraries write to the error stream, without fontconfig's notes on settings files."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as catch:
        os.dup2(catch.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            catch.seek(0)
            lines = catch.read().decode(errors="replace").splitlines()
            said.extend(line for line in lines if not line.startswith("Fontconfig"))
