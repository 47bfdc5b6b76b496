"""Multinomial naive Bayes is scikit-learn's; unknown counts are summed out of the multinomial."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln
from sklearn.naive_bayes import MultinomialNB
from sklearn.preprocessing import OneHotEncoder

import pgm_nb as pnb
from pgm_nb.errors import DataError


def counts(n=120, d=5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    shares = rng.dirichlet(np.ones(d), 3)
    X = np.array([rng.multinomial(rng.integers(3, 20), shares[c]) for c in y])
    return pd.DataFrame(X, columns=list("abcde")[:d]), y


@pytest.mark.parametrize("alpha", [1.0, 0.01, 7])
def test_it_is_scikit_learns(alpha):
    X, y = counts()
    weights = np.random.default_rng(1).random(len(y))
    for weight in (None, weights):
        ours = pnb.MultinomialNaiveBayes(alpha=alpha).fit(X, y, sample_weight=weight)
        theirs = MultinomialNB(alpha=alpha).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(np.log(ours.shares_), theirs.feature_log_prob_, rtol=0, atol=1e-12)


def test_words_count_once():
    X, y = counts(d=3)
    words = np.random.default_rng(2).choice(["r", "s", "t"], len(y))
    ours = pnb.MultinomialNaiveBayes().fit(X.assign(word=words), y)
    coded = np.c_[X, OneHotEncoder(sparse_output=False).fit_transform(words[:, None])]
    theirs = MultinomialNB().fit(coded, y)
    np.testing.assert_allclose(
        ours.predict_proba(X.assign(word=words)), theirs.predict_proba(coded), rtol=1e-9, atol=1e-15
    )
    terms = ours.terms(X.assign(word=words))
    np.testing.assert_allclose(
        terms.scores(), ours.predict_joint_log_proba(X.assign(word=words)), rtol=0, atol=1e-12
    )


def test_an_unknown_count_is_summed_out():
    """By adding up rows with every count that the unknown one may have, the totals Poisson."""
    X, y = counts(d=3)
    model = pnb.MultinomialNaiveBayes().fit(X, y)
    mean = X.to_numpy().sum() / len(X)
    assert model.mean_total_ == pytest.approx(mean, rel=1e-12)
    a, b = 2, 3
    found = model.predict_proba(pd.DataFrame({"a": [a], "b": [b], "c": [np.nan]}))[0]
    shares, prior = model.shares_, np.exp(model.class_log_prior_)
    c = np.arange(400)
    total = a + b + c
    log_rows = [  # P(total) times the multinomial of the whole row
        total * np.log(mean) - mean - gammaln(total + 1)
        + gammaln(total + 1) - gammaln(a + 1) - gammaln(b + 1) - gammaln(c + 1)
        + a * np.log(share[0]) + b * np.log(share[1]) + c * np.log(share[2])
        for share in shares
    ]  # fmt: skip
    wanted = prior * np.exp(log_rows).sum(axis=1)
    np.testing.assert_allclose(found, wanted / wanted.sum(), rtol=1e-9)


def test_negative_numbers_are_counted_from_the_smallest():
    X, y = counts()
    low = X.assign(a=X["a"] - 5)
    one, two = pnb.MultinomialNaiveBayes().fit(X, y), pnb.MultinomialNaiveBayes().fit(low, y)
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(low), rtol=0, atol=1e-12)
    assert "so a is counted from the smallest number in training" in two.about_probabilities_
    assert not one.about_probabilities_
    assert (two.predict_proba(low.assign(a=-9.0)) == two.predict_proba(low.assign(a=-5.0))).all()


@pytest.mark.parametrize("alpha", [0, -1, np.inf, "one"])
def test_refusals(alpha):
    with pytest.raises(DataError, match="alpha must be a positive number"):
        pnb.MultinomialNaiveBayes(alpha=alpha).fit(*counts())
