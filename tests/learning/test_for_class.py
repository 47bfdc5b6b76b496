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


def mixed(seed, d=6, n=150):
    """Columns with two to five states, and classes that depend on three of them together."""
    random = np.random.default_rng(seed)
    cards = tuple((2, 3, 4, 5, 2, 3)[:d])
    codes = np.array([random.integers(0, v, n) for v in cards], dtype=np.uint8)
    codes[1, :-1] = np.minimum(codes[1, :-1], 1)
    codes[1, -1] = 2  # a state that occurs once
    y = (codes[0] + codes[1] * codes[d - 2] + (random.random(n) < 0.2)) % 3
    y[-1] = 3  # a class that occurs once; one more never does
    return codes, y, count(codes, y, cards, 5), SetInformation(codes, y, cards, 5)


def says_given(codes, y, child, mothers):
    """I(Xi;Y|S) by plain entropies."""
    given = [codes[m] for m in mothers]
    without = entropy(*given, codes[child]) - (entropy(*given) if given else 0.0)
    return without - entropy(*given, codes[child], y) + entropy(*given, y)


def is_by_importance(order, mothers, says):
    """Whether each is, among those without children when all later ones are gone, one that says least."""
    for size in range(len(order), 2, -1):
        used = {m for child in order[:size] for m in mothers.get(child, ())}
        least = min(says[name] for name in order[2:size] if name not in used)
        if order[size - 1] in used or says[order[size - 1]] > least + 1e-12:
            return False
    return True


@pytest.mark.parametrize("seed", range(5))
def test_prices_count_what_occurs(seed):
    codes, y, counts, _ = mixed(seed)
    found, bits = priced_interactions(counts), interaction_information(counts)
    occurs = [len(np.unique(column)) for column in codes]
    for i, j in combinations(range(6), 2):
        cost = (occurs[i] - 1) * (occurs[j] - 1) * (len(np.unique(y)) - 1) / (2 * len(y) * np.log(2))
        assert found[i, j] == found[j, i] == pytest.approx(bits[i, j] - cost, abs=1e-12)
    assert not found.diagonal().any()


@pytest.mark.parametrize("seed", range(8))
def test_the_order_and_the_steps_of_a_tree_for_the_class(seed):
    _, _, counts, _ = mixed(seed)
    info, priced = information(counts), priced_interactions(counts)
    tree, trace = class_tree(info, counts, NAMES, "y")
    column = {name: i for i, name in enumerate(NAMES)}
    says = dict(zip(NAMES, info.relevance.tolist(), strict=True))
    says |= {c: max(0.0, says[c] + priced[column[c], column[m]]) for c, m in tree.mothers.items()}
    assert tree.order[0] == NAMES[int(info.relevance.argmax())]
    assert is_by_importance(tree.order, {c: (m,) for c, m in tree.mothers.items()}, says)
    assert [(step.attribute, step.mother) for step in trace.steps] == [
        (c, tree.mothers[c]) for c in tree.order[1:]
    ]
    shared = sum(info.dependence[column[c], column[m]] for c, m in tree.mothers.items())
    assert trace.steps[-1].weight == pytest.approx(info.relevance.sum() + shared, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_families_grow_by_the_largest_interaction_less_its_price(seed):
    codes, y, counts, sets = mixed(seed)
    info, both = information(counts), Interactions(sets)

    def worth(child, given):
        found = both.shared(sorted(given), [child])
        return found.bits[0] - found.freedom[0] / (2 * len(y) * np.log(2))

    first = max(combinations(range(6), 2), key=lambda pair: worth(pair[1], pair[:1]))
    clusters = [set(first)]
    while len(inside := set().union(*clusters)) < 6:
        possible = {
            (child, given)
            for cluster in clusters
            for size in (1, 2)
            for given in combinations(sorted(cluster), size)
            for child in set(range(6)) - inside
        }
        child, given = max(possible, key=lambda one: worth(*one))
        clusters.append({child, *given})
    tree, trace = class_families(info, sets, counts, NAMES, "y", 4)
    column = {name: i for i, name in enumerate(NAMES)}
    families = {column[c]: tuple(column[m] for m in mothers) for c, mothers in tree.families.items()}
    assert {frozenset((c, *mothers)) for c, mothers in families.items()} == set(map(frozenset, clusters))
    assert [column[name] for name in tree.order[:2]] == sorted(first, key=lambda i: -info.relevance[i])
    says = {i: says_given(codes, y, i, families.get(i, ())) for i in range(6)}
    assert is_by_importance([column[name] for name in tree.order], families, says)
    assert [step.chosen.mothers for step in trace.steps] == [tree.families[c] for c in tree.order[1:]]


@pytest.mark.parametrize("d", [1, 2])
def test_one_and_two_attributes(d):
    y = np.array([0, 1] * 20)
    codes = np.array([np.repeat([0, 1], 20), np.where(np.arange(40) < 4, 0, y)][2 - d :], dtype=np.uint8)
    counts, sets = count(codes, y, (2,) * d, 2), SetInformation(codes, y, (2,) * d, 2)
    info = information(counts)
    tree, _ = class_tree(info, counts, NAMES[:d], "y")
    families, trace = class_families(info, sets, counts, NAMES[:d], "y", 4)
    assert tree.order == families.order == {1: ("a",), 2: ("b", "a")}[d]  # the more relevant first
    assert dict(families.mothers) == dict(tree.mothers)
    assert trace.steps[-1].weight == pytest.approx(
        info.relevance.sum() + info.dependence.sum() / 2, abs=1e-12
    )


def test_a_required_edge_wins_however_much_its_price():
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, (4, 14)).astype(np.uint8)
    codes[2:] = [np.arange(14), random.permutation(14)]  # a state for every row
    y = codes[0] ^ codes[1]
    counts = count(codes, y, (2, 2, 14, 14), 2)
    assert priced_interactions(counts)[2, 3] < -5
    tree, _ = class_tree(information(counts), counts, NAMES[:4], "y", required=[("c", "d")])
    assert {"c", "d"} in [set(edge) for edge in tree.mothers.items()]
