"""What each attribute adds to a local-PCA mixture: differences of densities with more and more known."""

import numpy as np
import pytest

from pgm_nb.models.local_pca.clusters import (
    GaussianCluster,
    class_densities,
    class_terms,
    grow_clusters,
    learn_space,
    marginal,
)

votes = pytest.mark.parametrize("vote", ["winner", "sum"])


def grown(X, y, vote):
    space, k = learn_space(X), int(y.max()) + 1
    clusters, _ = grow_clusters(
        space.scaled(X), y, space, list("abc")[:k], vote=vote, log_prior=np.zeros(k), max_iter=100
    )
    return space, clusters, k


@pytest.fixture(scope="module")
def table():
    """Two heaps of each class by turns, so that classes have several clusters."""
    rng = np.random.default_rng(0)
    centres = np.repeat([[-6.0, 0, 1], [6, 2, 0], [0, 1, 1], [12, 3, 0]], [60, 40, 70, 40], axis=0)
    return centres + rng.normal(size=(210, 3)) @ rng.normal(size=(3, 3)), np.repeat([0, 1], [100, 110])


@votes
def test_a_prefix_is_the_density_of_a_row_of_which_only_that_is_known(table, vote):
    X, y = table
    space, clusters, k = grown(X, y, vote)
    assert len(clusters) > k
    order = np.array([2, 0, 1])
    terms = class_terms(space, clusters, X[::7], order, k, vote)
    start = np.log(np.bincount([part.owner for part in clusters])) if vote == "sum" else np.zeros(k)
    np.testing.assert_array_equal(terms[:, 0], np.broadcast_to(start, (30, k)))
    seen = np.full((30, 3), np.nan)
    for step, column in enumerate(order):
        seen[:, column] = X[::7, column]
        known = class_densities(space, clusters, seen, k, vote)
        np.testing.assert_allclose(terms[:, : step + 2].sum(axis=1), known, rtol=0, atol=1e-9)


@votes
def test_unknown_cells_add_nothing(table, vote):
    X, y = table
    space, clusters, k = grown(X, y, vote)
    rows = X[:20].copy()
    rows[::2, 1] = np.nan
    rows[4] = np.nan
    terms = class_terms(space, clusters, rows, np.array([1, 2, 0]), k, vote)
    assert not terms[::2, 1].any()
    assert not terms[4].any()
    np.testing.assert_allclose(
        terms.sum(axis=1), class_densities(space, clusters, rows, k, vote), rtol=0, atol=1e-9
    )


@votes
def test_columns_that_follow_from_others_add_nothing(table, vote):
    X, y = table
    X = np.column_stack([X, np.full(len(X), 7.0), 2 * X[:, 0] - X[:, 2]])
    space, clusters, k = grown(X, y, vote)
    terms = class_terms(space, clusters, X, np.array([3, 0, 4, 2, 1]), k, vote)
    assert not terms[:, 1].any()  # constant
    assert not terms[:, 4].any()  # column 2 follows from 0 and 4
    off = terms.sum(axis=1) - class_densities(space, clusters, X, k, vote)
    np.testing.assert_allclose(off, off[0, 0], rtol=0, atol=1e-9)


def test_rows_farther_away_than_can_be_squared(table):
    X, y = table
    space, clusters, k = grown(X, y, "winner")
    terms = class_terms(space, clusters, np.full((1, 3), 1e200), np.arange(3), k, "winner")
    assert np.isneginf(terms.sum(axis=1)).all()


@votes
@pytest.mark.parametrize("gaps", [False, True])
def test_rows_outside_the_directions_of_training(vote, gaps):
    """One column was twice another, or rows were few and had gaps: the odds are those of the densities."""
    rng = np.random.default_rng(4)
    n = 4 if gaps else 8
    X, y = rng.normal(size=(n, 5)), np.arange(n) % 2
    if gaps:
        X[rng.random(X.shape) < 0.4] = np.nan
    else:
        X[:, 4] = 2 * X[:, 0]
    space, clusters, k = grown(X, y, vote)
    assert space.basis.shape[1] < 5
    asked = np.vstack([X, rng.normal(size=(6, 5))])
    order = np.array([4, 2, 0, 1, 3])
    terms = class_terms(space, clusters, asked, order, k, vote)
    seen = np.full(asked.shape, np.nan)
    for step, column in enumerate(order):
        seen[:, column] = asked[:, column]
        known = class_densities(space, clusters, seen, k, vote)
        found = terms[:, : step + 2].sum(axis=1)
        some = ~np.isnan(seen).all(axis=1)
        if step == 4 or not gaps:
            odds = (found - known)[some]
            np.testing.assert_allclose(odds - odds[:, :1], 0.0, rtol=0, atol=1e-8)


def test_a_cluster_that_stands_still_in_what_is_known_is_as_wide_as_all_rows():
    part = GaussianCluster(
        0, 3, np.zeros(2), np.diag([1e-32, 0.0]), np.array([1e-32]), np.eye(2)[:, :1], False
    )
    space = learn_space(np.array([[0.0], [1.0], [2.0]]))
    left = marginal(part, np.array([False, True]), space)
    assert left.covariance == pytest.approx(np.array([[1 / 4]]))  # (3 * 0 + 1 * 1) / (3 + 1)
