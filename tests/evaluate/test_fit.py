"""How well structures fit a table, in numbers and sentences."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss as sklearn_log_loss

import pgm_nb as pnb
from pgm_nb.data.read import load_sample
from pgm_nb.errors import DataError
from pgm_nb.evaluate.fit import fit_of, fit_sentence, held_out_losses, kl_by_attribute, loss_sentence
from pgm_nb.models import MODELS
from pgm_nb.views.chart.fit import Fit, Loss


def every_model(joint=False):
    return {
        variant.name: kind(**variant.parameters)
        for kind in MODELS
        if (kind.about.is_joint and not kind.about.own_states) or not joint
        for variant in kind.about.variants()
    }


@pytest.fixture(scope="module")
def fits():
    X, y = load_sample("wdbc")
    models = {name: model.set_params(n_bins=5) for name, model in every_model(joint=True).items()}
    return {name: (model.fit(X, y), fit_of(name, model)) for name, model in models.items()}


def test_all_structures_share_one_total(fits):
    totals = [fit.total for _, fit in fits.values()]
    np.testing.assert_allclose(totals, totals[0], rtol=1e-12)
    whole = [fit.relevance for model, fit in fits.values() if not getattr(model.structure_, "apart", ())]
    np.testing.assert_allclose(whole, 8.7858, atol=1e-4)
    assert len(whole) == len(fits) - 1  # one leaves attributes out


def test_the_figures_of_wdbc(fits):
    sentence = fit_sentence([fit for _, fit in fits.values()])
    assert sentence == (
        "The columns share 61.46 bits of information. A tree can capture at most 28.62 of them, and TAN, "
        "GNB-O and Best tree (exact) do. GNB-A captures 0.14 bits less, GNB for the class captures 14.07 "
        "bits less, Selective NB captures 26.21 bits less and Naive Bayes captures 19.84 bits less. With "
        "several mothers, GNB of order 4 captures 30.30."
    )


def test_curves_fall_from_the_total_to_the_divergence(fits):
    for found, fit in fits.values():
        steps = [kl for _, kl in kl_by_attribute(found)]
        assert steps[0] == pytest.approx(fit.total)
        assert steps[-1] == pytest.approx(fit.kl)
        assert (np.diff(steps) <= 1e-9).all()
        assert len(steps) == 31


@pytest.mark.parametrize(
    ("gaps", "words"),
    [
        ((0.0, 0.0), "Naive Bayes captures 1.00 of them, and no tree can capture more"),
        ((0.5, 0.001), "A tree can capture at most 1.50 of them. TAN captures <0.01 bits less"),
    ],
)
def test_other_findings(gaps, words):
    assert words in fit_sentence(
        [Fit(n, 1.0, 0.0, 2.0, gap) for n, gap in zip(("Naive Bayes", "TAN"), gaps, strict=True)]
    )


def test_losses_are_those_of_the_models():
    X, y = load_sample("iris")
    done = []
    found = held_out_losses(every_model(), X, y, done.append)
    losses, failures = found.losses, tuple(found.comparison.failure_sentences())
    assert not failures
    assert done[-1] == 1.0
    assert done == sorted(done)
    by_name = {loss.model: loss for loss in losses}
    tan = pnb.TreeAugmentedNaiveBayes().fit(X, y)
    assert by_name["TAN"].seen == pytest.approx(
        sklearn_log_loss(y, tan.predict_proba(X)) / np.log(2), rel=1e-9
    )
    assert set(by_name) == set(every_model())
    assert all(loss.unseen > 0 for loss in losses)


def test_a_model_that_cannot_is_said_and_left_out(monkeypatch):
    def refuse(self, X, y):
        raise DataError("column 'a' must hold numbers")

    monkeypatch.setattr(pnb.LocalPCAMixture, "fit", refuse)
    frame = pd.DataFrame(
        {"a": ["x", "y", "z"] * 8, "b": ["p", "q"] * 12, "class": ["ill", "ill", "well", "well"] * 6}
    )
    found = held_out_losses(every_model(), frame[["a", "b"]], frame["class"], lambda done: None)
    losses, failures = found.losses, tuple(found.comparison.failure_sentences())
    left_out = set(every_model()) - {loss.model for loss in losses}
    assert left_out == {"Local-PCA mixture"}
    assert all(sentence.startswith("Local-PCA mixture failed in ") for sentence in failures)
    assert "column 'a' must hold numbers" in failures[0]


def test_a_rare_class_gets_fewer_folds():
    X, y = load_sample("iris")
    few = X.join(y).iloc[[*range(20), *range(50, 70), 100, 101]]
    losses = held_out_losses(every_model(), few[X.columns], few["class"], lambda done: None).losses
    assert len(losses) > 5


def test_what_the_losses_say():
    naive, tan = Fit("Naive Bayes", 1.0, 0.0, 2.0, 0.75), Fit("TAN", 1.0, 0.75, 1.25, 0.0)
    losses = [Loss("Naive Bayes", 0.2, 0.4, 0.01), Loss("TAN", 0.1, 0.3, 0.02)]
    said = loss_sentence(losses, [naive, tan])
    assert said.startswith("On rows it has not seen, TAN predicts best")
    assert said.endswith("TAN captures more of this table than Naive Bayes, and predicts new rows better too "
                         "(0.300 against 0.400 bits).")  # fmt: skip
    assert loss_sentence(losses[1:], [naive, tan]).count(".") == loss_sentence(losses, [naive, naive]).count(
        "."
    )
