"""Nodes and parents out of the text of BIF and XMLBIF files; the tables are left aside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from xml.etree import ElementTree as ET

from pgm_nb.errors import DataError
from pgm_nb.inference.exchange.arcs import Arcs

__all__ = ["parse_bif", "parse_xmlbif"]

TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/          # comments
      | "(?:[^"\\]|\\.)*"             # a quoted name
      | [{}()|,;] | [^\s{}()|,;"]+""",
    re.VERBOSE | re.DOTALL,
)


def parse_bif(data: bytes) -> Arcs:
    """Read the variables and their parents from the Interchange Format for Bayesian networks.

    Examples
    --------
    >>> parse_bif(b"variable y { } variable x { } probability ( x | y ) { }").parents
    {'y': (), 'x': ('y',)}
    """
    nodes: list[str] = []
    parents: dict[str, list[str]] = {}
    for keyword, *head in _blocks(data.decode("utf-8-sig")):
        names = _names(head)
        if keyword not in ("network", "variable", "probability") or (keyword != "network" and not names):
            raise DataError(f"this is not BIF: {' '.join([keyword, *head])[:60]!r} begins no block of it.")
        if keyword == "variable":
            nodes.append(" ".join(names))
        elif keyword == "probability":
            parents[names[0]] = names[1:]
    return Arcs(nodes, parents)


def _blocks(text: str) -> Iterator[list[str]]:
    """Return the words before each block in braces; the insides are skipped."""
    depth = 0
    head: list[str] = []
    for token in TOKEN.findall(text):
        if token.startswith(("//", "/*")):
            continue
        if token == "{":
            if depth == 0:
                yield head or [""]
                head = []
            depth += 1
        elif token == "}":
            depth -= 1
        elif depth == 0 and token != ";":
            head.append(token)
    if depth != 0 or head:
        raise DataError("this is not BIF: its braces do not match, or nothing follows the last block.")


def _names(head: list[str]) -> list[str]:
    """Return the names in a head: words between | and commas, or each on its own when there are neither."""
    words = [word for word in head if word not in "()"]
    if "|" not in words and "," not in words:
        return [_unquoted(word) for word in words]
    groups = groupby(words, key=lambda word: word in "|,")
    return [" ".join(map(_unquoted, group)) for is_mark, group in groups if not is_mark]


def _unquoted(word: str) -> str:
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word


def parse_xmlbif(data: bytes) -> Arcs:
    """Read the variables and their parents from XMLBIF.

    Examples
    --------
    >>> parse_xmlbif(b'''<BIF><NETWORK>
    ... <VARIABLE><NAME>y</NAME></VARIABLE> <VARIABLE><NAME>x</NAME></VARIABLE>
    ... <DEFINITION><FOR>x</FOR><GIVEN>y</GIVEN></DEFINITION>
    ... </NETWORK></BIF>''').parents
    {'y': (), 'x': ('y',)}
    """
    network = parse_xml(data).find("NETWORK")
    if network is None:
        raise DataError("this is not XMLBIF: there is no NETWORK inside.")
    parents = {
        _text(definition, "FOR"): [(given.text or "").strip() for given in definition.findall("GIVEN")]
        for definition in network.findall("DEFINITION")
    }
    return Arcs([_text(variable, "NAME") for variable in network.findall("VARIABLE")], parents)


def parse_xml(data: bytes) -> ET.Element:
    """Parse XML, or say that it is none."""
    try:
        return ET.fromstring(data)
    except (ET.ParseError, LookupError, ValueError) as error:  # the latter two: an unknown encoding
        raise DataError(f"this is not XML ({error}): save it again.") from None


def _text(element: ET.Element, tag: str) -> str:
    text = element.findtext(tag, "").strip()
    if not text:
        raise DataError(f"this is not XMLBIF: a {element.tag} has no {tag}.")
    return text
