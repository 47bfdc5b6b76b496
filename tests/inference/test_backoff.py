"""Backing off, against numbers by hand and against rows that are truly left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.inference import Families
from pgm_nb.inference.backoff import EVEN, EVEN_ALONE, WEIGHTS, backoff_weight, estimate_backoff

TABLES = arrays.arrays(np.int64, (2, 3, 4), elements=st.integers(0, 9))


def one_family(counts):
    return Families(counts.sum(axis=(1, 2)), (0, 1), (-1, 0), (counts.sum(axis=2), counts))


def by_hand(counts):
    """P(x|u,y) cell by cell, with the weight found by leaving out one row after the other."""
    k, _, v = counts.shape
    alone = np.array(
        [[(counts[y, :, x].sum() + EVEN_ALONE / v) / (counts[y].sum() + EVEN_ALONE) for x in range(v)]
         for y in range(k)]
    )  # fmt: skip

    def estimate(table, y, m, x, a):
        return (table[y, m, x] + a * alone[y, x] + EVEN / v) / (table[y, m].sum() + a + EVEN)

    def likelihood(a):
        total = 0.0
        for cell in np.argwhere(counts > 0):
            left = counts.copy()
            left[tuple(cell)] -= 1
            total += counts[tuple(cell)] * np.log(estimate(left, *cell, a))
        return total

    scores = [likelihood(a) for a in WEIGHTS]
    return alone, np.array(scores), estimate


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_the_weight_makes_left_out_rows_most_likely(counts):
    alone, scores, _ = by_hand(counts)
    chosen = WEIGHTS.index(backoff_weight(counts, alone))
    assert scores[chosen] == pytest.approx(scores.max(), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_the_tables_are_those_of_the_formula(counts):
    factors = estimate_backoff(one_family(counts))
    alone, _, estimate = by_hand(counts)
    a = backoff_weight(counts, alone)
    expected = [[[estimate(counts, y, m, x, a) for x in range(4)] for m in range(3)] for y in range(2)]
    np.testing.assert_allclose(np.exp(factors.tables[1]), expected, rtol=1e-12)
    for table in factors.tables:
        np.testing.assert_allclose(np.exp(table).sum(axis=-1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(factors.log_prior).sum(), 1.0, rtol=1e-12)


def test_one_cell_by_hand():
    counts = np.array([[[3, 1], [0, 2]]])  # one class, two states of the mother
    alone = np.array([[(3 + 2.5) / 11, (3 + 2.5) / 11]])
    assert backoff_weight(counts, alone) == 1.0  # log-likelihood -3.9433, the largest of the ten
    table = np.exp(estimate_backoff(one_family(counts)).tables[1])
    assert table[0, 0, 0] == pytest.approx((3 + 1.0 * 0.5 + 1) / (4 + 1.0 + 2))


def test_it_is_the_default_and_naive_bayes_has_five_even_rows():
    X, y = pnb.load_sample("iris")
    default = pnb.NaiveBayes().fit(X, y)
    plain = pnb.NaiveBayes(smoothing=EVEN_ALONE).fit(X, y)
    assert default.smoothing == "backoff"
    for table, other in zip(default.factors_.tables, plain.factors_.tables, strict=True):
        np.testing.assert_allclose(table, other, rtol=1e-12)


def test_other_words_are_refused():
    X, y = pnb.load_sample("iris")
    with pytest.raises(DataError, match="'backoff' is the default"):
        pnb.TreeAugmentedNaiveBayes(smoothing="back-off").fit(X, y)
    with pytest.raises(DataError, match="a positive number"):
        pnb.HiddenNaiveBayes(smoothing="backoff").fit(X, y)
