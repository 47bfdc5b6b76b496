"""Wide tables: the pairs one by one instead of all at once, with the same model in the end."""

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.models import measuring

MODELS = [
    pnb.TreeAugmentedNaiveBayes(),
    pnb.GeneralizedNaiveBayes(max_clusters=5),
    pnb.GeneralizedNaiveBayes(parameters="generative"),
    pnb.GeneralizedNaiveBayes(search="optimal", parameters="generative"),
    pnb.GeneralizedNaiveBayes(search="exact", parameters="generative"),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_model_is_the_same_pair_by_pair(model, monkeypatch):
    X, y = pnb.load_sample("wdbc")
    usual = type(model)(**model.get_params()).fit(X, y)
    monkeypatch.setattr(measuring, "MOST_CELLS", 0)
    found = type(model)(**model.get_params()).fit(X, y)
    assert found.structure_ == usual.structure_
    assert found.trace_ == usual.trace_
    assert found.divergence_ == usual.divergence_
    np.testing.assert_array_equal(found.predict_proba(X), usual.predict_proba(X))


def test_a_wide_naive_bayes_measures_no_pairs(monkeypatch):
    X, y = pnb.load_sample("iris")
    usual = pnb.NaiveBayes().fit(X, y)
    monkeypatch.setattr(measuring, "MOST_CELLS", 0)
    found = pnb.NaiveBayes().fit(X, y)
    np.testing.assert_array_equal(found.predict_proba(X), usual.predict_proba(X))
    assert (found.divergence_.kl, found.divergence_.weight) == (
        usual.divergence_.kl,
        usual.divergence_.weight,
    )
    assert np.isnan(found.divergence_.weight_best)
    assert str(found.divergence_).endswith("best tree not searched)")
    assert "best tree not searched" in found._repr_html_()


def test_a_tree_for_the_class_needs_all_pairs(monkeypatch):
    X, y = pnb.load_sample("iris")
    monkeypatch.setattr(measuring, "MOST_CELLS", 0)
    with pytest.raises(DataError, match="4 columns are too many for that; use search='greedy'"):
        pnb.GeneralizedNaiveBayes(search="class").fit(X, y)
