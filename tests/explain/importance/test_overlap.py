"""What another attribute has already said."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.explain.importance import out_of_fold, redundancy_of

PLAIN = {"parameters": "generative", "smoothing": "backoff"}


def test_brute_force(table, brute_force):
    X, y = table(5, seed=4)
    model = pnb.TreeAugmentedNaiveBayes(**PLAIN)
    truth = brute_force(model, X, y)
    found = pnb.redundancy(model, X, y, cv=3).set_index("attribute")
    for name in X.columns:
        alone = truth.loss([]) - truth.loss([name])
        adds = {
            other: truth.loss([other]) - truth.loss([name, other]) for other in X.columns if other != name
        }
        other = min(adds, key=adds.get)
        assert found["alone"][name] == pytest.approx(alone, abs=1e-9)
        assert found["other"][name] == other
        assert found["adds"][name] == pytest.approx(adds[other], abs=1e-9)
        if alone >= 0.001:
            expected = min(max(1 - adds[other] / alone, 0.0), 1.0)
            assert found["share"][name] == pytest.approx(expected, abs=1e-9)
        else:
            assert np.isnan(found["share"][name])
    assert (np.diff(found["alone"]) <= 0).all()


def test_insulin_follows_from_glucose():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 1000)
    glucose = np.where(rng.random(1000) < 0.85, y, 1 - y)
    insulin = np.where(rng.random(1000) < 0.9, glucose, 1 - glucose)  # knows the class through glucose alone
    age = np.where(rng.random(1000) < 0.75, y, 1 - y)
    X = pd.DataFrame({"age": age, "insulin": insulin, "glucose": glucose})
    found = pnb.redundancy(pnb.TreeAugmentedNaiveBayes(**PLAIN), X, y).set_index("attribute")
    assert found.index[0] == "glucose"
    assert found["other"]["insulin"] == "glucose"
    assert found["share"]["insulin"] > 0.95
    assert found["low"]["insulin"] < 0.01
    assert found["share"]["age"] < 0.5  # both speak about the same class
    assert found["low"]["age"] > 0.02


def test_one_attribute_has_no_other(table):
    X, y = table(1, seed=0)
    found = pnb.redundancy(pnb.NaiveBayes(**PLAIN), X, y)
    assert found["other"].isna().all()
    assert found["share"].tolist() == [0.0]


def test_a_wide_table_names_one_of_those_that_say_most():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = pd.DataFrame(rng.integers(0, 2, (120, 65)), columns=[f"x{i}" for i in range(65)])
    X["x40"] = X["x60"] = y
    found = redundancy_of(out_of_fold(pnb.NaiveBayes(**PLAIN), X, y, cv=2))
    assert set(found["other"]) <= set(found["attribute"][:30])
    by_name = found.set_index("attribute")
    assert (by_name["other"]["x40"], by_name["other"]["x60"]) == ("x60", "x40")
    assert by_name["share"]["x40"] > 0.8
