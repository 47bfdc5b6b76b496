"""Draws of the tables: their mean, their spread, and how often the intervals hold the truth."""

import itertools

import numpy as np
import pytest

from pgm_nb.certainty.draws import TableDraws, TablePosterior, bounds, drawn_scores, drawn_terms, in_play
from pgm_nb.engine.sums import log_joint, normalise
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.families import Families
from pgm_nb.tables.hierarchical import estimate_hierarchical


def random_tree(rng, d, k, *, concentration=1.0):
    """A model that is a forest given the class, every table drawn evenly."""
    cards = rng.integers(2, 5, size=d)
    mothers = (-1, *(int(rng.integers(-1, i)) for i in range(1, d)))
    tables = tuple(
        np.log(rng.dirichlet(np.full(cards[i], concentration), size=(k,) if m < 0 else (k, cards[m])) + 1e-12)
        for i, m in enumerate(mothers)
    )
    return Factors(np.log(rng.dirichlet(np.full(k, 3.0))), tuple(range(d)), mothers, tables)


def sampled(rng, factors, n):
    y = rng.choice(len(factors.log_prior), size=n, p=np.exp(factors.log_prior))
    columns = []
    for table, mother in zip(factors.tables, factors.mothers, strict=True):
        shares = np.exp(table[y] if mother < 0 else table[y, columns[mother]])
        bound = shares.cumsum(axis=1) / shares.sum(axis=1, keepdims=True)
        columns.append((bound < rng.random(n)[:, None]).sum(axis=1))
    return np.array(columns, dtype=np.uint8), y


def counted(factors, codes, y):
    tables = []
    for i, (mother, table) in enumerate(zip(factors.mothers, factors.tables, strict=True)):
        counts = np.zeros(table.shape, dtype=np.int64)
        np.add.at(counts, (y, codes[i]) if mother < 0 else (y, codes[mother], codes[i]), 1)
        tables.append(counts)
    n_y = np.bincount(y, minlength=len(factors.log_prior))
    return Families(n_y, factors.columns, factors.mothers, tuple(tables))


def test_draws_have_the_mean_and_spread_of_the_dirichlet():
    counts = Families(np.array([30, 70]), (0,), (-1,), (np.array([[20, 5, 5], [10, 20, 40]]),))
    posterior = TablePosterior(counts)
    drawn = np.exp(TableDraws(posterior, 40_000).factors([np.array([1])]).tables[0])
    rows = posterior.rows[0]
    total = rows.sum(axis=-1)
    mean = rows[..., 1] / total
    second = mean * (rows[..., 1] + 1) / (total + 1)
    by_class = drawn.reshape(2, 40_000)
    np.testing.assert_allclose(by_class.mean(axis=1), mean.mean(axis=0), atol=1.5e-3)
    np.testing.assert_allclose((by_class**2).mean(axis=1), second.mean(axis=0), atol=1.5e-3)


@pytest.mark.parametrize("seed", range(12))
def test_scores_agree_with_enumeration(seed):
    rng = np.random.default_rng(seed)
    truth = random_tree(rng, int(rng.integers(1, 6)), int(rng.integers(2, 4)))
    families = counted(truth, *sampled(rng, truth, 60))
    weights = [
        None if rng.random() < 0.4 else rng.random(v) * (rng.random(v) < 0.7) + np.eye(v)[0]
        for v in families.cards
    ]
    draws = TableDraws(TablePosterior(families), 3, seed)
    prior, scores = drawn_scores(draws, weights)
    play = in_play(families.mothers, [weight is not None for weight in weights])
    possible = [
        None if not here else np.arange(v) if weight is None else np.flatnonzero(weight)
        for here, weight, v in zip(play, weights, families.cards, strict=True)
    ]
    drawn = draws.factors(possible)
    used = [i for i in range(len(possible)) if possible[i] is not None]
    total = np.zeros(len(drawn.log_prior))
    for states in itertools.product(*(range(len(possible[i])) for i in used)):
        term = np.ones(len(total))
        for place, state in enumerate(states):
            table, mother = np.exp(drawn.tables[place]), drawn.mothers[place]
            term *= table[:, state] if mother < 0 else table[:, states[mother], state]
            weight = weights[used[place]]
            term *= 1 if weight is None else weight[possible[used[place]][state]]
        total += term
    np.testing.assert_allclose(scores.ravel(), np.log(total), atol=1e-9)
    np.testing.assert_allclose(np.exp(prior).sum(axis=0), 1, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_terms_add_up_to_the_scores(seed):
    rng = np.random.default_rng(seed)
    truth = random_tree(rng, 5, 2)
    families = counted(truth, *sampled(rng, truth, 80))
    states = [None if rng.random() < 0.4 else int(rng.integers(v)) for v in families.cards]
    weights = [None if s is None else np.eye(v)[s] for s, v in zip(states, families.cards, strict=True)]
    draws = TableDraws(TablePosterior(families), 50)
    prior, terms = drawn_terms(draws, states)
    same, scores = drawn_scores(draws, weights)
    np.testing.assert_array_equal(prior, same)
    np.testing.assert_allclose(terms.sum(axis=0), scores, atol=1e-9)


def test_a_large_table_keeps_few_priors(monkeypatch):
    monkeypatch.setattr("pgm_nb.certainty.draws.MOST", 12)
    counts = np.random.default_rng(0).integers(0, 9, size=(2, 3))
    families = Families(counts.sum(axis=1), (0,), (-1,), (counts,))
    assert len(TablePosterior(families).rows[0]) == 2


def coverage(seed, models, queries, *, rows, concentration=1.0):
    """Share of the cases in which a 90% interval of the first class holds its true probability."""
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(models):
        truth = random_tree(
            rng, int(rng.integers(3, 9)), int(rng.integers(2, 4)), concentration=concentration
        )
        families = counted(truth, *sampled(rng, truth, int(np.exp(rng.uniform(*np.log(rows))))))
        codes, _ = sampled(rng, truth, queries)
        hidden = rng.random(codes.shape) < rng.random()
        codes = np.where(hidden, truth.cards[:, None], codes)
        exact = np.exp(normalise(log_joint(truth, codes), truth.log_prior))
        point = np.exp(normalise(log_joint(estimate_hierarchical(families), codes), truth.log_prior))
        posterior = TablePosterior(families)
        for i in range(queries):
            known = [
                None if code >= v else np.eye(v)[code]
                for code, v in zip(codes[:, i], truth.cards, strict=True)
            ]
            prior, scores = drawn_scores(TableDraws(posterior, 400, int(rng.integers(1 << 30))), known)
            low, high = bounds(prior + scores, point[i], 0.9)
            held += low[0] <= exact[i, 0] <= high[0]
    return held / (models * queries)


def test_intervals_of_ninety_percent_hold_the_truth_nine_times_in_ten():
    settings = [((60, 300), 1.0), ((300, 2000), 1.0), ((100, 1000), 0.5), ((100, 1000), 3.0)]
    found = [coverage(7, 400, 2, rows=rows, concentration=alike) for rows, alike in settings]
    assert 0.88 <= np.mean(found) <= 0.92
    assert min(found) > 0.865
    assert max(found) < 0.935
