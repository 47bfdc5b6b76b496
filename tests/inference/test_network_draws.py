"""Scores under drawn tables, against sums over every combination of the unknown attributes."""

from itertools import product

import numpy as np
import pytest

from pgm_nb.inference.network_draws import ClassTreeDraws, network_scores, parent_families
from pgm_nb.inference.table_draws import TableDraws
from pgm_nb.inference.table_posterior import TablePosterior

CARDS = (3, 2, 2, 3, 2)
COLLIDERS = ((), (), (0, 1), (2, 0), (1, 3))  # not chordal: 0 and 1 are parents of 2 and strangers
FIRST, SECOND = ((), (0,), (0,), (2,), (3,)), ((), (0,), (1, 0), (2, 1), (3,))  # a tree, a cherry tree
CASES = [
    (0, 1, 1, 2, 0),
    (None, 1, None, 0, 1),
    (2, None, None, None, 1),
    (None, 0, 1, None, None),
    (None,) * 5,
]


def random_tables(parents, rng, k=2):
    rows = rng.integers(0, [[v] for v in CARDS], size=(5, 60))
    y = rng.integers(0, k, 60)
    tables = []
    for i, above in enumerate(parents):
        table = np.zeros((k, *(CARDS[p] for p in above), CARDS[i]), dtype=np.int64)
        np.add.at(table, (y, *(rows[p] for p in above), rows[i]), 1)
        tables.append(table)
    return np.bincount(y, minlength=k), tables


def by_enumeration(shares, parents, case):
    """P(known | y) by summing products of entries, (n, k), from whole drawn tables (n, k, ..., v)."""
    total = 0.0
    for states in product(*(range(v) if s is None else [s] for s, v in zip(case, CARDS, strict=True))):
        term = 1.0
        for i, above in enumerate(parents):
            term = term * shares[i][(slice(None), slice(None), *(states[p] for p in above), states[i])]
        total = total + term
    return total


def whole(draws, parents):
    every = [np.arange(v) for v in CARDS]
    return [draws.shares(i, every[i], [every[p] for p in above]) for i, above in enumerate(parents)]


@pytest.mark.parametrize("case", CASES)
def test_any_parents_are_summed_out_as_by_enumeration(case):
    y, tables = random_tables(COLLIDERS, np.random.default_rng(0))
    draws = TableDraws(TablePosterior(parent_families(y, range(5), COLLIDERS, tables)), 20)
    exact = np.exp(draws.log_prior) * by_enumeration(whole(draws, COLLIDERS), COLLIDERS, case)
    np.testing.assert_allclose(network_scores(draws, case), np.log(exact).T, rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_every_class_has_its_own_tree(case):
    rng = np.random.default_rng(1)
    graphs = (FIRST, SECOND)
    y, some = random_tables(FIRST, rng)
    tables = (tuple(some), tuple(random_tables(SECOND, rng)[1]))
    mothers = tuple(tuple(above[0] if above else -1 for above in graph) for graph in graphs)
    others = ((), tuple(above[1:] for above in SECOND))
    draws = ClassTreeDraws(y, (tuple(range(5)),) * 2, mothers, others, tables, 20)
    found = draws.scores(case)
    for label, graph in enumerate(graphs):
        shares = whole(draws.trees[label], graph)
        assert shares[1].shape[1] == 1  # of this class alone
        exact = np.exp(draws.log_prior[label]) * by_enumeration(shares, graph, case)[:, 0]
        np.testing.assert_allclose(found[label], np.log(exact), rtol=0, atol=1e-9)


def test_draws_of_a_class_lie_around_its_counts_and_lean_on_the_other_classes():
    y = np.array([4000, 4000, 0])
    table = np.array([[3000, 1000], [1000, 3000], [0, 0]])
    draws = ClassTreeDraws(y, ((0,),) * 3, ((-1,),) * 3, ((),) * 3, ((table,),) * 3, 4000)
    shares = [np.exp(draws.scores([0]) - draws.log_prior)[label] for label in range(3)]
    assert abs(shares[0].mean() - 0.75) < 2e-3
    assert abs(shares[1].mean() - 0.25) < 2e-3
    assert shares[0].std() == pytest.approx(np.sqrt(0.75 * 0.25 / 4000), rel=0.1)
    assert shares[2].std() > 0.1  # nobody of this class was seen
    assert abs(np.corrcoef(shares)[0, 1]) < 0.06  # trees are drawn apart
    assert np.exp(draws.log_prior).mean(axis=1) == pytest.approx((y + 1) / 8003, abs=1e-3)
