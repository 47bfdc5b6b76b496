"""Wishes in a drawing: the arcs they change and add, and that the layout stays that of the tree."""

import re

from pgm_nb.graphs import CherryTree
from pgm_nb.views.graph.dot import to_dot
from pgm_nb.views.graph.drawing import elements
from pgm_nb.views.graph.edited import mark_edits

TREE = CherryTree(
    "y", ("a", "b", "c"), {"b": "a", "c": "b"}, {"a": 1.0, "b": 1.0, "c": 1.0}, {"b": 1.0, "c": 1.0}
)


def test_required_links_are_coloured_and_forbidden_ones_added():
    plain = TREE.drawing("tree")
    marked = mark_edits(plain, [("b", "a")], [("c", "a"), ("c", "gone")])
    kinds = [arc.kind for arc in marked.arcs]
    assert kinds.count("required") == 1
    assert kinds.count("forbidden") == 1
    assert len(kinds) == len(plain.arcs) + 1
    assert elements(marked)["n3->n1"].names == ("c", "a")  # it can be clicked, to clear it
    [line] = [line for line in to_dot(marked).splitlines() if "n3 -> n1" in line]
    assert re.search("arrowhead=none.*constraint=false.*style=dotted", line)


def test_a_view_without_boxes_of_attributes_stays_as_it_is():
    junction = TREE.drawing("junction")
    assert mark_edits(junction, [("a", "b")], [("a", "c")]) == junction
