"""The page, run by Streamlit's own test harness: what is chosen, what is shown, and what bad input says."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.app.pages.structure import models_to_compare
from pgm_nb.app.shell.fitting import Settings
from pgm_nb.app.widgets.markdown import bold, literal

APP = Path(__file__).parents[4] / "app.py"
HOSTILE = ("<script>alert(1)</script>", "a|b", "$x$", "**bold**", ":smile:", "a -> b", "\\n", '"')


def quiet(app):
    assert not app.exception
    return app


def csv(frame):
    return frame.to_csv(index=False).encode()


def pictures(app):
    shown = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    return [data for data in shown if "stations" not in data]  # the tour is no picture


def picture(app):
    [shown] = pictures(app)
    return shown


def click(app, key):
    """Choose what is under a key, as a click on the picture does."""
    app.session_state["at"] = key
    return quiet(app.run())


def panel(app):
    """All that the page says beside the picture and around it."""
    said = [element.value for element in app.markdown]
    return "\n".join([*said, *(element.proto.body for element in app.get("html"))])


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


def test_opens_on_a_sample_already_learned(harness):
    app = quiet(harness(APP.read_text(encoding="utf-8")).run())
    chosen = {key: app.session_state[key] for key in ("sample", "class", "model", "view")}
    assert chosen == {"sample": "wdbc", "class": "class", "model": "gnb", "view": "tree"}
    assert app.header[0].value == literal("Breast tumours (WDBC)")
    assert app.caption[0].value == literal(
        "569 rows, 30 attributes. class: benign 357, malignant 212. No cell is missing."
    )
    shown = picture(app)
    assert ElementTree.fromstring(shown["svg"]).tag.endswith("svg")
    assert len(shown["labels"]) == 31
    assert shown["alternative"].startswith("Generalized naive Bayes (GNB), family tree: Arrows lead")
    assert not app.error
    assert not app.info


@pytest.mark.parametrize("every", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_in_every_view(every, visit):
    drawn_and_ranked("iris", every, visit)


def test_words_and_seven_classes_in_every_view(kind, visit):
    drawn_and_ranked("zoo", kind, visit)


def drawn_and_ranked(sample, kind, visit):
    X, y = pnb.load_sample(sample)
    model = kind().fit(X, y)
    app = visit(sample=sample, model=kind.about.short_name, details="True")
    for view in model.views_:
        if len(model.views_) > 1:
            quiet(app.radio(key="view").set_value(view).run())
        assert not app.error
        svg = ElementTree.fromstring(picture(app)["svg"])
        drawn = {group.get("data-id") for group in svg.iter("{http://www.w3.org/2000/svg}g")}
        assert set(picture(app)["labels"]) <= drawn
        if kind.about.bins:
            assert metrics(app) == expected_metrics(model)
    shown = app.dataframe[0].value
    ranked = model.importance_
    if model.divergence_ is not None:  # those left out are named above the table
        ranked = ranked[ranked["attribute"].isin(model.trace_.step_numbers())]
        np.testing.assert_array_equal(shown["kl"], ranked["kl"])
    assert shown["attribute"].tolist() == ranked["attribute"].tolist()
    np.testing.assert_array_equal(shown["gain"], ranked["gain"])


def expected_metrics(model):
    found = model.divergence_
    if found is None:
        if model.structure_.type_name not in ("hidden parents", "bags"):
            return {headline.label: headline.value for headline in model.headlines()}
        bags, threshold = model.structure_.weights, getattr(model, "threshold_", None)
        return {
            "Hidden parents": f"{len(bags)} of {model.n_features_in_}",
            "Attributes in each": f"{sum(map(len, bags.values())) / len(bags):.1f}",
            "Threshold": "none" if threshold is None else f"{threshold:.3f} bits",
            "KL divergence": "not defined",
        }
    return {
        "Weight": f"{found.weight:.3f} bits",
        "KL divergence": f"{found.kl:.3f} bits",
        "Above naive Bayes": f"{found.weight - found.weight_naive:.3f} bits",
        "Below the best tree": f"{found.gap:.3f} bits" if found.gap > 1e-9 else "0 bits",
    }


def test_a_click_tells_the_table_the_share_and_why(visit):
    app = click(visit(sample="iris", details="True"), "sepal length")
    model = pnb.GeneralizedNaiveBayes().fit(*pnb.load_sample("iris"))
    row = model.importance_.set_index("attribute").loc["sepal length"]
    assert metrics(app) == {
        "Adds": f"{row['gain']:.3f} bits",
        "Share of the weight": f"{row['gain'] / model.divergence_.weight:.1%}",
    }
    assert "It joined in step 2 of 3 as a child of **petal length**" in panel(app)
    assert "Runners-up in that step" in panel(app)
    given = model.query(["sepal length"], given={"class": "setosa"})
    assert f"{given.iloc[0, -1]:.0%}</td>" in panel(app)
    assert picture(app)["selected"] == "n3"
    assert app.query_params["at"] == "sepal length"
    quiet(app.button(key="back 0").click().run())
    assert "Weight" in metrics(app)
    assert picture(app)["selected"] == ""
    assert "at" not in app.query_params


def test_what_was_clicked_stays_chosen_in_other_views_and_models(visit):
    app = visit(sample="iris", at="sepal length")
    for view, id in {"chordal": "n3", "junction": "c2", "compact": "c2"}.items():
        quiet(app.radio(key="view").set_value(view).run())
        assert picture(app)["selected"] == id
        assert "##### sepal length" in panel(app)
    for kind in pnb.MODELS:
        quiet(app.selectbox(key="model").select(kind.about.short_name).run())
        assert "##### sepal length" in panel(app)
        drawn = any("sepal length" in label for label in picture(app)["labels"].values())
        assert bool(picture(app)["selected"]) == drawn


CLICKS = {
    "cluster: class → petal length → sepal length": ("junction", "A cluster: **class**"),
    "separator: class → petal length": ("junction", "A separator: 2 clusters share these two."),
    "link: petal length → sepal length": (
        "tree",
        "Given the class, **sepal length** depends on **petal length**. They share",
    ),
    "class: class": ("tree", "This is the class, which the model predicts. It has 3 values."),
}


@pytest.mark.parametrize("key", CLICKS)
def test_clusters_separators_and_lines_can_be_clicked(key, visit):
    view, says = CLICKS[key]
    app = visit(sample="iris", view=view, at=key)
    assert says in panel(app)
    assert picture(app)["selected"]


OTHERS = {
    "hnb": ("petal width", "Its hidden parent is a mixture of 3 other attributes"),
    "phnb": ("sepal length", "Shares in its hidden parent"),
    "gaussian": ("petal width", "± spread"),
    "local-pca": ("cluster: setosa 1", "A cluster of rows of **setosa**"),
    "kernel": ("petal width", "of information about the class, the most of 4 attributes."),
}


@pytest.mark.parametrize("model", OTHERS)
def test_every_kind_of_model_tells_about_its_parts(model, visit):
    key, says = OTHERS[model]
    assert says in panel(visit(sample="iris", model=model, at=key, details="True"))


def test_the_main_directions_of_a_cluster(visit):
    app = visit(sample="iris", model="local-pca", at="setosa 1 PC1")
    model = pnb.LocalPCAMixture().fit(*pnb.load_sample("iris"))
    assert metrics(app) == {"Of the spread": f"{model.structure_.clusters[0].explained[0]:.0%}"}
    largest = max(model.structure_.clusters[0].loadings[0], key=abs)
    assert f"{largest:+.2f}</td>" in panel(app)


def test_the_graph_of_a_row(visit):
    app = visit(sample="iris", model="kernel", view="row", row="7")
    X, y = pnb.load_sample("iris")
    graph = pnb.KernelSemiNaiveBayes().fit(X, y).structure_for(X.iloc[[6]])
    assert metrics(app)["Joined here"] == f"{len(graph.joined)} pairs"
    assert "At this row 2 pairs are joined" in panel(app)
    first, second = graph.groups[0]
    click(app, f"cluster: {first} → {second}")
    assert f"In this row, {bold(first)} is {bold(str(X[first].iloc[6]))}" in panel(app)
    assert "With nothing else known" in panel(app)


def test_two_models_side_by_side(visit):
    app = visit(against="tan")
    assert "27 of 29 links between attributes are in both; each has 2 of its own." in panel(app)
    assert "border-top: 3px dashed" in panel(app)
    first, second = pictures(app)
    assert 'class="edge first' in first["svg"]
    assert 'class="edge second' in second["svg"]
    assert "second" not in first["svg"]
    click(app, "worst area")
    assert all(shown["selected"] for shown in pictures(app))
    assert panel(app).count("##### worst area") == 2
    quiet(app.selectbox(key="against").select(None).run())
    assert len(pictures(app)) == 1


def test_a_tree_can_be_compared_with_every_model_that_has_links_of_its_kind(visit):
    app = visit(sample="iris", model="gnb")
    others = models_to_compare(Settings("class", model="gnb"))
    assert {"nb", "tan", "gnb optimal", "hnb"} < {*others}
    for other in others:
        quiet(app.selectbox(key="against").select(other).run())
        assert len(pictures(app)) == 2
        assert not app.error


@pytest.mark.parametrize(
    "model", [kind.about.short_name for kind in pnb.MODELS if not kind.about.links_compare]
)
def test_where_a_comparison_makes_no_sense_none_is_offered(model, visit):
    app = visit(sample="iris", model=model, against="tan")
    assert "against" not in [box.key for box in app.selectbox]
    assert len(pictures(app)) == 1


def test_what_is_not_defined_says_why(visit):
    [kl] = [metric for metric in visit(model="hnb", details="True").metric if metric.label == "KL divergence"]
    assert kl.value == "not defined"
    assert "not a joint distribution" in kl.help


def test_any_attribute_can_be_in_focus(visit):
    app = visit(sample="iris", model="hnb")
    assert app.session_state["focus"] == "petal width"
    before = picture(app)
    quiet(app.selectbox(key="focus").select("sepal width").run())
    assert picture(app)["svg"] != before["svg"]
    assert app.query_params["focus"] == "sepal width"


def test_the_threshold_of_the_bags_can_be_chosen(visit):
    app = visit(sample="iris", model="phnb", threshold="auto", details="True")
    model = pnb.PackagedHiddenNaiveBayes(threshold="auto").fit(*pnb.load_sample("iris"))
    assert metrics(app)["Threshold"] == f"{model.threshold_:.3f} bits"


def test_many_hidden_parents_are_drawn_in_part(visit, upload):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (50, 90)), columns=[f"x{i}" for i in range(90)])
    app = upload(visit(model="phnb"), "wide.csv", csv(frame.assign(**{"class": ["x", "y"] * 25})))
    for view in pnb.Bags.views:
        quiet(app.radio(key="view").set_value(view).run())
        assert len(picture(app)["svg"]) > 1000


@pytest.mark.parametrize(("search", "verdict"), [("greedy", ""), ("exact", "proven best")])
def test_the_best_tree_is_certified(search, verdict, visit):
    app = visit(search=search)
    assert app.metric[-1].delta == verdict


def test_hostile_names_are_shown_as_they_are(visit, upload):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 3, 60) for name in HOSTILE}).assign(
        **{"<b>class</b>": ["x", "y"] * 30}
    )
    app = upload(visit(), "<i>names</i>.csv", csv(frame))
    quiet(app.selectbox(key="class").select("<b>class</b>").run())
    assert set(app.dataframe[0].value["attribute"]) == set(HOSTILE)
    assert app.header[0].value == literal("<i>names</i>.csv")
    for view in pnb.CherryTree.views:
        quiet(app.radio(key="view").set_value(view).run())
        svg = ElementTree.fromstring(picture(app)["svg"])
        assert not [element for element in svg.iter() if element.tag.endswith(("script", "foreignObject"))]
        assert not app.error
    for name in HOSTILE:
        click(app, name)
        assert any(element.value.startswith(f"##### {literal(name)[:4]}") for element in app.markdown)
        assert "<script" not in "".join(element.proto.body for element in app.get("html"))
    for model in (kind.about.short_name for kind in pnb.MODELS):
        quiet(app.selectbox(key="model").select(model).run())
        assert not app.error


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (50, 90)), columns=[f"x{i}" for i in range(90)])
    return csv(frame.assign(**{"class": ["x", "y"] * 25}))


def test_large_structures_are_drawn_in_part(wide, visit, upload):
    app = upload(visit(), "wide.csv", wide)
    for kind in (
        pnb.NaiveBayes,
        pnb.TreeAugmentedNaiveBayes,
        pnb.GeneralizedNaiveBayes,
        pnb.GaussianNaiveBayes,
    ):
        quiet(app.selectbox(key="model").select(kind.about.short_name).run())
        assert app.slider(key="shown").value == 60
        quiet(app.slider(key="shown").set_value(10).run())
        assert not app.error
        assert len(picture(app)["labels"]) == 11
        assert "The picture shows 10 of 90 attributes." in panel(app)
        assert len(app.dataframe[0].value) == 90
        quiet(app.slider(key="shown").set_value(60).run())


def test_a_large_structure_around_one_attribute(wide, visit, upload):
    app = upload(visit(), "wide.csv", wide)
    click(app, "x7")
    quiet(app.button(key="around 0").click().run())
    assert (app.session_state["part"], app.session_state["around"]) == ("around", "x7")
    near = len(picture(app)["labels"])
    assert "+" in picture(app)["svg"]  # links that lead out of the picture
    quiet(app.slider(key="reach").set_value(5).run())
    assert near < len(picture(app)["labels"]) <= 91
    assert "x7" in picture(app)["labels"].values()
    quiet(app.selectbox(key="against").select("tan").run())
    assert all("x7" in shown["labels"].values() for shown in pictures(app))


def test_steps_have_the_numbers_of_the_growth_page(visit):
    app = visit(sample="iris", model="gnb", at="sepal length")
    table = app.dataframe[0].value
    assert table["step"].tolist() == [1, 1, 2, 3]  # the first pair joins in one step
    step = table.set_index("attribute")["step"]["sepal length"]
    assert f"It joined in step {step} of 3" in panel(app)
    model = pnb.GeneralizedNaiveBayes(parameters="generative").fit(*pnb.load_sample("iris"))
    assert pnb.growth(model).story.frames[step - 1].title == "sepal length joins"


def test_a_picture_that_cannot_be_drawn_is_one_sentence_and_the_next_one_is_drawn(visit, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("pgm_nb.views.native._laid_out", os.abort)
        app = visit(sample="seeds", model="tan")
        (error,) = app.error
        assert error.value.startswith("The picture could not be drawn")
    assert not visit(sample="seeds", model="tan").error
