"""The rows behind a probability, counted one by one; and what is unusual, said aloud."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pgm_nb as pnb
from pgm_nb.errors import DataError, QueryError
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.how_sure import Support, remarks, rows_behind
from pgm_nb.words import credible

GENERATIVE = {"parameters": "generative", "smoothing": 1.0, "n_bins": 5, "discretizer": "quantile"}


@pytest.fixture(scope="module")
def zoo():
    X, y = pnb.load_sample("zoo")
    model = pnb.NaiveBayes(**GENERATIVE).fit(X, y)
    return model, X, y, rows_behind(model, X, y)


@given(st.lists(st.integers(0, 100), min_size=1, max_size=1), st.sets(st.integers(0, 15), max_size=6))
@settings(max_examples=40)
def test_rows_are_counted_one_by_one(zoo, place, chosen):
    _, X, y, rows = zoo
    names = [X.columns[i] for i in chosen]
    case = {name: X[name].iloc[place[0]] for name in names}
    case |= {name: X[name].iloc[(place[0] + 50) % len(X)] for name in names[:1]}
    agree = np.array([sum(row[name] == case[name] for name in names) for _, row in X.iterrows()])
    found = rows.support(case)
    nearest = agree == agree.max()
    expected = [int(((y == label) & nearest).sum()) for label in rows.classes]
    assert found.nearest.tolist() == expected
    assert found.agreeing == agree.max()
    assert found.rows.tolist() == (expected if agree.max() == len(names) else [0] * len(expected))


def test_it_says_what_the_rows_are(zoo):
    rows = zoo[3]
    assert str(rows.support({"feathers": "yes"})) == "20 of 20 such rows are bird."
    assert str(rows.support({})) == "41 of all 101 rows are mammal."
    assert rows.support({"feathers": "yes"}).sentence("fish") == "0 of 20 such rows are fish."
    named = Support("outcome", ("no", "yes"), np.array([1, 0]), 1, 1, np.array([1, 0]))
    assert str(named) == "1 of 1 such row has outcome = no."
    assert named.sentence("yes") == "0 of 1 such row has outcome = yes."
    far = rows.support({"feathers": "yes", "milk": "yes", "hair": "yes", "legs": 5})
    assert str(far).startswith("No row is like this; nearest: ")
    assert "39 rows agree in 2 of 4 values" in str(far)
    assert far.differing[:1] == ("feathers",) or far.differing[:1] == ("legs",)


def test_ranges_and_several_values_count_every_possible_state():
    X, y = pnb.load_sample("iris")
    model = pnb.NaiveBayes(**{**GENERATIVE, "discretizer": {"petal width": [0.8, 1.7]}}).fit(X, y)
    rows = rows_behind(model, X, y)
    assert rows.support({"petal width": pnb.above(0.9)}).n == int((X["petal width"] > 0.8).sum())
    assert rows.support({"petal width": 1.0}).n == int(
        X["petal width"].between(0.8, 1.7, inclusive="right").sum()
    )
    assert rows.support({"petal width": float("nan")}).known == 0


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_every_model_has_rows_behind_it(kind):
    X, y = pnb.load_sample("iris")
    rows = rows_behind(kind().fit(X, y), X, y)
    found = rows.support({"petal width": 0.2})
    assert 0 < found.n <= (100 if kind.about.own_states else 50)
    assert found.rows.argmax() == 0


def test_labels_must_fit():
    X, y = pnb.load_sample("iris")
    model = pnb.NaiveBayes(**GENERATIVE).fit(X, y)
    with pytest.raises(DataError, match="150 rows and 3 labels"):
        rows_behind(model, X, y[:3])
    with pytest.raises(DataError, match="class 'rose'"):
        rows_behind(model, X[:1], ["rose"])


def test_what_is_unusual_is_said_aloud(zoo):
    model, X, _, rows = zoo
    analysis = CaseAnalysis.of(model, X)
    assert remarks(analysis, {"feathers": "yes"}, rows) == ()
    assert "No row has these values together: feathers = yes, milk = yes." in remarks(
        analysis, {"feathers": "yes", "milk": "yes"}, rows, mark=str
    )
    X, y = pnb.load_sample("wdbc")
    model = pnb.TreeAugmentedNaiveBayes(**GENERATIVE).fit(X, y)
    said = remarks(
        CaseAnalysis.of(model, X), {"worst radius": 99.0, "worst area": 200.0}, rows_behind(model, X, y)
    )
    assert said[0] == "worst radius = 99 is out of range: the rows have 7.93 to 36.04."
    assert said[1] == "No row has these values together: worst radius > 20.3, worst area ≤ 476."
    assert said[2].startswith("These values hardly go together")


def test_a_hundred_thousand_rows_are_counted_at_once():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 5, size=(100_000, 30)), columns=[f"x{i}" for i in range(30)]).astype(str)
    y = rng.choice(["a", "b"], size=len(X))
    rows = rows_behind(pnb.NaiveBayes(**GENERATIVE).fit(X, y), X, y)
    case = X.iloc[7].to_dict()
    assert rows.support(case).n >= 1
    assert rows.support(dict(list(case.items())[:2])).n == int(
        ((X["x0"] == case["x0"]) & (X["x1"] == case["x1"])).sum()
    )


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_every_model_says_how_sure_it_is(kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    rows = pnb.rows_behind(model, X, y)
    said = pnb.how_sure(model, X.iloc[0].to_dict() | {"sepal width": None}, rows)
    assert said[0].endswith("are setosa.")
    if model.intervals_.why_not:
        assert said[1] == model.intervals_.why_not
    else:
        assert said[1].startswith("The probability of setosa is ")
    far = pnb.how_sure(model, {"petal width": 900.0}, rows, label="virginica")
    assert "petal width = 900 is out of range: the rows have 0.1 to 2.5." in far


def test_the_interval_is_that_of_the_class_asked_for_and_moves_with_base_rates():
    X, y = pnb.load_sample("zoo")
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    case = {"milk": "yes", "eggs": "yes"}
    table = model.credible_interval(case).set_index("class")
    assert pnb.how_sure(model, case, label="bird") == (
        f"The probability of bird is {credible(table['low']['bird'], table['high']['bird'])}.",
        *pnb.how_sure(model, case | {"class": "bird"}),
    )
    rates = dict.fromkeys(model.classes_, 0.001) | {"bird": 0.994}
    said = pnb.how_sure(model, {"eggs": "yes"}, prior=rates)
    assert said == ("The probability of bird is above 99% (90% credible).",)
    counted = pnb.how_sure(model, {"eggs": "yes"}, pnb.rows_behind(model, X, y), prior=rates)
    assert counted == ("In the table, 20 of 59 such rows are bird.", *said)


def test_conflict_and_words_never_seen_are_said_without_a_table():
    X, y = pnb.load_sample("zoo")
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    said = pnb.how_sure(model, {"milk": "yes", "feathers": "yes", "backbone": "no", "fins": "many"})
    assert said[1] == "fins = many was not seen in training, so it counts as unknown."
    assert said[2].startswith("These values hardly go together: their combination is about 27 times rarer")
    with pytest.raises(QueryError, match="no variable 'fur'"):
        pnb.how_sure(model, {"fur": "yes"})


def test_a_range_has_no_interval_where_numbers_have_no_states_and_that_is_said():
    X, y = pnb.load_sample("iris")
    for kind in (pnb.GaussianNaiveBayes, pnb.KDependenceBayes):
        model = kind().fit(X, y)
        given = {"petal width": pnb.above(1.0), "petal length": 4.0}
        (said,) = [s for s in pnb.how_sure(model, given) if "interval" in s]
        assert said == model.intervals_.why_not_given(given)
        assert said.endswith("'petal width' is given as above 1; give one value, or leave it out.")
        assert not any("plain values" in s for s in pnb.how_sure(model, {"petal length": 4.0}))


@pytest.mark.parametrize(
    "kind", [pnb.NaiveBayes, pnb.GeneralizedNaiveBayes, pnb.KDependenceBayes, pnb.ClassTreesBayes]
)
def test_the_first_answer_draws_no_more_than_the_next_ones(kind, monkeypatch):
    """What all intervals need was drawn with the rows behind them."""
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    rows = pnb.rows_behind(model, X, y)

    def late(*_, **__):
        raise AssertionError("drawn when it was asked for")

    for place in ("draws", "network_draws"):
        monkeypatch.setattr(f"pgm_nb.certainty.{place}.run_chains", late)
    said = pnb.how_sure(model, {"petal width": 1.6}, rows)
    assert any("credible" in sentence for sentence in said)
    with pytest.raises(AssertionError, match="drawn when"):
        kind().fit(X, y).credible_interval({"petal width": 1.6})
