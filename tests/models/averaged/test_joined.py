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


@pytest.mark.parametrize("most", [1, 8, 128])
def test_every_column_is_in_one_group_that_is_not_too_large(most):
    sizes = np.array([2, 9, 3, 3, 2, 2, 5, 40, 2, 2, 4])
    groups = join(sizes, most)
    assert sorted(column for group in groups for column in group) == list(range(len(sizes)))
    assert len(groups) % joined.STEP == 0
    assert max(sizes[group].prod() for group in groups) <= max(most, sizes.max())
