"""Graphviz and vl-convert in a process of their own: whatever ends them, this process lives and draws on."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from pgm_nb.errors import RenderError
from pgm_nb.views import native
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.graph.render import draw
from pgm_nb.views.native import DRAWERS, chart_svg, render, svg_to_file

NODES = (Node("n0", ("age",), "attribute"), Node("n1", ("pulse",), "attribute"))
CHART = '{"mark": "point", "data": {"values": [{}]}}'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{0}"><circle r="9"/></svg>'
LARGE = "graph { layout=neato; " + " ".join(f"n{i} -- n{i * 7 % 997};" for i in range(3000)) + "}"


def works():
    return (
        render("digraph { a -> b }", "png")[1:4],
        chart_svg(CHART)[:4],
        svg_to_file(SVG.format(9), "pdf")[:4],
    )


WORKS = (b"PNG", "<svg", b"%PDF")


@pytest.mark.parametrize("ends", [1e308, float("inf"), float("nan"), -1e7])
def test_no_number_beyond_a_page_reaches_graphviz(ends):
    one, two = NODES
    for drawing in (
        Drawing("arc", NODES, (Arc("n0", "n1", "tree", width=ends),)),
        Drawing("wide", (Node("n0", ("age",), "attribute", width=ends), two), ()),
        Drawing("high", (Node("n0", ("age",), "attribute", room=ends), two), ()),
        Drawing("far", (one, Node("n1", ("age",), "attribute", at=(0.0, ends))), (), flow="pinned"),
    ):
        for format in ("dot", "svg"):
            with pytest.raises(RenderError, match="must lie within 1,000,000 points, but one is"):
                draw(drawing, format=format)


def test_what_ends_graphviz_ends_nothing_else():
    for dot, reason in (
        ("digraph { a -> b [penwidth=inf] }", "the drawing program stopped"),
        ("digraph { a -> b [penwidth=nan] }", "the drawing program stopped"),
        ('digraph { a [height="1e308"] }', "Graphviz could not draw"),
    ):
        with pytest.raises(RenderError, match=reason):
            render(dot, "png")
    assert works() == WORKS


def test_a_picture_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(native, "SECONDS", 0.3)
    with pytest.raises(RenderError, match=r"takes longer than 0\.3 seconds; draw fewer columns"):
        render(LARGE)
    monkeypatch.undo()
    assert works() == WORKS


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no limit of memory on this system")
def test_a_picture_that_takes_too_much_memory(monkeypatch):
    DRAWERS.close()
    monkeypatch.setattr(native, "BYTES", 60_000_000)
    for make in (lambda: chart_svg(CHART), lambda: svg_to_file(SVG.format(9000), "png")):
        with pytest.raises(RenderError, match=r"could not be drawn \(.*\); draw fewer columns"):
            make()
    monkeypatch.undo()
    assert works() == WORKS


def test_text_that_is_too_long_is_not_sent(monkeypatch):
    monkeypatch.setattr(native, "MOST_TEXT", 1_000_000)
    with pytest.raises(RenderError, match="at most 1 million characters of text, but this one has 2 million"):
        render(" " * 2_000_000)


def test_threads_draw_side_by_side():
    def either(place):
        return render("digraph { a -> b }") if place % 2 else chart_svg(CHART)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(either, range(40)))
    assert len(set(found)) == 2


def test_a_process_that_is_ready_draws_one_picture_after_the_other():
    native._ready()
    process = DRAWERS.run(os.getpid)
    for _ in range(5):
        render("digraph { a -> b }")
    assert DRAWERS.run(os.getpid) == process
