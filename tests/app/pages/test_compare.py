"""The Compare page."""

import numpy as np

import pgm_nb as pnb
from pgm_nb.app.pages.compare import finding


def test_the_scores_are_those_of_compare(visit, finished):
    app = finished(visit("compare", sample="iris", who=["Naive Bayes", "TAN"]))
    X, y = pnb.load_sample("iris")
    models = {"Naive Bayes": pnb.NaiveBayes(), "TAN": pnb.TreeAugmentedNaiveBayes()}
    expected = pnb.compare(models, X, y, cv=5)
    shown = app.dataframe[0].value
    for score, factor in {"log_loss": 1, "accuracy": 100, "auc": 1, "brier": 1, "ece": 100}.items():
        np.testing.assert_allclose(shown[score], factor * expected.to_frame()[score], rtol=1e-12)
    np.testing.assert_allclose(app.dataframe[1].value["p_holm"], expected.pairs("log_loss")["p_holm"])
    assert app.query_params["who"] == ["Naive Bayes", "TAN"]
    app.radio(key="by").set_value("accuracy").run()
    np.testing.assert_allclose(app.dataframe[1].value["difference"], expected.pairs("accuracy")["difference"])


def test_it_begins_with_a_few(visit):
    app = visit("compare", sample="iris")
    assert app.multiselect(key="who").value == ["Naive Bayes", "TAN", "GNB-A", "Logistic regression"]
    assert app.get("progress") or app.dataframe  # at work, or done already


def test_two_are_needed(visit):
    app = visit("compare", sample="iris", who=["TAN"])
    assert "at least two" in app.info[0].value
    assert not app.dataframe


def test_a_class_too_small_for_the_folds_is_told(visit, finished):
    app = finished(visit("compare", sample="zoo", who=["Naive Bayes", "TAN"], folds="10"))
    assert "every class needs a row in each" in app.error[0].value


def test_who_leads_is_said():
    X, y = pnb.load_sample("iris")
    models = {"Naive Bayes": pnb.NaiveBayes(), "Broken": pnb.NaiveBayes(smoothing=None)}
    result = pnb.compare(models, X, y, cv=5)
    assert finding(result).startswith("Naive Bayes predicts best")
    assert "Broken" in finding(result)
