"""How unsure training makes the scores: against second derivatives, draws and plain formulas."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import polygamma

import pgm_nb as pnb
from pgm_nb.certainty.draws import TableDraws, TablePosterior
from pgm_nb.certainty.training_spread import (
    any_trigamma,
    jackknife_variance,
    log_variance,
    table_variance,
    training_spread,
    weight_factor,
)
from pgm_nb.tables.families import Families
from pgm_nb.training.conditional import class_losses


@pytest.mark.parametrize("seed", range(4))
def test_the_covariance_is_the_inverse_of_the_second_derivative(seed):
    rng = np.random.default_rng(seed)
    n, s, k = 30, 3, int(rng.integers(2, 4))
    terms, y, point = rng.normal(size=(n, s, k)), rng.integers(0, k, n), rng.normal(size=s + k)
    spread, level, bias = 7.0, 5.0, 3.0

    def loss(parameters):
        weights, b = parameters[:s], parameters[s:]
        losses, shares = class_losses(b + np.einsum("nsk,s->nk", terms, weights), y)
        apart, off = weights - weights.mean(), weights.mean() - 1
        return losses.sum() + (spread * apart @ apart + level * off**2 + bias * b @ b) / 2, shares

    step, size = 1e-4, s + k
    hessian = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            a, b = np.eye(size)[i] * step, np.eye(size)[j] * step
            around = [loss(point + u * a + v * b)[0] * u * v for u in (1, -1) for v in (1, -1)]
            hessian[i, j] = sum(around) / (4 * step**2)
    found = weight_factor(terms, loss(point)[1], n, spread, level, bias)
    np.testing.assert_allclose(found @ found.T, np.linalg.inv(hessian), rtol=1e-4, atol=1e-6)


def test_the_jackknife_of_a_mean_is_its_variance():
    values = np.random.default_rng(1).normal(size=40)
    means = (values.sum() - values) / 39
    replicates = np.stack([means, np.zeros(40)], axis=-1)[:, None, :]
    even = np.array([[0.5, 0.5]])
    found = jackknife_variance(replicates, 40, even)[0]
    assert found == pytest.approx(values.var(ddof=1) / 40 / 4, rel=1e-12)  # half the difference, squared


def posterior():
    rng = np.random.default_rng(2)
    tables = (rng.integers(0, 30, size=(2, 3)), rng.integers(0, 9, size=(2, 3, 2)))
    return TablePosterior(Families(np.array([40, 60]), (0, 1), (-1, 0), tables))


def test_variances_are_those_of_the_draws():
    found, codes = posterior(), np.array([[1], [0]], dtype=np.uint8)
    drawn = TableDraws(found, 40_000).factors([np.array([1]), np.array([0])])
    first, second = (table.reshape(2, 40_000) for table in drawn.tables)
    np.testing.assert_allclose(log_variance(found.rows[0])[:, 1], first.var(axis=1), rtol=0.04)
    np.testing.assert_allclose(log_variance(found.rows[1])[:, 1, 0], second.var(axis=1), rtol=0.04)
    weights = np.array([0.5, 2.0])
    total = 0.5 * first + 2 * second + drawn.log_prior.reshape(2, -1)
    np.testing.assert_allclose(table_variance(found, weights, codes)[0], total.var(axis=1), rtol=0.04)


def test_draws_are_stretched_by_the_ratio_and_never_shrunk():
    found, weights = posterior(), np.ones(2)
    codes, shares = np.array([[1], [0]], dtype=np.uint8), np.array([[0.5, 0.5]])
    expected = (0.25 * table_variance(found, weights, codes)).sum()
    apart = np.sqrt(expected * 2.25 * 5 / 16)  # two replicates: the scores differ by 2 * sqrt(2) * this
    replicates = [np.array([[apart * np.sqrt(2), 0.0]]), np.array([[-apart * np.sqrt(2), 0.0]])]
    assert training_spread(replicates, 5, found, weights, codes, shares) == pytest.approx(1.5, rel=1e-9)
    assert training_spread([np.zeros((1, 2))] * 2, 5, found, weights, codes, shares) == 1.0
    assert training_spread([np.zeros((1, 2))], 5, found, weights, codes, shares) == 1.0


def test_attributes_that_say_the_same_twice_do_not_make_an_interval_narrower(tmp_path):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 400)
    X = pd.DataFrame({f"x{i}": np.where(rng.random(400) < 0.75, y, 1 - y).astype(str) for i in range(4)})
    twice = X.assign(**{f"{name} again": X[name] for name in X})
    once = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    model = pnb.NaiveBayes(parameters="class", smoothing=1.0).fit(twice, y)
    assert model.class_parameters_.weights[-1].max() < 0.7  # it learned that they repeat each other
    case = {"x0": "1", "x1": "0", "x2": "1", "x3": "0"}
    again = case | {f"{name} again": value for name, value in case.items()}
    widths = [
        float((found["high"] - found["low"])[0])
        for found in (once.credible_interval(case), model.credible_interval(again))
    ]
    assert widths[1] > 0.9 * widths[0]
    model.save(tmp_path / "twice.pgmnb")
    loaded = pnb.load(tmp_path / "twice.pgmnb")
    assert loaded.credible_interval(again).equals(model.credible_interval(again))


def test_the_variance_of_the_classes_is_that_of_their_draws():
    few = TablePosterior(Families(np.array([1, 3]), (0,), (-1,), (np.array([[1, 0], [2, 1]]),)))
    drawn = TableDraws(few, 40_000).log_prior().var(axis=0)
    found = table_variance(few, np.zeros(1), np.array([[0]], dtype=np.uint8))[0]
    np.testing.assert_allclose(found, drawn, rtol=0.04)


def test_trigamma_is_that_of_scipy():
    x = np.geomspace(1e-6, 1e6, 500)
    np.testing.assert_allclose(any_trigamma(x), polygamma(1, x), rtol=1e-7)
