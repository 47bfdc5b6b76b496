"""A row in pgmpy: the product of its factors, all but the class summed out, is the model's own posterior."""

import numpy as np
import pandas as pd
import pytest
from pgmpy.factors import factor_product

import pgm_nb as pnb
from pgm_nb.errors import DataError, QueryError

GENERATIVE = [
    pnb.NaiveBayes(parameters="generative"),
    pnb.TreeAugmentedNaiveBayes(parameters="generative"),
    pnb.GeneralizedNaiveBayes(parameters="generative"),
    pnb.GeneralizedNaiveBayes(parameters="generative", order=4),
    pnb.KDependenceBayes(),
    pnb.ClassTreesBayes(),
    pnb.ClassTreesBayes(order=3),
    pnb.AveragedOneDependence(),
    pnb.AveragedOneDependence(weighting="information"),
]
BINNED = [kind for kind in pnb.MODELS if kind.about.bins]
EVERY = [*(kind() for kind in pnb.MODELS), *GENERATIVE, pnb.NaiveBayes(parameters="class")]


@pytest.fixture(scope="module")
def iris():
    return pnb.load_sample("iris")


@pytest.fixture(scope="module")
def gaps():
    """A test that was left out more often for the ill, and two more columns."""
    rng = np.random.default_rng(1)
    y = rng.choice(["ill", "well"], size=300)
    test = np.where(rng.random(300) < 0.3 + 0.4 * (y == "ill"), "pos", "neg").astype(object)
    test[rng.random(300) < np.where(y == "ill", 0.5, 0.1)] = None
    age = np.where(y == "ill", 60, 50) + rng.normal(0, 10, size=300)
    return pd.DataFrame({"test": test, "age": age, "sex": rng.choice(["f", "m"], size=300)}), y


