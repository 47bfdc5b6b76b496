"""Drawings as DOT text."""

import pytest

from pgm_nb.views.graph.dot import to_dot
from pgm_nb.views.graph.drawing import Cell, Drawing, Node


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
