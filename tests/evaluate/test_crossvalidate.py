"""Models on the same folds, and how they are prepared for a table."""

import multiprocessing

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.evaluate.crossvalidate import MOST_COLUMNS, PEERS, named, seeded, with_preprocessing
from pgm_nb.scoring.folds import drawn_rows

FRAME = pd.DataFrame(
    {
        "age": [40.0, np.nan, 60.0, 65.0, 70.0, 30.0],
        "count": pd.array([1, None, 3, 4, 5, 6], dtype="Int64"),
        "smokes": pd.array([True, None, False, True, False, True], dtype="boolean"),
        "sex": ["f", "m", None, "f", "m", "f"],
        "stage": pd.Categorical(["I", "II", None, "I", "II", "III"], ["I", "II", "III", "IV"], ordered=True),
        "word": pd.array(["a", None, "b", "a", "b", "a"], dtype="string"),
        "empty": [np.nan] * 6,
    }
)
Y = np.array(["well", "well", "ill", "ill", "ill", "well"])


@pytest.mark.parametrize(
    "model",
    [
        *(make() for _, make in PEERS.values()),
        GradientBoostingClassifier(n_estimators=2),
        KNeighborsClassifier(1),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_any_classifier_takes_any_table(model):
    fitted = with_preprocessing(model).fit(FRAME, Y)
    unseen = FRAME.assign(sex=["x", None, "f", "m", "f", "m"], stage="IV", age=[np.nan] * 6)
    for rows in (FRAME, unseen):
        probabilities = fitted.predict_proba(rows)
        assert probabilities.shape == (6, 2)
        assert probabilities.sum(axis=1) == pytest.approx(1.0)


def test_what_logistic_regression_sees():
    frame = pd.DataFrame({"age": [10.0, np.nan, 30.0, 50.0], "sex": ["f", "m", None, "f"]})
    seen = with_preprocessing(LogisticRegression())[:-1].fit_transform(frame, [0, 1, 0, 1])
    filled = np.array([10.0, 30.0, 30.0, 50.0])  # the median is 30
    flags = np.array([0, 1, 0, 0])
    assert seen[:, 0] == pytest.approx((filled - filled.mean()) / filled.std())
    assert seen[:, 1] == pytest.approx((flags - flags.mean()) / flags.std())
    assert seen[:, 2:].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]  # f, m, missing


def test_a_classifier_that_takes_nan_gets_numbers_as_they_are():
    frame = pd.DataFrame({"age": [10.0, np.nan, 30.0, 50.0]})
    seen = with_preprocessing(RandomForestClassifier())[:-1].fit_transform(frame, [0, 1, 0, 1])
    np.testing.assert_array_equal(seen, frame.to_numpy())


def test_many_words_share_a_column():
    frame = pd.DataFrame({"code": [f"c{i}" for i in range(500)]})
    seen = with_preprocessing(LogisticRegression())[:-1].fit_transform(frame, np.arange(500) % 2)
    assert seen.shape == (500, MOST_COLUMNS)


def test_ours_and_pipelines_stay_as_they_are():
    ours, pipe = pnb.NaiveBayes(n_bins=3), make_pipeline(StandardScaler(), LogisticRegression())
    for model in (ours, pipe):
        entered = with_preprocessing(model)
        assert type(entered) is type(model)
        assert entered is not model
        assert len(entered.get_params()) == len(model.get_params())


def test_seeds_reach_every_part_that_has_none():
    forest = seeded(with_preprocessing(RandomForestClassifier()), 3)
    assert forest[-1].random_state == 3
    assert seeded(with_preprocessing(RandomForestClassifier(random_state=8)), 3)[-1].random_state == 8
    assert seeded(pnb.NaiveBayes(), 3).get_params() == pnb.NaiveBayes().get_params()


def test_names():
    assert list(named({"a": pnb.NaiveBayes(), 2: pnb.NaiveBayes()})) == ["a", "2"]
    same = [LogisticRegression(), LogisticRegression(C=2.0), pnb.NaiveBayes(), LogisticRegression()]
    assert list(named(same)) == [
        "LogisticRegression()",
        "LogisticRegression(C=2.0)",
        "Naive Bayes",
        "LogisticRegression() (2)",
    ]


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        (pnb.NaiveBayes(), "models must be a list of classifiers, or a mapping"),
        ("nb", "models must be a list of classifiers, or a mapping"),
        ([], "there is no model to compare"),
        ([pnb.NaiveBayes], "must be a classifier, such as NaiveBayes"),
        ([LinearRegression()], "'LinearRegression' must be a classifier"),
        ({"ridge": RidgeClassifier()}, "'ridge' gives no probabilities"),
    ],
)
def test_who_cannot_take_part(models, sentence):
    with pytest.raises(DataError, match=sentence):
        named(models)


