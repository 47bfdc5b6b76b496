"""Entropies and informations: by hand, by definition, and against independent figures for WDBC."""

import json
import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgm_nb.counts import Counts, count
from pgm_nb.counts.kernels import CompiledModule
from pgm_nb.counts.planes import COMPILED
from pgm_nb.errors import DataError
from pgm_nb.information import (
    class_information,
    conditional_mutual_information,
    entropies,
    entropy,
    information,
    mutual_information,
    pair_information,
    sums,
    triplet_information,
)
from pgm_nb.information.sums import FixedPoint

LN2 = math.log(2)


@st.composite
def tables(draw):
    k = draw(st.integers(2, 4))
    cards = tuple(draw(st.lists(st.integers(1, 5), min_size=2, max_size=5)))
    n = draw(st.integers(1, 200))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    return codes, rng.integers(0, k, n), cards, k


def plain_entropy(*columns):
    """H of the joint distribution of some columns, from the definition."""
    n = len(columns[0])
    frequencies = Counter(zip(*(column.tolist() for column in columns), strict=True)).values()
    return -sum(f / n * math.log2(f / n) for f in frequencies)


def test_hand_computed_table():
    # eight rows: y = 00001111, x0 = 00111111, x1 = x0 except in the last row
    codes = np.array([[0, 0, 1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1, 0]], dtype=np.uint8)
    found = information(count(codes, [0, 0, 0, 0, 1, 1, 1, 1], (2, 2), 2))
    third = 3 * math.log2(3)
    # H(Y) = 1; n(x0) = (2, 6): H = 3 - (2 + 6 log2 6) / 8; n(x1) = (3, 5)
    assert found.class_entropy == 1.0
    assert found.entropies[0] == pytest.approx(3 - (2 + 6 + 2 * third) / 8, abs=1e-15)
    assert found.entropies[1] == pytest.approx(3 - (third + 5 * math.log2(5)) / 8, abs=1e-15)
    # I(X0;Y) = H(X0) - H(X0|Y) = H(X0) - (1/2 * 1 + 1/2 * 0)
    assert found.relevance[0] == pytest.approx(found.entropies[0] - 0.5, abs=1e-15)
    # given y = 0 the two agree (one bit); given y = 1 x0 is constant (nothing): I(X0;X1|Y) = 1/2
    assert found.dependence.tolist() == [[0.0, 0.5], [0.5, 0.0]]


def test_mutual_information_sums_the_class_out():
    # y = x0 xor x1: the attributes are independent, but one bit dependent given the class
    counts = count(np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), [0, 1, 1, 0], (2, 2), 2)
    assert mutual_information(counts).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert conditional_mutual_information(counts).tolist() == [[0.0, 1.0], [1.0, 0.0]]


@settings(max_examples=60)
@given(table=tables())
def test_every_measure_follows_its_definition(table):
    codes, y, cards, k = table
    counts = count(codes, y, cards, k)
    found, mutual = information(counts), mutual_information(counts)
    triplets = triplet_information(found)
    assert found.class_entropy == pytest.approx(plain_entropy(y), abs=1e-13)
    for i, x in enumerate(codes):
        h = plain_entropy(x)
        assert found.entropies[i] == pytest.approx(h, abs=1e-13)
        relevance = h + plain_entropy(y) - plain_entropy(x, y)
        assert found.relevance[i] == pytest.approx(relevance, abs=1e-13)
        for j, z in enumerate(codes):
            if i == j:
                assert found.dependence[i, i] == mutual[i, i] == triplets[i, i] == 0
                continue
            dependence = plain_entropy(x, y) + plain_entropy(z, y) - plain_entropy(y) - plain_entropy(x, z, y)
            assert found.dependence[i, j] == pytest.approx(dependence, abs=1e-13)
            assert mutual[i, j] == pytest.approx(h + plain_entropy(z) - plain_entropy(x, z), abs=1e-13)
            content = plain_entropy(y) + h + plain_entropy(z) - plain_entropy(x, z, y)
            assert triplets[i, j] == pytest.approx(content, abs=1e-13)


@settings(max_examples=30)
@given(table=tables())
def test_gain_is_relevance_plus_dependence(table):
    # I(Y,Xm,X) - I(Y,Xm) = I(X;Y) + I(Xm;X|Y), the left side from joint entropies
    codes, y, cards, k = table
    found = information(count(codes, y, cards, k))
    for m, mother in enumerate(codes):
        for c, child in enumerate(codes):
            if m != c:
                gain = plain_entropy(child) + plain_entropy(mother, y) - plain_entropy(mother, child, y)
                assert gain == pytest.approx(found.relevance[c] + found.dependence[m, c], abs=1e-13)
                by_content = triplet_information(found)[m, c] - pair_information(found)[m]
                assert by_content == pytest.approx(gain, abs=1e-13)


