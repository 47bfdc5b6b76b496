"""Clusters of numbers: equal to scikit-learn's, by hand, and numbers that are hard to square."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from pgm_nb.data import as_frame, learn_encoder, load_sample
from pgm_nb.data.cuts import kmeans_cuts


def theirs(values, n_bins):
    found = KBinsDiscretizer(n_bins, encode="ordinal", strategy="kmeans", subsample=None).fit(values[:, None])
    return found.bin_edges_[0][1:-1]


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_edges_equal_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.normal(at, rng.uniform(0.1, 2), 60) for at in rng.uniform(-5, 5, 3)])
    n_bins = int(rng.integers(2, 9))
    # else the two ends are equally far from their centres, and rounding decides in scikit-learn
    assume(np.histogram(values, n_bins)[0].all())
    assert kmeans_cuts(np.sort(values), n_bins) == pytest.approx(theirs(values, n_bins), abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_centres_without_values_move_as_scikit_learns_do(seed):
    values = np.random.default_rng(seed).lognormal(
        sigma=1.5, size=200
    )  # bins of equal width are mostly empty
    assert kmeans_cuts(np.sort(values), 8) == pytest.approx(theirs(values, 8), rel=1e-9)


def test_three_heaps_by_hand():
    x = np.array([1.0, 2.0, 3.0, 20.0, 22.0, 50.0])  # centres 2, 21 and 50
    assert kmeans_cuts(x, 3) == pytest.approx([11.5, 35.5], abs=1e-12)
    frame = as_frame(pd.DataFrame({"a": x}))
    _, codes, _, _ = learn_encoder(frame, None, discretizer="kmeans", n_bins=3)
    assert codes[0].tolist() == [0, 0, 0, 1, 1, 2]
    assert learn_encoder(frame, None, discretizer="kmeans", n_bins=6)[0].columns[0].cuts is None


def test_numbers_of_any_size():
    for x in (np.array([-1.7e308, 0.0, 1.0, 1.7e308]), np.array([5e-324, 1e-323, 1e-300, 1.0])):
        cuts = kmeans_cuts(x, 3)
        assert np.isfinite(cuts).all()
        assert 1 <= len(cuts) <= 2


def test_whole_numbers_and_the_same_as_floats():
    X, _ = load_sample("vehicle")
    whole, real = (
        learn_encoder(as_frame(X.astype(kind)), None, discretizer="kmeans", n_bins=5) for kind in (int, float)
    )
    assert (whole[1] == real[1]).all()
