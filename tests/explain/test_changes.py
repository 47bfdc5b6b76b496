"""The fewest changes for another class: against trying everything with predict_proba."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.errors import QueryError
from pgm_nb.explain.cases import CaseAnalysis


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
