"""Parts of large graphs, and drawings whose nodes and arcs know their steps."""

from pgm_nb.graphs import Tree
from pgm_nb.graphs.growth_pictures import growing

NAMES = ("a", "b", "c")
BITS = {"a": 0.5, "b": 0.25, "c": 0.125}
MOTHERS = {"b": "a", "c": "b"}
TIES = {"b": 0.5, "c": 0.25}


def test_an_arc_comes_with_the_attribute_it_leads_to():
    drawing = growing(Tree("y", NAMES, MOTHERS), "tree", {"a": 1, "b": 2, "c": 3})
    assert {node.lines[0]: node.step for node in drawing.nodes} == {"y": None, "a": 1, "b": 2, "c": 3}
    assert {(arc.source, arc.target): arc.step for arc in drawing.arcs if arc.kind == "tree"} == {
        ("n1", "n2"): 2,
        ("n2", "n3"): 3,
    }
