import numpy as np
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.explain.terms import Terms
from pgm_nb.inference import log_joint
from pgm_nb.models.table import TableClassifier

FORESTS = [
    pnb.NaiveBayes(),
    pnb.TreeAugmentedNaiveBayes(),
    pnb.GeneralizedNaiveBayes(parameters="generative"),
    pnb.GeneralizedNaiveBayes(search="optimal", smoothing=0.5, parameters="generative"),
    pnb.GeneralizedNaiveBayes(search="exact", max_clusters=2, parameters="generative"),
]
UNSMOOTHED = [
    pnb.NaiveBayes(smoothing=None),
    pnb.TreeAugmentedNaiveBayes(smoothing=None),
    pnb.GeneralizedNaiveBayes(smoothing=None),
]
HIDDEN = [pnb.HiddenNaiveBayes(), pnb.PackagedHiddenNaiveBayes(), pnb.PackagedHiddenNaiveBayes(threshold=9.0)]


class TestModels:
    @pytest.mark.parametrize("model", [*FORESTS, *HIDDEN], ids=str)
    def test_terms_sum_to_the_score(self, model, three_classes, gaps):
        X, y = three_classes
        fitted = clone(model).fit(X, y)
        for rows in (X, gaps):
            terms = fitted.terms(rows)
            assert terms.scores() == pytest.approx(fitted.predict_joint_log_proba(rows), abs=1e-11)
            assert terms.names == tuple(fitted.importance_["attribute"])
            assert [about[0] for about in terms.attributes] == list(terms.names)

    @pytest.mark.parametrize("model", FORESTS, ids=str)
    def test_the_fast_terms_are_those_of_the_chain_rule(self, model, three_classes, gaps):
        X, y = three_classes
        fitted = clone(model).fit(X, y)
        for rows in (X, gaps):
            codes = fitted.encode(rows)
            fast, general = fitted.coded_terms(codes), TableClassifier.coded_terms(fitted, codes)
            assert (fast.names, fast.attributes) == (general.names, general.attributes)
            np.testing.assert_allclose(fast.prior, general.prior, rtol=0, atol=1e-9)
            np.testing.assert_allclose(fast.values, general.values, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("model", HIDDEN, ids=str)
    def test_the_terms_of_mixtures_have_the_sum_of_the_chain_rule(self, model, three_classes, gaps):
        """A mixture changes when a member becomes known, so only the sums can be the same."""
        X, y = three_classes
        fitted = clone(model).fit(X, y)
        for rows in (X, gaps):
            codes = fitted.encode(rows)
            fast, general = fitted.coded_terms(codes), TableClassifier.coded_terms(fitted, codes)
            np.testing.assert_allclose(fast.prior, TableClassifier.class_log_prior_.fget(fitted), atol=1e-9)
            np.testing.assert_allclose(fast.scores(), general.scores(), rtol=0, atol=1e-9)

    @pytest.mark.parametrize("model", UNSMOOTHED, ids=str)
    def test_repaired_rows_sum_to_their_score(self, model, three_classes, gaps):
        X, y = three_classes
        fitted = clone(model).fit(X[:60], y[:60])
        repaired = 0
        for rows in (X, gaps):
            expected = fitted.predict_joint_log_proba(rows)
            np.testing.assert_allclose(fitted.terms(rows).scores(), expected, rtol=0, atol=1e-11)
            codes = fitted.encoder_.encode(rows)
            repaired += np.isneginf(log_joint(fitted.factors_, codes)).all(axis=1).sum()
        assert repaired > 5 or isinstance(model, pnb.NaiveBayes)

    @pytest.mark.parametrize("search", ["greedy", "optimal"])  # the best tree with k clusters is no prefix
    @pytest.mark.parametrize("smoothing", [2.0, None])
    def test_a_prefix_is_the_smaller_model(self, search, smoothing, wdbc):
        X, y = wdbc
        X, train = X.iloc[:, ::2], np.arange(len(X)) % 3 > 0
        rules = {"search": search, "smoothing": smoothing, "parameters": "generative"}
        whole = pnb.GeneralizedNaiveBayes(**rules).fit(X[train], y[train])
        prefixes = whole.prefix_scores(X[~train])
        for clusters in (1, 2, 5, 14):
            small = pnb.GeneralizedNaiveBayes(**rules, max_clusters=clusters)
            expected = small.fit(X[train], y[train]).predict_joint_log_proba(X[~train])
            np.testing.assert_allclose(prefixes[:, clusters + 1], expected, rtol=0, atol=1e-11)

    def test_mothers_are_named(self, three_classes):
        X, y = three_classes
        fitted = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        terms = fitted.terms(X)
        assert {about[0]: about[1] for about in terms.attributes[1:]} == dict(fitted.structure_.mothers)


def test_terms_cannot_be_changed():
    terms = Terms(("a",), (("a",),), np.zeros(2), np.zeros((1, 1, 2)))
    with pytest.raises(ValueError, match="read-only"):
        terms.values[0, 0, 0] = 1.0
