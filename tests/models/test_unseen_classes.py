"""Classes and states that are declared and that no row has."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError, QueryError

ROWS_ONLY = ("bernoulli", "multinomial", "gaussian", "local-pca", "kernel")


def declared(y, extra="dragon"):
    return pd.Series(pd.Categorical(y, [extra, *sorted(set(y))]), name="class")


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_a_declared_class_is_kept_or_left_out_with_one_sentence(kind, tmp_path):
    X, y = pnb.load_sample("zoo")
    model = kind()
    if model.no_unseen_classes:
        assert kind.about.short_name in ROWS_ONLY
        with pytest.warns(UserWarning, match="No row has the class 'dragon', and .* its probability is zero"):
            model.fit(X, declared(y))
        assert model.classes_.tolist() == sorted(set(y))
        assert "'dragon'" in model.about_probabilities_
        model.save(tmp_path / "zoo.pgmnb")
        loaded = pnb.load(tmp_path / "zoo.pgmnb")
        assert loaded.about_probabilities_ == model.about_probabilities_
        [said] = loaded._describe_class(str).sentences
        assert said.endswith(model.about_probabilities_)
        plain = kind().fit(X, y)
        assert "dragon" not in plain._describe_class(str).sentences[0]
        np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
        assert plain.about_probabilities_ == ""
        assert model.fit(X, y).about_probabilities_ == ""
        return
    model.fit(X, declared(y))
    assert model.classes_.tolist() == sorted({*y, "dragon"})
    found = model.predict_proba(X)
    place = model.classes_.tolist().index("dragon")
    assert (found[:, place] > 0).all()
    assert found[:, place].max() < 0.05
    assert (model.predict(X) == y).mean() > 0.95
    model.save(tmp_path / "zoo.pgmnb")
    np.testing.assert_array_equal(pnb.load(tmp_path / "zoo.pgmnb").predict_proba(X), found)


def test_its_probability_is_that_of_the_smoothed_prior_and_tables_by_hand():
    X = pd.DataFrame({"a": ["x", "x", "z", "z"]})
    y = pd.Categorical(["no", "no", "no", "yes"], ["never", "no", "yes"])
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    rows = {"never": (0, 0), "no": (3, 2), "yes": (1, 0)}  # rows, and those with a = x
    joint = np.array([(n + 1 / 3) / 5 * (x + 1 / 2) / (n + 1) for n, x in rows.values()])
    np.testing.assert_allclose(model.predict_proba(X.head(1))[0], joint / joint.sum(), rtol=1e-12)
    found = model.query("class", given={"a": "x"})["probability"]
    np.testing.assert_allclose(found, joint / joint.sum(), rtol=1e-12)


def test_tables_without_smoothing_leave_it_out():
    X, y = pnb.load_sample("zoo")
    model = pnb.NaiveBayes(smoothing=None, parameters="generative")
    with pytest.warns(UserWarning, match="tables without smoothing know a class from its rows alone"):
        model.fit(X, declared(y))
    assert "dragon" not in model.classes_


def test_one_class_with_rows_is_not_enough():
    with pytest.raises(DataError, match="only one class"):
        pnb.NaiveBayes().fit(pd.DataFrame({"a": ["x", "z"]}), pd.Categorical(["no", "no"], ["no", "yes"]))


def test_dropping_rows_does_not_blame_a_class_that_never_had_any():
    X, y = pnb.load_sample("zoo")
    X = X.assign(milk=X["milk"].where(np.arange(len(X)) % 7 > 0))
    model = pnb.NaiveBayes(missing="drop", parameters="generative").fit(X, declared(y))
    assert "dragon" in model.classes_


def test_numbers_declared_as_classes_stay_numbers():
    X = pd.DataFrame({"a": ["x", "x", "z", "z"]})
    model = pnb.NaiveBayes(parameters="generative").fit(X, pd.Categorical([10, 10, 2, 2], [2, 3, 10]))
    assert model.classes_.tolist() == [2, 3, 10]
    assert model.predict(X).tolist() == [10, 10, 2, 2]


def test_comparisons_look_at_the_classes_that_occur():
    X, y = pnb.load_sample("iris")
    result = pnb.compare([pnb.NaiveBayes(), pnb.GaussianNaiveBayes()], X, declared(y), cv=3)
    assert result.classes == ("setosa", "versicolor", "virginica")
    assert not result.failed


@pytest.mark.parametrize("kind", pnb.MODELS)
@pytest.mark.parametrize("ordered", [False, True])
def test_declared_states_that_no_row_has_are_kept(kind, ordered):
    X, y = pnb.load_sample("iris")
    size = pd.Categorical(
        np.where(X["petal width"] > 1, "large", "small"), ["small", "large", "huge"], ordered=ordered
    )
    X = X[["petal length"]].assign(size=size)
    model = kind().fit(X, y)
    seen = {column.name: column for column in model.case_columns(X)}["size"]
    assert list(seen.labels) == ["small", "large", "huge"]
    huge = X.head(1).assign(size=pd.Categorical(["huge"], ["small", "large", "huge"], ordered=ordered))
    assert np.isfinite(model.predict_proba(huge)).all()
    if model.about.is_joint:
        found = model.query("size")
        chance = found.set_index("size")["probability"]["huge"]
        assert 0 < chance < 0.05


def test_a_word_never_declared_is_unknown_in_a_row_and_refused_in_a_question():
    X, y = pnb.load_sample("zoo")
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    row = X.head(1).astype(object)
    odd, empty = row.assign(milk="perhaps"), row.assign(milk=None)
    np.testing.assert_array_equal(model.predict_proba(odd), model.predict_proba(empty))
    with pytest.raises(QueryError, match="no state 'perhaps'"):
        model.query("class", given={"milk": "perhaps"})
