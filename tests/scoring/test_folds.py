"""Folds, and rows drawn from a large table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

from pgm_nb.errors import DataError
from pgm_nb.scoring.folds import drawn_rows, drawn_sentence, folds_per_pass, make_folds

LABELS = np.array(["well"] * 20 + ["ill"] * 10)
FRAME = pd.DataFrame({"x": range(30)})


@pytest.mark.parametrize(
    ("cv", "repeats", "folds"),
    [(5, 1, 5), (np.int64(2), 1, 2), ("3x10", 3, 10), ("10", 1, 10), ("3 × 5", 3, 5)],
)
def test_every_row_is_judged_once_per_repeat(cv, repeats, folds):
    found = make_folds(FRAME, LABELS, cv, 0)
    assert [(f.repeat, f.number) for f in found] == [
        (r, k) for r in range(1, repeats + 1) for k in range(1, folds + 1)
    ]
    for repeat in range(1, repeats + 1):
        tests = np.concatenate([f.test for f in found if f.repeat == repeat])
        assert sorted(tests) == list(range(30))
    for fold in found:
        assert sorted([*fold.train, *fold.test]) == list(range(30))
        assert abs((LABELS[fold.test] == "ill").sum() - 10 / folds) < 1


def test_the_seed_makes_the_folds():
    def tests(seed):
        return [f.test.tolist() for f in make_folds(FRAME, LABELS, "2x5", seed)]

    assert tests(1) == tests(1)
    assert tests(1) != tests(2)
    assert tests(1)[:5] != tests(1)[5:]  # a repeat cuts anew


def test_a_splitter_is_used_as_it_is():
    found = make_folds(FRAME, LABELS, KFold(3), None)
    assert [f.test.tolist() for f in found] == [list(range(i, i + 10)) for i in (0, 10, 20)]


@pytest.mark.parametrize("cv", [1, 0, -3, True, "x", "5x1", "ten", "10x1", "0x5", "10x", 2.0, None])
def test_what_is_no_number_of_folds(cv):
    with pytest.raises(DataError, match="cv must be a number of folds, at least 2; repeats and folds, such"):
        make_folds(FRAME, LABELS, cv, 0)


def test_a_class_that_is_too_small():
    with pytest.raises(
        DataError, match=r"of the 11 folds, but 'ill' has 10 rows: use at most 10 folds, merge"
    ):
        make_folds(FRAME, LABELS, 11, 0)
    with pytest.raises(DataError, match=r"'rare' has 1 row: merge the class with another"):
        make_folds(FRAME, np.array(["a"] * 29 + ["rare"]), 2, 0)


def test_a_splitter_that_refuses():
    with pytest.raises(DataError, match="StratifiedKFold cannot split this table: n_splits=21"):
        make_folds(FRAME, LABELS, StratifiedKFold(21), 0)


def test_pairs_of_rows_are_used_as_they_are():
    pairs = [([0, 1], [2]), ([2, 1], [0]), ([0, 2], [1])]
    found = make_folds(FRAME, LABELS, pairs, None)
    assert [(f.repeat, f.number, f.train.tolist(), f.test.tolist()) for f in found] == [
        (1, number, *pair) for number, pair in enumerate(pairs, 1)
    ]


@pytest.mark.parametrize(("cv", "each"), [("10", 10), ("10x10", 10), ("3 × 4", 4), (KFold(3), 3)])
def test_folds_of_one_pass(cv, each):
    labels = np.arange(40) % 2
    found = make_folds(pd.DataFrame({"x": labels}), labels, cv, 0)
    assert folds_per_pass(found, 40) == each


def test_every_class_keeps_its_share_and_two_rows():
    truth = np.repeat([0, 1, 2], [8000, 1990, 10])
    rows = drawn_rows(truth, 500, 0)
    assert np.bincount(truth[rows]).tolist() == [400, 100, 2]  # 0.5 rows of the rare class become two
    assert len(np.unique(rows)) == len(rows)
    assert (np.diff(rows) > 0).all()


def test_the_seed_decides():
    truth = np.arange(1000) % 2
    np.testing.assert_array_equal(drawn_rows(truth, 100, 3), drawn_rows(truth, 100, 3))
    assert not np.array_equal(drawn_rows(truth, 100, 3), drawn_rows(truth, 100, 4))


@pytest.mark.parametrize("most", [None, 10, 11])
def test_a_small_table_stays_whole(most):
    assert drawn_rows(np.zeros(10, int), most, 0).tolist() == list(range(10))


def test_the_sentence_says_how_many_of_how_many():
    assert "5,000 of 67,557 rows" in drawn_sentence(5000, 67557)
    assert drawn_sentence(10, 10) == ""
