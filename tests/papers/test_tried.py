"""The experiments behind the explanations, on tables small enough to work out by hand."""

import math

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from papers.data import random_folds
from papers.figures import printed
from papers.gnb import times
from papers.gnb_systems import MEASURES, numbers
from papers.gnb_tried import COUNTS, FIRST, EveryZeroRepaired, ZerosLeft, naive_table, tried_tables, ways, why
from papers.local_pca import SharesAsPriors, differences_table, more_settings, other_settings, others, p_value
from papers.phnb import AVERAGE, BEFORE, binned, report
from papers.ptree import in_errors
from papers.store import Measured, Results, measured
from papers.weka import MOMENTUM, RATE, RoundedGaussians, mean_gap, train_row
from pgm_nb.scoring.significance import corrected_t_test


def test_zeros_left_go_to_one_class_and_are_not_repaired():
    X = pd.DataFrame({"a": [0, 0, 1, 1, 2, 2], "b": [0, 1, 0, 1, 0, 1]})
    y = pd.Series(["B", "B", "B", "M", "M", "M"])
    tree = pnb.TreeAugmentedNaiveBayes(smoothing=None, discretizer=None, parameters="generative")
    asked = pd.DataFrame({"a": [1], "b": [1]})  # M alone
    assert ZerosLeft(tree, "B").fit(X, y).predict(asked).tolist() == ["M"]
    seen = X.drop(index=3)
    for otherwise in ("B", "M"):  # (1, 1) is now in no class: b is 1 for B and M, never together with a = 1
        left = ZerosLeft(tree, otherwise).fit(seen, y.drop(index=3))
        assert left.predict(asked).tolist() == [otherwise]


def test_numbers_are_at_least_zero():
    found = numbers(pd.DataFrame({"x": [-2.0, 1.0], "y": [3.0, 4.0], "word": ["b", "a"]}))
    assert found.to_numpy().tolist() == [[0, 3, 1], [3, 4, 0]]


def test_every_zero_cluster_is_repaired_in_every_class():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.integers(0, 4, (30, 3)), columns=list("abc"))
    y = pd.Series(np.where(rng.random(30) < 0.5, "M", "B"))
    tree = pnb.GeneralizedNaiveBayes(smoothing=None, discretizer=None, parameters="generative")
    model = EveryZeroRepaired(tree).fit(X, y)
    asked = pd.DataFrame(
        [(a, b, c) for a in range(4) for b in range(4) for c in range(4)], columns=list("abc")
    )
    columns, mothers = model.fitted_.factors_.columns, model.fitted_.factors_.mothers

    def share(label, **cells):
        same = y == label
        for name, value in cells.items():
            same &= X[name] == value
        return same.mean()

    def pair(label, name, value):
        return share(label, **{name: value}) or (y == label).mean() * (X[name] == value).mean()

    repaired = 0
    for (_, row), said in zip(asked.iterrows(), model.predict(asked), strict=True):
        scores = {}
        for label in ("B", "M"):
            score = 1.0
            for column, mother in zip(columns, mothers, strict=True):
                name = X.columns[column]
                if mother < 0:
                    score *= pair(label, name, row[name])
                    continue
                up = X.columns[columns[mother]]
                cluster = share(label, **{name: row[name], up: row[up]})
                repaired += cluster == 0
                ends = pair(label, up, row[up]), pair(label, name, row[name])
                score *= (cluster or ends[0] * ends[1] / (y == label).mean()) / ends[0]
            scores[label] = score
        if scores["B"] != pytest.approx(scores["M"]):
            assert said == max(scores, key=scores.get)
    assert repaired > 50


def test_a_reason_says_whether_what_was_tried_fits():
    theirs = 100 * printed("gnb")[1]["recall"]["thyroid_ann_train"]["NB"]
    where = ("gnb", "tried NB", "thyroid_ann_train", COUNTS, "recall")
    results = Results([Measured(*where, theirs - 0.9, 1.0, 50)])
    assert why(results, "thyroid_ann_train", "NB", "recall") == f"explained by '{COUNTS}'"
    [extra] = naive_table(results)
    assert extra.rows == ((COUNTS, "1", "1"),)
    results.add([Measured(*where, theirs - 0.9, 0.5, 50)])
    assert "unknown; tried: " in why(results, "thyroid_ann_train", "NB", "recall")
    assert naive_table(results)[0].rows == ((COUNTS, "0", "0"),)
    assert set(FIRST) == set(printed("gnb")[1]["recall"])
    assert tuple(printed("gnb")[1]) == MEASURES


