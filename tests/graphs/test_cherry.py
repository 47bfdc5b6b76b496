"""The cherry tree: clusters, separators, running intersection, chordality, chain, validation."""

from collections import Counter

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree

#      a
#     / \        order a, b, c, d, e, f
#    b   c
#   / \   \
#  d   e   f
MOTHERS = {"b": "a", "c": "a", "d": "b", "e": "b", "f": "c"}
CHERRY = CherryTree("y", tuple("abcdef"), MOTHERS)


@st.composite
def cherry_trees(draw):
    size = draw(st.integers(1, 12))
    names = draw(st.permutations([f"x{place}" for place in range(size)]))
    mothers = {child: names[draw(st.integers(0, place))] for place, child in enumerate(names[1:])}
    weight = st.floats(0, 2, allow_nan=False)
    relevance = {name: draw(weight) for name in names}
    dependence = {name: draw(weight) for name in names[1:]}
    return CherryTree("y", tuple(names), mothers, relevance, dependence)


def test_clusters_and_separators_by_hand():
    assert CHERRY.clusters == (
        ("y", "a", "b"),
        ("y", "a", "c"),
        ("y", "b", "d"),
        ("y", "b", "e"),
        ("y", "c", "f"),
    )
    assert CHERRY.separators == (("y", "a"), ("y", "b"), ("y", "b"), ("y", "c"))
    assert CHERRY.separator_multiplicity() == {("y", "a"): 2, ("y", "b"): 3, ("y", "c"): 2}


def test_one_attribute_has_no_cluster():
    alone = CherryTree("y", ("a",), {}, {"a": 0.5}, {})
    assert alone.clusters == alone.separators == ()
    assert alone.chain() == ("a",)
    assert alone.junction_tree().number_of_nodes() == 0
    assert set(alone.chordal_graph().edges) == {("y", "a")}


@given(cherry_trees())
def test_running_intersection_by_brute_force(cherry):
    tree = cherry.junction_tree()
    assert len(cherry.clusters) == len(cherry.order) - 1
    assert len(cherry.separators) == max(len(cherry.order) - 2, 0)
    if not cherry.clusters:
        return
    assert nx.is_tree(tree)
    for name in cherry.nodes:
        holders = [cluster for cluster in tree if name in cluster]
        assert nx.is_connected(tree.subgraph(holders))
    for one, other, separator in tree.edges(data="separator"):
        assert set(one) & set(other) == set(separator)
    assert Counter(nx.get_edge_attributes(tree, "separator").values()) == Counter(cherry.separators)


@given(cherry_trees())
def test_multiplicity_counts_the_clusters_that_hold_a_separator(cherry):
    for separator, nu in cherry.separator_multiplicity().items():
        assert nu == sum(set(separator) <= set(cluster) for cluster in cherry.clusters)
        assert nu - 1 == cherry.separators.count(separator)


@given(cherry_trees())
def test_chordal_graph_has_the_clusters_as_its_maximal_cliques(cherry):
    graph = cherry.chordal_graph()
    assert nx.is_chordal(graph)
    if cherry.clusters:
        cliques = {frozenset(clique) for clique in nx.find_cliques(graph)}
        assert cliques == {frozenset(cluster) for cluster in cherry.clusters}


@given(cherry_trees())
def test_from_clusters_is_the_inverse(cherry):
    if cherry.clusters:
        again = CherryTree.from_clusters("y", cherry.clusters, cherry.relevance, cherry.dependence)
        assert again == cherry


def test_chain_by_hand():
    # gains: c 1.0, d 0.7, e 0.9, f 1.2. Leaves d, e, f: delete d (0.7), e (0.9), then f (1.2), then c (1.0).
    relevance = {"a": 0.1, "b": 0.1, "c": 0.5, "d": 0.3, "e": 0.4, "f": 0.6}
    dependence = {"b": 0.1, "c": 0.5, "d": 0.4, "e": 0.5, "f": 0.6}
    cherry = CherryTree("y", tuple("abcdef"), MOTHERS, relevance, dependence)
    assert cherry.chain() == ("a", "b", "c", "f", "e", "d")


def test_chain_deletes_the_later_of_equals_first():
    same = dict.fromkeys("abcdef", 0.5)
    cherry = CherryTree("y", tuple("abcdef"), MOTHERS, same, dict.fromkeys("bcdef", 0.25))
    assert cherry.chain() == tuple("abcdef")


@given(cherry_trees())
def test_chain_is_the_reverse_of_deleting_the_weakest_leaf(cherry):
    left, deleted = list(cherry.order), []
    while len(left) > 2:
        mothers = {cherry.mothers[name] for name in left[1:]}
        leaves = [name for name in left[2:] if name not in mothers]
        weakest = min(
            leaves, key=lambda name: (cherry.relevance[name] + cherry.dependence[name], -left.index(name))
        )
        left.remove(weakest)
        deleted.append(weakest)
    assert cherry.chain() == (*left, *reversed(deleted))
    CherryTree("y", cherry.chain(), cherry.mothers)  # it is an order of growth too


def test_chain_needs_weights():
    with pytest.raises(StructureError, match="needs the weights, but this tree has none"):
        CHERRY.chain()


@pytest.mark.parametrize(
    ("order", "mothers", "sentence"),
    [
        ("abc", {"b": "c", "c": "a"}, "'c', a mother of 'b', comes after it"),
        ("abc", {"b": "c", "c": "b"}, "if no order works, the mothers form a cycle"),
        ("abc", {"b": "a"}, "'c' has none"),
        ("abc", {"b": "a", "c": "q"}, "'q' is not among them"),
        ("ab", {"a": "b", "b": "a"}, "first attribute 'a' depends on the class only"),
        ("ab", {"b": "b"}, "its own mother"),
        ("abb", {"b": "a"}, "'b' appears more than once"),
        ("ay", {"y": "a"}, "class 'y' is also among the attributes"),
        ("ab", {"b": "y"}, "'y' is not among them"),
    ],
)
def test_what_is_not_a_cherry_tree_gets_a_sentence(order, mothers, sentence):
    with pytest.raises(StructureError, match=sentence):
        CherryTree("y", tuple(order), mothers)


@pytest.mark.parametrize(
    ("clusters", "sentence"),
    [
        ([], "At least one cluster is needed"),
        ([("y", "a")], r"cluster 1 \(y, a\): a cluster is three different names"),
        ([("y", "a", "a")], r"cluster 1 \(y, a, a\): a cluster is three different names"),
        (["yab"], "cluster 1 .*: a cluster is three different names"),
        ([("y", "a", "b"), ("a", "b", "c")], r"cluster 2 \(a, b, c\): every cluster holds the class"),
        (
            [("y", "a", "b"), ("y", "b", "c"), ("y", "p", "q")],
            r"cluster 3 \(y, p, q\): neither 'p' nor 'q' is in an earlier cluster",
        ),
        (
            [("y", "a", "b"), ("y", "b", "c"), ("y", "a", "c")],
            r"cluster 3 \(y, a, c\): both 'a' and 'c' are in earlier clusters, so it would close a cycle",
        ),
    ],
)
def test_clusters_without_running_intersection_get_a_sentence(clusters, sentence):
    with pytest.raises(StructureError, match=sentence):
        CherryTree.from_clusters("y", clusters)


def test_from_clusters_finds_the_mother_wherever_she_stands():
    cherry = CherryTree.from_clusters("y", [("a", "b", "y"), ("c", "y", "b")])
    assert cherry.clusters == (("y", "a", "b"), ("y", "b", "c"))
