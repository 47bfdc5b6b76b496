"""Structures come back equal, and what cannot be read says why."""

import re

import pyagrum as gum
import pytest

from pgm_nb.engine.exchange import network_files, read_structure
from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import CherryTree, Star, Tree


@pytest.mark.parametrize("format", ["json", "graphml", "bif", "xmlbif", "bifxml"])
def test_structures_come_back_equal(model, format, tmp_path, written):
    if format in ("json", "graphml"):
        path = tmp_path / f"structure.{format}"
        path.write_bytes(model.structure_.export(format))
    else:
        path = written(model, format, tmp_path)
    assert read_structure(path) == model.structure_
    assert read_structure(str(path)) == model.structure_


@pytest.mark.parametrize(
    "structure",
    [
        Star("y", ("a",)),
        Tree("y", ("a",), {}),
        CherryTree("y", ("a",), {}),
        Tree("y", ("b", "a", "c"), {"b": "a", "c": "b"}),
        CherryTree("y", ("b", "c", "a"), {"c": "b", "a": "b"}, relevance={"a": 1, "b": 0.1, "c": 1e-30}),
    ],
    ids=str,
)
def test_small_graphml_comes_back_equal(structure, tmp_path):
    path = tmp_path / "structure.graphml"
    path.write_text(structure.to_graphml())
    assert read_structure(path) == structure


def test_the_map_beside_the_file_is_used(tmp_path, learned, written):
    model = learned("gnb", "iris")
    path = written(model, "bif", tmp_path)
    beside = network_files(model.junction_tree(), model.structure_, "uai", "written")["written.names.json"]
    (tmp_path / "written.names.json").write_bytes(beside)
    path.write_text("\n".join(path.read_text().splitlines()[1:]) + "\n")  # another program drops the comment
    assert read_structure(path) == model.structure_


def test_an_edited_network_counts_as_drawn(tmp_path, learned, written):
    model = learned("gnb", "iris")
    path = written(model, "bif", tmp_path)
    text = path.read_text()
    old = re.search(r"sepal_width \| class_, (\w+)", text)
    new = "sepal_length" if old[1] != "sepal_length" else "petal_width"
    path.write_text(text.replace(old[0], f"sepal_width | class_, {new}"))
    read = read_structure(path)
    assert isinstance(read, CherryTree)
    assert read.mothers == {**model.structure_.mothers, "sepal width": new.replace("_", " ")}
    path.write_text(re.sub(r"\| class_, \w+", "| class_", text))
    assert isinstance(read_structure(path), Star)


EXPERT = """
/* drawn by "hand" { */ network "my {net}" { property "variable x { }"; }
variable y { type discrete [ 2 ] { a, b }; }
variable "blood pressure" { type discrete[2] {a b}; }
variable pulse{type discrete[2]{a,b};} // the pulse }
variable heart rate { type discrete [ 2 ] { a, b }; }
probability ( "blood pressure" y ) { table 0.1 0.2 0.3 0.4; }
probability ( pulse | y , "blood pressure" ) { }
probability ( heart rate | pulse, y ) { }
probability ( y ) { }
"""


def test_a_bif_drawn_by_hand(tmp_path):
    path = tmp_path / "expert.bif"
    path.write_text(EXPERT)
    mothers = {"pulse": "blood pressure", "heart rate": "pulse"}
    assert read_structure(path) == Tree("y", ("blood pressure", "pulse", "heart rate"), mothers)


def test_networks_of_other_programs(tmp_path):
    network = gum.fastBN("y->a;y->b;y->c;a->b;a->c")
    for ending in ("bif", "bifxml"):
        gum.saveBN(network, str(tmp_path / f"theirs.{ending}"))
        read = read_structure(tmp_path / f"theirs.{ending}")
        assert (type(read), read.target, read.mothers) == (Tree, "y", {"b": "a", "c": "a"})


def graphml(nodes, edges, directed="directed", keys=""):
    body = "".join(f'<node id="{node}">{data}</node>' for node, data in nodes.items())
    body += "".join(f'<edge source="{a}" target="{b}"/>' for a, b in edges)
    return (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f'{keys}<graph edgedefault="{directed}">{body}</graph></graphml>'
    )


LABEL = '<key id="d0" for="node" attr.name="label" attr.type="string"/>'
KIND = '<key id="d1" for="node" attr.name="kind" attr.type="string"/>'


def test_plain_graphml(tmp_path):
    path = tmp_path / "expert.graphml"
    path.write_text(graphml({"a": "", "b": "", "y": ""}, [("y", "a"), ("y", "b"), ("b", "a")]))
    assert read_structure(path) == Tree("y", ("a", "b"), {"a": "b"})
    # attribute arcs alone, the class marked, nodes called by their labels
    nodes = {
        "n0": '<data key="d0">mean radius</data>',
        "n1": '<data key="d0">area</data>',
        "n2": '<data key="d0">class</data><data key="d1">class</data>',
    }
    path.write_text(graphml(nodes, [("n1", "n0")], keys=LABEL + KIND))
    assert read_structure(path) == Tree("class", ("mean radius", "area"), {"mean radius": "area"})


