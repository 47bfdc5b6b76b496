"""Drawing by Graphviz and by vl-convert, in a process of its own: a number or a size may end either of them.

Text is measured and drawn with the font in ``views/fonts``, so pictures are the same on every machine, even
one without any fonts. Its letters are wide: a browser that draws the SVG in Arial stays inside the boxes.
(The ``.uuid`` beside the font is fontconfig's name for the folder; it would write one if it found none.)
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any, ParamSpec, TypeVar
from xml.sax.saxutils import escape

from pgm_nb.errors import RenderError, needed
from pgm_nb.views.style import FONTS
from pgm_nb.workers import OutOfTime, WorkerFailed, Workers

__all__ = ["chart_svg", "render", "start_drawing", "svg_to_file"]

Given = ParamSpec("Given")
Picture = TypeVar("Picture")

SECONDS, BYTES = 60.0, 2_000_000_000  # of one picture
MOST_TEXT = 30_000_000  # characters of DOT, of a chart or of an SVG
DRAWERS = Workers()
_SYSTEM_FONTS = ("/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts")


def render(dot: str, format: str = "svg", *, dpi: int = 144) -> bytes:
    """Lay out DOT text with the engine it names (``layout=...``) and return the picture.

    The Graphviz that comes inside pygraphviz draws it: no system ``dot`` is needed.

    Raises
    ------
    RenderError
        If the format is unknown, or Graphviz cannot read or draw the text, or not within a minute.
    MissingPackageError
        If pygraphviz cannot be imported.

    Examples
    --------
    >>> render("digraph { a -> b }", "pdf")[:4]
    b'%PDF'
    """
    if format not in {"svg", "png", "pdf"}:
        raise RenderError(f"Graphviz draws svg, png or pdf here, but {format!r} was asked for.")
    without = "or write DOT text and draw it with `dot -Tsvg`"
    with needed("pygraphviz", "drawing a graph", without):
        _look_for("pygraphviz")
    picture, said = _drawn(_laid_out, dot, format, dpi)
    sys.stderr.write("".join(f"{line}\n" for line in said))
    return picture


def chart_svg(chart: str | dict[str, Any]) -> str:
    """Draw a chart of Vega-Lite, given as JSON text or as what that stands for, as SVG text.

    Examples
    --------
    >>> chart_svg('{"mark": "point", "data": {"values": [{}]}}')[:4]
    '<svg'
    """
    with needed("vl-convert-python", "a chart as a picture"):
        _look_for("vl_convert")
    return _drawn(_charted, chart)


def svg_to_file(svg: str, format: str, *, dpi: int = 72, purpose: str = "a picture for print") -> bytes:
    """Return an SVG as a PNG or a PDF.

    Examples
    --------
    >>> picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><circle r="9"/></svg>'
    >>> svg_to_file(picture, "png")[1:4]
    b'PNG'
    """
    with needed("vl-convert-python", purpose):
        _look_for("vl_convert")
    return _drawn(_converted, svg, format, dpi)


def start_drawing() -> None:
    """Start a process that draws and let it load its libraries, while nobody waits for a picture."""
    Thread(target=_ready, daemon=True).start()


def _ready() -> None:
    try:
        chart_svg('{"mark": "point", "data": {"values": [{}]}}')
        render("graph { a }")
    except (RenderError, ImportError):  # whoever asks for a picture will be told
        return


def _look_for(package: str) -> None:
    if find_spec(package) is None:
        raise ImportError(f"No module named {package!r}")


def _drawn(make: Callable[Given, Picture], /, *given: Given.args, **options: Given.kwargs) -> Picture:
    """Run one of the functions below in a process that draws."""
    size = len(given[0]) if isinstance(given[0], str) else 0
    if size > MOST_TEXT:
        raise RenderError(
            f"A picture may have at most {MOST_TEXT // 1_000_000} million characters of text, but this one "
            f"has {size / 1e6:.0f} million: draw fewer columns, or shorter names."
        )
    try:
        return DRAWERS.limited(SECONDS, BYTES).run(make, *given, **options)
    except OutOfTime:
        raise RenderError(
            f"Drawing the picture takes longer than {SECONDS:g} seconds; draw fewer columns."
        ) from None
    except WorkerFailed as problem:
        reason = str(problem) or "the drawing program stopped: a number is too large, or memory too small"
        raise RenderError(f"The picture could not be drawn ({reason}); draw fewer columns.") from None


def _laid_out(dot: str, format: str, dpi: int) -> tuple[bytes, list[str]]:
    """Return a picture, and what Graphviz remarked."""
    said: list[str] = []
    try:
        with _captured_stderr(said):
            graph = _graphviz().AGraph(string=dot)
            if format == "png":
                graph.graph_attr["dpi"] = str(dpi)
            picture = graph.draw(format=format, prog=graph.graph_attr.get("layout") or "dot")
            graph.close()
        if not picture:
            raise ValueError("the picture is empty")
    except (ValueError, TypeError) as error:  # what pygraphviz raises for text it cannot read or draw
        reason = " ".join(said) or str(error)
        raise RenderError(f"Graphviz could not draw the picture ({reason}); check the DOT text.") from error
    except OSError as error:
        raise RenderError(
            f"Graphviz needs room for temporary files, and there is none ({error.strerror}): free some, or "
            "name another folder in the environment variable TMPDIR."
        ) from error
    return bytes(picture), said


def _charted(chart: str | dict[str, Any]) -> str:
    svg: str = _vl_convert().vegalite_to_svg(chart)
    return svg


def _converted(svg: str, format: str, dpi: int) -> bytes:
    draw = _vl_convert()
    return bytes(draw.svg_to_pdf(svg) if format == "pdf" else draw.svg_to_png(svg, ppi=dpi))


@cache
def _vl_convert() -> Any:
    """Return vl-convert, which draws characters that the machine's own fonts lack with ours."""
    import vl_convert

    vl_convert.register_font_directory(str(FONTS))
    return vl_convert


@cache
def _graphviz() -> Any:
    """Return pygraphviz once fontconfig, which reads its settings at the first picture, knows our font."""
    import pygraphviz

    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "fonts.conf"
        settings.write_text(_font_settings(), encoding="utf-8")
        os.environ["FONTCONFIG_FILE"] = str(settings)
        pygraphviz.AGraph(string="graph { a }").draw(format="png", prog="dot")
    return pygraphviz


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
    """Collect what Graphviz writes to the error stream, without fontconfig's notes on settings files."""
    with tempfile.TemporaryFile() as catch:
        kept = os.dup(2)
        os.dup2(catch.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            catch.seek(0)
            lines = catch.read().decode(errors="replace").splitlines()
            said.extend(line for line in lines if not line.startswith("Fontconfig"))
