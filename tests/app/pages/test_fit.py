"""The page of the fit: structures on one axis, the chosen one or all of them, and new rows beside them."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

from pgm_nb.app.shell.fitting import AS_CHOSEN, Settings
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.data import load_sample
from pgm_nb.evaluate.fit import held_out_losses
from pgm_nb.evaluate.reliability import calibration
from pgm_nb.models import MODELS

WORK = import_module("pgm_nb.app.shell.work")
JOINT = [kind for kind in MODELS if kind.about.is_joint and not kind.about.own_states]
STRUCTURES = [variant.name for kind in JOINT for variant in kind.about.variants()]
SHARED = {5: (r"4\.77", r"4\.34"), 10: (r"7\.39", r"5\.90")}  # bits of iris in so many intervals
HOSTILE = ("<script>alert(1)</script>", "a.b[0]:c", "$x$", "**bold**", "class_")


@pytest.fixture
def tested(monkeypatch):
    """The names of the models that are tested on new rows, in place of the tests."""
    names, results = [], WORK._Results()

    def note(models, X, y, progress, **options):
        names.append([*models])
        return held_out_losses({"Naive Bayes": models["Naive Bayes"]}, X, y, progress)

    monkeypatch.setattr("pgm_nb.app.pages.fit.held_out_losses", note)
    monkeypatch.setattr(WORK, "_results_kept", lambda: results)  # none from before, none left behind
    yield names
    results.pool.shutdown()


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.about.short_name)
def test_a_visit_learns_the_chosen_model_and_naive_bayes(visit, kind):
    app = visit("fit", sample="iris", model=kind.about.short_name, details="True")
    assert not app.error
    few = dict.fromkeys(["Naive Bayes", kind.about.variants()[0].name])
    assert app.dataframe[0].value["model"].tolist() == [name for name in few if name in STRUCTURES]
    assert "fits" not in app.query_params


@pytest.mark.parametrize(
    ("choices", "names"),
    [
        ({"model": "nb"}, ["Naive Bayes"]),
        ({"model": "aode"}, ["Naive Bayes", "AODE"]),
        ({"model": "gnb", "search": "class", "order": "4"}, ["Naive Bayes", AS_CHOSEN]),
    ],
)
def test_only_these_are_tested_on_new_rows_until_all_are_asked_for(visit, finished, tested, choices, names):
    app = finished(visit("fit", sample="iris", **choices))
    assert tested == [names]
    app = finished(app.button_group(key="fits").set_value("every").run())
    assert app.query_params["fits"] == "every"
    every = {variant.name for kind in MODELS for variant in kind.about.variants()}
    assert set(tested[1]) == every | {*names}
    assert tested[1][0] == "Naive Bayes"


@pytest.mark.parametrize("model", ["nb", "hnb"])
def test_every_structure_whatever_the_model_at_hand(visit, model):
    app = visit("fit", sample="iris", model=model, details="True", fits="every")
    assert not app.error
    [kind] = [kind for kind in MODELS if kind.about.short_name == model]
    bits, at_most = SHARED[kind.about.default_bins]
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
    app = finished(visit("fit", sample="iris", details="True", fits="every"))
    assert any(text.value.startswith("On rows it has not seen") for text in app.markdown)
    assert len(app.get("arrow_vega_lite_chart") or app.get("vega_lite_chart")) == 4
    assert any("are only in this chart" in text.value for text in app.caption)


def test_hostile_names(visit):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice(["<b>x</b>", "y", "*"], 60) for name in HOSTILE})
    frame["class"] = np.where(frame["$x$"] == "*", "=", "<i>")
    app = visit("fit", details="True", fits="every")
    app.file_uploader(key="file").upload("strange.csv", frame.to_csv(index=False).encode()).run()
    assert not app.exception
    assert not app.error
    assert app.dataframe[0].value["model"].tolist() == STRUCTURES


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
    monkeypatch.setattr("pgm_nb.app.pages.fit.MOST_ROWS", 120)
    app = finished(visit("fit", sample="seeds", model="tan"))
    assert any("Judged on 120 rows drawn at random" in text.value for text in app.caption)


def test_a_class_of_one_row_is_left_out(visit, finished):
    frame = pd.DataFrame({"x": ["a", "b"] * 20, "class": ["p", "q"] * 19 + ["p", "once"]})
    app = visit("fit")
    app.file_uploader(key="file").upload("once.csv", frame.to_csv(index=False).encode()).run()
    app = finished(app)
    assert not app.exception


def test_two_rows_are_not_proven_best(visit, upload):
    app = upload(visit("fit", details="True", fits="every"), "two.csv", b"a,b,class\nx,p,ill\ny,q,well\n")
    verdicts = app.dataframe[0].value["verdict"]
    assert "0.000" in set(verdicts)
    assert not verdicts.str.contains("proven").any()
