"""Parts of large graphs, and drawings whose nodes and arcs know their steps."""

from pgm_nb.graphs import Tree
from pgm_nb.graphs.growth_pictures import growing, rounds_drawing

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


def test_a_class_that_has_nobody_to_move_gets_no_new_cluster():
    drawing = rounds_drawing("y", [{"p": 2, "q": 0}, {"p": 1, "q": 3}], {"p": 0, "q": 0})
    assert [(node.lines[0], node.step) for node in drawing.nodes] == [
        ("y", None),
        ("p", 1),
        ("q", 1),
        ("p, round 2", 2),
        ("p, round 3", 3),
        ("q, round 3", 3),
    ]
    assert [(arc.source, arc.target) for arc in drawing.arcs[2:]] == [
        ("k0", "k0r2"),
        ("k0r2", "k0r3"),
        ("k1", "k1r3"),
    ]
