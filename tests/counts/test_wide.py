"""Sums of one column with many others, by every kernel, against the tables themselves."""

import numpy as np
import pytest

from pgm_nb.counts import count, wide
from pgm_nb.counts.wide import PairRows, RowCounts


def table(seed, n, k, states):
    rng = np.random.default_rng(seed)
    cards = tuple(int(v) for v in rng.permutation(states))
    kind = np.uint16 if max(cards) > 255 else np.uint8
    codes = np.array([rng.integers(0, v, n) for v in cards]).astype(kind)
    return codes, rng.integers(0, k, n), cards, k


def others_of(d, i):
    return np.array([j for j in range(d) if j % 3 == 1 and j != i], dtype=int)


TABLES = [
    table(0, 700, 3, [1, 2, 5, 300, 40, 10, 9, 17, 2, 3]),
    table(1, 77, 2, [2, 3, 1, 1]),
    table(2, 3000, 4, [60, 10, 12, 90, 4]),
    table(3, 130, 1, [5] * 140),
]


@pytest.mark.parametrize("data", TABLES)
def test_rows_count_as_the_tables_of_all_pairs(data):
    codes, y, cards, k = data
    counts, rows = count(codes, y, cards, k), RowCounts(codes, y, cards, k)
    np.testing.assert_array_equal(rows.singles, counts.singles)
    np.testing.assert_array_equal(rows.y, counts.y)
    np.testing.assert_array_equal(rows.single(1), counts.single(1))
    np.testing.assert_array_equal(rows.pair(2, 0), counts.pair(2, 0))


@pytest.mark.parametrize("kernel", ["numpy", "compiled"])
@pytest.mark.parametrize("data", TABLES)
def test_sums_over_the_cells(data, kernel, monkeypatch):
    codes, y, cards, k = data
    if kernel == "compiled":
        monkeypatch.setattr(wide, "_CELLS", 1)  # a small table goes the way of a large one
    else:
        monkeypatch.setattr(wide, "_CELLS", 1000)  # and in several pieces
    counts = count(codes, y, cards, k)
    terms = np.random.default_rng(1).integers(-(10**6), 10**6, counts.n_rows + 1)
    terms[0] = 0
    pairs, d = PairRows(RowCounts(codes, y, cards, k), terms, kernel), len(cards)
    for i in range(min(d, 12)):
        for others in (np.delete(np.arange(d), i), others_of(d, i)):
            expected = [terms[counts.pair(i, j)].sum() for j in others]
            assert pairs.sums(i, others).tolist() == expected
