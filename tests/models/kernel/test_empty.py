"""A kernel model asked about a few values: all others are unknown, also where the table had gaps."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb


@pytest.fixture(scope="module")
def gaps():
    X, y = pnb.load_sample("heart")
    X = X.astype(object).mask(np.random.default_rng(0).random(X.shape) < 0.1).infer_objects()
    return X, y


@pytest.mark.parametrize("kernel", ["hobbit", "gaussian"])
def test_what_is_not_named_is_unknown(gaps, kernel):
    X, y = gaps
    model = pnb.KernelSemiNaiveBayes(kernel=kernel).fit(X, y)
    prior = np.exp(model.class_log_prior_)
    empty = pd.DataFrame([dict.fromkeys(X.columns)])
    np.testing.assert_allclose(model.query("class")["probability"], prior, rtol=0, atol=1e-12)
    unknown = model.empty_as("unknown")
    np.testing.assert_allclose(unknown.predict_proba(empty)[0], prior, rtol=0, atol=1e-12)
    assert abs(model.predict_proba(empty)[0] - prior).max() > 0.05  # there an empty cell is a state
    again = unknown.empty_as("missing").predict_proba(X)
    np.testing.assert_array_equal(again, model.predict_proba(X))
    given = {"age": 60.0, "chest pain type": "asymptomatic"}
    asked = model.query("class", given=given)["probability"].to_numpy()
    row = empty.assign(**{name: [value] for name, value in given.items()})
    np.testing.assert_allclose(asked, unknown.predict_proba(row)[0], rtol=0, atol=1e-12)
    scores = model.case_scores(given)[0]
    np.testing.assert_allclose(asked, np.exp(scores - np.logaddexp.reduce(scores)), rtol=0, atol=1e-12)
    terms = model.case_terms(given)
    np.testing.assert_allclose(terms.prior + terms.values[0].sum(axis=0), scores, rtol=0, atol=1e-9)
    such = (X["chest pain type"] == "asymptomatic") & (X["age"].astype(float) == 60)
    assert (asked[1] > 0.5) == (y[such] == "present").mean() > 0.5
