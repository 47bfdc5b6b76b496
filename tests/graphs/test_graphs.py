"""What all graph objects share: edges, copies, equality, JSON, GraphML, and sentences for bad input."""

import copy
import json
import pickle

import networkx as nx
import pytest

from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, Edge, Star, Tree, from_json

RELEVANCE = {"a": 0.5, "b": 0.25, "c": 0.125}
STAR = Star("y", ("a", "b", "c"), RELEVANCE)
TREE = Tree("y", ("a", "b", "c"), {"a": "b", "c": "b"}, RELEVANCE, {"a": 0.3, "c": 0.1})
CHERRY = CherryTree("y", ("b", "a", "c"), {"a": "b", "c": "a"}, RELEVANCE, {"a": 0.3, "c": 0.1})
BARE = CherryTree("y", ("b", "a", "c"), {"a": "b", "c": "a"})
ALL = pytest.mark.parametrize("graph", [STAR, TREE, CHERRY, BARE], ids=["star", "tree", "cherry", "bare"])


def test_edges_and_nodes():
    assert STAR.nodes == TREE.nodes == ("y", "a", "b", "c")
    assert STAR.edges == tuple(Edge("y", name, "class", RELEVANCE[name]) for name in "abc")
    assert STAR.edges == TREE.edges[:3]
    assert TREE.edges[3:] == (Edge("b", "a", "tree", 0.3), Edge("b", "c", "tree", 0.1))
    assert TREE.root == "b"
    assert dict(STAR.mothers) == {}
    assert {edge.weight for edge in BARE.edges} == {None}


@ALL
def test_networkx_copy_is_fresh_and_carries_kinds_and_weights(graph):
    copied = graph.to_networkx()
    assert tuple(copied.nodes) == graph.nodes
    found = {(u, v, data["kind"], data.get("weight")) for u, v, data in copied.edges(data=True)}
    assert found == set(graph.edges)
    copied.clear()
    assert graph.to_networkx().number_of_nodes() == 4


@ALL
def test_json_reads_back_equal(graph):
    text = graph.to_json()
    again = from_json(text)
    assert again == graph
    assert hash(again) == hash(graph)
    assert again.to_json() == text
    assert json.loads(text)["version"] == 1


@ALL
def test_copies_are_equal(graph):
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert copy.deepcopy(graph) == graph


def test_graphs_that_differ_are_not_equal():
    graphs = [STAR, TREE, CHERRY, BARE]
    assert all((one == other) is (one is other) for one in graphs for other in graphs)
    assert len(set(graphs)) == 4
    assert STAR != "star"


@ALL
def test_graphs_cannot_be_changed(graph):
    with pytest.raises(AttributeError):
        graph.target = "z"
    with pytest.raises(TypeError):
        graph.mothers["a"] = "c"


def test_the_callers_own_lists_and_dicts_are_not_kept():
    attributes, mothers = ["a", "b"], {"b": "a"}
    tree = Tree("y", attributes, mothers)
    attributes.append("c")
    mothers["c"] = "a"
    assert tree.attributes == ("a", "b")
    assert dict(tree.mothers) == {"b": "a"}


@ALL
def test_graphml_reads_back(graph):
    again = nx.parse_graphml(graph.to_graphml())
    assert set(again.nodes) == set(graph.nodes)
    found = {(u, v, data["kind"], data.get("weight")) for u, v, data in again.edges(data=True)}
    assert found == set(graph.edges)


def test_graphml_refuses_what_xml_cannot_hold():
    with pytest.raises(StructureError, match=r"printable names only, but one is 'a\\x00'"):
        Star("y", ("a\x00",)).to_graphml()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Star("y", ()), "at least one attribute besides the class"),
        (lambda: Star("y", "abc"), "must be a list of names, but one text was given: 'abc'"),
        (lambda: Star("y", ("a", 3)), "Names must be text, but 3 is of type int"),
        (lambda: Star(None, ("a",)), "Names must be text, but None is of type NoneType"),
        (lambda: Star("y", ("a", "b", "a")), "'a' appears more than once"),
        (lambda: Star("y", ("a", "y")), "The class 'y' is also among the attributes"),
        (lambda: Star("y", ("a", "b"), {"a": 1.0}), "relevance of 'b' is missing"),
        (lambda: Star("y", ("a",), {"a": 1.0, "q": 1.0}), "relevance is given for 'q'"),
        (lambda: Star("y", ("a",), {"a": float("nan")}), "finite number of bits, but it is nan"),
        (lambda: Star("y", ("a",), {"a": "much"}), "finite number of bits, but it is 'much'"),
        (lambda: Tree("y", ("a", "b"), {}), "'a' and 'b' have no mother"),
        (lambda: Tree("y", ("a", "b"), {"b": "q"}), "'q' is not among them"),
        (lambda: Tree("y", ("a", "b"), {"q": "a", "b": "a"}), "A mother is given for 'q'"),
        (lambda: Tree("y", ("a", "b"), {"b": "b"}), "'b' is given as its own mother"),
        (lambda: Tree("y", ("a", "b", "c"), {"b": "c", "c": "b"}), "these do: 'b' -> 'c' -> 'b'"),
        (lambda: Tree("y", ("a", "b"), {"a": "b", "b": "a"}), "these do: 'a' -> 'b' -> 'a'"),
        (lambda: Tree("y", ("a", "b"), {"b": "a"}, None, {"a": 1}), "dependence of 'b' is missing"),
        (lambda: STAR.to_dot("tree"), "views of a star are 'star', but 'tree' was asked for"),
    ],
)
def test_bad_input_gets_a_sentence(make, sentence):
    with pytest.raises(StructureError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"schema": "other"}, "is it a file of another kind"),
        ({"version": 2}, "this one is of version 2; update"),
        ({"type": "forest"}, "this one is 'forest'"),
        ({"type": ["tree"]}, r"this one is \['tree'\]"),
        ({"colour": "red"}, "missing or unknown: colour"),
        ({"attributes": "abc"}, "'attributes' of a tree must be a JSON list: 'abc'"),
        ({"mothers": None}, "'mothers' of a tree must be a JSON object: None"),
        ({"target": 5}, "'target' of a tree must be a JSON text: 5"),
        ({"mothers": {"a": "c", "c": "a"}}, "form no cycle"),
        ({"mothers": {"a": ["b"], "c": "b"}}, r"but \['b'\] is not among them"),
    ],
)
def test_bad_json_gets_a_sentence(change, sentence):
    with pytest.raises(StructureError, match=sentence):
        from_json(json.dumps(json.loads(TREE.to_json()) | change))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"star"'])
def test_text_that_is_no_graph_gets_a_sentence(text):
    with pytest.raises(StructureError, match=r"not JSON|is it a file of another kind"):
        from_json(text)
