"""Row by row: the parents in their usual states together, the others one by one."""

from dataclasses import replace

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.models.averaged.near import Near
from pgm_nb.models.averaged.scores import OneDependence, log_scores


def skewed(k, d=9, n=300, often=0.6):
    """Columns of two to ten states, one of which most rows have; the first ten rows have no other."""
    rng = np.random.default_rng(k)
    cards = tuple(rng.integers(2, 11, d).tolist())
    usual = np.array([rng.integers(0, v) for v in cards])[:, None]
    codes = np.where(rng.random((d, n)) < often, usual, rng.integers(0, np.array(cards)[:, None], (d, n)))
    codes[:, :10] = usual
    weights = rng.dirichlet(np.ones(d))
    return OneDependence(count(codes, rng.integers(0, k, n), cards, k), weights), codes.astype(np.uint8)


@pytest.mark.parametrize("k", range(2, 13))  # every number of lanes
@pytest.mark.parametrize("d", [3, 17])  # part of a tile, and more than one
def test_products_are_those_of_the_logs(k, d):
    model, codes = skewed(k, d)
    assert isinstance(model.products.tables(codes), Near)
    found = log_scores(model, codes, kernel="products")
    np.testing.assert_allclose(found, log_scores(model, codes, kernel="numpy"), rtol=0, atol=1e-12)


def with_unknown(model, codes):
    """Make a third of the cells unknown, and all of one row."""
    found = codes.copy()
    unknown = np.random.default_rng(1).random(codes.shape) < 0.3
    unknown[:, 5] = True
    np.copyto(found, model.cards[:, None].astype(codes.dtype), where=unknown)
    return found


@pytest.mark.parametrize("k", [2, 3, 6, 8, 10, 12])
@pytest.mark.parametrize("least_rows", [1, 40])  # with 40, naive Bayes takes part where many are unknown
def test_unknown_cells_are_summed_out(k, least_rows):
    model, codes = skewed(k, d=5)
    model = replace(model, least_rows=least_rows)
    rows = with_unknown(model, codes)
    found = log_scores(model, rows, kernel="products")
    np.testing.assert_allclose(found, log_scores(model, rows, kernel="numpy"), rtol=0, atol=1e-12)


def test_the_parents_of_a_usual_row_are_all_in_tiles():
    model, codes = skewed(2)
    near = model.products.apart
    assert (codes[:, 0] == near.modes).all()
    alone = near.usual.reshape(-1, 2).sum(axis=0)
    np.testing.assert_allclose(near.totals(codes[:, :1], 1)[0], alone, rtol=1e-14)


def test_a_state_that_is_no_parent_adds_nothing():
    """The usual state of the first column, and an unusual one of the second, are too rare to be parents."""
    codes = np.array([[0, 0, 1, 1, 0, 0] * 4, [0, 0, 0, 0, 0, 1] * 4, [0, 1, 2, 0, 1, 2] * 4], dtype=np.uint8)
    counts = count(codes, np.arange(24) % 2, (2, 2, 3), 2)
    model = OneDependence(counts, np.array([0.0, 0.5, 0.5]), least_rows=5)
    found = log_scores(model, codes, kernel="products")
    np.testing.assert_allclose(found, log_scores(model, codes, kernel="numpy"), rtol=0, atol=1e-12)


def test_threads_change_no_digit():
    model, codes = skewed(2, n=20_000)
    one, two = (Near.of(model, 2).totals(codes, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(("d", "divided"), [(60, True), (110, False)])
def test_products_of_usual_states_stay_far_from_the_largest_number(d, divided):
    """Ten states, of which nearly all rows have the first: ten to the power of 110 is too much."""
    n = 10 * d
    codes = np.zeros((d, n), dtype=np.uint8)
    codes[np.arange(n) % d, np.arange(n)] = np.arange(n) // d
    model = OneDependence(count(codes, np.arange(n) % 3, (10,) * d, 3), np.full(d, 1 / d))
    near = Near.of(model, 4)
    assert (near.modes == (0 if divided else -1)).all()
    assert (len(near.tiles) > 0) == divided
    for rows in (codes[:, -9:], with_unknown(model, codes[:, -9:])):
        found = np.log(near.totals(rows, 1)[:, :3]) - d * np.log(10)
        np.testing.assert_allclose(found, log_scores(model, rows, kernel="numpy"), rtol=1e-12)