class Picky(ClassifierMixin, BaseEstimator):
    """Fails where the training rows hold the first row; takes any table."""

    def __init__(self, always=False):
        self.always = always

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.always or 0 in set(np.asarray(X)[:, 0]):
            raise ValueError("the first row is\nnot to my taste")
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


class Silent(DummyClassifier):
    """Says that it does not know."""

    def predict_proba(self, X):
        return super().predict_proba(X) * np.nan


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.array(["ill", "well", "well"] * 20)
    X = pd.DataFrame(
        {
            "row": np.arange(60.0),
            "fever": np.where(y == "ill", 39.0, 37.0) + rng.normal(size=60),
            "cough": np.where(rng.random(60) < 0.2, None, rng.choice(["yes", "no"], 60)),
        }
    )
    return X, y


def test_scores_are_those_of_cross_validation(table):
    """The folds of cv=5 are those of StratifiedKFold, the scores those of scikit-learn."""
    X, y = table
    X = X[["fever"]]
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    folds = StratifiedKFold(5, shuffle=True, random_state=np.random.RandomState(3))
    folds = list(folds.split(X, y))
    result = pnb.compare({"as it is": LogisticRegression(), "piped": pipe}, X, y, cv=5, random_state=3)
    expected = cross_val_score(pipe, X, y, cv=folds)
    for name in ("as it is", "piped"):
        own = result.scores[result.scores["model"] == name]
        assert own["accuracy"].to_numpy() == pytest.approx(expected, abs=1e-12)
    probabilities = cross_val_predict(pipe, X, y, cv=folds, method="predict_proba")
    bits = [log_loss(y[test], probabilities[test]) / np.log(2) for _, test in folds]
    assert result.scores["log_loss"][:5].to_numpy() == pytest.approx(bits, rel=1e-9)
    assert result.classes == ("ill", "well")


def test_everyone_gets_the_same_rows(table):
    X, y = table
    seen = {}

    class Spy(DummyClassifier):
        def fit(self, X, y):
            seen.setdefault(self.constant, []).append(tuple(np.asarray(X)[:, 0]))
            return super().fit(X, y)

    pnb.compare([Spy(constant="a"), Spy(constant="b")], X[["row"]], y, cv="2x3")
    assert len(seen["a"]) == 6
    assert seen["a"] == seen["b"]


def test_the_result_does_not_depend_on_the_number_of_processes(table):
    X, y = table
    models = {
        "NB": pnb.NaiveBayes(),
        "forest": RandomForestClassifier(5),
        "fails": pnb.LocalPCAMixture(vote="no"),
    }
    alone, together = (pnb.compare(models, X, y, cv=3, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(alone.values[:, :, :4], together.values[:, :, :4])
    assert alone.failed == together.failed
    assert len(alone.failed) == 3
    pd.testing.assert_frame_equal(alone.calibration(), together.calibration())
    other = pnb.compare(models, X, y, cv=3, random_state=1)
    assert not np.array_equal(alone.values[1, :, 1], other.values[1, :, 1])

    def stop(fraction):
        raise KeyboardInterrupt

    assert [child for child in multiprocessing.active_children() if "Loky" in type(child).__name__]
    with pytest.raises(KeyboardInterrupt):
        pnb.compare(models, X, y, cv="20x3", n_jobs=2, progress=stop)
    assert not [child for child in multiprocessing.active_children() if "Loky" in type(child).__name__]


def test_progress_tells_fractions_and_may_cancel(table):
    X, y = table
    told = []
    pnb.compare([DummyClassifier(), pnb.NaiveBayes()], X, y, cv=3, progress=told.append)
    assert told == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1])

    class Cancelled(Exception):
        pass

    fitted = []

    class Spy(DummyClassifier):
        def fit(self, X, y):
            fitted.append(1)
            return super().fit(X, y)

    def cancel(fraction):
        if fraction >= 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        pnb.compare([Spy()], X, y, cv="2x3", progress=cancel)
    assert len(fitted) == 3


