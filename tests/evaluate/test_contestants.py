"""Who takes part, and the preprocessing that scikit-learn's classifiers get."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.evaluate.contestants import MOST_COLUMNS, PEERS, named, seeded, with_preprocessing

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
