"""Further questions about a case: each answers with what the library says, or says why it cannot."""

import pytest

import pgm_nb as pnb
from pgm_nb.explain import CaseAnalysis
from pgm_nb.words import probability

GIVEN = ["petal width=1.6", "sepal length=6"]
KNOWN = {"petal width": 1.6, "sepal length": 6.0}


def said(app):
    return " ".join(text.value for text in [*app.markdown, *app.caption])


@pytest.fixture(scope="module")
def case():
    X, y = pnb.load_sample("iris")
    return CaseAnalysis.of(pnb.NaiveBayes(parameters="generative").fit(X, y), X)


@pytest.fixture
def asked(visit):
    def open_page(more, **choices):
        return visit("what_if", sample="iris", given=GIVEN, more=more, **choices)

    return open_page


NB = {"model": "nb", "parameters": "generative"}


def test_nothing_is_computed_before_it_is_asked(visit):
    app = visit("what_if", sample="iris", given=GIVEN)
    assert "upright line" not in said(app)


def test_unknown_values(asked, case):
    app = asked("unknowns", **NB)
    first = pnb.tornado(case, KNOWN).swings[0]
    assert f"**{first.attribute}** alone could make it {probability(first.low)}" in said(app)


def test_changes(asked, case):
    app = asked("changes", **NB)
    expected = pnb.what_changes(case, KNOWN)
    assert f"**{expected.to}** becomes the most probable class with one change." in said(app)
    assert f"**{probability(expected.found[0].probability)}**" in said(app)
    app.multiselect(key="may_change").set_value(["sepal length"]).run()
    assert "No change of these values makes" in said(app) or "**sepal length**" in said(app)
    assert app.query_params["may_change"] == "sepal length"
    app.selectbox(key="wanted").select("setosa").run()
    assert "**setosa**" in said(app)


def test_the_most_likely_case(asked, case):
    best = case.model.map_query(given=KNOWN)
    assert f"class = **{best['class']}**" in said(asked("likeliest", **NB))


def test_numbers(asked):
    assert "depends most on these numbers" in said(asked("numbers", **NB))
    assert "has no junction tree" in said(asked("numbers", model="hnb"))


@pytest.mark.parametrize("more", ["unknowns", "changes", "likeliest", "numbers"])
def test_every_kind_of_model_answers_or_says_why(asked, kind, more):
    app = asked(more, model=kind.about.short_name)
    assert not app.error
    assert not app.exception
