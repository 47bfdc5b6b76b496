"""What the page of the fit says about numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss as sklearn_log_loss

import pgm_nb as pnb
from pgm_nb.app.pages.fit.fits import STRUCTURES, curve, entrants, finding, fit_of, held_out
from pgm_nb.app.shell.fitting import Settings
from pgm_nb.data.samples import load_sample
from pgm_nb.views.chart.fit import Fit


def model(**changes):
    return Settings("class", **changes).estimator().fit(*load_sample("wdbc"))


@pytest.fixture(scope="module")
def fits():
    return {name: (found := model(**changes), fit_of(name, found)) for name, changes in STRUCTURES.items()}


def test_all_structures_share_one_total(fits):
    totals = [fit.total for _, fit in fits.values()]
    np.testing.assert_allclose(totals, totals[0], rtol=1e-12)
    np.testing.assert_allclose([fit.relevance for _, fit in fits.values()], 8.7858, atol=1e-4)


def test_the_figures_of_wdbc(fits):
    sentence = finding([fit for _, fit in fits.values()])
    assert sentence == (
        "The columns tell 61.46 bits about each other. GNB-O and TAN hold 28.62 of them, and no tree can "
        "hold more; GNB-A misses 0.14 bits and naive Bayes misses 19.84 bits of that."
    )


def test_curves_fall_from_the_total_to_the_divergence(fits):
    for found, fit in fits.values():
        steps = [kl for _, kl in curve(found)]
        assert steps[0] == pytest.approx(fit.total)
        assert steps[-1] == pytest.approx(fit.kl)
        assert (np.diff(steps) <= 1e-9).all()
        assert len(steps) == 31


@pytest.mark.parametrize(
    ("gaps", "words"),
    [
        ((0.0, 0.0), "Naive Bayes holds 1.00 of them, and no tree can hold more"),
        (
            (0.5, 0.001),
            "The best tree holds 1.50 of them, and no tree can hold more; TAN misses <0.01",
        ),
    ],
)
def test_other_findings(gaps, words):
    assert words in finding(
        [Fit(n, 1.0, 0.0, 2.0, gap) for n, gap in zip(("Naive Bayes", "TAN"), gaps, strict=True)]
    )


def test_every_model_is_judged():
    assert len(entrants(Settings("class"))) == len(STRUCTURES) + 5


def test_losses_are_those_of_the_models():
    X, y = load_sample("iris")
    done = []
    losses, failures = held_out(X.join(y), Settings("class"), done.append)
    assert not failures
    assert done[-1] == 1.0
    assert done == sorted(done)
    by_name = {loss.model: loss for loss in losses}
    tan = pnb.TreeAugmentedNaiveBayes().fit(X, y)
    assert by_name["TAN"].seen == pytest.approx(
        sklearn_log_loss(y, tan.predict_proba(X)) / np.log(2), rel=1e-9
    )
    assert set(by_name) == set(entrants(Settings("class")))
    assert all(loss.unseen > 0 for loss in losses)


def test_a_model_that_cannot_is_said_and_left_out():
    frame = pd.DataFrame(
        {"a": ["x", "y", "z"] * 8, "b": ["p", "q"] * 12, "class": ["ill", "ill", "well", "well"] * 6}
    )
    losses, failures = held_out(frame, Settings("class"), lambda done: None)
    left_out = set(entrants(Settings("class"))) - {loss.model for loss in losses}
    assert left_out == {"Local-PCA mixture"}
    assert all(sentence.startswith("Local-PCA mixture failed in ") for sentence in failures)
    assert "column 'a' must hold numbers" in failures[0]


def test_a_rare_class_gets_fewer_folds():
    X, y = load_sample("iris")
    few = X.join(y).iloc[[*range(20), *range(50, 70), 100, 101]]
    losses, _ = held_out(few, Settings("class"), lambda done: None)
    assert len(losses) > 5
