"""Predictions of a table, and the list of its cases."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.evaluate import predictions as module
from pgm_nb.evaluate.predictions import having, predictions
from pgm_nb.scoring.folds import make_folds


@pytest.fixture(scope="module")
def iris():
    X, y = pnb.load_sample("iris")
    return pnb.TreeAugmentedNaiveBayes().fit(X, y), X, y


def test_parts_give_the_whole(iris, monkeypatch):
    model, X, y = iris
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 40)
    seen = []
    found = predictions(model, X.assign(**{"class": y}), seen.append)
    assert seen == pytest.approx([40 / 150, 80 / 150, 120 / 150, 1.0])
    np.testing.assert_array_equal(found.iloc[:, 1:].to_numpy(), model.predict_proba(X))
    assert (found["prediction"] == model.predict(X)).all()


def test_other_orders_more_columns_and_empty_cells(iris):
    model, X, _ = iris
    other = X.iloc[:3, ::-1].assign(note="x").reset_index(drop=True)
    other.loc[0, "petal width"] = np.nan
    found = predictions(model, other)
    np.testing.assert_array_equal(found.iloc[:, 1:].to_numpy(), model.predict_proba(other[X.columns]))


def test_an_absent_column_is_named(iris):
    model, X, _ = iris
    with pytest.raises(DataError, match=r"no column 'petal width'.*did you mean 'petal_width'"):
        predictions(model, X.rename(columns={"petal width": "petal_width"}))
    with pytest.raises(DataError, match="was numeric at training"):
        predictions(model, pd.DataFrame({name: ["wide"] for name in X}))


@pytest.fixture(scope="module")
def heart():
    return pnb.load_sample("heart")


@pytest.fixture(scope="module")
def by_row(heart):
    return pnb.cases(pnb.NaiveBayes(n_bins=3), *heart, cv=3, order="row")


def test_every_probability_is_of_a_model_that_has_not_seen_the_row(heart, by_row):
    X, y = heart
    assert by_row["row"].tolist() == list(range(1, len(X) + 1))
    for fold in make_folds(X, np.asarray(y), 3, 0):
        model = clone(pnb.NaiveBayes(n_bins=3)).fit(X.iloc[fold.train], y.iloc[fold.train])
        chances = model.predict_proba(X.iloc[fold.test])
        np.testing.assert_allclose(by_row["probability"].iloc[fold.test], chances.max(axis=1), atol=1e-12)
        truth = np.searchsorted(model.classes_, y.iloc[fold.test])
        own = chances[np.arange(len(truth)), truth]
        np.testing.assert_allclose(by_row["probability_of_class"].iloc[fold.test], own, atol=1e-12)
    assert (by_row["class"] == y.astype(str).to_numpy()).all()
    assert (by_row["wrong"] == (by_row["class"] != by_row["predicted"])).all()


def test_orders(heart, by_row):
    X, y = heart
    wrong = pnb.cases(pnb.NaiveBayes(n_bins=3), X, y, cv=3)
    count = int(by_row["wrong"].sum())
    assert 0 < count < len(X)
    assert wrong["wrong"].tolist() == [True] * count + [False] * (len(X) - count)
    assert wrong["probability_of_class"][:count].is_monotonic_increasing
    doubt = pnb.cases(pnb.NaiveBayes(n_bins=3), X, y, cv=3, order="doubt")
    assert doubt["probability"].is_monotonic_increasing
    sure = pnb.cases(pnb.NaiveBayes(n_bins=3), X, y, cv=3, order="sure")
    assert sure["probability"].is_monotonic_decreasing
    with pytest.raises(DataError, match="order must be one of wrong, doubt, sure, row"):
        pnb.cases(pnb.NaiveBayes(), X, y, cv=3, order="best")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("age", 64.0, [0, 1, 0, 0]),
        ("age", pnb.between(30, 64), [1, 1, 0, 0]),
        ("age", pnb.above(30), [0, 1, 0, 1]),
        ("age", None, [0, 0, 1, 0]),
        ("colour", "red", [1, 0, 0, 0]),
        ("colour", pnb.not_("red"), [0, 1, 0, 1]),
        ("colour", pnb.one_of("red", None), [1, 0, 1, 0]),
        ("colour", pnb.likelihood({"red": 0.2, "blue": 0.0}), [1, 0, 0, 0]),
    ],
)
def test_filters(name, value, expected):
    frame = pd.DataFrame({"age": [30.0, 64.0, np.nan, 70.0], "colour": ["red", "blue", None, "green"]})
    assert having(frame, name, value).astype(int).tolist() == expected


def test_rows_that_have_names_are_named():
    X, y = pnb.load_sample("iris")
    plain = pnb.cases(pnb.NaiveBayes(), X, y, cv=5)
    assert "id" not in plain
    named = X.set_axis([f"P{place:03d}" for place in range(150)])
    found = pnb.cases(pnb.NaiveBayes(), named, y.set_axis(named.index), cv=5)
    assert found.columns[1] == "id"
    assert found["id"].tolist() == [f"P{row - 1:03d}" for row in plain["row"]]
    pd.testing.assert_frame_equal(found.drop(columns="id"), plain)
