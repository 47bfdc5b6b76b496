"""What wishes cost: against weights and log-losses computed in another way."""

import numpy as np
import pytest
from sklearn.metrics import log_loss as sklearn_log_loss

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.evaluate.edit_price import EditPrice, LossChange, free_model, loss_change
from pgm_nb.evaluate.predictions import UnseenRows, predict_unseen

KNOWN = {"parameters": "generative", "n_bins": 5}


@pytest.fixture(scope="module")
def iris():
    return pnb.load_sample("iris")


def test_the_price_is_weight_and_log_loss_against_the_free_tree(iris):
    X, y = iris
    wish = [("petal length", "petal width")]
    model = pnb.TreeAugmentedNaiveBayes(required=wish, **KNOWN)
    free = pnb.TreeAugmentedNaiveBayes(**KNOWN)
    done = []
    found = pnb.edit_price(model, X, y, cv=3, progress=done.append)
    fitted = [each.fit(X, y) for each in (free, model)]
    assert found.bits == pytest.approx(fitted[0].divergence_.weight - fitted[1].divergence_.weight, abs=1e-12)
    assert found.bits == pytest.approx(fitted[1].trace_.price, abs=1e-9)
    for each, loss in zip((free, model), (found.loss.free, found.loss.edited), strict=True):
        unseen = predict_unseen(each, X, y, cv=3)
        assert loss == pytest.approx(sklearn_log_loss(unseen.truth, unseen.probabilities) / np.log(2))
    assert done[-1] == 1.0
    assert done == sorted(done)


def test_the_interval_is_that_of_a_mean_of_differences():
    truth = np.zeros(4, dtype=int)
    free = np.array([[0.5, 0.5]] * 4)
    edited = np.array([[0.5, 0.5], [0.25, 0.75], [0.5, 0.5], [0.25, 0.75]])
    found = loss_change(*(UnseenRows(("a", "b"), np.arange(4), truth, p, 4, 2) for p in (free, edited)))
    error = np.std([0, 1, 0, 1], ddof=1) / 2
    assert (found.free, found.edited, found.difference) == (1.0, 1.5, 0.5)
    assert found.low == pytest.approx(0.5 - 1.96 * error)
    assert found.high == pytest.approx(0.5 + 1.96 * error)


def test_a_model_that_was_asked_nothing_has_no_price(iris):
    assert free_model(pnb.NaiveBayes()) is None
    with pytest.raises(DataError, match="no required or forbidden links"):
        pnb.edit_price(pnb.TreeAugmentedNaiveBayes(), *iris)


def test_sentences():
    assert EditPrice(0.0, None).sentence.startswith("The tree as asked for captures as much as")
    assert "0.100 bits more than" in EditPrice(-0.1, None).sentence
    worse = LossChange(0.2, 0.3, 0.05, 0.15)
    assert worse.sentence.endswith("instead of 0.200 bits: worse, and more than chance would make.")
    better = LossChange(0.3, 0.2, -0.15, -0.05)
    assert "better, and more than chance" in better.sentence
    assert LossChange(0.2, 0.2, 0.0, 0.0).sentence == "On new rows the log-loss is the same: 0.200 bits."
