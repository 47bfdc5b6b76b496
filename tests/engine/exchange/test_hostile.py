"""Files from strangers: refused with a sentence, in a moment, whatever they contain."""

import time

import pytest

from pgm_nb.engine.exchange.read import MOST_BYTES, parse_structure
from pgm_nb.errors import PgmNbError
from pgm_nb.graphs import Tree

BOMB = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<BIF><NETWORK><NAME>&b;</NAME></NETWORK></BIF>"""
MANY = b"".join(b"variable v%d { }" % i for i in range(6_000))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.bif", b"/* " * 200_000, "not closed"),
        ("a.bif", b'variable "' + b'\\"' * 200_000, "not closed"),
        ("a.bif", MANY, "at most 5,000"),
        ("a.xmlbif", BOMB, "entities"),
        ("a.graphml", BOMB, "entities"),
        ("a.xml", BOMB.decode().encode("utf-16"), "entities"),
        ("a.json", b"[" * 200_000, "nested|not JSON"),
        ("a.json", b" " * (MOST_BYTES + 1), "bytes, and a structure at most"),
        ("a.bif", b"\xff\xfe", "UTF-8"),
        ("a.exe", b"MZ", "unknown kind"),
        ("../../etc/passwd", b"root", "unknown kind"),
    ],
)
def test_is_refused_in_a_moment(name, data, said):
    start = time.process_time()
    with pytest.raises(PgmNbError, match=said):
        parse_structure(name, data)
    assert time.process_time() - start < 5


def test_the_content_of_a_file_is_enough():
    tree = Tree("y", ("a", "b"), {"b": "a"})
    assert parse_structure("tree.json", tree.to_json().encode()) == tree
    assert parse_structure("tree.graphml", tree.to_graphml().encode()) == tree


def test_a_circle_in_a_file_is_named():
    nodes = b"variable y { } variable a { } variable b { } "
    text = nodes + b"probability ( a | y, b ) { } probability ( b | y, a ) { }"
    with pytest.raises(PgmNbError, match=r"mine\.bif: .*cycle"):
        parse_structure("mine.bif", text)
