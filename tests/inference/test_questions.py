"""Information in a joint table, also where some combinations cannot be."""

import numpy as np
import pytest

from pgm_nb.inference.questions import _information


def entropy(table):
    shares = table[table > 0]
    return -float((shares * np.log2(shares)).sum())


@pytest.mark.parametrize("shape", [(2, 3), (3, 2, 4), (2, 2, 2, 3)])
@pytest.mark.parametrize("zeros", [0.0, 0.5])
def test_information_is_a_sum_of_entropies(shape, zeros):
    rng = np.random.default_rng(0)
    for _ in range(5):
        joint = rng.random(shape) * (rng.random(shape) >= zeros)
        joint[(0,) * len(shape)] = 0.1
        joint /= joint.sum()
        rest = joint.sum(axis=(0, 1))
        expected = entropy(joint.sum(axis=1)) + entropy(joint.sum(axis=0)) - entropy(joint) - entropy(rest)
        assert _information(joint) == pytest.approx(expected, abs=1e-12)


def test_two_that_are_always_the_same_share_a_bit():
    assert _information(np.diag([0.5, 0.5])) == 1.0
