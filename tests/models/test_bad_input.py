"""Every bad table gets a sentence that says what, where and what to do; nothing is silently lost."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.models import TABLE_MODELS

X = pd.DataFrame({"age": [1, 2, 3, 4] * 5, "sex": ["f", "m", "f", "m"] * 5})
Y = pd.Series(["a", "b", "b", "a"] * 5, name="class")


@pytest.fixture(params=TABLE_MODELS, ids=lambda kind: kind.__name__)
def model(request):
    return request.param()


def test_no_rows(model):
    with pytest.raises(DataError, match="no rows"):
        model.fit(X.iloc[:0], Y.iloc[:0])


def test_no_attributes(model):
    with pytest.raises(DataError, match="no attributes"):
        model.fit(X[[]], Y)


def test_one_attribute_works(model):
    fitted = model.fit(X[["age"]], Y)
    assert fitted.structure_.attributes == ("age",)
    assert fitted.predict_proba(X[["age"]]).sum(axis=1) == pytest.approx(1)


def test_one_class(model):
    with pytest.raises(DataError, match="class"):
        model.fit(X, ["same"] * 20)


def test_constant_column_is_kept_and_says_nothing(model):
    fitted = model.fit(X.assign(constant=7), Y)
    assert fitted.structure_.relevance["constant"] == 0


def test_duplicate_column_names(model):
    twice = pd.concat([X, X[["age"]]], axis=1)
    with pytest.raises(DataError, match="age"):
        model.fit(twice, Y)


def test_class_missing_in_some_rows(model):
    y = Y.copy()
    y[[3, 7]] = None
    with pytest.raises(DataError, match=r"missing \(NaN\) in 2 rows of 20"):
        model.fit(X, y)


def test_infinite_value(model):
    with pytest.raises(DataError, match=r"age.*infinity|infinity.*age"):
        model.fit(X.assign(age=[np.inf, *range(19)]), Y)


def test_all_missing_column(model):
    fitted = model.fit(X.assign(empty=np.nan), Y)
    assert fitted.missing_.by_column["empty"] == 20
    for policy in ("drop", "mode"):
        with pytest.raises(DataError, match="empty"):
            type(model)(missing=policy).fit(X.assign(empty=np.nan), Y)


def test_ten_thousand_categories(model):
    table = pd.DataFrame({"id": [f"patient {i}" for i in range(10_000)], "sex": ["f", "m"] * 5000})
    with pytest.raises(DataError, match=r"id.*10,000"):
        model.fit(table, ["a", "b"] * 5000)


def test_mixed_types_in_a_column(model):
    with pytest.raises(DataError, match="mixed"):
        model.fit(X.assign(mixed=pd.Series([1, "two", 3.0, "four"] * 5, dtype=object)), Y)


def test_rows_and_labels_do_not_match(model):
    with pytest.raises(DataError, match="the table has 20 rows, but the class column has 7"):
        model.fit(X, Y.head(7))


def test_a_column_is_missing_at_prediction(model):
    fitted = model.fit(X, Y)
    with pytest.raises(ValueError, match="sex"):
        fitted.predict(X[["age"]])


def test_a_number_became_text(model):
    fitted = model.fit(X, Y)
    with pytest.raises(DataError, match="age"):
        fitted.predict(X.assign(age="old"))


def test_missing_cells_are_counted(model):
    holes = X.astype({"age": float})
    holes.loc[[0, 5], "age"] = np.nan
    holes.loc[5, "sex"] = None
    report = model.fit(holes, Y).missing_
    assert (report.rows, report.cells, dict(report.by_column)) == (2, 3, {"age": 2, "sex": 1})
    dropped = type(model)(missing="drop").fit(holes, Y)
    assert dropped.missing_.rows_dropped == 2
    assert dropped.learned_.counts.y.sum() == 18


def test_dropping_rows_must_not_lose_a_class(model):
    holes = X.astype({"age": float})
    holes.loc[Y == "a", "age"] = np.nan
    with pytest.raises(DataError, match="every row of class a"):
        type(model)(missing="drop").fit(holes, Y)


def test_class_with_the_name_of_an_attribute(model):
    fitted = model.fit(X, Y.rename("age"))
    assert fitted.structure_.target == "age_"


@pytest.mark.parametrize("smoothing", [-1, 0, np.inf, np.nan, "much"])
def test_smoothing_that_makes_no_sense(model, smoothing):
    with pytest.raises(DataError, match=r"smoothing must be .*a positive number"):
        model.set_params(smoothing=smoothing).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"discretizer": "magic"}, "discretizer"),
        ({"n_bins": 1}, "n_bins"),
        ({"missing": "ignore"}, "missing"),
        ({"discretizer": {"agee": [2.0]}}, "age"),
        ({"discretizer": {"age": [3.0, 2.0]}}, "age"),
    ],
)
def test_parameters_that_make_no_sense(model, parameters, message):
    with pytest.raises(DataError, match=message):
        model.set_params(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"search": "best"}, "search must be 'greedy'"), ({"max_clusters": 0}, "max_clusters must be a whole")],
)
def test_searches_that_make_no_sense(parameters, message):
    with pytest.raises(DataError, match=message):
        pnb.GeneralizedNaiveBayes(**parameters).fit(X, Y)


@pytest.mark.parametrize("ending", ["svg", "json", "graphml", "dot"])
def test_nothing_but_constant_columns_is_exported_too(model, tmp_path, ending):
    table = pd.DataFrame({"a": [1.0] * 8, "b": ["same"] * 8})
    fitted = model.fit(table, ["x", "x", "x", "y"] * 2)
    assert fitted.predict_proba(table)[0].sum() == pytest.approx(1, abs=1e-12)
    fitted.export(tmp_path / f"m.{ending}")
    assert (tmp_path / f"m.{ending}").stat().st_size > 100


def test_a_table_without_the_names_of_training_is_taken_in_order(model):
    """As scikit-learn does, which warns; so are named columns by a model that was trained without names."""
    answers = model.fit(X, Y).predict_proba(X)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert np.array_equal(model.predict_proba(X.to_numpy()), answers)
    answers = model.fit(X.to_numpy(), Y).predict_proba(X.to_numpy())
    with pytest.warns(UserWarning, match="X has feature names, but"):
        assert np.array_equal(model.predict_proba(X), answers)


def test_a_failed_training_in_a_pipeline_says_why(model):
    """The model forgets what it has learned, not what scikit-learn has put there."""
    with pytest.raises(TypeError, match="Sparse data was passed for X"):
        make_pipeline(OneHotEncoder(), model).fit(X, Y)
    with config_context(enable_metadata_routing=True):
        asked = model.fit(X, Y).set_fit_request(sample_weight=True)
        with pytest.raises(DataError, match="no rows"):
            asked.fit(X[:0], Y[:0])
        assert asked.get_metadata_routing().fit.requests == {"sample_weight": True}
        assert not hasattr(asked, "classes_")
