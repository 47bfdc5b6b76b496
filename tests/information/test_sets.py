"""What an attribute shares with a set given the class: by hand, by the definition, and against pairs."""

import itertools

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.information import information
from pgm_nb.information.sets import SetInformation

CARDS = (2, 3, 2, 4)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return np.array([rng.integers(0, v, 90) for v in CARDS], dtype=np.uint8), rng.integers(0, 3, 90)


def by_definition(codes, y, child, given):
    """Sum p(x,s,y) log2 p(x,s|y) / p(x|y) p(s|y), row by row."""
    n, total = len(y), 0.0
    for c in np.unique(y):
        own, sets = codes[child][y == c], codes[list(given)][:, y == c].T
        for x, s in itertools.product(np.unique(own), np.unique(sets, axis=0)):
            both = np.mean((own == x) & (sets == s).all(axis=1))
            if both:
                apart = np.mean(own == x) * np.mean((sets == s).all(axis=1))
                total += (y == c).sum() / n * both * np.log2(both / apart)
    return total


def test_the_exclusive_or_needs_both_mothers():
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    table = SetInformation(np.array([a, b, a ^ b], dtype=np.uint8), np.zeros(4, dtype=int), (2, 2, 2), 1)
    assert table.shared([0], [2]).bits.tolist() == [0.0]
    found = table.shared([0, 1], [2])
    assert found.bits.tolist() == [1.0]
    assert found.freedom.tolist() == [3]  # (4 contexts - 1)(2 states - 1)


@pytest.mark.parametrize("given", [(0,), (1, 0), (3, 1, 0)])
def test_as_defined(rows, given):
    codes, y = rows
    found = SetInformation(codes, y, CARDS, 3).shared(given, [2]).bits[0]
    assert found == pytest.approx(by_definition(codes, y, 2, given), abs=1e-12)


def test_one_mother_is_the_dependence_of_a_pair(rows):
    codes, y = rows
    info = information(count(codes, y, CARDS, 3))
    found = SetInformation(codes, y, CARDS, 3).shared([1], [0, 2, 3]).bits
    np.testing.assert_array_equal(found, info.dependence[1, [0, 2, 3]])


def test_pairs_that_are_known_are_not_counted_again(rows):
    codes, y = rows
    known = SetInformation(codes, y, CARDS, 3, pairs=information(count(codes, y, CARDS, 3)).dependence)
    plain = SetInformation(codes, y, CARDS, 3)
    for given in ([1], [1, 3]):
        for found, wanted in zip(known.shared(given, [0, 2]), plain.shared(given, [0, 2]), strict=True):
            np.testing.assert_array_equal(found, wanted)
    marked = SetInformation(codes, y, CARDS, 3, pairs=np.full((4, 4), 7.0))
    assert marked.shared([1], [0, 2]).bits.tolist() == [7.0, 7.0]


def test_states_that_never_occur_are_no_freedom():
    codes = np.array([[0, 1, 0, 1], [0, 1, 1, 0]], dtype=np.uint8)
    found = SetInformation(codes, np.array([0, 0, 1, 1]), (2, 5), 2).shared([0], [1])
    assert found.freedom.tolist() == [2]  # 1 in each class, however many states are declared


def test_no_column_shares_nothing(rows):
    nothing = SetInformation(*rows, CARDS, 3).shared([0, 1], [])
    assert nothing.bits.shape == nothing.freedom.shape == (0,)
