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


def weight_of(joined, relevance, dependence, triples):
    total = sum(relevance[child] for child, _ in joined)
    singles = sum(dependence[child, its[0]] for child, its in joined if len(its) == 1)
    return total + singles + sum(triples[child, *its] for child, its in joined if len(its) == 2)


@pytest.mark.parametrize("seed", range(4))
def test_no_tree_is_heavier_and_every_attribute_joins_an_edge(seed):
    relevance, dependence, triples = random_weights(6, seed)
    for size in (2, 3, 5, 6):
        joined = best_two_tree(relevance, dependence, triples, size)
        best = heaviest(relevance, dependence, triples, size)
        assert weight_of(joined, relevance, dependence, triples) == pytest.approx(best, abs=1e-12)
        (first, nothing), (second, mother), *later = joined
        assert (nothing, mother) == ((), (first,))
        edges = {frozenset((first, second))}
        for child, (a, b) in later:
            assert frozenset((a, b)) in edges
            edges |= {frozenset((a, child)), frozenset((b, child))}
        assert len({child for child, _ in joined}) == size


def test_of_equals_the_first_columns_win():
    joined = best_two_tree(np.ones(5), np.zeros((5, 5)), np.zeros((5, 5, 5)), 4)
    assert joined[:3] == [(0, ()), (1, (0,)), (2, (0, 1))]
    assert {child for child, _ in joined} == {0, 1, 2, 3}
