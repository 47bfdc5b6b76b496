"""Reliability curves and the expected calibration error."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.scoring.calibration import Reliability, reliability, reliability_sentence
from pgm_nb.scoring.metrics import accuracy


def test_reliability_by_hand():
    confidence = np.array([0.6, 0.6, 0.7, 0.8, 0.8, 0.9])
    right = np.array([1, 0, 1, 1, 1, 0], dtype=bool)
    curve = reliability(np.column_stack([confidence, 1 - confidence]), np.where(right, 0, 1), bins=3)
    assert curve.rows.tolist() == [2, 3, 1]  # equals stay together, so the cut between them moves
    assert curve.predicted == pytest.approx([0.6, 2.3 / 3, 0.9])
    assert curve.observed == pytest.approx([0.5, 1.0, 0.0])
    assert curve.error == pytest.approx((2 * 0.1 + 3 * (1 - 2.3 / 3) + 1 * 0.9) / 6)


@settings(max_examples=40, deadline=None)
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
