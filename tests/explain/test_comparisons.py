"""Cases beside each other."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.explain import Likeness
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.models import MODELS


def test_distance_by_hand():
    X = pd.DataFrame({"a": ["x", "x", "y", "y", "x", "y"], "b": ["p", "q", "p", "q", "q", "p"]})
    y = np.array(["no", "no", "yes", "yes", "no", "no"])
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X, y)
    tables = model.junction_tree().conditionals()
    moves = {name: np.log(tables[name][0] / tables[name][1]) for name in "ab"}
    of_a, of_b = (abs(moves[name][0] - moves[name][1]) for name in "ab")
    alike = Likeness.of(model, X)
    expected = [0, of_b, of_a, of_a + of_b, of_b, of_a]
    np.testing.assert_allclose(alike.distances(0), expected, atol=1e-12)
    found = pnb.most_alike(model, X, 0, n=5)
    assert 0 not in found["row"].tolist()
    assert found["distance"].is_monotonic_increasing
    assert found["same"].tolist()[:1] == [1]


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_finds_rows_like_a_row(kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    twice = pd.concat([X, X.iloc[[77]]], ignore_index=True)
    found = pnb.most_alike(model, twice, 77, n=3)
    assert found["row"][0] == 150  # the same row again
    assert found["distance"][0] == pytest.approx(0, abs=1e-12)
    assert found["same"][0] == 4


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.about.short_name)
def test_differences_sum_to_the_difference_of_the_log_odds(kind):
    X, y = pnb.load_sample("iris")
    case = CaseAnalysis.of(kind().fit(X, y), X)
    pair = pnb.compare_cases(case, X.iloc[77].to_dict(), {"petal width": 1.3, "sepal width": 3.0})
    table = pair.to_frame()
    assert table["difference"].sum() == pytest.approx(pair.first.log_odds - pair.second.log_odds, abs=1e-9)
    assert table["difference"].abs().is_monotonic_decreasing
    assert pair.first.label == pair.second.label
    assert pair.second.probability == pytest.approx(
        case.posterior({"petal width": 1.3, "sepal width": 3.0}).classes[case.classes.index(pair.first.label)]
    )


def test_the_same_case_twice():
    X, y = pnb.load_sample("iris")
    case = CaseAnalysis.of(pnb.NaiveBayes(parameters="generative").fit(X, y), X)
    row = X.iloc[0].to_dict()
    assert str(pnb.compare_cases(case, row, row)).endswith("nothing makes a difference")
