"""The page of the data: what it says about a table, and what its editor does to the intervals."""

import io

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.app.shell.fitting import Settings
from pgm_nb.app.widgets.markdown import literal
from pgm_nb.data import excerpt as limits

CLASS_HERE = "Which column do you want to explain and predict?"
HOSTILE = ("<script>alert(1)</script>", "a:b", "$x$", "**bold**", ":smile:", "a,b")


def csv(frame):
    return frame.to_csv(index=False).encode()


def upload(app, name, content):
    app.file_uploader(key="file").upload(name, content).run()
    assert not app.exception
    return app


def run(widget):
    app = widget.run()
    assert not app.exception
    return app


MARKS = {"columns": "kind", "groups of the column": "group", "empty cells": "share"}


def shown(app, name):
    [table] = [table.value for table in app.dataframe if MARKS[name] in table.value]
    return table


def metrics(app):
    return {metric.label: metric.value for metric in app.metric}


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_has_its_page(visit, kind):
    app = visit("data", sample="iris", model=kind.about.short_name)
    assert not app.error
    assert metrics(app)["Rows"] == "150"
    assert metrics(app)["Attributes"] == "4"
    columns = shown(app, "columns")
    assert columns["column"].tolist() == ["sepal length", "sepal width", "petal length", "petal width"]
    assert (
        bool(app.selectbox(key="column").options)
        if kind.about.bins_with({})
        else kind.about.number_words in app.info[0].value
    )


def test_bits_are_the_models(visit):
    columns = shown(visit("data", sample="wine", details="True"), "columns").set_index("column")
    relevance = pnb.NaiveBayes().fit(*pnb.load_sample("wine")).structure_.relevance
    assert columns["bits"].to_dict() == pytest.approx(dict(relevance), abs=1e-12)


def test_the_class_can_be_chosen_here(visit, labelled):
    app = visit("data", sample="zoo")
    assert labelled(app.selectbox, CLASS_HERE).value == app.selectbox(key="class").value == "class"
    app = run(labelled(app.selectbox, CLASS_HERE).select("hair"))
    assert app.selectbox(key="class").value == app.session_state["class"] == "hair"
    assert app.query_params["class"] == "hair"
    app = run(app.selectbox(key="class").select("eggs"))
    assert labelled(app.selectbox, CLASS_HERE).value == "eggs"


def test_few_rows_of_a_class_are_pointed_at(visit):
    [warning] = [w.value for w in visit("data", sample="zoo").warning if "Fewer" in w.value]
    assert "**amphibian**" in warning
    assert "**reptile**" in warning
    assert "**mammal**" not in warning


def test_empty_cells_are_reported_and_treated_as_chosen(visit):
    app = visit("data", sample="house_votes")
    empty = shown(app, "empty cells")
    X, _ = pnb.load_sample("house_votes")
    gaps = X.isna().sum()
    assert empty.set_index("column")["empty"].to_dict() == gaps[gaps > 0].to_dict()
    assert any("392 cells in 203 of 435 rows have no value" in text.value for text in app.markdown)
    app = run(app.selectbox(key="missing here").select("drop"))
    assert app.query_params["missing"] == "drop"
    assert app.selectbox(key="missing").value == "drop"
    app = visit("data", sample="house_votes", model="gaussian")
    assert any("leaves empty cells out" in caption.value for caption in app.caption)


def test_columns_that_say_nothing_are_left_out_with_a_sentence_and_taken_back_by_a_click(visit):
    frame = pd.DataFrame(
        {
            "id": range(40),
            "seen": pd.date_range("2024-01-01", periods=40).strftime("%Y-%m-%d"),
            "same": "x",
            "sex": ["f", "m"] * 20,
            "class": ["a", "a", "b", "b"] * 10,
        }
    )
    app = upload(visit("data"), "t.csv", csv(frame))
    assert not app.error
    assert app.multiselect(key="without").value == ["id", "seen", "same"]
    assert "without" not in app.query_params
    assert shown(app, "columns")["column"].tolist() == ["sex"]
    said = " ".join(text.value for text in app.markdown)
    assert "**id**: Numbers the rows" in said
    assert "**same**: One value only" in said
    assert "**seen** holds dates" in said
    app = run(app.button(key="use id").click())
    assert app.query_params["without"] == ["seen", "same"]
    assert shown(app, "columns")["column"].tolist() == ["id", "sex"]
    app = run(app.multiselect(key="without").set_value([]))
    assert app.query_params["without"] == [""] or app.query_params["without"] == ""
    assert shown(app, "columns")["remark"].tolist()[1].startswith("Dates: ")


def test_without_a_class_the_columns_are_shown(visit, labelled):
    frame = pd.DataFrame({"x": np.arange(30) / 7, "z": np.arange(30) / 3})
    app = upload(visit("data"), "t.csv", csv(frame))
    assert metrics(app)["Classes"] == "–"
    assert shown(app, "columns")["column"].tolist() == ["x", "z"]
    app = run(labelled(app.selectbox, CLASS_HERE).select("x"))
    assert any(
        "different numbers, but a class has few" in text.value.replace("\\", "") for text in app.markdown
    )
    assert any(button.label == "Cut into 2 classes" for button in app.button)
    assert shown(app, "columns")["column"].tolist() == ["z"]


