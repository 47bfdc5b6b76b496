"""The page of the fit: five structures on one axis, whatever the model at hand, and new rows beside them."""

import numpy as np
import pandas as pd
import pytest

from pgm_nb.app.pages.fit import all_models
from pgm_nb.app.shell.fitting import Settings
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.data import load_sample
from pgm_nb.evaluate.reliability import calibration
from pgm_nb.models import MODELS

JOINT = [kind for kind in MODELS if kind.is_joint and not kind.own_states]
STRUCTURES = [variant.name for kind in JOINT for variant in kind.variants()]
SHARED = {5: (r"4\.77", r"4\.34"), 10: (r"7\.39", r"5\.90")}  # bits of iris in so many intervals
HOSTILE = ("<script>alert(1)</script>", "a.b[0]:c", "$x$", "**bold**", "class_")


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.short_name)
def test_the_same_page_for_every_model(visit, kind):
    app = visit("fit", sample="iris", model=kind.short_name, details="True")
    assert not app.error
    bits, at_most = SHARED[kind.default_bins]
    said = rf"The columns share {bits} bits of information\. A tree can capture at most {at_most} of them\,"
    assert app.markdown[0].value.startswith(f"{said} and TAN")
    table = app.dataframe[0].value
    assert table["model"].tolist() == STRUCTURES
    best = table["verdict"] == "0, proven best"
    assert table["model"][best].tolist() == ["TAN", "Best tree (exact)"]
    trees = table[table["model"] != "GNB of order 4"]
    short = trees["weight"].max() - trees["weight"][~best]
    np.testing.assert_allclose(trees["verdict"][~best].astype(float), short, atol=5e-4)
    assert table["verdict"][table["model"] == "GNB of order 4"].item().startswith("at most ")
    np.testing.assert_allclose(table["weight"] + table["kl"], (table["weight"] + table["kl"])[0], rtol=1e-12)
    np.testing.assert_allclose(table["weight"], table["relevance"] + table["dependence"], rtol=1e-12)


def test_new_rows_are_judged_in_the_background(visit, finished):
    app = finished(visit("fit", sample="iris", details="True"))
    assert any(text.value.startswith("On rows it has not seen") for text in app.markdown)
    assert len(app.get("arrow_vega_lite_chart") or app.get("vega_lite_chart")) == 4
    assert any("are only in this chart" in text.value for text in app.caption)


def test_hostile_names(visit):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice(["<b>x</b>", "y", "*"], 60) for name in HOSTILE})
    frame["class"] = np.where(frame["$x$"] == "*", "=", "<i>")
    app = visit("fit", details="True")
    app.file_uploader(key="file").upload("strange.csv", frame.to_csv(index=False).encode()).run()
    assert not app.exception
    assert not app.error
    assert app.dataframe[0].value["model"].tolist() == STRUCTURES


def test_every_model_is_tested():
    assert len(all_models(Settings("class"))) == sum(len(kind.variants()) for kind in MODELS)


def test_reliability_by_how_much_is_known(visit, finished):
    app = finished(visit("fit", sample="iris", model="nb", evidence="half"))
    said = [text.value for text in app.markdown if text.value.startswith("When the model says")]
    assert len(said) == 1
    X, y = load_sample("iris")
    expected = calibration(Settings("class", model="nb").estimator(), X, y)
    assert said == [literal(expected.levels["half"].sentence)]
    app.button_group(key="evidence").set_value("all").run()
    assert any(text.value == literal(expected.levels["all"].sentence) for text in app.markdown)
    assert app.query_params.get("evidence") is None


def test_reliability_of_a_large_table_is_judged_on_a_sample(visit, finished, monkeypatch):
    monkeypatch.setattr("pgm_nb.app.pages.reliability.MOST_ROWS", 120)
    app = finished(visit("fit", sample="seeds", model="tan"))
    assert any("Judged on 120 rows drawn at random" in text.value for text in app.caption)


def test_a_class_of_one_row_is_left_out(visit, finished):
    frame = pd.DataFrame({"x": ["a", "b"] * 20, "class": ["p", "q"] * 19 + ["p", "once"]})
    app = visit("fit")
    app.file_uploader(key="file").upload("once.csv", frame.to_csv(index=False).encode()).run()
    app = finished(app)
    assert not app.exception


def test_two_rows_are_not_proven_best(visit, upload):
    app = upload(visit("fit", details="True"), "two.csv", b"a,b,class\nx,p,ill\ny,q,well\n")
    verdicts = app.dataframe[0].value["verdict"]
    assert "0.000" in set(verdicts)
    assert not verdicts.str.contains("proven").any()
