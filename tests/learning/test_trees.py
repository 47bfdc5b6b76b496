"""Growing trees on arrays: against networkx, and the O(d^2) promise by counting what is read."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.learning.trees import grow


@given(st.integers(1, 25), st.integers(0, 10**6))
@settings(deadline=None)
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
