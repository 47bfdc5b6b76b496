"""Groups of columns: their factors multiplied beforehand say what the logs say."""

from dataclasses import replace

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.models.averaged import joined
from pgm_nb.models.averaged.joined import Joined, join
from pgm_nb.models.averaged.near import Near
from pgm_nb.models.averaged.scores import OneDependence, log_scores


def even(k, d=9, n=300, smoothing=None):
    """Columns of two to six states, all of them about as common."""
    rng = np.random.default_rng(k)
    cards = tuple(rng.integers(2, 7, d).tolist())
    codes = np.array([rng.integers(0, v, n) for v in cards], dtype=np.uint8)
    weights = rng.dirichlet(np.ones(d))
    weights[1] = 0.0  # no parent
    return OneDependence(
        count(codes, rng.integers(0, k, n), cards, k), weights / weights.sum(), smoothing
    ), codes


def with_unknown(model, codes):
    """Make a third of the cells unknown, and all of one row."""
    unknown = np.random.default_rng(1).random(codes.shape) < 0.3
    unknown[:, 5] = True
    return np.where(unknown, model.cards[:, None].astype(codes.dtype), codes)


@pytest.mark.parametrize("k", range(2, 13))  # every number of lanes
@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("smoothing", [None, 0.3])
def test_products_of_groups_are_those_of_the_logs(k, unknown, smoothing):
    model, codes = even(k, smoothing=smoothing)
    rows = with_unknown(model, codes) if unknown else codes
    tables = Joined.of(model, -(-k // 2) * 2, unknown)
    found = np.log(tables.totals(rows, 1)[:, :k]) - np.log(model.cards).sum()
    np.testing.assert_allclose(found, log_scores(model, rows, kernel="numpy"), rtol=0, atol=1e-12)


@pytest.mark.parametrize("least_rows", [1, 600])  # with 600, naive Bayes takes part where much is unknown
@pytest.mark.parametrize("unknown", [False, True])
def test_many_rows_without_usual_states_are_joined(least_rows, unknown):
    model, codes = even(3, d=12, n=5000)
    model = replace(model, least_rows=least_rows)
    rows = with_unknown(model, codes) if unknown else codes
    assert isinstance(model.products.tables(rows), Joined)
    assert isinstance(model.products.tables(rows[:, :100]), Near)  # few rows do not pay for the groups
    found = log_scores(model, rows, kernel="products")
    np.testing.assert_allclose(found, log_scores(model, rows, kernel="numpy"), rtol=0, atol=1e-12)


def test_rows_with_usual_states_are_not_joined():
    codes = (np.random.default_rng(0).random((40, 5000)) < 0.02).astype(np.uint8)
    model = OneDependence(count(codes, np.arange(5000) % 2, (2,) * 40, 2), np.full(40, 1 / 40))
    assert isinstance(model.products.tables(codes), Near)


def test_threads_and_blocks_change_no_digit():
    model, codes = even(2, n=20_000)
    tables = Joined.of(model, 2, False)
    whole = tables.totals(codes, 1)
    np.testing.assert_array_equal(whole, tables.totals(codes, 2))
    parts = [tables.totals(codes[:, start : start + 777], 1) for start in range(0, 20_000, 777)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


@pytest.mark.parametrize("k", [2, 4, 5, 12])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 12, 13, 16, 17, 18, 21, 23])
def test_any_number_of_groups(k, count, monkeypatch):
    d = 6 if count < 5 else 23
    monkeypatch.setattr(joined, "join", lambda *_: [list(range(g, d, count)) for g in range(count)])
    model, codes = even(k, d=d, n=100)
    tables = Joined.of(model, -(-k // 2) * 2, False)
    assert len(tables.offsets) == count
    found = np.log(tables.totals(codes, 1)[:, :k]) - np.log(model.cards).sum()
    np.testing.assert_allclose(found, log_scores(model, codes, kernel="numpy"), rtol=0, atol=1e-12)


@pytest.mark.parametrize("unknown", [False, True])
def test_columns_of_one_state_and_of_hundreds(unknown):
    rng = np.random.default_rng(3)
    cards = (1, 300, 2, 1, 5)
    codes = np.array([rng.integers(0, v, 9000) for v in cards], dtype=np.uint16)
    model = OneDependence(count(codes, rng.integers(0, 2, 9000), cards, 2), np.full(5, 0.2))
    rows = with_unknown(model, codes) if unknown else codes
    found = np.log(Joined.of(model, 2, unknown).totals(rows, 1)) - np.log(model.cards).sum()
    np.testing.assert_allclose(found, log_scores(model, rows, kernel="numpy"), rtol=0, atol=1e-12)


def test_no_rows_and_one_class():
    model, codes = even(2)
    assert Joined.of(model, 2, False).totals(codes[:, :0], 1).shape == (0, 2)
    one = OneDependence(count(codes, np.zeros(300, dtype=np.int64), model.counts.cards, 1), model.weights)
    found = np.log(Joined.of(one, 2, False).totals(codes, 1)[:, :1]) - np.log(one.cards).sum()
    np.testing.assert_allclose(found, log_scores(one, codes, kernel="numpy"), rtol=0, atol=1e-12)


def test_rows_too_near_to_zero_are_left_to_the_logs():
    rng = np.random.default_rng(0)
    codes = np.repeat(rng.integers(0, 5, (1, 4000)), 60, axis=0).astype(np.uint8)  # all columns are the same
    y = rng.integers(0, 2, 4000)
    model = OneDependence(count(codes, y, (5,) * 60, 2), np.full(60, 1 / 60), 1e-6)
    rows = rng.integers(0, 5, (60, 4000)).astype(np.uint8)
    assert isinstance(model.products.tables(rows), Joined)
    assert len(model.products.scores(rows, 1)[1]) == 4000
    found = log_scores(model, rows, kernel="products")
    np.testing.assert_allclose(found, log_scores(model, rows, kernel="numpy"), rtol=1e-12)


@pytest.mark.parametrize("lanes", [2, 6, 12])
def test_every_column_is_in_one_group_that_is_not_too_large(lanes):
    sizes = np.array([2, 9, 3, 3, 2, 2, 5, 300, 2, 2, 4] * 3)
    groups = join(sizes, lanes)
    assert sorted(column for group in groups for column in group) == list(range(len(sizes)))
    assert max(sizes[group].prod() for group in groups) <= 300
    small = join(sizes[sizes < 300], lanes)
    combinations = sum(int(sizes[sizes < 300][group].prod()) for group in small)
    assert 8 * lanes * combinations <= joined.ROOM * (1 + -(-lanes // 4))
