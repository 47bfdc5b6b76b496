"""Every format that a graph is written in can be read back."""

import io
import json

import networkx as nx
import pytest
from PIL import Image

from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, from_json
from pgm_nb.graphs.base import FORMATS

CHERRY = CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "a"})


def test_formats_are_told_by_their_first_bytes():
    beginnings = {
        "dot": b"digraph",
        "svg": b"<svg",
        "png": b"\x89PNG",
        "pdf": b"%PDF",
        "json": b"{",
        "graphml": b"<",
    }
    assert set(beginnings) == set(FORMATS)
    for name, beginning in beginnings.items():
        assert CHERRY.export(name).lstrip().startswith(beginning), name


def test_a_view_can_be_chosen():
    assert CHERRY.export("dot", view="junction") == CHERRY.to_dot("junction").encode()
    assert CHERRY.export("dot") != CHERRY.export("dot", view="junction")


def test_json_and_graphml_come_back():
    assert from_json(CHERRY.export("json").decode()) == CHERRY
    assert json.loads(CHERRY.export("json"))["type"] == "cherry tree"
    graph = nx.parse_graphml(CHERRY.export("graphml").decode())
    assert set(graph.edges) == set(CHERRY.to_networkx().edges)


def test_png_decodes():
    with Image.open(io.BytesIO(CHERRY.export("png", view="compact"))) as image:
        assert min(image.size) > 100


def test_unknown_format():
    with pytest.raises(StructureError, match=r"dot, svg, png, pdf, json, graphml.*'docx'"):
        CHERRY.export("docx")
