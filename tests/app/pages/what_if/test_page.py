"""The page of questions: evidence in and out of the address, and one probability wherever it is shown."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.models import MODELS
from pgm_nb.words import probability

HOSTILE = ("<script>alert(1)</script>", "a=b", "$x$", "**bold**", ":smile:", "a -> b")


def sentence(app):
    [code] = app.code
    return code.value


def boxes(app, key="monitors"):
    """The states and shares that the component of this name is given."""
    for element in app.get("bidi_component"):
        data = json.loads(element.proto.json)
        if data.get("large") == (key == "classes"):
            return {box["name"]: box for box in data["boxes"]}
    raise AssertionError(f"no {key}")


def button(app, label):
    [found] = [button for button in app.button if button.label == label]
    return found


def test_opens_with_nothing_known(visit):
    app = visit("what_if")
    assert "Nothing is known yet" in app.markdown[0].value
    assert sentence(app) == "P(class = benign) = 62.7%"
    assert button(app, "Reset").disabled
    assert button(app, "Undo").disabled
    assert not app.query_params
    assert next(iter(boxes(app))) == "worst perimeter"  # the one to measure first


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_says_one_probability_everywhere(visit, kind):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    app = visit("what_if", sample="iris", model=kind.about.short_name, case="78", given=[
        f"{name}={value}" for name, value in X.iloc[77].items()
    ])  # fmt: skip
    shown = model.predict_proba(X.iloc[[77]])[0]
    best = int(shown.argmax())
    assert sentence(app).startswith(f"P(class = {model.classes_[best]} | ")
    assert sentence(app).endswith(f"= {probability(shown[best])}")
    assert boxes(app, "classes")["class"]["numbers"] == [probability(p) for p in shown]
    assert f"**{probability(shown[best])}**" in app.markdown[0].value
    [why] = [text.value for text in app.markdown if text.value.startswith("The bars start with how common")]
    assert why.endswith(f"**{probability(shown[best])}**.")
    [truth] = [text.value for text in app.markdown if text.value.startswith("In the table")]
    assert truth == "In the table, row 78 is **versicolor**."
    has_bars = kind.about.predicts_attributes
    assert all((box["shares"] is not None) == has_bars for box in boxes(app).values())
    assert any("predicts the class but not the attributes" in text.value for text in app.caption) == (
        not has_bars
    )
    assert not app.error


def test_a_value_is_typed_changed_and_forgotten(visit, labelled):
    app = visit("what_if", sample="iris", model="tan", attribute="petal width")
    app.number_input(key="value of petal width").set_value(1.6).run()
    assert app.query_params["given"] == "petal width=1.6"
    model = pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris"))
    expected = model.query("class", given={"petal width": 1.6})["probability"].max()
    assert sentence(app).endswith(probability(expected))
    app.number_input(key="value of petal width").set_value(0.2).run()
    assert app.query_params["given"] == "petal width=0.2"
    button(app, "Undo").click().run()
    assert app.query_params["given"] == "petal width=1.6"
    assert labelled(app.number_input, "Value").value == 1.6
    labelled(app.number_input, "Value").set_value(None).run()
    assert "given" not in app.query_params
    assert sentence(app).endswith(") = 33.3%")


def test_words_are_picked(visit):
    app = visit("what_if", sample="zoo", model="nb", attribute="hair")
    app.selectbox(key="value of hair").select("yes").run()
    assert app.query_params["given"] == "hair=yes"
    assert boxes(app)["hair"]["chosen"] == 1
    assert boxes(app)["hair"]["numbers"] == ["0.0%", "100.0%"]


def test_a_case_of_the_table_fills_in_everything(visit, labelled):
    app = visit("what_if", sample="heart", model="gnb")
    app.number_input(key="row").set_value(3).run()
    X, y = pnb.load_sample("heart")
    assert (
        len(
            app.query_params.get_all("given")
            if hasattr(app.query_params, "get_all")
            else app.query_params["given"]
        )
        == X.shape[1]
    )
    assert app.query_params["case"] == "3"
    model = pnb.GeneralizedNaiveBayes().fit(X, y)
    assert sentence(app).endswith(probability(model.predict_proba(X.iloc[[2]]).max()))
    [truth] = [text.value for text in app.markdown if text.value.startswith("In the table")]
    assert truth == f"In the table, row 3 is **{y.iloc[2]}**."
    labelled(app.button_group, "Known").set_value(list(X.columns[:-1])).run()
    assert any(text.value.endswith("; 1 value changed since.") for text in app.markdown)
    button(app, "Reset").click().run()
    assert not {"given", "case"} & set(app.query_params)


def test_evidence_survives_another_model_and_another_page(visit):
    app = visit("what_if", sample="iris", model="nb", given="petal width=1.6")
    app.selectbox(key="model").select("gaussian").run()
    assert app.query_params["given"] == "petal width=1.6"
    model = pnb.GaussianNaiveBayes().fit(*pnb.load_sample("iris"))
    row = pd.DataFrame({name: [np.nan] for name in model.attribute_names_}).assign(**{"petal width": 1.6})
    assert sentence(app).endswith(probability(model.predict_proba(row).max()))


def test_evidence_of_another_table_is_dropped(visit):
    app = visit(
        "what_if", sample="iris", given=["petal width=1.6", "hair=yes", "petal width", "class=setosa"]
    )
    assert app.query_params["given"] == "petal width=1.6"
    app.selectbox(key="sample").select("zoo").run()
    assert "given" not in app.query_params


def test_what_to_measure_next(visit):
    app = visit("what_if", sample="iris", model="gnb", given="petal width=1.6", details="True")
    model = pnb.GeneralizedNaiveBayes().fit(*pnb.load_sample("iris"))
    ranked = model.next_best(given={"petal width": 1.6})
    shown = [button for button in app.button if (button.key or "").startswith("next ")]
    assert [button.key for button in shown] == [f"next {name}" for name in ranked["attribute"]]
    assert shown[0].label.endswith(f"{ranked['information'][0]:.3f}\N{NO-BREAK SPACE}bits")
    shown[0].click().run()
    assert app.session_state["attribute"] == ranked["attribute"][0]


def test_odd_evidence_gets_a_sentence(visit):
    app = visit("what_if", model="tan", given=["worst radius=30", "worst area=200"])
    assert "No row has these values together" in app.warning[0].value
    assert "hardly go together" in app.warning[1].value
    app = visit("what_if", sample="iris", model="gaussian", given="petal width=1e200")
    assert "is out of range: the rows have 0.1 to 2.5" in app.warning[0].value.replace("\\", "")
    assert "far from those of every class" in app.warning[1].value


def test_the_answer_says_how_sure_it_is(visit):
    app = visit("what_if", sample="zoo", model="nb", given="feathers=yes")
    (said,) = [text.value for text in app.caption if "such rows" in text.value]
    assert said.replace("\\", "").startswith("20 of 20 such rows are bird.")
    assert "90% credible" in said
    app = visit("what_if", sample="iris", model="gaussian", given="petal width=1.6")
    (said,) = [text.value for text in app.caption if "such rows" in text.value]
    assert "90% credible" in said
    app = visit("what_if", sample="iris", model="kernel", given="petal width=1.6")
    (said,) = [text.value for text in app.caption if "such rows" in text.value]
    assert "has no credible interval" in said
    app = visit("what_if", sample="zoo", model="nb", given=["legs=3", "hair=yes"])
    assert not app.warning  # legs=3 is no value of the table at all
    assert app.query_params["given"] == "hair=yes"


def test_a_value_that_the_model_lacks_is_kept_and_said(visit):
    app = visit("what_if", sample="iris", without="petal width", given=["petal width=1.6", "petal length=5"])
    assert "cannot use the value of petal width" in app.warning[0].value
    assert app.query_params["given"] == ["petal width=1.6", "petal length=5"]


def test_hostile_names_and_empty_cells(visit):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice(["<b>x</b>", "y=z", "*"], 60) for name in HOSTILE})
    frame.loc[:9, "a=b"] = None
    frame["class"] = np.where(frame["$x$"] == "*", "=", "<i>")
    app = visit("what_if")
    file = io.BytesIO(frame.to_csv(index=False).encode())
    app.file_uploader(key="file").upload("strange.csv", file.getvalue()).run()
    app.selectbox(key="class").select("class").run()
    assert not app.exception
    app.number_input(key="row").set_value(1).run()
    assert not app.exception
    assert not app.error
    assert r"a\=b=missing" in app.query_params["given"]
    assert set(boxes(app)) == set(HOSTILE)


def test_the_nomogram_is_that_of_naive_bayes(visit):
    app = visit("what_if", sample="iris", model="nb", given="petal width=1.6")
    [image] = [element.proto.body for element in app.get("html") if "<img" in element.proto.body]
    assert 'alt="Nomogram of virginica against versicolor"' in image
    app = visit("what_if", sample="iris", model="tan", given="petal width=1.6")
    assert not any("<img" in element.proto.body for element in app.get("html"))


class TestOtherEvidence:
    def test_a_range_is_set_and_shown(self, visit):
        app = visit("what_if", sample="iris", model="nb", parameters="generative", attribute="petal width")
        app.selectbox(key="kind").select("is between").run()
        app.number_input(key="low of petal width").set_value(1.8).run()
        assert "given" not in app.query_params
        app.number_input(key="high of petal width").set_value(1.2).run()
        assert app.query_params["given"] == "petal width=1.2..1.8"
        model = pnb.NaiveBayes(parameters="generative").fit(*pnb.load_sample("iris"))
        chances = model.query("class", given={"petal width": pnb.between(1.2, 1.8)})["probability"]
        assert sentence(app).endswith(f"| petal width is between 1.2 and 1.8) = {probability(chances.max())}")
        assert boxes(app)["petal width"]["value"] == "between 1.2 and 1.8"
        app.selectbox(key="kind").select("is above").run()
        app.number_input(key="end of petal width").set_value(1.5).run()
        assert app.query_params["given"] == "petal width>1.5"

    def test_words_are_chosen_ruled_out_and_weighed(self, visit, labelled):
        app = visit("what_if", sample="zoo", model="nb", parameters="generative", attribute="legs")
        app.selectbox(key="kind").select("is one of").run()
        app.multiselect(key="values of legs").set_value(["2", "4"]).run()
        assert app.query_params["given"] == "legs=2|4"
        app.selectbox(key="kind").select("is not").run()
        labelled(app.multiselect, "Values").set_value(["0"]).run()
        assert app.query_params["given"] == "legs!=0"
        app.selectbox(key="kind").select("is perhaps").run()
        app.slider(key="likelihood of 2 of legs").set_value(0.5).run()
        assert app.query_params["given"].startswith("legs=0:1|2:0.5|4:1")
        button(app, "Undo").click().run()
        assert app.query_params["given"] == "legs!=0"

    def test_what_the_column_cannot_have_is_ignored(self, visit):
        app = visit("what_if", sample="zoo", given=["hair=1..2", "legs=2|77", "hair!=yes"])
        assert app.query_params["given"] == "hair!=yes"


def test_many_classes_are_folded(visit, upload):
    letters = "".join(f"{i % 5},{i % 3},{chr(65 + i % 26)}\n" for i in range(260))
    app = upload(
        visit("what_if", model="nb", class_="letter"), "letters.csv", f"a,b,letter\n{letters}".encode()
    )
    app.selectbox(key="class").select("letter").run()
    assert any(found.label.startswith("20 other classes, together ") for found in app.expander)
