"""The search for a minimum: against another solver, with and without parameters that must not be negative."""

import numpy as np
import pytest
from scipy.optimize import minimize

from pgm_nb.training import descent
from pgm_nb.training.descent import Pair, descend, inverse


def bowl(d=12, seed=0, pairs=False):
    """A random quartic bowl: its value and gradient, and second derivatives at zero, each or all pairs."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2 * d, d)) * np.geomspace(0.1, 10, d)
    b = rng.normal(size=2 * d) * 5

    def objective(x):
        away = A @ x - b
        return float((away**2 / 2 + 0.01 * away**4).sum()), A.T @ (away + 0.04 * away**3)

    together = A.T @ (A * (1 + 0.12 * b[:, None] ** 2))
    return objective, together if pairs else together.diagonal().copy()


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("positive", [0, 6, 12])
def test_it_ends_where_another_solver_does(seed, positive, pairs):
    objective, curvature = bowl(seed=seed, pairs=pairs)
    found = descend(objective, np.ones(12), curvature, 1e-13, 500, positive=positive)
    bounds = [(0, None)] * positive + [(None, None)] * (12 - positive)
    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10_000, "maxfun": 100_000}
    peer = minimize(objective, np.ones(12), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    assert found.converged
    assert objective(found.point)[0] == pytest.approx(peer.fun, rel=1e-8)
    np.testing.assert_allclose(found.point, peer.x, atol=1e-3)
    assert (found.point[:positive] >= 0).all()
    if positive:
        assert ((found.point[:positive] == 0) == (peer.x[:positive] == 0)).all()


def test_what_an_earlier_search_learned_shortens_the_next():
    objective, curvature = bowl()
    calls = []

    def counted(x):
        calls.append(x)
        return objective(x)

    first = descend(counted, np.ones(12), curvature, 1e-6, 500)
    start = first.point + 0.1
    calls.clear()
    descend(counted, start, curvature, 1e-6, 500)
    alone = len(calls)
    calls.clear()
    descend(counted, start, curvature, 1e-6, 500, first.pairs)
    assert len(calls) < alone


def test_second_derivatives_by_all_pairs_shorten_the_search():
    calls = []

    def steps(pairs):
        objective, curvature = bowl(pairs=pairs)
        calls.clear()
        descend(lambda x: calls.append(x) or objective(x), np.ones(12), curvature, 1e-6, 500)
        return len(calls)

    assert steps(pairs=True) < steps(pairs=False)


def test_a_quadratic_bowl_takes_one_step_if_its_second_derivatives_are_known():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(9, 5))
    H, centre = A.T @ A, rng.normal(size=5)
    calls = []

    def objective(x):
        calls.append(x)
        return float((x - centre) @ H @ (x - centre) / 2), H @ (x - centre)

    found = descend(objective, np.zeros(5), H, 1e-12, 50)
    np.testing.assert_allclose(calls[1], centre, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.point, centre, rtol=0, atol=1e-9)


def test_what_is_held_at_zero_leaves_the_others_their_own_minimum():
    H = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 1.0]])
    slope = np.array([3.0, -4.0, 1.0])  # the first wants to go below zero
    found = descend(
        lambda x: (float(x @ H @ x / 2 + slope @ x), H @ x + slope), np.ones(3), H, 1e-14, 50, (), 1
    )
    expected = [0.0, *np.linalg.solve(H[1:, 1:], -slope[1:])]
    np.testing.assert_allclose(found.point, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("d", [1, 2, 7, 40])
def test_the_inverse_is_that_of_linear_algebra(d):
    A = np.random.default_rng(d).normal(size=(d + 3, d))
    np.testing.assert_allclose(inverse(A.T @ A) @ (A.T @ A), np.eye(d), rtol=0, atol=1e-9)


def test_pairs_that_bend_the_wrong_way_are_left_out():
    objective, curvature = bowl()
    wrong = Pair.of(np.ones(12), -np.ones(12))
    plain = descend(objective, np.ones(12), curvature, 1e-6, 500)
    np.testing.assert_array_equal(
        descend(objective, np.ones(12), curvature, 1e-6, 500, [wrong]).point, plain.point
    )


def test_steps_that_run_out_and_values_that_are_no_numbers_say_so():
    objective, curvature = bowl()
    assert not descend(objective, np.ones(12), curvature, 1e-13, 2).converged
    assert not descend(lambda x: (np.nan, x), np.ones(2), np.ones(2), 1e-6, 5).converged


def test_a_start_at_the_minimum_stays_there():
    found = descend(lambda x: (float(x @ x), 2 * x), np.zeros(3), np.ones(3), 1e-6, 5)
    assert found.converged
    np.testing.assert_array_equal(found.point, 0)


def test_what_is_near_zero_and_wants_to_go_there_arrives():
    found = descend(
        lambda x: (float((x[0] + 1) ** 2), 2 * x + 2), np.array([5e-4]), np.full(1, 2.0), 0, 50, (), 1
    )
    assert found.converged
    assert found.point.tolist() == [0.0]


def test_a_step_four_times_too_long_is_cut_to_where_a_parabola_is_lowest():
    tried = []

    def parabola(x):
        tried.append(float(x[0]))
        return float(x[0] ** 2), 2 * x

    assert descend(parabola, np.ones(1), np.array([0.5]), 1e-12, 50).point.tolist() == [0.0]
    assert tried == [1.0, -3.0, 0.0]


@pytest.mark.parametrize("number", [0, 1, 2, 6])
@pytest.mark.parametrize("compiled", [False, True])
def test_the_direction_is_that_of_the_matrix_which_the_pairs_make(monkeypatch, number, compiled):
    """The update of Broyden, Fletcher, Goldfarb and Shanno written out, pair after pair."""
    monkeypatch.setattr(descent, "_is_long", lambda vector: compiled)
    rng = np.random.default_rng(number)
    A = rng.normal(size=(20, 8))
    steps = rng.normal(size=(number, 8))
    pairs = [Pair.of(step, A.T @ (A @ step)) for step in steps]
    curvature, gradient = rng.random(8) + 0.5, rng.normal(size=8)
    matrix = np.diag(1 / curvature)
    if pairs:
        matrix *= pairs[-1].product / (pairs[-1].change @ matrix @ pairs[-1].change)
    for step, change, product in pairs:
        turn = np.eye(8) - np.outer(step, change) / product
        matrix = turn @ matrix @ turn.T + np.outer(step, step) / product
    found = descent._direction(pairs, gradient, descent._Scale(curvature))
    np.testing.assert_allclose(found, -matrix @ gradient, rtol=0, atol=1e-10)


def test_compiled_code_is_for_long_vectors():
    assert not descent._is_long(np.empty(descent.WORTH_COMPILING - 1))
    descent.COMPILED.load()
    assert descent._is_long(np.empty(descent.WORTH_COMPILING))
