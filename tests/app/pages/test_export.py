"""The Export page: every one is made and opened here."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.app.pages import export as networks
from pgm_nb.app.pages import export as pictures
from pgm_nb.app.shell.fitting import Settings
from pgm_nb.data import excerpt

HOSTILE = ("<script>", "a'b", 'say "x"', "$x$")


def csv(frame):
    return frame.to_csv(index=False).encode()


def labels(app):
    return [button.proto.label for button in app.get("download_button")]


def run_lines(app, folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = {}
    exec(compile(app.code[0].value, "lines", "exec"), found)
    return found["model"]


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_has_its_files(visit, finished, kind):
    app = finished(visit("export", sample="iris", model=kind.about.short_name))
    assert not app.error
    shown = labels(app)
    fitted = kind().fit(*pnb.load_sample("iris"))
    views = fitted.structure_.views
    for format in ("SVG", "PNG", "PDF", "DOT"):
        assert shown.count(format) == len(views)
    assert ("XDSL" in shown) == kind.about.is_network
    assert kind.about.is_network or any("not a Bayesian network" in text.value for text in app.markdown)
    said = " ".join(text.value for text in app.markdown)
    assert all(fitted.about_network(ending) in said for ending in ("bif", "uai"))
    assert ("tables as counted" in said) is bool(fitted.about_network("bif"))
    assert {"Model file", "GraphML", "JSON", "Predictions (CSV)"} <= set(shown)
    found = app.dataframe[0].value
    assert found["prediction"].tolist()[:2] == ["setosa", "setosa"]
    assert found["row"].tolist() == list(range(1, 101))
    assert found["class"].tolist()[::50] == ["setosa", "versicolor"]


@pytest.mark.parametrize(
    "choices",
    [
        {
            "sample": "wine",
            "model": "gnb",
            "search": "exact",
            "bins": "uniform",
            "groups": "4",
            "require": "alcohol:ash",
        },
        {
            "sample": "iris",
            "model": "nb",
            "cut": ["petal width:0.8,1.75", "sepal width:mdlp"],
            "bins": "uniform",
        },
        {"sample": "house_votes", "model": "tan", "missing": "drop", "without": ["immigration"]},
        {"sample": "zoo", "model": "hnb", "class_": "hair"},
        {"sample": "iris", "model": "kernel", "joining": "binned"},
    ],
    ids=["search", "cuts", "missing", "class", "kernel"],
)
def test_the_lines_learn_the_same_model(visit, finished, tmp_path, monkeypatch, choices):
    app = finished(visit("export", **choices))
    again = run_lines(app, tmp_path, monkeypatch)
    X, y = pnb.load_sample(choices["sample"])
    frame = X.assign(**{"class": y})
    chances = app.dataframe[0].value.filter(like="P(")
    np.testing.assert_array_equal(again.predict_proba(frame[list(again.attribute_names_)])[:100], chances)


def test_the_lines_of_an_upload_with_hostile_names(visit, finished, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=60) for name in HOSTILE}).assign(**{"<y>": ["p", "q"] * 30})
    app = visit("export")
    app.file_uploader(key="file").upload("it's.csv", csv(frame)).run()
    app = finished(app.selectbox(key="class").select("<y>").run())
    assert not app.exception
    (tmp_path / "it's.csv").write_bytes(csv(frame))
    again = run_lines(app, tmp_path, monkeypatch)
    assert again.structure_.target == "<y>"
    np.testing.assert_array_equal(
        again.predict_proba(frame[list(HOSTILE)]), app.dataframe[0].value.filter(like="P(")
    )


def test_the_lines_need_no_part_of_the_app(visit, finished, monkeypatch):
    monkeypatch.setattr(excerpt, "MOST_ROWS", 40)
    app = visit("export", model="nb")
    frame = pd.DataFrame({"a": range(90), "b": [0, 1, 2] * 30, "class": ["p", "q"] * 45})
    app.file_uploader(key="file").upload("large.csv", csv(frame)).run()
    lines = finished(app).code[0].value
    assert "portion" in lines  # also where only a part of a large file is read
    assert "pgm_nb.app" not in lines
    assert "streamlit" not in lines


def test_another_table_is_classified(visit, finished):
    X, _ = pnb.load_sample("iris")
    app = visit("export", sample="iris", model="tan", rows="other")
    assert not app.dataframe
    new = X.iloc[[0, 149], ::-1].reset_index(drop=True)
    new.loc[0, "sepal width"] = np.nan
    app.file_uploader(key="new rows").upload("new.csv", csv(new)).run()
    found = finished(app).dataframe[0].value
    assert found["prediction"].tolist() == ["setosa", "virginica"]
    app.file_uploader(key="new rows").upload("bad.csv", csv(new.drop(columns="petal width"))).run()
    app = finished(app)
    assert not app.exception
    assert "petal width" in app.error[0].value
    assert app.code  # the rest of the page is still there


def test_the_report_is_made_when_asked_for(visit, finished):
    app = visit("export", sample="iris", model="nb")
    assert "Report (HTML)" not in labels(app)
    [make] = [button for button in app.button if button.label == "Make the report"]
    app = finished(make.click().run())
    assert not app.exception
    assert "Report (HTML)" in labels(app)
    app.selectbox(key="model").select("tan").run()
    assert "Report (HTML)" not in labels(finished(app))  # that was the report of another model


def test_a_large_structure_is_drawn_in_part(visit, monkeypatch):
    monkeypatch.setattr(pictures, "MOST", 3)
    app = visit("export", sample="iris", model="tan")
    assert any("3 of 4 attributes, those that joined first" in caption.value for caption in app.caption)


@pytest.mark.parametrize("ending", networks.NETWORKS)
def test_networks(ending):
    model = Settings("class", model="gnb").estimator().fit(*pnb.load_sample("iris"))
    content = networks.network(model, ending)
    if ending == "uai":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            assert sorted(archive.namelist()) == ["gnb.names.json", "gnb.uai"]
            json.loads(archive.read("gnb.names.json"))
    else:
        assert b"petal" in content
