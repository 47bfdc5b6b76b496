"""The Counts object: packed, immutable, additive, comparable."""

import dataclasses

import numpy as np
import pytest

from pgm_nb.counts import Counts, count
from pgm_nb.counts.table import Layout, count_dtype
from pgm_nb.errors import DataError

CODES = np.array([[0, 1, 1], [0, 0, 2], [1, 0, 1]], dtype=np.uint8)
COUNTS = count(CODES, [0, 1, 1], (2, 3, 2), 2)


def test_nothing_can_be_changed():
    for array in (COUNTS.y, COUNTS.singles, COUNTS.pairs, COUNTS.single(0), COUNTS.pair(1, 0)):
        with pytest.raises(ValueError, match="read-only"):
            array[(0,) * array.ndim] = 9
    with pytest.raises(dataclasses.FrozenInstanceError):
        COUNTS.n_rows = 9


def test_equality_and_sum():
    again = count(CODES, [0, 1, 1], (2, 3, 2), 2)
    assert again == COUNTS
    assert count(CODES, [1, 1, 1], (2, 3, 2), 2) != COUNTS
    assert COUNTS != "counts"
    assert (COUNTS + again).pair(0, 1).tolist() == (2 * COUNTS.pair(0, 1)).tolist()


def test_only_like_counts_add():
    with pytest.raises(DataError, match="same columns, states and classes"):
        COUNTS + count(CODES, [0, 1, 1], (2, 4, 2), 2)
    with pytest.raises(DataError, match="same columns, states and classes"):
        COUNTS + count(CODES, [0, 1, 1], (2, 3, 2), 3)
    with pytest.raises(TypeError):
        COUNTS + 1


def test_sums_beyond_32_bits_become_64_bits():
    most = 2**31 - 1
    cell = np.array([most], dtype=np.int32)
    full = Counts((1,), 1, most, cell, cell, np.zeros(0, dtype=np.int32))
    total = full + full
    assert total.y.dtype == np.int64
    assert total.single(0).tolist() == [[2 * most]]
    assert (total + full).n_rows == 3 * most
    assert count_dtype(most) == np.int32


def test_columns_are_checked():
    assert COUNTS.pair(-1, 0).tolist() == COUNTS.pair(2, 0).tolist()
    with pytest.raises(DataError, match="two different columns, got 1 twice"):
        COUNTS.pair(1, 1)
    with pytest.raises(DataError, match="between 0 and 2, got 3"):
        COUNTS.single(3)


def test_layout_agrees_with_itself():
    layout = Layout((3, 1, 4, 2, 2), 3)
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    starts = layout.pair_starts()
    assert [layout.pair_start(i, j) for i, j in pairs] == starts[:-1].tolist()
    assert starts[-1] == layout.n_cells == layout.column_starts()[-1]
    assert layout.column_starts()[:4].tolist() == [layout.pair_start(i, i + 1) for i in range(4)]
    assert Layout((5,), 2).pair_starts().tolist() == [0]


def test_two_thousand_columns_need_no_lists():
    layout = Layout((2,) * 2000, 2)
    assert layout.n_pairs == 1_999_000
    assert layout.pair_starts()[-1] == layout.n_cells == 8 * 1_999_000
