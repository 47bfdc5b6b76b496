"""The heaviest 2-tree: on any weights, every tree there is; the tree that is read weighs what is said."""

import numpy as np
import pytest

from pgm_nb.learning.two_trees import best_two_tree


def random_weights(d, seed):
    rng = np.random.default_rng(seed)
    dependence, triples = rng.random((d, d)), rng.random((d, d, d))
    return rng.random(d), (dependence + dependence.T) / 2, (triples + triples.transpose(0, 2, 1)) / 2


def heaviest(relevance, dependence, triples, size):
    """Grow every 2-tree attribute by attribute; a tree is what is inside and its edges."""
    d = len(relevance)
    here = {
        (frozenset((a, b)), frozenset({(a, b)})): relevance[a] + relevance[b] + dependence[a, b]
        for a in range(d)
        for b in range(a + 1, d)
    }
    for _ in range(size - 2):
        larger = {}
        for (inside, edges), weight in here.items():
            for c in set(range(d)) - inside:
                for a, b in edges:
                    new = edges | {(min(a, c), max(a, c)), (min(b, c), max(b, c))}
                    total = weight + relevance[c] + triples[c, a, b]
                    key = (inside | {c}, new)
                    larger[key] = max(total, larger.get(key, -np.inf))
        here = larger
    return max(here.values())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [2, 3, 5, 6])
def test_no_tree_is_heavier_and_the_tree_weighs_what_is_said(seed, size):
    relevance, dependence, triples = random_weights(6, seed)
    joined, weight = best_two_tree(relevance, dependence, triples, size)
    assert weight == pytest.approx(heaviest(relevance, dependence, triples, size), abs=1e-12)
    (first, nothing), (second, mother), *later = joined
    assert (nothing, mother) == ((), (first,))
    edges, total = (
        {frozenset((first, second))},
        relevance[first] + relevance[second] + dependence[first, second],
    )
    for child, (a, b) in later:
        assert frozenset((a, b)) in edges
        edges |= {frozenset((a, child)), frozenset((b, child))}
        total += relevance[child] + triples[child, a, b]
    assert total == pytest.approx(weight, abs=1e-12)
    assert len({child for child, _ in joined}) == size


def test_of_equals_the_first_columns_win():
    joined, weight = best_two_tree(np.ones(5), np.zeros((5, 5)), np.zeros((5, 5, 5)), 4)
    assert weight == 4.0
    assert joined[:3] == [(0, ()), (1, (0,)), (2, (0, 1))]
    assert {child for child, _ in joined} == {0, 1, 2, 3}
