"""How sure every model is, in sentences."""

import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.words import credible


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_every_model_says_how_sure_it_is(kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    rows = pnb.rows_behind(model, X, y)
    said = pnb.how_sure(model, X.iloc[0].to_dict() | {"sepal width": None}, rows)
    assert said[0].endswith("are setosa.")
    if model.no_interval:
        assert said[1] == model.no_interval
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
        assert said == model.no_interval_given(given)
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

    for place in ("table_posterior", "network_draws"):
        monkeypatch.setattr(f"pgm_nb.inference.{place}.run_chains", late)
    said = pnb.how_sure(model, {"petal width": 1.6}, rows)
    assert any("credible" in sentence for sentence in said)
    with pytest.raises(AssertionError, match="drawn when"):
        kind().fit(X, y).credible_interval({"petal width": 1.6})
