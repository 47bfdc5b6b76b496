"""Counts of sets of columns: NumPy and the compiled kernel against counting row by row."""

from collections import Counter

import numpy as np
import pytest

from pgm_nb.counts import sets
from pgm_nb.counts.sets import contexts, set_counts, tables_with

CARDS = (3, 2, 4, 5)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return np.array([rng.integers(0, v, 200) for v in CARDS], dtype=np.uint8), rng.integers(0, 2, 200)


def test_every_cell_of_a_set(rows):
    codes, y = rows
    table = set_counts(codes, y, CARDS, 2, [2, 0, 3])
    expected = Counter(zip(y, codes[2], codes[0], codes[3], strict=True))
    assert table.shape == (2, 4, 3, 5)
    assert {tuple(int(i) for i in cell): table[cell] for cell in zip(*table.nonzero(), strict=True)} == {
        tuple(int(i) for i in cell): times for cell, times in expected.items()
    }


@pytest.mark.parametrize("compiled", [False, True])
def test_tables_in_contexts(rows, compiled, monkeypatch):
    codes, y = rows
    if compiled:
        sets.COMPILED.load()
    monkeypatch.setattr(type(sets.COMPILED), "chosen", lambda *_: compiled)
    given = contexts(codes, y, CARDS, 2, [0, 1])
    for column, table in zip([2, 3], tables_with(given, codes, CARDS, [2, 3]), strict=True):
        whole = set_counts(codes, y, CARDS, 2, [0, 1, column])
        np.testing.assert_array_equal(table, whole.reshape(-1, CARDS[column]))


def test_only_combinations_that_occur_get_a_number_where_there_are_more_than_rows():
    codes = np.array([[90, 5, 90], [7, 99, 7]], dtype=np.uint8)
    given = contexts(codes, np.array([1, 0, 1]), (100, 100), 2, [0, 1])
    assert given.size == 2
    assert given.codes.tolist() == [1, 0, 1]
    assert given.classes.tolist() == [0, 1]
