"""Local PCA: the space, the rank of clusters, and how rounds end."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from pgm_nb.models.local_pca.clusters import (
    LocalPCATrace,
    class_scores,
    cluster,
    grow_clusters,
    learn_space,
    marginal,
)


def grow(X, y, vote="winner", max_iter=100):
    space = learn_space(X)
    k = int(y.max()) + 1
    names = tuple(str(c) for c in range(k))
    return space, *grow_clusters(
        space.scaled(X), y, space, names, vote=vote, log_prior=np.zeros(k), max_iter=max_iter
    )


def test_space_leaves_out_what_never_varies():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 50))
    space = learn_space(np.column_stack([a, b * 1e6, 250 * a, np.full(50, 3.0), a - b]))
    assert space.basis.shape == (5, 2)
    assert space.scale[3] == 0
    np.testing.assert_allclose(space.basis.T @ space.basis, np.eye(2), atol=1e-12)


def test_density_is_the_full_covariance_gaussian():
    rng = np.random.default_rng(0)
    mix = rng.normal(size=(3, 3))
    Z = rng.normal(size=(40, 3)) @ mix
    part = cluster(0, 40, Z.mean(axis=0), np.cov(Z.T, bias=True), np.eye(3))
    expected = multivariate_normal(Z.mean(axis=0), np.cov(Z.T, bias=True)).logpdf(Z)
    np.testing.assert_allclose(part.log_density(Z), expected, rtol=0, atol=1e-10)


def test_rank_deficient_clusters_are_none():
    flat = np.array([[1.0, 1.0], [1.0, 1.0]])
    assert cluster(0, 9, np.zeros(2), flat, np.eye(2)) is None
    assert cluster(0, 9, np.zeros(2), np.zeros((2, 2)), np.eye(2)) is None
    assert cluster(0, 9, np.zeros(2), flat + 1e-6 * np.eye(2), np.eye(2)) is not None


def test_marginal_is_that_of_scipy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4))
    space = learn_space(X)
    Z = space.scaled(X)
    part = cluster(0, 60, Z.mean(axis=0), np.cov(Z.T, bias=True), space.basis)
    known = np.array([True, False, True, True])
    left = marginal(part, known, space.restricted(known))
    expected = multivariate_normal(part.mean[known], part.covariance[np.ix_(known, known)]).logpdf(
        Z[:, known]
    )
    np.testing.assert_allclose(left.log_density(Z[:, known]), expected, rtol=0, atol=1e-9)


def test_votes():
    Z = np.array([[0.0], [1.0]])
    parts = [cluster(0, 5, np.array([m]), np.eye(1), np.eye(1)) for m in (0.0, 1.0)]
    one = [part.log_density(Z) for part in parts]
    np.testing.assert_allclose(class_scores(parts, Z, 1, "winner")[:, 0], np.maximum(*one))
    np.testing.assert_allclose(class_scores(parts, Z, 1, "sum")[:, 0], np.logaddexp(*one))


@given(st.integers(0, 10**6), st.sampled_from(["winner", "sum"]))
@settings(max_examples=40)
def test_rounds_on_random_tables(seed, vote):
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(8, 80)), int(rng.integers(1, 5)), int(rng.integers(2, 4))
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    X = rng.normal(size=(n, d)).round(int(rng.integers(0, 3)))
    space, clusters, trace = grow(X, y, vote)
    errors = [step.error for step in trace.iterations]
    assert errors[: trace.kept + 1] == sorted(set(errors[: trace.kept + 1]), reverse=True)
    assert errors[trace.kept] == min(errors)
    kept = trace.iterations[trace.kept]
    assert tuple(np.bincount([part.owner for part in clusters], minlength=k)) == kept.clusters
    assert min(kept.clusters) >= 1
    scores = class_scores(clusters, space.scaled(X), k, vote)
    assert np.mean(scores.argmax(axis=1) != y) == pytest.approx(kept.error)
    assert LocalPCATrace.from_dict(trace.to_dict()) == trace


def test_reasons_to_stop():
    rng = np.random.default_rng(0)
    apart = np.vstack([rng.normal(0, 1, (20, 2)), rng.normal(50, 1, (20, 2))])
    y = np.repeat([0, 1], 20)
    assert grow(apart, y)[2].reason == "no training row is misclassified"
    mixed = rng.normal(size=(40, 2))
    assert grow(mixed, y, max_iter=1)[2].reason == "max_iter=1 was reached"
