"""The Compare page."""

import numpy as np

import pgm_nb as pnb
from pgm_nb.app.shell import fitting as tested_rows
from pgm_nb.evaluate.comparison import finding, verdicts


def test_the_scores_are_those_of_compare(visit, finished):
    app = finished(visit("compare", sample="iris", who=["Naive Bayes", "TAN"], details="True"))
    X, y = pnb.load_sample("iris")
    models = {"Naive Bayes": pnb.NaiveBayes(), "TAN": pnb.TreeAugmentedNaiveBayes()}
    expected = pnb.compare(models, X, y, cv=5)
    shown = app.dataframe[0].value
    for score, factor in {"log_loss": 1, "accuracy": 100, "auc": 1, "brier": 1, "ece": 100}.items():
        np.testing.assert_allclose(shown[score], factor * expected.to_frame()[score], rtol=1e-12)
    assert [*shown["best"]] == ["★" if name == expected.best() else "" for name in shown["model"]]
    pairs = app.dataframe[2].value
    np.testing.assert_allclose(pairs["p_holm"], expected.pairs("log_loss")["p_holm"])
    said = app.dataframe[1].value
    assert said["verdict"].tolist() == verdicts(expected)["verdict"].tolist()
    assert any(caption.value.startswith("p says how often") for caption in app.caption)
    assert app.query_params["who"] == ["Naive Bayes", "TAN"]
    app.radio(key="by").set_value("accuracy").run()
    pairs = app.dataframe[2].value
    np.testing.assert_allclose(pairs["difference"], expected.pairs("accuracy")["difference"])


def test_it_begins_with_a_few(visit):
    app = visit("compare", sample="iris")
    assert app.multiselect(key="who").value == ["Naive Bayes", "TAN", "GNB-A", "Logistic regression"]
    assert app.get("progress") or app.dataframe  # at work, or done already


def test_the_model_on_the_left_is_compared(visit):
    app = visit("compare", sample="iris", model="kdb", select="selected")
    few = ["Naive Bayes", "TAN", "GNB-A", "SKDB", "Logistic regression"]
    assert app.multiselect(key="who").value == few
    assert "who" not in app.query_params


def test_choices_that_no_other_has_are_compared_as_they_are(visit, finished):
    app = finished(visit("compare", sample="iris", model="gnb", search="class", order="4"))
    few = ["As chosen on the left", "Naive Bayes", "TAN", "GNB-A", "Logistic regression"]
    assert app.multiselect(key="who").value == few
    X, y = pnb.load_sample("iris")
    expected = pnb.compare({"one": pnb.GeneralizedNaiveBayes(search="class", order=4)}, X, y, cv=5).to_frame()
    shown = app.dataframe[0].value.set_index("model")
    assert shown.loc[few[0], "accuracy"] == 100 * expected["accuracy"].iloc[0]


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


def test_a_large_table_is_tested_on_a_part_unless_all_is_asked_for(visit, finished, monkeypatch):
    monkeypatch.setattr(tested_rows, "MOST_ROWS", 100)
    app = finished(visit("compare", sample="iris", who=["Naive Bayes", "TAN"], details="True"))
    said = [caption.value for caption in app.caption if "drawn at random" in caption.value]
    assert "99 of 150 rows" in said[0]
    assert "To test all rows" in said[0]
    app = finished(app.radio(key="tested").set_value("all").run())
    assert app.query_params["tested"] == "all"
    assert not [caption for caption in app.caption if "drawn at random" in caption.value]
