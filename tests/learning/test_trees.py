"""Trees from a matrix of weights, whole and over some of the attributes."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.errors import StructureError
from pgm_nb.information import Information, information, weight
from pgm_nb.learning import exact, greedy, trees
from pgm_nb.learning.constraints import Constraints
from pgm_nb.learning.trees import (
    _chain,
    _filled,
    _improved,
    _starts,
    _thinned,
    best_subtree,
    grow,
    spanning_weights,
    upper_bound,
)


def random_information(d, seed):
    rng = np.random.default_rng(seed)
    dependence = np.triu(rng.random((d, d)), 1)
    return Information(100, 1.0, np.zeros(d), rng.random(d), dependence + dependence.T)


def heaviest(information, size, required=(), forbidden=()):
    """Try every set, and let networkx join it; required edges are made irresistible."""
    best = -np.inf
    for columns in combinations(range(len(information.relevance)), size):
        if not {end for edge in required for end in edge} <= set(columns):
            continue
        graph = nx.Graph()
        graph.add_nodes_from(columns)
        for i, j in combinations(columns, 2):
            if (i, j) not in forbidden:
                graph.add_edge(i, j, weight=information.dependence[i, j] + 100 * ((i, j) in required))
        if nx.is_connected(graph):
            total = nx.maximum_spanning_tree(graph).size(weight="weight") - 100 * len(required)
            best = max(best, total + information.relevance[list(columns)].sum())
    return best


@pytest.mark.parametrize("size", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("seed", range(4))
def test_no_tree_of_the_size_is_heavier(size, seed):
    information = random_information(7, seed)
    found = best_subtree(information, Constraints(7), size)
    assert len(found.order) == size
    assert weight(information, found.mothers, found.order) == pytest.approx(found.bound, abs=1e-12)
    assert found.bound == pytest.approx(heaviest(information, size), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_constraints_are_met_and_nothing_heavier_meets_them(seed):
    information = random_information(7, seed)
    constraints = Constraints(7, required=((0, 4),), forbidden=((1, 2), (0, 3), (4, 6)))
    found = best_subtree(information, constraints, 4)
    edges = {tuple(sorted((int(found.mothers[c]), int(c)))) for c in found.order[1:]}
    assert (0, 4) in edges
    assert not edges & {(1, 2), (0, 3), (4, 6)}
    expected = heaviest(information, 4, constraints.required, constraints.forbidden)
    assert found.bound == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("size", range(2, 8))
def test_where_not_all_sets_are_tried_the_bound_holds_and_greedy_is_reached(size, monkeypatch):
    monkeypatch.setattr(trees, "MOST_SETS", 0)
    for seed in range(6):
        information = random_information(8, seed)
        found = best_subtree(information, Constraints(8), size)
        reached, most = weight(information, found.mothers, found.order), heaviest(information, size)
        assert reached <= most + 1e-12 <= upper_bound(information, Constraints(8), size) + 2e-12
        names = tuple("abcdefgh")
        _, trace = greedy(information, names, "y", max_clusters=size - 1)
        assert reached >= trace.steps[-1].weight - 1e-12


def test_on_wdbc_it_is_never_lighter_than_greedy(wdbc_information, wdbc_names):
    gains = []
    for clusters in range(1, 29):
        _, by_steps = greedy(wdbc_information, wdbc_names, "class", max_clusters=clusters)
        graph, trace = exact(wdbc_information, wdbc_names, "class", max_clusters=clusters)
        assert len(graph.clusters) == clusters
        gains.append(trace.steps[-1].weight - by_steps.steps[-1].weight)
        assert trace.bound >= trace.steps[-1].weight - 1e-9
        proven = trace.bound - trace.steps[-1].weight < 1e-9
        assert trace.algorithm == ("best part" if proven else "improved part")
    assert min(gains) > -1e-9
    assert max(gains) > 0.5


def test_on_wine_it_is_the_heaviest_of_all_for_every_number_of_clusters():
    X, y = pnb.load_sample("wine")
    rows = pnb.NaiveBayes().fit(X, y).code_table(X, y)
    info = information(count(rows.codes, rows.y, rows.encoder.cards, 3))
    names = tuple(X.columns)
    gains = []
    for clusters in range(1, len(names)):
        _, by_steps = greedy(info, names, "class", max_clusters=clusters)
        graph, trace = exact(info, names, "class", max_clusters=clusters)
        assert len(graph.clusters) == clusters
        assert trace.algorithm == ("best part" if clusters < len(names) - 1 else "exact")
        gains.append(trace.steps[-1].weight - by_steps.steps[-1].weight)
    assert min(gains) > -1e-9
    assert max(gains) > 0


def test_too_few_clusters_for_the_required_edges():
    names = tuple("abcdefg")
    with pytest.raises(StructureError, match="set max_clusters to 3 or more"):
        exact(random_information(7, 0), names, "y", max_clusters=2, required=[("a", "b"), ("c", "d")])


def test_constraints_that_no_tree_of_the_size_meets():
    names = tuple("abcde")
    forbidden = [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]  # only over e
    with pytest.raises(StructureError, match="no tree with 4 attributes"):
        exact(
            random_information(5, 0), names, "y",
            max_clusters=3, required=[("a", "b"), ("c", "d")], forbidden=forbidden,
        )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("required", [(), ((0, 4),)])
@pytest.mark.parametrize("forbidden", [(), ((1, 2), (3, 5))])
def test_the_bound_is_never_too_low(seed, required, forbidden):
    information = random_information(6, seed)
    for size in range(2, 7):
        bound = upper_bound(information, Constraints(6, required=required, forbidden=forbidden), size)
        assert bound >= heaviest(information, size, required, forbidden) - 1e-12


def test_the_bound_by_hand():
    """Three of four: twice the best gain, and a root; or the best relevance on the heaviest edges."""
    dependence = np.zeros((4, 4))
    for i, j, bits in ((0, 1, 4.0), (1, 2, 2.0), (2, 3, 1.0)):
        dependence[i, j] = dependence[j, i] = bits
    information = Information(100, 1.0, np.zeros(4), np.array([3.0, 2.0, 1.0, 0.5]), dependence)
    # gains 7, 6, 3, 1.5: by mothers, root 1 and the gains 7 and 3 are 12; by parts 6 + 6 are 12 too
    assert upper_bound(information, Constraints(4), 3) == 12.0
    assert heaviest(information, 3) == 12.0


@pytest.mark.parametrize("seed", range(3))
def test_one_attribute_fewer_than_all_is_searched_too(seed):
    information = random_information(6, seed)
    _, trace = exact(information, list("abcdef"), "y", max_clusters=4)
    assert trace.algorithm == "best part"
    assert trace.steps[-1].weight == pytest.approx(heaviest(information, 5), abs=1e-12)


def weigher(information):
    return lambda sets: (
        spanning_weights(information.dependence, sets) + information.relevance[sets].sum(axis=1)
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [2, 3, 5, 6])
def test_the_bound_is_the_smaller_of_its_two_sums(seed, size):
    information = random_information(6, seed)
    if seed > 2:  # relevance, or dependence, matters more
        information = Information(100, 1.0, np.zeros(6), information.relevance * 4, information.dependence)
    relevance, dependence = information.relevance, information.dependence
    gains = relevance + dependence.max(axis=1)
    by_mothers = max(
        relevance[root] + gains[list(others)].sum()
        for root in range(6)
        for others in combinations(set(range(6)) - {root}, size - 1)
    )
    tree = nx.maximum_spanning_tree(nx.from_numpy_array(dependence))
    edges = sorted((bits for *_, bits in tree.edges(data="weight")), reverse=True)
    by_parts = sum(sorted(relevance, reverse=True)[:size]) + sum(edges[: size - 1])
    found = upper_bound(information, Constraints(6), size)
    assert found == pytest.approx(min(by_mothers, by_parts), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_search_starts_from_greedy_trees_and_from_the_best_tree_cut(seed):
    information = random_information(9, seed)
    chain = _chain(information, Constraints(9))
    graph, _ = exact(information, tuple("abcdefghi"), "y")
    assert "".join("abcdefghi"[i] for i in chain) == "".join(graph.order)
    starts = _starts(information, Constraints(9), information.dependence, 4)
    worth = {
        (i, j): information.relevance[i] + information.relevance[j] + information.dependence[i, j]
        for i, j in combinations(range(9), 2)
    }
    pairs = sorted(worth, key=lambda pair: -worth[pair])
    grown = [grow(information.dependence, pair, relevance=information.relevance)[0] for pair in pairs]
    expected = [sorted(tree[:4].tolist()) for tree in (grown[0], chain, *grown)]
    assert starts.tolist() == expected


@pytest.mark.parametrize("seed", range(12))
def test_taking_out_and_filling_up_always_keep_the_heaviest(seed):
    information = random_information(9, seed)
    weigh = weigher(information)

    def weight_of(columns):
        return weigh(np.array([sorted(columns)]))[0]

    here = set(range(9))
    while len(here) > 4:
        here = max((here - {i} for i in here), key=weight_of)
    assert _thinned(weigh, 9, 4).tolist() == [sorted(here)]
    start = np.random.default_rng(seed).permutation(9)[:6]
    here = set(start[:3].tolist())
    while len(here) < 6:
        here = max((here | {i} for i in set(range(9)) - here), key=weight_of)
    assert _filled(weigh, start, 9).tolist() == [sorted(here)]


@pytest.mark.parametrize("seed", range(8))
def test_no_exchange_of_one_attribute_gains_anything_more(seed):
    information = random_information(11, seed)
    weigh = weigher(information)
    starts = np.sort(
        np.random.default_rng(seed).permuted(np.tile(np.arange(11), (7, 1)), axis=1)[:, :5], axis=1
    )
    found, most = _improved(starts, weigh, 11)
    assert most == pytest.approx(weigh(found[None])[0], abs=1e-12)
    assert most >= weigh(starts).max()
    others = set(range(11)) - set(found.tolist())
    swapped = np.array([[*np.delete(found, place), i] for place in range(5) for i in others])
    assert weigh(swapped).max() <= most + 1e-12


def test_the_bound_says_how_much_heavier_another_could_be(monkeypatch):
    monkeypatch.setattr(trees, "MOST_SETS", 0)
    gaps = []
    for seed in range(6):
        information = random_information(9, seed)
        found = best_subtree(information, Constraints(9), 5)
        assert found.bound == upper_bound(information, Constraints(9), 5)
        gaps.append(found.bound - weight(information, found.mothers, found.order))
    assert max(gaps) > 0.1


@pytest.mark.parametrize("size", [2, 4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_a_part_is_read_from_its_heaviest_cherry_on(size, seed):
    information = random_information(7, seed)
    relevance, dependence = information.relevance, information.dependence
    found = best_subtree(information, Constraints(7), size)
    links = [(c, found.mothers[c]) for c in found.order[1:]]
    heaviest_link = max(links, key=lambda e: relevance[e[0]] + relevance[e[1]] + dependence[e])
    assert found.order[:2].tolist() == sorted(heaviest_link, key=lambda i: -relevance[i])


def test_of_equal_parts_and_cherries_the_first_columns_win(monkeypatch):
    monkeypatch.setattr(trees, "AT_ONCE", 3)
    alike = Information(9, 1.0, np.zeros(6), np.ones(6), np.ones((6, 6)) - np.eye(6))
    assert sorted(best_subtree(alike, Constraints(6), 3).order.tolist()) == [0, 1, 2]
    dependence = np.zeros((4, 4))
    dependence[[0, 2, 1, 2], [2, 0, 2, 1]] = 1.0
    star = Information(9, 1.0, np.zeros(4), np.array([1.0, 1.0, 1.0, 0.0]), dependence)
    assert best_subtree(star, Constraints(4), 3).order.tolist() == [0, 2, 1]
    graph, _ = exact(star, tuple("abcd"), "y")
    assert graph.order[:3] == ("a", "c", "b")


@given(st.integers(1, 25), st.integers(0, 10**6))
def test_without_relevance_it_is_a_maximum_spanning_tree(d, seed):
    weights = np.triu(np.random.default_rng(seed).random((d, d)), 1)
    weights += weights.T
    order, mothers = grow(weights, [0])
    total = sum(weights[m, c] for c, m in enumerate(mothers) if m >= 0)
    graph = nx.from_numpy_array(weights)
    expected = nx.maximum_spanning_tree(graph).size(weight="weight")
    assert total == pytest.approx(expected, abs=1e-12)
    assert sorted(order.tolist()) == list(range(d))
    position = {int(c): p for p, c in enumerate(order)}
    assert all(position[int(mothers[c])] < position[c] for c in range(d) if mothers[c] >= 0)


def test_ties_go_by_column_order():
    order, mothers = grow(np.ones((4, 4)) - np.eye(4), [2])
    assert order.tolist() == [2, 0, 1, 3]
    assert mothers.tolist() == [2, 0, -1, 0]


def test_a_seed_of_two_is_the_first_edge():
    order, mothers = grow(np.ones((4, 4)) - np.eye(4), [0, 3])
    assert order.tolist() == [0, 3, 1, 2]
    assert mothers.tolist() == [-1, 0, 0, 0]


def test_an_edge_of_minus_infinity_is_never_taken():
    weights = np.ones((4, 4)) - np.eye(4)
    weights[0, 1:3] = weights[1:3, 0] = -np.inf
    order, mothers = grow(weights, [0])
    assert order.tolist() == [0, 3, 1, 2]
    assert mothers.tolist() == [-1, 3, 1, 0]
