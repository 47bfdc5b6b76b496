"""A case in another population: class, attributes, reasons, nomogram and what to measure next all follow."""

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.certainty.draws import supposed
from pgm_nb.engine.evidence import one_of
from pgm_nb.explain.base_rates import in_population
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.models.intervals import DRAWS

OTHER = {"setosa": 0.2, "versicolor": 0.75, "virginica": 0.05}
RATES = np.array(list(OTHER.values()))
KNOWN = {"petal width": 1.6, "sepal width": 2.9}


@pytest.fixture(scope="module", params=[kind.about.short_name for kind in pnb.MODELS])
def analysis(request):
    kind = next(kind for kind in pnb.MODELS if kind.about.short_name == request.param)
    X, y = pnb.load_sample("iris")
    rows = np.random.default_rng(0).choice(150, 120, replace=False)
    return CaseAnalysis.of(kind().fit(X.iloc[rows], y.iloc[rows]), X.iloc[rows])


def by_hand(analysis, posterior):
    weighed = posterior * RATES / np.exp(analysis.model.class_log_prior_)
    return weighed / weighed.sum(axis=-1, keepdims=True)


def test_the_class(analysis):
    moved = in_population(analysis, OTHER)
    for known in ({}, KNOWN, {"petal width": one_of(1.6, 0.2)}):
        if known and not analysis.model.about.is_joint and known is not KNOWN:
            continue  # the mixture of the values is of the table there
        expected = by_hand(analysis, analysis.posterior(known).classes)
        np.testing.assert_allclose(moved.posterior(known).classes, expected, rtol=1e-10)
    np.testing.assert_allclose(moved.posterior({}).classes, RATES, rtol=1e-12)


def test_the_reasons_and_the_answer_agree(analysis):
    moved = in_population(analysis, OTHER)
    why = moved.explain(KNOWN, "versicolor", "virginica")
    np.testing.assert_allclose(why.probabilities, moved.posterior(KNOWN).classes, rtol=1e-9)
    assert why.prior_log_odds == pytest.approx(np.log(0.75 / 0.05), abs=1e-9)


def test_what_to_measure_next(analysis):
    """The chance of a value is that of this population, so the expected posterior is the posterior."""
    moved = in_population(analysis, OTHER)
    for case in (analysis, moved):
        prospects = case.prospects({"petal width": 1.6})
        outcomes = prospects.outcomes(
            [(prospects.nothing, (place,)) for place in range(len(prospects.columns))]
        )
        np.testing.assert_allclose(
            prospects.posterior, case.posterior({"petal width": 1.6}).classes, rtol=1e-9
        )
        assert all(chances.sum() == pytest.approx(1) for chances, _ in outcomes)
    if analysis.model.about.is_joint and not getattr(analysis.model, "class_parameters_", None):
        for chances, posteriors in outcomes:
            np.testing.assert_allclose(chances @ posteriors, prospects.posterior, rtol=1e-9)


def test_attributes_follow_where_they_are_predicted(analysis):
    moved = in_population(analysis, OTHER)
    states = moved.posterior({}).states
    if states is None:
        assert not analysis.model.about.predicts_attributes
        return
    for name, shares in states.items():
        assert shares.sum() == pytest.approx(1, abs=1e-9), name
    assert not np.allclose(states["petal width"], analysis.posterior({}).states["petal width"])


def test_no_other_population_is_the_same_analysis(analysis):
    assert in_population(analysis, None) is analysis


def test_the_nomogram_starts_from_the_base_rate():
    X, y = pnb.load_sample("wdbc")
    analysis = CaseAnalysis.of(pnb.NaiveBayes(parameters="generative").fit(X, y), X)
    rare = in_population(analysis, {"benign": 0.99, "malignant": 0.01})
    drawn, moved = (a.nomogram("malignant", "benign") for a in (analysis, rare))
    trained = np.exp(analysis.model.class_log_prior_)
    shift = np.log(0.01 / 0.99) - np.log(trained[1] / trained[0])
    assert moved.prior_log_odds - drawn.prior_log_odds == pytest.approx(shift, abs=1e-9)


class TestIntervals:
    def test_the_odds_of_both_ends_move(self, monkeypatch):
        """For the same draws: the class that draws take the case to be follows the base rate, too."""
        same = supposed(np.array([0.5, 0.5]), DRAWS)
        monkeypatch.setattr("pgm_nb.models.intervals.supposed", lambda *_: same)
        X, y = pnb.load_sample("wdbc")
        model = pnb.NaiveBayes(parameters="generative").fit(X, y)
        rare = in_population(CaseAnalysis.of(model, X), {"benign": 0.99, "malignant": 0.01}).model
        given = {"worst radius": 17.0}
        low, high = model.intervals_.of_tree(model.junction_tree().observe(given), 0.9)
        moved_low, moved_high = rare.intervals_.of_tree(rare.junction_tree().observe(given), 0.9)
        prior = np.exp(model.class_log_prior_)
        factor = (0.01 / 0.99) / (prior[1] / prior[0])
        for end, moved in ((low[1], moved_low[1]), (high[1], moved_high[1])):
            # an end lies between two draws, on a straight line that the odds bend a little
            assert moved / (1 - moved) == pytest.approx(factor * end / (1 - end), rel=1e-4)
        np.testing.assert_allclose(moved_low[::-1], 1 - moved_high, rtol=1e-12)
        inside = rare.class_posterior(rare.junction_tree().observe(given))
        assert (moved_low <= inside).all()
        assert (inside <= moved_high).all()
        assert rare.intervals_.why_not == ""

    def test_more_classes_move_too(self):
        X, y = pnb.load_sample("iris")
        moved = in_population(CaseAnalysis.of(pnb.NaiveBayes(parameters="generative").fit(X, y), X), OTHER)
        known = {"petal width": 1.6}
        low, high = moved.interval(known)
        inside = moved.posterior(known).classes
        assert (low <= inside).all()
        assert (inside <= high).all()
        assert (low < high).all()
