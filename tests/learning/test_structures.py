"""The searches: golden WDBC structures, brute force over all trees, and the paper's own algorithm."""

import itertools
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree
from pgm_nb.information import Information
from pgm_nb.learning import best_weight, exact, greedy, naive, optimal, score, tan

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "wdbc_structures.json").read_text())
BITS = np.log(2)  # nats per bit
SEARCHES = [greedy, optimal, exact]


def some_information(relevance, dependence):
    relevance, dependence = np.asarray(relevance, float), np.asarray(dependence, float)
    d = len(relevance)
    return Information(
        n_rows=100, class_entropy=1.0, entropies=np.ones(d), relevance=relevance, dependence=dependence
    )


@st.composite
def informations(draw, max_attributes=6):
    d = draw(st.integers(1, max_attributes))
    bits = st.integers(0, 40).map(lambda n: n / 16)  # coarse: ties are common
    relevance = draw(st.lists(bits, min_size=d, max_size=d))
    upper = draw(st.lists(bits, min_size=d * (d - 1) // 2, max_size=d * (d - 1) // 2))
    dependence = np.zeros((d, d))
    dependence[np.triu_indices(d, 1)] = upper
    return some_information(relevance, dependence + dependence.T)


def names_of(information):
    return tuple(f"x{i}" for i in range(len(information.relevance)))


def root_first(pair, information):
    """The more relevant of a first pair before the other, ties by column; the pair has no direction."""
    return sorted(pair, key=lambda i: (-information.relevance[i], i))


def weight_of(graph):
    return sum(graph.relevance.values()) + sum(graph.dependence.values())


def all_trees(d):
    """Edge lists of all labelled trees on d nodes, through their Prüfer codes."""
    if d == 1:
        yield []
    elif d == 2:
        yield [(0, 1)]
    else:
        for code in itertools.product(range(d), repeat=d - 2):
            yield list(nx.from_prufer_sequence(list(code)).edges)


class TestGoldenWdbc:
    def test_greedy_order_mothers_gains_and_margins(self, wdbc_information, wdbc_names):
        graph, trace = greedy(wdbc_information, wdbc_names, "class")
        golden = GOLDEN["greedy"]
        first = root_first(GOLDEN["first_pair"], wdbc_information)
        steps = [[*first, GOLDEN["first_pair_information"]], *golden["steps"]]
        assert graph.order == tuple(wdbc_names[i] for i in [*first, *(c for _, c, _ in golden["steps"])])
        assert graph.root == "worst area"
        assert [(s.mother, s.attribute) for s in trace.steps] == [
            (wdbc_names[m], wdbc_names[c]) for m, c, _ in steps
        ]
        assert [s.gain * BITS for s in trace.steps] == pytest.approx([g for *_, g in steps], abs=1e-9)
        margins = [(s.gain - s.runners_up[0].gain) * BITS for s in trace.steps]
        assert margins == pytest.approx(golden["margins"], abs=1e-9)
        assert trace.steps[-1].weight * BITS == pytest.approx(golden["weight"], abs=1e-9)
        assert weight_of(graph) * BITS == pytest.approx(golden["weight"], abs=1e-9)

    def test_optimal_edges(self, wdbc_information, wdbc_names):
        graph, trace = optimal(wdbc_information, wdbc_names, "class")
        golden = {(wdbc_names[m], wdbc_names[c]) for m, c, _ in GOLDEN["optimal"]["edges"]}
        first = tuple(wdbc_names[i] for i in root_first(GOLDEN["first_pair"], wdbc_information))
        assert {(m, c) for c, m in graph.mothers.items()} == golden | {first}
        gains = {(s.mother, s.attribute): s.gain * BITS for s in trace.steps[1:]}
        for m, c, gain in GOLDEN["optimal"]["edges"]:
            assert gains[wdbc_names[m], wdbc_names[c]] == pytest.approx(gain, abs=1e-9)
        assert trace.steps[-1].weight * BITS == pytest.approx(GOLDEN["optimal"]["weight"], abs=1e-9)

    @pytest.mark.parametrize("search", [tan, exact])
    def test_tan_and_exact_edges(self, wdbc_information, wdbc_names, search):
        graph, trace = search(wdbc_information, wdbc_names, "class")
        golden = {frozenset((wdbc_names[i], wdbc_names[j])) for i, j, _ in GOLDEN["tan"]["edges"]}
        assert {frozenset(edge) for edge in graph.mothers.items()} == golden
        assert trace.steps[-1].weight * BITS == pytest.approx(GOLDEN["tan"]["weight"], abs=1e-9)

    def test_naive_weight_and_best_weight(self, wdbc_information, wdbc_names):
        _, trace = naive(wdbc_information, wdbc_names, "class")
        assert trace.steps[-1].weight * BITS == pytest.approx(GOLDEN["naive"]["weight"], abs=1e-9)
        assert best_weight(wdbc_information) * BITS == pytest.approx(GOLDEN["tan"]["weight"], abs=1e-9)


class TestAgainstBruteForce:
    @given(informations())
    @settings(max_examples=60)
    def test_no_tree_is_better_than_exact(self, information):
        d = len(information.relevance)
        best = max(sum(information.dependence[i, j] for i, j in tree) for tree in all_trees(d))
        best += information.relevance.sum()
        graph, _ = exact(information, names_of(information), "y")
        assert weight_of(graph) == pytest.approx(best, abs=1e-12)
        assert best_weight(information) == pytest.approx(best, abs=1e-12)

    @given(informations())
    @settings(max_examples=60)
    def test_optimal_is_the_best_tree_with_the_first_pair(self, information):
        d = len(information.relevance)
        graph, _ = optimal(information, names_of(information), "y")
        first = {int(name[1:]) for name in graph.order[:2]}
        best = max(
            sum(information.dependence[i, j] for i, j in tree)
            for tree in all_trees(d)
            if d == 1 or any({i, j} == first for i, j in tree)
        )
        assert weight_of(graph) == pytest.approx(best + information.relevance.sum(), abs=1e-12)

    @given(informations(max_attributes=9))
    def test_weights_are_ordered(self, information):
        names = names_of(information)
        w_naive = information.relevance.sum()
        w_greedy, w_optimal, w_exact = (weight_of(s(information, names, "y")[0]) for s in SEARCHES)
        tolerance = 1e-12
        assert w_naive <= w_greedy + tolerance
        assert w_greedy <= w_optimal + tolerance
        assert w_optimal <= w_exact + tolerance
        assert weight_of(tan(information, names, "y")[0]) == pytest.approx(w_exact, abs=tolerance)


@given(st.integers(2, 9), st.integers(0, 10**6))
@settings(max_examples=40)
def test_optimal_equals_the_maximum_arborescence_of_the_paper(d, seed):
    """Chu-Liu-Edmonds on the auxiliary digraph of Kovács et al. 2024 finds the same tree."""
    rng = np.random.default_rng(seed)
    dependence = np.triu(rng.random((d, d)), 1)
    information = some_information(rng.random(d), dependence + dependence.T)
    relevance, dependence = information.relevance, information.dependence
    triplets = {
        (i, j): relevance[i] + relevance[j] + dependence[i, j] for i, j in itertools.combinations(range(d), 2)
    }
    i1, i2 = root_first(max(triplets, key=triplets.get), information)

    digraph = nx.DiGraph()
    digraph.add_edge("Y", i1, weight=relevance[i1])
    digraph.add_edge(i1, i2, weight=0.5)  # the only arc into i2: its weight does not matter
    for u, v in itertools.permutations(range(d), 2):
        if v not in (i1, i2):
            digraph.add_edge(u, v, weight=relevance[v] + dependence[u, v])
    arborescence = nx.maximum_spanning_arborescence(digraph)

    graph, _ = optimal(information, names_of(information), "y")
    expected = {(f"x{u}", f"x{v}") for u, v in arborescence.edges if u != "Y"}
    assert {(m, c) for c, m in graph.mothers.items()} == expected


def naive_greedy(information):
    """GNB-A straight from the paper, O(d^3)."""
    relevance, dependence = information.relevance, information.dependence
    d = len(relevance)
    pairs = list(itertools.combinations(range(d), 2))
    i, j = max(pairs, key=lambda p: (relevance[p[0]] + relevance[p[1]] + dependence[p], -p[0], -p[1]))
    i, j = root_first((i, j), information)
    order, edges = [i, j], [(i, j)]
    while len(order) < d:
        candidates = [(m, c) for m in order for c in range(d) if c not in order]
        m, c = max(candidates, key=lambda e: (relevance[e[1]] + dependence[e], -e[1], -e[0]))
        order.append(c)
        edges.append((m, c))
    return [(f"x{m}", f"x{c}") for m, c in edges]


@given(informations(max_attributes=8).filter(lambda info: len(info.relevance) > 1))
def test_greedy_equals_the_plain_algorithm_also_in_its_ties(information):
    graph, _ = greedy(information, names_of(information), "y")
    assert [(m, c) for _, m, c in graph.clusters] == naive_greedy(information)


def test_greedy_by_hand():
    # I(Y,X0,X2) = 0.5 + 0.1 + 0.9 is the heaviest triplet; then x1 gains 0.4 + 0.3 on x0, 0.4 + 0.2 on x2
    information = some_information([0.5, 0.4, 0.1], [[0, 0.3, 0.9], [0.3, 0, 0.2], [0.9, 0.2, 0]])
    graph, trace = greedy(information, ("x0", "x1", "x2"), "y")
    assert graph.clusters == (("y", "x0", "x2"), ("y", "x0", "x1"))
    assert graph.separators == (("y", "x0"),)
    first, second = trace.steps
    assert (first.gain, second.gain) == pytest.approx((1.5, 0.7))
    assert second.weight == pytest.approx(2.2)
    runner_up = first.runners_up[0]  # (x0, x1): 0.5 + 0.4 + 0.3
    assert (runner_up.mother, runner_up.attribute, runner_up.gain) == ("x0", "x1", pytest.approx(1.2))
    assert [(c.attribute, c.mother) for c in second.runners_up] == [("x1", "x2")]


def test_optimal_may_fall_short_of_exact():
    # the heaviest triplet (x0, x1) is made of relevance; its edge is not in the best tree
    information = some_information([2, 2, 0], [[0, 0.1, 0.5], [0.1, 0, 0.5], [0.5, 0.5, 0]])
    names = ("x0", "x1", "x2")
    assert weight_of(optimal(information, names, "y")[0]) == pytest.approx(4.6)
    assert weight_of(exact(information, names, "y")[0]) == pytest.approx(5.0)


@pytest.mark.parametrize("search", SEARCHES)
class TestMaxClusters:
    def test_a_cut_tree_is_the_beginning_of_the_whole(self, search, wdbc_information, wdbc_names):
        if search is exact:  # which finds the best of that size: test_trees.py
            return
        whole, long_trace = search(wdbc_information, wdbc_names, "class")
        cut, trace = search(wdbc_information, wdbc_names, "class", max_clusters=4)
        assert cut.clusters == whole.clusters[:4]
        assert [s.weight for s in trace.steps] == [s.weight for s in long_trace.steps[:4]]

    def test_more_clusters_than_there_are(self, search, wdbc_information, wdbc_names):
        graph, _ = search(wdbc_information, wdbc_names, "class", max_clusters=1000)
        assert len(graph.clusters) == 29

    def test_one_attribute_has_no_cluster(self, search):
        graph, trace = search(some_information([0.5], [[0.0]]), ("x",), "y")
        assert graph.clusters == ()
        assert [(s.attribute, s.mother, s.gain) for s in trace.steps] == [("x", None, 0.5)]


def test_constant_columns_join_with_no_gain():
    dependence = np.zeros((3, 3))
    dependence[0, 1] = dependence[1, 0] = 0.5
    graph, trace = greedy(some_information([0.3, 0.2, 0], dependence), ("a", "b", "constant"), "y")
    assert graph.order == ("a", "b", "constant")
    assert trace.steps[-1].gain == 0


def test_tan_root_is_the_most_relevant_attribute_ties_by_column():
    dependence = np.ones((3, 3)) - np.eye(3)
    graph, _ = tan(some_information([0.1, 0.7, 0.7], dependence), ("a", "b", "c"), "y")
    assert dict(graph.mothers) == {"a": "b", "c": "a"}
    assert "b" not in graph.mothers


@pytest.mark.parametrize("search", [greedy, optimal, exact])
def test_the_order_of_the_columns_changes_nothing(search, wdbc_information, wdbc_names):
    turned = np.random.default_rng(3).permutation(len(wdbc_names))
    information = some_information(
        wdbc_information.relevance[turned], wdbc_information.dependence[np.ix_(turned, turned)]
    )
    graph, _ = search(information, [wdbc_names[i] for i in turned], "class")
    plain, _ = search(wdbc_information, wdbc_names, "class")
    assert (graph.order, dict(graph.mothers)) == (plain.order, dict(plain.mothers))


@pytest.mark.parametrize("search", [greedy, optimal])
def test_a_required_edge_that_is_cut_off_is_named_with_the_clusters_it_needs(search):
    dependence = np.zeros((6, 6))
    dependence[0, 1:] = dependence[1:, 0] = [0.9, 0.8, 0.7, 0.6, 0.5]
    information = some_information([1.0, 0.9, 0.8, 0.7, 0.6, 0.5], dependence)
    names, required = tuple("abcdef"), [("a", "b"), ("e", "f")]
    for clusters in (3, 4):
        with pytest.raises(StructureError, match="edge 'e' - 'f'; all required edges are within the first 5"):
            search(information, names, "y", max_clusters=clusters, required=required)
    graph, _ = search(information, names, "y", max_clusters=5, required=required)
    assert graph.mothers["f"] == "e"


@pytest.mark.parametrize("search", SEARCHES)
def test_two_attributes_the_more_relevant_is_the_root(search):
    graph, trace = search(some_information([0.1, 0.2], [[0, 1], [1, 0]]), ("a", "b"), "y")
    assert (graph.order, graph.mothers["a"]) == (("b", "a"), "b")
    assert (trace.steps[0].attribute, trace.steps[0].mother) == ("a", "b")


def test_as_many_clusters_as_there_can_be_are_the_whole_tree():
    dependence = np.ones((4, 4)) - np.eye(4)
    information = some_information([0.4, 0.3, 0.2, 0.1], dependence)
    for clusters in (3, 4):
        graph, trace = exact(information, tuple("abcd"), "y", max_clusters=clusters)
        assert (len(graph.order), trace.algorithm, trace.bound) == (4, "exact", None)
    assert exact(information, tuple("abcd"), "y", max_clusters=2)[1].algorithm == "best part"


def test_a_given_tree_must_be_over_columns_of_the_table():
    information = some_information([0.4, 0.3], [[0, 0.5], [0.5, 0]])
    graph, trace = score(
        information, ("age", "pulse"), "y", CherryTree("y", ("pulse", "age"), {"age": "pulse"})
    )
    assert (graph.dependence["age"], trace.steps[0].weight) == (0.5, pytest.approx(1.2, abs=1e-12))
    with pytest.raises(
        StructureError, match="an attribute 'puls', but the table has no such column; did you"
    ):
        score(information, ("age", "pulse"), "y", CherryTree("y", ("puls", "age"), {"age": "puls"}))
