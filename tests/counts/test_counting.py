"""Counts by every kernel against a plain loop over the rows, by hand and on random tables."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.counts import count, count_blocks, counting, planes
from pgm_nb.counts.counting import KERNELS
from pgm_nb.errors import DataError

FORCED = [kernel for kernel in KERNELS if kernel != "auto"]

# Five rows of (y, x0, x1, x2) with cards 2, 3, 1 and two classes:
#   (0, 0, 2, 0), (0, 1, 2, 0), (0, 1, 2, 0), (1, 0, 0, 0), (1, 1, 1, 0)
CODES = np.array([[0, 1, 1, 0, 1], [2, 2, 2, 0, 1], [0, 0, 0, 0, 0]], dtype=np.uint8)
Y = np.array([0, 0, 0, 1, 1])
CARDS = (2, 3, 1)


@st.composite
def tables(draw, dtype=np.uint8, largest=7):
    k = draw(st.integers(2, 5))
    cards = tuple(draw(st.lists(st.integers(1, largest), min_size=1, max_size=6)))
    n = draw(st.integers(1, 300))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=dtype)
    return codes, rng.integers(0, k, n), cards, k


def by_loop(codes, y, *columns):
    return Counter(zip(y.tolist(), *(codes[i].tolist() for i in columns), strict=True))


def assert_counted(counts, codes, y):
    d = len(counts.cards)
    assert counts.y.tolist() == [Counter(y.tolist())[c] for c in range(counts.n_classes)]
    for i in range(d):
        assert dict(np.ndenumerate(counts.single(i))) == fill(by_loop(codes, y, i), counts.single(i).shape)
        for j in range(d):
            if i != j:
                table = counts.pair(i, j)
                assert table.shape == (counts.n_classes, counts.cards[i], counts.cards[j])
                assert dict(np.ndenumerate(table)) == fill(by_loop(codes, y, i, j), table.shape)


def fill(counter, shape):
    return {cell: counter[cell] for cell in np.ndindex(shape)}


@pytest.mark.parametrize("kernel", KERNELS)
def test_hand_counted_table(kernel):
    counts = count(CODES, Y, CARDS, 2, kernel=kernel)
    assert counts.n_rows == 5
    assert counts.y.tolist() == [3, 2]
    assert counts.single(0).tolist() == [[1, 2], [1, 1]]
    assert counts.single(1).tolist() == [[0, 0, 3], [1, 1, 0]]
    assert counts.pair(0, 1).tolist() == [[[0, 0, 1], [0, 0, 2]], [[1, 0, 0], [0, 1, 0]]]
    assert counts.pair(2, 0).tolist() == [[[1, 2]], [[1, 1]]]
    # packed: n(y,x0,x1) has 12 cells, n(y,x0,x2) 4, n(y,x1,x2) 6
    assert len(counts.pairs) == 22
    assert counts.pairs[16:].tolist() == [0, 0, 3, 1, 1, 0]


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=30)
@given(table=tables())
def test_every_kernel_equals_the_loop(kernel, table):
    codes, y, cards, k = table
    assert_counted(count(codes, y, cards, k, kernel=kernel), codes, y)


@settings(max_examples=20)
@given(table=tables(dtype=np.uint16, largest=40))
def test_kernels_agree_on_wide_and_mixed_columns(table):
    codes, y, cards, k = table
    by_numpy = count(codes, y, cards, k, kernel="numpy")
    assert_counted(by_numpy, codes, y)
    for kernel in KERNELS:
        assert count(codes, y, cards, k, kernel=kernel) == by_numpy


@pytest.mark.parametrize("kernel", FORCED)
def test_columns_beyond_one_byte(kernel):
    rng = np.random.default_rng(0)
    cards = (300, 2, 20, 1)
    codes = np.array([rng.integers(0, v, 1000) for v in cards], dtype=np.uint16)
    y = rng.integers(0, 2, 1000)
    counts = count(codes, y, cards, 2, kernel=kernel)
    assert dict(np.ndenumerate(counts.pair(0, 2))) == fill(by_loop(codes, y, 0, 2), (2, 300, 20))
    assert counts.pair(0, 3)[:, :, 0].tolist() == counts.single(0).tolist()


def test_pairs_are_shared_between_bit_planes_and_histograms(monkeypatch):
    rng = np.random.default_rng(1)
    cards = (9, 2, 12, 3, 2, 10)
    codes = np.array([rng.integers(0, v, 400) for v in cards], dtype=np.uint8)
    y = rng.integers(0, 3, 400)
    expected = count(codes, y, cards, 3, kernel="numpy")
    for limit in (0, 1, 8, 11, 20, 100):
        monkeypatch.setattr(planes, "bit_limit", lambda *_, limit=limit: limit)
        assert count(codes, y, cards, 3, kernel="bitset") == expected


@pytest.mark.parametrize("kernel", ["bitset", "histogram"])
@pytest.mark.parametrize("n_classes", [2, 11])
def test_threads_change_nothing(kernel, n_classes):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 4, (40, 20_000)).astype(np.uint8)
    y = rng.integers(0, n_classes, 20_000)
    one = count(codes, y, (4,) * 40, n_classes, kernel=kernel, n_threads=1)
    assert one == count(codes, y, (4,) * 40, n_classes, kernel=kernel, n_threads=2)
    assert one == count(codes, y, (4,) * 40, n_classes, kernel="numpy")


@pytest.mark.parametrize("kernel", KERNELS)
def test_unseen_states_and_classes_have_empty_cells(kernel):
    counts = count(np.array([[0, 0], [1, 1]], dtype=np.uint8), [3, 3], (4, 5), 6, kernel=kernel)
    assert counts.y.tolist() == [0, 0, 0, 2, 0, 0]
    assert counts.pair(0, 1)[3, 0, 1] == 2
    assert counts.pairs.sum() == 2


@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=10)
@given(table=tables(), cut=st.integers(0, 300))
def test_blocks_add_up(kernel, table, cut):
    codes, y, cards, k = table
    blocks = [(codes[:, :cut], y[:cut]), (codes[:, cut:], y[cut:])]
    whole = count(codes, y, cards, k, kernel=kernel)
    assert count_blocks(iter(blocks), cards, k, kernel=kernel) == whole
    if 0 < cut < len(y):
        first, second = (count(*block, cards, k) for block in blocks)
        assert first + second == whole


def test_large_blocks_are_cut_and_32_bits_are_never_overrun(monkeypatch):
    monkeypatch.setattr(counting, "_BLOCK_BYTES", 1)
    monkeypatch.setattr(counting, "_MAX_ROWS", 100_000)
    rng = np.random.default_rng(3)
    codes, y = rng.integers(0, 3, (3, 150_000)).astype(np.uint8), rng.integers(0, 2, 150_000)
    counts = count(codes, y, (3, 3, 3), 2, kernel="bitset")
    monkeypatch.undo()
    assert counts == count(codes, y, (3, 3, 3), 2, kernel="numpy")


def test_read_only_strided_and_signed_codes_are_welcome():
    codes = CODES.copy()
    codes.flags.writeable = False
    expected = count(CODES, Y, CARDS, 2)
    for kernel in KERNELS:
        assert count(codes, Y.astype(np.uint8), CARDS, 2, kernel=kernel) == expected
        assert count(np.asfortranarray(codes), Y, CARDS, 2, kernel=kernel) == expected
        assert count(codes.astype(np.int64).tolist(), Y.tolist(), CARDS, 2, kernel=kernel) == expected


@pytest.mark.parametrize(
    ("codes", "y", "cards", "n_classes", "message"),
    [
        (CODES, Y, (2, 2, 1), 2, "column 1 has 2 states, so its codes must be from 0 to 1, got 0 to 2"),
        (-CODES.astype(int), Y, CARDS, 2, "column 0 has 2 states.*got -1 to 0"),
        (CODES, Y + 1, CARDS, 2, "classes must be codes from 0 to 1, got 1 to 2"),
        (CODES, Y - 1, CARDS, 2, "classes must be codes from 0 to 1, got -1 to 0"),
        (CODES, Y[:-1], CARDS, 2, r"expected shapes \(3, n\) and \(n,\), got \(3, 5\) and \(4,\)"),
        (CODES.T, Y, CARDS, 2, r"expected shapes \(3, n\)"),
        (CODES * 1.0, Y, CARDS, 2, "whole numbers, got float64"),
        (CODES[:, :0], Y[:0], CARDS, 2, "at least one row"),
        (CODES[:0], Y, (), 2, "at least one attribute"),
        (CODES, Y, (2, 3, 0), 2, "between 1 and 65,535 states"),
        (CODES, Y, (2, 3, 70_000), 2, "between 1 and 65,535 states"),
        (CODES, Y, CARDS, 0, "there must be a class"),
    ],
)
def test_bad_input_is_named(codes, y, cards, n_classes, message):
    with pytest.raises(DataError, match=message):
        count(codes, y, cards, n_classes)


def test_unknown_kernel_and_threads_are_named():
    with pytest.raises(DataError, match=r"kernel must be one of 'auto', 'numpy'.*got 'gpu'"):
        count(CODES, Y, CARDS, 2, kernel="gpu")
    with pytest.raises(DataError, match="n_threads must be 1 or more"):
        count(CODES, Y, CARDS, 2, n_threads=0)


def test_tables_too_large_are_refused_before_any_memory_is_taken():
    cards = (5, 60_000, 7, 50_000)
    codes = np.zeros((4, 1), dtype=np.uint16)
    with pytest.raises(
        DataError, match=r"must fit in 4 GiB, but need .* column 1 \(60,000 states\), column 3"
    ):
        count(codes, [0], cards, 2)
