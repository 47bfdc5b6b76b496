"""How far unknown attributes could move a probability: against predict_proba, state by state."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.models import MODELS


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.short_name)
def test_every_range_is_what_predict_proba_says(kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    case = CaseAnalysis.of(model, X)
    found = pnb.tornado(case, {"petal width": 1.6}, "virginica")
    assert found.now == pytest.approx(case.posterior({"petal width": 1.6}).classes[2], rel=1e-9)
    assert {swing.attribute for swing in found.swings} == set(X.columns) - {"petal width"}
    assert [s.width for s in found.swings] == sorted((s.width for s in found.swings), reverse=True)
    for swing in found.swings:
        attribute = case.attributes[swing.attribute]
        rows = pd.DataFrame(
            [
                {**dict.fromkeys(X.columns, np.nan), "petal width": 1.6, swing.attribute: attribute.value(i)}
                for i in range(attribute.column.card)
            ]
        )
        chances = model.predict_proba(rows)[:, 2]
        assert (swing.low, swing.high) == pytest.approx((chances.min(), chances.max()), rel=1e-9)
        assert swing.low_state == attribute.column.labels[chances.argmin()]


def test_other_evidence_and_nothing_unknown():
    X, y = pnb.load_sample("iris")
    case = CaseAnalysis.of(pnb.NaiveBayes(parameters="generative").fit(X, y), X)
    known = {"petal width": pnb.between(1.2, 1.8)}
    for swing in pnb.tornado(case, known, "versicolor").swings:
        states = case.attributes[swing.attribute].column.labels
        chances = [
            case.model.query("class", given={**known, swing.attribute: state})["probability"][1]
            for state in states
        ]
        assert (swing.low, swing.high) == pytest.approx((min(chances), max(chances)), abs=1e-12)
    complete = pnb.tornado(case, X.iloc[0].to_dict())
    assert complete.swings == ()
    assert "no attribute is unknown" in str(complete)


def test_the_chart_holds_the_numbers():
    X, y = pnb.load_sample("zoo")
    case = CaseAnalysis.of(pnb.NaiveBayes().fit(X, y), X)
    found = pnb.tornado(case, {"milk": "yes"})
    chart = found.chart(largest=4).to_dict()
    rows = [row for rows in chart["datasets"].values() for row in rows]
    assert {row["name"] for row in rows if "name" in row} == {swing.attribute for swing in found.swings[:4]}
    assert list(found.to_frame().columns) == ["attribute", "low", "high", "low_state", "high_state"]
