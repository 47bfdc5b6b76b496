"""Tables of several columns at once say what single columns say."""

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.models.averaged import grouped
from pgm_nb.models.averaged.scores import OneDependence, log_scores


def model_of(cards, n=400, k=2):
    rng = np.random.default_rng(len(cards))
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    y = rng.integers(0, k, n)
    weights = rng.dirichlet(np.ones(len(cards)))
    return OneDependence(count(codes, y, cards, k), weights), codes


@pytest.mark.parametrize("cards", [(2, 3, 2, 4), (3, 2, 2, 2, 5, 2, 4), (2,) * 12])  # even and odd numbers
@pytest.mark.parametrize("room", [1 << 17, 1 << 11])  # few large groups, and many small ones
def test_products_of_groups_are_those_of_columns(monkeypatch, cards, room):
    monkeypatch.setattr(grouped, "CLOSE", room)
    model, codes = model_of(cards)
    wanted = log_scores(model, codes, kernel="numpy")
    assert model.products.grouped is not None or room == 1 << 11
    np.testing.assert_allclose(log_scores(model, codes, kernel="products"), wanted, rtol=0, atol=1e-12)


def test_threads_change_no_digit():
    model, codes = model_of((2, 3, 2, 4, 2), n=30_000)
    one, two = (model.products.grouped.totals(codes, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(("cards", "k"), [((10,) * 30, 2), ((2, 2, 2), 3)])
def test_many_states_or_classes_are_not_grouped(cards, k):
    assert model_of(cards, k=k)[0].products.grouped is None


def test_groups_hold_every_column_once():
    cards = np.array([4, 2, 3, 2, 9, 2])
    found = grouped.column_groups(cards, 60)
    assert sorted(j for columns in found for j in columns) == list(range(6))
    assert sum(np.prod(cards[columns]) for columns in found) < 60
    assert grouped.column_groups(cards, 20) is None
