"""Information row by row is information all at once, bit by bit."""

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.counts.wide import RowCounts
from pgm_nb.information import information
from pgm_nb.information.wide import wide_information


@pytest.mark.parametrize("seed", range(3))
def test_the_same_bits_as_all_pairs_at_once(seed):
    rng = np.random.default_rng(seed)
    cards, k, n = (2, 3, 4, 2, 3), 3, 50
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    y = rng.integers(0, k, n)
    whole = information(count(codes, y, cards, k))
    found = wide_information(RowCounts(codes, y, cards, k))
    assert found.n_rows == n
    assert found.class_entropy == whole.class_entropy
    assert found.entropies.tolist() == whole.entropies.tolist()
    assert found.relevance.tolist() == whole.relevance.tolist()
    for i in range(len(cards)):
        wanted = np.arange(len(cards)) > i
        row = found.row(i, wanted)
        assert row[wanted].tolist() == whole.dependence[i, wanted].tolist()
        assert (row[~wanted] == -np.inf).all()
    children, mothers = np.array([1, 4, 2]), np.array([0, 2, 3])
    assert found.dependence_of(children, mothers).tolist() == whole.dependence[children, mothers].tolist()
