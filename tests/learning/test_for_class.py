"""Trees for the class, against all trees, networkx and plain sums over small tables."""

from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pgm_nb as pnb
from pgm_nb.counts import count
from pgm_nb.errors import StructureError
from pgm_nb.information import information, interaction_information
from pgm_nb.information.sets import Interactions, SetInformation
from pgm_nb.learning import class_tree
from pgm_nb.learning.for_class import class_families, priced_interactions

NAMES = tuple("abcdef")


def table(seed, d=5, n=120, k=2):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, (d, n)).astype(np.uint8)
    y = (codes[0] + codes[1] * codes[2] + random.integers(0, 2, n)) % k
    cards = (3,) * d
    return codes, y, count(codes, y, cards, k), SetInformation(codes, y, cards, k)


def entropy(*columns):
    _, n = np.unique(np.stack(columns), axis=1, return_counts=True)
    return -np.sum(n / n.sum() * np.log2(n / n.sum()))


@given(st.integers(0, 50))
def test_an_interaction_is_what_the_mother_adds_to_what_a_child_says(seed):
    codes, y, counts, sets = table(seed, d=4)
    found = interaction_information(counts)
    for i, j in combinations(range(4), 2):
        a, b = codes[i], codes[j]
        given_mother = entropy(a, b) - entropy(b) - entropy(a, b, y) + entropy(b, y)
        alone = entropy(a) + entropy(y) - entropy(a, y)
        assert found[i, j] == pytest.approx(given_mother - alone, abs=1e-12)
        assert found[i, j] == pytest.approx(found[j, i], abs=1e-12)
        assert Interactions(sets).shared([j], [i]).bits[0] == pytest.approx(found[i, j], abs=1e-12)


def test_the_price_is_half_the_degrees_of_freedom_that_the_class_adds():
    a, b = np.array([0, 0, 1, 1] * 9), np.array([0, 1, 0, 1] * 9)
    counts = count(np.array([a, b]), a ^ b, (2, 2), 2)
    assert priced_interactions(counts)[0, 1] == pytest.approx(1 - (2 - 1) / (2 * 36 * np.log(2)), abs=1e-12)


def test_states_that_were_declared_and_never_seen_cost_nothing():
    codes, y, counts, _ = table(3)
    more = count(codes, y, (9,) * 5, 2)
    np.testing.assert_array_equal(priced_interactions(more), priced_interactions(counts))


@given(st.integers(0, 30))
def test_no_tree_has_a_larger_sum_of_interactions(seed):
    _, _, counts, _ = table(seed, d=5)
    weights = priced_interactions(counts)
    tree, trace = class_tree(information(counts), counts, NAMES[:5], "y")
    assert trace.algorithm == "class"
    total = sum(weights[NAMES.index(c), NAMES.index(m)] for c, m in tree.mothers.items())
    for code in np.ndindex(5, 5, 5):  # every labelled tree once, by Prüfer's codes
        edges = nx.from_prufer_sequence(code).edges
        assert sum(weights[i, j] for i, j in edges) <= total + 1e-12


def test_order_three_grown_by_sets_is_the_same_tree():
    for seed in range(8):
        _, _, counts, sets = table(seed, d=6)
        info = information(counts)
        tree, _ = class_tree(info, counts, NAMES, "y")
        grown, _ = class_families(info, sets, counts, NAMES, "y", 3)
        assert {frozenset((c, *m)) for c, m in grown.families.items()} == {
            frozenset(edge) for edge in tree.mothers.items()
        }


def test_three_attributes_that_act_together_share_a_cluster():
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, (5, 600)).astype(np.uint8)
    y = codes[0] ^ codes[2] ^ codes[4]
    frame = pd.DataFrame(codes.T, columns=list("abcde"))
    model = pnb.GeneralizedNaiveBayes(search="class", order=4).fit(frame, y)
    assert any({"a", "c", "e"} <= set(cluster) for cluster in model.structure_.clusters)
    assert np.mean(model.predict(frame) == y) == 1.0
    other = pnb.GeneralizedNaiveBayes(search="class").fit(frame, y)
    assert np.mean(other.predict(frame) == y) < 0.7  # pairs do not show it


def test_the_most_important_for_the_class_come_first_and_are_kept():
    X, y = pnb.load_sample("zoo")
    whole = pnb.GeneralizedNaiveBayes(search="class", parameters="generative").fit(X, y)
    part = pnb.GeneralizedNaiveBayes(search="class", parameters="generative", max_clusters=4).fit(X, y)
    assert part.structure_.order == whole.structure_.order[:5]
    higher = pnb.GeneralizedNaiveBayes(search="class", order=4, parameters="generative", max_clusters=4)
    assert len(higher.fit(X, y).structure_.order) == 5


def test_constraints_hold_and_have_a_price():
    _, _, counts, _ = table(1)
    info = information(counts)
    free, _ = class_tree(info, counts, NAMES[:5], "y")
    taken = next(iter(free.mothers.items()))
    absent = next(
        pair
        for pair in combinations(NAMES[:5], 2)
        if frozenset(pair) not in {frozenset(edge) for edge in free.mothers.items()}
    )
    tree, trace = class_tree(info, counts, NAMES[:5], "y", required=[absent], forbidden=[taken])
    edges = {frozenset(edge) for edge in tree.mothers.items()}
    assert frozenset(absent) in edges
    assert frozenset(taken) not in edges
    assert trace.price > 0
    assert all(constraint.price >= 0 for constraint in trace.constraints)
    with pytest.raises(StructureError, match="cuts off"):
        class_tree(info, counts, NAMES[:5], "y", required=list(pairwise(NAMES[:5])), max_clusters=1)


def test_columns_in_any_order_give_the_same_tree():
    X, y = pnb.load_sample("zoo")
    tree = pnb.GeneralizedNaiveBayes(search="class").fit(X, y)
    turned = pnb.GeneralizedNaiveBayes(search="class").fit(X[X.columns[::-1]], y)
    np.testing.assert_allclose(
        turned.predict_proba(X[X.columns[::-1]]), tree.predict_proba(X), rtol=0, atol=1e-9
    )
