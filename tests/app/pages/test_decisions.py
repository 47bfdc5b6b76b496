"""The Decisions page: what it says is what is counted on unseen rows, and the address holds the choices."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.evaluate.deciding import found_sentence, ratio_sentence


def text_of(app):
    return " ".join(text.value for text in app.markdown)


def test_the_numbers_are_those_of_decisions(visit, finished):
    app = finished(visit("decisions", sample="wdbc", model="gaussian", miss="10"))
    expected = pnb.decisions(
        pnb.GaussianNaiveBayes(), *pnb.load_sample("wdbc"), {"miss": 10, "false alarm": 1}, cv=5
    )
    assert app.selectbox(key="counts").value == "malignant"
    assert literal(ratio_sentence(expected)) in text_of(app)
    assert literal(found_sentence(expected, intervals=False)) in text_of(app)
    np.testing.assert_array_equal(app.dataframe[0].value.iloc[:, 1:], expected.confusion)
    assert app.dataframe[1].value["Rows"].tolist()[0] == (
        f"{expected.detection.found} of {expected.detection.found + expected.detection.missed}"
    )
    assert len(app.dataframe) == 2  # two classes: the other one is the same table turned round


def test_choices_are_in_the_address(visit, finished):
    app = finished(visit("decisions", sample="iris", model="gaussian"))
    assert "miss" not in app.query_params
    app.number_input(key="cost of miss").set_value(4.0).run()
    assert app.query_params["miss"] in ("4", ["4"])
    assert literal("from a probability of 20.0% on") in text_of(app)
    app.selectbox(key="counts").set_value("setosa").run()
    assert app.query_params["counts"] in ("setosa", ["setosa"])
    assert "setosa is decided" in text_of(app)
    app.number_input(key="cost of miss").set_value(1.0).run()
    assert "miss" not in app.query_params
    assert app.dataframe[2].value["class"].tolist() == ["setosa", "versicolor", "virginica"]


@pytest.mark.parametrize("cost", ["-1", "many", "nan", "0", "1e9"])
def test_a_strange_cost_is_ignored(visit, cost):
    app = visit("decisions", sample="iris", model="gaussian", miss=cost)
    assert app.number_input(key="cost of miss").value == 1.0


def test_many_rows_are_drawn_with_a_sentence(visit, finished, monkeypatch):
    monkeypatch.setattr("pgm_nb.app.shell.fitting.MOST_ROWS", 60)
    app = finished(visit("decisions", sample="seeds", model="gaussian"))
    assert any("60 of 210 rows" in caption.value for caption in app.caption)


def test_of_many_classes_the_worst_found_come_first_and_the_rest_is_folded(visit, upload, finished):
    code = np.arange(240) % 12
    frame = pd.DataFrame({"a": code % 4, "b": code // 4 * (np.arange(240) % 5 > 0), "class": code})
    app = finished(upload(visit("decisions", model="nb"), "many.csv", frame.to_csv(index=False).encode()))
    assert [e.label for e in app.expander if "classes" in e.label] == [
        "All 12 classes, across what is decided",
        "The other 4 classes",
    ]
    first, rest = (table.value for table in app.dataframe if "sensitivity" in table.value)
    assert len(first) == 8
    rates = [*first["sensitivity"], *rest["sensitivity"]]
    assert rates == sorted(rates)


def test_a_class_of_one_row_gets_a_sentence(visit, upload, finished):
    frame = pd.DataFrame({"a": [1, 2, 1, 2, 1], "class": ["p", "q", "p", "q", "r"]})
    app = finished(upload(visit("decisions"), "small.csv", frame.to_csv(index=False).encode()))
    assert "'r' has 1 row" in app.error[0].value.replace("\\", "")


def test_hostile_names(visit, upload, finished):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"<b>a</b>": rng.choice(["x", "$y$"], 60)})
    frame["class"] = np.where(frame["<b>a</b>"] == "x", "**ill** $a$", "<i>well</i>")
    app = finished(upload(visit("decisions"), "strange.csv", frame.to_csv(index=False).encode()))
    assert not app.error
    assert literal("**ill** $a$") in text_of(app) or literal("<i>well</i>") in text_of(app)
