from xml.dom import minidom

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.explain import nomogram


@pytest.fixture(scope="module")
def naive(three_classes):
    return pnb.NaiveBayes().fit(*three_classes)


def test_points_give_the_probability_of_the_model(wdbc):
    X, y = wdbc
    model = pnb.NaiveBayes().fit(X, y)
    chart = nomogram(model)
    worth = {scale.name: dict(zip(scale.states, scale.points, strict=True)) for scale in chart.scales}
    for row in (0, 19, 100, 300):
        why = model.explain(X.iloc[row], label="malignant")
        total = sum(worth[part.name][part.states[0]] for part in why.parts)
        assert chart.probability(total) == pytest.approx(why.probability, abs=1e-9)
        assert chart.start + chart.unit * total == pytest.approx(why.log_odds, abs=1e-9)


def test_attributes_that_are_not_drawn_are_unknown(wdbc):
    X, y = wdbc
    model = pnb.NaiveBayes().fit(X, y)
    few = nomogram(model).largest(4)
    names = [scale.name for scale in few.scales]
    why = model.explain(X.iloc[19][names], label="malignant")
    worth = {scale.name: dict(zip(scale.states, scale.points, strict=True)) for scale in few.scales}
    total = sum(worth[part.name][part.states[0]] for part in why.parts if part.name in names)
    assert few.probability(total) == pytest.approx(why.probability, abs=1e-9)


def test_by_hand():
    X = pd.DataFrame({"fever": ["yes", "yes", "no", "no"] * 2, "sex": ["f", "m"] * 4})
    chart = nomogram(pnb.NaiveBayes(smoothing=1.0).fit(X, ["ill", "ill", "ill", "well"] * 2), label="ill")
    fever, sex = {s.name: s for s in chart.scales}["fever"], {s.name: s for s in chart.scales}["sex"]
    # P(yes|ill) = 4.5/7, P(yes|well) = .5/3; P(f|ill) = 4.5/7, P(f|well) = .5/3
    assert dict(zip(fever.states, fever.points, strict=True)) == pytest.approx({"no": 0, "yes": 100})
    assert sex.span == pytest.approx(100)
    log_odds = chart.start + chart.unit * 200
    assert log_odds == pytest.approx(np.log(6.5 / 2.5) + 2 * np.log((4.5 / 7) / (0.5 / 3)))
    assert chart.total(chart.probability(42.0)) == pytest.approx(42.0)


def test_three_classes_are_held_against_each_other(naive, three_classes):
    X, _ = three_classes
    chart = nomogram(naive, label="low", against="mid")
    worth = {scale.name: dict(zip(scale.states, scale.points, strict=True)) for scale in chart.scales}
    why = naive.explain(X.iloc[3], label="low", against="mid")
    total = sum(worth[part.name][part.states[0]] for part in why.parts)
    assert chart.start + chart.unit * total == pytest.approx(why.log_odds, abs=1e-9)
    assert "rather than mid" in chart.draw()


def test_the_widest_attribute_spans_a_hundred_points(naive):
    chart = nomogram(naive)
    assert chart.scales[0].span == pytest.approx(100)
    assert all(min(scale.points) == 0 for scale in chart.scales)
    spans = [scale.span for scale in chart.scales]
    assert spans == sorted(spans, reverse=True)
    assert len(chart.to_frame()) == sum(len(scale.states) for scale in chart.scales)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_picture(naive, theme):
    picture = nomogram(naive).draw(theme=theme)
    minidom.parseString(picture)
    assert "Nomogram. Probability of risk = mid" in picture
    assert "2 more attributes" in nomogram(naive).draw(largest=3)


def test_hostile_names_are_escaped(three_classes):
    X, y = three_classes
    hostile = X.rename(columns={"stage": '<script>&"'}).assign(grade=X["grade"] + "<b>&")
    picture = nomogram(pnb.NaiveBayes().fit(hostile, y)).draw()
    minidom.parseString(picture)
    assert "<script" not in picture


def test_a_table_that_tells_nothing(three_classes):
    _, y = three_classes
    chart = nomogram(pnb.NaiveBayes().fit(pd.DataFrame({"constant": np.ones(len(y))}), y))
    assert chart.scales[0].points == (0.0,)
    minidom.parseString(chart.draw())


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (pnb.TreeAugmentedNaiveBayes(), "only naive Bayes allows"),
        (pnb.HiddenNaiveBayes(), "only naive Bayes allows"),
        (pnb.NaiveBayes(smoothing=None), "without smoothing"),
    ],
)
def test_other_models_are_refused(model, message, three_classes):
    with pytest.raises(QueryError, match=message):
        nomogram(model.fit(*three_classes))


def test_what_cannot_be_is_refused(naive):
    with pytest.raises(QueryError, match="call fit first"):
        nomogram(pnb.NaiveBayes())
    with pytest.raises(QueryError, match="did you mean 'low'"):
        nomogram(naive, label="lw")
    with pytest.raises(QueryError, match="given twice"):
        nomogram(naive, label="low", against="low")
