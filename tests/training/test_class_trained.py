"""Class-trained parameters: nothing fitted twice, the posterior by brute force, and at every evidence."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import pgm_nb as pnb
from pgm_nb.engine.pgmpy import to_markov_network
from pgm_nb.engine.sums import log_joint, normalise
from pgm_nb.engine.sums import terms as forest_terms
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.tables.factors import estimate
from pgm_nb.tables.hierarchical import estimate_hierarchical
from pgm_nb.training import class_trained
from pgm_nb.training.class_parameters import (
    ClassParameters,
    class_potentials,
    class_scores,
    class_terms,
    generative,
    markov_potentials,
)
from pgm_nb.training.class_trained import fit_class_parameters, hide, recount, stratified_folds
from pgm_nb.training.conditional import class_losses


def smoothed(families):
    return estimate_hierarchical(families)


def counted(families, codes, y):
    """Count the same graph in other rows."""
    classes, *tables = (counts[0] for counts in recount(families, codes, y, np.zeros_like(y), 1))
    return replace(families, y=classes, tables=tuple(tables))


class Case:
    """Coded rows of a sample, the learned tree, and its class-trained parameters."""

    def __init__(self, name, rows=slice(None)):
        X, y = pnb.load_sample(name)
        model = pnb.TreeAugmentedNaiveBayes().fit(X, y)
        self.codes = model.encoder_.encode(model._frame(X, reset=False))
        self.y = np.searchsorted(model.classes_, np.asarray(y))
        self.codes, self.y = self.codes[:, rows], self.y[rows]
        self.families = counted(model.learned_.counts, self.codes, self.y)
        self.ordered = [5] * len(self.families.tables)
        self.factors = smoothed(self.families)

    def fit(self):
        return fit_class_parameters(self.families, self.codes, self.y, smoothed, self.ordered)

    def scores(self, parameters, codes):
        return class_scores(parameters, self.factors, codes)


@pytest.fixture(scope="module")
def case():
    return Case("wdbc")


@pytest.fixture(scope="module")
def trained(case):
    return case.fit()


def test_the_posterior_is_a_softmax_over_sums_of_cells(case, trained):
    factors, d = case.factors, len(case.families.tables)
    scores = case.scores(trained, case.codes[:, :20])
    for row in range(20):
        x = case.codes[:, row].astype(int)
        total = factors.log_prior + trained.bias[-1]
        for i in range(d):
            own, mother = x[factors.columns[i]], factors.mothers[i]
            cell = (own,) if mother < 0 else (x[factors.columns[mother]], own)
            for y in range(2):
                total[y] += trained.weights[-1, i] * factors.tables[i][(y, *cell)]
                total[y] += trained.cells[i][(y, *cell)]
        np.testing.assert_allclose(scores[row], total, atol=1e-9)


def test_parts_add_up_whatever_is_known(case, trained):
    codes = hide(case.families, case.codes[:, :40], 9)
    base, values = class_terms(trained, case.factors, codes)
    np.testing.assert_allclose(base + values.sum(axis=1), case.scores(trained, codes))
    full = case.codes[:, :40]
    base, values = class_terms(trained, case.factors, full)
    potentials = class_potentials(trained, case.factors)
    np.testing.assert_allclose(base + values.sum(axis=1), log_joint(potentials, full))


def test_the_markov_network_gives_the_same_posterior_of_the_class(case, trained):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.inference import VariableElimination
    cards = case.families.cards
    attributes = tuple(Variable(f"x{i}", tuple(map(str, range(v)))) for i, v in enumerate(cards))
    variables = Variables(Variable("class", ("0", "1")), attributes)
    potentials = class_potentials(trained, case.factors)
    network = to_markov_network(variables, markov_potentials(potentials, variables))
    expected = np.exp(normalise(case.scores(trained, case.codes[:, :5]), case.factors.log_prior))
    for row in range(5):
        evidence = {f"x{i}": str(case.codes[column, row]) for i, column in enumerate(case.factors.columns)}
        found = VariableElimination(network).query(["class"], evidence=evidence, show_progress=False)
        np.testing.assert_allclose(found.values / found.values.sum(), expected[row], atol=1e-9)


def test_one_attribute_known_is_answered_by_the_generative_model(case, trained):
    codes = hide(case.families, case.codes[:, :40], 1)
    np.testing.assert_allclose(case.scores(trained, codes), log_joint(case.factors, codes))
    nothing = hide(case.families, case.codes[:, :1], 0)
    prior = normalise(case.scores(trained, nothing), case.factors.log_prior)
    np.testing.assert_allclose(prior[0], case.factors.log_prior)


def test_generative_parameters_change_nothing(case):
    plain = generative(case.families)
    for codes in (case.codes[:, :30], hide(case.families, case.codes[:, :30], 12)):
        np.testing.assert_allclose(case.scores(plain, codes), log_joint(case.factors, codes))


def test_in_between_is_between(trained):
    assert trained.known[0] == 1
    assert trained.known[-1] == 30
    _, weights, fades = trained.at(np.array([0, 1, 5, 30]))
    np.testing.assert_array_equal(weights[:2], 1)
    np.testing.assert_array_equal(weights[3], trained.weights[-1])
    low, high = np.sort([np.ones(30), trained.weights[1]], axis=0)
    assert (low - 1e-12 <= weights[2]).all()
    assert (weights[2] <= high + 1e-12).all()
    assert fades[0] == fades[1] == 0
    assert fades[3] == 1


def test_it_predicts_rows_it_has_not_seen_better(case):
    fold = stratified_folds(case.y, 4)
    known = Case("wdbc", fold > 0)
    trained = known.fit()
    test, truth = case.codes[:, fold == 0], case.y[fold == 0]
    before = class_losses(log_joint(known.factors, test), truth)[0].mean()
    after = class_losses(known.scores(trained, test), truth)[0].mean()
    assert after < 0.8 * before


def test_the_same_rows_give_the_same_parameters(case, trained):
    again = case.fit()
    for name in ("known", "bias", "weights", "fades"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trained, name))
    for one, other in zip(again.cells, trained.cells, strict=True):
        np.testing.assert_array_equal(one, other)
    assert again.path == trained.path


def test_any_order_of_rows_and_any_number_of_threads_give_the_same_digits(case, trained):
    order = np.random.default_rng(0).permutation(len(case.y))
    with threadpool_limits(1):
        again = fit_class_parameters(
            case.families, case.codes[:, order], case.y[order], smoothed, case.ordered
        )
    assert again.path == trained.path
    for one, other in zip(
        (again.bias, again.weights, again.fades, *again.cells),
        (trained.bias, trained.weights, trained.fades, *trained.cells),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_the_generative_tables_are_only_left_for_a_clear_gain():
    def step(name, losses):
        return class_trained._Step(name, np.array(losses), [])

    before = step("generative", [1.0, 1.0, 1.0, 1.0])
    lucky = step("weights", [0.2, 1.2, 0.8, 1.4])  # 0.1 better; the standard error is 0.23
    clear = step("cells", [0.8, 0.9, 0.7, 0.8])
    assert class_trained.choose([before, lucky]) is before
    assert class_trained.choose([before, lucky, clear]) is clear
    assert class_trained.choose([before, step("weights", [1.1] * 4)]) is before


def test_many_rows_try_fewer_folds(case):
    def folds(times):
        rows = np.tile(np.arange(len(case.y)), times)
        search = class_trained._Search(
            case.families, case.codes[:, rows], case.y[rows], smoothed, case.ordered
        )
        return len(search.tried)

    assert [folds(times) for times in (1, 3, 6)] == [5, 3, 2]


def test_terms_never_come_from_the_rows_they_score(case):
    seen = []

    def watched(families):
        seen.append(families)
        return smoothed(families)

    search = class_trained._Search(case.families, case.codes, case.y, watched, case.ordered)
    for aside in (None, 2):
        terms = search.out_of_fold(case.codes, search.fold, *(() if aside is None else (aside,)))
        for f in range(class_trained.FOLDS):
            here = search.fold == f
            learn = ~here if aside is None else ~here & (search.fold != aside)
            alone = smoothed(counted(case.families, case.codes[:, learn], case.y[learn]))
            np.testing.assert_allclose(terms[here], forest_terms(alone, case.codes[:, here]))
    rows = {int(families.y.sum()) for families in seen[1:]}  # the first is for the prior of all rows
    assert max(rows) < len(case.y)


def test_folds_spread_every_class():
    y = np.array([0] * 23 + [1] * 7 + [2] * 2)
    fold = stratified_folds(y, 5)
    for label in range(3):
        sizes = np.bincount(fold[y == label], minlength=5)
        assert sizes.max() - sizes.min() <= 1


def test_recounting_all_rows_gives_the_same_counts(case):
    again = counted(case.families, case.codes, case.y)
    for one, other in zip(again.tables, case.families.tables, strict=True):
        np.testing.assert_array_equal(one, other)


def test_hiding_leaves_just_so_many(case):
    hidden = hide(case.families, case.codes, 7)
    cards = np.array(case.families.cards)
    known = hidden[list(case.families.columns)] < cards[:, None]
    assert (known.sum(axis=0) == 7).all()
    np.testing.assert_array_equal(hidden, hide(case.families, case.codes, 7))


def test_a_search_that_does_not_end_falls_back(case, monkeypatch):
    monkeypatch.setattr("pgm_nb.training.conditional.MOST_STEPS", 2)
    found = case.fit()
    assert not found.converged
    np.testing.assert_allclose(
        case.scores(found, case.codes[:, :9]), log_joint(case.factors, case.codes[:, :9])
    )


def test_redundant_evidence_is_worth_less():
    """The same column five times: one fifth of the weight each, and no more certain than once."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    x = np.where(rng.random(400) < 0.8, y, 1 - y)
    codes = np.repeat(x[None].astype(np.uint8), 5, axis=0)
    table = np.array([np.bincount(x[y == c], minlength=2) for c in (0, 1)])
    star = class_trained.Families(np.bincount(y), tuple(range(5)), (-1,) * 5, (table,) * 5)
    found = fit_class_parameters(star, codes, y, smoothed)
    scores = class_scores(found, smoothed(star), codes)
    posterior = class_losses(scores, y)[1].max(axis=1)
    assert posterior.max() < 0.85
    assert found.weights[-1].mean() < 0.4


@pytest.mark.parametrize("d", [1, 2])
def test_very_few_attributes_and_rows(d):
    codes, y = np.array([[0, 1, 0, 1, 0, 1]] * d, dtype=np.uint8), np.array([0, 1, 0, 1, 0, 0])
    table = np.array([[3, 1], [0, 2]])
    star = class_trained.Families(np.array([4, 2]), tuple(range(d)), (-1,) * d, (table,) * d)
    found = fit_class_parameters(star, codes, y, lambda f: estimate(f, 1.0))
    unknown = np.full((d, 1), 2, dtype=np.uint8)
    scores = class_scores(found, estimate(star, 1.0), np.hstack([codes, unknown]))
    assert np.isfinite(scores).all()


def test_a_file_holds_it_all(trained):
    again = ClassParameters.unpack(*trained.pack())
    for name in ("known", "bias", "weights", "fades", "strength", "path", "converged"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trained, name))
    for tables in ("mains", "cells"):
        for one, other in zip(getattr(again, tables), getattr(trained, tables), strict=True):
            np.testing.assert_array_equal(one, other)
