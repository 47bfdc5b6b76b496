"""Intervals of probabilities: sums of numbers that are very small."""

import numpy as np
import pytest

from pgm_nb.inference.credible import _log_sum


def test_sums_of_logs_far_below_one():
    logs = np.array([[0.0, -2000.0], [-3000.0, -3000.0], [-1.0, -2.0]])
    expected = [0.0, -3000.0 + np.log(2), np.log(np.exp(-1) + np.exp(-2))]
    assert _log_sum(logs) == pytest.approx(expected, abs=1e-12)
