"""Structures from files: our JSON, and networks drawn in other programs as BIF, XMLBIF or GraphML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import Graph, from_json
from pgm_nb.inference.exchange.arcs import Arcs, to_structure
from pgm_nb.inference.exchange.graphml import parse_graphml
from pgm_nb.inference.exchange.names import NameMap
from pgm_nb.inference.exchange.note import find_note
from pgm_nb.inference.exchange.parse import parse_bif, parse_xmlbif
from pgm_nb.words import listed

__all__ = ["read_names", "read_structure"]

NETWORKS: dict[str, Callable[[bytes], Arcs]] = {
    ".bif": parse_bif,
    ".xmlbif": parse_xmlbif,
    ".bifxml": parse_xmlbif,
    ".xml": parse_xmlbif,
}
ENDINGS = (".json", ".graphml", *NETWORKS)


def read_structure(path: str | Path) -> Graph:
    """Read a star, tree or cherry tree from JSON, BIF, XMLBIF or GraphML, by the ending of the file.

    A network is understood if one node, the class, is a parent of all others and these have at most one
    further parent. A file of ours gives back the structure it was written from, with the real names.

    Raises
    ------
    DataError
        If the file is not there, is of another kind or cannot be parsed.
    StructureError
        If the graph is none of ours: no class, a parent too many, a cycle, several roots.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "expert.bif"
    >>> _ = path.write_text('''
    ... network expert { }
    ... variable disease { type discrete [ 2 ] { no, yes }; }
    ... variable "blood pressure" { type discrete [ 2 ] { low, high }; }
    ... variable pulse { type discrete [ 2 ] { low, high }; }
    ... probability ( "blood pressure" | disease ) { }
    ... probability ( pulse | disease, "blood pressure" ) { }
    ... ''')
    >>> tree = read_structure(path)
    >>> tree, dict(tree.mothers)
    (<Tree: class 'disease', 2 attributes>, {'pulse': 'blood pressure'})
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in ENDINGS:
        raise DataError(
            f"{path.name} is of an unknown kind: a structure is read from {listed(ENDINGS)}; save it so."
        )
    data = _content(path)
    try:
        if kind == ".json":
            return from_json(data.decode("utf-8-sig"))
        if kind == ".graphml":
            return parse_graphml(data)
        return _from_network(path, data, NETWORKS[kind](data))
    except UnicodeDecodeError:
        raise DataError(f"{path.name} is not UTF-8 text: save it with that encoding.") from None
    except (DataError, StructureError) as error:
        raise type(error)(f"{path.name}: {error}") from None


def _from_network(path: Path, data: bytes, arcs: Arcs) -> Graph:
    """Return the structure noted with the file if its arcs are still the same, else the one drawn."""
    note = find_note(path, data.decode("utf-8", errors="replace"))
    if note is None:
        return to_structure(arcs)
    arcs = arcs.renamed(note.names.variables)
    return note.structure if arcs == Arcs.of(note.structure) else to_structure(arcs, note.structure.type_name)


def read_names(path: str | Path) -> NameMap:
    """Read the real names and states behind those of a network written by `network_files`.

    Examples
    --------
    >>> import tempfile
    >>> import pgm_nb as pnb
    >>> from pgm_nb.inference.exchange import network_files
    >>> model = pnb.NaiveBayes().fit(*pnb.load_sample("iris"))
    >>> path = Path(tempfile.mkdtemp()) / "iris.net"
    >>> _ = path.write_bytes(network_files(model.junction_tree(), model.structure_, "net")["network.net"])
    >>> read_names(path).variables["petal_width"]
    'petal width'
    """
    path = Path(path)
    note = find_note(path, _content(path).decode("utf-8", errors="replace"))
    if note is None:
        raise DataError(f"{path.name} holds no names of ours: only networks written by pgm_nb carry them.")
    return note.names


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {str(path)!r}: check the name and the folder.") from None
    except OSError as error:
        raise DataError(f"{str(path)!r} cannot be opened: {error.strerror}.") from None
