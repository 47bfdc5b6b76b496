"""Rows that come from the level above: against the mean and variance of their sum."""

import numpy as np
import pytest

from pgm_nb.inference.passed_up import passed_up


@pytest.mark.parametrize(("n", "worth"), [(2, 0.5), (5, 1.5), (30, 0.7), (30, 40.0), (400, 3.0)])
def test_rows_passed_up_have_the_mean_and_variance_of_their_sum(n, worth):
    each = worth / (worth + np.arange(n))
    drawn = passed_up(np.full(40_000, n), np.full(40_000, worth), np.random.default_rng(0))
    assert drawn.min() >= 1
    assert drawn.max() <= n
    variance = (each * (1 - each)).sum()
    assert abs(drawn.mean() - each.sum()) < 4 * np.sqrt(variance / 40_000)
    assert drawn.var() == pytest.approx(variance, rel=0.04)


def test_nothing_is_passed_up_from_empty_cells_and_one_row_always():
    drawn = passed_up(np.array([0, 1, 0, 1]), np.full(4, 1e-9), np.random.default_rng(0))
    assert drawn.tolist() == [0, 1, 0, 1]
