"""An empty value is unknown wherever it is given; in a column with gaps it can be the state missing."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError

EMPTY = [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")]
JOINT = [pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.GeneralizedNaiveBayes]


@pytest.fixture(scope="module")
def iris():
    return pnb.load_sample("iris")


@pytest.mark.parametrize("empty", EMPTY, ids=[f"{type(e).__name__}" for e in EMPTY])
@pytest.mark.parametrize("kind", JOINT)
def test_empty_values_are_unknown(iris, kind, empty):
    model = kind().fit(*iris)
    given, less = {"petal width": 1.6, "petal length": empty, "class": empty}, {"petal width": 1.6}
    pd.testing.assert_frame_equal(model.query("class", given), model.query("class", less))
    pd.testing.assert_frame_equal(model.next_best(given), model.next_best(less))
    assert model.map_query(given=given) == model.map_query(given=less)
    assert dict(model.junction_tree().observe(given).evidence) == less
    pd.testing.assert_frame_equal(model.sample(5, given, 0), model.sample(5, less, 0))
    assert model.mutual_information("class", "sepal width", given) == model.mutual_information(
        "class", "sepal width", less
    )
    again = model.junction_tree().observe(less).observe({"petal width": empty})
    assert not again.evidence
    del given["class"]
    assert str(model.explain(given)) == str(model.explain(less))
    frame = iris[0].iloc[[0]].astype(object)
    frame.loc[:, :] = np.nan
    frame["petal width"] = 1.6
    np.testing.assert_allclose(
        model.query("class", given)["probability"], model.predict_proba(frame)[0], atol=1e-12
    )


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_explaining_nothing_gives_the_prior(iris, kind):
    model = kind().fit(*iris)
    why = model.explain({})
    np.testing.assert_allclose(why.probability, np.exp(model.class_log_prior_).max(), atol=1e-9)
    assert (why.to_frame()["contribution"].iloc[1:] == 0).all()


@pytest.fixture(scope="module")
def gaps():
    rng = np.random.default_rng(0)
    y = rng.choice(["ill", "well"], size=400)
    test = np.where(rng.random(400) < 0.3 + 0.4 * (y == "ill"), "pos", "neg").astype(object)
    test[rng.random(400) < np.where(y == "ill", 0.5, 0.1)] = None
    return pd.DataFrame({"test": test, "sex": rng.choice(["f", "m"], size=400)}), y


@pytest.mark.parametrize("kind", [k for k in pnb.MODELS if k.about.bins])
def test_a_person_chooses_what_an_empty_cell_means(gaps, kind):
    X, y = gaps
    model = kind().fit(X, y)
    empty, named = pd.DataFrame({"test": [None], "sex": ["f"]}), {"test": "missing", "sex": "f"}
    unknown = model.empty_as("unknown")
    state = model.predict_proba(empty)[0, 0]
    nothing = unknown.predict_proba(empty)[0, 0]
    assert state > nothing + 0.1  # who was not tested was ill more often
    assert model.empty_as("missing").predict_proba(empty)[0, 0] == state
    left_out = model.explain({"sex": "f"}, label="ill").probability
    np.testing.assert_allclose(left_out, nothing, atol=1e-9)
    np.testing.assert_allclose(model.explain(empty, label="ill").probability, state, atol=1e-9)
    if model.about.is_joint and "sex" in model.structure_.attributes:  # one may leave it out
        for asked, given, expected in [
            (model, {"test": None, "sex": "f"}, state),
            (model, named, state),
            (model, {"sex": "f"}, nothing),
            (unknown, {"test": None, "sex": "f"}, nothing),
            (unknown, named, state),
        ]:
            np.testing.assert_allclose(asked.query("class", given)["probability"][0], expected, atol=1e-9)
    with pytest.raises(QueryError, match="'unknown' or 'missing'"):
        model.empty_as("nothing")


def test_the_choice_is_saved_with_the_model(gaps, tmp_path):
    X, y = gaps
    model = pnb.NaiveBayes().fit(X, y).empty_as("unknown")
    model.save(tmp_path / "model.pgmnb")
    empty = pd.DataFrame({"test": [None], "sex": ["f"]})
    np.testing.assert_array_equal(
        pnb.load(tmp_path / "model.pgmnb").predict_proba(empty), model.predict_proba(empty)
    )
