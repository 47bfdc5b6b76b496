import numpy as np
import pytest
from sklearn.base import clone

import pgm_nb as pnb
from pgm_nb.explain.terms import Terms, forest_terms
from pgm_nb.inference import Factors, log_joint
from pgm_nb.models.table import TableClassifier

FORESTS = [
    pnb.NaiveBayes(),
    pnb.TreeAugmentedNaiveBayes(),
    pnb.GeneralizedNaiveBayes(),
    pnb.GeneralizedNaiveBayes(search="optimal", smoothing=0.5),
    pnb.GeneralizedNaiveBayes(search="exact", max_clusters=2),
]
UNSMOOTHED = [
    pnb.NaiveBayes(smoothing=None),
    pnb.TreeAugmentedNaiveBayes(smoothing=None),
    pnb.GeneralizedNaiveBayes(smoothing=None),
]
HIDDEN = [pnb.HiddenNaiveBayes(), pnb.PackagedHiddenNaiveBayes(), pnb.PackagedHiddenNaiveBayes(threshold=9.0)]


def random_forest(rng, d=7, k=3):
    """A random forest over attributes with two to four states, in an order with mothers first."""
    cards = rng.integers(2, 5, d)
    mothers = [-1] + [int(rng.integers(-1, i)) for i in range(1, d)]
    tables = []
    for i, mother in enumerate(mothers):
        shape = (k, cards[i]) if mother < 0 else (k, cards[mother], cards[i])
        table = rng.dirichlet(np.ones(cards[i]), size=shape[:-1])
        tables.append(np.log(table))
    return Factors(np.log(rng.dirichlet(np.ones(k))), tuple(range(d)), tuple(mothers), tuple(tables)), cards


def prefix(factors, size):
    return Factors(factors.log_prior, factors.columns[:size], factors.mothers[:size], factors.tables[:size])


class TestForestTerms:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("unknown", [0.0, 0.3, 0.7, 1.0])
    def test_every_prefix_is_an_exact_marginal(self, seed, unknown):
        rng = np.random.default_rng(seed)
        factors, cards = random_forest(rng)
        codes = rng.integers(0, cards[:, None], (len(cards), 60))
        codes = np.where(rng.random(codes.shape) < unknown, cards[:, None], codes).astype(np.uint8)
        sums = factors.log_prior + np.cumsum(forest_terms(factors, codes), axis=1)
        for size in range(1, len(cards) + 1):
            assert sums[:, size - 1] == pytest.approx(log_joint(prefix(factors, size), codes), abs=1e-12)

    def test_an_unknown_attribute_adds_nothing_at_all(self):
        factors, cards = random_forest(np.random.default_rng(0))
        codes = np.random.default_rng(1).integers(0, cards[:, None], (len(cards), 20))
        codes[3] = cards[3]
        terms = forest_terms(factors, codes.astype(np.uint8))
        assert (terms[:, 3] == 0).all()
        assert (terms[:, 0] != 0).all()

    def test_by_hand(self):
        # P(a|y) = .5 .5; P(b|a,y): a=0 -> .9 .1, a=1 -> .2 .8, the same in both classes
        a, b = np.log(np.full((2, 2), 0.5)), np.log(np.array([[[0.9, 0.1], [0.2, 0.8]]] * 2))
        factors = Factors(np.log([0.5, 0.5]), (0, 1), (-1, 0), (a, b))
        terms = np.exp(forest_terms(factors, np.array([[0, 2, 2], [1, 0, 2]], dtype=np.uint8)))
        assert terms[:, :, 0] == pytest.approx(np.array([[0.5, 0.1], [1, 0.55], [1, 1]]))

    def test_impossible_states_stay_impossible(self):
        with np.errstate(divide="ignore"):
            a = np.log(np.array([[1.0, 0.0], [0.5, 0.5]]))
            b = np.log(np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [1.0, 0.0]]]))
            c = np.log(np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]]))
        factors = Factors(np.log([0.5, 0.5]), (0, 1, 2), (-1, 0, 1), (a, b, c))
        codes = np.array(np.meshgrid([0, 1, 2], [0, 1, 2], [0, 1, 2])).reshape(3, -1).astype(np.uint8)
        sums = factors.log_prior + forest_terms(factors, codes).sum(axis=1)
        expected = log_joint(factors, codes)
        assert np.isneginf(expected).any()
        np.testing.assert_allclose(sums, expected, rtol=0, atol=1e-12)


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

    @pytest.mark.parametrize("search", ["greedy", "optimal", "exact"])
    @pytest.mark.parametrize("smoothing", [2.0, None])
    def test_a_prefix_is_the_smaller_model(self, search, smoothing, wdbc):
        X, y = wdbc
        X, train = X.iloc[:, ::2], np.arange(len(X)) % 3 > 0
        whole = pnb.GeneralizedNaiveBayes(search=search, smoothing=smoothing).fit(X[train], y[train])
        prefixes = whole.prefix_scores(X[~train])
        for clusters in (1, 2, 5, 14):
            small = pnb.GeneralizedNaiveBayes(search=search, smoothing=smoothing, max_clusters=clusters)
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
