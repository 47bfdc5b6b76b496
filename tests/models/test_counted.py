"""Counts without rows: added, shared in files, fitted; damaged files are refused."""

import zipfile

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError, ModelFileError

X, Y = pnb.load_sample("heart")


def test_counts_of_two_places_fit_what_all_rows_fit(tmp_path):
    here = pnb.count_table(X[:150], Y[:150], n_bins=4)
    there = pnb.count_table(X[150:], Y[150:], like=here)
    here.save(tmp_path / "here.counts")
    there.save(tmp_path / "there.counts")
    both = pnb.load_counts(tmp_path / "here.counts") + pnb.load_counts(tmp_path / "there.counts")
    rows = [(X[:150], Y[:150]), (X[150:], Y[150:])]
    for kind in (pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.HiddenNaiveBayes):
        found, streamed = kind().fit_counts(both), kind().fit_batches(rows, like=here)
        assert found.structure_ == streamed.structure_
        np.testing.assert_array_equal(found.predict_proba(X), streamed.predict_proba(X))
    assert both.n_rows + both.missing.rows_dropped == len(X)


def test_what_needs_rows_says_so():
    counts = pnb.count_table(X, Y)
    with pytest.raises(DataError, match=r"learns from rows: .* with parameters='generative'"):
        pnb.GeneralizedNaiveBayes().fit_counts(counts)
    assert pnb.GeneralizedNaiveBayes(parameters="generative").fit_counts(counts).classes_.tolist()


@pytest.mark.parametrize("least", [2, 5, 12])
def test_no_small_cell_is_shared(least):
    counts = pnb.count_table(X[["age", "sex", "serum cholesterol"]], Y, n_bins=2, min_cell=least)
    found = counts.counts
    for cells in (found.y, found.singles, found.pairs):
        assert cells[cells > 0].min() >= least
    assert found.n_rows == len(X) - counts.rows_withheld
    with pytest.raises(DataError, match="no row is left"):
        pnb.count_table(X, Y, min_cell=10_000)


def test_counts_of_other_states_are_not_added():
    with pytest.raises(DataError, match="like="):
        pnb.count_table(X, Y, n_bins=3) + pnb.count_table(X, Y, n_bins=4)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "a.counts"
    pnb.count_table(X, Y).save(path)
    with pytest.raises(ModelFileError, match="is not a pgm_nb model"):
        pnb.load(path)
    pnb.NaiveBayes().fit(X, Y).save(tmp_path / "m.pgmnb")
    with pytest.raises(ModelFileError, match="is not a pgm_nb counts, but a pgm_nb model"):
        pnb.load_counts(tmp_path / "m.pgmnb")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(ModelFileError):
        pnb.load_counts(path)
    with zipfile.ZipFile(tmp_path / "b.counts", "w") as archive:
        archive.writestr("model.json", "{}")
    with pytest.raises(ModelFileError, match="no checksum"):
        pnb.load_counts(tmp_path / "b.counts")
