"""The smaller model, and what it costs."""

import numpy as np
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.explain.importance import out_of_fold
from pgm_nb.scoring.folds import make_folds
from pgm_nb.scoring.metrics import accuracy, log_loss

MODEL = pnb.GeneralizedNaiveBayes(parameters="generative", smoothing="backoff")


def test_the_costs_are_those_of_the_two_models(table):
    X, y = table(5, seed=2, n=150)
    names = ["x3", "x0"]
    kept = pnb.keep_only(MODEL, X, y, names, cv=3)
    codes = np.unique(y, return_inverse=True)[1]
    found = []
    for columns in (list(X.columns), ["x0", "x3"]):
        for fold in make_folds(X, y.to_numpy(), 3, 0):
            fitted = clone(MODEL).fit(X.iloc[fold.train][columns], y.iloc[fold.train])
            posterior = fitted.predict_proba(X.iloc[fold.test][columns])
            found.append((log_loss(posterior, codes[fold.test]), accuracy(posterior, codes[fold.test])))
    before, after = np.array(found).reshape(2, 3, 2).mean(axis=1)
    assert (kept.log_loss.before, kept.accuracy.before) == pytest.approx(tuple(before), abs=1e-12)
    assert (kept.log_loss.after, kept.accuracy.after) == pytest.approx(tuple(after), abs=1e-12)
    assert kept.log_loss.low < after[0] - before[0] < kept.log_loss.high
    assert kept.names == ("x0", "x3")
    assert kept.left_out == ("x1", "x2", "x4")
    assert (kept.model.predict_proba(X[["x0", "x3"]]) == clone(MODEL).fit(X[["x0", "x3"]], y).predict_proba(
        X[["x0", "x3"]])).all()  # fmt: skip


def test_models_at_hand_are_not_trained_again(table):
    X, y = table(3, seed=2)
    whole = out_of_fold(MODEL, X, y)
    one, two = (pnb.keep_only(MODEL, X, y, ["x1"], **more) for more in ({}, {"whole": whole}))
    assert one.log_loss == two.log_loss
    assert one.accuracy == two.accuracy


def test_nothing_left_out_costs_nothing(table):
    X, y = table(3, seed=2)
    kept = pnb.keep_only(MODEL, X, y, list(X.columns))
    assert kept.log_loss.before == kept.log_loss.after
    assert not kept.log_loss.sure
    assert "With 3 of 3 attributes" in str(kept)


def test_names_are_checked(table):
    X, y = table(3, seed=2)
    with pytest.raises(DataError, match=r"'x9' is no attribute of the table.*attributes: x0, x1, x2"):
        pnb.keep_only(MODEL, X, y, ["x9"])
    with pytest.raises(DataError, match="no attribute would be left"):
        pnb.keep_only(MODEL, X, y, [])
