"""Intervals of probabilities: sums of numbers that are very small."""

import numpy as np
import pytest

from pgm_nb.certainty.draws import bounds


@pytest.mark.parametrize("far", [0.0, 2000.0])
def test_the_ends_are_quantiles_of_the_draws_and_hold_what_is_stated(far):
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(3), size=19).T
    low, high = bounds(np.log(shares) - far, np.full(3, 1 / 3), 0.8)
    ranked = np.sort(shares, axis=1)  # of 19 draws, the second and the eighteenth are a tenth from the ends
    np.testing.assert_allclose(low, np.minimum(ranked[:, 1], 1 / 3), rtol=0, atol=1e-12)
    np.testing.assert_allclose(high, np.maximum(ranked[:, 17], 1 / 3), rtol=0, atol=1e-12)
    low, high = bounds(np.log(shares) - far, np.array([0.0, 1.0, 0.5]), 0.8)
    assert (low[0], high[1]) == (0.0, 1.0)


def test_classes_that_are_beyond_the_range_of_numbers_apart():
    low, high = bounds(np.array([[0.0] * 9, [-2000.0] * 9]), np.array([1.0, 0.0]), 0.9)
    assert (low.tolist(), high.tolist()) == ([1.0, 0.0], [1.0, 0.0])
