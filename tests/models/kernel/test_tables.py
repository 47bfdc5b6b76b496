"""Kernel semi-naive Bayes on tables and with parameters that are hard to take."""

import numpy as np
import pandas as pd
import pytest

from pgm_nb.errors import DataError
from pgm_nb.models.kernel.model import KernelSemiNaiveBayes

BOTH = pytest.mark.parametrize("kernel", ["hobbit", "gaussian"])
TABLE = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0] * 5, "sex": ["f", "m", "f", "m"] * 5})
LABELS = pd.Series(["a", "b", "b", "a"] * 5, name="class")


@BOTH
def test_text_in_a_numeric_column(kernel):
    fitted = KernelSemiNaiveBayes(kernel=kernel).fit(TABLE, LABELS)
    with pytest.raises(DataError, match=r"'age' was numeric at training and is text now \(such as 'old'\)"):
        fitted.predict(TABLE.assign(age="old"))


@BOTH
def test_infinities(kernel):
    with pytest.raises(DataError, match="'age' contains infinity in row 1"):
        KernelSemiNaiveBayes(kernel=kernel).fit(TABLE.assign(age=[np.inf, *range(19)]), LABELS)
    fitted = KernelSemiNaiveBayes(kernel=kernel).fit(TABLE, LABELS)
    with pytest.raises(DataError, match="infinity"):
        fitted.predict(TABLE.assign(age=-np.inf))


@BOTH
def test_zero_variance_says_nothing(kernel):
    with_it = KernelSemiNaiveBayes(kernel=kernel, smoothing=None).fit(TABLE.assign(same=0.1), LABELS)
    without = KernelSemiNaiveBayes(kernel=kernel, smoothing=None).fit(TABLE, LABELS)
    np.testing.assert_allclose(
        with_it.predict_proba(TABLE.assign(same=99.0)), without.predict_proba(TABLE), rtol=0, atol=1e-12
    )


@BOTH
def test_one_row_per_class(kernel):
    X = pd.DataFrame({"age": [10.0, 20.0, 40.0]})
    fitted = KernelSemiNaiveBayes(kernel=kernel).fit(X, ["a", "b", "c"])
    assert fitted.predict(X).tolist() == ["a", "b", "c"]


@BOTH
def test_a_value_far_outside_still_gets_the_nearer_class(kernel):
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 7.0, 8.0, 9.0]})
    fitted = KernelSemiNaiveBayes(kernel=kernel, smoothing=None).fit(X, ["young"] * 3 + ["old"] * 3)
    assert fitted.predict(pd.DataFrame({"age": [-1e6, 1e6]})).tolist() == ["young", "old"]


def test_missing_cells_at_training():
    holes = TABLE.copy()
    holes.loc[[0, 5], "age"] = np.nan
    holes.loc[5, "sex"] = None
    state = KernelSemiNaiveBayes().fit(holes, LABELS)
    assert (state.missing_.rows, state.missing_.cells) == (2, 3)
    assert state.structure_for(holes.iloc[[5]]).unknown == ()
    dropped = KernelSemiNaiveBayes(missing="drop").fit(holes, LABELS)
    assert dropped.missing_.rows_dropped == 2
    whole = KernelSemiNaiveBayes().fit(holes.drop(index=[0, 5]), LABELS.drop(index=[0, 5]))
    assert (dropped.predict_proba(TABLE) == whole.predict_proba(TABLE)).all()
    filled = KernelSemiNaiveBayes(missing="mode").fit(holes, LABELS)
    by_hand = KernelSemiNaiveBayes().fit(holes.fillna({"age": 3.0, "sex": "f"}), LABELS)
    assert (filled.predict_proba(TABLE) == by_hand.predict_proba(TABLE)).all()
    assert filled.structure_for(holes.iloc[[5]]).unknown == ("age", "sex")


def test_dropping_rows_must_not_lose_a_class():
    holes = TABLE.assign(age=TABLE["age"].where(LABELS != "a"))
    with pytest.raises(DataError, match="every row of class a"):
        KernelSemiNaiveBayes(missing="drop").fit(holes, LABELS)


def test_a_column_of_nothing():
    fitted = KernelSemiNaiveBayes().fit(TABLE.assign(empty=np.nan), LABELS)
    assert fitted.missing_.by_column["empty"] == 20
    without = KernelSemiNaiveBayes(smoothing=None).fit(TABLE, LABELS)
    with_it = KernelSemiNaiveBayes(smoothing=None).fit(TABLE.assign(empty=np.nan), LABELS)
    np.testing.assert_allclose(
        with_it.predict_proba(TABLE.assign(empty=np.nan)), without.predict_proba(TABLE), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": -0.1}, "threshold must be"),
        ({"threshold": "high"}, "threshold must be"),
        ({"smoothing": 0}, "smoothing must be a positive number from .* or None"),
        ({"smoothing": np.nan}, "smoothing must be a positive number from .* or None"),
        ({"kernel": "box"}, "kernel must be 'hobbit' or 'gaussian'"),
        ({"max_joined": 1}, "max_joined must be a whole number from 2 .* or None, but is 1"),
        ({"max_joined": 2.5}, "max_joined must be"),
        ({"max_joined": True}, "max_joined must be"),
        ({"bits": 0}, "bits must be a whole number from 1 to 16"),
        ({"bits": 2.5}, "bits must be"),
        ({"log_columns": "age"}, "list of column names"),
        ({"log_columns": ["agee"]}, "did you mean 'age'"),
        ({"log_columns": ["sex"]}, "'sex', which is not a numeric column"),
        ({"discretizer": "magic"}, "discretizer"),
        ({"missing": "ignore"}, "missing"),
    ],
)
def test_parameters_that_make_no_sense(parameters, message):
    with pytest.raises(DataError, match=message):
        KernelSemiNaiveBayes(**parameters).fit(TABLE, LABELS)


def test_log_scaling_makes_units_irrelevant():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"dose": rng.lognormal(sigma=2, size=60)})
    y = (X["dose"] > 1).astype(int)
    one = KernelSemiNaiveBayes(log_columns=["dose"]).fit(X, y)
    other = KernelSemiNaiveBayes(log_columns=["dose"]).fit(4 * X, y)
    assert (one.predict_proba(X) == other.predict_proba(4 * X)).all()
    assert one.score(X, y) > KernelSemiNaiveBayes().fit(X, y).score(X, y)