def test_a_model_that_fails_is_named_and_the_others_go_on(table):
    X, y = table
    result = pnb.compare({"NB": pnb.NaiveBayes(), "picky": Picky(), "silent": Silent()}, X, y, cv=3)
    assert list(result.failures) == ["model", "repeat", "fold", "reason"]
    assert list(result.failure_sentences()) == [
        "picky failed in 2 of 3 folds: the first row is not to my taste",
        "silent failed in 3 of 3 folds: its probabilities are not all numbers",
    ]
    table = result.to_frame().set_index("model")
    assert table["failed"].to_dict() == {"NB": 0, "picky": 2, "silent": 3}
    assert table["accuracy"].isna().to_dict() == {"NB": False, "picky": False, "silent": True}
    pairs = result.pairs()
    assert pairs["folds"].tolist() == [1, 0, 0]
    assert pairs["p_holm"].isna().all()
    assert "not to my taste" in result._repr_html_()
    assert len(result.chart().to_dict()["layer"]) == 5


def test_when_nobody_finishes(table):
    with pytest.raises(DataError, match="no model finished any fold; picky failed with: the first row"):
        pnb.compare({"picky": Picky(always=True)}, *table, cv=3)


def test_a_class_that_is_missing_in_training_is_never_predicted():
    X, y = pd.DataFrame({"x": [0.0, 1, 2, 3, 4, 5]}), np.array(["a", "b", "a", "b", "c", "c"])
    result = pnb.compare([DummyClassifier()], X, y, cv=KFold(3))
    last = result.scores.iloc[2]
    assert (last["accuracy"], last["log_loss"]) == (0.0, 52.0)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"y": np.array(["a"] * 60)}, "at least two classes are needed"),
        ({"y": np.array(["a", "b"])}, "the table has 60 rows and y has 2"),
        ({"cv": 21}, "'ill' has 20 rows: use at most 20 folds"),
        ({"models": []}, "there is no model"),
        ({"random_state": "now"}, "random_state must be a whole number from 0, or None, but it is 'now'"),
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"n_jobs": 0}, "n_jobs must be a number of processes"),
    ],
)
def test_mistakes(table, change, sentence):
    X, y = table
    options = {"models": [DummyClassifier()], "X": X, "y": y, **change}
    with pytest.raises(DataError, match=sentence):
        pnb.compare(options.pop("models"), options.pop("X"), options.pop("y"), **options)


def test_labels_and_tables_of_any_kind(table):
    X, y = table
    for labels in (pd.Series(y, name="fever"), pd.Categorical(y), y == "ill", (y == "ill").astype(int)):
        result = pnb.compare([pnb.NaiveBayes(), LogisticRegression()], X, labels, cv=2)
        assert not result.failed
        assert (result.to_frame()["accuracy"] > 0.6).all()
    array = X[["row", "fever"]].to_numpy()
    assert not pnb.compare([pnb.NaiveBayes(), LogisticRegression()], array, y, cv=2).failed


def test_a_large_table_is_tested_on_a_part_of_its_rows(table):
    X, y = table
    part = pnb.compare([pnb.NaiveBayes()], X, y, cv=5, most_rows=30)
    assert (part.n_rows, part.of_rows) == (30, 60)
    assert part.folds[:, 3].sum() == 30
    assert repr(part) == "Comparison: Naive Bayes on 30 of 60 rows, 5 folds"
    rows = drawn_rows(np.where(y == "ill", 0, 1), 30, 0)
    alone = pnb.compare([pnb.NaiveBayes()], X.iloc[rows], y[rows], cv=5)
    pd.testing.assert_series_equal(part.scores["log_loss"], alone.scores["log_loss"])
    with pytest.raises(DataError, match="most_rows must be a number of rows"):
        pnb.compare([pnb.NaiveBayes()], X, y, cv=5, most_rows=1)


def test_results_come_fold_by_fold(table):
    X, y = table
    models, seen = {"NB": pnb.NaiveBayes(), "picky": Picky()}, []
    whole = pnb.compare(models, X, y, cv=5, watch=seen.append)
    assert [len(part.folds) for part in seen] == [1, 2, 3, 4]
    assert {part.asked for part in seen} == {5}
    for count, part in enumerate(seen, 1):
        np.testing.assert_array_equal(part.values[:, :, :4], whole.values[:, :count, :4])


def test_whoever_watches_can_stop_it(table):
    class Enough(Exception):
        pass

    def stop(part):
        raise Enough

    with pytest.raises(Enough):
        pnb.compare([pnb.NaiveBayes()], *table, cv=5, watch=stop)
