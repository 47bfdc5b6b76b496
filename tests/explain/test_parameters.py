"""The entries an answer depends on most: the order, the sentences, and who refuses."""

import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError


@pytest.fixture(scope="module")
def model():
    X, y = pnb.load_sample("heart")
    return pnb.GeneralizedNaiveBayes(parameters="generative", n_bins=3).fit(X, y)


def test_the_most_influential_come_first(model):
    given = {"age": 61, "sex": "male"}
    table = pnb.parameter_sensitivity(model, given, "present")
    now = model.query("class", given=given)["probability"][1]
    assert len(table) == 10
    moves = (table["after"] - now).abs()
    assert moves.is_monotonic_decreasing
    everything = pnb.parameter_sensitivity(model, given, "present", most=None)
    assert (everything["after"] - now).abs().max() == moves[0]
    assert any("sex = male | " in entry for entry in table["entry"])


def test_an_entry_is_written_as_a_fact_among_cases(model):
    X, y = pnb.load_sample("heart")
    naive = pnb.NaiveBayes(parameters="generative", discretizer={"age": [50.0, 60.0]}, n_bins=3).fit(X, y)
    table = pnb.parameter_sensitivity(naive, {"age": 70}, "present", most=None).set_index("entry")
    assert "P(class = absent)" in table.index
    now, entry = table.loc["P(class = absent)"], table.loc["P(age > 60 | class = present)"]
    assert now["sentence"].startswith("If class = absent had 10% higher odds (now ")
    assert entry["sentence"].startswith(
        f"If age > 60 had 10% higher odds among cases with class = present (now {entry['value']:.1%}), "
        f"present would have {entry['after']:.1%} instead of "
    )
    assert "P(age in (50, 60] | class = absent)" in table.index
    mothers = pnb.parameter_sensitivity(model, {"age": 61}, "present", most=None)["sentence"]
    assert mothers.str.contains(r"among cases with .+ and class = ").any()


def test_who_cannot_says_why(model):
    X, y = pnb.load_sample("heart")
    with pytest.raises(QueryError, match="has no junction tree"):
        pnb.parameter_sensitivity(pnb.HiddenNaiveBayes().fit(X, y))
    trained = pnb.NaiveBayes(parameters="class", n_bins=5).fit(X, y)
    with pytest.raises(QueryError, match="trained together for the class"):
        pnb.parameter_sensitivity(trained, {"sex": "male", "age": 61, "thallium scan": "normal"})
    with pytest.raises(QueryError, match="is given"):
        pnb.parameter_sensitivity(model, {"class": "present"})
    with pytest.raises(QueryError, match="there is no class 'ill'"):
        pnb.parameter_sensitivity(model, {}, "ill")
