"""Moments, densities and information of Gaussians against definitions written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from pgm_nb.models.gaussian_density import (
    Gaussians,
    class_information,
    log_densities,
    log_likelihoods,
    moments,
)


@given(st.integers(0, 10**6))
@settings(max_examples=50)
def test_moments_are_numpys_and_additive(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(rng.normal(0, 100), 1, (50, 3)), rng.integers(0, 3, 50)
    weights = rng.integers(1, 4, 50).astype(float)
    cut = int(rng.integers(1, 49))
    whole = moments(X, y, 3, weights)
    parts = moments(X[:cut], y[:cut], 3, weights[:cut]) + moments(X[cut:], y[cut:], 3, weights[cut:])
    for c in np.unique(y):
        rows = np.repeat(X[y == c], weights[y == c].astype(int), axis=0)
        for made in (whole, parts):
            np.testing.assert_allclose(made.mean[c], rows.mean(axis=0), rtol=1e-12)
            np.testing.assert_allclose(made.variance[c], rows.var(axis=0), rtol=1e-9, atol=1e-12)
    together = whole.together()
    rows = np.repeat(X, weights.astype(int), axis=0)
    np.testing.assert_allclose(together.variance[0], rows.var(axis=0), rtol=1e-9)


def test_empty_class_and_all_unknown():
    made = moments(np.array([[1.0, np.nan], [2.0, np.nan]]), np.array([0, 0]), 2)
    np.testing.assert_array_equal(made.weight, [[2, 0], [0, 0]])
    np.testing.assert_array_equal(made.variance, [[0.25, 0], [0, 0]])
    with pytest.raises(ValueError, match="read-only"):
        made.mean[0, 0] = 1


def test_log_densities_are_sums_of_log_likelihoods():
    rng = np.random.default_rng(0)
    gaussians = Gaussians(rng.normal(size=(3, 4)), rng.random((3, 4)) + 0.1)
    X = rng.normal(size=(20, 4))
    X[::3, 1] = np.nan
    X[5] = np.nan
    expected = np.nansum(
        norm.logpdf(X[:, None, :], gaussians.mean, np.sqrt(gaussians.variance)), axis=2
    )  # nansum: the factor of an unknown cell is one
    np.testing.assert_allclose(log_densities(gaussians, X), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(log_likelihoods(gaussians, X).sum(axis=1), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(log_densities(gaussians, X)[5], 0)


@pytest.mark.parametrize(
    ("means", "deviations", "prior"),
    [((0, 1), (1, 1), (0.5, 0.5)), ((0, 0), (1, 4), (0.3, 0.7)), ((0, 2, 2.5), (1, 0.2, 1), (0.2, 0.3, 0.5))],
)
def test_class_information_is_the_integral(means, deviations, prior):
    def integrand(x):
        densities = norm.pdf(x, means, deviations)
        return sum(
            p * f * np.log2(f / np.dot(prior, densities))
            for p, f in zip(prior, densities, strict=True)
            if f > 0
        )

    expected, _ = quad(integrand, -30, 30, limit=500, points=sorted(set(means)))
    gaussians = Gaussians(
        np.array(means, dtype=float)[:, None], np.array(deviations, dtype=float)[:, None] ** 2
    )
    assert class_information(gaussians, np.array(prior))[0] == pytest.approx(expected, abs=1e-8)


def test_class_information_of_mixtures():
    mean, variance = np.array([[0.0], [8.0], [4.0], [12.0]]), np.ones((4, 1))
    weight, owner = np.full(4, 0.25), np.array([0, 0, 1, 1])
    told = class_information(Gaussians(mean, variance), weight, owner)[0]
    alone = class_information(Gaussians(mean, variance), weight)[0]
    assert told < 1 < alone < 2  # which class, and which of four heaps
    split = class_information(Gaussians(mean[[0, 0, 2, 2]], variance), weight, owner)[0]
    assert split == pytest.approx(class_information(Gaussians(mean[[0, 2]], variance[:2]), weight[:2] * 2)[0])
