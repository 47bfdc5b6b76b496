"""Scores become probabilities: by hand, far from zero, and in blocks."""

import numpy as np
import pytest

from pgm_nb.engine import sums as normalising
from pgm_nb.engine.sums import normalise, posteriors

WAYS = [posteriors, lambda scores, prior: np.exp(normalise(scores, prior))]


@pytest.mark.parametrize("way", WAYS)
def test_a_row_that_no_class_can_have_made_gets_the_prior(way):
    scores = np.array([[-np.inf, -np.inf], [-1.0, -np.inf]])
    assert way(scores, np.log([0.25, 0.75])) == pytest.approx(np.array([[0.25, 0.75], [1, 0]]), abs=1e-15)


@pytest.mark.parametrize("way", WAYS)
def test_only_differences_of_scores_count(way):
    shares = np.array([[0.2, 0.3, 0.5], [1e-9, 0.4, 0.6 - 1e-9]])
    for far in (0.0, -5000.0, 700.0):
        found = way(np.log(shares) + far, np.zeros(3))
        np.testing.assert_allclose(found, shares, rtol=1e-11)
        np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-15)


@pytest.mark.parametrize("way", WAYS)
def test_blocks_do_not_show(way, monkeypatch):
    rng = np.random.default_rng(0)
    scores = 50 * rng.normal(size=(101, 4))
    scores[7] = -np.inf
    whole = way(scores, np.log([0.1, 0.2, 0.3, 0.4]))
    monkeypatch.setattr(normalising, "AT_HAND", 12)
    np.testing.assert_array_equal(way(scores, np.log([0.1, 0.2, 0.3, 0.4])), whole)
    assert way(np.empty((0, 2)), np.zeros(2)).shape == (0, 2)


def test_the_logarithm_is_that_of_the_posterior():
    scores = 30 * np.random.default_rng(1).normal(size=(200, 3))
    np.testing.assert_allclose(
        np.exp(normalise(scores, np.zeros(3))), posteriors(scores, np.zeros(3)), rtol=1e-13
    )
