"""The page, run by Streamlit's own test harness: what is chosen, what is shown, and what bad input says."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import pgm_nb as pnb
from pgm_nb.app.words import literal
from pgm_nb.models import TABLE_MODELS

APP = Path(__file__).parents[2] / "app.py"
HOSTILE = ("<script>alert(1)</script>", "a|b", "$x$", "**bold**", ":smile:", "a -> b", "\\n", '"')


@pytest.fixture(autouse=True)
def _started_without_a_file(monkeypatch):
    monkeypatch.delenv("PGM_NB_DATA", raising=False)
    monkeypatch.delenv("PGM_NB_CLASS", raising=False)


def visit(**choices):
    app = AppTest.from_file(str(APP), default_timeout=60)
    for key, value in choices.items():
        app.query_params[key.rstrip("_")] = value
    return quiet(app.run())


def quiet(app):
    assert not app.exception
    return app


def upload(app, name, content):
    return quiet(app.file_uploader(key="file").upload(name, content).run())


def csv(frame):
    return frame.to_csv(index=False).encode()


def image(app):
    [html] = [element.proto.body for element in app.get("html") if "<img" in element.proto.body]
    return html


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


def choices(app):
    return {key: app.session_state[key] for key in ("sample", "class", "model", "view")}


def test_opens_on_a_sample_already_learned():
    app = visit()
    assert choices(app) == {"sample": "wdbc", "class": "class", "model": "gnb", "view": "tree"}
    assert app.header[0].value == literal("Breast tumours (WDBC)")
    assert app.caption[0].value == literal(
        "569 rows, 30 attributes. class: benign 357, malignant 212. No cell is missing."
    )
    assert "data:image/svg+xml" in image(app)
    assert not app.error
    assert not app.info


@pytest.mark.parametrize("sample", ["iris", "house_votes"])
@pytest.mark.parametrize("kind", TABLE_MODELS, ids=lambda kind: kind.short_name)
def test_every_model_in_every_view(sample, kind):
    X, y = pnb.load_sample(sample)
    model = kind().fit(X, y)
    for view in model.structure_.views:
        app = visit(sample=sample, model=kind.short_name, view=view)
        assert not app.error
        assert len(model.structure_.views) == 1 or app.session_state["view"] == view
        assert "<img" in image(app)
        assert metrics(app) == expected_metrics(model)
    shown = app.dataframe[0].value
    assert shown["attribute"].tolist() == model.importance_["attribute"].tolist()
    np.testing.assert_array_equal(shown["gain"], model.importance_["gain"])
    if model.divergence_ is not None:
        np.testing.assert_array_equal(shown["kl"], model.importance_["kl"])


def expected_metrics(model):
    found = model.divergence_
    if found is None:
        bags = model.structure_.weights
        threshold = getattr(model, "threshold_", None)
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


def test_what_is_not_defined_says_why():
    [kl] = [metric for metric in visit(model="hnb").metric if metric.label == "KL divergence"]
    assert kl.value == "not defined"
    assert "no joint distribution" in kl.help


def test_any_attribute_can_be_in_focus():
    app = visit(sample="iris", model="hnb")
    assert app.session_state["focus"] == "petal width"
    before = image(app)
    quiet(app.selectbox(key="focus").select("sepal width").run())
    assert image(app) != before
    assert app.query_params["focus"] == "sepal width"


def test_the_threshold_of_the_bags_can_be_chosen():
    app = visit(sample="iris", model="phnb", threshold="auto")
    model = pnb.PackagedHiddenNaiveBayes(threshold="auto").fit(*pnb.load_sample("iris"))
    assert metrics(app)["Threshold"] == f"{model.threshold_:.3f} bits"


def test_many_hidden_parents_are_drawn_in_part():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (50, 90)), columns=[f"x{i}" for i in range(90)])
    app = upload(visit(model="phnb"), "wide.csv", csv(frame.assign(**{"class": ["x", "y"] * 25})))
    for view in pnb.Bags.views:
        quiet(app.radio(key="view").set_value(view).run())
        assert "<img" in image(app)


@pytest.mark.parametrize(("search", "verdict"), [("greedy", ""), ("exact", "proven best")])
def test_the_best_tree_is_certified(search, verdict):
    app = visit(search=search)
    assert app.metric[-1].delta == verdict


def test_a_link_restores_what_was_chosen():
    app = visit(
        sample="heart", class_="ST slope", model="gnb", search="exact", view="compact", bins="uniform",
        groups="4", without=["age", "sex"], size="full",
    )  # fmt: skip
    state = app.session_state
    assert (state["sample"], state["class"], state["search"], state["view"]) == (
        "heart", "ST slope", "exact", "compact",
    )  # fmt: skip
    assert (state["bins"], state["groups"], state["without"]) == ("uniform", 4, ["age", "sex"])
    assert not {"age", "sex", "ST slope"} & set(app.dataframe[0].value["attribute"])
    assert app.query_params["without"] == ["age", "sex"]
    assert app.query_params["groups"] == "4"


def test_unknown_words_in_a_link_are_ignored():
    app = visit(
        sample="../../etc/passwd", class_="nobody", model="magic", search="", view="4d", bins="x",
        groups="-3", without="nothing", missing="?", size="0", shown="1e9", other="<script>",
    )  # fmt: skip
    assert not app.error
    assert choices(app) == {"sample": "wdbc", "class": "class", "model": "gnb", "view": "tree"}
    assert "other" not in app.query_params


def test_choices_go_into_the_address():
    app = visit()
    assert not app.query_params  # nothing chosen, nothing to say
    quiet(app.selectbox(key="model").select("tan").run())
    assert app.query_params["model"] == "tan"
    quiet(app.selectbox(key="sample").select("zoo").run())
    assert app.query_params["sample"] == "zoo"
    quiet(app.selectbox(key="model").select("gnb").run())
    assert dict(app.query_params) == {"sample": "zoo"}


def test_going_back_restores_what_was_chosen():
    app = visit(sample="zoo", model="tan")
    quiet(app.selectbox(key="model").select("nb").run())
    app.query_params["model"] = "tan"  # what the Back button does
    assert quiet(app.run()).session_state["model"] == "tan"
    app.query_params.clear()
    assert choices(quiet(app.run())) == {"sample": "wdbc", "class": "class", "model": "gnb", "view": "tree"}


def test_a_click_beats_an_address_that_lags_behind():
    app = visit(sample="zoo", model="tan")
    app.query_params["model"] = "gnb"
    quiet(app.selectbox(key="model").select("nb").run())
    assert app.query_params["model"] == "nb"


def test_an_upload_is_shown_at_once_and_stays_a_choice():
    frame = pd.DataFrame(
        {"age": [30, 40, 50, 60] * 5, "sex": ["f", "m"] * 10, "outcome": ["ill", "well"] * 10}
    )
    app = upload(visit(), "patients.csv", csv(frame))
    assert app.header[0].value == literal("patients.csv")
    assert app.session_state["class"] == "outcome"
    assert set(app.dataframe[0].value["attribute"]) == {"age", "sex"}
    quiet(app.selectbox(key="class").select("sex").run())
    assert set(app.dataframe[0].value["attribute"]) == {"age", "outcome"}
    quiet(app.selectbox(key="sample").select("iris").run())
    assert app.header[0].value == literal("Iris flowers")
    quiet(app.selectbox(key="sample").select("upload").run())
    assert app.header[0].value == literal("patients.csv")


def test_the_same_name_with_other_content_is_another_table():
    frame = pd.DataFrame({"a": ["x", "y"] * 4, "class": ["p", "q"] * 4})
    first = upload(visit(), "table.csv", csv(frame))
    second = upload(visit(), "table.csv", csv(frame.assign(a=["x", "x", "y", "y"] * 2)))
    assert metrics(first)["Weight"] == "1.000 bits"
    assert metrics(second)["Weight"] == "0.000 bits"


@pytest.mark.parametrize("write", ["parquet", "excel", "tsv"])
def test_other_kinds_of_files(write):
    frame = pd.DataFrame({"a": ["x", "y"] * 4, "class": ["p", "q"] * 4})
    if write == "tsv":
        app = upload(visit(), "table.tsv", frame.to_csv(index=False, sep="\t").encode())
    else:
        file = io.BytesIO()
        getattr(frame, f"to_{write}")(file, index=False)
        app = upload(visit(), {"parquet": "t.parquet", "excel": "t.xlsx"}[write], file.getvalue())
    assert not app.error
    assert metrics(app)["Weight"] == "1.000 bits"


LONG = pd.DataFrame(
    {"a": np.arange(10_000) % 3, "id": [f"p{i}" for i in range(10_000)], "class": ["x", "y"] * 5_000}
)
BAD = {
    "a picture": ("table.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
    "not a workbook": ("table.xlsx", b"age,class\n1,a\n"),
    "not parquet": ("table.parquet", b"age,class\n1,a\n"),
    "ragged": ("table.csv", b"age,class\n1,a\n2,b,c\n3,a\n"),
    "empty": ("table.csv", b""),
    "no rows": ("table.csv", b"age,class\n"),
    "one column": ("table.csv", b"class\na\nb\n"),
    "one class": ("table.csv", b"age,class\n1,a\n2,a\n"),
    "missing class": ("table.csv", b"age,class\n1,a\n2,\n3,b\n"),
    "twice the same name": ("table.csv", b"age,age,class\n1,2,a\n2,3,b\n"),
    "10,000 names": ("table.csv", csv(LONG)),
    "500 classes": ("table.csv", csv(pd.DataFrame({"a": np.arange(500) % 4, "class": np.arange(500)}))),
    "measured class": ("table.csv", csv(pd.DataFrame({"a": [1, 2] * 9, "class": np.arange(18) / 7}))),
    "infinite": ("table.csv", b"age,class\n1,a\ninf,b\n"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_uploads_get_a_sentence(case):
    app = upload(visit(), *BAD[case])
    [error] = app.error
    assert error.value.endswith("\\.")
    assert "Traceback" not in error.value
    quiet(app.selectbox(key="sample").select("iris").run())  # and there is a way back
    assert not app.error


def test_a_column_that_cannot_be_used_can_be_left_out():
    app = upload(visit(), *BAD["10,000 names"])
    assert "id" in app.error[0].value
    quiet(app.multiselect(key="without").select("id").run())
    assert not app.error
    assert app.dataframe[0].value["attribute"].tolist() == ["a"]


def test_columns_better_left_out_are_named():
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(40)], "same": "x", "sex": ["f", "m"] * 20})
    app = upload(visit(), "table.csv", csv(frame.assign(**{"class": ["a", "a", "b", "b"] * 10})))
    one_value, names = (warning.value for warning in app.warning)
    assert "same" in one_value
    assert "id" in names
    app.multiselect(key="without").select("id").select("same")
    assert not quiet(app.run()).warning


def test_without_a_likely_class_the_user_is_asked():
    frame = pd.DataFrame({"x": np.arange(30) / 7, "y": np.arange(30) / 3, "z": np.arange(30)})
    app = upload(visit(), "numbers.csv", csv(frame))
    assert app.session_state["class"] is None
    assert "class" in app.info[0].value
    quiet(app.selectbox(key="class").select("x").run())
    assert "looks like a measurement" in app.error[0].value


def test_hostile_names_are_shown_as_they_are():
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
        html = image(app)
        assert html.count("<") == 3  # the frame and the image, nothing of the names
        assert not app.error


def test_large_structures_are_drawn_in_part():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (50, 90)), columns=[f"x{i}" for i in range(90)])
    app = upload(visit(), "wide.csv", csv(frame.assign(**{"class": ["x", "y"] * 25})))
    for model in ("nb", "tan", "gnb"):
        quiet(app.selectbox(key="model").select(model).run())
        assert app.slider(key="shown").value == 60
        quiet(app.slider(key="shown").set_value(10).run())
        assert not app.error
        assert len(app.dataframe[0].value) == 90
        quiet(app.slider(key="shown").set_value(60).run())


def test_started_with_a_file(monkeypatch, tmp_path):
    path = tmp_path / "patients.csv"
    frame = pd.DataFrame({"kind": ["a", "b"] * 4, "sex": ["f", "m"] * 4, "class": ["x", "y"] * 4})
    path.write_bytes(csv(frame))
    monkeypatch.setenv("PGM_NB_DATA", str(path))
    monkeypatch.setenv("PGM_NB_CLASS", "kind")
    app = visit()
    assert app.selectbox(key="sample").options[0] == "patients.csv"
    assert (app.session_state["sample"], app.session_state["class"]) == ("file", "kind")
    path.write_bytes(csv(frame.head(6)))
    assert "6 rows" in quiet(app.run()).caption[0].value
    path.unlink()
    assert "cannot be opened" in quiet(app.run()).error[0].value


def test_started_with_a_sample(monkeypatch):
    monkeypatch.setenv("PGM_NB_DATA", "iris")
    assert visit().header[0].value == literal("Iris flowers")
