"""The two convex fits: gradients against differences, limits, and a second solver."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression

from pgm_nb.certainty.training_spread import weight_curvature
from pgm_nb.training import conditional
from pgm_nb.training.cells import Penalty, folded, unfolded
from pgm_nb.training.conditional import (
    CellSearch,
    class_losses,
    fit_cells,
    fit_weights,
)


@pytest.fixture
def objectives(monkeypatch):
    """Catch the objectives that are handed to the solver, with where they begin."""
    caught = []
    descend = conditional.descend

    def spy(objective, start, *rest, **more):
        caught.append((objective, start))
        return descend(objective, start, *rest, **more)

    monkeypatch.setattr(conditional, "descend", spy)
    return caught


def problem(n=60, s=4, k=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, s, k)), rng.normal(size=k), rng.integers(0, k, n)


def cells(n=60, p=5, k=3, seed=0):
    rng = np.random.default_rng(seed)
    rows = csr_array(np.eye(p)[rng.integers(0, p, n)])
    chain = csr_array(np.diff(np.eye(p), axis=0))
    return rows, rng.normal(size=(n, k)), rng.integers(0, k, n), csr_array(chain.T @ chain)


def assert_gradient(objective, start):
    point = start + np.random.default_rng(1).normal(size=len(start)) * 0.3
    _, gradient = objective(point)
    step = 1e-6
    for i in range(len(point)):
        up, down = point.copy(), point.copy()
        up[i] += step
        down[i] -= step
        assert gradient[i] == pytest.approx((objective(up)[0] - objective(down)[0]) / (2 * step), abs=1e-5)


def assert_convex(objective, start):
    rng = np.random.default_rng(2)
    for _ in range(20):
        a, b = rng.normal(size=(2, len(start)))
        assert objective((a + b) / 2)[0] <= (objective(a)[0] + objective(b)[0]) / 2 + 1e-9


def test_weights_gradient_and_convexity(objectives):
    fit_weights(*problem(), towards=0.7)
    assert_gradient(*objectives[0])
    assert_convex(*objectives[0])


def test_cells_gradient_and_convexity(objectives):
    rows, offset, y, chain = cells()
    sums = csr_array(np.eye(5) + np.eye(5, k=1))
    fit_cells(rows, offset, y, Penalty(0.3, 2.0, chain), sums)
    assert_gradient(*objectives[0])
    assert_convex(*objectives[0])


def test_losses_are_those_of_a_plain_softmax():
    scores, y = np.random.default_rng(0).normal(size=(20, 4)) * 5, np.arange(20) % 4
    losses, posteriors = class_losses(scores, y)
    plain = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(posteriors, plain)
    np.testing.assert_allclose(losses, -np.log(plain[np.arange(20), y]))
    assert np.isfinite(class_losses(scores * 1e4, y)[0]).all()


def test_terms_that_are_right_keep_their_weights():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 20_000)
    right = np.log([[0.8, 0.3], [0.2, 0.7]])  # P(x|y), (x, y)
    terms = np.stack(
        [right[(rng.random(len(y)) > np.where(y == 0, 0.8, 0.3)).astype(int)] for _ in "ab"], axis=1
    )
    found = fit_weights(terms, np.log([0.5, 0.5]), y)
    assert found.converged
    np.testing.assert_allclose(found.weights, 1, atol=0.05)
    np.testing.assert_allclose(found.bias, 0, atol=0.05)


def test_noise_gets_no_weight_and_none_is_negative():
    terms, prior, y = problem(n=3000, s=5)
    terms[:, 0, :] = -3 * np.eye(3)[y]  # says the opposite of the truth
    found = fit_weights(terms, prior, y)
    assert found.weights.min() == 0
    assert found.weights[0] == 0


def test_no_rows_to_speak_of_leave_the_generative_model(monkeypatch):
    terms, prior, y = problem(n=4)
    monkeypatch.setattr(conditional, "SPREAD_PENALTY", 1e7)
    monkeypatch.setattr(conditional, "LEVEL_PENALTY", 1e7)
    monkeypatch.setattr(conditional, "BIAS_PENALTY", 1e7)
    found = fit_weights(terms, prior, y)
    np.testing.assert_allclose(found.weights, 1, atol=1e-4)
    np.testing.assert_allclose(found.bias, 0, atol=1e-4)


def test_cells_are_a_ridge_logistic_regression():
    rows, _, y, chain = cells(n=200)
    found = fit_cells(rows, np.zeros((200, 3)), y, Penalty(2.0, 0.0, chain), tolerance=1e-14)
    peer = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-10, max_iter=1000).fit(rows, y)
    np.testing.assert_allclose(found.theta.T, peer.coef_, atol=1e-4)


def test_limits_of_the_penalties():
    rows, offset, y, chain = cells()
    stiff = fit_cells(rows, offset, y, Penalty(1e8, 0.0, chain)).theta
    np.testing.assert_allclose(stiff, 0, atol=1e-6)
    level = fit_cells(rows, offset, y, Penalty(1e-3, 1e7, chain), tolerance=1e-15).theta
    np.testing.assert_allclose(level, np.broadcast_to(level.mean(axis=0), level.shape), atol=1e-3)


def test_a_search_that_does_not_end_says_so(monkeypatch):
    rows, offset, y, chain = cells()
    monkeypatch.setattr(conditional, "MOST_STEPS", 1)
    assert not fit_cells(rows, offset, y, Penalty(1e-3, 0.0, chain), tolerance=1e-15).converged
    assert not fit_weights(*problem()).converged


@pytest.mark.parametrize("k", [2, 3, 5])
def test_numbers_of_all_classes_are_where_another_solver_ends(k):
    """The penalised likelihood written out with a number for every class, and minimised by SciPy."""
    rows, offset, y, chain = cells(n=200, k=k)
    start = np.arange(float(k) * rows.shape[1]).reshape(-1, k)  # adds up to something: no matter
    found = fit_cells(rows, offset, y, Penalty(2.0, 3.0, chain), start=start, tolerance=1e-15)

    def loss(theta):
        theta = theta.reshape(-1, k)
        losses, _ = class_losses(offset + rows @ theta, y)
        return losses.sum() + (theta**2).sum() + 1.5 * np.einsum("pk,pk->", theta, chain @ theta)

    peer = minimize(loss, np.zeros(start.size), tol=1e-12)
    np.testing.assert_allclose(found.theta.sum(axis=1), 0, atol=1e-14)
    np.testing.assert_allclose(found.theta.ravel(), peer.x, atol=1e-4)


@pytest.mark.parametrize("k", [2, 3, 5, 6, 9])
def test_compiled_code_finds_the_same_numbers_in_every_digit(k):
    """The loss, its slopes, and where a search ends; cells that no row falls into change nothing."""
    rows, offset, y, chain = cells(n=200, p=12, k=k)
    rows = csr_array(rows.toarray() * (np.arange(12) != 3))  # some rows in no cell, one cell without rows
    sums = csr_array(np.eye(12) + np.eye(12, k=1))
    searches = [CellSearch(rows, offset, y, sums, kernel=kernel) for kernel in ("numpy", "compiled")]
    numbers = np.random.default_rng(1).normal(size=(12, k - 1))
    (loss, slopes), (same_loss, same_slopes) = (search._slopes(numbers) for search in searches)
    scores = offset + rows @ sums @ unfolded(numbers)
    losses, posteriors = class_losses(scores, y)
    assert loss == same_loss == pytest.approx(losses.sum(), abs=1e-9)
    np.testing.assert_array_equal(slopes, same_slopes)
    np.testing.assert_allclose(slopes, folded(posteriors - np.eye(k)[y]), atol=1e-12)
    found = [
        search.fit(Penalty(0.3, 2.0, chain, kernel), 1e-9).theta
        for search, kernel in zip(searches, ("numpy", "compiled"), strict=True)
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("towards", [0.0, 1.0])
def test_weights_of_three_classes_are_where_another_solver_ends(towards):
    """The penalised likelihood written out with all classes, and minimised by SciPy."""
    rng = np.random.default_rng(4)
    n, s, k = 80, 3, 3
    y = rng.integers(0, k, n)
    terms = rng.normal(size=(n, s, k)) + 0.5 * np.eye(k)[y][:, None]
    offset = np.log([0.5, 0.3, 0.2])

    def price(point):
        weights, bias = point[:s], point[s:]
        scores = offset + bias + np.einsum("nsk,s->nk", terms, weights)
        loss = np.logaddexp.reduce(scores, axis=1) - scores[np.arange(n), y]
        apart, off = weights - weights.mean(), weights.mean() - towards
        return loss.sum() + 0.5 * (
            conditional.SPREAD_PENALTY * apart @ apart
            + conditional.LEVEL_PENALTY * off**2
            + conditional.BIAS_PENALTY * bias @ bias
        )

    bounds = [(0, None)] * s + [(None, None)] * k
    peer = minimize(price, np.r_[np.ones(s), np.zeros(k)], bounds=bounds, options={"ftol": 1e-13})
    found = fit_weights(terms, offset, y, towards=towards, tolerance=1e-12)
    assert found.converged
    np.testing.assert_allclose(found.weights, peer.x[:s], rtol=0, atol=1e-4)
    np.testing.assert_allclose(found.bias, peer.x[s:], rtol=0, atol=1e-4)


def test_few_rows_that_say_little_are_still_weighed(objectives):
    """What they say weighs less than the penalties: the search must go downhill all the same."""
    terms, prior, y = problem(n=12)
    terms *= 0.3
    found = fit_weights(terms, prior, y, tolerance=1e-14)
    [(objective, start)] = objectives
    bounds = [(0, None)] * 4 + [(None, None)] * 3
    peer = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"gtol": 1e-9})
    assert np.abs(peer.x - start).max() > 0.05
    np.testing.assert_allclose([*found.weights, *found.bias], peer.x, rtol=0, atol=1e-5)


def test_curvature_without_terms_or_rows():
    even = weight_curvature(np.zeros((2, 0, 2)), np.full((2, 2), 0.5), 4, 1.0, 1.0, 3.0)
    assert np.allclose(even, [[4.0, -1.0], [-1.0, 4.0]], rtol=1e-15)
    assert (weight_curvature(np.zeros((0, 0, 2)), np.zeros((0, 2)), 0, 1.0, 1.0, 3.0) == 3 * np.eye(2)).all()
