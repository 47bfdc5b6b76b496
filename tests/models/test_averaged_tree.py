"""ATAN: every root by the tables of its own tree; without smoothing all roots agree."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.engine.sums import log_joint
from pgm_nb.graphs import Tree
from pgm_nb.models.averaged_tree import averaged


def turned(tree, root):
    """The same tree with another root."""
    near = {name: set() for name in tree.attributes}
    for child, mother in tree.mothers.items():
        near[child].add(mother)
        near[mother].add(child)
    order, mothers = [root], {}
    for name in order:
        for other in near[name] - {mothers.get(name)}:
            mothers[other] = name
            order.append(other)
    return Tree(tree.target, tree.attributes, mothers)


@pytest.mark.parametrize("smoothing", ["hierarchical", "backoff", 1.0])
def test_the_mean_over_trees_fitted_root_by_root(smoothing):
    X, y = pnb.load_sample("heart")
    model = pnb.AveragedTree(n_bins=4, smoothing=smoothing).fit(X, y)
    for rows in (X, X.mask(np.random.default_rng(0).random(X.shape) < 0.3)):
        rows = rows.iloc[:60]
        each = []
        for name in X.columns:
            tree = turned(model.structure_, name)
            one = pnb.GeneralizedNaiveBayes(
                structure=tree, parameters="generative", n_bins=4, smoothing=smoothing
            ).fit(X, y)
            assert one.structure_.order[0] == name
            each.append(one.predict_proba(rows))
        np.testing.assert_allclose(model.root_posteriors(rows), each, rtol=0, atol=1e-10)
        np.testing.assert_allclose(model.predict_proba(rows), np.mean(each, axis=0), rtol=0, atol=1e-10)


def test_exact_tables_agree_for_every_root():
    """The averaging acts through smoothing alone."""
    X, y = pnb.load_sample("heart")
    model = pnb.AveragedTree(n_bins=3, smoothing=None).fit(X, y)
    posteriors = model.root_posteriors(X)
    possible = ~np.isnan(posteriors).any(axis=(0, 2))
    assert possible.sum() > 200
    np.testing.assert_allclose(np.ptp(posteriors[:, possible], axis=0), 0, atol=1e-12)
    smoothed = pnb.AveragedTree(n_bins=3, smoothing=1.0).fit(X, y).root_posteriors(X)
    assert np.ptp(smoothed, axis=0).max() > 0.01


def test_rows_that_are_impossible_get_the_prior():
    X = pd.DataFrame({"a": list("uuvvuuvv"), "b": list("wxwxwxwx")})
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    X.loc[y == 0, "a"], X.loc[y == 1, "b"] = "u", "x"
    model = pnb.AveragedTree(smoothing=None).fit(X, y)
    odd = pd.DataFrame({"a": ["v"], "b": ["w"]})
    np.testing.assert_allclose(model.predict_proba(odd), [[0.5, 0.5]])


def test_likelihoods_are_averaged_too():
    with np.errstate(divide="ignore"):
        scores = np.log(np.array([[[0.2, 0.2]], [[0.3, 0.1]], [[0.0, 0.0]]]))
    found = averaged(scores)
    np.testing.assert_allclose(np.exp(found), [[0.4 * 0.625, 0.4 * 0.375]])


def test_attributes_are_ranked_as_they_joined():
    X, y = pnb.load_sample("iris")
    model = pnb.AveragedTree(n_bins=5).fit(X, y)
    tree = pnb.TreeAugmentedNaiveBayes(n_bins=5, parameters="generative").fit(X, y)
    assert model.importance_["attribute"].tolist() == tree.importance_["attribute"].tolist()
    for number in range(1, 5):  # so that the first ones are always a tree
        assert model.structure_.part(model.importance_["attribute"][:number]).root == tree.structure_.root


def test_the_tables_of_a_root():
    X, y = pnb.load_sample("iris")
    model = pnb.AveragedTree(n_bins=3).fit(X, y)
    codes = model.encode(X)
    factors = model.rooted("sepal width")
    assert model.encoder_.names[factors.columns[0]] == "sepal width"
    posterior = np.exp(log_joint(factors, codes))
    posterior /= posterior.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(posterior, model.root_posteriors(X)[1], rtol=0, atol=1e-12)
