"""Kernel sums, correlations and joining against sums over rows written out by hand."""

from itertools import combinations
from math import exp, inf, log, pi, sqrt
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.models.kernel import sums
from pgm_nb.models.kernel.model import correlations, join, log_densities
from pgm_nb.models.kernel.sums import (
    HobbitColumn,
    PTree,
    gaussian_log_sums,
    hobbit_distance,
    hobbit_log_sums,
    hobbit_log_weights,
    strongest_pairs,
)

seeds = st.integers(0, 10**6)


def hobbit_kernel(column, x, t):
    """K(x, t) by its definition, one pair of codes at a time."""
    numbers = 2**column.number_bits if column.number_bits else 0
    if x >= numbers or t >= numbers:
        return float(x == t)

    def height(other):
        dropped = 0
        while x >> dropped != other >> dropped:
            dropped += 1
        return exp(-0.5 * ((2 ** (dropped - 1) if dropped else 0) / column.sigma) ** 2)

    return height(t) / sum(height(other) for other in range(numbers))


def gaussian_kernel(sigma, x, t):
    if sigma == 0 or inf in (x, t):
        return float(x == t)
    return exp(-0.5 * ((x - t) / sigma) ** 2) / (sigma * sqrt(2 * pi))


def brute_force(kernels, rows, query):
    """Sums over the rows of each class: one attribute, and pairs."""
    single = [[sum(k(query[a], t[a]) for t in part.T) for part in rows] for a, k in enumerate(kernels)]
    joint = [
        [sum(kernels[a](query[a], t[a]) * kernels[b](query[b], t[b]) for t in part.T) for part in rows]
        for a, b in combinations(range(len(kernels)), 2)
    ]
    return np.array(single), np.array(joint)


def test_hobbit_distance_is_the_number_of_bits_to_drop():
    x, y = np.meshgrid(np.arange(64), np.arange(64))
    expected = np.vectorize(lambda i, j: next(b for b in range(7) if i >> b == j >> b))(x, y)
    assert (hobbit_distance(x, y) == expected).all()


@pytest.mark.parametrize("sigma", [0.1, 3.0, 50.0, inf])
def test_the_hobbit_kernel_sums_to_one_around_every_integer(sigma):
    weights = np.exp(hobbit_log_weights(sigma, 5))
    x, y = np.meshgrid(np.arange(32), np.arange(32))
    assert weights[hobbit_distance(x, y)].sum(axis=1) == pytest.approx(1, abs=1e-12)


@given(seeds)
@settings(max_examples=40)
def test_hobbit_sums_are_the_sums_over_rows(seed):
    rng = np.random.default_rng(seed)
    columns = [
        HobbitColumn(int(rng.integers(1, 6)), 0, float(rng.uniform(0.3, 9))),
        HobbitColumn(4, 1, float(rng.uniform(0.3, 9))),  # numbers and the state "missing"
        HobbitColumn(0, int(rng.integers(1, 6)), 0.0),
        HobbitColumn(3, 0, inf),
    ]
    most = [(1 << c.number_bits if c.number_bits else 0) + c.states for c in columns]
    rows = [np.array([rng.integers(0, m, n) for m in most]) for n in (1, int(rng.integers(2, 25)))]
    queries = np.array([rng.integers(0, m, 6) for m in most])
    trees = [PTree(part, [c.bits for c in columns]) for part in rows]
    single, joint, known = hobbit_log_sums(trees, columns, queries, rows, pairs=True)
    many = np.array([np.append(part, rng.integers(0, m, 60)) for part, m in zip(queries, most, strict=True)])
    with patch.object(sums, "few_rows", return_value=False):
        by_trees = hobbit_log_sums(trees, columns, queries, rows, pairs=True)
        by_tables = hobbit_log_sums(trees, columns, many, rows, pairs=True)  # enough rows for tables of codes
    for others in (by_trees, by_tables):
        assert (others[0][:6] == single).all()
        assert (others[1][:6] == joint).all()
    assert known.all()
    kernels = [lambda x, t, c=c: hobbit_kernel(c, int(x), int(t)) for c in columns]
    for row, query in enumerate(queries.T):
        alone, together = brute_force(kernels, rows, query)
        assert np.exp(single[row]) == pytest.approx(alone, rel=1e-12, abs=1e-300)
        assert np.exp(joint[row]) == pytest.approx(together, rel=1e-12, abs=1e-300)


@given(seeds)
@settings(max_examples=40)
def test_gaussian_sums_are_the_sums_over_rows(seed):
    rng = np.random.default_rng(seed)
    sigmas = [float(rng.uniform(0.1, 2)), float(rng.uniform(0.1, 2)), 0.0]

    def table(n):
        numbers = rng.normal(size=(2, n))
        numbers[1, rng.random(n) < 0.3] = inf
        return np.vstack([numbers, rng.integers(0, 3, n)])

    rows, queries = [table(1), table(int(rng.integers(2, 25)))], table(6)
    single, joint, _ = gaussian_log_sums(rows, sigmas, queries, pairs=True)
    kernels = [lambda x, t, s=s: gaussian_kernel(s, x, t) for s in sigmas]
    for row, query in enumerate(queries.T):
        alone, together = brute_force(kernels, rows, query)
        assert np.exp(single[row]) == pytest.approx(alone, rel=1e-12, abs=1e-300)
        assert np.exp(joint[row]) == pytest.approx(together, rel=1e-11, abs=1e-300)


