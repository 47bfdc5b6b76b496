"""Importance for the class against brute force, and what it says about tables that are understood."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.explain.importance import OutOfFold, out_of_fold
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
    for model in (*(kind() for kind in pnb.MODELS if kind.short_name not in ("nb", "tan", "gnb")), boosted):
        expected = brute_force(model, X, y)
        path = pnb.importance(model, X, y, cv=3)
        assert path["attribute"].tolist() == [name for name, _ in expected.forward()]
        assert path["value"].tolist() == pytest.approx([value for _, value in expected.forward()], abs=1e-9)


def test_sampled_shares_are_near_the_exact_ones_and_add_up(table, monkeypatch):
    X, y = table(6, seed=1)
    model = pnb.GeneralizedNaiveBayes(**GENERATIVE)
    exact = pnb.importance(model, X, y, "share", cv=3).set_index("attribute")
    monkeypatch.setattr("pgm_nb.explain.importance.orders.MOST_EXACT", 0)
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
    folds = OutOfFold(("a",), "y", (), (), 4)
    mean, low, high = folds.interval(np.array([[0.1, 0.2, 0.3, 0.4]]))
    # deviation sqrt(.05/3) = .1291, error .06455, t(.975, 3) = 3.18245
    assert mean[0] == pytest.approx(0.25)
    assert high[0] - 0.25 == pytest.approx(0.2054, abs=5e-5)
    assert 0.25 - low[0] == pytest.approx(0.2054, abs=5e-5)
    _, low, _ = folds.interval(np.array([[0.25] * 4]), more=np.array([0.1]))
    assert 0.25 - low[0] == pytest.approx(0.318245, abs=1e-5)


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
