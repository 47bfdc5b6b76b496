"""Rows classified for a file."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.evaluate import predictions as module
from pgm_nb.evaluate.predictions import predictions


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
