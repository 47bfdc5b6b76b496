"""Selective naive Bayes: the forward search by a loop over rows left out."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.models.selective_naive_bayes import choose_attributes, left_out_logs


def loss_left_out(codes, y, cards, chosen, m):
    """Mean log-loss in bits, each row left out of the tables of its class."""
    n, total = len(y), 0.0
    for row in range(n):
        kept = np.arange(n) != row
        scores = np.empty(2)
        for c in range(2):
            inside = kept & (y == c)
            scores[c] = np.log(inside.sum() + 1 / 2)
            for i in chosen:
                hits = (inside & (codes[i] == codes[i, row])).sum()
                scores[c] += np.log((hits + m / cards[i]) / (inside.sum() + m))
        total += np.logaddexp.reduce(scores) - scores[y[row]]
    return total / n / np.log(2)


@pytest.mark.parametrize("seed", range(4))
def test_the_search_is_that_of_a_loop_over_rows(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    codes = np.array([(y * s + rng.integers(0, 3, 60)) % 3 for s in (0, 1, 2, 0, 1)], dtype=np.uint8)
    codes[4] = codes[1]  # a twin
    cards = (3,) * 5
    tables = [np.array([np.bincount(codes[i][y == c], minlength=3) for c in range(2)]) for i in range(5)]
    found = choose_attributes(tables, [0] * 5, 1.0, codes, y, np.zeros(5))
    chosen, loss = [], np.inf
    while True:
        left = [i for i in range(5) if i not in chosen]
        losses = {i: loss_left_out(codes, y, cards, [*chosen, i], 1.0) for i in left}
        best = min(losses, key=lambda i: (round(losses[i], 10), i), default=None)
        if best is None or (chosen and losses[best] > loss - 1e-9):
            break
        chosen.append(best)
        loss = losses[best]
    assert found == chosen


def test_noise_and_twins_stay_out():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 500)
    sign = (y ^ (rng.random(500) < 0.2)).astype(str)
    noise = {f"n{i}": rng.integers(0, 4, 500).astype(str) for i in range(8)}
    X = pd.DataFrame({"sign": sign, "twin": sign, **noise})
    model = pnb.SelectiveNaiveBayes().fit(X, y)
    assert model.structure_.attributes[0] == "sign"
    assert "twin" not in model.structure_.attributes
    inner = pnb.NaiveBayes(parameters="generative").fit(X[list(model.structure_.attributes)], y)
    np.testing.assert_allclose(
        model.predict_proba(X), inner.predict_proba(X[list(model.structure_.attributes)]), rtol=0, atol=1e-12
    )
    assert model.query("class", given={"sign": "1"})["probability"].sum() == pytest.approx(1)


def test_hierarchical_tables_leave_the_same_rows_out():
    counts = np.array([[5, 1, 0], [2, 2, 7]])
    whole, out = left_out_logs(counts, 0, None)
    assert np.exp(whole).sum(axis=1) == pytest.approx(1)
    assert (out[counts > 0] < whole[counts > 0]).all()