def test_the_ways_of_naive_bayes_learn():
    X, y = pnb.load_sample("iris")
    seen = [name for name, model, table in ways(X) if np.mean(model.fit(table, y).predict(table) == y) > 0.3]
    assert len(seen) == len(set(seen)) == 23
    assert COUNTS in seen


def test_another_rule_explains_a_figure_if_it_reproduces_it():
    theirs = 100 * printed("gnb")[1]["f1"]["heart_cleveland"]["GNB-O"]
    where = ("gnb", "tried", "heart_cleveland", "GNB-O, every zero repaired", "f1")
    results = Results([Measured(*where, theirs + 0.9, 1.0, 50)])
    said = why(results, "heart_cleveland", "GNB-O", "f1")
    assert said == "explained by 'GNB-O, every zero repaired', as in the program that the authors published"
    [extra] = tried_tables(results)
    assert extra.rows[0][2] == f"{theirs + 0.9:.2f} ({0.9 / math.sqrt(1 / 50 + 1 / 5):+.1f})"
    results.add([Measured(*where, theirs + 0.9, 0.5, 50)])
    assert why(results, "heart_cleveland", "GNB-O", "f1").startswith("unknown; tried: every zero repaired")


def test_one_auc_of_early_diabetes_does_not_belong_to_its_row():  # 320 of 520 rows are positive
    theirs, share = printed("gnb")[1], 320 / 520
    accuracies = {}
    for system in ("GNB-A", "GNB-O"):
        recall, auc = (theirs[what]["early_diabetes"][system] for what in ("recall", "roc_auc"))
        accuracies[system] = share * recall + (1 - share) * (2 * auc - recall)
    assert accuracies["GNB-A"] == pytest.approx(theirs["accuracy"]["early_diabetes"]["GNB-A"], abs=0.002)
    assert accuracies["GNB-O"] == pytest.approx(0.886, abs=0.0005)


def test_a_network_learns_a_row_by_the_gradient():
    rng = np.random.default_rng(0)
    x, wanted = rng.normal(size=3), 1
    hidden, output = rng.normal(size=(4, 4)), rng.normal(size=(2, 5))
    before = hidden.copy(), output.copy()
    steps = rng.normal(size=(4, 4)), rng.normal(size=(2, 5))
    old = steps[0].copy(), steps[1].copy()

    def loss(weights):
        inner = 1 / (1 + np.exp(-(weights[0] @ [*x, 1])))
        said = 1 / (1 + np.exp(-(weights[1] @ [*inner, 1])))
        return ((said - [0, 1]) ** 2).sum() / 2

    train_row(x, wanted, hidden, output, *steps)
    # the weights of the output move before the error goes back to the hidden units only in their own sums
    for layer, moved in enumerate((hidden, output)):
        for cell in np.ndindex(moved.shape):
            ends = []
            for side in (-1e-6, 1e-6):
                weights = [part.copy() for part in before]
                weights[layer][cell] += side
                ends.append(loss(weights))
            slope = (ends[1] - ends[0]) / 2e-6
            wanted_step = -RATE * slope + MOMENTUM * old[layer][cell]
            assert moved[cell] - before[layer][cell] == pytest.approx(wanted_step, abs=1e-8)


def test_times_are_taken_of_six_systems():
    X, y = pnb.load_sample("iris")
    codes = pd.DataFrame({name: (X[name] > X[name].median()).astype(int) for name in X})
    found = times(("gnb", "times", "iris"), codes, y, 2)
    assert [row.system for row in found] == ["NB", "TAN", "GNB-A", "GNB-O", "ATAN", "class trees"]
    assert all(row.value > 0 and row.repeats == 2 for row in found)


