"""Drawings as DOT text."""

import re
from itertools import pairwise

import pytest

from pgm_nb.graphs import Tree
from pgm_nb.views.graph.dot import to_dot
from pgm_nb.views.graph.drawing import Cell, Drawing, Node
from pgm_nb.views.graph.render import draw


@pytest.mark.parametrize("text", ["", " ", "\u2003"])
def test_an_empty_cell_holds_a_space_that_does_not_break(text):
    """Graphviz reads memory that is not its own when a cell holds nothing but plain spaces."""
    table = ((Cell(text), Cell("ill")),)
    dot = to_dot(Drawing("one", (Node("n0", ("ill",), "table", table=table),), ()))
    assert ">&#160;</TD>" in dot


def test_a_thick_outline_and_a_note():
    nodes = (
        Node("n0", ("ill",), "separator", outline="#0072b2"),
        Node("n1", ("One & two.", "A line that is longer than names are."), "note"),
    )
    dot = to_dot(Drawing("one", nodes, ()))
    assert 'color="#0072b2"' in dot
    assert "penwidth=3" in dot
    assert r"One &amp; two.\lA line that is longer than names are.\l" in dot


def test_a_very_long_name_is_drawn_short_and_whole_in_its_tooltip():
    name = "genes " * 800 + "end"
    node = Node("n0", (name,), "attribute", tip="0.2 bits", table=())
    text = to_dot(Drawing("tree", (node,), ()))
    label = text.split('label="', 1)[1].split('"', 1)[0]
    assert len(label) < 130
    assert "…" in label
    assert name in text
    assert "0.2 bits" in text


@pytest.mark.parametrize("letter", ["x", "&", "\\", "ü", "\x00"])
def test_no_text_is_longer_than_graphviz_reads(letter):
    node = Node("n0", ("short", 20_000 * letter), "attribute")
    longest = max(re.findall(r'"((?:[^"\\]|\\.)*)"', to_dot(Drawing("tree", (node,), ()))), key=len)
    assert len(longest.encode()) < 16_384
    assert b"<svg" in draw(Drawing("tree", (node,), ()))


def test_the_ranks_of_a_deep_tree_move_closer_together():
    def chain(length):
        names = tuple(f"a{i}" for i in range(length))
        return Tree("y", names, {b: a for a, b in pairwise(names)})

    assert "ranksep=0.5" in to_dot(chain(6).drawing())
    assert "ranksep=0.32" in to_dot(chain(30).drawing())
    assert "ranksep=0.32" in to_dot(chain(2_000).drawing())  # without running out of stack
