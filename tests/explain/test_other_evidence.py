"""Ranges, alternatives and likelihoods in an explanation: they sum to what `query` answers."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.models import MODELS

GIVEN = {"petal width": 1.6, "petal length": pnb.between(4.0, 5.5), "sepal width": pnb.above(2.8)}


@pytest.fixture(scope="module")
def iris():
    return pnb.load_sample("iris")


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.short_name)
def test_every_model_explains_what_it_answers(kind, iris):
    X, y = iris
    model = kind().fit(X, y)
    answer = model.query(y.name, GIVEN, X=X).set_index(y.name)["probability"]
    why = model.explain(GIVEN, label="virginica", against="versicolor", X=X)
    assert why.log_odds == pytest.approx(np.log(answer["virginica"] / answer["versicolor"]), abs=1e-9)
    parts = why.to_frame().set_index("part")["contribution"]
    assert parts.sum() == pytest.approx(why.log_odds, abs=1e-9)
    before = model.query(y.name, {n: GIVEN[n] for n in ("petal width", "petal length")}, X=X)
    before = before.set_index(y.name)["probability"]
    last = np.log(answer["virginica"] / answer["versicolor"])
    last -= np.log(before["virginica"] / before["versicolor"])
    assert parts.get("sepal width", 0.0) == pytest.approx(last, abs=1e-9)


def test_a_range_of_naive_bayes_by_hand():
    X = pd.DataFrame({"colour": ["red", "red", "blue", "green"] * 5, "size": ["s", "l", "s", "l"] * 5})
    y = pd.Series(["ill", "ill", "well", "well"] * 5, name="state")
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    tables = model.junction_tree().conditionals()["colour"]  # (class, colour)
    labels = list(model.encoder_.columns[0].labels)
    red, blue = labels.index("red"), labels.index("blue")
    both = tables[:, [red, blue]].sum(axis=1)
    why = model.explain({"colour": pnb.one_of("red", "blue")}, label="ill")
    assert why.parts[0].contribution == pytest.approx(np.log(both[0] / both[1]), abs=1e-12)
    assert why.parts[0].values == ("red or blue",)
    soft = model.explain({"colour": {"red": 0.5, "blue": 0.25}}, label="ill")
    weighed = 0.5 * tables[:, red] + 0.25 * tables[:, blue]
    assert soft.log_odds - soft.prior_log_odds == pytest.approx(np.log(weighed[0] / weighed[1]), abs=1e-12)
    rates = {"ill": 0.1, "well": 0.9}
    moved = model.explain({"colour": pnb.one_of("red", "blue")}, label="ill", prior=rates)
    assert moved.prior_log_odds == pytest.approx(np.log(1 / 9), abs=1e-12)
    assert moved.parts[0].contribution == pytest.approx(why.parts[0].contribution, abs=1e-12)


def test_what_cannot_be_explained_is_said(iris):
    X, y = iris
    with pytest.raises(QueryError, match="did you mean 'petal width'"):
        pnb.NaiveBayes().fit(X, y).explain({"petal widht": pnb.above(1.0)})
    with pytest.raises(QueryError, match="pass X="):
        pnb.GaussianNaiveBayes().fit(X, y).explain({"petal width": pnb.above(1.0)})


def test_steps_before_a_range_do_not_show_it():
    X, y = pnb.load_sample("iris")
    why = pnb.TreeAugmentedNaiveBayes().fit(X, y).explain(GIVEN)
    ranges = {"petal length", "sepal width"}
    own = [part for part in why.parts if part.name in ranges]
    assert [part.attributes for part in own] == [("petal length",), ("sepal width",)]
    assert not any(ranges & set(part.attributes) for part in why.parts if part not in own)
