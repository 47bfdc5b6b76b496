"""The files that can be taken away."""

import io
import json
from xml.etree import ElementTree

import networkx as nx
import pytest
from PIL import Image

import pgm_nb as pnb
from pgm_nb.app.pages.structure import downloads
from pgm_nb.app.pages.structure.shown_graph import ShownGraph, ViewChoice
from pgm_nb.app.shell.fitting import Settings, learn
from pgm_nb.app.shell.sources import sample_source


@pytest.fixture(scope="module")
def fitted():
    return learn(sample_source("iris"), Settings("class"))


def shown(fitted, choice):
    return ShownGraph(fitted, choice, lambda: pnb.load_sample("iris"))


@pytest.fixture(scope="module")
def files(fitted):
    return {file.ending: file.make() for file in downloads(shown(fitted, ViewChoice("junction")))}


def test_every_format_is_what_it_says(files):
    assert [*files] == ["svg", "png", "pdf", "dot", "graphml", "json", "pgmnb"]
    assert ElementTree.fromstring(files["svg"]).tag.endswith("svg")
    assert files["png"].startswith(b"\x89PNG")
    assert files["pdf"].startswith(b"%PDF")
    assert files["dot"].startswith(b"graph")


def test_graph_files_hold_the_graph(files, fitted):
    graph = nx.parse_graphml(files["graphml"].decode())
    assert set(graph) == set(fitted.model.structure_.nodes)
    assert json.loads(files["json"])["order"] == list(fitted.model.structure_.order)


def test_the_model_file_predicts_the_same(files, fitted, tmp_path):
    path = tmp_path / "iris.pgmnb"
    path.write_bytes(files["pgmnb"])
    X, _ = pnb.load_sample("iris")
    assert (pnb.load(path).predict(X) == fitted.model.predict(X)).all()


def test_a_picture_of_a_part_and_the_graph_of_all(fitted):
    some = shown(fitted, ViewChoice("tree", part=("petal length", "petal width")))
    files = {file.ending: file.make() for file in downloads(some)}
    assert b"sepal" not in files["svg"]
    assert b"sepal width" in files["json"]


@pytest.mark.parametrize(
    ("model", "choice"),
    [
        ("gaussian", ViewChoice("curves")),
        ("local-pca", ViewChoice("plane", plane=("petal width", "sepal width"))),
    ],
)
def test_charts_are_pictures_too(model, choice):
    chart = shown(learn(sample_source("iris"), Settings("class", model=model)), choice)
    files = {file.ending: file.make() for file in downloads(chart)}
    assert [*files] == ["svg", "png", "pdf", "graphml", "json", "pgmnb"]
    assert Image.open(io.BytesIO(files["png"])).size[0] > 400
    assert files["pdf"].startswith(b"%PDF")


def test_the_graph_of_a_row_is_what_is_taken():
    kernel = learn(sample_source("iris"), Settings("class", model="kernel"))
    X, y = pnb.load_sample("iris")
    graph = kernel.model.structure_for(X.iloc[[6]])
    row = ShownGraph(kernel, ViewChoice("row", row=6), lambda: (X, y), row_graph=graph)
    files = {file.ending: file.make() for file in downloads(row)}
    assert json.loads(files["json"])["joined"] == dict(graph.joined)
    assert files["dot"].startswith(b"digraph")


@pytest.mark.parametrize("model", ["nb", "tan", "gnb"])
def test_the_first_attributes_of_a_structure_are_one(model):
    fitted = learn(sample_source("zoo"), Settings("class", model=model)).model
    names = tuple(fitted.importance_["attribute"])
    for n in range(1, len(names) + 1):
        shown = fitted.structure_.part(names[:n])
        assert set(shown.attributes) == set(names[:n])
        assert set(shown.edges) <= set(fitted.structure_.edges)
