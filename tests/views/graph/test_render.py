"""DOT to SVG, PNG and PDF: real files, silent, safe under threads, and sentences when it fails."""

import os
import struct
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import pytest

from pgm_nb.errors import RenderError
from pgm_nb.views.graph.dot import to_dot
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.render import draw
from pgm_nb.views.native import render
from pgm_nb.views.style import FONTS

DRAWING = Drawing(
    "pair",
    (Node("n0", ("age",), "attribute", tip="age in years"), Node("n1", ("pulse",), "attribute", step=2)),
    (Arc("n0", "n1", "tree", label="0.41", width=2.0, tip="age → pulse"),),
)


def png_pixels(png):
    """Return the size of a PNG, and the RGBA colour of its first pixel."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (depth, kind) == (8, 6)
    data, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += 12 + length
    rows = zlib.decompress(data)
    assert len(rows) == height * (1 + 4 * width)
    return (width, height), rows[1:5]


def test_svg_scales_and_has_titles_but_no_ids():
    root = ElementTree.fromstring(draw(DRAWING))
    assert root.get("viewBox").startswith("0.00 0.00 ")
    assert "max-width:100%" in root.get("style")
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == ["age in years", "pulse", "age → pulse"]
    assert [g.get("data-id") for g in root.iter() if g.get("data-id")][1:] == ["n0", "n1", "n0->n1"]
    assert not [g for g in root.iter() if g.get("id")]
    assert not [g for g in root.iter() if g.tag.endswith("}a")]
    assert 'class="node attribute s2"' in draw(DRAWING).decode()


def test_png_has_the_size_of_the_drawing_at_its_resolution():
    root = ElementTree.fromstring(draw(DRAWING))
    points = [float(root.get(side).removesuffix("pt")) for side in ("width", "height")]
    for dpi in (72, 144):
        size, _ = png_pixels(draw(DRAWING, format="png", dpi=dpi))
        for pixels, length in zip(size, points, strict=True):
            assert pixels == pytest.approx(length * dpi / 72, abs=dpi / 36)


def test_png_page_follows_the_theme():
    _, light = png_pixels(draw(DRAWING, format="png"))
    _, dark = png_pixels(draw(DRAWING, format="png", theme="dark"))
    assert light == b"\xff\xff\xff\xff"
    assert dark == b"\x0e\x11\x17\xff"


def test_pdf_is_whole():
    pdf = draw(DRAWING, format="pdf")
    assert pdf.startswith(b"%PDF-1.")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert b"DejaVuSans" in pdf  # the font of the package is inside, so it prints everywhere


def test_dot_is_the_text():
    assert draw(DRAWING, format="dot").decode() == to_dot(DRAWING)


def test_themes_of_an_svg():
    light, dark, auto = (draw(DRAWING, theme=theme).decode() for theme in ("light", "dark", "auto"))
    assert "#1f2a37" in light
    assert "#1f2a37" not in dark
    assert "prefers-color-scheme: dark" in auto
    assert "<style" not in light + dark


def test_four_threads_draw_the_same_bytes():
    drawings = [
        Drawing("many", tuple(Node(f"n{i}", (f"name {i}",), "attribute") for i in range(size)), ())
        for size in range(5, 15)
    ]
    alone = [draw(drawing) for drawing in drawings]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(draw, drawings * 4))
    assert together == alone * 4


def test_the_first_picture_of_a_process_is_silent_and_leaves_the_environment_alone():
    code = (
        "import os; from pgm_nb.views.native import render; before = dict(os.environ)\n"
        "assert render('digraph { a -> b }', 'png')[1:4] == b'PNG'; assert dict(os.environ) == before"
    )
    settings = os.environ | {"FONTCONFIG_FILE": "/of/the/user"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=settings)
    assert (done.stdout, done.stderr) == (b"", b"")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: render("digraph { a -> "), "syntax error in line 1"),
        (lambda: render(""), "could not draw the picture"),
        (lambda: render("digraph { layout=spiral }"), "spiral"),
        (lambda: render("digraph { }", "gif"), "svg, png or pdf here, but 'gif'"),
        (lambda: draw(DRAWING, format="gif"), "dot, svg, png, pdf, but 'gif'"),
        (lambda: draw(DRAWING, theme="pink"), "light, dark, auto, but 'pink'"),
    ],
)
def test_failures_get_a_sentence(call, sentence, capfd):
    with pytest.raises(RenderError, match=sentence):
        call()
    assert capfd.readouterr() == ("", "")


def test_the_font_lies_where_the_pictures_look_for_it():
    assert (FONTS / "DejaVuSans.ttf").stat().st_size > 100_000
