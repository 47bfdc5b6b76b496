"""Cherry trees of higher order: what they must be, clusters and separators, parts, files and pictures."""

import pickle

import networkx as nx
import pytest

from pgm_nb.errors import StructureError
from pgm_nb.graphs import HigherCherryTree, from_json

FAMILIES = {"b": ("a",), "c": ("a", "b"), "d": ("c", "b"), "e": ("b", "c")}
SHARES = {"b": (0.5,), "c": (0.25, 0.125), "d": (0.3, 0.1), "e": (0.2, 0.0)}


@pytest.fixture
def cherry():
    return HigherCherryTree(
        "y", tuple("abcde"), FAMILIES, dict.fromkeys("abcde", 0.1),
        {child: sum(shares) for child, shares in SHARES.items()}, SHARES,
    )  # fmt: skip


def test_clusters_and_separators_make_a_junction_tree(cherry):
    assert cherry.clusters == (
        ("y", "a", "b"), ("y", "a", "b", "c"), ("y", "b", "c", "d"), ("y", "b", "c", "e"),
    )  # fmt: skip
    assert cherry.separators == (("y", "a", "b"), ("y", "b", "c"), ("y", "b", "c"))
    assert cherry.separator_multiplicity() == {("y", "a", "b"): 2, ("y", "b", "c"): 3}
    tree = cherry.junction_tree()
    assert nx.is_tree(tree)
    for name in cherry.nodes:  # running intersection
        assert nx.is_connected(tree.subgraph([c for c in tree if name in c]))
    for one, other, data in tree.edges(data=True):
        assert set(data["separator"]) == set(one) & set(other)
    chordal = cherry.chordal_graph()
    assert nx.is_chordal(chordal)
    assert {frozenset(c) for c in nx.find_cliques(chordal)} == {frozenset(c) for c in cherry.clusters[1:]}


def test_arcs_carry_what_each_mother_adds(cherry):
    arcs = {(e.source, e.target): e.weight for e in cherry.edges if e.kind == "tree"}
    assert arcs["c", "d"] == 0.3
    assert arcs["b", "d"] == 0.1
    assert dict(cherry.mothers) == {"b": "a", "c": "a", "d": "c", "e": "b"}


def test_it_is_read_back_equal(cherry):
    assert from_json(cherry.to_json()) == cherry
    assert pickle.loads(pickle.dumps(cherry)) == cherry
    assert hash(from_json(cherry.to_json())) == hash(cherry)
    bare = HigherCherryTree("y", tuple("abcde"), FAMILIES)
    assert from_json(bare.to_json()) == bare != cherry


def test_a_part_keeps_the_links_within_it(cherry):
    part = cherry.part({"b", "c", "d"})
    assert dict(part.families) == {"c": ("b",), "d": ("c", "b")}
    assert part.shares["c"] == (0.125,)
    assert cherry.around("a", 1) == ("a", "b", "c")
    with pytest.raises(StructureError, match="needs a mother"):
        cherry.part({"a", "d"})


def test_the_least_leaf_is_the_least_important(cherry):
    assert cherry.chain() == ("a", "b", "c", "d", "e")  # e adds 0.3, d 0.5
    with pytest.raises(StructureError, match="needs the weights"):
        HigherCherryTree("y", tuple("abcde"), FAMILIES).chain()


@pytest.mark.parametrize(
    ("families", "sentence"),
    [
        ({"a": ("b",), "b": ("a",), "c": ("a",)}, "depends on the class only"),
        ({"b": ("a",)}, "'c' has none"),
        ({"b": ("c",), "c": ("a",)}, "a mother of 'b', comes after it"),
        ({"b": ("a",), "c": ("a", "a")}, "must differ"),
        ({"b": ("a",), "c": "a"}, "must be a list of names"),
        ({"b": ("a",), "c": ("z",)}, "'z' is not among them"),
    ],
)
def test_what_is_no_cherry_tree_is_refused(families, sentence):
    with pytest.raises(StructureError, match=sentence):
        HigherCherryTree("y", tuple("abc"), families)


def test_mothers_that_are_not_together_are_refused():
    with pytest.raises(StructureError, match="not be chordal"):
        HigherCherryTree("y", tuple("abcd"), {"b": ("a",), "c": ("a",), "d": ("b", "c")})


def test_a_share_for_every_mother():
    with pytest.raises(StructureError, match="one number for every mother"):
        HigherCherryTree("y", tuple("abc"), {"b": ("a",), "c": ("a", "b")}, shares={"b": (1.0,), "c": (1.0,)})


@pytest.mark.parametrize("view", HigherCherryTree.views)
def test_every_view_is_drawn_and_said(cherry, view):
    drawing = cherry.drawing(view)
    assert {node.step for node in drawing.nodes} >= {1, 2, 3, 4}
    assert cherry.sentence(view).endswith(".")
    assert cherry.draw(view).startswith(b"<")


def test_the_sentence_names_the_mothers(cherry):
    assert cherry.sentence("tree").endswith("Given y, b shares most with its mothers (a): 0.50 bits.")
    assert HigherCherryTree("y", ("a",), {}).sentence() == "Every attribute depends on y alone."
