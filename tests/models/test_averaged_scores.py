"""Averaged one-dependence: against Weka, by hand, by enumeration of unknown cells; the two kernels."""

import gzip
import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.counts.weighted import scaled
from pgm_nb.engine.sums import posteriors
from pgm_nb.information import information
from pgm_nb.models import averaged_one_dependence as scores
from pgm_nb.models.averaged_one_dependence import OneDependence, log_scores

GOLDEN = Path(__file__).parents[1] / "golden"
WEKA = ("krvskp_all", "nursery_first2000", "sick_all", "wdbc_bin10")
kernels = pytest.mark.parametrize("kernel", ["numpy", "compiled"])


def weka(case):
    """Counts of the training rows, coded test rows, and the distributions of Weka 3.6.14."""
    record = json.loads(gzip.decompress((GOLDEN / "weka" / f"{case}.json.gz").read_bytes()))
    *cards, k = record["cards"]
    train, test = (
        np.array([[int(digit) for digit in column] for column in record[part]], dtype=np.uint8)
        for part in ("train", "test")
    )
    return count(train[:-1], train[-1], cards, k), test[:-1], record


def posterior(model, rows, kernel):
    return posteriors(log_scores(model, rows, kernel=kernel), model.log_prior)


@kernels
@pytest.mark.parametrize("case", WEKA)
def test_aode_is_wekas(case, kernel):
    counts, rows, record = weka(case)
    model = OneDependence(counts, np.full(len(rows), 1 / len(rows)))
    np.testing.assert_allclose(posterior(model, rows, kernel), record["AODE"], rtol=0, atol=1e-9)


@kernels
@pytest.mark.parametrize("case", WEKA)
def test_waode_is_wekas(case, kernel):
    counts, rows, record = weka(case)
    relevance = information(counts).relevance
    model = OneDependence(counts, relevance / relevance.sum(), 1.0, least_rows=0)
    np.testing.assert_allclose(posterior(model, rows, kernel), record["WAODE"], rtol=0, atol=1e-9)


def small(seed, cards=(2, 3, 2, 4), n=25, k=3):
    """Few rows, so that some states are rare, and the first column has a state without rows."""
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    codes[0] = 0
    y = rng.integers(0, k, n)
    weights = rng.dirichlet(np.ones(len(cards)))
    weights[2] = 0.0
    return count(codes, y, cards, k), codes, y, weights / weights.sum()


def by_hand(codes, y, cards, k, weights, m, least, row):
    """The formula with loops over rows of the training table; the row is complete."""
    n, d, scores = len(y), len(cards), []
    parents = [p for p in range(d) if (codes[p] == row[p]).sum() >= least and weights[p] > 0]
    for c in range(k):
        inside, total = y == c, 0.0
        for p in parents:
            both = inside & (codes[p] == row[p])
            rows = k * cards[p] if m is None else m
            score = weights[p] * (both.sum() + rows / (k * cards[p])) / (n + rows)
            for j in range(d):
                if j != p:
                    rows = cards[j] if m is None else m
                    hits = (both & (codes[j] == row[j])).sum()
                    score *= (hits + rows / cards[j]) / (both.sum() + rows)
            total += score
        if not parents:
            rows = k if m is None else m
            total = (inside.sum() + rows / k) / (n + rows)
            for j in range(d):
                rows = cards[j] if m is None else m
                total *= ((inside & (codes[j] == row[j])).sum() + rows / cards[j]) / (inside.sum() + rows)
        scores.append(total)
    return np.array(scores)


@kernels
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("m", "least"), [(None, 1), (1.0, 0), (0.5, 4), (2.0, 100)])
def test_unknown_cells_are_summed_over_all_complete_rows(m, least, seed, kernel):
    cards, k = (2, 3, 2, 4), 3
    counts, codes, y, weights = small(seed)
    model = OneDependence(counts, weights, m, least)
    whole = {
        row: by_hand(codes, y, cards, k, weights, m, least, row)
        for row in itertools.product(*(range(v) for v in cards))
    }
    patterns = list(itertools.product(*(range(v + 1) for v in cards)))  # v: unknown

    def agrees(full, row):
        return all(given in (cell, v) for cell, given, v in zip(full, row, cards, strict=True))

    expected = [sum(score for full, score in whole.items() if agrees(full, row)) for row in patterns]
    found = np.exp(log_scores(model, np.array(patterns, dtype=np.uint8).T, kernel=kernel))
    np.testing.assert_allclose(found, np.array(expected), rtol=1e-10, atol=0)


