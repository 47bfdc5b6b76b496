"""Evidence in conflict with itself, against sums over all rows of a small model."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.engine.questions import RARE, conflict


@pytest.mark.parametrize("seed", range(10))
def test_it_is_the_ratio_of_apart_and_together(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 80)
    X = pd.DataFrame({name: np.where(rng.random(80) < 0.95, y, 1 - y).astype(str) for name in "abcde"})
    model = pnb.TreeAugmentedNaiveBayes(parameters="generative", smoothing=0.5).fit(X, y)
    known = {name: str(rng.integers(2)) for name in "abcd"}
    tree = model.junction_tree()
    joint = model.query(["class", *X.columns])

    def chance(given):
        return joint[np.all([joint[name] == value for name, value in given.items()], axis=0)][
            "probability"
        ].sum()

    times = np.prod([chance({name: value}) for name, value in known.items()]) / chance(known)
    found = conflict(tree.observe(known | {"class": "0"}))
    if times < RARE:
        assert found is None
        return
    assert found[0] == pytest.approx(times, rel=1e-9)
    rest = {
        name: chance({k: v for k, v in known.items() if k != name}) * chance({name: known[name]})
        for name in known
    }
    assert rest[found[1]] == pytest.approx(max(rest.values()), rel=1e-9)


def test_one_value_is_never_in_conflict():
    X, y = pnb.load_sample("zoo")
    tree = pnb.NaiveBayes(parameters="generative").fit(X, y).junction_tree()
    assert all(conflict(tree.observe({"milk": value})) is None for value in ("yes", "no"))


def test_two_values_can_be_in_conflict():
    """Both sure signs, of different classes: 1/2 each alone, and 0.99 * 0.01 together."""
    y = np.repeat([0, 1], 100)
    a = np.where(np.arange(200) % 100 == 0, 1 - y, y).astype(str)
    model = pnb.NaiveBayes(parameters="generative", smoothing=None).fit(pd.DataFrame({"a": a, "b": a}), y)
    times, odd = conflict(model.junction_tree().observe({"a": "0", "b": "1"}))
    assert times == pytest.approx(0.25 / 0.0099, abs=1e-9)
    assert odd in ("a", "b")
