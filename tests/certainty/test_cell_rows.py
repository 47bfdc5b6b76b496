"""Rows of cells: against the gamma function, and the mean and variance of what is passed up."""

import numpy as np
import pytest
from scipy.special import gammaln

from pgm_nb.certainty import cell_rows
from pgm_nb.certainty.cell_rows import CONCENTRATIONS, CellRows, SharedRows, adding_up


def exact_logs(rows, above, table, tables):
    leaning = CONCENTRATIONS[:, None] * np.maximum(above, cell_rows.LEAST)[:, None]
    logs = gammaln(leaning + rows[:, None, None]) - gammaln(leaning)
    return np.stack([logs[table == i].sum(axis=0) for i in range(tables)])


@pytest.mark.parametrize("at_once", [1, 1 << 15])
@pytest.mark.parametrize("parts", [False, True])
def test_rising_factorials_are_those_of_the_gamma_function(monkeypatch, at_once, parts):
    """Few rows, many, parts of a row, none; of several tables, one of which has no cells."""
    monkeypatch.setattr(cell_rows, "MOST_NUMBERS", at_once)
    rng = np.random.default_rng(3)
    table = np.repeat([0, 1, 3], [30, 5, 20])
    rows = rng.integers(0, 12, len(table)).astype(float)
    rows[[1, 40, 50]] = 300.0, 40_000.0, 1.0
    if parts:
        rows[[3, 4]] = 2.5, 0.25
    above = rng.dirichlet(np.full(len(table), 0.2), size=4).T
    cells = CellRows(rows)
    found = cells.log_rising(above, adding_up(table[cells.order], 4))
    np.testing.assert_allclose(found, exact_logs(rows, above, table, 4), rtol=1e-9, atol=1e-6)
    np.testing.assert_array_equal(found[2], 0)


def test_what_cells_of_the_same_parents_say_adds_up():
    """A parent without cells, one with the same rows twice, and one with few and many rows."""
    rows, parent = np.array([3.0, 1, 20, 20, 7, 9, 40, 2]), np.array([0, 0, 1, 1, 4, 4, 4, 2])
    shares = np.random.default_rng(0).dirichlet(np.ones(5), size=3).T
    shared = SharedRows(rows, parent, 5)
    owner = np.array([0, 0, 1, 0, 1])  # of the parents
    found = shared.log_rising(shares, adding_up(owner[shared.order], 2))
    expected = exact_logs(rows, shares[parent], owner[parent], 2)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize(("n", "worth"), [(2, 0.5), (5, 1.5), (30, 0.7), (30, 40.0), (400, 3.0)])
def test_rows_passed_up_have_the_mean_and_variance_of_their_sum(n, worth):
    each = worth / (worth + np.arange(n))
    cells = CellRows(np.array([0.0, n, 1.0]))
    none, drawn, one = cells.passed_up(np.full((3, 40_000), worth), np.random.default_rng(0))
    assert none.max() == 0
    assert one.min() == one.max() == 1
    assert drawn.min() >= 1
    assert drawn.max() <= n
    variance = (each * (1 - each)).sum()
    assert abs(drawn.mean() - each.sum()) < 4 * np.sqrt(variance / 40_000)
    assert drawn.var() == pytest.approx(variance, rel=0.04)


def test_nothing_is_passed_up_from_empty_cells_and_one_row_always():
    cells = CellRows(np.array([0.0, 1.0, 0.0, 1.0]))
    assert cells.passed_up(np.full((4, 1), 1e-9), np.random.default_rng(0)).ravel().tolist() == [0, 1, 0, 1]


def test_of_a_part_of_a_row_a_part_is_passed_up():
    """2.5 rows: the first, the second with its chance, and half of the third's chance."""
    drawn = CellRows(np.array([2.5, 0.25])).passed_up(np.full((2, 40_000), 3.0), np.random.default_rng(0))
    chances = np.array([3 / 4, 3 / 5 / 2])
    error = 4 * np.sqrt((chances * (1 - chances)).sum() / 40_000)
    assert abs(drawn[0].mean() - (1 + chances.sum())) < error
    assert (drawn[1] == 0.25).all()
