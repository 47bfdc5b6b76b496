"""The structure with a case in it: the bars are the posteriors that the model itself answers."""

import pytest

import pgm_nb as pnb
from pgm_nb.engine.evidence import Between
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.known_picture import case_bars

KNOWN = {"parameters": "generative", "n_bins": 4}


@pytest.fixture(scope="module")
def iris():
    return pnb.load_sample("iris")


def test_bars_are_the_answers_of_the_model(iris):
    X, y = iris
    model = pnb.TreeAugmentedNaiveBayes(**KNOWN).fit(X, y)
    bars = case_bars(CaseAnalysis.of(model, X), {"petal width": 1.6})
    given = {"petal width": 1.6}
    assert bars["class"].shares == pytest.approx(
        model.query("class", given=given)["probability"].tolist(), abs=1e-12
    )
    answer = model.query("sepal width", given=given)
    assert bars["sepal width"].shares == pytest.approx(answer["probability"].tolist(), abs=1e-12)
    assert bars["petal width"].shares[bars["petal width"].state] == 1.0
    assert not bars["sepal width"].known


def test_evidence_that_is_no_value_is_known_without_a_state(iris):
    X, y = iris
    analysis = CaseAnalysis.of(pnb.TreeAugmentedNaiveBayes(**KNOWN).fit(X, y), X)
    bars = case_bars(analysis, {"petal width": Between(1.0, 2.0)})["petal width"]
    assert bars.state is None
    assert bars.known


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_can_be_drawn(kind, iris):
    X, y = iris
    svg = pnb.draw_known(kind().fit(X, y), X, {"petal width": 1.6})
    assert svg.count('class="bars"') >= 4
