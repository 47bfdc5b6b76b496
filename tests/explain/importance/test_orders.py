"""The order in which attributes matter."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.explain.importance import OutOfFold, out_of_fold, redundancy_of
from pgm_nb.explain.importance.orders import METHODS

GENERATIVE = {"parameters": "generative", "smoothing": "backoff"}


@pytest.mark.parametrize("d", [1, 2, 4, 6])
def test_brute_force_of_every_method(d, table, trees, brute_force):
    X, y = table(d, seed=d, classes=3 if d == 4 else 2)
    for model in trees if d == 4 else trees[::5]:
        expected = brute_force(model, X, y)
        folds = out_of_fold(model, X, y, cv=3)
        path = METHODS["forward"](folds)
        assert path["attribute"].tolist() == [name for name, _ in expected.forward()]
        assert path["value"].tolist() == pytest.approx([value for _, value in expected.forward()], abs=1e-9)
        for method, values in (("drop", expected.drop()), ("share", expected.share())):
            found = METHODS[method](folds)
            assert dict(zip(found["attribute"], found["value"], strict=True)) == pytest.approx(
                values, abs=1e-9
            )
            assert (np.diff(found["value"]) <= 1e-11).all()


def test_the_two_formulas_of_shapley_agree(table, brute_force):
    X, y = table(4, seed=7)
    expected = brute_force(pnb.NaiveBayes(**GENERATIVE), X, y)
    assert expected.share() == pytest.approx(expected.share_by_orders(), abs=1e-12)


def test_the_other_models_hide_cells_too(brute_force):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 80)
    X = pd.DataFrame({"a": y + rng.normal(size=80), "b": rng.normal(size=80), "c": y - rng.normal(size=80)})
    y = pd.Series(np.array(["no", "yes"])[y])
    boosted = HistGradientBoostingClassifier(max_iter=5)  # not ours: it takes NaN as unknown
    for model in (
        *(kind() for kind in pnb.MODELS if kind.about.short_name not in ("nb", "tan", "gnb")),
        boosted,
    ):
        expected = brute_force(model, X, y)
        path = pnb.importance(model, X, y, cv=3)
        assert path["attribute"].tolist() == [name for name, _ in expected.forward()]
        assert path["value"].tolist() == pytest.approx([value for _, value in expected.forward()], abs=1e-9)


def test_sampled_shares_are_near_the_exact_ones_and_add_up(table, monkeypatch):
    X, y = table(6, seed=1)
    model = pnb.GeneralizedNaiveBayes(**GENERATIVE)
    exact = pnb.importance(model, X, y, "share", cv=3).set_index("attribute")
    monkeypatch.setattr(import_module("pgm_nb.explain.importance.orders"), "MOST_EXACT", 0)
    found = pnb.importance(model, X, y, "share", cv=3, permutations=400)
    again = pnb.importance(model, X, y, "share", cv=3, permutations=400)
    pd.testing.assert_frame_equal(found, again)
    other = pnb.importance(model, X, y, "share", cv=3, permutations=400, random_state=1)
    assert other["value"].sum() != found["value"].sum()  # other folds
    by_name = found.set_index("attribute").loc[exact.index]
    assert (by_name["value"] - exact["value"]).abs().max() < 0.01
    assert by_name["value"].sum() == pytest.approx(exact["value"].sum(), abs=1e-9)
    few = pnb.importance(model, X, y, "share", cv=3, permutations=4)
    assert (few["high"] - few["low"]).mean() > (found["high"] - found["low"]).mean()  # sampling is part of it


def test_shares_add_up_to_all_that_is_said(table):
    X, y = table(5, seed=3)
    folds = out_of_fold(pnb.TreeAugmentedNaiveBayes(**GENERATIVE), X, y)
    ends = folds.losses(np.array([[False] * 5, [True] * 5])).mean(axis=1)
    shares = pnb.importance(pnb.TreeAugmentedNaiveBayes(**GENERATIVE), X, y, "share")
    assert shares["value"].sum() == pytest.approx(ends[0] - ends[1], abs=1e-12)
    path = pnb.importance(pnb.TreeAugmentedNaiveBayes(**GENERATIVE), X, y)
    assert path["value"].sum() == pytest.approx(ends[0] - ends[1], abs=1e-12)


def test_intervals_by_hand():
    folds = OutOfFold(("a",), "y", (), (), learned_from=3)
    mean, low, high = folds.interval(np.array([[0.1, 0.2, 0.3, 0.4]]))
    # variance .05/3, times 1/4 + 1/3: error .0986; t(.975, 3) = 3.18245
    assert mean[0] == pytest.approx(0.25)
    assert high[0] - 0.25 == pytest.approx(0.31380, abs=5e-5)
    assert 0.25 - low[0] == pytest.approx(0.31380, abs=5e-5)
    _, low, _ = folds.interval(np.array([[0.25] * 4]), more=np.array([0.1]))
    assert 0.25 - low[0] == pytest.approx(0.318245, abs=1e-5)


def test_intervals_hold_the_mean_value_as_often_as_they_say():
    """Many tables of one truth: intervals that take rows or folds as independent hold it in 90% and 92%."""
    rng = np.random.default_rng(0)
    tables, folds, rows, states = 2000, 5, 10, 20
    x = rng.choice(states, size=(tables, folds, rows), p=rng.dirichlet(np.ones(states)))
    y = rng.random(x.shape) < np.linspace(0.1, 0.9, states)[x]
    both = (x[..., None] == np.arange(states)).sum(axis=2)  # rows of each state: (tables, folds, states)
    ones = ((x[..., None] == np.arange(states)) & y[..., None]).sum(axis=2)
    both, ones = (counts.sum(axis=1, keepdims=True) - counts for counts in (both, ones))  # the other folds
    known = np.take_along_axis((ones + 0.1) / (both + 0.2), x, axis=2)  # P(y = 1) while x is known
    unknown = (ones.sum(axis=2, keepdims=True) + 0.5) / (both.sum(axis=2, keepdims=True) + 1)
    loss = [-np.log2(np.where(y, p, 1 - p)).reshape(tables, -1) for p in (unknown, known)]
    model = OutOfFold(("x",), "y", (), (), learned_from=(folds - 1) * rows)
    value, low, high = model.interval(loss[0] - loss[1])
    held = np.mean((low <= value.mean()) & (value.mean() <= high))
    assert 0.95 < held < 0.99


def test_a_copy_comes_last_on_the_path_and_is_never_missed():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    glucose = np.where(rng.random(400) < 0.85, y, 1 - y)
    age = np.where(rng.random(400) < 0.7, y, 1 - y)
    X = pd.DataFrame({"copy": glucose, "age": age, "glucose": glucose, "noise": rng.integers(0, 2, 400)})
    model = pnb.TreeAugmentedNaiveBayes(**GENERATIVE)
    path = pnb.importance(model, X, y)
    first, second, *_ = path["attribute"]
    assert first in ("copy", "glucose")
    assert second == "age"
    dropped = pnb.importance(model, X, y, "drop").set_index("attribute")["value"]
    assert dropped["age"] > 0.05
    assert dropped[["copy", "glucose"]].abs().max() < 0.01
    shares = pnb.importance(model, X, y, "share").set_index("attribute")["value"]
    assert shares["copy"] == pytest.approx(shares["glucose"], abs=0.01)


def test_glucose_comes_before_pregnancies():
    """The order of joining starts with what is redundant; what matters for the class comes first here."""
    rng = np.random.default_rng(5)
    n = 768
    age = rng.gamma(4, 8, n) + 20
    pregnancies = np.round(np.clip((age - 20) / 6 + rng.normal(0, 1.0, n), 0, 15))
    y = rng.random(n) < 1 / (1 + np.exp(0.6 - 0.02 * (age - 45)))
    glucose = 105 + 32 * y + rng.normal(0, 22, n)
    mass = 30 + 4 * y + rng.normal(0, 6, n)
    X = pd.DataFrame({"preg": pregnancies, "plas": glucose, "mass": mass, "age": age})
    model = pnb.GeneralizedNaiveBayes(**GENERATIVE).fit(X, y)
    assert set(model.importance_["attribute"][:2]) == {"preg", "age"}  # the order of joining
    for method in ("forward", "drop", "share"):
        order = pnb.importance(model, X, y, method)["attribute"].tolist()
        assert order[0] == "plas"
        assert order.index("plas") < order.index("preg")
    assert model.next_best({})["attribute"][0] == "plas"


def test_a_wide_table_has_a_shorter_path():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = pd.DataFrame(rng.integers(0, 2, (100, 70)), columns=[f"x{i}" for i in range(70)])
    X["x50"] = y
    found = pnb.importance(pnb.NaiveBayes(**GENERATIVE), X, y, cv=2)
    assert found["attribute"][0] == "x50"
    assert sorted(found["attribute"]) == sorted(X.columns)
    assert (np.diff(found["value"][29:]) <= 0).all()  # the rest by what each would add


def test_large_tables_are_predicted_in_part(table):
    X, y = table(3, seed=0, n=3000)
    folds = out_of_fold(pnb.NaiveBayes(**GENERATIVE), X, y, max_rows=500)
    assert folds.n_rows == 500
    every = pnb.importance(pnb.NaiveBayes(**GENERATIVE), X, y, max_rows=None)
    some = pnb.importance(pnb.NaiveBayes(**GENERATIVE), X, y, max_rows=1000)
    assert every["attribute"].tolist() == some["attribute"].tolist()


def test_progress_ends_at_one_and_may_stop(table):
    X, y = table(4, seed=0)
    for method in ("forward", "share"):
        done = []
        pnb.importance(pnb.NaiveBayes(**GENERATIVE), X, y, method, progress=done.append)
        assert done == sorted(done)
        assert 0.9 < done[-1] <= 1.0

    def stop(fraction):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        pnb.importance(pnb.NaiveBayes(**GENERATIVE), X, y, progress=stop)


def test_what_cannot_be_ranked_is_refused_in_a_sentence(table):
    X, y = table(2, seed=0)
    with pytest.raises(DataError, match="method must be one of 'forward', 'drop', 'share', but is 'best'"):
        pnb.importance(pnb.NaiveBayes(), X, y, "best")
    with pytest.raises(DataError, match="was given the class NaiveBayes; pass the model itself"):
        pnb.importance(pnb.NaiveBayes, X, y)
    numbers = pd.DataFrame({"a": range(90), "b": range(90)})
    with pytest.raises(DataError, match="LogisticRegression cannot predict rows with unknown cells"):
        pnb.importance(LogisticRegression(), numbers, y)


def test_any_number_of_processes_gives_the_same(table):
    X, y = table(3, seed=0)
    one, two = (pnb.importance(pnb.NaiveBayes(**GENERATIVE), X, y, cv=2, n_jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two)


def test_a_hidden_cell_is_unknown_also_where_an_empty_one_is_a_state(table):
    X, y = table(3, seed=0)
    gone = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
    model = pnb.NaiveBayes(**GENERATIVE, missing="state").fit(gone, y)
    score = model.partial_scorer(gone)
    nothing, everything = score(np.array([[False] * 3, [True] * 3]))
    assert np.abs(nothing - model.class_log_prior_).max() < 1e-12
    np.testing.assert_allclose(everything, model.score_codes(model.encode(gone)), rtol=0, atol=1e-12)


def test_the_path_of_wdbc(wdbc):  # benchmarks/importance.py says how long it takes
    model = pnb.GeneralizedNaiveBayes(parameters="class", smoothing="hierarchical")
    path = pnb.importance(model, *wdbc)
    assert path["attribute"][0].startswith("worst")
    assert len(path) == 30


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
