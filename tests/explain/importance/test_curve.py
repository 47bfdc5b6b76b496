import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold

import pgm_nb as pnb
from pgm_nb.errors import DataError
from pgm_nb.explain.importance.curve import ImportanceCurve
from pgm_nb.scoring.metrics import CURVE_METRICS


class TestCurve:
    def test_every_size_is_the_model_of_that_size(self, three_classes, by_scikit_learn):
        X, y = three_classes
        cv = StratifiedKFold(3, shuffle=True, random_state=1)
        curve = pnb.importance_curve(pnb.GeneralizedNaiveBayes(parameters="generative"), X, y, cv=cv)
        codes = np.unique(y, return_inverse=True)[1]
        for fold, (train, test) in enumerate(cv.split(X, y)):
            for clusters in (1, 2, 4):
                small = pnb.GeneralizedNaiveBayes(max_clusters=clusters, parameters="generative")
                small.fit(X.iloc[train], y.iloc[train])
                expected = by_scikit_learn(small.predict_proba(X.iloc[test]), codes[test])
                assert curve.folds[fold, clusters + 1] == pytest.approx(expected, abs=1e-9)

    def test_nothing_known_is_the_prior(self, three_classes):
        curve = pnb.importance_curve(pnb.NaiveBayes(), *three_classes, cv=3)
        assert curve.mean[0, CURVE_METRICS.index("auc")] == pytest.approx(0.5)
        assert curve.mean.shape == (6, 6)

    @pytest.mark.parametrize("model", [pnb.TreeAugmentedNaiveBayes(smoothing=None), pnb.HiddenNaiveBayes()])
    def test_the_last_size_is_the_whole_model(self, model, three_classes, by_scikit_learn):
        X, y = three_classes
        cv = KFold(3, shuffle=True, random_state=0)
        curve = pnb.importance_curve(model, X, y, cv=cv)
        train, test = next(cv.split(X))
        fitted = clone(model).fit(X.iloc[train], y.iloc[train])
        codes = np.unique(y, return_inverse=True)[1]
        posterior = fitted.predict_proba(X.iloc[test]).round(13)  # rounding would break ties
        expected = by_scikit_learn(posterior / posterior.sum(axis=1, keepdims=True), codes[test])
        assert curve.folds[0, -1] == pytest.approx(expected, abs=1e-9)

    def test_best_and_smallest_by_hand(self):
        log_loss = np.array([[0.9, 0.5, 0.4, 0.42], [0.9, 0.4, 0.3, 0.30], [0.9, 0.39, 0.35, 0.36]])
        values = np.zeros((3, 4, 6))
        values[:, :, 5] = log_loss
        values[:, :, 0] = [0.5, 0.8, 0.9, 0.9]
        curve = ImportanceCurve(("a", "b", "c"), "attributes", "", values, 3)
        # means .9 .43 .35 .36; standard error at the best: .05 / sqrt(3) = .0289
        assert curve.standard_error[2, 5] == pytest.approx(0.05 / np.sqrt(3))
        assert curve.best["log_loss"] == 2
        assert curve.smallest["log_loss"] == 2
        assert curve.best["accuracy"] == curve.smallest["accuracy"] == 2  # of equals the smaller
        wide = values.copy()
        wide[:, 2, 5] = [0.5, 0.2, 0.35]  # now .35 with error .0866: .43 is within
        assert ImportanceCurve(("a", "b", "c"), "attributes", "", wide, 3).smallest["log_loss"] == 1

    def test_repeats_add_no_certainty(self, three_classes):
        curve = pnb.importance_curve(pnb.NaiveBayes(), *three_classes, cv="4x3")
        assert curve.folds.shape[0] == 12
        assert curve.standard_error == pytest.approx(curve.folds.std(axis=0, ddof=1) / np.sqrt(3))

    def test_any_number_of_processes_gives_the_same(self, three_classes):
        one, two = (
            pnb.importance_curve(pnb.NaiveBayes(), *three_classes, cv=2, n_jobs=jobs) for jobs in (1, 2)
        )
        assert (one.folds == two.folds).all()

    def test_progress_is_told_and_can_cancel(self, three_classes):
        told = []
        pnb.importance_curve(pnb.NaiveBayes(), *three_classes, cv=4, progress=told.append)
        assert told == [0.25, 0.5, 0.75, 1.0]

        def stop(_fraction):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            pnb.importance_curve(pnb.NaiveBayes(), *three_classes, progress=stop)

    def test_the_table(self, wdbc):
        curve = pnb.importance_curve(pnb.GeneralizedNaiveBayes(), *wdbc, cv=3)
        table = curve.to_frame()
        assert table["attributes"].tolist() == list(range(31))
        fitted = pnb.GeneralizedNaiveBayes().fit(*wdbc)
        assert table["part"].tolist()[1:] == fitted.importance_["attribute"].tolist()
        assert table["log_loss"].idxmin() == curve.best["log_loss"]
        assert curve.positive == "malignant"

    def test_a_shorter_fold_keeps_its_last_score(self):
        from pgm_nb.explain.importance.curve import _of_one_length

        stacked = _of_one_length([np.array([[1.0], [2.0]]), np.array([[3.0], [4.0], [5.0]])])
        assert stacked[:, :, 0].tolist() == [[1, 2, 2], [3, 4, 5]]


class TestRefused:
    def test_too_many_folds(self, three_classes):
        X, _ = three_classes
        with pytest.raises(DataError, match="'low' has 1 row: merge the class"):
            pnb.importance_curve(pnb.NaiveBayes(), X[:6], ["low", *["mid"] * 5])

    def test_other_estimators(self, three_classes):
        with pytest.raises(
            DataError, match="needs a model of pgm_nb, but was given an object of type LogisticRegression"
        ):
            pnb.importance_curve(LogisticRegression(), *three_classes)

    def test_a_training_fold_without_a_class(self, three_classes):
        X, y = three_classes
        low = np.flatnonzero(y == "low")
        rest = np.flatnonzero(y != "low")
        with pytest.raises(DataError, match="no row of class low"):
            pnb.importance_curve(pnb.NaiveBayes(), X, y, cv=[(rest, low), (low, rest)])

    def test_lengths(self, three_classes):
        X, y = three_classes
        with pytest.raises(DataError, match="300 rows and there are 10 labels"):
            pnb.importance_curve(pnb.NaiveBayes(), X, y[:10])
