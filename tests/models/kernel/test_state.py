"""A window over a stream: after any batches the model is the one fitted on the rows of the window."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_estimators_partial_fit_n_features,
    check_n_features_in_after_fitting,
)

import pgm_nb as pnb
from pgm_nb.errors import DataError

VARIANTS = [
    pnb.KernelSemiNaiveBayes(window=30),
    pnb.KernelSemiNaiveBayes(window=30, threshold=0.3, anticorrelation=True, smoothing=None),
    pnb.KernelSemiNaiveBayes(window=30, missing="drop", log_columns=["b"]),
    pnb.KernelSemiNaiveBayes(window=30, missing="mode", threshold=None),
    pnb.KernelSemiNaiveBayes(window=30, discretizer="quantile"),
    pnb.KernelSemiNaiveBayes(window=30, kernel="gaussian", smoothing=None),
]
every_variant = pytest.mark.parametrize("model", VARIANTS, ids=str)


@pytest.mark.parametrize(
    "check",
    [
        check_dataframe_column_names_consistency,
        check_estimators_partial_fit_n_features,
        check_n_features_in_after_fitting,
    ],
)
def test_what_scikit_learn_asks_of_partial_fit(check):
    check("KernelSemiNaiveBayes", pnb.KernelSemiNaiveBayes(window=10_000))


def stream(rng, n, shift=0.0):
    """Numbers that drift, a word whose states change, a yes or no, and missing cells."""
    y = rng.choice(["no", "perhaps", "yes"], n, p=[0.6, 0.1, 0.3])
    late = rng.random(n) < shift / 3
    X = pd.DataFrame(
        {
            "a": rng.normal(shift, 1 + shift, n) + (y == "yes"),
            "b": rng.integers(1, 4 + int(shift), n),
            "word": np.where(late, "new", rng.choice(["old", "older"], n)).astype(object),
            "flag": rng.random(n) < 0.5,
            "gaps": np.where(rng.random(n) < 0.2 * (shift > 0.5), np.nan, rng.normal(size=n)),
        }
    )
    return X, y


def assert_same(slid, fresh, rows):
    """Predictions agree to 1e-9; a class that has left the window is impossible."""
    there = np.isin(slid.classes_, fresh.classes_)
    scores = slid.predict_joint_log_proba(rows)
    assert np.isneginf(scores[:, ~there]).all()
    np.testing.assert_allclose(scores[:, there], fresh.predict_joint_log_proba(rows), rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        slid.predict_proba(rows)[:, there], fresh.predict_proba(rows), rtol=0, atol=1e-9
    )
    assert slid.missing_ == fresh.missing_
    one, other = (model.structure_for(rows.iloc[[0]]) for model in (slid, fresh))
    assert one.groups == other.groups


@every_variant
def test_after_any_batches_it_is_the_model_of_the_window(model):
    rng = np.random.default_rng(3)
    slid, (X, y) = clone(model), stream(rng, 25)
    slid.partial_fit(X, y, classes=["no", "perhaps", "yes"])
    for number, size in enumerate((20, 5, 40, 12), start=1):  # 40: more than the window holds
        more, y_more = stream(rng, size, shift=0.4 * number)
        slid.partial_fit(more, y_more)
        X, y = pd.concat([X, more], ignore_index=True).tail(30), np.append(y, y_more)[-30:]
        fresh = clone(model).set_params(window=None).fit(X, y)
        assert_same(slid, fresh, stream(rng, 8, shift=1.0)[0])


def test_a_class_may_leave_the_window_and_come_back():
    X, y = stream(np.random.default_rng(0), 60)
    y = np.where(np.arange(60) < 20, "perhaps", np.where(y == "perhaps", "no", y))
    for kernel in ("hobbit", "gaussian"):
        for smoothing in (1.0, None):
            model = pnb.KernelSemiNaiveBayes(window=20, kernel=kernel, smoothing=smoothing)
            slid = clone(model).partial_fit(X[:40], y[:40], classes=["no", "perhaps", "yes"])
            assert_same(slid, clone(model).fit(X[20:40], y[20:40]), X)
            slid.partial_fit(X[:20], y[:20]).partial_fit(X[40:50], y[40:50])
            last = np.r_[10:20, 40:50]
            assert_same(slid, clone(model).set_params(window=None).fit(X.iloc[last], y[last]), X)


@every_variant
def test_a_saved_window_moves_on(model, tmp_path):
    rng = np.random.default_rng(0)
    (X, y), (more, y_more) = stream(rng, 40), stream(rng, 15, shift=1.0)
    model = clone(model).fit(X, y)
    model.save(tmp_path / "model.pgmnb")
    loaded = pnb.load(tmp_path / "model.pgmnb")
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
    model.partial_fit(more, y_more)
    loaded.partial_fit(more, y_more)
    np.testing.assert_allclose(loaded.predict_proba(more), model.predict_proba(more), rtol=0, atol=1e-12)
    last, y_last = pd.concat([X, more], ignore_index=True).tail(30), np.append(y, y_more)[-30:]
    assert_same(loaded, clone(model).set_params(window=None).fit(last, y_last), more)


def test_fit_learns_from_the_last_rows():
    X, y = stream(np.random.default_rng(0), 50)
    slid = pnb.KernelSemiNaiveBayes(window=30).fit(X, y)
    assert_same(slid, pnb.KernelSemiNaiveBayes().fit(X.tail(30), y[-30:]), X)


def test_ordered_categories_stay_ordered(mixed):
    X, y = mixed
    slid = pnb.KernelSemiNaiveBayes(window=100).fit(X.head(60), y.head(60))
    slid.partial_fit(X.iloc[60:140], y.iloc[60:140])
    assert_same(slid, pnb.KernelSemiNaiveBayes().fit(X.iloc[40:140], y.iloc[40:140]), X.tail(20))
    assert slid.encoder_.columns[4].kind == "ordered"


def test_the_index_is_kept_and_stays_as_small_as_the_window():
    rng = np.random.default_rng(0)
    model = pnb.KernelSemiNaiveBayes(window=50).fit(*stream(rng, 50))
    trees = model._index.trees
    for _ in range(20):
        model.partial_fit(*stream(rng, 10))
    assert model._index.trees is trees
    assert sum(tree.n_rows for tree in trees) == 50
    assert sum(len(tree._place_of) for tree in trees) < 150  # of 250 rows that have been there


class TestBadInput:
    X, y = stream(np.random.default_rng(0), 40)

    def test_no_window(self):
        model = pnb.KernelSemiNaiveBayes()
        assert not hasattr(model, "partial_fit")
        with pytest.raises(AttributeError, match="partial_fit"):
            model.fit(self.X, self.y).partial_fit(self.X, self.y)
        with pytest.raises(DataError, match="fitted without window= and has not kept its rows"):
            model.set_params(window=10).partial_fit(self.X, self.y)

    @pytest.mark.parametrize("window", [0, 2.5, True, "all"])
    def test_a_window_that_is_no_number_of_rows(self, window):
        with pytest.raises(DataError, match="window must be a number of rows"):
            pnb.KernelSemiNaiveBayes(window=window).fit(self.X, self.y)

    def test_classes(self):
        model = pnb.KernelSemiNaiveBayes(window=20)
        with pytest.raises(DataError, match="classes must be passed on the first call"):
            model.partial_fit(self.X, self.y)
        model.fit(self.X, self.y)
        with pytest.raises(DataError, match="class never is not among the classes"):
            model.partial_fit(self.X.head(1), ["never"])
        with pytest.raises(DataError, match="differ from those of the first call"):
            model.partial_fit(self.X, self.y, classes=["no", "never"])

    def test_a_bad_batch_changes_nothing(self):
        model = pnb.KernelSemiNaiveBayes(window=20).fit(self.X, self.y)
        before = model.predict_proba(self.X)
        for batch in (self.X.assign(a="text"), self.X.assign(a=np.inf), self.X.assign(word=7)):
            with pytest.raises(DataError):
                model.partial_fit(batch, self.y)
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(self.X.drop(columns="a"), self.y)
        assert (model.predict_proba(self.X) == before).all()
