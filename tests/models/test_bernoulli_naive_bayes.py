"""Bernoulli naive Bayes is scikit-learn's, and categorical naive Bayes for columns of words."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import BernoulliNB, CategoricalNB

import pgm_nb as pnb
from pgm_nb.errors import DataError


@pytest.mark.parametrize(("threshold", "alpha"), [(0.0, 1.0), (20.0, 0.5), (100.0, 3.0)])
def test_it_is_scikit_learns(threshold, alpha):
    X, y = pnb.load_sample("wdbc")
    ours = pnb.BernoulliNaiveBayes(threshold=threshold, alpha=alpha).fit(X, y)
    theirs = BernoulliNB(alpha=alpha, binarize=threshold).fit(X.to_numpy(), y)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X.to_numpy()), rtol=1e-9, atol=1e-15
    )


def test_zeros_and_ones_need_no_threshold():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = pd.DataFrame((rng.random((200, 6)) < 0.2 + 0.2 * y[:, None]).astype(int), columns=list("abcdef"))
    ours = pnb.BernoulliNaiveBayes().fit(X, y)
    theirs = BernoulliNB().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)


def test_words_keep_their_states():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 150)
    codes = (rng.integers(0, 3, (150, 4)) + y[:, None]) % 3
    X = pd.DataFrame(np.array(["r", "s", "t"])[codes], columns=list("abcd"))
    ours = pnb.BernoulliNaiveBayes(alpha=0.7).fit(X, y)
    theirs = CategoricalNB(alpha=0.7).fit(codes, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(codes), rtol=0, atol=1e-12)


@pytest.mark.parametrize("parameters", [{"threshold": "mean"}, {"threshold": np.inf}, {"alpha": 0}])
def test_refusals(parameters):
    with pytest.raises(DataError, match=next(iter(parameters))):
        pnb.BernoulliNaiveBayes(**parameters).fit(*pnb.load_sample("iris"))


def test_nomogram_and_queries():
    X, y = pnb.load_sample("heart")
    model = pnb.BernoulliNaiveBayes().fit(X, y)
    found = model.query("class", given={"age": 70})
    np.testing.assert_allclose(
        found["probability"], model.predict_proba(pd.DataFrame([{"age": 70.0}], columns=X.columns))[0]
    )
