"""Two cases side by side: differences that sum to the difference of the log-odds."""

import pytest

import pgm_nb as pnb
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.models import MODELS


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.short_name)
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