def test_far_values_do_not_vanish():
    rows = [np.array([[0.0, 1.0], [100.0, 0.0]])]
    single, joint, _ = gaussian_log_sums(rows, [1.0, 1.0], np.array([[1000.0], [0.0]]), pairs=True)
    height = log(sqrt(2 * pi))
    assert single[0, 0, 0] == pytest.approx(-0.5 * 999**2 - height, rel=1e-15)
    assert joint[0, 0, 0] == pytest.approx(-0.5 * 999**2 - 2 * height, rel=1e-15)
    crosswise = [np.array([[0.0, 50.0], [50.0, 0.0]])]  # each row near in one attribute, far in the other
    _, joint, _ = gaussian_log_sums(crosswise, [1.0, 1.0], np.array([[0.0], [0.0]]), pairs=True)
    assert joint[0, 0, 0] == pytest.approx(-0.5 * 50**2 - 2 * height + log(2), rel=1e-15)
    column = HobbitColumn(8, 0, 0.5)
    tree = PTree(np.array([[0, 0]]), (8,))
    single, _, _ = hobbit_log_sums([tree], [column], np.array([[255]]), [np.zeros((1, 2), int)], pairs=False)
    assert single[0, 0, 0] == pytest.approx(log(2) + hobbit_log_weights(0.5, 8)[8], rel=1e-15)
    assert single[0, 0, 0] < -30_000


def test_correlation_by_hand():
    # two attributes, four rows in two classes; K_a = (1, 1, 0, 0), K_b = (1, 0, 1, 1)
    with np.errstate(divide="ignore"):
        single = np.log([[[2.0, 0.0], [1.0, 2.0]]])
        joint = np.log([[[1.0, 0.0]]])
    assert correlations(single, joint, 4) == pytest.approx(np.array([[4 * 1 / (2 * 3) - 1]]), abs=1e-15)


def test_independent_attributes_are_uncorrelated():
    single = np.log([[[3.0, 1.0], [4.0, 4.0]]])
    assert correlations(single, np.log([[[3.0, 1.0]]]), 8) == pytest.approx(0.0, abs=1e-15)


@given(seeds)
def test_pairs_are_taken_strongest_first_and_attributes_once(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    pairs = list(combinations(range(d), 2))
    strength = rng.choice([0.1, 0.2, 0.4, 0.5, 0.9], (3, len(pairs)))
    chosen = strongest_pairs(strength, 0.3, d)
    for row in range(3):
        taken, expected = set(), set()
        for place in sorted(range(len(pairs)), key=lambda p: (-strength[row, p], p)):
            if strength[row, place] > 0.3 and not taken & set(pairs[place]):
                taken |= set(pairs[place])
                expected.add(place)
        assert set(np.flatnonzero(chosen[row])) == expected


def test_joining_by_hand():
    """Three attributes: the first two joined, the third alone; nothing joined; joined by anticorrelation."""
    sizes = np.array([2, 2])
    single = np.log([[[1.0, 1.0], [1.0, 1.0], [1.5, 0.5]]])
    joint = np.log([[[1.0, 0.5], [0.5, 0.1], [0.4, 0.4]]])  # Corr: 4*1.5/4-1, 4*0.6/4-1, 4*0.8/4-1
    known = np.ones((1, 3), dtype=bool)
    found = join(single, joint, known, sizes, threshold=0.3, anticorrelation=False, smoothing=None)
    assert found.correlation == pytest.approx(np.array([[0.5, -0.4, -0.2]]), abs=1e-15)
    assert found.first.tolist() == [[0, 0, 2]]
    assert np.exp(found.log_likelihood) == pytest.approx(np.array([[0.5 * 0.75, 0.25 * 0.25]]), abs=1e-15)
    found = join(single, None, known, sizes, threshold=None, anticorrelation=False, smoothing=None)
    assert np.exp(found.log_likelihood) == pytest.approx(np.array([[0.25 * 0.75, 0.25 * 0.25]]), abs=1e-15)
    hidden = np.array([[True, False, True]])  # only the pair (0, 2) is left, and it is anticorrelated
    found = join(single, joint, hidden, sizes, threshold=0.3, anticorrelation=False, smoothing=None)
    assert found.first.tolist() == [[0, 1, 2]]
    assert np.exp(found.log_likelihood) == pytest.approx(np.array([[0.5 * 0.75, 0.5 * 0.25]]), abs=1e-15)
    found = join(single, joint, hidden, sizes, threshold=0.3, anticorrelation=True, smoothing=None)
    assert found.first.tolist() == [[0, 1, 0]]
    assert np.exp(found.log_likelihood) == pytest.approx(np.array([[0.25, 0.05]]), abs=1e-15)


def test_smoothing_leans_on_all_rows():
    sums, sizes = np.array([-inf, log(3.0)]), np.array([2, 6])
    assert np.exp(log_densities(sums, sizes, 4.0)) == pytest.approx([4 * 3 / 8 / 6, (3 + 4 * 3 / 8) / 10])
    assert np.exp(log_densities(sums, sizes, None)) == pytest.approx([0, 0.5])
