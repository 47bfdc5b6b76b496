import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import pgm_nb as pnb
from pgm_nb.errors import DataError


@pytest.fixture(scope="module")
def chain():
    """Four bits: b copies a nearly always, c copies b often, d is noise."""
    rng = np.random.default_rng(0)
    n = 400
    y, a = rng.integers(0, 2, n), rng.integers(0, 2, n)
    b = a ^ (rng.random(n) < 0.05)
    c = b ^ (rng.random(n) < 0.2)
    return pd.DataFrame({"a": a, "b": b.astype(int), "c": c.astype(int), "d": rng.integers(0, 2, n)}), y


@pytest.mark.parametrize("model", [pnb.TreeAugmentedNaiveBayes(), pnb.GeneralizedNaiveBayes(search="exact")])
def test_strong_edges_stay_and_weak_ones_come_and_go(model, chain):
    stability = pnb.edge_stability(model, *chain, n_bootstrap=60)
    assert stability.frequency("a", "b") == stability.frequency("b", "a") == 1.0
    assert stability.frequency("b", "c") > 0.8
    assert stability.frequency("a", "d") < 0.8
    assert sum(stability.counts.values()) == 60 * 3  # a tree over four attributes has three edges


def test_frequencies_are_those_of_models_fitted_to_the_drawn_rows(chain):
    X, y = chain
    model = pnb.TreeAugmentedNaiveBayes(discretizer=None)
    stability = pnb.edge_stability(model, X, y, n_bootstrap=8, random_state=5)
    expected = {}
    for seed in np.random.SeedSequence(5).spawn(8):
        rows = np.random.default_rng(seed).integers(0, len(y), len(y))
        for child, mother in (
            pnb.TreeAugmentedNaiveBayes().fit(X.iloc[rows], y[rows]).structure_.mothers.items()
        ):
            pair = tuple(sorted((child, mother)))
            expected[pair] = expected.get(pair, 0) + 1
    assert stability.counts == expected


def test_the_table(chain):
    stability = pnb.edge_stability(pnb.GeneralizedNaiveBayes(), *chain, n_bootstrap=30)
    table = stability.to_frame()
    assert table.columns.tolist() == ["source", "target", "kind", "frequency", "learned"]
    assert set(table["kind"]) == {"cherry"}
    assert table["learned"].sum() == 3
    assert table["frequency"].is_monotonic_decreasing
    learned = {frozenset(pair) for pair in stability.structure.mothers.items()}
    kept = table[table["learned"]]
    assert {frozenset(pair) for pair in zip(kept["source"], kept["target"], strict=True)} == learned


def test_bags(chain):
    stability = pnb.edge_stability(pnb.PackagedHiddenNaiveBayes(), *chain, n_bootstrap=20)
    assert stability.frequency("a", "b") == 1.0
    assert set(stability.to_frame()["kind"]) == {"bag"}
    assert b"100%" in stability.draw()


def test_any_number_of_processes_gives_the_same(chain):
    one, two = (
        pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), *chain, n_bootstrap=6, n_jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.counts == two.counts
    other = pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), *chain, n_bootstrap=6, random_state=1)
    assert one.counts != other.counts


@pytest.mark.parametrize("missing", ["state", "drop", "mode"])
def test_missing_cells(chain, missing):
    X, y = chain
    X = X.astype(float).mask(np.random.default_rng(1).random(X.shape) < 0.1)
    stability = pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(missing=missing), X, y, n_bootstrap=5)
    assert stability.frequency("a", "b") == 1.0


def test_the_picture_carries_the_numbers_and_any_name(chain):
    X, y = chain
    hostile = X.rename(columns={"a": '<a & "b">'})
    stability = pnb.edge_stability(pnb.GeneralizedNaiveBayes(), hostile, y, n_bootstrap=5)
    picture = stability.draw().decode()
    assert "100%" in picture
    assert "bootstrap samples" in picture
    assert '<a & "b">' not in picture
    assert stability._repr_svg_().startswith("<")


def test_progress(chain):
    told = []
    pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), *chain, n_bootstrap=4, progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (pnb.NaiveBayes(), "Naive Bayes always has the same links"),
        (pnb.HiddenNaiveBayes(), "learns from the data which attributes to link"),
        (pnb.GaussianNaiveBayes(), "Gaussian naive Bayes always has the same links"),
        (GaussianNB(), "but was given an object of type GaussianNB"),
    ],
)
def test_models_without_edges_are_refused(model, message, chain):
    with pytest.raises(DataError, match=message):
        pnb.edge_stability(model, *chain)


def test_no_drawing_is_refused(chain):
    with pytest.raises(DataError, match="n_bootstrap must be at least 1, but is 0"):
        pnb.edge_stability(pnb.TreeAugmentedNaiveBayes(), *chain, n_bootstrap=0)
