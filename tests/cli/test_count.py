"""``pgm-nb count``, and ``fit`` from counts and from several files."""

import numpy as np
import pandas as pd

import pgm_nb as pnb


def test_counts_of_two_places_are_fitted(run, patients, tmp_path):
    table = pd.read_csv(patients)
    table[:40].to_csv(tmp_path / "a.csv", index=False)
    table[40:].to_csv(tmp_path / "b.csv", index=False)
    target = table.columns[-1]
    code, out, err = run(
        "count", tmp_path / "a.csv", "--class", target, "--bins", 3, "-o", tmp_path / "a.counts"
    )
    assert (code, "40 rows counted" in out) == (0, True), err
    code, out, err = run(
        *("count", tmp_path / "b.csv", "--target", target, "--like", tmp_path / "a.counts"),
        *("-o", tmp_path / "b.counts"),
    )
    assert code == 0, err
    code, out, err = run(
        *("fit", tmp_path / "a.counts", tmp_path / "b.counts", "--model", "tan", "-o", tmp_path / "m.pgmnb")
    )
    assert (code, "KL divergence    not measured" in out) == (0, True), err
    here, there = (pnb.load_counts(tmp_path / name) for name in ("a.counts", "b.counts"))
    expected = pnb.TreeAugmentedNaiveBayes().fit_counts(here + there)
    X = table.drop(columns=target)
    np.testing.assert_array_equal(pnb.load(tmp_path / "m.pgmnb").predict_proba(X), expected.predict_proba(X))
    assert run("fit", tmp_path / "a.counts")[0] == 0  # GNB, with probabilities as counted


def test_small_cells_are_left_out(run, patients, tmp_path):
    target = pd.read_csv(patients).columns[-1]
    code, out, err = run(
        *("count", patients, "--class", target, "--bins", 2, "--min-cell", 3, "-o", tmp_path / "a.counts")
    )
    assert (code, "so that no cell holds fewer than 3" in out) == (0, True), err
    pairs = pnb.load_counts(tmp_path / "a.counts").counts.pairs
    assert pairs[pairs > 0].min() >= 3


def test_several_files_are_one_table(run, patients, tmp_path):
    table = pd.read_csv(patients)
    target = table.columns[-1]
    for name, part in (("a", table[:30]), ("b", table[30:])):
        part.to_parquet(tmp_path / f"{name}.parquet", index=False)
    code, out, err = run(
        *("fit", tmp_path / "a.parquet", tmp_path / "b.parquet", "--class", target, "--model", "tan"),
        *("-o", tmp_path / "m.pgmnb"),
    )
    assert (code, f"{len(table)} rows" in out) == (0, True), err
    X = table.drop(columns=target)
    whole = pnb.TreeAugmentedNaiveBayes().fit(X, table[target])
    np.testing.assert_array_equal(pnb.load(tmp_path / "m.pgmnb").predict_proba(X), whole.predict_proba(X))


def test_parquet_in_parquet_out(run, patients, model, tmp_path):
    table = pd.read_csv(patients)
    table.to_parquet(tmp_path / "new.parquet", index=False)
    code, out, err = run("predict", model, tmp_path / "new.parquet", "-o", tmp_path / "found.parquet")
    assert (code, f"{len(table)} rows classified" in out) == (0, True), err
    fitted = pnb.load(model)
    rows = table[list(fitted.attribute_names_)]
    found = pd.read_parquet(tmp_path / "found.parquet")
    np.testing.assert_array_equal(found.iloc[:, 1:].to_numpy(), fitted.predict_proba(rows))
    assert not (tmp_path / "found.parquet.part").exists()
