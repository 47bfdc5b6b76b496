"""Rows drawn from a large table: as many as asked for, every class by its share, the same ones each time."""

import numpy as np
import pytest

from pgm_nb.scoring.drawn import drawn_rows, drawn_sentence


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
