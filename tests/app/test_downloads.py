"""The files that can be taken away."""

import json
from xml.etree import ElementTree

import networkx as nx
import pytest

import pgm_nb as pnb
from pgm_nb.app.downloads import downloads
from pgm_nb.app.learning import Settings, first_attributes, learn
from pgm_nb.app.sources import sample_source


@pytest.fixture(scope="module")
def learned():
    return learn(sample_source("iris"), Settings("class"))


@pytest.fixture(scope="module")
def files(learned):
    found = downloads(learned, learned.model.structure_, "junction")
    return {file.ending: file.make() for file in found}


def test_every_format_is_what_it_says(files):
    assert [*files] == ["svg", "png", "pdf", "dot", "graphml", "json", "pgmnb"]
    assert ElementTree.fromstring(files["svg"]).tag.endswith("svg")
    assert files["png"].startswith(b"\x89PNG")
    assert files["pdf"].startswith(b"%PDF")
    assert files["dot"].startswith(b"graph")


def test_graph_files_hold_the_graph(files, learned):
    graph = nx.parse_graphml(files["graphml"].decode())
    assert set(graph) == set(learned.model.structure_.nodes)
    assert json.loads(files["json"])["order"] == list(learned.model.structure_.order)


def test_the_model_file_predicts_the_same(files, learned, tmp_path):
    path = tmp_path / "iris.pgmnb"
    path.write_bytes(files["pgmnb"])
    X, _ = pnb.load_sample("iris")
    assert (pnb.load(path).predict(X) == learned.model.predict(X)).all()


@pytest.mark.parametrize("model", ["nb", "tan", "gnb"])
def test_the_first_attributes_of_a_structure_are_one(model):
    fitted = learn(sample_source("zoo"), Settings("class", model=model)).model
    names = tuple(fitted.importance_["attribute"])
    for n in range(1, len(names) + 1):
        part = first_attributes(fitted.structure_, names[:n])
        assert set(part.attributes) == set(names[:n])
        assert set(part.edges) <= set(fitted.structure_.edges)
