"""The base rate on What if: the answer follows, and the address holds it."""

import pandas as pd
import pytest

import pgm_nb as pnb


@pytest.mark.parametrize("model", ["nb", "gaussian"])
def test_the_answer_follows(visit, model):
    app = visit(
        "what_if", sample="wdbc", model=model, given="worst radius=17",
        prior=["benign=0.99", "malignant=0.01"],
    )  # fmt: skip
    assert not app.error
    X, y = pnb.load_sample("wdbc")
    kind = next(kind for kind in pnb.MODELS if kind.about.short_name == model)
    row = pd.DataFrame([{"worst radius": 17.0}], columns=X.columns)
    found = kind().fit(X, y).predict_proba(row, prior={"benign": 0.99, "malignant": 0.01})
    assert any(f"**{found.max():.1%}**" in text.value for text in app.markdown)
    assert app.number_input(key="base rate of malignant").value == pytest.approx(1.0)
    assert any(caption.value.startswith("In the table, ") for caption in app.caption)


def test_it_is_set_and_taken_back(visit):
    app = visit("what_if", sample="wdbc", model="nb")
    before = app.markdown[0].value
    app.number_input(key="base rate of malignant").set_value(20.0).run()
    assert app.query_params["prior"] == ["benign=0.8", "malignant=0.2"]
    assert "**80.0%**" in app.markdown[0].value
    next(button for button in app.button if button.label == "As in the table").click().run()
    assert "prior" not in app.query_params
    assert app.markdown[0].value == before


def test_one_of_three_classes(visit):
    app = visit("what_if", sample="iris", model="nb")
    app.number_input(key="base rate of setosa").set_value(50.0).run()
    assert app.query_params["prior"] == ["setosa=0.5", "versicolor=0.25", "virginica=0.25"]
    assert "setosa" in app.markdown[0].value
    assert "**50.0%**" in app.markdown[0].value


def test_half_a_population_is_ignored(visit):
    app = visit("what_if", sample="wdbc", model="nb", prior=["malignant=0.01", "x=0.5"])
    assert "prior" not in app.query_params
    assert app.number_input(key="base rate of malignant").value == pytest.approx(37.26, abs=0.5)
