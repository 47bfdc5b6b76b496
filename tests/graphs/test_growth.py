"""Parts of large graphs, and drawings whose nodes and arcs know their steps."""

import pytest

from pgm_nb.graphs import CherryTree, GaussianStar, HiddenParents, Star, Tree
from pgm_nb.graphs.growth_pictures import growing, rounds_drawing
from pgm_nb.graphs.part import part

NAMES = ("a", "b", "c")
BITS = {"a": 0.5, "b": 0.25, "c": 0.125}
MOTHERS = {"b": "a", "c": "b"}
TIES = {"b": 0.5, "c": 0.25}


@pytest.mark.parametrize(
    "graph",
    [
        Star("y", NAMES, BITS),
        GaussianStar("y", NAMES, ("p", "q"), {"a": [(0, 1), (1, 1)], "c": [(0, 1), (1, 1)]}, BITS),
        Tree("y", NAMES, MOTHERS, BITS, TIES),
        CherryTree("y", NAMES, MOTHERS, BITS, TIES),
    ],
)
def test_a_part_keeps_its_numbers(graph):
    smaller = part(graph, ["b", "a"])
    assert type(smaller) is type(graph)
    assert smaller.attributes == ("a", "b")
    assert dict(smaller.relevance) == {"a": 0.5, "b": 0.25}
    assert smaller.edges == tuple(edge for edge in graph.edges if edge.target != "c")
    assert part(graph, NAMES) is graph


def test_hidden_parents_stay_whole():
    graph = HiddenParents("y", NAMES, {"a": {"b": 1.0}})
    assert part(graph, ["a"]) is graph


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
