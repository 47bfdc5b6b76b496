"""Parent by parent: whole numbers in single precision say what the logs say."""

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.models.averaged import products
from pgm_nb.models.averaged.far import Far
from pgm_nb.models.averaged.near import Near
from pgm_nb.models.averaged.scores import OneDependence, log_scores


@pytest.fixture
def nothing_is_close(monkeypatch):
    monkeypatch.setattr(products, "CLOSE", 0)


def drawn(k, d=9, n=300, smoothing=None, top=7):
    rng = np.random.default_rng(k)
    cards = tuple(rng.integers(2, top, d).tolist())
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    y = np.minimum(rng.integers(0, k + 2, n), k - 1)
    weights = rng.dirichlet(np.ones(d))
    return OneDependence(count(codes, y, cards, k), weights, smoothing), codes


@pytest.mark.parametrize("k", [*range(2, 13), 25])  # every number of lanes, and several times twelve
@pytest.mark.parametrize("smoothing", [None, 1.0, 0.5])
def test_products_are_those_of_the_logs(nothing_is_close, k, smoothing):
    model, codes = drawn(k, smoothing=smoothing)
    assert isinstance(model.products.tables(codes), Far)
    codes[:, 50:] = np.where(codes[:, 50:] == 1, model.cards[:, None], codes[:, 50:])  # unknown
    codes[:, -1] = model.cards
    found = log_scores(model, codes, kernel="products")
    np.testing.assert_allclose(found, log_scores(model, codes, kernel="numpy"), rtol=0, atol=1e-12)


def test_many_columns_with_large_counts_stay_in_range(nothing_is_close):
    """A thousand rows in each cell to the power of 150 is too much, were it not divided on the way."""
    model, codes = drawn(2, d=150, n=4000, top=3)
    found, left = model.products.scores(codes[:, :50], 1)
    assert len(left) == 0
    np.testing.assert_allclose(found, log_scores(model, codes[:, :50], kernel="numpy"), rtol=1e-13)


@pytest.mark.parametrize("k", [2, 13])
def test_rows_near_zero_are_left_to_the_logs(nothing_is_close, monkeypatch, k):
    monkeypatch.setattr(products, "_LEAST", 1e-40)
    codes = np.tile(np.arange(1200) % 4, (60, 1)).astype(np.uint8)  # all columns are alike
    model = OneDependence(count(codes, np.arange(1200) // 4 % k, (4,) * 60, k), np.full(60, 1 / 60), 1.0)
    codes[:, 7] = np.arange(60) % 4  # unlike any row
    assert model.products.scores(codes)[1].tolist() == [7]
    found = log_scores(model, codes, kernel="products")
    np.testing.assert_allclose(found, log_scores(model, codes, kernel="numpy"), rtol=0, atol=1e-12)


def test_threads_change_no_digit(nothing_is_close):
    model, codes = drawn(3, n=20_000)
    one, two = (model.products.scores(codes, threads)[0] for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("smoothing", [0.3, 2.0])
def test_numbers_that_are_not_whole_are_kept_in_double_precision(nothing_is_close, smoothing):
    model, codes = drawn(3, smoothing=smoothing)
    assert isinstance(model.products.tables(codes), Near)
    found = log_scores(model, codes, kernel="products")
    np.testing.assert_allclose(found, log_scores(model, codes, kernel="numpy"), rtol=0, atol=1e-12)


def test_single_precision_holds_whole_numbers_up_to_a_limit():
    codes = np.zeros((2, 1 << 22), dtype=np.uint8)
    counts = count(codes, np.zeros(1 << 22, dtype=np.intp), (2, 4), 2)
    assert Far.exact(OneDependence(counts, np.array([0.5, 0.5])))
    assert not Far.exact(OneDependence(counts, np.array([0.5, 0.5]), 1.0))  # four times as many


def test_many_classes_with_other_numbers_are_left_to_the_logs():
    model, codes = drawn(25, smoothing=0.3)
    assert not products.Products.fits(model, codes.shape[1])
    found = log_scores(model, codes, kernel="products")
    np.testing.assert_allclose(found, log_scores(model, codes, kernel="numpy"), rtol=0, atol=1e-12)
