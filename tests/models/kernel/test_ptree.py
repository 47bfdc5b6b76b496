"""Range counts of the P-tree against counting rows one by one, also while rows come and go."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.errors import DataError
from pgm_nb.models.kernel.sums import PTree, crossed, crossed_counts

tables = st.integers(0, 10**6).map(lambda seed: np.random.default_rng(seed))


def random_table(rng):
    bits = rng.integers(1, 7, rng.integers(1, 4))
    return np.array([rng.integers(0, 1 << width, 40) for width in bits]), bits.tolist()


def direct(codes, column, code, dropped):
    return int((codes[column] >> dropped == code >> dropped).sum())


def assert_counts(tree, codes, bits):
    for column, width in enumerate(bits):
        for code in range(1 << width):
            for dropped in range(width + 1):
                assert tree.count(column, code, dropped) == direct(codes, column, code, dropped)


@given(tables)
@settings(max_examples=30)
def test_every_range_count_is_right(rng):
    codes, bits = random_table(rng)
    assert_counts(PTree(codes, bits), codes, bits)


@given(tables)
@settings(max_examples=30)
def test_every_crossed_count_is_right(rng):
    codes, bits = random_table(rng)
    tree = PTree(codes, bits)
    a, b = 0, len(bits) - 1
    x, y = (int(rng.integers(0, 1 << bits[column])) for column in (a, b))
    levels_a, levels_b = range(bits[a] + 1), sorted({0, bits[b]})
    expected = [
        [int(((codes[a] >> i == x >> i) & (codes[b] >> j == y >> j)).sum()) for j in levels_b]
        for i in levels_a
    ]
    assert crossed(tree.nest(a, x, levels_a), tree.nest(b, y, levels_b)).tolist() == expected


@given(tables)
@settings(max_examples=20)
def test_a_sliding_window_counts_what_is_in_it(rng):
    codes, bits = random_table(rng)
    numbers = list(range(20))
    tree = PTree(codes[:, :20], bits)
    for start in range(20, 40, 5):
        tree.count(0, 0, 0)  # what is remembered must not outlive a change
        tree.drop(numbers[:5])
        numbers = [*numbers[5:], *tree.add(codes[:, start : start + 5]).tolist()]
        assert sorted(numbers) == list(range(20))  # the numbers of dropped rows are used again
        assert tree.n_rows == 20
        assert_counts(tree, codes[:, start - 15 : start + 5], bits)


@given(tables)
@settings(max_examples=20)
def test_recoded_rows_count_where_they_are_now(rng):
    codes, bits = random_table(rng)
    tree = PTree(codes, bits)
    assert_counts(tree, codes, bits)
    rows = rng.choice(40, 15, replace=False)
    codes[0, rows] = rng.integers(0, 1 << bits[0] + 1, 15)
    codes[0, rows[0]] = 1 << bits[0]  # one more bit
    tree.recode(0, rows, codes[0, rows], bits[0] + 1)
    assert tree.bits == (bits[0] + 1, *bits[1:])
    assert_counts(tree, codes, tree.bits)
    with pytest.raises(DataError, match="column 0 holds integers of"):
        tree.recode(0, rows, codes[0, rows] + (1 << bits[0] + 1), bits[0])


def test_a_row_that_is_not_there_cannot_be_dropped():
    tree = PTree(np.array([[0, 1, 2]]), (2,))
    tree.drop([1])
    for rows in ([1], [3], [-1], [0, 0]):
        with pytest.raises(DataError, match="must be in the index"):
            tree.drop(rows)
    assert tree.n_rows == 2


def test_codes_must_fit_their_bits():
    with pytest.raises(DataError, match="2 bits, from 0 to 3, but has 0 to 4"):
        PTree(np.array([[0, 4]]), (2,))
    with pytest.raises(DataError, match="a row per column"):
        PTree(np.array([[0, 1]]), (2, 2))


def test_sorted_rows_take_less_room():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, (2, 200_000))
    tree = PTree(codes, (8, 8))
    assert tree.nbytes < 0.5 * 16 * 200_000 / 8  # half of the plain bits


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_a_table_of_all_pairs_of_codes_counts_the_same(seed):
    rng = np.random.default_rng(seed)
    bits = tuple(int(width) for width in rng.integers(1, 6, 2))
    rows = np.array([rng.integers(0, 1 << width, 30) for width in bits], dtype=np.uint32)
    codes = np.array([rng.integers(0, 1 << width, 8) for width in bits])
    levels = (range(bits[0] + 1), (0, bits[1]))
    expected = [
        [
            [int(((rows[0] >> i == x >> i) & (rows[1] >> j == y >> j)).sum()) for j in levels[1]]
            for i in levels[0]
        ]
        for x, y in codes.T
    ]
    assert crossed_counts(rows, bits, codes, levels).tolist() == expected
