"""Safe names, the note that says what they stand for, and arcs read from a file: the small print."""

import re

import numpy as np
import pytest

from pgm_nb.engine.exchange import read as arcs_module
from pgm_nb.engine.exchange import write
from pgm_nb.engine.exchange.names import NameMap, Note, note_inside, safe_names
from pgm_nb.engine.exchange.read import Arcs, parse_bif, parse_graphml, to_structure
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.variables import Variable, Variables
from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import CherryTree, Star, Tree
from pgm_nb.tables.factors import Factors


def test_a_word_begins_with_a_letter():
    assert [*safe_names({"a 1": ("2b", "x-y")}).to_dict()] == ["a_1"]
    assert safe_names({"a 1": ("2b", "x-y")}).to_dict()["a_1"]["states"] == {"s2b": "2b", "x_y": "x-y"}


def test_the_note_inside_a_text():
    note = Note(safe_names({"y": ("no", "yes"), "a b": ("0", "1")}), Star("y", ("a b",)))
    assert note_inside(f"// before\n// {note.comment()}\nafter") == note
    assert note_inside("// nothing") is None


@pytest.mark.parametrize("states", [{"a": "x", "b": 3}, {"a": 3}])
def test_names_of_states_are_texts(states):
    with pytest.raises(DataError):
        NameMap.from_dict({"v": {"name": "v", "states": states}})


def test_a_block_of_bif_has_a_name_unless_it_is_the_network():
    assert parse_bif(b"network { } variable y { }").parents == {"y": ()}
    with pytest.raises(DataError, match="this is not BIF"):
        parse_bif(b"network n { } variable { }")


def test_the_most_nodes_that_are_read(monkeypatch):
    monkeypatch.setattr(arcs_module, "MOST_NODES", 2)
    assert Arcs(("y", "a"), {"a": ("y",)}).parents == {"y": (), "a": ("y",)}
    with pytest.raises(StructureError, match="there are 3 nodes, and at most 2 are read"):
        Arcs(("y", "a", "b"), {"a": ("y",)})


def test_attributes_without_mothers_are_a_star_unless_one_alone_is_called_a_tree():
    two, one = Arcs(("y", "a", "b"), {"a": ("y",), "b": ("y",)}), Arcs(("y", "a"), {"a": ("y",)})
    for kind in (None, Star.type_name, Tree.type_name, CherryTree.type_name):
        assert type(to_structure(two, kind)) is Star
    assert type(to_structure(one)) is Star
    assert type(to_structure(one, Star.type_name)) is Star
    assert type(to_structure(one, Tree.type_name)) is Tree
    assert type(to_structure(one, CherryTree.type_name)) is CherryTree


def test_a_file_too_large_names_the_largest_table(monkeypatch):
    variables = Variables(
        Variable("y", ("0", "1")),
        tuple(Variable(name, tuple(map(str, range(size)))) for name, size in (("a", 3), ("b", 7), ("c", 5))),
    )
    given = {"a": [], "b": ["a"], "c": []}  # 6, 42 and 10 probabilities
    monkeypatch.setattr(write, "MOST_NUMBERS", 58)
    write._check_size(variables, given)
    monkeypatch.setattr(write, "MOST_NUMBERS", 57)
    with pytest.raises(DataError, match=r"has 58 probabilities.* the 7 states of 'b' and 3 of 'a'"):
        write._check_size(variables, given)


HALF_LABELLED = b"""<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="l" for="node" attr.name="label" attr.type="string"/>
<graph edgedefault="directed"><node id="y"><data key="l">class</data></node><node id="a"/>
<edge source="y" target="a"/></graph></graphml>"""


def test_labels_are_names_only_if_every_node_has_one():
    assert set(parse_graphml(HALF_LABELLED).nodes) == {"y", "a"}


@pytest.mark.parametrize("others", [(), ((), (), (0,))])
def test_a_network_is_written_in_the_order_of_its_attributes_but_mothers_first(others):
    """a, then b given a, then c given b, and perhaps a too; the structure lists them the other way round."""
    shapes = ((2, 2), (2, 2, 2), (2, 2, 2, 2) if others else (2, 2, 2))
    tables = tuple(np.log(np.full(shape, 0.5)) for shape in (*shapes, (2, 2)))
    more = (*others, ()) if others else ()
    factors = Factors(np.log([0.5, 0.5]), (0, 1, 2, 3), (-1, 0, 1, -1), tables, more)
    variables = Variables(*(Variable("y", ("0", "1")), tuple(Variable(name, ("0", "1")) for name in "abcd")))
    tree = JunctionTree(variables, (factors), (("y", *("abc" if others else "ab")), ("y", "d")))
    structure = Tree("y", ("d", "c", "b", "a"), {"b": "a", "c": "b", "d": "a"})
    text = write.network_files(tree, structure, "bif")["network.bif"].decode()
    assert re.findall(r"^variable (\w+)", text, re.MULTILINE) == ["y", "d", "a", "b", "c"]
    assert re.findall(r"^probability \( c \| (.*) \)", text, re.MULTILINE) == [
        "y, b, a" if others else "y, b"
    ]
