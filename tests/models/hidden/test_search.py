"""Weights, bags, the sweep of thresholds, and that its path gives what a refit per threshold would."""

import numpy as np
import pytest

from pgm_nb.counts import count
from pgm_nb.engine.sums import normalise
from pgm_nb.information import conditional_mutual_information
from pgm_nb.models.hidden import model as search
from pgm_nb.models.hidden.mixtures import log_scores, mixtures
from pgm_nb.models.hidden.model import (
    Sweep,
    average_dependence,
    bags,
    folds,
    hidden_parents,
    parent_weights,
    sweep,
    threshold_path,
    validate_thresholds,
)

DEPENDENCE = np.array([[0, 0.4, 0.1, 0], [0.4, 0, 0.2, 0], [0.1, 0.2, 0, 0], [0, 0, 0, 0]])


def test_weights_are_shares_of_what_is_above_the_threshold():
    expected = [[0, 0.8, 0.2, 0], [2 / 3, 0, 1 / 3, 0], [1 / 3, 2 / 3, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(parent_weights(DEPENDENCE), expected, rtol=0, atol=1e-15)
    expected = [[0, 1, 0, 0], [2 / 3, 0, 1 / 3, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_allclose(parent_weights(DEPENDENCE, 0.2), expected, rtol=0, atol=1e-15)
    assert not parent_weights(DEPENDENCE, 0.5).any()


def test_a_threshold_below_everything_changes_no_bit(wdbc_information):
    dependence = wdbc_information.dependence
    lowest = dependence[np.triu_indices(30, 1)].min()
    assert (parent_weights(dependence, lowest) == parent_weights(dependence)).all()


def test_average_is_over_pairs_and_knows_no_order(wdbc_information):
    assert average_dependence(DEPENDENCE) == pytest.approx(0.7 / 6, abs=1e-16)
    shuffled = np.random.default_rng(0).permutation(30)
    dependence = wdbc_information.dependence
    assert average_dependence(dependence[np.ix_(shuffled, shuffled)]) == average_dependence(dependence)
    assert average_dependence(np.zeros((1, 1))) == 0.0


def test_path_runs_from_hidden_to_naive(wdbc_information):
    assert threshold_path(DEPENDENCE)[:-1].tolist() == [0.0, 0.1, 0.2, 0.4]
    path = threshold_path(wdbc_information.dependence)
    assert len(path) == 101
    assert (np.diff(path) > 0).all()
    assert (parent_weights(wdbc_information.dependence, path[0]) > 0).sum() == 30 * 29
    assert not parent_weights(wdbc_information.dependence, path[-1]).any()


def test_sweep_counts_bags_and_members():
    story = sweep(DEPENDENCE, "average", 0.1, threshold_path(DEPENDENCE))
    table = story.to_frame()
    assert table["in_bags"].tolist() == [3, 3, 3, 2, 0]
    assert table["mean_size"].tolist() == pytest.approx([2, 2, 4 / 3, 1, 0])
    assert table["log_loss"].isna().all()
    assert Sweep.from_dict(story.to_dict()) == story


def test_graphs(wdbc_information, wdbc_names):
    graph = hidden_parents(wdbc_information, wdbc_names, "class")
    assert len([edge for edge in graph.edges if edge.kind == "hidden"]) == 30 * 29
    packed = bags(wdbc_information, wdbc_names, "class", 0.25)
    for name in wdbc_names:
        i = wdbc_names.index(name)
        expected = {wdbc_names[j] for j in range(30) if wdbc_information.dependence[i, j] >= 0.25}
        assert set(packed.bag(name)) == expected
    assert packed.threshold == 0.25


def test_the_path_equals_a_refit_per_value(wdbc_codes):
    codes, y = wdbc_codes
    codes, cards = np.ascontiguousarray(codes[:7, ::2]), (5,) * 7
    y = y[::2]
    path = threshold_path(conditional_mutual_information(count(codes, y, cards, 2)))
    fold = folds(codes, y, range(7))
    loss, right = np.zeros(len(path)), np.zeros(len(path))
    for number in range(5):
        test = fold == number
        counts = count(codes[:, ~test], y[~test], cards, 2)
        for place, threshold in enumerate(path):
            weights = parent_weights(conditional_mutual_information(counts), threshold)
            model = mixtures(counts, weights, 0.5)
            found = normalise(log_scores(model, codes[:, test]), model.log_prior)
            loss[place] -= found[np.arange(test.sum()), y[test]].sum() / np.log(2) / len(y)
            right[place] += (found.argmax(axis=1) == y[test]).sum() / len(y)
    found = validate_thresholds(codes, y, cards, 2, path, 0.5, fold)
    np.testing.assert_allclose(found[0], loss, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[1], right, rtol=0, atol=1e-12)


def test_both_kernels_walk_the_same_path(wdbc_codes, monkeypatch):
    codes, y = wdbc_codes
    codes, cards = np.ascontiguousarray(codes[:9]), (5,) * 9
    path = threshold_path(conditional_mutual_information(count(codes, y, cards, 2)))
    fold = folds(codes, y, range(9))
    found = []
    for compiled in (False, True):
        monkeypatch.setattr(search, "use_compiled", lambda *arguments, chosen=compiled: chosen)
        found.append(validate_thresholds(codes, y, cards, 2, path, 1.0, fold))
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-12)


def test_folds_are_stratified_and_know_no_row_order():
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 4, (3, 101)).astype(np.uint8), rng.integers(0, 3, 101)
    fold = folds(codes, y, [2, 0, 1])
    table = np.array([np.bincount(fold[y == c], minlength=5) for c in range(3)])
    assert (table.max(axis=1) - table.min(axis=1) <= 1).all()
    shuffled = rng.permutation(101)
    again = folds(codes[:, shuffled], y[shuffled], [2, 0, 1])
    for number in range(5):
        one = sorted(map(tuple, np.vstack([codes, y])[:, fold == number].T.tolist()))
        two = np.vstack([codes, y])[:, shuffled][:, again == number].T.tolist()
        assert one == sorted(map(tuple, two))