def test_own_cut_points_typed_undone_and_taken_back(visit):
    app = visit("data", sample="iris", column="petal width", details="True")
    before = shown(app, "groups of the column")
    app = run(app.text_input(key="points of petal width").input("0.8, 1.75"))
    assert app.query_params["cut"] == "petal width:0.8,1.75"
    assert shown(app, "groups of the column")["group"].tolist() == ["≤ 0.8", "(0.8, 1.75]", "> 1.75"]
    assert shown(app, "groups of the column")["rows"].tolist() == [50, 54, 46]
    bits = next(m for m in app.metric if "petal width" in m.label)
    model = pnb.NaiveBayes(discretizer={"petal width": (0.8, 1.75)}).fit(*pnb.load_sample("iris"))
    assert bits.value == f"{model.structure_.relevance['petal width']:.3f} bits"
    app = run(app.text_input(key="points of petal width").input("wide"))
    assert "is not a list" in app.error[0].value
    assert app.query_params["cut"] == "petal width:0.8,1.75"
    [undo] = [button for button in app.button if button.label == "Undo"]
    app = run(undo.click())
    assert "cut" not in app.query_params
    assert shown(app, "groups of the column").equals(before)


def test_a_method_for_one_column_and_then_for_all(visit):
    app = visit("data", sample="iris", bins="uniform", column="petal width", details="True")
    app = run(app.radio(key="way of petal width").set_value("mdlp"))
    assert app.query_params["cut"] == "petal width:mdlp"
    columns = shown(app, "columns").set_index("column")
    X, y = pnb.load_sample("iris")
    uniform = pnb.NaiveBayes(discretizer="uniform").fit(X, y).structure_.relevance
    mdlp = pnb.NaiveBayes(discretizer="mdlp").fit(X, y).structure_.relevance
    assert columns.loc["petal width", "bits"] == pytest.approx(mdlp["petal width"])
    assert columns.loc["sepal width", "bits"] == pytest.approx(uniform["sepal width"])
    [button] = [button for button in app.button if button.label == "Use for all columns"]
    app = run(button.click())
    assert app.query_params["bins"] == "mdlp"
    assert "cut" not in app.query_params
    assert shown(app, "columns").set_index("column")["bits"].to_dict() == pytest.approx(dict(mdlp))


def test_own_points_start_from_the_present_ones(visit):
    app = visit("data", sample="iris", column="petal width")
    app = run(app.radio(key="way of petal width").set_value("own"))
    assert app.query_params["cut"] == "petal width:0.25,0.45,1.15,1.35,1.55,1.85,1.95,2.25"
    [back] = [button for button in app.button if button.label == "Back to automatic"]
    app = run(back.click())
    assert "cut" not in app.query_params


def test_other_columns_keep_the_chosen_method():
    X, y = pnb.load_sample("iris")
    settings = Settings(
        "class", model="nb", discretizer="mdlp", cuts=(("petal width", (0.8,)), ("sepal width", "mdlp"))
    )
    model = settings.estimator().fit(X[["petal width", "sepal width"]], y)
    by_class = pnb.NaiveBayes(discretizer="mdlp").fit(X[["sepal width"]], y)
    assert model.encoder_.columns[0].cuts == (0.8,)
    assert model.encoder_.columns[1] == by_class.encoder_.columns[0]


def test_hostile_names_are_shown_as_they_are(visit):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=60).round(3) for name in HOSTILE})
    app = upload(visit("data"), "t.csv", csv(frame.assign(**{"<b>y</b>": ["p", "q"] * 30})))
    app = run(app.selectbox(key="class").select("<b>y</b>"))
    for name in HOSTILE:
        app = run(app.selectbox(key="column").select(name))
        app = run(app.text_input(key=f"points of {name}").input("0"))
        assert not app.error
        assert any(literal(name) in metric.label for metric in app.metric)
    assert app.query_params["cut"] == [f"{name}:0" for name in HOSTILE]


def test_a_part_of_a_large_table_is_stated_and_chosen(visit, monkeypatch):
    monkeypatch.setattr(limits, "MOST_COLUMNS", 3)
    monkeypatch.setattr(limits, "MOST_ROWS", 50)
    frame = pd.DataFrame({f"x{i}": np.arange(90) % 7 for i in range(9)}).assign(**{"class": ["p", "q"] * 45})
    app = upload(visit("data"), "wide.csv", csv(frame))
    assert "50 of 90 rows" in app.sidebar.info[0].value.replace("\\", "")
    assert "3 of 10 columns" in app.sidebar.info[0].value
    assert shown(app, "columns")["column"].tolist() == ["x0", "x1"]
    app = run(app.selectbox(key="columns").select("last"))
    assert shown(app, "columns")["column"].tolist() == ["x7", "x8"]
    assert app.query_params["columns"] == "last"


def test_many_classes_and_repeated_values(visit):
    frame = pd.DataFrame({"a": np.arange(400) % 5, "b": np.arange(400) / 3, "class": np.arange(400) % 40})
    file = io.BytesIO()
    frame.to_parquet(file)
    app = upload(visit("data", column="b"), "t.parquet", file.getvalue())
    assert not app.error
    groups = shown(app, "groups of the column")  # seven classes, and the others together
    assert len(groups.columns) == 10
    assert (groups.filter(like="class").sum(axis=1) == groups["rows"]).all()
    assert any(expander.label == "All 40 classes" for expander in app.expander)


@pytest.mark.parametrize("page", ["data", "structure"])
def test_a_nearly_numeric_column_is_not_advised_away(page, visit, upload):
    rows = "".join(f"{90 + i},{i % 10};{i % 3};{'ill' if i % 2 else 'well'}\n" for i in range(60))
    content = f"pressure;dose;class\n{rows}k. A.;1;ill\n"
    app = upload(visit(page), "patients.csv", content.encode())
    assert not [warning.value for warning in app.warning if "left out" in warning.value]
    if page == "data":
        columns = next(frame.value for frame in app.dataframe if "remark" in frame.value)
        assert columns.set_index("column").loc["pressure", "remark"].startswith("Numbers, but for “k. A.”")
    else:
        [warning] = app.warning
        assert "k\\. A\\." in warning.value
        assert "identify rows" not in warning.value
