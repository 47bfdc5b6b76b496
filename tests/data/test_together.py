"""Columns learned together against the same columns learned one by one."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgm_nb.data import learn
from pgm_nb.data.cuts import short_number
from pgm_nb.data.frame import Block
from pgm_nb.data.learn import learn_encoder, learn_numbers, learn_together, quantile_columns, short_numbers

NUMBER = st.floats(-1e300, 1e300, allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(NUMBER, NUMBER), min_size=1, max_size=30))
def test_short_numbers_are_those_of_python_to_the_last_bit(pairs):
    low = np.array([min(pair) for pair in pairs])
    high = np.maximum([max(pair) for pair in pairs], np.nextafter(low, np.inf))
    expected = [short_number(a, b, a / 2 + b / 2) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    assert short_numbers(low, high).tobytes() == np.array(expected).tobytes()


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 37.0, 1e6, 1e17])
@pytest.mark.parametrize("decimals", [0, 1, 2, 3, 17])
def test_short_numbers_between_numbers_as_people_write_them(size, decimals):
    """Middles of short numbers end on a five, where rounding is a matter of the last bit."""
    rng = np.random.default_rng(decimals)
    low = np.round(rng.normal(size=400), decimals) * size
    high = np.round(low / size + rng.integers(1, 4, 400) / 10**decimals, decimals) * size
    high = np.maximum(high, np.nextafter(low, np.inf))
    expected = [short_number(a, b, a / 2 + b / 2) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    assert short_numbers(low, high).tobytes() == np.array(expected).tobytes()


def tables():
    rng = np.random.default_rng(0)
    yield rng.normal(size=(40, 60))
    yield np.round(rng.normal(size=(40, 60)), 1)  # ties
    yield np.round(np.exp(5 * rng.normal(size=(40, 60))), 2)
    yield rng.integers(-3, 9, (40, 60)).astype(float)
    yield np.where(rng.random((40, 60)) < 0.02, np.nan, rng.normal(size=(40, 60)))
    yield rng.normal(size=(40, 60)) * 1e-300
    yield np.where(rng.random((40, 60)) < 0.5, -0.0, rng.normal(size=(40, 60)))


@pytest.mark.parametrize("cells", list(tables()))
@pytest.mark.parametrize("n_bins", [2, 5, 10, 59, 60])
def test_the_same_columns_as_one_by_one(cells, n_bins):
    names = [f"x{i}" for i in range(len(cells))]
    found = quantile_columns(cells, names, n_bins)
    for place, column in found.items():
        assert column == learn_numbers(names[place], cells[place], "quantile", n_bins, None)
        assert np.array(column.cuts).tobytes() == np.array(column.cuts).astype(float).tobytes()


def test_plain_columns_are_learned_together_and_others_are_not():
    rng = np.random.default_rng(1)
    plain, few = rng.normal(size=(3, 50)), np.tile([1.0, 2.0], 25)
    gap, same, far = plain[0].copy(), np.zeros(50), plain[0].copy()
    gap[3], far[3] = np.nan, np.inf
    same[:5] = rng.normal(size=5)
    cells = np.array([*plain, few, gap, same, far])
    assert sorted(quantile_columns(cells, list("abcdefg"), 4)) == [0, 1, 2]
    assert quantile_columns(cells[:, :4], list("abcdefg"), 4) == {}  # not more rows than bins


def test_as_many_distinct_values_as_bins_are_states():
    assert quantile_columns(np.array([[0.0, 0.0, 1.0, 1.0]]), ["x"], 2) == {}
    assert quantile_columns(np.array([[0.0, 0.0, 1.0, 2.0]]), ["x"], 2)[0].cuts == (0.5,)


def test_long_columns_and_whole_numbers_are_left_to_others(monkeypatch):
    rows = np.random.default_rng(2).normal(size=(2, 30))
    whole = Block(np.array([0]), np.arange(30)[None])
    assert sorted(learn_together([Block(np.array([1, 3]), rows), whole], list("abcd"), 3, None)) == [1, 3]
    monkeypatch.setattr(learn, "SHORT_ROWS", 29)
    assert learn_together([Block(np.array([1, 3]), rows)], list("abcd"), 3, None) == {}


def test_a_table_cut_into_several_pieces(monkeypatch):
    frame = pd.DataFrame(np.random.default_rng(3).normal(size=(25, 7)), columns=list("abcdefg"))
    expected = learn_encoder(frame, None, n_bins=4)[0]
    monkeypatch.setattr(learn, "_AT_ONCE", 50)
    assert learn_encoder(frame, None, n_bins=4, n_threads=2)[0] == expected
    monkeypatch.setattr(learn, "SHORT_ROWS", 0)
    assert learn_encoder(frame, None, n_bins=4)[0] == expected