def test_rounded_gaussians_by_brute_force():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(40, 2)).round(1))
    y = pd.Series(np.where(X[0] + rng.normal(size=40) > 0, "b", "a"))
    model = RoundedGaussians().fit(X, y)

    def upto(x):
        return 0.5 * math.erfc(-x / math.sqrt(2))

    for row, said in zip(X.to_numpy(), model.predict(X), strict=True):
        scores = {}
        for name in ("a", "b"):
            total = math.log(((y == name).sum() + 1) / 42)
            for place, value in enumerate(row):
                column = X[place].to_numpy()
                gap = mean_gap(column)
                rounded = np.rint(column / gap) * gap
                mean = rounded[(y == name).to_numpy()].mean()
                wide = max(rounded[(y == name).to_numpy()].std(), gap / 6)
                middle = round(value / gap) * gap
                chance = upto((middle + gap / 2 - mean) / wide) - upto((middle - gap / 2 - mean) / wide)
                total += math.log(max(chance, 1e-75))
            scores[name] = total
        assert said == max(scores, key=scores.get)
    assert mean_gap(np.array([4.0, 4.0])) == 0.01


def test_the_test_is_the_corrected_one():
    differences = np.array([1.0, 2.0, 0.5, 3.0, 1.5, 2.5, 0.0, 2.0, 1.0, 1.5])
    found = measured(("local-pca", "columns", "iris"), "NB", "behind proposed", differences)
    assert p_value(found) == pytest.approx(corrected_t_test(differences, 1 / 9).p, abs=1e-6)
    assert p_value(Measured("p", "c", "t", "NB", "behind proposed", 0.0, 0.0, 10)) == 1.0
    assert p_value(Measured("p", "c", "t", "NB", "behind proposed", 1.0, 0.0, 10)) == 0.0


def test_better_and_worse_are_counted():
    results = Results(
        Measured("local-pca", "columns", "iris", system, "behind proposed", value, 1.0, 100)
        for system, value in {"MLP": 5.0, "LOG": -5.0, "BN": 0.1, "KNN": 5.0, "SVM": -5.0, "NB": 0.0}.items()
    )
    [extra] = differences_table(results)
    assert extra.rows[0] == ("iris", "+5.00*", "-5.00*", "+0.10", "+5.00*", "-5.00*", "+0.00")
    assert extra.rows[1][1:] == ("1 / 0", "0 / 1", "0 / 0", "1 / 0", "0 / 1", "0 / 0")
    assert extra.rows[2][1:] == ("1 / 0", "0 / 1", "1 / 0", "1 / 0", "0 / 1", "1 / 0")  # 97.13 in the paper
    few = Measured("local-pca", "slow columns", "iris", "MLP", "behind proposed", 5.0, 1.0, 20)
    assert differences_table(Results([few]))[0].rows[0][1] == "+5.00* (20 folds)"


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
def test_the_other_columns_learn():
    X, y = pnb.load_sample("iris")
    for name, model in {**others(4, 3), **other_settings(), **more_settings()}.items():
        assert np.mean(model.fit(X, y).predict(X) == y) > 0.9, name
    shares = SharesAsPriors().fit(X, y)
    assert np.mean(shares.predict(X) == y) > 0.95
    assert shares.clusters_per_class_ >= 1


def test_bins_of_all_rows_keep_empty_ones():
    sizes = [*range(12), 100]
    found = binned(pd.DataFrame({"x": sizes, "word": ["a", "b", *"a" * 11]}), 10)
    assert found["x"].cat.categories.tolist() == [str(i) for i in range(10)]
    assert found["x"].tolist() == ["0"] * 11 + ["1", "9"]
    assert found["word"].tolist()[:3] == ["0", "1", "0"]


def test_random_folds_hold_every_row_once():
    folds = random_folds(23, 5, 2)
    for repeat in (folds[:5], folds[5:]):
        np.testing.assert_array_equal(np.sort(np.concatenate([fold.test for fold in repeat])), np.arange(23))
    assert not np.array_equal(folds[0].test, folds[5].test)


def test_what_explains_a_figure_of_hidden_parents_is_named():
    theirs = printed("phnb")[1]["sick"]["phnb_average_accuracy"]
    results = Results([
        Measured("phnb", "table", "sick", AVERAGE, "accuracy", theirs - 1, 0.1, 10),
        Measured("phnb", "tried", "sick", f"{AVERAGE}, {BEFORE}", "accuracy", theirs, 0.1, 10),
    ])  # fmt: skip
    [figure] = report(results).figures
    assert figure.mark == "not reproduced"
    assert figure.why.startswith(f"explained by '{AVERAGE}, {BEFORE}'")


def test_a_gain_in_standard_errors_by_hand():
    assert in_errors(10.0, 5.0, 1000) == pytest.approx(0.05 / math.sqrt((0.09 + 0.0475) / 1000))
    assert in_errors(0.0, 0.0, 10) == 0
