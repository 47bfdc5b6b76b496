"""Decisions on unseen rows: never a training row, and every number as counted by another hand."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedKFold, StratifiedKFold, cross_val_predict

import pgm_nb as pnb
from pgm_nb.errors import DataError, QueryError
from pgm_nb.evaluate.deciding import benefit_sentence, decisions_of, found_sentence, ratio_sentence, said
from pgm_nb.evaluate.predictions import UnseenRows, predict_unseen

TEN_TO_ONE = {"miss": 10, "false alarm": 1}


@pytest.fixture(scope="module")
def wdbc():
    return pnb.load_sample("wdbc")


@pytest.fixture(scope="module")
def found(wdbc):
    return pnb.decisions(pnb.GaussianNaiveBayes(), *wdbc, TEN_TO_ONE, cv=5)


@pytest.fixture(scope="module")
def by_scikit_learn(wdbc):
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_predict(pnb.GaussianNaiveBayes(), *wdbc, cv=folds, method="predict_proba")


def unseen(probabilities, truth, classes=("ill", "well")):
    truth = np.asarray(truth)
    return UnseenRows(classes, np.arange(len(truth)), truth, np.asarray(probabilities), len(truth), 5)


class TestUnseenRows:
    def test_the_probabilities_are_those_of_cross_val_predict(self, wdbc, by_scikit_learn):
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        ours = predict_unseen(pnb.GaussianNaiveBayes(), *wdbc, cv=folds)
        np.testing.assert_allclose(ours.probabilities, by_scikit_learn, rtol=1e-12)

    def test_no_row_is_learned_from(self):
        """A model that remembers what it learned from is never asked about any of it."""

        class Remembers(LogisticRegression):
            def fit(self, X, y):
                self.seen_ = set(np.asarray(X)[:, 0].tolist())
                return super().fit(X, y)

            def predict_proba(self, X):
                assert not self.seen_ & set(np.asarray(X)[:, 0].tolist())
                return super().predict_proba(X)

        rng = np.random.default_rng(0)
        X = pd.DataFrame({"id": rng.permutation(np.arange(80.0))})
        predict_unseen(Remembers(), X, rng.integers(0, 2, 80), cv=4)

    def test_many_rows_are_drawn_by_class(self, wdbc):
        part = predict_unseen(pnb.GaussianNaiveBayes(), *wdbc, cv=3, most_rows=100)
        assert len(part.rows) == 100
        assert part.n_rows == 569
        assert np.bincount(part.truth).tolist() == [63, 37]
        classes = np.asarray(part.classes)[part.truth]
        np.testing.assert_array_equal(classes, wdbc[1].to_numpy()[part.rows])

    def test_a_small_class_makes_fewer_folds(self):
        X, y = pnb.load_sample("zoo")
        assert predict_unseen(pnb.NaiveBayes(), X, y).folds == y.value_counts().min()

    def test_what_cannot_be_done_is_said(self, wdbc):
        X, y = wdbc
        with pytest.raises(DataError, match="every row must be tested once"):
            predict_unseen(pnb.NaiveBayes(), X, y, cv=RepeatedKFold(n_splits=2, n_repeats=2))
        with pytest.raises(DataError, match="the table has 569 rows and y has 3"):
            predict_unseen(pnb.NaiveBayes(), X, y[:3])
        with pytest.raises(DataError, match="could not be tested on rows it had not seen: smoothing"):
            predict_unseen(pnb.NaiveBayes(smoothing=-1), X, y)

    def test_progress_and_stop(self, wdbc):
        done = []
        predict_unseen(pnb.GaussianNaiveBayes(), *wdbc, cv=4, progress=done.append)
        assert done == [0.25, 0.5, 0.75, 1.0]


class TestNumbers:
    def test_against_scikit_learn(self, found):
        own, said_so = found.own, found.chances >= 1 / 11
        seen = found.detection
        assert found.label == "malignant"  # the rarer one
        assert found.threshold == 1 / 11
        assert seen.sensitivity.value == pytest.approx(metrics.recall_score(own, said_so), rel=1e-14)
        assert seen.positive_value.value == pytest.approx(metrics.precision_score(own, said_so), rel=1e-14)
        np.testing.assert_array_equal(
            found.confusion, metrics.confusion_matrix(found.unseen.truth, said_so.astype(int))
        )
        assert found.roc.area == pytest.approx(metrics.roc_auc_score(own, found.chances), rel=1e-14)

    def test_costs_by_hand(self, found):
        seen = found.detection
        assert found.cost == pytest.approx((10 * seen.missed + seen.alarms) / 569, rel=1e-14)
        assert found.cost_without == pytest.approx(min(10 * 212, 357) / 569, rel=1e-14)

    def test_model_decide_agrees(self, wdbc):
        """On the rows of one fold, the model of the others decides the same."""
        X, y = wdbc
        [(train, test), *_] = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
        ours = pnb.decisions(
            pnb.GaussianNaiveBayes(), X, y, TEN_TO_ONE, cv=StratifiedKFold(5, shuffle=True, random_state=0)
        )
        model = pnb.GaussianNaiveBayes().fit(X.iloc[train], y.iloc[train])
        decided = model.decide(X.iloc[test], TEN_TO_ONE, label="malignant")
        np.testing.assert_array_equal(np.array(ours.classes)[ours.decided[test]], decided)

    def test_every_class_against_the_rest(self):
        found = pnb.decisions(pnb.GaussianNaiveBayes(), *pnb.load_sample("iris"), cv=5)
        table = found.per_class().set_index("class")
        assert table.index.tolist() == ["setosa", "versicolor", "virginica"]
        for place, label in enumerate(table.index):
            own, chances = found.unseen.truth == place, found.unseen.probabilities[:, place]
            assert table.loc[label, "sensitivity"] == pytest.approx(
                metrics.recall_score(own, chances >= 0.5), rel=1e-14
            )
            assert table.loc[label, "auc"] == pytest.approx(metrics.roc_auc_score(own, chances), rel=1e-14)
            assert table.loc[label, "rows"] == 50

    def test_a_matrix_of_costs(self):
        classes = ["setosa", "versicolor", "virginica"]
        costs = pd.DataFrame([[0, 1, 1], [1, 0, 1], [20, 20, 0]], classes, classes)
        found = pnb.decisions(pnb.GaussianNaiveBayes(), *pnb.load_sample("iris"), costs, cv=5)
        expected = (found.unseen.probabilities @ costs.to_numpy()).argmin(axis=1)
        np.testing.assert_array_equal(found.decided, expected)
        assert found.threshold is None
        seen, said_so = found.detection, expected == found.place
        assert (seen.found, seen.alarms) == (sum(said_so & found.own), sum(said_so & ~found.own))
        assert found.cost == costs.to_numpy()[found.unseen.truth, expected].mean()
        assert "least expected cost" in ratio_sentence(found)
        assert "The decisions cost" in benefit_sentence(found)
        json.dumps(found.to_dict(), allow_nan=False)

    def test_everything_as_json(self, found):
        record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert record["class that counts"] == "malignant"
        assert record["found"] + record["missed"] == 212
        assert record["measures"]["sensitivity"]["value"] == found.detection.sensitivity.value
        assert len(record["per class"]) == 2

    def test_charts_hold_the_chosen_point(self, found):
        seen = found.detection
        points = {
            "roc": (1 - seen.specificity.value, seen.sensitivity.value),
            "precision-recall": (seen.sensitivity.value, seen.positive_value.value),
            "decision": (found.threshold, seen.net_benefit),
        }
        for kind, (x, y) in points.items():
            for theme in ("light", "dark"):
                held = found.chart(kind, theme=theme).to_dict()["datasets"].values()
                [chosen] = [row for rows in held for row in rows if row.get("name") == "chosen"]
                assert (chosen["x"], chosen["y"]) == pytest.approx((x, y), abs=1e-12)
            assert len(found.curve_frame(kind)) > 20
        with pytest.raises(DataError, match="there is no chart 'pie'"):
            found.chart("pie")

    def test_unknown_classes_are_refused(self, found):
        with pytest.raises(QueryError, match="did you mean 'malignant'"):
            found.of("malignan")


class TestWords:
    def test_counts_come_first(self):
        truth = [0] * 100 + [1] * 100
        chances = np.r_[np.full(96, 0.9), np.full(4, 0.05), np.full(3, 0.9), np.full(97, 0.05)]
        found = decisions_of(unseen(np.column_stack([chances, 1 - chances]), truth), TEN_TO_ONE, "ill")
        assert found_sentence(found, intervals=False) == (
            "Of 100 cases that are ill, 96 are found and 4 are missed. "
            "Of 100 that are not, 3 raise a false alarm."
        )
        assert said(found)[0] == (
            "A miss costs as much as 10 false alarms. So ill is decided from a probability of 9.1% on."
        )
        # 96/200 - 3/200 · (1/11)/(10/11) = 0.4785; for all: 100/200 - 100/200 · 0.1 = 0.45
        assert "worth 47.9 that are ill" in said(found)[3]
        assert "for all is worth 45.0" in said(found)[3]

    def test_almost_all_is_not_all(self):
        truth = [0] * 1000 + [1] * 10
        chances = np.r_[np.full(998, 0.9), np.full(2, 0.1), np.full(10, 0.1)]
        found = decisions_of(unseen(np.column_stack([chances, 1 - chances]), truth), None, "ill")
        assert "Of 1,000 cases that are ill, 998 are found and 2 are missed" in found_sentence(found)

    def test_a_dear_false_alarm(self):
        found = decisions_of(unseen([[0.9, 0.1], [0.2, 0.8]], [0, 1]), {"miss": 1, "false alarm": 4}, "ill")
        assert ratio_sentence(found) == (
            "A false alarm costs as much as 4 misses. So ill is decided from a probability of 80.0% on."
        )

    def test_a_model_of_no_use_is_said(self):
        found = decisions_of(unseen([[0.4, 0.6], [0.6, 0.4]], [0, 1]), None, "ill")
        assert "the model is of no use" in benefit_sentence(found)

    def test_never_decided(self):
        found = decisions_of(unseen([[0.4, 0.6], [0.3, 0.7]], [0, 1]), None, "ill")
        assert "ill is never decided" in " ".join(said(found))


def test_few_rows_are_counted_as_they_are():
    truth = np.array([0] * 4 + [1] * 97)
    chances = np.where(truth == 0, 0.9, 0.1)
    chances[0] = 0.2
    unseen = UnseenRows(("a", "b"), np.arange(101), truth, np.column_stack([chances, 1 - chances]), 101, 4)
    sentence = found_sentence(decisions_of(unseen, label="a"), intervals=False)
    assert sentence.startswith("Of 4 cases that are a, 3 are found and 1 is missed. Of 100 that are not, 0 ")
