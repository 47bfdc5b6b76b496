"""Credible intervals of Gaussian naive Bayes: against other ways to draw, and against the truth."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.models.gaussian_density import Gaussians
from pgm_nb.models.gaussian_naive_bayes import drawn_densities, drawn_prior, drawn_tables


def test_the_mean_drawn_has_students_distribution():
    """At the mean of the values, -2 log density - log variance is the squared distance of the drawn mean."""
    values = np.array([1.0, 2.0, 4.0, 9.0, 3.0])
    learned = Gaussians(np.array([[values.mean()]]), np.array([[values.var()]]))
    n = 20_000
    logs = drawn_densities(learned, np.array([[5.0]]), np.array([7.0]), n, np.random.default_rng(0))[0]
    rng = np.random.default_rng(1)
    mean = values.mean() + values.std(ddof=1) / np.sqrt(5) * rng.standard_t(4, n)
    squares = ((values[:, None] - mean) ** 2).sum(axis=0)  # given the mean, the variance is inverse gamma
    variance = squares / (2 * rng.standard_gamma(2.5, n))
    other = stats.norm.logpdf(7.0, mean, np.sqrt(variance))
    for share in (0.05, 0.25, 0.5, 0.75, 0.95):
        assert np.quantile(logs, share) == pytest.approx(np.quantile(other, share), abs=0.06)


def test_tables_and_prior_are_dirichlet():
    rng, n = np.random.default_rng(0), 40_000
    logs = drawn_tables([np.array([[3.0, 5.0]]), np.ones((1, 2))], 2.0, np.array([0, 2]), n, rng)
    assert np.exp(logs).mean() == pytest.approx(4 / 10, abs=0.003)
    assert np.exp(logs).var() == pytest.approx(stats.beta(4, 6).var(), rel=0.04)
    prior = np.exp(drawn_prior(np.array([3.0, 0.0, 7.0]), False, np.zeros(3), n, rng))
    np.testing.assert_allclose(prior.mean(axis=1), [4 / 12, 0, 8 / 12], atol=0.004)


def test_intervals_hold_the_truth():
    rng, held = np.random.default_rng(5), {1: [], 2: [], 4: []}
    for _ in range(40):
        mean, deviation, prior = rng.normal(size=(2, 4)), rng.uniform(0.5, 1.5, (2, 4)), rng.dirichlet([5, 5])
        y = rng.choice(2, 208, p=prior)
        X = pd.DataFrame(mean[y] + deviation[y] * rng.normal(size=(208, 4)), columns=list("abcd"))
        model = pnb.GaussianNaiveBayes().fit(X[8:], y[8:])
        for number, found in held.items():
            for _, row in X[:8].iterrows():
                places = rng.permutation(4)[:number]
                apart = (row.to_numpy()[places] - mean[:, places]) / deviation[:, places]
                logs = np.log(prior) - (apart**2 / 2 + np.log(deviation[:, places])).sum(axis=1)
                true = 1 / (1 + np.exp(logs[1] - logs[0]))
                ends = model.credible_interval(row.iloc[places].to_dict()).iloc[0]
                found.append(ends["low"] <= true <= ends["high"])
    for found in held.values():
        assert 0.85 < np.mean(found) < 0.95
    assert 0.88 < np.mean([*held[1], *held[2], *held[4]]) < 0.93


def test_words_priors_and_other_base_rates():
    X, y = pnb.load_sample("heart")
    model = pnb.GaussianNaiveBayes().fit(X, y)
    case = X.iloc[3].to_dict()
    found = model.credible_interval(case)
    np.testing.assert_allclose(found["probability"], model.predict_proba(X.iloc[[3]])[0], atol=1e-12)
    assert ((found["low"] <= found["probability"]) & (found["probability"] <= found["high"])).all()
    assert model.credible_interval(case).equals(found)
    rows = pnb.rows_behind(model, X, y)
    assert "credible" in pnb.how_sure(model, case, rows)[1]
    rare = pnb.how_sure(model, case, rows, label="present", prior={"present": 0.01, "absent": 0.99})
    often = pnb.how_sure(model, case, rows, label="present")
    assert rare[1] != often[1]
    fixed = pnb.GaussianNaiveBayes(priors=[0.5, 0.5]).fit(X, y).credible_interval()
    np.testing.assert_allclose(fixed[["low", "high"]], 0.5, rtol=1e-12)


def test_other_evidence_is_refused_in_one_sentence():
    X, y = pnb.load_sample("iris")
    model = pnb.GaussianNaiveBayes().fit(X, y)
    with pytest.raises(QueryError, match="plain value"):
        model.credible_interval({"petal width": pnb.above(1.0)})
    rows = pnb.rows_behind(model, X, y)
    assert len(pnb.how_sure(model, {"petal width": pnb.above(1.0)}, rows)) >= 1


def test_far_from_every_class_it_is_the_interval_of_the_prior():
    X, y = pnb.load_sample("iris")
    model = pnb.GaussianNaiveBayes().fit(X, y)
    far, nothing = model.credible_interval({"petal width": 1e200}), model.credible_interval()
    pd.testing.assert_frame_equal(far, nothing)
