"""Credible intervals of models that answer for cases alone: KDB and class trees."""

import pickle

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.certainty.draws import bounds
from pgm_nb.errors import QueryError
from pgm_nb.models.intervals import DRAWS

MODELS = [pnb.KDependenceBayes, pnb.ClassTreesBayes, lambda: pnb.ClassTreesBayes(order=3)]


@pytest.mark.parametrize("make", MODELS)
def test_the_probability_is_the_one_that_predict_gives_and_lies_between_the_ends(make):
    X, y = pnb.load_sample("heart")
    model = make().fit(X, y)
    row = X.iloc[[5]]
    for hidden in ([], ["age", "thallium scan", "ST slope"], list(X.columns[2:])):
        case = row.assign(**dict.fromkeys(hidden)).iloc[0].to_dict()
        found = model.credible_interval(case)
        expected = model.query("class", given=case)["probability"]
        np.testing.assert_allclose(found["probability"], expected, rtol=0, atol=1e-12)
        assert (found["low"] <= found["probability"]).all()
        assert (found["probability"] <= found["high"]).all()
        assert (found["low"] < found["high"]).all()
        assert model.credible_interval(case).equals(found)
        assert pickle.loads(pickle.dumps(model)).credible_interval(case).equals(found)
    np.testing.assert_allclose(
        model.credible_interval(row.iloc[0].to_dict())["probability"], model.predict_proba(row)[0], atol=1e-12
    )


@pytest.mark.parametrize("make", MODELS)
def test_the_ends_are_those_of_scores_under_draws_that_are_put_in_by_hand(make, monkeypatch):
    X, y = pnb.load_sample("iris")
    model = make().fit(X, y)
    scores = np.log(np.random.default_rng(0).dirichlet([3, 4, 5], size=99)).T
    asked = []
    monkeypatch.setattr(
        type(model.intervals_), "_drawn_case", lambda _, states, seen: asked.append((states, seen)) or scores
    )
    found = model.credible_interval({"petal width": 1.0, "petal length": None}, level=0.5)
    point = found["probability"].to_numpy()
    low, high = bounds(scores, point, 0.5)
    assert found["low"].tolist() == low.tolist()
    assert found["high"].tolist() == high.tolist()
    code = int(model.encoder_.columns[3].encode([1.0])[0])
    states, seen = asked[0]
    assert states == [None, None, None, code]
    np.testing.assert_allclose(seen.mean(axis=0), point, atol=1 / DRAWS)  # as often as a class is probable
    rates = {"setosa": 0.5, "versicolor": 0.25, "virginica": 0.25}
    shift = model.base_rate_shift(rates)
    moved = np.exp(np.log(point) + shift)
    expected = bounds(scores + shift[:, None], moved / moved.sum(), 0.9)
    ends = type(model.intervals_)(model, shift).of_case(
        {"petal width": 1}, 0.9
    )  # a whole number as good as 1.0
    np.testing.assert_allclose(ends, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("make", MODELS)
def test_numbers_of_numpy_are_numbers(make):
    X, y = pnb.load_sample("heart")
    model = make().fit(X, y)
    cells = dict(X.iloc[0].items())  # as the report reads a row
    assert isinstance(cells["age"], np.integer)
    np.testing.assert_array_equal(model._case_codes(cells)[:, 0], model.encode(X.iloc[[0]])[:, 0])
    found = model.credible_interval(cells)
    np.testing.assert_array_equal(model.intervals_.of_case(cells), found[["low", "high"]].to_numpy().T)
    nothing = model._case_codes({"age": np.float32("nan")})
    np.testing.assert_array_equal(nothing, model._case_codes({}))


@pytest.mark.parametrize("make", MODELS)
def test_what_is_no_question_is_refused(make):
    X, y = pnb.load_sample("iris")
    model = make().fit(X, y)
    with pytest.raises(QueryError, match="nothing to ask"):
        model.credible_interval({"class": "setosa"})
    with pytest.raises(QueryError, match="plain values only, but 'petal width' is given as"):
        model.credible_interval({"petal width": pnb.above(1)})
    with pytest.raises(QueryError, match="no state 'wide'"):
        model.credible_interval({"petal width": "wide"})


def test_new_rows_are_drawn_anew():
    X, y = pnb.load_sample("car")
    for make in MODELS[:2]:
        few, many = (
            make().fit(X.iloc[::step], y.iloc[::step]).credible_interval({"safety": "high", "persons": "4"})
            for step in (8, 1)
        )
        assert (few["high"] - few["low"]).sum() > 1.5 * (many["high"] - many["low"]).sum()


@pytest.mark.parametrize("make", [pnb.KDependenceBayes, lambda: pnb.ClassTreesBayes(order=3)])
def test_intervals_hold_the_truth_where_any_table_is_right(make):
    """Two attributes of three states: every distribution of them is one of the model."""
    rng = np.random.default_rng(7)
    words, held = np.array(["a", "b", "c"]), []
    for _ in range(60):
        joint = rng.dirichlet([5, 5])[:, None, None] * rng.dirichlet(np.full(9, 1.5), size=2).reshape(2, 3, 3)
        y, first, second = np.unravel_index(rng.choice(18, size=300, p=joint.ravel()), (2, 3, 3))
        model = make().fit(pd.DataFrame({"u": words[first], "v": words[second]}), y)
        for i, j in rng.integers(0, 3, size=(2, 2)):
            both, one = joint[:, i, j], joint[:, :, j].sum(axis=1)
            for share, given in ((both, {"u": words[i], "v": words[j]}), (one, {"v": words[j]})):
                found = model.credible_interval(given)
                held.append(found["low"][0] <= share[0] / share.sum() <= found["high"][0])
    assert 0.84 < np.mean(held) < 0.96  # three standard errors around 90%
