"""The path of thresholds gives what a refit per threshold and fold would."""

import numpy as np

from pgm_nb.counts import count
from pgm_nb.inference import normalise
from pgm_nb.information import conditional_mutual_information
from pgm_nb.models.hidden import thresholds
from pgm_nb.models.hidden.mixtures import log_scores, mixtures
from pgm_nb.models.hidden.search import parent_weights, threshold_path
from pgm_nb.models.hidden.thresholds import folds, validate_thresholds


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
        monkeypatch.setattr(thresholds, "use_compiled", lambda *arguments, chosen=compiled: chosen)
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
