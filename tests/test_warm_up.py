"""Warming up leaves every kernel in numba's cache."""

from pgm_nb import counts
from pgm_nb.models.hidden import choose as hidden_choose
from pgm_nb.warm_up import warm_up


def test_every_kernel_is_ready():
    warm_up()
    assert counts.is_warm()
    assert hidden_choose.is_warm()
