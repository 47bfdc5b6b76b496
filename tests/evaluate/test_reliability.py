"""Reliability with much and little known, on rows that were not trained on."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.evaluate.reliability import hide_cells
from pgm_nb.scoring.folds import make_folds
from pgm_nb.scoring.metrics import accuracy, log_loss

NAIVE = pnb.NaiveBayes(n_bins=5, smoothing=1.0, parameters="generative")


@pytest.fixture(scope="module")
def zoo():
    return pnb.load_sample("zoo")


def test_all_known_is_plain_cross_validation():
    X, y = pnb.load_sample("iris")
    found = pnb.calibration(NAIVE, X, y, cv=4, random_state=3).levels["all"]
    compared = pnb.compare({"NB": NAIVE}, X, y, cv=4, random_state=3)
    assert found.curve.error == pytest.approx(compared.to_frame()["ece"][0], abs=1e-12)
    np.testing.assert_array_equal(found.curve.rows, compared.reliabilities[0].rows)


def test_a_level_by_hand():
    """One attribute known: each row by the model of its fold, with the same cells hidden."""
    X, y = pnb.load_sample("iris")
    found = pnb.calibration(NAIVE, X, y, cv=3).levels["one attribute"]
    classes, truth = np.unique(y, return_inverse=True)
    given, right = [], []
    for fold in make_folds(X, np.asarray(y), 3, 0):
        model = pnb.NaiveBayes(n_bins=5, smoothing=1.0, parameters="generative")
        model.fit(X.iloc[fold.train], y.iloc[fold.train])
        given.append(model.predict_proba(hide_cells(X.iloc[fold.test], 1, fold.number)))
        right.append(truth[fold.test])
    given, right = np.concatenate(given), np.concatenate(right)
    assert found.log_loss == pytest.approx(log_loss(given, right), abs=1e-12)
    assert found.accuracy == accuracy(given, right)
    assert len(classes) == 3


def test_a_hidden_cell_is_not_the_state_missing():
    """Every empty test is of an ill person: hidden cells must not say so."""
    X = pd.DataFrame({"test": ["pos", "neg", None, None] * 10, "sex": list("fmfm") * 10})
    y = pd.Series(["ill", "well", "ill", "ill"] * 10)
    found = pnb.calibration(NAIVE, X, y, cv=2).levels["one attribute"]
    given, right = [], []
    for fold in make_folds(X, np.asarray(y), 2, 0):
        model = pnb.NaiveBayes(n_bins=5, smoothing=1.0, parameters="generative")
        model.fit(X.iloc[fold.train], y.iloc[fold.train])
        left = hide_cells(X.iloc[fold.test], 1, fold.number)
        given.append(model.empty_as("unknown").predict_proba(left))
        right.append((y.iloc[fold.test] == "well").to_numpy().astype(int))
    assert found.log_loss == pytest.approx(log_loss(np.concatenate(given), np.concatenate(right)), abs=1e-12)
    assert not np.allclose(model.predict_proba(left), given[-1])


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model(kind, zoo):
    table = pnb.calibration(kind(), *zoo, cv=3).to_frame()
    assert table["known"].tolist() == ["one attribute", "a quarter", "half", "all"]
    assert table["attributes"].tolist() == [1, 4, 8, 16]
    assert table["ece"].between(0, 1).all()
    assert table["accuracy"].iloc[-1] > table["accuracy"].iloc[0]


def test_models_of_others_get_empty_cells_filled():
    table = pnb.calibration(LogisticRegression(max_iter=500), *pnb.load_sample("wine"), cv=3).to_frame()
    assert table["accuracy"].iloc[-1] > 0.9


def test_few_attributes_have_few_levels():
    X, y = pnb.load_sample("iris")
    assert list(pnb.calibration(NAIVE, X[["petal width"]], y, cv=3).levels) == ["all"]
    assert pnb.calibration(NAIVE, X, y, cv=3).to_frame()["attributes"].tolist() == [1, 2, 4]


def test_hidden_cells():
    X = pd.DataFrame(
        {
            "n": range(40),
            "b": [True, False] * 20,
            "w": list("xy") * 20,
            "c": pd.Categorical(list("pq") * 20),
            "f": np.linspace(0, 1, 40),
        }
    )
    for known in range(6):
        left = hide_cells(X, known, 1)
        assert (left.notna().sum(axis=1) == known).all()
        assert (left.isna() | (left == X)).all(axis=None)
    pd.testing.assert_frame_equal(hide_cells(X, 2, 5), hide_cells(X, 2, 5))
    assert not hide_cells(X, 2, 5).equals(hide_cells(X, 2, 6))


def test_progress_and_cancelling():
    done = []
    pnb.calibration(NAIVE, *pnb.load_sample("iris"), cv=4, progress=done.append)
    assert done == [0.25, 0.5, 0.75, 1.0]

    def stop(fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pnb.calibration(NAIVE, *pnb.load_sample("iris"), cv=4, progress=stop)


def test_what_is_wrong_is_said():
    X, y = pnb.load_sample("iris")
    with pytest.raises(DataError, match="every row needs one class"):
        pnb.calibration(NAIVE, X, y[:99])
    with pytest.raises(DataError, match="known must be one of one attribute, half, all, but is 'most'"):
        pnb.calibration(NAIVE, X, y, cv=3).chart("most")
