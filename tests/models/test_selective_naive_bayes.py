"""Selective naive Bayes: the forward search by a loop over rows left out."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.app.shell.fitting import in_shares
from pgm_nb.models.selective_naive_bayes import left_out_logs, search_attributes
from pgm_nb.words import Scale


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
    found = search_attributes(tables, [0] * 5, 1.0, codes, y, np.zeros(5))
    chosen, loss, saved = [], np.inf, []
    before = loss_left_out(codes, y, cards, [], 1.0)
    while True:
        left = [i for i in range(5) if i not in chosen]
        losses = {i: loss_left_out(codes, y, cards, [*chosen, i], 1.0) for i in left}
        best = min(losses, key=lambda i: (round(losses[i], 10), i), default=None)
        if best is None or (chosen and losses[best] > loss - 1e-9):
            break
        chosen.append(best)
        loss = losses[best]
        saved.append({i: before - left_with for i, left_with in losses.items()})
        before = loss
    assert [ranked[0][0] for ranked in found] == chosen
    for ranked, expected in zip(found, saved, strict=True):  # also what the others would have saved
        assert dict(ranked) == pytest.approx(expected, abs=1e-12)
        assert [bits for _, bits in ranked] == sorted((bits for _, bits in ranked), reverse=True)


def test_noise_and_twins_stay_out():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 500)
    sign = (y ^ (rng.random(500) < 0.2)).astype(str)
    noise = {f"n{i}": rng.integers(0, 4, 500).astype(str) for i in range(8)}
    X = pd.DataFrame({"sign": sign, "twin": sign, **noise})
    model = pnb.SelectiveNaiveBayes().fit(X, y)
    chosen = list(model.structure_.chosen)
    assert model.trace_.steps[0].attribute == "sign"
    assert "twin" in model.structure_.apart
    inner = pnb.NaiveBayes(parameters="generative").fit(X[chosen], y)
    np.testing.assert_allclose(model.predict_proba(X), inner.predict_proba(X[chosen]), rtol=0, atol=1e-12)
    assert model.query("class", given={"sign": "1"})["probability"].sum() == pytest.approx(1)


def test_hierarchical_tables_leave_the_same_rows_out():
    counts = np.array([[5, 1, 0], [2, 2, 7]])
    whole, out = left_out_logs(counts, 0, None)
    assert np.exp(whole).sum(axis=1) == pytest.approx(1)
    assert (out[counts > 0] < whole[counts > 0]).all()


def test_what_is_left_out_may_be_given_and_says_nothing():
    rng = np.random.default_rng(3)
    y = pd.Series(rng.integers(0, 2, 300), name="y")
    sign = (y ^ (rng.random(300) < 0.2)).astype(int).astype(str)
    X = pd.DataFrame({"sign": sign, "noise": rng.choice(list("uvw"), 300)})
    model = pnb.SelectiveNaiveBayes(smoothing=1.0).fit(X, y)
    assert model.structure_.apart == ("noise",)
    alone = model.query("y", given={"sign": "1"})["probability"].to_numpy()
    both = model.query("y", given={"sign": "1", "noise": "u"})["probability"].to_numpy()
    np.testing.assert_allclose(both, alone, rtol=0, atol=1e-15)
    shares = X["noise"].value_counts(normalize=True).sort_index()
    for given in ({}, {"y": 1}, {"sign": "0"}):
        found = model.query("noise", given=given)["probability"]
        np.testing.assert_allclose(found, shares, atol=0.01)
    sure = [model.credible_interval(given)["high"] for given in ({"sign": "1"}, {"sign": "1", "noise": "u"})]
    assert sure[0].tolist() == sure[1].tolist()
    assert "the attributes that the model keeps" in model.intervals_.caution
    assert not pnb.SelectiveNaiveBayes().fit(X[["sign"]], y).intervals_.caution
    with_noise = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y).divergence_
    lost = pnb.NaiveBayes(parameters="generative").fit(X, y).structure_.relevance["noise"]
    assert model.divergence_.kl == pytest.approx(with_noise.kl + lost, abs=1e-12)


def test_growth_says_what_was_saved_and_why_it_ended(tmp_path):
    model = pnb.SelectiveNaiveBayes().fit(*pnb.load_sample("heart"))
    frames = pnb.growth(model).story.frames
    for frame, step in zip(frames, model.trace_.steps, strict=True):
        assert f"predicted better by {step.chosen.saved:.3f} bits" in frame.sentence
        assert [c.names[0] for c in frame.contenders] == [
            step.attribute,
            *(other.attribute for other in step.runners_up),
        ]
    plain = pnb.growth(in_shares(model, Scale(1.0, 4.0))).story  # as often as likely, no bits
    saved = [step.chosen.saved for step in model.trace_.steps]
    assert f"give their true class {2 ** saved[1]:.2f} times the probability" in plain.frames[1].sentence
    assert plain.curves[0].text(1) == f"{2 ** (saved[0] + saved[1]):.2f} times"
    assert not any("bits" in frame.sentence for frame in plain.frames)
    left_out = len(model.structure_.apart)
    assert frames[-1].sentence.endswith(f"The other {left_out} attributes would not help, and are left out.")
    model.save(tmp_path / "snb.pgmnb")
    assert pnb.load(tmp_path / "snb.pgmnb").trace_ == model.trace_
