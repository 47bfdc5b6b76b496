"""The graph of one row: pairs, correlations, what is unknown; JSON, copies, pictures, sentences."""

import copy
import pickle
from xml.etree import ElementTree

import networkx as nx
import pygraphviz
import pytest

from pgm_nb.errors import StructureError
from pgm_nb.graphs import Edge, JoinedStar, from_json

GRAPH = JoinedStar(
    "y", ("a", "b", "c", "d", "e"), {"c": "a", "e": "b"}, {"c": 0.25, "e": -0.5}, unknown=("d",)
)
BARE = JoinedStar("y", ("a", "b"), {})


def test_edges_and_groups():
    assert GRAPH.groups == (("a", "c"), ("b", "e"))
    assert [edge.target for edge in GRAPH.edges if edge.kind == "class"] == ["a", "b", "c", "e"]
    assert GRAPH.edges[4:] == (Edge("a", "c", "joined", 0.25), Edge("b", "e", "joined", -0.5))
    assert BARE.groups == (("a",), ("b",))
    assert dict(GRAPH.mothers) == {}


def test_groups_of_more_than_two():
    graph = JoinedStar("y", tuple("abcdef"), {"c": "a", "d": "b", "e": "c"}, {"c": 0.2, "d": 0.1, "e": 0.7})
    assert graph.groups == (("a", "c", "e"), ("b", "d"), ("f",))
    assert graph.strongest(("a", "c", "e")) == ("c", "e", 0.7)
    assert graph.headlines()[0].value == "2 groups"
    parsed = pygraphviz.AGraph(string=graph.to_dot())
    assert parsed.get_node("n1").attr["label"].startswith("a\\nc\\ne")
    assert "+0.70" in parsed.get_node("n1").attr["label"]
    assert from_json(graph.to_json()) == graph


@pytest.mark.parametrize("graph", [GRAPH, BARE, JoinedStar("y", ("a", "b"), {"b": "a"})])
def test_json_and_copies_are_equal(graph):
    assert from_json(graph.to_json()) == graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert copy.deepcopy(graph) == graph
    found = {(u, v, data["kind"], data.get("weight")) for u, v, data in graph.to_networkx().edges(data=True)}
    assert found == set(graph.edges)
    assert set(nx.parse_graphml(graph.to_graphml()).nodes) == set(graph.nodes)


def test_graphs_that_differ_are_not_equal():
    assert JoinedStar("y", ("a", "b"), {"b": "a"}) != BARE
    assert JoinedStar("y", ("a", "b"), {}, unknown=("b",)) != BARE


def test_a_joined_pair_is_one_box_and_the_unknown_has_no_arc():
    parsed = pygraphviz.AGraph(string=GRAPH.to_dot())
    assert parsed.number_of_nodes() == 4  # the class, two pairs, one unknown
    assert parsed.edges() == [("n0", "n1"), ("n0", "n2")]
    label = parsed.get_node("n1").attr["label"]  # the stronger pair first
    assert label.startswith("b\\ne")
    assert "-0.50" in label
    assert "unknown" in parsed.get_node("n3").attr["label"]


@pytest.mark.parametrize("size", [1, 2, 13, 64])
def test_every_size_is_drawn(size, capfd):
    names = tuple(f'value "{place}" <&>' for place in range(size))
    joined = {names[place + 1]: names[place] for place in range(0, size - 1, 4)}
    for graph in (JoinedStar("y", names, joined), JoinedStar("y", names, {}, unknown=names)):
        spoken = "".join(ElementTree.fromstring(graph.draw()).itertext())
        assert all(name in spoken.replace("\xa0", " ") for name in names)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"b": "x"},), "'x' is not among them"),
        (({"a": "b"},), "column order: write 'b' to 'a'"),
        (({"b": "a"}, None, ("a",)), "'a' is unknown at this row"),
        (({}, None, ("x",)), "'x' is given as unknown"),
        (({"b": "a"}, {}), "correlation of 'b' is missing"),
    ],
)
def test_graphs_that_cannot_be(arguments, message):
    with pytest.raises(StructureError, match=message):
        JoinedStar("y", ("a", "b", "c"), *arguments)
