"""Sums over cells: compiled as by SciPy, and both as written out."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from pgm_nb.training.cells import Members, Penalty, folded, only_used, unfolded


@pytest.mark.parametrize("k", [2, 3, 7])
def test_coordinates_keep_products_and_what_adds_up_to_zero(k):
    rng = np.random.default_rng(k)
    a, b = (numbers - numbers.mean(axis=1, keepdims=True) for numbers in rng.normal(size=(2, 6, k)))
    assert folded(a).shape == (6, k - 1)
    np.testing.assert_allclose(folded(a) @ folded(b).T, a @ b.T, atol=1e-13)
    np.testing.assert_allclose(unfolded(folded(a)), a, atol=1e-14)


@pytest.mark.parametrize("k", range(1, 10))
def test_compiled_products_are_those_of_scipy_in_every_digit(k):
    rng = np.random.default_rng(k)
    dense = (rng.random((300, 40)) < 0.2).astype(float)
    dense[4] = 0.0  # a row in no cell
    rows = csr_array(dense)
    cells, by_row = rng.normal(size=(40, k)), rng.normal(size=(300, k))
    compiled, numpy = Members(rows, "compiled"), Members(rows, "numpy")
    np.testing.assert_array_equal(compiled.of(cells), numpy.of(cells))
    np.testing.assert_array_equal(compiled.added(by_row), numpy.added(by_row))
    np.testing.assert_allclose(numpy.of(cells), dense @ cells, atol=1e-12)
    np.testing.assert_allclose(numpy.added(by_row), dense.T @ by_row, atol=1e-12)


@pytest.mark.parametrize("k", range(1, 10))
def test_the_compiled_price_of_cells_is_that_of_scipy_in_every_digit(k):
    rng = np.random.default_rng(k)
    edges = csr_array((rng.random((60, 30)) < 0.1) * rng.normal(size=(60, 30)))
    theta, penalty = rng.normal(size=(30, k)), Penalty(0.3, 2.0, csr_array(edges.T @ edges), "numpy")
    compiled = replace(penalty, kernel="compiled")(theta)
    np.testing.assert_array_equal(compiled, penalty(theta))
    dense = edges.toarray()
    np.testing.assert_allclose(compiled, 0.3 * theta + 2.0 * dense.T @ dense @ theta, atol=1e-12)


def test_cells_that_no_row_falls_into_are_left_out():
    rng = np.random.default_rng(0)
    dense = (rng.random((50, 9)) < 0.3) * (np.arange(9) % 3 != 1)
    sums = csr_array(rng.normal(size=(9, 5)))
    rows, of_used = only_used(csr_array(dense.astype(float)), sums)
    assert rows.shape == (50, 6)
    np.testing.assert_allclose((rows @ of_used).toarray(), dense @ sums.toarray(), atol=1e-12)
    full = csr_array(np.eye(9))
    assert only_used(full, sums) == (full, sums)
