"""Rows that have the usual state in most columns: few factors are left to multiply."""

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.models.averaged.products import Products
from pgm_nb.models.averaged.scores import OneDependence, log_scores


def skewed(k, d=9, n=500, often=0.8):
    """Columns of seven to ten states, one of which most rows have; no row of the first ten has another."""
    rng = np.random.default_rng(k)
    cards = tuple(rng.integers(7, 11, d).tolist())
    usual = np.array([rng.integers(0, v) for v in cards])[:, None]
    codes = np.where(rng.random((d, n)) < often, usual, rng.integers(0, np.array(cards)[:, None], (d, n)))
    codes[:, :10] = usual
    weights = rng.dirichlet(np.ones(d))
    return OneDependence(count(codes, rng.integers(0, k, n), cards, k), weights), codes.astype(np.uint8)


@pytest.fixture
def rare(monkeypatch):
    """How many factors are left in each call that leaves the usual ones out."""
    found, places = [], Products._places_of

    def watched(self, codes, away):
        found.append(int(away.sum()))
        return places(self, codes, away)

    monkeypatch.setattr(Products, "_places_of", watched)
    return found


@pytest.mark.parametrize("k", [2, 3, 5])
def test_usual_states_are_multiplied_beforehand(monkeypatch, rare, k):
    monkeypatch.setattr(Products, "grouped", None)
    model, codes = skewed(k)
    wanted = log_scores(model, codes, kernel="numpy")
    np.testing.assert_allclose(log_scores(model, codes, kernel="products"), wanted, rtol=0, atol=1e-12)
    assert 0 < rare[0] < codes.size / 4
    assert len(rare) == 1
    few = log_scores(model, codes[:, :10].repeat(50, axis=1), kernel="products")  # nothing is left
    np.testing.assert_allclose(few[::50], wanted[:10], rtol=0, atol=1e-12)
    assert rare[1:] == [0]


def test_columns_without_a_usual_state_are_multiplied_one_by_one(monkeypatch, rare):
    monkeypatch.setattr(Products, "grouped", None)
    model, codes = skewed(3, often=0.3)
    wanted = log_scores(model, codes, kernel="numpy")
    np.testing.assert_allclose(log_scores(model, codes, kernel="products"), wanted, rtol=0, atol=1e-12)
    assert rare == []


def test_threads_change_no_digit(monkeypatch, rare):
    monkeypatch.setattr(Products, "grouped", None)
    model, codes = skewed(2, n=20_000)
    one, two = (model.products.scores(codes, threads)[0] for threads in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert len(rare) == 4  # two blocks of rows each


@pytest.mark.parametrize(("d", "left_out"), [(60, 1), (110, 0)])
def test_products_of_usual_states_stay_far_from_the_largest_number(rare, d, left_out):
    """Ten states, of which nearly all rows have the first: ten to the power of 110 is too much."""
    n = 10 * d
    codes = np.zeros((d, n), dtype=np.uint8)
    codes[np.arange(n) % d, np.arange(n)] = np.arange(n) // d
    model = OneDependence(count(codes, np.arange(n) % 3, (10,) * d, 3), np.full(d, 1 / d))
    found = log_scores(model, codes, kernel="products")
    np.testing.assert_allclose(found[-9:], log_scores(model, codes[:, -9:], kernel="numpy"), rtol=1e-12)
    assert len(rare) == left_out
