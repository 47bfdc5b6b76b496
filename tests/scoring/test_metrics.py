"""Scores of probabilities and reliability curves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from pgm_nb.scoring.metrics import (
    Reliability,
    accuracy,
    auc,
    brier,
    log_loss,
    reliability,
    reliability_sentence,
    score_sizes,
)


def rows(k, n=60, seed=0, digits=1):
    """Probabilities with many ties, and classes that hang together with them."""
    rng = np.random.default_rng(seed)
    probabilities = np.round(rng.dirichlet(np.ones(k), n), digits)
    probabilities[:, -1] = 1 - probabilities[:, :-1].sum(axis=1)
    probabilities = np.abs(probabilities)
    return probabilities / probabilities.sum(axis=1, keepdims=True), np.arange(n) % k


@settings(max_examples=40)
@given(st.integers(2, 5), st.integers(0, 1000))
def test_scores_are_those_of_scikit_learn(k, seed):
    probabilities, truth = rows(k, seed=seed)
    labels = np.arange(k)
    assert accuracy(probabilities, truth) == metrics.accuracy_score(truth, probabilities.argmax(axis=1))
    nats = metrics.log_loss(truth, probabilities, labels=labels)
    assert log_loss(probabilities, truth) == pytest.approx(nats / np.log(2), rel=1e-12)
    theirs = metrics.brier_score_loss(truth, probabilities, labels=labels, scale_by_half=False)
    assert brier(probabilities, truth) == pytest.approx(theirs, rel=1e-12)
    given = probabilities[:, 1] if k == 2 else probabilities
    assert auc(probabilities, truth) == pytest.approx(
        metrics.roc_auc_score(truth, given, multi_class="ovr"), rel=1e-12
    )


def test_a_class_that_was_ruled_out_costs_52_bits():
    assert log_loss(np.array([[1.0, 0.0]]), np.array([1])) == 52.0
    assert log_loss(np.array([[1.0, 0.0]]), np.array([0])) == 0.0


def test_auc_without_one_of_the_classes():
    two = np.array([[0.9, 0.1], [0.8, 0.2]])
    assert np.isnan(auc(two, np.array([0, 0])))
    three = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.6, 0.3, 0.1]])
    assert auc(three, np.array([0, 1, 0])) == 1.0  # nobody is of the third class


class TestManySizes:
    @pytest.mark.parametrize("k", [2, 3, 5])
    @pytest.mark.parametrize("parts", [16, 2**30])  # with few parts many posteriors tie
    def test_scikit_learn_agrees(self, k, parts, by_scikit_learn):
        rng = np.random.default_rng(k)
        shares = rng.dirichlet(np.full(k, 0.5), (90, 4))
        posterior = (rng.multinomial(parts - k, shares) + 1) / parts
        y = rng.integers(0, k, 90)
        found = score_sizes(np.log(posterior), y)
        for size in range(4):
            assert found[size] == pytest.approx(by_scikit_learn(posterior[:, size], y), abs=1e-12)

    def test_certainty_that_fails_costs_as_in_scikit_learn(self):
        y = np.array([0, 1, 1])
        posterior = np.array([[1.0, 0.0], [0.5, 0.5], [1.0, 0.0]])
        with np.errstate(divide="ignore"):
            found = score_sizes(np.log(posterior)[:, None], y)[0, -1]
        assert found == pytest.approx(metrics.log_loss(y, posterior) / np.log(2), rel=1e-12)

    def test_a_class_that_is_not_there_is_left_out_of_the_auc(self):
        posterior = np.random.default_rng(0).dirichlet(np.ones(3), (20, 1))
        y = np.arange(20) % 2
        expected = np.mean([metrics.roc_auc_score(y == c, posterior[:, 0, c]) for c in (0, 1)])
        assert score_sizes(np.log(posterior), y)[0, 4] == pytest.approx(expected)
        assert np.isnan(score_sizes(np.log(posterior), np.zeros(20, dtype=int))[0, 4])


def test_reliability_by_hand():
    confidence = np.array([0.6, 0.6, 0.7, 0.8, 0.8, 0.9])
    right = np.array([1, 0, 1, 1, 1, 0], dtype=bool)
    curve = reliability(np.column_stack([confidence, 1 - confidence]), np.where(right, 0, 1), bins=3)
    assert curve.rows.tolist() == [2, 3, 1]  # equals stay together, so the cut between them moves
    assert curve.predicted == pytest.approx([0.6, 2.3 / 3, 0.9])
    assert curve.observed == pytest.approx([0.5, 1.0, 0.0])
    assert curve.error == pytest.approx((2 * 0.1 + 3 * (1 - 2.3 / 3) + 1 * 0.9) / 6)


@settings(max_examples=40)
@given(st.integers(2, 4), st.integers(0, 1000), st.integers(1, 12))
def test_reliability_keeps_every_row(k, seed, bins):
    rng = np.random.default_rng(seed)
    probabilities, truth = rng.dirichlet(np.ones(k), 60).round(2), rng.integers(0, k, 60)
    curve = reliability(probabilities, truth, bins)
    assert curve.rows.sum() == len(truth)
    assert len(curve.rows) <= bins
    assert (np.diff(curve.predicted) > 0).all()
    assert np.average(curve.observed, weights=curve.rows) == pytest.approx(accuracy(probabilities, truth))
    assert 0 <= curve.error <= 1
    order = np.random.default_rng(seed).permutation(len(truth))
    assert reliability(probabilities[order], truth[order], bins).error == pytest.approx(curve.error)


def test_bins_without_ties_are_of_equal_size():
    confidence = np.linspace(0.5, 1.0, 50)
    curve = reliability(np.column_stack([confidence, 1 - confidence]), np.zeros(50, np.intp), bins=5)
    assert curve.rows.tolist() == [10] * 5


def test_nothing_to_judge():
    curve = reliability(np.empty((0, 2)), np.empty(0, np.intp))
    assert len(curve.rows) == 0
    assert np.isnan(curve.error)


def test_a_perfect_model_has_no_error():
    rng = np.random.default_rng(0)
    sure = np.repeat(rng.uniform(0.5, 1, 100), 100).round(2)
    right = np.tile(np.arange(100) / 100, 100) < sure  # exactly as often as it says
    curve = reliability(np.column_stack([sure, 1 - sure]), np.where(right, 0, 1))
    assert curve.error == pytest.approx(0, abs=1e-12)


def test_the_sentence_speaks_of_the_bin_nearest_to_80_percent():
    curve = Reliability(np.array([0.5, 0.7, 0.95]), np.array([0.5, 0.64, 1.0]), np.array([10, 10, 10]))
    assert reliability_sentence(curve) == "When the model says 70%, it happens 64% of the time."
    nothing = reliability(np.empty((0, 2)), np.empty(0, np.intp))
    assert reliability_sentence(nothing) == "There is no row to judge by."