def test_one_attribute_is_its_joint_table():
    codes, y = np.array([[0, 0, 1, 1, 1]], dtype=np.uint8), np.array([0, 0, 0, 1, 1])
    model = OneDependence(count(codes, y, (2,), 2), np.ones(1))
    np.testing.assert_allclose(
        np.exp(log_scores(model, np.array([[0, 1, 2]], dtype=np.uint8))),
        np.array([[3, 1], [2, 3], [5, 4]]) / 9,
        rtol=1e-12,
    )


def test_many_attributes_do_not_underflow():
    rng = np.random.default_rng(0)
    d = 500
    codes = rng.integers(0, 10, (d, 60)).astype(np.uint8)
    y = np.arange(60) % 2
    model = OneDependence(count(codes, y, (10,) * d, 2), np.full(d, 1 / d))
    scores = log_scores(model, codes)
    assert (scores < -745).all()  # exp of it is zero
    assert np.isfinite(scores).all()
    assert (scores.argmax(axis=1) == y).all()


def test_any_number_of_threads_and_blocks_gives_the_same():
    counts, codes, _, weights = small(1)
    model = OneDependence(counts, weights, 1.0)
    rows = np.tile(codes, 400)
    for kernel in ("numpy", "compiled"):
        one = log_scores(model, rows, kernel=kernel, n_threads=1)
        assert (one == log_scores(model, rows, kernel=kernel, n_threads=3)).all()
        np.testing.assert_allclose(one[:25], log_scores(model, codes, kernel="numpy"), rtol=1e-13)
    for kernel in ("numpy", "compiled"):
        assert log_scores(model, rows[:, :0], kernel=kernel).shape == (0, 3)


def drawn(seed, k, smoothing, d=9, n=300):
    """Columns of one to six states, and one of forty; a weight is zero."""
    rng = np.random.default_rng(seed)
    cards = (40, *rng.integers(1, 7, d - 1).tolist())
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    weights = rng.dirichlet(np.ones(d))
    weights[1] = 0.0
    counts = count(codes, rng.integers(0, k, n), cards, k)
    return OneDependence(counts, weights / weights.sum(), smoothing), codes


def with_unknown(model, codes):
    """Make a third of the cells unknown, and all of one row."""
    unknown = np.random.default_rng(1).random(codes.shape) < 0.3
    unknown[:, 5] = True
    return np.where(unknown, model.cards[:, None].astype(codes.dtype), codes)


@pytest.mark.parametrize("smoothing", [None, 1.0, 0.3])
def test_both_kernels_agree(smoothing):
    for k in (1, 2, 3, 5, 12, 25):
        for least_rows in (0, 1, 60):  # with 60, naive Bayes takes part where many are unknown
            model, codes = drawn(k, k, smoothing, d=2 + k % 9)
            model = replace(model, least_rows=least_rows)
            for rows in (codes, with_unknown(model, codes)):
                one, two = (log_scores(model, rows, kernel=kernel) for kernel in ("numpy", "compiled"))
                np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)


def test_counts_that_are_not_whole_are_counts_too():
    model, codes = drawn(0, 3, None)
    half = replace(model, counts=scaled(model.counts, 0.5))
    rows = with_unknown(model, codes)
    one, two = (log_scores(half, rows, kernel=kernel) for kernel in ("numpy", "compiled"))
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-12)
    assert not np.allclose(one, log_scores(model, rows, kernel="numpy"))


def test_products_near_zero_are_left_to_logs(monkeypatch):
    rng = np.random.default_rng(0)
    d, n = 100, 600
    codes = np.tile(rng.integers(0, 4, n), (d, 1)).astype(np.uint8)  # all columns are alike
    model = OneDependence(count(codes, rng.integers(0, 3, n), (4,) * d, 3), np.full(d, 1 / d), 1e-6)
    rows = codes.copy()
    rows[:40, 0] = 4  # unknown
    rows[:, 1] = rng.integers(0, 4, d)  # unlike any row
    expected, by_logs, left = log_scores(model, rows, kernel="numpy"), scores._averaged, []

    def noted(model, codes, kernel):
        left.append(codes)
        return by_logs(model, codes, kernel)

    monkeypatch.setattr(scores, "_averaged", noted)
    np.testing.assert_allclose(log_scores(model, rows, kernel="compiled"), expected, rtol=1e-11)
    np.testing.assert_array_equal(left, [rows[:, [1]]])


@pytest.mark.parametrize("smoothing", [None, 1.0])
def test_one_row_with_unknown_cells_is_summed_as_many_are(smoothing):
    counts, codes, _, weights = small(5, n=60)
    model = OneDependence(counts, weights, smoothing)
    rows = np.where(np.random.default_rng(2).random(codes.shape) < 0.4, model.cards[:, None], codes)
    many = log_scores(model, rows, kernel="numpy")
    few = [log_scores(model, rows[:, [row]], kernel="numpy")[0] for row in range(10)]
    np.testing.assert_allclose(few, many[:10], rtol=0, atol=1e-13)
