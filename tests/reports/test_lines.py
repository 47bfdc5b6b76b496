"""The Python lines learn the same model again: they are run here."""

import numpy as np
import pandas as pd
import pytest

import pgm_nb as pnb
from pgm_nb.data import excerpt as limits
from pgm_nb.reports import Origin, python_lines


def run(lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = {}
    exec(compile(lines, "lines", "exec"), found)
    return found["model"]


@pytest.mark.parametrize("kind", pnb.MODELS, ids=lambda kind: kind.about.short_name)
def test_every_model_learns_again(kind, tmp_path, monkeypatch, capsys):
    X, y = pnb.load_sample("iris")
    model = kind().fit(X, y)
    lines = python_lines(model, Origin("iris", "class", sample=True), model.structure_.views[0])
    again = run(lines, tmp_path, monkeypatch)
    assert type(again) is kind
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert "attribute" in capsys.readouterr().out


HOSTILE = 'a "quoted" \\ name'


@pytest.mark.parametrize(
    "model",
    [
        pnb.NaiveBayes(discretizer={"x": (1.5, 2.0), HOSTILE: "mdlp"}, n_bins=np.int64(3), missing="drop"),
        pnb.GeneralizedNaiveBayes(search="exact", max_clusters=1, smoothing=None),
        pnb.PackagedHiddenNaiveBayes(threshold=0.1),
        pnb.KernelSemiNaiveBayes(threshold=None, discretizer="uniform", log_columns=["x"]),
    ],
    ids=lambda model: model.about.short_name,
)
def test_parameters_and_hostile_names_are_written(model, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.random(60) + 1, HOSTILE: rng.normal(size=60), "id\n": range(60), "y": ["p", "q"] * 30}
    )
    frame.iloc[:, :2].assign(y=frame["y"], id=frame["id\n"]).to_csv(
        tmp_path / "it's a table.csv", index=False
    )
    lines = python_lines(model, Origin("it's a table.csv", "y", leave_out=("id",)))
    again = run(lines, tmp_path, monkeypatch)
    expected = type(model)(**model.get_params()).fit(frame[["x", HOSTILE]], frame["y"])
    assert again.attribute_names_ == ("x", HOSTILE)
    rows = frame[["x", HOSTILE]]
    np.testing.assert_array_equal(again.predict_proba(rows), expected.predict_proba(rows))


def test_only_what_differs_is_written():
    lines = python_lines(pnb.NaiveBayes(n_bins=None, missing="state"), Origin("iris", "class", sample=True))
    assert "pnb.NaiveBayes().fit(X, y)" in lines


class Own(pnb.NaiveBayes):
    """A model from elsewhere."""


def test_a_model_from_elsewhere_is_imported_from_there():
    lines = python_lines(Own(), Origin("iris", "class", sample=True)).splitlines()
    assert f"from {Own.__module__} import Own" in lines
    assert "model = Own().fit(X, y)" in lines


def test_another_class_of_a_sample(tmp_path, monkeypatch):
    lines = python_lines(pnb.NaiveBayes(), Origin("zoo", "hair", sample=True, leave_out=("class",)))
    model = run(lines, tmp_path, monkeypatch)
    assert model.structure_.target == "hair"
    assert "class" not in model.attribute_names_


def test_a_part_of_a_large_file_is_the_same_part(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_ROWS", 40)
    frame = pd.DataFrame({"a": np.arange(200) % 7, "b": np.arange(200) % 3, "class": ["p", "q"] * 100})
    frame.to_csv(tmp_path / "big.csv", index=False)
    part = limits.read_portion("big.csv", (tmp_path / "big.csv").read_bytes()).frame
    model = run(
        python_lines(pnb.NaiveBayes(), Origin("big.csv", "class", part="first")), tmp_path, monkeypatch
    )
    expected = pnb.NaiveBayes().fit(part[["a", "b"]], part["class"])
    np.testing.assert_array_equal(
        model.predict_proba(part[["a", "b"]]), expected.predict_proba(part[["a", "b"]])
    )


def test_a_repaired_table_is_repaired_again(tmp_path, monkeypatch, capsys):
    raw = "a;a;plas;y\n" + "".join(f"{i % 7},5;x{i % 3};{i % 5 * 20};{i % 2}\n" for i in range(60))
    (tmp_path / "raw.csv").write_text(raw)
    recipe = pnb.Recipe(
        [
            {"do": "number names"},
            {"do": "not measured", "column": "plas", "values": [0]},
            pnb.Codebook({"plas": "glucose"}, {"y": {"0": "well", "1": HOSTILE}}),
        ]
    )
    table = recipe.apply(pnb.read_table(tmp_path / "raw.csv", duplicates="keep"))
    X, y = table.drop(columns=["y", "a (2)"]), table["y"]
    model = pnb.NaiveBayes(parameters="generative").fit(X, y)
    origin = Origin("raw.csv", "y", leave_out=("a (2)",), recipe=recipe)
    again = run(python_lines(model, origin), tmp_path, monkeypatch)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.recipe_ == recipe


def test_a_repaired_sample_is_repaired_again(tmp_path, monkeypatch, capsys):
    recipe = pnb.Recipe([pnb.Codebook({"petal width": "width"}, {"class": {"setosa": "S"}})])
    model = pnb.NaiveBayes(parameters="generative").fit(*pnb.load_sample("iris"))
    again = run(
        python_lines(model, Origin("iris", "class", sample=True, recipe=recipe)), tmp_path, monkeypatch
    )
    assert again.classes_.tolist() == ["S", "versicolor", "virginica"]
    assert "width" in again.attribute_names_