@settings(max_examples=30)
@given(table=tables(), seed=st.integers(0, 2**32 - 1))
def test_not_one_bit_depends_on_order_names_or_copies(table, seed):
    codes, y, cards, k = table
    rng = np.random.default_rng(seed)
    plain = information(count(codes, y, cards, k))
    rows, columns = rng.permutation(len(y)), rng.permutation(len(cards))
    renamed = np.array([rng.permutation(v)[x] for v, x in zip(cards, codes, strict=True)])
    shuffled = count(renamed[columns][:, rows], rng.permutation(k)[y][rows], [cards[i] for i in columns], k)
    found = information(shuffled)
    assert found.dependence.tolist() == plain.dependence[np.ix_(columns, columns)].tolist()
    assert found.relevance.tolist() == plain.relevance[columns].tolist()
    twice = information(count(np.concatenate([codes, codes]), y, cards * 2, k)).dependence
    d = len(cards)
    off = ~np.eye(d, dtype=bool)
    assert (twice[:d, :d] == plain.dependence).all()
    assert (twice[:d, d:][off] == plain.dependence[off]).all()


def test_constant_columns_carry_exactly_nothing():
    rng = np.random.default_rng(0)
    codes = np.array([rng.integers(0, 3, 1001), np.zeros(1001)], dtype=np.uint8)
    found = information(count(codes, rng.integers(0, 3, 1001), (3, 4), 3))
    assert found.relevance[1] == found.dependence[0, 1] == found.entropies[1] == 0.0


def test_independent_columns_round_to_nothing():
    # all 7 * 11 * 13 combinations once per class: independent, but n log2 n is irrational
    grid = np.indices((2, 7, 11, 13)).reshape(4, -1)
    found = information(count(grid[1:].astype(np.uint8), grid[0], (7, 11, 13), 2))
    assert found.dependence.max() < 1e-15
    assert found.relevance.max() < 1e-15
    assert found.dependence.min() == 0.0


@pytest.mark.parametrize("n", [50, 5000])  # fewer and more rows than cells
def test_compiled_and_numpy_sums_are_the_same_bits(monkeypatch, n):
    COMPILED.load()
    rng = np.random.default_rng(1)
    cards = (5, 3, 1, 6, 2, 4)
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    counts = count(codes, rng.integers(0, 3, n), cards, 3)
    compiled = information(counts)
    monkeypatch.setattr(CompiledModule, "is_loaded", lambda self: False)
    monkeypatch.setattr(sums, "_CHUNK", 40)
    by_numpy = information(counts)
    assert compiled.dependence.tobytes() == by_numpy.dependence.tobytes()
    assert compiled.relevance.tobytes() == by_numpy.relevance.tobytes()


def test_counts_beyond_32_bits():
    # the table of one row per cell of a 2 x 2 x 2 cube, scaled: everything is uniform and independent
    n = 2**33
    cell = np.full(8, n // 8, dtype=np.int64)
    single = np.full(8, n // 4, dtype=np.int64)
    counts = Counts((2, 2), 2, n, np.full(2, n // 2, dtype=np.int64), single, cell)
    found = information(counts)
    assert (found.class_entropy, found.entropies.tolist()) == (1.0, [1.0, 1.0])
    assert found.dependence.max() == 0.0


def test_one_attribute_and_one_row():
    found = information(count(np.array([[1]], dtype=np.uint8), [0], (2,), 2))
    assert (found.class_entropy, found.entropies.tolist(), found.dependence.tolist()) == (0.0, [0.0], [[0.0]])


def test_results_are_read_only():
    found = information(count(np.array([[0, 1], [1, 1]], dtype=np.uint8), [0, 1], (2, 2), 2))
    for array in (found.entropies, found.relevance, found.dependence):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_entropy_of_a_table():
    assert entropy([[1, 1], [0, 2]]) == 1.5
    assert entropy([7]) == 0.0
    with pytest.raises(DataError, match="at least one row"):
        entropy([0, 0])


def test_wdbc_golden_figures(wdbc_codes):
    golden = json.loads((Path(__file__).parents[1] / "golden" / "wdbc_information.json").read_text())
    codes, y = wdbc_codes
    counts = count(codes, y, (5,) * 30, 2)
    upper = np.triu_indices(30, 1)
    assert entropy(counts.y) * LN2 == pytest.approx(golden["class_entropy"], abs=1e-9)
    np.testing.assert_allclose(entropies(counts) * LN2, golden["entropies"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(class_information(counts) * LN2, golden["relevance"], rtol=0, atol=1e-9)
    dependence = conditional_mutual_information(counts)
    np.testing.assert_allclose(dependence[upper] * LN2, golden["dependence_upper"], rtol=0, atol=1e-9)
    triplets = triplet_information(information(counts))
    assert np.unravel_index(np.argmax(triplets), triplets.shape) == tuple(golden["first_pair"])
    assert triplets.max() * LN2 == pytest.approx(golden["first_triplet"], abs=1e-9)


def test_counts_that_are_none():
    assert entropy([1]) == 0.0
    for wrong in ([0], [3, -1], [[2, -1], [4, 4]]):
        with pytest.raises(DataError, match="at least one row and none below zero"):
            entropy(wrong)


@pytest.mark.parametrize("chunk", [1, 4, 7, 100])
def test_sums_do_not_depend_on_how_many_cells_are_taken_at_a_time(monkeypatch, chunk):
    cells = np.arange(23) % 5
    starts = np.array([0, 3, 9, 10, 18, 23])
    fixed = FixedPoint(100)
    expected = [int(fixed.terms(cells[a:b]).sum()) for a, b in pairwise(starts)]
    monkeypatch.setattr(sums, "_CHUNK", chunk)
    assert sums.table_sums(cells, starts, fixed).tolist() == expected
