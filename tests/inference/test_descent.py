"""The search for a minimum: against another solver, with and without parameters that must not be negative."""

import numpy as np
import pytest
from scipy.optimize import minimize

from pgm_nb.inference.descent import Pair, descend


def bowl(d=12, seed=0):
    """A random quartic bowl: its value and gradient, and its second derivatives at zero."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2 * d, d)) * np.geomspace(0.1, 10, d)
    b = rng.normal(size=2 * d) * 5

    def objective(x):
        away = A @ x - b
        return float((away**2 / 2 + 0.01 * away**4).sum()), A.T @ (away + 0.04 * away**3)

    return objective, (A**2 * (1 + 0.12 * b[:, None] ** 2)).sum(axis=0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("positive", [0, 6, 12])
def test_it_ends_where_another_solver_does(seed, positive):
    objective, curvature = bowl(seed=seed)
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
