"""Credible intervals of every model that has them, and why the others do not."""

import re

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.engine.sums import terms as forest_terms
from pgm_nb.errors import QueryError
from pgm_nb.training.class_parameters import ClassParameters

FORESTS = [pnb.NaiveBayes, pnb.TreeAugmentedNaiveBayes, pnb.GeneralizedNaiveBayes]


@pytest.mark.parametrize("kind", pnb.MODELS)
def test_every_model_has_an_interval_or_says_why(kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    if model.intervals_.why_not:
        assert model.intervals_.why_not.endswith(".")
        assert model.intervals_.why_not.count(". ") == 0
        with pytest.raises(QueryError, match=re.escape(model.intervals_.why_not[:20])):
            model.credible_interval({"petal width": 1.0})
        return
    found = model.credible_interval({"petal width": 1.0, "petal length": None})
    assert list(found.columns) == ["class", "probability", "low", "high"]
    assert (found["low"] <= found["probability"]).all()
    assert (found["probability"] <= found["high"]).all()
    assert (found["high"] > found["low"]).all()
    assert (found["high"] - found["low"]).max() > 0.001
    assert "of 100 held the truth" in model.intervals_.coverage
    again = model.credible_interval({"petal width": 1.0})
    assert found.equals(again)


def test_how_often_intervals_held_the_truth_is_said_of_the_model_at_hand():
    assert "88 to 92 of 100" in pnb.NaiveBayes().intervals_.coverage
    assert "links had to be learned" in pnb.TreeAugmentedNaiveBayes().intervals_.coverage
    tree = pnb.CherryTree("class", ("a", "b"), {"b": "a"})
    assert "learned" not in pnb.GeneralizedNaiveBayes(structure=tree).intervals_.coverage
    assert "left out" in pnb.SelectiveNaiveBayes().intervals_.coverage


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize("parameters", ["generative", "class"])
def test_the_probability_is_the_one_that_predict_gives(kind, parameters):
    X, y = pnb.load_sample("heart")
    model = kind(parameters=parameters, smoothing="hierarchical").fit(X, y)
    row = X.iloc[[5]]
    found = model.credible_interval(row.iloc[0].to_dict())
    np.testing.assert_allclose(found["probability"], model.predict_proba(row)[0], atol=1e-12)
    wide, narrow = (model.credible_interval({"age": 60}, level=level) for level in (0.99, 0.5))
    assert (wide["low"] <= narrow["low"]).all()
    assert (wide["high"] >= narrow["high"]).all()
    soft = model.credible_interval({"age": pnb.above(50)})
    assert (soft["low"] < soft["high"]).all()


def test_more_rows_make_narrower_intervals():
    X, y = pnb.load_sample("car")
    widths = []
    for n in (100, 400, 1600):
        chosen = np.random.default_rng(0).choice(len(X), n, replace=False)
        model = pnb.NaiveBayes(parameters="generative").fit(X.iloc[chosen], y.iloc[chosen])
        cases = [{"safety": safe, "persons": seats} for safe in ("med", "high") for seats in ("4", "more")]
        found = pd.concat([model.credible_interval(case) for case in cases])
        widths.append((found["high"] - found["low"]).mean())
    assert widths[0] > 1.5 * widths[1] > 2 * widths[2]


def test_one_attribute_by_hand():
    """With two classes and one attribute the odds are a ratio of Betas; here by plain numpy draws."""
    X, y = pnb.load_sample("house_votes")
    model = pnb.NaiveBayes(parameters="generative", smoothing=1.0).fit(X[[X.columns[3]]], y)
    name, rows = X.columns[3], model.intervals_._draws.posterior.rows[0]
    rng = np.random.default_rng(3)
    pick = rng.integers(0, len(rows), size=200_000)
    shape = rows[pick, :, 0]
    beta = rng.beta(shape, rows[pick].sum(axis=-1) - shape)
    counts = model.learned_.counts.y
    prior = rng.dirichlet(counts + 1.0, size=len(beta))
    joint = beta * prior
    share = joint[:, 0] / joint.sum(axis=1)
    label = model.encoder_.columns[0].labels[0]
    found = model.credible_interval({name: label}).iloc[0]
    spread = share.std()
    assert abs(found["low"] - np.quantile(share, 0.05)) < 0.35 * spread
    assert abs(found["high"] - np.quantile(share, 0.95)) < 0.35 * spread


def test_bad_questions_are_refused():
    X, y = pnb.load_sample("iris")
    model = pnb.NaiveBayes(smoothing=None, parameters="generative").fit(X, y)
    with pytest.raises(QueryError, match="no prior"):
        model.credible_interval()
    model = pnb.NaiveBayes(parameters="generative").fit(X, y)
    with pytest.raises(QueryError, match="between 0 and 1"):
        model.credible_interval(level=90)
    with pytest.raises(QueryError, match="no state"):
        model.credible_interval({"petal width": "wide"})


def test_intervals_of_parameters_trained_for_the_class_hold_the_truth():
    """The truth is a naive Bayes model over six attributes; every case is asked with half of them known."""
    rng = np.random.default_rng(2)
    held = asked = 0
    for kind in FORESTS * 4:
        prior, tables = rng.dirichlet([5, 5]), rng.dirichlet(np.full(3, 2.0), size=(6, 2))
        y = rng.choice(2, size=500, p=prior)
        codes = np.stack([(t[y].cumsum(1) < rng.random(500)[:, None]).sum(1) for t in tables])
        X = {f"x{i}": np.array(["a", "b", "c"])[np.minimum(c, 2)] for i, c in enumerate(codes)}
        model = kind(parameters="class", smoothing="hierarchical").fit(pd.DataFrame(X), y)
        for row in range(20):
            known = rng.permutation(6)[:3]
            joint = prior * np.prod([tables[i][:, min(codes[i, row], 2)] for i in known], axis=0)
            found = model.credible_interval({f"x{i}": X[f"x{i}"][row] for i in known})
            held += found["low"][0] <= joint[0] / joint.sum() <= found["high"][0]
            asked += 1
    assert 0.86 < held / asked < 0.96


def repeated_truth(rng, n):
    """Draw a naive Bayes model of four attributes, rows of it with every attribute twice, and cases."""
    prior, tables = rng.dirichlet([5, 5]), rng.dirichlet(np.full(3, 2.0), size=(4, 2))

    def draw(rows):
        y = rng.choice(2, size=rows, p=prior)
        codes = [(t[y].cumsum(1) < rng.random(rows)[:, None]).sum(1).clip(max=2) for t in tables]
        X = pd.DataFrame({f"x{i}": np.array(["a", "b", "c"])[c] for i, c in enumerate(codes)})
        exact = np.log(prior) + sum(np.log(t[:, c].T) for t, c in zip(tables, codes, strict=True))
        return X.assign(**{f"{name} again": X[name] for name in X}), y, 1 / (1 + np.exp(exact @ [-1, 1]))

    return draw(n)[:2], draw(15)


def test_intervals_of_trained_weights_hold_the_truth_where_only_they_are_right():
    rng = np.random.default_rng(11)
    held, around = [], []
    for _ in range(24):
        learn, (cases, _, exact) = repeated_truth(rng, 500)
        model = pnb.NaiveBayes(parameters="class", smoothing="hierarchical").fit(*learn)
        if not model.class_parameters_.changes_something:
            continue
        for (_, row), true in zip(cases.iterrows(), exact, strict=True):
            found = model.credible_interval(row.to_dict()).iloc[0]
            held.append(found["low"] <= true <= found["high"])
            middle = model.credible_interval(row.to_dict(), level=0.02).iloc[0]
            around.append(np.diff(np.log(middle[["low", "high"]].astype(float)))[0])
    assert len(held) > 300
    assert 0.87 < np.mean(held) < 0.95
    assert np.median(around) < 0.05  # the draws lie around what was trained, not to one side of it


def test_with_little_known_it_is_drawn_how_far_training_holds(monkeypatch):
    (X, y), (cases, _, _) = repeated_truth(np.random.default_rng(3), 2000)
    model = pnb.NaiveBayes(parameters="class", smoothing="hierarchical").fit(X, y)
    case = cases.iloc[0].to_dict()
    some = {name: case[name] for name in ("x0", "x1", "x2")}
    codes = model.encode(pd.DataFrame([some | {name: None for name in X if name not in some}])[list(X)])
    terms = forest_terms(model._class_factors, codes)
    gained = model.class_parameters_.gained(model._class_factors, codes, terms)[0]
    assert abs(gained[0] - gained[1]) > 0.1
    wide = model.credible_interval(some)
    monkeypatch.setattr(ClassParameters, "gained", lambda *_: np.zeros((1, 2)))
    narrow = model.credible_interval(some)
    assert (wide["high"] - wide["low"] > narrow["high"] - narrow["low"]).all()


def test_an_interval_says_that_training_found_nothing():
    X, y = pnb.load_sample("zoo")
    plain, trained = (pnb.NaiveBayes(parameters=one).fit(X, y) for one in ("generative", "class"))
    assert not trained.class_parameters_.changes_something
    assert plain.intervals_.caution == ""
    assert "found nothing better" in trained.intervals_.caution
    assert trained.intervals_.caution in pnb.how_sure(trained, {"milk": "yes"})
    elsewhere = dict.fromkeys(trained.classes_, 1 / 7)
    assert trained.intervals_.caution in pnb.how_sure(trained, {"milk": "yes"}, prior=elsewhere)
