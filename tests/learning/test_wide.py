"""The searches without the matrix of all pairs find what the searches with it find, to the last bit."""

from itertools import combinations

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.counts.wide import RowCounts
from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree
from pgm_nb.information import Information, information, wide_information
from pgm_nb.learning import best_weight, exact, greedy, optimal, score, tan
from pgm_nb.learning.constraints import Constraints
from pgm_nb.learning.trace import RUNNERS_UP
from pgm_nb.learning.wide import _Pairs, wide_search


def both(seed, d=None) -> tuple[Information, Information, tuple[str, ...]]:
    """The information of a random table, with and without the matrix; few states and rows make many ties."""
    rng = np.random.default_rng(seed)
    d = d or int(rng.integers(1, 12))
    n, k = int(rng.integers(8, 60)), int(rng.integers(2, 4))
    cards = tuple(int(v) for v in rng.choice([1, 2, 2, 3, 5], d))
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    if d > 3:
        codes[3] = np.minimum(codes[0], cards[3] - 1)
    y = rng.integers(0, k, n)
    names = tuple(f"x{i}" for i in range(d))
    dense = information(count(codes, y, cards, k))
    return dense, wide_information(RowCounts(codes, y, cards, k)), names


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("search", [tan, greedy, optimal, exact])
def test_graph_weights_and_every_step_are_the_same(search, seed):
    dense, wide, names = both(seed)
    graph, trace = search(dense, names, "y")
    found, steps = search(wide, names, "y")
    assert found == graph
    assert steps == trace


@pytest.mark.parametrize("search", [greedy, optimal])
def test_a_cut_tree_and_a_given_one_are_the_same(search):
    for seed in range(20):
        dense, wide, names = both(seed, d=9)
        assert search(wide, names, "y", max_clusters=3) == search(dense, names, "y", max_clusters=3)
        cut = search(wide, names, "y", max_clusters=3)[0]
        assert len(cut.attributes) == 4
        own = CherryTree("y", names[2:6], {names[3]: names[2], names[4]: names[2], names[5]: names[4]})
        assert score(wide, names, "y", own) == score(dense, names, "y", own)


def test_the_best_weight_is_the_same_whatever_was_searched_before():
    dense, wide, names = both(3, d=10)
    assert best_weight(wide) == best_weight(dense)
    fresh = both(3, d=10)[1]
    tan(fresh, names, "y")
    assert best_weight(fresh) == best_weight(dense)


def test_constraints_and_the_best_part_need_the_matrix():
    _, wide, names = both(1, d=5)
    with pytest.raises(StructureError, match="no edge can be required or forbidden"):
        tan(wide, names, "y", forbidden=[("x0", "x1")])
    with pytest.raises(StructureError, match="no edge can be required or forbidden"):
        tan(wide, names, "y", required=[("x0", "x1")])
    for clusters in (2, 3):
        with pytest.raises(StructureError, match=f"the best {clusters} clusters of 5 attributes"):
            exact(wide, names, "y", max_clusters=clusters)
    assert exact(wide, names, "y", max_clusters=4) == exact(wide, names, "y")


def test_no_more_is_grown_than_is_asked_for():
    search = wide_search(both(2, d=9)[1], Constraints(9))
    assert [len(search.greedy(length).order) for length in (2, 4, 9, 20)] == [2, 4, 9, 9]


@pytest.mark.parametrize("seed", range(5))
def test_the_best_pairs_are_those_of_all_pairs(seed):
    """Whatever comes first: the best ones later, or in the middle."""
    d = 12
    rng = np.random.default_rng(seed)
    relevance, dependence = rng.random(d), rng.random((d, d))
    dependence += dependence.T
    pairs = _Pairs(relevance)
    for child in rng.permutation(d - 1).tolist():
        pairs.add(child, np.where(np.arange(d) > child, dependence[child], -np.inf))
    total = relevance[:, None] + relevance + dependence
    ranked = sorted((-total[i, j], i, j, dependence[i, j]) for i, j in combinations(range(d), 2))
    assert [(i, j) for _, i, j, _ in pairs.best] == [(i, j) for _, i, j, _ in ranked[: len(pairs.best)]]
    assert len(pairs.best) == RUNNERS_UP + 1


def test_the_best_pairs_may_all_be_with_one_attribute():
    d = 12
    relevance = np.arange(d) / 100
    relevance[0] = 5.0
    pairs = _Pairs(relevance)
    for child in range(d - 1):
        pairs.add(child, np.where(np.arange(d) > child, 0.0, -np.inf))
    assert [(i, j) for _, i, j, _ in pairs.best] == [(0, j) for j in (11, 10, 9, 8, 7, 6)]


def test_the_best_weight_is_not_that_of_a_tree_bound_to_its_first_pair():
    """The first two say most about the class, and nothing about each other; the third says who is wrong."""
    first, second = np.zeros((2, 200), dtype=np.uint8)
    first[::20], second[7::20] = 1, 1
    y = np.arange(200) // 2 % 2
    codes = np.array([y ^ first, y ^ second, first + 2 * second], dtype=np.uint8)
    wide, names = wide_information(RowCounts(codes, y, (2, 2, 4), 2)), tuple("abc")
    dense = information(count(codes, y, (2, 2, 4), 2))
    _, trace = optimal(wide, names, "y")
    assert trace.steps[-1].weight < best_weight(dense) - 0.1
    assert best_weight(wide) == best_weight(dense)


@pytest.mark.parametrize("search", [tan, greedy, optimal, exact])
def test_ties_are_broken_in_the_same_way(search):
    """Copies of columns: every order of the attributes has the same weight."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 2, (3, 20)).astype(np.uint8)[rng.integers(0, 3, 8)]
        y, names = rng.integers(0, 2, 20), tuple("abcdefgh")
        dense = information(count(codes, y, (2,) * 8, 2))
        wide = wide_information(RowCounts(codes, y, (2,) * 8, 2))
        assert search(wide, names, "y") == search(dense, names, "y")
