"""Warming up leaves every kernel in numba's cache."""

from pgm_nb.warm_up import MODULES, warm_up


def test_every_kernel_is_ready():
    warm_up()
    assert all(module.is_loaded() for module in MODULES)
    assert all(module.is_warm() for module in MODULES)
