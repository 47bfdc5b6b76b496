"""Counts without pairs equal those with them."""

import numpy as np
import pytest

from pgm_nb.counts import count, count_singles
from pgm_nb.errors import DataError
from pgm_nb.information import information, star_information


@pytest.mark.parametrize(("n", "d", "most"), [(1, 1, 3), (50, 7, 6), (3_000, 40, 9), (70_000, 3, 300)])
def test_single_tables_equal_those_of_the_pairs(n, d, most):
    rng = np.random.default_rng(n)
    cards = tuple(int(v) for v in rng.integers(1, most + 1, d))
    codes = np.stack([rng.integers(0, v, n) for v in cards]).astype(np.uint16)
    y = rng.integers(0, 3, n)
    ours, whole = count_singles(codes, y, cards, 3), count(codes, y, cards, 3)
    np.testing.assert_array_equal(ours.y, whole.y)
    np.testing.assert_array_equal(ours.singles, whole.singles)
    for i in range(d):
        np.testing.assert_array_equal(ours.single(i), whole.single(i))
    star, full = star_information(ours), information(whole)
    assert star.class_entropy == full.class_entropy
    np.testing.assert_array_equal(star.relevance, full.relevance)
    np.testing.assert_array_equal(star.entropies, full.entropies)


def test_a_code_without_a_state_is_refused():
    with pytest.raises(DataError, match="column 1 has 2 states"):
        count_singles(np.array([[0, 1], [0, 2]], dtype=np.uint8), [0, 1], (2, 2), 2)
