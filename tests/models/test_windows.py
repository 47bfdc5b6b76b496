"""A window of batches: the model is that of the last batches alone."""

import numpy as np
import pytest

import pgm_nb as pnb
from pgm_nb.errors import DataError

X, Y = pnb.load_sample("wdbc")
X = X.iloc[:, :6]
BATCHES = [(X[i : i + 120], Y[i : i + 120]) for i in range(0, 480, 120)]


@pytest.mark.parametrize("kind", [pnb.NaiveBayes, pnb.GeneralizedNaiveBayes, pnb.HiddenNaiveBayes])
def test_a_window_learns_from_its_batches_alone(kind):
    model = kind(n_bins=4)
    for batch, labels in BATCHES:
        model.partial_fit(batch, labels, window=2)
    first = kind(n_bins=4).fit(*BATCHES[0])
    alone = kind(n_bins=4).fit_batches(BATCHES[2:], like=first)
    assert model.structure_ == alone.structure_
    assert model.missing_.n_rows == 240
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_a_window_wider_than_the_stream_forgets_nothing():
    model, plain = pnb.TreeAugmentedNaiveBayes(), pnb.TreeAugmentedNaiveBayes()
    for batch, labels in BATCHES:
        model.partial_fit(batch, labels, window=9)
        plain.partial_fit(batch, labels)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))


def test_what_does_not_go_together_is_refused():
    batch, labels = BATCHES[0]
    for wrong in (0, True, 1.5):
        with pytest.raises(DataError, match="whole number of batches"):
            pnb.NaiveBayes().partial_fit(batch, labels, window=wrong)
    with pytest.raises(DataError, match="leave decay and weights out"):
        pnb.NaiveBayes().partial_fit(batch, labels, window=2, decay=0.5)
    with pytest.raises(DataError, match="give window= with every batch"):
        pnb.NaiveBayes().partial_fit(batch, labels, window=2).partial_fit(batch, labels)
    with pytest.raises(DataError, match="without a window"):
        pnb.NaiveBayes().partial_fit(batch, labels).partial_fit(batch, labels, window=2)
