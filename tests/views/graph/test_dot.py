"""Drawings as DOT text."""

import pytest

from pgm_nb.views.graph.dot import to_dot
from pgm_nb.views.graph.drawing import Cell, Drawing, Node


@pytest.mark.parametrize("text", ["", " ", "\u2003"])
def test_an_empty_cell_holds_a_space_that_does_not_break(text):
    """Graphviz reads memory that is not its own when a cell holds nothing but plain spaces."""
    table = ((Cell(text, fill="#0072b2"), Cell("ill", strong=True)),)
    dot = to_dot(Drawing("one", (Node("n0", ("ill",), "table", table=table),), ()))
    assert 'BGCOLOR="#0072b2">&#160;</TD>' in dot
    assert "<B>ill</B>" in dot
