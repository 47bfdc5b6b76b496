"""Number columns as blocks, and codes by blocks against codes column by column."""

import numpy as np
import pandas as pd
import pytest

from pgm_nb.data import Column, learn_encoder
from pgm_nb.data.encode import Encoder
from pgm_nb.data.frame import Block, array_block, columns_at, number_blocks
from pgm_nb.data.learn import learn_numbers, learn_whole_numbers, whole_ranges
from pgm_nb.errors import DataError


def a_table(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    gaps = rng.random(n) < 0.2
    return pd.DataFrame(
        {
            "few": rng.integers(-2, 3, n),
            "word": rng.choice(["a", "b", "c"], n),
            "float": rng.normal(size=n),
            "holes": np.where(gaps, np.nan, rng.normal(size=n)),
            "narrow": rng.integers(0, 5, n).astype(np.int8),
            "many": rng.integers(0, 5_000, n),
            "sparse": rng.choice([1, 4, 9], n).astype(np.uint64),
            "single": rng.normal(size=n).astype(np.float32),
            "flag": rng.random(n) < 0.5,
            "halves": rng.choice([0.5, 1.5, np.nan], n),
            "nullable": pd.array(rng.integers(0, 3, n), dtype="Int64"),
            "declared": pd.Categorical(rng.choice([3, 1, 2], n)),
        }
    )


@pytest.mark.parametrize("n", [1, 3, 500, 40_000])
@pytest.mark.parametrize("discretizer", ["quantile", "uniform", {"many": tuple(range(10, 4_000, 50))}])
def test_codes_by_blocks_equal_codes_column_by_column(n, discretizer):
    trained, other = a_table(max(n, 30)), a_table(n, seed=1)
    other.loc[other.index[::7], "few"] = 77  # a value that training had not
    other.loc[other.index[::5], "sparse"] = 5
    other["float"] = other["float"].where(other.index % 3 > 0)
    encoder, codes, _, _ = learn_encoder(trained, None, discretizer=discretizer, n_bins=4)
    for table, found in (
        (trained, codes),
        (other, encoder.encode(other)),
        (other, encoder.encode_as_given(other)),
    ):
        for column, row in zip(encoder.columns, found, strict=True):
            np.testing.assert_array_equal(row, column.encode(table[column.name]), err_msg=column.name)
    np.testing.assert_array_equal(encoder.encode(other, n_threads=1), encoder.encode(other, n_threads=3))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8, np.uint8, bool])
def test_arrays_are_coded_as_their_columns(order, dtype):
    rng = np.random.default_rng(3)
    array = np.asarray(
        rng.integers(0, 7, (3_000, 20)) * (rng.random((3_000, 20)) < 0.9), dtype=dtype, order=order
    )
    frame = pd.DataFrame(array, columns=[f"x{i}" for i in range(20)])
    encoder, codes, _, _ = learn_encoder(frame, None, n_bins=5)
    np.testing.assert_array_equal(encoder.encode_as_given(array), codes)
    np.testing.assert_array_equal(encoder.encode(frame), codes)


def test_what_needs_words_takes_the_longer_way():
    encoder = Encoder((Column("a", "numeric", (0, 1)), Column("b", "numeric", (0, 1))))
    assert encoder.encode_as_given(np.zeros((2, 3))) is None
    assert encoder.encode_as_given(np.zeros((0, 2))) is None
    assert encoder.encode_as_given(np.zeros(2)) is None
    assert encoder.encode_as_given(np.zeros((2, 2), dtype=object)) is None
    assert encoder.encode_as_given([[0, 1]]) is None
    assert encoder.encode_as_given(pd.DataFrame({"b": [0], "a": [1]})) is None
    assert encoder.encode_as_given(pd.DataFrame({"a": [0], "b": [1]})).tolist() == [[0], [1]]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("way", ["quantile", "uniform", None])
def test_counting_whole_numbers_learns_what_sorting_learns(seed, way):
    rng = np.random.default_rng(seed)
    low, span = int(rng.integers(-50, 50)), int(rng.integers(1, 400))
    values = rng.integers(low, low + span, int(rng.integers(1, 3_000))) // int(rng.integers(1, 4))
    n_bins = int(rng.integers(2, 12))
    counted = learn_whole_numbers("a", values, way, n_bins, None)
    assert counted == learn_numbers("a", values.astype(float), way, n_bins, None, whole=True)
    assert counted.states == learn_numbers("a", values.astype(float), way, n_bins, None, whole=True).states


def test_whole_numbers_too_large_to_be_told_apart_are_one_state():
    values = np.array([2**60, 2**60 + 1, 5])
    assert learn_whole_numbers("a", values, None, 5, None).states == (5, 2**60)


def test_infinity_is_named_by_column_and_row():
    block = Block(np.array([3, 1]), np.array([[1.0, np.nan], [2.0, -np.inf]]))
    with pytest.raises(DataError, match="column 'b' contains infinity in row 2"):
        block.check_finite(pd.Index(list("abcd")))
    large = np.full((4, 2), 1e308)
    assert array_block(large).check_finite(pd.Index(["a", "b"])) is True


def test_blocks_share_the_memory_of_a_table_of_one_type():
    frame = pd.DataFrame(np.zeros((5, 3)))
    (block,), others = number_blocks(frame)
    assert others == []
    assert np.shares_memory(block.cells, frame.to_numpy())


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_ranges_of_whole_numbers(dtype):
    cells = np.array([[3, 5, 4], [1, 3, 3], [0, 9, 1], [7, 7, 7]], dtype=dtype)
    assert whole_ranges(cells, most=4) == [(3, 5), (1, 0), (1, 0), (7, 7)]
    assert whole_ranges(np.array([[-128, 127, -127]], dtype=np.int8), most=4) == [(1, 0)]
    assert whole_ranges(np.array([[2**60, 2**60 + 1]]), most=4) == [(1, 0)]
    late = np.zeros((1, 10_000), dtype=dtype)
    late[0, 9_999] = 1
    assert whole_ranges(late, most=4) == [(1, 0)]  # learned the longer way
    encoder, codes, _, _ = learn_encoder(pd.DataFrame(late.T, columns=["a"]), None)
    assert encoder.columns[0].states == (0, 1)
    assert codes.sum() == 1


@pytest.mark.parametrize("places", [[], [3], [0, 2, 3, 4]])
def test_columns_by_their_places(places):
    frame = pd.DataFrame({name: [i, i + 1] for i, name in enumerate("abcde")})
    found = columns_at(frame, places)
    assert list(found) == places
    assert all(found[place].equals(frame.iloc[:, place]) for place in places)
