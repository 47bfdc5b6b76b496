"""Scores under draws, against sums over every combination of the unknown attributes."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import beta

from pgm_nb.certainty import network_draws as module
from pgm_nb.certainty.chains import TableChains, run_chains
from pgm_nb.certainty.draws import supposed
from pgm_nb.certainty.network_draws import class_draws, network_draws, table_factors
from pgm_nb.tables.factors import Factors

CARDS = (3, 2, 2, 3, 2)
PARENTS = ((), (), (0, 1), (2, 0), (1, 3))  # not chordal: 0 and 1 are parents of 2 and strangers
CASES = [
    (0, 1, 1, 2, 0),
    (None, 1, None, 0, 1),
    (2, None, None, None, 1),
    (None, 0, 1, None, None),
    (None,) * 5,
]
NETWORK = Factors(
    np.zeros(2),
    tuple(range(5)),
    tuple(above[0] if above else -1 for above in PARENTS),
    tuple(np.zeros((2, *(CARDS[p] for p in above), CARDS[i])) for i, above in enumerate(PARENTS)),
    tuple(above[1:] for above in PARENTS),
)


def chains_of(rng, n_rows, n_chains):
    rows, y = rng.integers(0, [[v] for v in CARDS], size=(5, n_rows)), rng.integers(0, 2, n_rows)
    rows[4] = np.where(rng.random(n_rows) < 0.7, rows[3] % 2, rows[4])
    found = []
    for i, above in enumerate(PARENTS):
        table = np.zeros((2, *(CARDS[p] for p in above), CARDS[i]), dtype=np.int64)
        np.add.at(table, (y, *(rows[p] for p in above), rows[i]), 1)
        found.append(table)
    return run_chains(found, rng, chains=n_chains)


def by_enumeration(shares, case):
    """P(known | y) by summing products of entries, (n, k), from whole tables (n, k, ..., v)."""
    total = 0.0
    for states in product(*(range(v) if s is None else [s] for s, v in zip(case, CARDS, strict=True))):
        term = 1.0
        for i, above in enumerate(PARENTS):
            term = term * shares[i][(slice(None), slice(None), *(states[p] for p in above), states[i])]
        total = total + term
    return total


@pytest.mark.parametrize("case", CASES)
def test_without_a_doubt_the_score_is_that_of_the_expected_tables(case, monkeypatch):
    chains = chains_of(np.random.default_rng(0), 60, 3)
    monkeypatch.setattr(module, "table_factors", lambda means, rows, slope, n, *rest: np.ones((2, n)))
    found = network_draws(NETWORK, chains, case, 4)
    means = [
        one.posterior([None] * (len(above) + 1))[0].mean(axis=0)[None]
        for one, above in zip(chains, PARENTS, strict=True)
    ]
    exact = np.log(by_enumeration(means, case))
    np.testing.assert_allclose(found, np.repeat(exact.T, 4, axis=1), rtol=0, atol=1e-9)


@pytest.mark.parametrize("case", CASES[:4])
def test_the_spread_is_that_of_scores_under_whole_drawn_tables(case):
    rng = np.random.default_rng(1)
    chains = chains_of(rng, 400, 250)
    found = network_draws(NETWORK, chains, case, 4000)
    shares = []
    for one in chains:
        a = one.concentration.reshape(-1, *(1,) * one.counts.ndim)
        drawn = rng.standard_gamma(np.concatenate([one.counts + a * one.above] * 4))
        drawn /= drawn.sum(axis=-1, keepdims=True)
        shares.append(rng.permutation(drawn))
    exact = np.log(by_enumeration(shares, case)).T
    assert (np.abs(found.mean(axis=1) - exact.mean(axis=1)) < 0.1 * exact.std(axis=1)).all()
    np.testing.assert_allclose(found.std(axis=1), exact.std(axis=1), rtol=0.1)
    assert abs(np.corrcoef(found)[0, 1] - np.corrcoef(exact)[0, 1]) < 0.1


def test_the_case_counts_as_one_row_of_a_class_that_is_not_known():
    """Draws weighted by how probable each makes the case have the same posterior of the class."""
    rng, n = np.random.default_rng(0), 60_000
    tables = [rng.integers(1, 6, table.shape) for table in NETWORK.tables]
    even = [np.full((1, *table.shape[:-2], 1, table.shape[-1]), 1 / table.shape[-1]) for table in tables]
    chains = [TableChains(table, above, np.ones(1)) for table, above in zip(tables, even, strict=True)]
    case, y = CASES[0], np.array([3, 5])
    joint = np.exp(class_draws(y, n) + network_draws(NETWORK, chains, case, n, 1))
    weights, plain = joint.sum(axis=0) / joint.sum(), joint / joint.sum(axis=0)
    seen = supposed(plain @ weights, n)
    found = np.exp(class_draws(y, n, seen=seen) + network_draws(NETWORK, chains, case, n, 1, seen))
    found /= found.sum(axis=0)
    np.testing.assert_allclose(found.mean(axis=1), plain @ weights, atol=4e-3)
    np.testing.assert_allclose((found**2).mean(axis=1), plain**2 @ weights, atol=4e-3)
    assert abs((plain[0] ** 2).mean() - plain[0] ** 2 @ weights) > 0.01  # without it, it is another


def test_one_cell_has_its_beta_distribution():
    means, rows = np.array([[[0.2, 0.8]], [[0.4, 0.6]]]), np.array([[4.0], [30.0]])  # two chains, one class
    drawn = 0.3 * table_factors(means, rows, np.array([[1.0, 0.0]]), 40_000, np.random.default_rng(0))[0]
    for x in (0.1, 0.3, 0.5):
        expected = (beta.cdf(x, 0.8, 3.2) + beta.cdf(x, 12, 18)) / 2
        assert abs((drawn < x).mean() - expected) < 0.008


def test_what_is_sure_does_not_spread():
    means, rows = np.array([[[1.0, 1e-12]]]), np.array([[1e6]])
    drawn = table_factors(means, rows, np.array([[1.0, 0.0]]), 100, np.random.default_rng(0))
    np.testing.assert_allclose(drawn, 1, atol=1e-4)


def test_intervals_hold_the_truth_where_tables_are_larger_than_need_be():
    """Independent attributes, but the tables have parents: sums over thin tables once held 77 of 100."""
    rng = np.random.default_rng(5)
    parents = ((), (0,), (0, 1), (1, 2))
    tables = tuple(np.zeros((2, 3)) for _ in parents)
    network = Factors(np.zeros(2), (0, 1, 2, 3), (-1, 0, 0, 1), tables, ((), (), (1,), (2,)))
    held = []
    for _ in range(200):
        prior, shares = rng.dirichlet([5, 5]), rng.dirichlet(np.full(3, 1.5), size=(4, 2))
        y = rng.choice(2, size=150, p=prior)
        rows = (shares.cumsum(axis=-1)[:, y] < rng.random((4, 150, 1))).sum(axis=-1).clip(max=2)
        tables = []
        for i, above in enumerate(parents):
            table = np.zeros((2, *(3,) * len(above), 3), dtype=np.int64)
            np.add.at(table, (y, *(rows[p] for p in above), rows[i]), 1)
            tables.append(table)
        chains = run_chains(tables, rng)
        drawn_prior = class_draws(np.bincount(y, minlength=2), 400)
        for case in ((None, None, None, 0), (None, None, 1, None), (None, 0, None, 1)):
            scores = drawn_prior + network_draws(network, chains, case, 400)
            low, high = np.quantile(scores[0] - scores[1], [0.05, 0.95])
            known = [shares[i, :, state] for i, state in enumerate(case) if state is not None]
            exact = prior * np.prod(known, axis=0)
            held.append(low <= np.log(exact[0] / exact[1]) <= high)
    assert 0.86 < np.mean(held) < 0.96  # 600 cases; those of one table go together


def test_shares_of_classes_have_the_mean_of_their_dirichlet():
    found = np.exp(class_draws(np.array([6, 0, 3]), 20_000))
    np.testing.assert_allclose(found.sum(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose(found.mean(axis=1), np.array([7, 1, 4]) / 12, atol=5e-3)