def bif(arcs):
    nodes = sorted({name for arc in arcs for name in arc})
    parents = {node: [a for a, b in arcs if b == node] for node in nodes}
    text = "".join(f"variable {node} {{ }}\n" for node in nodes)
    return text + "".join(
        f"probability ( {n} | {', '.join(above)} ) {{ }}\n" for n, above in parents.items() if above
    )


STAR = [("y", "a"), ("y", "b"), ("y", "c")]


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        (
            [("y", "a"), ("a", "b")],
            r"must be a parent of all others, but none is; the closest is '\w', which has no arc to",
        ),
        (
            [*STAR, ("a", "c"), ("b", "c")],
            r"besides the class 'y' .* at most one parent, but 'c' has 2: a, b",
        ),
        ([*STAR, ("a", "b"), ("b", "a"), ("b", "c")], "form no cycle"),
        ([*STAR, ("a", "y")], "the class 'y', .* must not have a parent itself, but 'a' points to it"),
        ([*STAR, ("a", "b")], "one root"),
    ],
)
def test_networks_that_are_none_of_ours(arcs, message, tmp_path):
    path = tmp_path / "drawn.bif"
    path.write_text(bif(arcs))
    with pytest.raises(StructureError, match=rf"(?s)^drawn.bif: .*{message}"):
        read_structure(path)
    path = tmp_path / "drawn.graphml"
    path.write_text(graphml(dict.fromkeys(sorted({n for arc in arcs for n in arc}), ""), arcs))
    with pytest.raises(StructureError, match=rf"(?s)^drawn.graphml: .*{message}"):
        read_structure(path)


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.docx", b"", DataError, r"a.docx is of an unknown kind: .*\.json, \.graphml, \.bif"),
        ("a.json", b"{", StructureError, "a.json: .*not JSON"),
        ("a.json", b"\xff\xfe", DataError, "a.json is not UTF-8 text"),
        ("a.bif", b"\xff\xfe", DataError, "a.bif is not UTF-8 text"),
        ("a.bif", b"", StructureError, "a.bif: a class and an attribute are needed"),
        ("a.bif", b"variable a { }", StructureError, "a class and an attribute are needed"),
        ("a.bif", b"hello", DataError, "this is not BIF: its braces"),
        ("a.bif", b"variable a { ", DataError, "this is not BIF: its braces"),
        ("a.bif", b"variable a } {", DataError, "this is not BIF: its braces"),
        ("a.bif", b"digraph x { a -> b }", DataError, "no block begins with 'digraph x'"),
        ("a.bif", b"{ }", DataError, "no block begins"),
        ("a.bif", b"probability ( ) { }", DataError, "no block begins"),
        ("a.bif", b"variable a { } variable a { }", StructureError, "'a' is declared twice"),
        (
            "a.bif",
            b"variable a { } probability ( a | b ) { }",
            StructureError,
            "names 'b', which is not among",
        ),
        ("a.xmlbif", b"hello", DataError, "a.xmlbif: this is not XML"),
        ("a.xml", b'<?xml version="1.0" encoding="soup"?><a/>', DataError, "a.xml: this is not XML"),
        ("a.bifxml", b"<BIF/>", DataError, "a.bifxml: this is not XMLBIF: it has no NETWORK"),
        ("a.xml", b"<BIF><NETWORK><VARIABLE/></NETWORK></BIF>", DataError, "a VARIABLE has no NAME"),
        ("a.graphml", b"hello", DataError, "a.graphml: this is not XML"),
        ("a.graphml", b"<BIF/>", DataError, "a.graphml: this is not GraphML"),
        (
            "a.graphml",
            graphml({"a": "", "y": ""}, [("y", "a")], "undirected").encode(),
            StructureError,
            "no direction",
        ),
        (
            "a.graphml",
            graphml(dict.fromkeys("ay", '<data key="d0">x</data>'), [("y", "a")], keys=LABEL).encode(),
            StructureError,
            "two nodes have the same label",
        ),
    ],
)
def test_files_that_cannot_be_read(name, content, error, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=message):
        read_structure(tmp_path / name)


def test_no_such_file(tmp_path):
    with pytest.raises(DataError, match=r"there is no file .*nowhere\.bif"):
        read_structure(tmp_path / "nowhere.bif")
    (tmp_path / "folder.bif").mkdir()
    with pytest.raises(DataError, match="cannot be opened"):
        read_structure(tmp_path / "folder.bif")
