"""When a row is compared with all training rows, and how unknown cells and many rows are counted."""

import numpy as np
import pytest

from pgm_nb.models.kernel import sums as one_row
from pgm_nb.models.kernel.sums import HobbitColumn, few_rows, hobbit_distance, row_pair_sums

COLUMNS = [HobbitColumn(5, 0, 3.0), HobbitColumn(4, 1, 2.0), HobbitColumn(0, 3, 0.0)]
MOST = (32, 17, 3)


def training(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([rng.integers(0, most, n) for most in MOST])


@pytest.mark.parametrize("at_once", [1, 50, 1 << 18])
@pytest.mark.parametrize("codes", [(7, 3, 1), (31, 16, 2), (7, -1, 1), (-1, -1, 1)])
def test_sums_of_products_over_all_rows(monkeypatch, codes, at_once):
    """In pieces of any size; a pair with an unknown cell is zero."""
    monkeypatch.setattr(one_row, "_AT_ONCE", at_once)
    rows = [training(40), training(25, 1)]
    found = row_pair_sums(COLUMNS, np.array(codes), rows)
    for pair, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        for c, part in enumerate(rows):
            if codes[a] < 0 or codes[b] < 0:
                assert found[pair, c] == 0
                continue
            kernels = [np.exp(COLUMNS[i].log_kernel(codes[i], part[i])) for i in (a, b)]
            assert np.exp(found[pair, c]) == pytest.approx((kernels[0] * kernels[1]).sum(), rel=1e-13)


def test_the_level_of_a_code_is_that_of_its_distance():
    column = HobbitColumn(4, 0, 2.0)
    weights = column.log_weights(np.array([6]))[0]
    one_of_each = np.arange(16)[None].repeat(2, axis=0)
    found = row_pair_sums([column, column], np.array([6, 6]), [one_of_each])
    expected = np.exp(2 * weights[hobbit_distance(np.int64(6), np.arange(16))]).sum()
    assert np.exp(found[0, 0]) == pytest.approx(expected, rel=1e-13)


def test_a_class_without_rows_has_no_density():
    assert np.isneginf(row_pair_sums(COLUMNS, np.array([1, 1, 1]), [training(0)])).all()


def test_few_rows_are_compared_and_many_are_counted():
    assert few_rows(1, 18, 100_000)
    assert not few_rows(100, 18, 100_000)
    assert few_rows(100, 18, 500)
    assert few_rows(10**6, 24, 1000)  # there is no table of so many pairs of codes
    assert not few_rows(1, 24, 10**6)
