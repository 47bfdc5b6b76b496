"""Gaussian naive Bayes equals scikit-learn's, and goes beyond it only where scikit-learn has no answer."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

import pgm_nb as pnb
from pgm_nb.errors import DataError, QueryError
from pgm_nb.graphs import from_json
from pgm_nb.models.gaussian_naive_bayes import GaussianNaiveBayes

GOLDEN = Path(__file__).parents[1] / "golden"


def same(ours, theirs, X, rtol=1e-12):
    np.testing.assert_allclose(ours.theta_, theirs.theta_, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(ours.var_, theirs.var_, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(ours.class_prior_, theirs.class_prior_, rtol=rtol)
    np.testing.assert_allclose(ours.class_count_, theirs.class_count_, rtol=rtol)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("sample", ["iris", "seeds", "wine", "wdbc", "banknote", "vehicle"])
@pytest.mark.parametrize("var_smoothing", [1e-9, 1e-3, 0.0])
def test_equals_scikit_learn(sample, var_smoothing):
    X, y = pnb.load_sample(sample)
    ours = GaussianNaiveBayes(var_smoothing=var_smoothing).fit(X, y)
    theirs = GaussianNB(var_smoothing=var_smoothing).fit(X, y)
    same(ours, theirs, X)
    assert ours.epsilon_ == pytest.approx(theirs.epsilon_, rel=1e-12)


def test_golden_wdbc():
    golden = json.loads((GOLDEN / "wdbc_gaussian.json").read_text())
    X, y = pnb.load_sample("wdbc")
    y = (y == "benign").astype(int)  # malignant is class 0
    model = GaussianNaiveBayes().fit(X.iloc[::2], y.iloc[::2])
    np.testing.assert_allclose(model.theta_, golden["theta"], rtol=1e-12)
    np.testing.assert_allclose(model.var_, golden["var"], rtol=1e-11)
    test = X.iloc[1::2]
    joint = model.predict_joint_log_proba(test)[:40]
    np.testing.assert_allclose(joint, golden["joint_log_first40"], rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(test)[:40], golden["proba_first40"], rtol=0, atol=1e-12)
    assert model.score(test, y.iloc[1::2]) == pytest.approx(golden["accuracy"], abs=1e-15)


def test_priors_and_weights_equal_scikit_learn():
    X, y = pnb.load_sample("seeds")
    weights = np.random.default_rng(0).integers(0, 4, len(y)) / 2
    priors = [0.2, 0.5, 0.3]
    exact = {
        "var_smoothing": 0
    }  # scikit-learn smooths by rows without their weights, also those of weight zero
    ours = GaussianNaiveBayes(priors=priors, **exact).fit(X, y, weights)
    same(ours, GaussianNB(priors=priors, **exact).fit(X, y, weights), X)
    ours = GaussianNaiveBayes(**exact).fit(X, y, sample_weight=weights)
    same(ours, GaussianNB(**exact).fit(X, y, sample_weight=weights), X)


@pytest.mark.parametrize("weighted", [False, True])
def test_partial_fit_equals_scikit_learn(weighted):
    X, y = (part.to_numpy() for part in pnb.load_sample("wine"))
    order = np.random.default_rng(0).permutation(len(y))
    ours, theirs = GaussianNaiveBayes(var_smoothing=0), GaussianNB(var_smoothing=0)
    for rows in np.array_split(order, 7):
        weights = 0.5 + rows % 3 if weighted else None
        for model in (ours, theirs):
            model.partial_fit(X[rows], y[rows], classes=np.unique(y), sample_weight=weights)
    same(ours, theirs, X, rtol=1e-11)  # with smoothing, scikit-learn's depends on the last batch


def test_partial_fit_in_one_batch_is_fit():
    X, y = pnb.load_sample("iris")
    one, two = GaussianNaiveBayes().fit(X, y), GaussianNaiveBayes().partial_fit(X, y, classes=np.unique(y))
    assert (one.predict_proba(X) == two.predict_proba(X)).all()


def test_partial_fit_with_a_class_not_seen_yet():
    X, y = (part.to_numpy() for part in pnb.load_sample("iris"))
    ours = GaussianNaiveBayes().partial_fit(X[:100], y[:100], classes=np.unique(y))
    assert (ours.predict_proba(X)[:, 2] == 0).all()
    ours.partial_fit(X[100:], y[100:])
    np.testing.assert_allclose(ours.theta_, GaussianNB().fit(X, y).theta_, rtol=1e-12)


def test_partial_fit_says_what_is_wrong():
    X, y = pnb.load_sample("iris")
    with pytest.raises(DataError, match="classes must be passed on the first call"):
        GaussianNaiveBayes().partial_fit(X, y)
    model = GaussianNaiveBayes().partial_fit(X, y, classes=np.unique(y))
    with pytest.raises(DataError, match="class rose is not among the classes"):
        model.partial_fit(X.head(1), ["rose"])
    with pytest.raises(DataError, match="differ from those of the first call"):
        model.partial_fit(X, y, classes=["setosa", "rose"])


def test_partial_fit_of_a_mixed_table():
    X = pd.DataFrame({"dose": [1.0, 2.0, 3.0, 5.0] * 5, "sex": ["f", "m", "m", "f"] * 5})
    y = np.array([0, 0, 1, 1] * 5)
    whole = GaussianNaiveBayes().fit(X, y)
    parts = GaussianNaiveBayes().partial_fit(X[:8], y[:8], classes=[0, 1])
    parts.partial_fit(X[8:], y[8:])
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=0, atol=1e-13)
    assert parts.missing_ == whole.missing_
    parts.partial_fit(pd.DataFrame({"dose": [1.0], "sex": ["g"]}), [0])
    assert parts.learned_.encoder.columns[0].states == ("f", "g", "m")
    assert parts.learned_.tables[0].tolist() == [[5, 1, 5], [5, 0, 5]]


@given(st.integers(0, 10**6), st.floats(-1e9, 1e9))
@settings(max_examples=40)
def test_no_cancellation_far_from_zero(seed, shift):
    rng = np.random.default_rng(seed)
    deviations = rng.integers(-8, 9, (60, 2)) / 8  # exact in binary, also after the shift is rounded away
    X, y = np.round(shift) + deviations, np.arange(60) % 2
    model = GaussianNaiveBayes(var_smoothing=0).fit(X, y)
    exact = np.array([deviations[y == c].var(axis=0) for c in (0, 1)])
    np.testing.assert_allclose(model.var_, exact, rtol=1e-9)


def test_float32_is_as_exact_as_float64():
    X, y = pnb.load_sample("wdbc")
    narrow = X.to_numpy(np.float32)
    one = GaussianNaiveBayes().fit(narrow, y)
    two = GaussianNaiveBayes().fit(narrow.astype(np.float64), y)
    np.testing.assert_allclose(one.var_, two.var_, rtol=1e-13)
    np.testing.assert_allclose(one.predict_proba(narrow), two.predict_proba(narrow.astype(float)), atol=1e-13)


def test_many_blocks_of_rows_are_one_table(monkeypatch):
    X, y = pnb.load_sample("wine")
    whole = GaussianNaiveBayes().fit(X, y)
    monkeypatch.setattr("pgm_nb.models.gaussian_density.BLOCK_CELLS", 64)
    blocks = GaussianNaiveBayes().fit(X, y)
    np.testing.assert_allclose(blocks.var_, whole.var_, rtol=1e-12)
    np.testing.assert_allclose(blocks.predict_proba(X), whole.predict_proba(X), atol=1e-12)


def test_one_row_per_class():
    X, y = np.array([[0.0, 1.0], [4.0, 3.0]]), ["a", "b"]
    ours, theirs = GaussianNaiveBayes().fit(X, y), GaussianNB().fit(X, y)
    same(ours, theirs, X)


class TestUnknown:
    def test_its_factor_is_one(self):
        X, y = pnb.load_sample("wine")
        model = GaussianNaiveBayes().fit(X, y)
        without = GaussianNB().fit(X.drop(columns=["ash", "hue"]), y)
        unknown = X.assign(ash=np.nan, hue=np.nan)
        assert model.epsilon_ == pytest.approx(
            without.epsilon_, rel=1e-12
        )  # the widest column is still there
        np.testing.assert_allclose(
            model.predict_proba(unknown),
            without.predict_proba(X.drop(columns=["ash", "hue"])),
            rtol=0,
            atol=1e-12,
        )

    def test_nothing_known_gives_the_prior(self):
        X, y = pnb.load_sample("wine")
        model = GaussianNaiveBayes().fit(X, y)
        nothing = np.full((1, 13), np.nan)
        frame = pd.DataFrame(nothing, columns=X.columns)
        assert model.predict_proba(frame)[0] == pytest.approx(model.class_prior_, abs=1e-15)

    def test_at_training_no_estimate_uses_it(self):
        X, y = pnb.load_sample("iris")
        X = X.copy()
        X.iloc[::7, 1] = np.nan
        model = GaussianNaiveBayes(var_smoothing=0).fit(X, y)
        for c, label in enumerate(model.classes_):
            rows = X[y == label]
            np.testing.assert_allclose(model.theta_[c], rows.mean(), rtol=1e-13)
            np.testing.assert_allclose(model.var_[c], rows.var(ddof=0), rtol=1e-12)
        assert model.missing_.cells == 22
        assert "no estimate uses them" in str(model.missing_)

    def test_categorical_cells_too(self):
        X = pd.DataFrame({"dose": [1.0, 2.0, 4.0, 7.0], "sex": ["f", None, "m", "m"]})
        model = GaussianNaiveBayes(smoothing=1.0).fit(X, [0, 0, 1, 1])
        assert model.learned_.encoder.columns[0].states == ("f", "m")
        np.testing.assert_array_equal(model.learned_.tables[0], [[1, 0], [0, 2]])


def test_mixed_table_by_hand():
    X = pd.DataFrame({"dose": [0.0, 2.0, 4.0, 8.0], "sex": ["f", "f", "m", "f"]})
    model = GaussianNaiveBayes(var_smoothing=0, smoothing=1.0).fit(X, [0, 0, 1, 1])
    gauss = [np.exp(-0.5 * (3 - 1) ** 2 / 1) / 1, np.exp(-0.5 * (3 - 6) ** 2 / 4) / 2]
    table = [(0 + 0.5) / (2 + 1), (1 + 0.5) / (2 + 1)]  # P(m | class), one imaginary row over two states
    joint = 0.5 * np.array(gauss) * table
    row = pd.DataFrame({"dose": [3.0], "sex": ["m"]})
    assert model.predict_proba(row)[0] == pytest.approx(joint / joint.sum(), abs=1e-15)
    assert "sex" not in model.structure_.gaussians


class TestBadInput:
    X, y = pd.DataFrame({"age": [1.0, 2.0, 3.0, 5.0], "dose": [2.0, 1.0, 4.0, 3.0]}), ["a", "a", "b", "b"]

    def test_text_in_a_numeric_column(self):
        with pytest.raises(DataError, match=r"'age' mixes number .* and text"):
            GaussianNaiveBayes().fit(pd.DataFrame({"age": [1.0, 2.0, "x", 5.0]}), self.y)
        model = GaussianNaiveBayes().fit(self.X, self.y)
        with pytest.raises(DataError, match="'age' must hold numbers, but holds text \\(such as 'old'\\)"):
            model.predict(pd.DataFrame({"age": ["old"], "dose": [1.0]}))

    def test_infinity(self):
        with pytest.raises(DataError, match="'age' contains infinity in row 2"):
            GaussianNaiveBayes().fit(self.X.assign(age=[1.0, np.inf, 3.0, 5.0]), self.y)
        model = GaussianNaiveBayes().fit(self.X, self.y)
        with pytest.raises(DataError, match="infinity"):
            model.predict(self.X.assign(age=-np.inf))

    def test_zero_variance_in_one_class(self):
        X = self.X.assign(age=[1.0, 1.0, 3.0, 5.0])
        with pytest.raises(DataError, match=r"'age' has zero variance in class a.*var_smoothing > 0"):
            GaussianNaiveBayes(var_smoothing=0).fit(X, self.y)
        assert GaussianNaiveBayes().fit(X, self.y).predict(X).tolist() == self.y

    @pytest.mark.parametrize("value", [0.0, 0.1, 1e12, -3e-7])
    @pytest.mark.parametrize("var_smoothing", [0.0, 1e-9])
    def test_a_constant_column_says_nothing(self, value, var_smoothing):
        alone = GaussianNaiveBayes(var_smoothing=var_smoothing).fit(self.X, self.y)
        model = GaussianNaiveBayes(var_smoothing=var_smoothing).fit(self.X.assign(same=value), self.y)
        expected = alone.predict_proba(self.X)
        np.testing.assert_allclose(model.predict_proba(self.X.assign(same=value)), expected, rtol=1e-9)
        assert model.importance_.set_index("attribute").loc["same", "gain"] == pytest.approx(0, abs=1e-12)

    def test_nothing_but_constant_columns(self):
        model = GaussianNaiveBayes().fit(np.ones((4, 2)), [0, 0, 0, 1])
        assert model.predict_proba(np.ones((1, 2)))[0] == pytest.approx([0.75, 0.25], abs=1e-12)

    def test_a_class_without_a_value_borrows_from_all_rows(self):
        three = GaussianNaiveBayes(var_smoothing=0).fit(
            pd.DataFrame({"age": [1.0, 3.0, 8.0, 10.0, np.nan, np.nan]}), list("aabbcc")
        )
        assert three.theta_[:, 0].tolist() == [2.0, 9.0, 5.5]
        assert three.var_[:, 0].tolist() == [1.0, 1.0, 13.25]

    def test_a_column_without_any_value_says_nothing(self):
        alone = GaussianNaiveBayes().fit(self.X, self.y)
        model = GaussianNaiveBayes().fit(self.X.assign(empty=np.nan), self.y)
        for value in (np.nan, 7.0):
            found = model.predict_proba(self.X.assign(empty=value))
            np.testing.assert_allclose(found, alone.predict_proba(self.X), atol=1e-12)

    def test_numbers_too_large_to_square(self):
        with pytest.raises(DataError, match="'age' holds numbers too large to square"):
            GaussianNaiveBayes().fit(self.X.assign(age=[1e200, -1e200, 3.0, 5.0]), self.y)

    def test_a_row_beyond_all_measure_gets_the_prior(self):
        model = GaussianNaiveBayes().fit(self.X, self.y)
        far = model.predict_proba(pd.DataFrame({"age": [1e200], "dose": [1.0]}))
        assert far[0] == pytest.approx([0.5, 0.5])

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"priors": [0.5]}, "a number for each of the 2 classes"),
            ({"priors": [0.5, 0.6]}, "sum to one"),
            ({"priors": [1.5, -0.5]}, "not negative"),
            ({"priors": "equal"}, "a number for each of the 2 classes"),
            ({"var_smoothing": -1.0}, "var_smoothing must be a number from 0"),
            ({"smoothing": 0}, "smoothing must be a positive number"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(DataError, match=message):
            GaussianNaiveBayes(**parameters).fit(self.X, self.y)


def test_graph_holds_the_densities():
    X, y = pnb.load_sample("iris")
    model = GaussianNaiveBayes().fit(X, y)
    graph = model.structure_
    assert from_json(graph.to_json()) == graph
    for c in range(3):
        means, deviations = zip(*(graph.gaussians[name][c] for name in X.columns), strict=True)
        np.testing.assert_allclose(means, model.theta_[c])
        np.testing.assert_allclose(deviations, np.sqrt(model.var_[c]))
    assert model.importance_["attribute"].iloc[0] == "petal width"
    assert model.importance_["gain"].max() < np.log2(3)


def test_pgmpy_factors_multiply_to_the_posterior():
    X, y = pnb.load_sample("wine")
    X = X.assign(strong=(X["alcohol"] > 13).map({True: "yes", False: "no"}))
    model = GaussianNaiveBayes().fit(X, y)
    rows = X.iloc[[0, 70, 177]].copy()
    rows.iloc[1, 3] = np.nan
    rows.iloc[2, 13] = None
    for i in range(3):
        product, *others = model.to_pgmpy(rows.iloc[i])
        assert len(others) == 14
        for factor in others:
            product = product.product(factor, inplace=False)
        product.normalize(inplace=True)
        assert product.values == pytest.approx(model.predict_proba(rows.iloc[[i]])[0], abs=1e-9)
        assert product.state_names == {model.structure_.target: [str(c) for c in model.classes_]}
    with pytest.raises(QueryError, match="one row is explained at a time, but the table has 3"):
        model.to_pgmpy(rows)
    with pytest.raises(QueryError, match="'speed', which is no attribute of the model"):
        model.to_pgmpy({"speed": 3})


def test_many_classes_and_tables_beside_gaussians():
    X, y = pnb.load_sample("zoo")  # booleans and one ordered category
    model = GaussianNaiveBayes().fit(X, y)
    assert len(model.classes_) == 7
    assert model.score(X, y) > 0.9
    assert model.structure_.gaussians == {}


def test_mixed_table_and_unseen_states():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = pd.DataFrame({"dose": y + rng.normal(size=100), "sex": rng.choice(["f", "m"], 100)})
    model = GaussianNaiveBayes().fit(X, y)
    unseen = model.predict_proba(X.assign(sex="x"))
    unknown = model.predict_proba(X.assign(sex=pd.Series([None] * 100, dtype=object)))
    np.testing.assert_allclose(unseen, unknown, atol=1e-15)


def test_terms_sum_to_the_score(mixed):
    X, y = mixed
    rows = X.copy()
    rows.loc[::3, "weight"] = np.nan
    rows["sex"] = rows["sex"].where(rows.index % 5 != 0)
    model = GaussianNaiveBayes().fit(X, y)
    terms = model.terms(rows)
    assert list(terms.names) == list(model.importance_["attribute"])
    np.testing.assert_allclose(terms.scores(), model.predict_joint_log_proba(rows), rtol=0, atol=1e-9)
    weight = terms.names.index("weight")
    assert not terms.values[::3, weight].any()  # an unknown cell says nothing
    why = model.explain(X.iloc[0])
    assert why.log_odds == pytest.approx(
        why.prior_log_odds + sum(part.contribution for part in why.parts), abs=1e-9
    )
    assert why.probability == pytest.approx(model.predict_proba(X.head(1)).max(), abs=1e-9)


def test_a_column_constant_in_training_and_different_later_leaves_probabilities():
    X = pd.DataFrame({"fixed": [1.0] * 6, "measured": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    model = pnb.GaussianNaiveBayes().fit(X, ["p", "q"] * 3)
    rows = pd.DataFrame({"fixed": [2.0, 1e9], "measured": [3.0, 3.0]})
    assert model.predict_proba(rows).sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_a_column_may_be_named_by_the_character_that_ends_texts_in_c():
    X = pd.DataFrame({"\0": ["a", "b", "a", "c"] * 3, "n": np.arange(12.0)})
    model = GaussianNaiveBayes().fit(X, [0, 1] * 6)
    case = pnb.CaseAnalysis.of(model, X)
    assert case.posterior({"\0": "a"}).states["\0"].tolist() == [1.0, 0.0, 0.0]