def posterior(factors):
    """Multiply with pgmpy, sum out all but the class, which every model here has among its first factors."""
    product = factor_product(*factors)
    others = [name for name in product.variables if name != "class"]
    if others:
        product.marginalize(others)
    return product.normalize(inplace=False).values


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_the_factors_of_a_row_give_the_posterior_of_the_model(iris, model):
    X, y = iris
    model = model.fit(X[::2], y[::2])
    rows = X.iloc[[1, 71, 77, 131]].astype(float).reset_index(drop=True)
    rows.iloc[1, 0] = rows.iloc[2, [1, 2]] = rows.iloc[3] = np.nan
    for place, expected in enumerate(model.predict_proba(rows)):
        one = rows.iloc[[place]]
        named = {name: value for name, value in one.iloc[0].items() if not np.isnan(value)}
        for row in (one, one.iloc[0], named, {**named, "sepal width": named.get("sepal width", pd.NA)}):
            np.testing.assert_allclose(posterior(model.to_pgmpy(row)), expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(posterior(model.to_pgmpy(row=named)), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", GENERATIVE, ids=str)
def test_a_joint_distribution_keeps_what_is_not_known(iris, model):
    X, y = iris
    model = model.fit(X, y)
    factors = model.to_pgmpy({"petal width": 1.6, "sepal width": None, "sepal length": 6.0})
    named = {name for factor in factors for name in factor.variables}
    assert named - {"parent"} == {"class", "petal length", "sepal width"}
    assert all(factor.values.max() == 1 for factor in factors)
    product = factor_product(*factors)
    product.marginalize([name for name in product.variables if name != "petal length"])
    found = model.query("petal length", given={"petal width": 1.6, "sepal length": 6.0})
    assert product.state_names["petal length"] == found["petal length"].tolist()
    np.testing.assert_allclose(product.normalize(inplace=False).values, found["probability"], rtol=1e-9)


@pytest.mark.parametrize("kind", BINNED, ids=lambda kind: kind.about.short_name)
def test_an_empty_cell_is_the_state_missing_or_unknown(gaps, kind):
    X, y = gaps
    model = kind().fit(X, y)
    empty = pd.DataFrame({"test": [None], "age": [55.0], "sex": ["f"]})
    state = model.predict_proba(empty)[0]
    unknown = model.empty_as("unknown")
    nothing = unknown.predict_proba(empty)[0]
    assert state[0] > nothing[0] + 0.05  # who was not tested was ill more often
    for asked, row, expected in [
        (model, empty, state),
        (model, {"test": None, "age": 55, "sex": "f"}, state),
        (model, {"age": 55, "sex": "f"}, nothing),
        (unknown, {"test": np.nan, "age": 55, "sex": "f"}, nothing),
        (unknown, {"test": "missing", "age": 55, "sex": "f"}, state),
    ]:
        np.testing.assert_allclose(posterior(asked.to_pgmpy(row)), expected, rtol=1e-9)


@pytest.mark.parametrize("kind", BINNED, ids=lambda kind: kind.about.short_name)
def test_ranges_and_likelihoods_are_taken_as_in_a_question(gaps, kind):
    X, y = gaps
    model = kind().fit(X, y)
    given = {"age": pnb.between(45, 58), "test": {"pos": 0.7, "neg": 0.2}}
    found = model.query("class", given=given)["probability"]
    np.testing.assert_allclose(posterior(model.to_pgmpy(given)), found, rtol=1e-9)


def test_the_factors_of_naive_bayes_by_hand():
    X = pd.DataFrame({"test": ["pos", "pos", "neg", "pos", "neg", "neg", "neg", "neg"]})
    model = pnb.NaiveBayes(parameters="generative", smoothing=2.0).fit(X, ["ill"] * 4 + ["well"] * 4)
    prior, test = model.to_pgmpy({"test": "pos"})
    assert (prior.variables, test.variables) == (["class"], ["class"])
    np.testing.assert_allclose(prior.values, [1, 1])  # 5/10 each
    np.testing.assert_allclose(test.values, [1, 1 / 4])  # (3 + 1) / (4 + 2) and (0 + 1) / (4 + 2)
    prior, test = model.to_pgmpy({})
    assert test.variables == ["class", "test"]
    np.testing.assert_allclose(test.values, np.array([[2, 4], [5, 1]]) / 5)  # neg, pos


def test_a_row_without_support_is_scored_as_in_predictions():
    X = pd.DataFrame({"a": ["x", "x", "y", "y", "z"], "b": ["p", "p", "q", "q", "q"]})
    y = ["one", "one", "two", "two", "one"]
    row = pd.DataFrame({"a": ["y"], "b": ["p"]})  # every class gives one of the two no row at all
    for kind in (pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.AveragedTree):
        model = kind(smoothing=None).fit(X, y)
        np.testing.assert_allclose(posterior(model.to_pgmpy(row)), model.predict_proba(row)[0], rtol=1e-9)


def test_a_wide_row_is_left_with_few_factors_of_the_hidden_variable():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    X = pd.DataFrame(rng.integers(2, size=(60, 12)) | y[:, None], columns=[f"x{i}" for i in range(12)])
    model = pnb.AveragedOneDependence().fit(X, y)
    (factor,) = model.to_pgmpy(X.iloc[0])
    assert factor.variables == ["parent", "class"]
    np.testing.assert_allclose(posterior([factor]), model.predict_proba(X.iloc[[0]])[0], rtol=1e-9)


def test_a_raw_row_is_repaired_by_the_recipe_of_the_model():
    raw = pd.DataFrame({"sugar": [80, 90, 200, 0, 210, 85] * 5, "age": [30, 40, 50, 60, 70, 80] * 5})
    recipe = pnb.Recipe([{"do": "not measured", "column": "sugar", "values": [0]}])
    for kind in pnb.MODELS:
        model = kind().fit(recipe.apply(raw), ["a", "a", "b", "b", "b", "a"] * 5).keep_recipe(recipe)
        row = raw.iloc[[3]]
        repaired = model.predict_proba(recipe.apply(row))[0]
        np.testing.assert_array_equal(model.predict_proba(row)[0], repaired)
        np.testing.assert_allclose(model.explain(row, label="a").probability, repaired[0], rtol=1e-9)
        np.testing.assert_allclose(posterior(model.to_pgmpy(row)), repaired, rtol=1e-9)


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_what_is_no_row_of_the_model_is_refused_in_a_sentence(gaps, kind):
    X, y = gaps
    X = X if kind.about.bins else X[["age"]].abs()
    model = kind().fit(X, y)
    with pytest.raises(QueryError, match=r"'agee', which is no attribute of the model.*'age'"):
        model.to_pgmpy({"agee": 50})
    with pytest.raises((DataError, QueryError), match="one row"):
        model.to_pgmpy(X)


@pytest.mark.parametrize("model", GENERATIVE, ids=str)
def test_words_and_forms_that_do_not_exist_are_refused(gaps, model):
    model = model.fit(*gaps)
    with pytest.raises(QueryError, match="'test' has no state 'positive'"):
        model.to_pgmpy({"test": "positive"})
    with pytest.raises(QueryError, match=r"form must be|has one form"):
        model.to_pgmpy("soup")
    with pytest.raises(QueryError, match="give the row, or"):
        model.to_pgmpy("junction tree", row={"test": "pos"})
    with pytest.raises(QueryError, match="two rows"):
        model.to_pgmpy({"test": "pos"}, row={"test": "pos"})
