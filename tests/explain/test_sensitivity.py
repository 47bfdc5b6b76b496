"""What would change an answer."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.models import MODELS


def table(seed, n=70):
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "yes"], n)
    answers = {name: rng.choice(["no", "yes", "?"], n) for name in "stuvw"}
    X = pd.DataFrame({name: np.where(rng.random(n) < 0.45, y, said) for name, said in answers.items()})
    return X, y


def brute_force(model, X, row, to, names):
    """The fewest changes and the highest probability they give, by one prediction per combination."""
    states = {name: sorted(X[name].unique()) for name in names}
    for number in range(1, len(names) + 1):
        found = []
        for chosen in combinations(names, number):
            for values in product(*(states[name] for name in chosen)):
                other = row | dict(zip(chosen, values, strict=True))
                if sum(other[name] != row[name] for name in names) == number:
                    chances = model.predict_proba(pd.DataFrame([other]))[0]
                    if model.classes_[chances.argmax()] == to:
                        found.append(chances.max())
        if found:
            return number, max(found), len(found)
    return None


@pytest.mark.parametrize("kind", [pnb.NaiveBayes, pnb.GeneralizedNaiveBayes, pnb.HiddenNaiveBayes])
@pytest.mark.parametrize("seed", range(3))
def test_exact_search_equals_brute_force(kind, seed):
    X, y = table(seed)
    model = kind().fit(X, y)
    case = CaseAnalysis.of(model, X)
    for place in range(12):
        row = X.iloc[place].to_dict()
        to = "no" if model.predict(X.iloc[[place]])[0] == "yes" else "yes"
        names = list("stuvw")[: 3 + place % 3]
        expected = brute_force(model, X, row, to, names)
        found = pnb.what_changes(case, row, to, changeable=names, most=5, shown=1000)
        assert found.is_exact
        if expected is None:
            assert found.found == ()
            continue
        number, best, count = expected
        assert {len(each.changes) for each in found.found} == {number}
        assert found.found[0].probability == pytest.approx(best, rel=1e-9)
        assert len(found.found) == min(count, 50)
        assert {c.attribute for each in found.found for c in each.changes} <= set(names)


def test_step_by_step_gives_changes_that_do_and_are_all_needed():
    X, y = table(5)
    model = pnb.NaiveBayes(parameters="generative").fit(X, y)
    case = CaseAnalysis.of(model, X)
    place = int(model.predict_proba(X)[:, 1].argmax())
    row = X.iloc[place].to_dict()
    exact = pnb.what_changes(case, row, "no", most=5)
    found = pnb.what_changes(case, row, "no", most_rows=3)
    assert not found.is_exact
    assert "step by step" in str(found)
    [each] = found.found
    assert len(each.changes) >= len(exact.found[0].changes)
    after = row | {change.attribute: change.after for change in each.changes}
    assert model.predict(pd.DataFrame([after]))[0] == "no"
    for change in each.changes:
        without = after | {change.attribute: row[change.attribute]}
        assert model.predict(pd.DataFrame([without]))[0] == "yes"


def test_what_is_said():
    X, y = pnb.load_sample("iris")
    case = CaseAnalysis.of(pnb.NaiveBayes(parameters="generative").fit(X, y), X)
    row = X.iloc[0].to_dict()
    assert "already" in str(pnb.what_changes(case, row, "setosa"))
    nothing = pnb.what_changes(case, row, "virginica", changeable=["sepal width"])
    assert str(nothing) == "no change of these values makes virginica the most probable class"
    with pytest.raises(QueryError, match="did you mean 'petal width'"):
        pnb.what_changes(case, row, "virginica", changeable=["petal widt"])
    assert pnb.what_changes(case, row).to in ("versicolor", "virginica")
    assert pnb.what_changes(case, {}).found == ()


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.about.short_name)
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


def test_a_column_without_any_value_has_no_swing():
    X, y = pnb.load_sample("iris")
    X = X.assign(empty=np.nan)
    for model in (pnb.TreeAugmentedNaiveBayes(), pnb.GaussianNaiveBayes()):
        found = pnb.tornado(CaseAnalysis.of(model.fit(X, y), X), {"petal width": 1.0})
        assert sorted(swing.attribute for swing in found.swings) == sorted(
            {*X.columns} - {"petal width", "empty"}
        )


@pytest.fixture(scope="module")
def model():
    X, y = pnb.load_sample("heart")
    return pnb.GeneralizedNaiveBayes(parameters="generative", n_bins=3).fit(X, y)


def test_the_most_influential_come_first(model):
    given = {"age": 61, "sex": "male"}
    table = pnb.parameter_sensitivity(model, given, "present")
    now = model.query("class", given=given)["probability"][1]
    assert len(table) == 10
    moves = (table["after"] - now).abs()
    assert moves.is_monotonic_decreasing
    everything = pnb.parameter_sensitivity(model, given, "present", most=None)
    assert (everything["after"] - now).abs().max() == moves[0]
    assert any("sex = male | " in entry for entry in table["entry"])


def test_an_entry_is_written_as_a_fact_among_cases(model):
    X, y = pnb.load_sample("heart")
    naive = pnb.NaiveBayes(parameters="generative", discretizer={"age": [50.0, 60.0]}, n_bins=3).fit(X, y)
    table = pnb.parameter_sensitivity(naive, {"age": 70}, "present", most=None).set_index("entry")
    assert "P(class = absent)" in table.index
    now, entry = table.loc["P(class = absent)"], table.loc["P(age > 60 | class = present)"]
    assert now["sentence"].startswith("If class = absent had 10% higher odds (now ")
    assert entry["sentence"].startswith(
        f"If age > 60 had 10% higher odds among cases with class = present (now {entry['value']:.1%}), "
        f"present would have {entry['after']:.1%} instead of "
    )
    assert "P(age in (50, 60] | class = absent)" in table.index
    mothers = pnb.parameter_sensitivity(model, {"age": 61}, "present", most=None)["sentence"]
    assert mothers.str.contains(r"among cases with .+ and class = ").any()


def test_who_cannot_says_why(model):
    X, y = pnb.load_sample("heart")
    with pytest.raises(QueryError, match="has no junction tree"):
        pnb.parameter_sensitivity(pnb.HiddenNaiveBayes().fit(X, y))
    trained = pnb.NaiveBayes(parameters="class", n_bins=5).fit(X, y)
    with pytest.raises(QueryError, match="trained together for the class"):
        pnb.parameter_sensitivity(trained, {"sex": "male", "age": 61, "thallium scan": "normal"})
    with pytest.raises(QueryError, match="is given"):
        pnb.parameter_sensitivity(model, {"class": "present"})
    with pytest.raises(QueryError, match="there is no class 'ill'"):
        pnb.parameter_sensitivity(model, {}, "ill")
