"""A drawn network as nodes and parents, and the star, tree or cherry tree that it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from pgm_nb.engine.exchange.names import NameMap, Note, find_note, note_inside
from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import CherryTree, Graph, Star, Tree, from_json, mothers_first
from pgm_nb.words import listed

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "Arcs",
    "parse_bif",
    "parse_graphml",
    "parse_structure",
    "parse_xmlbif",
    "read_names",
    "read_structure",
    "to_structure",
]

MOST_NODES = 5_000


@dataclass(frozen=True)
class Arcs:
    """Nodes in the order of the file, and the parents of each.

    Two are equal when they have the same nodes and arcs, in whatever order.

    Examples
    --------
    >>> Arcs(("y", "a"), {"a": ("y",)}) == Arcs(("a", "y"), {"a": ["y"], "y": []})
    True
    """

    nodes: Sequence[str] = field(compare=False)
    parents: Mapping[str, Sequence[str]]

    def __post_init__(self) -> None:
        if len(self.nodes) > MOST_NODES:
            raise StructureError(f"there are {len(self.nodes):,} nodes, and at most {MOST_NODES:,} are read.")
        twice = [node for node, times in Counter(self.nodes).items() if times > 1]
        if twice:
            raise StructureError(f"the node {twice[0]!r} is declared twice; rename one.")
        full = {node: tuple(sorted(set(self.parents.get(node, ())))) for node in self.nodes}
        for child, parents in self.parents.items():
            unknown = [name for name in (child, *parents) if name not in full]
            if unknown:
                raise StructureError(
                    f"an arc names {unknown[0]!r}, which is not among the nodes; declare it."
                )
        object.__setattr__(self, "parents", full)

    @classmethod
    def of(cls, structure: Graph) -> Arcs:
        """Take the arcs of a structure."""
        parents: dict[str, list[str]] = {}
        for edge in structure.edges:
            parents.setdefault(edge.target, []).append(edge.source)
        return cls(structure.nodes, parents)

    def renamed(self, names: Mapping[str, str]) -> Arcs:
        """Give the nodes their real names, as far as these are known."""
        return Arcs(
            [names.get(node, node) for node in self.nodes],
            {
                names.get(child, child): [names.get(parent, parent) for parent in parents]
                for child, parents in self.parents.items()
            },
        )


def to_structure(arcs: Arcs, kind: str | None = None) -> Graph:
    """Return the star (no arcs but those of the class), the tree or, if `kind` names one, the cherry tree.

    Examples
    --------
    >>> to_structure(Arcs(("y", "a", "b"), {"a": ("y",), "b": ("a", "y")}))
    <Tree: class 'y', 2 attributes>
    >>> to_structure(Arcs(("y", "a", "b"), {"a": ("y",), "b": ("y",)}))
    <Star: class 'y', 2 attributes>
    """
    target = _class_node(arcs)
    attributes = [node for node in arcs.nodes if node != target]
    mothers: dict[str, str] = {}
    for node in attributes:
        further = [parent for parent in arcs.parents[node] if parent != target]
        if len(further) > 1:
            raise StructureError(
                f"besides the class {target!r} an attribute has at most one parent, but {node!r} has "
                f"{len(further)}: {listed(further)}; keep one of them."
            )
        if further:
            mothers[node] = further[0]
    if not mothers and (len(attributes) > 1 or kind not in (Tree.type_name, CherryTree.type_name)):
        return Star(target, tuple(attributes))
    tree = Tree(target, tuple(attributes), mothers)  # refuses a cycle and a second root
    if kind != CherryTree.type_name:
        return tree
    return CherryTree(target, tuple(mothers_first(attributes, mothers)), mothers)


def _class_node(arcs: Arcs) -> str:
    """Find the node that is a parent of all others and has none itself."""
    if len(arcs.nodes) < 2:
        raise StructureError(f"a class and an attribute are needed, but the nodes are: {listed(arcs.nodes)}.")
    missing = {
        node: [other for other in arcs.nodes if other != node and node not in arcs.parents[other]]
        for node in arcs.nodes
    }
    nearest = min(missing, key=lambda node: len(missing[node]))
    if missing[nearest]:
        raise StructureError(
            "one node, the class, must be a parent of all others, but none is; the closest is "
            f"{nearest!r}, which has no arc to {listed(missing[nearest])}: add the missing arcs."
        )
    if arcs.parents[nearest]:
        raise StructureError(
            f"the class {nearest!r}, a parent of all others, must not have a parent itself, but "
            f"{arcs.parents[nearest][0]!r} points to it; reverse or remove this arc."
        )
    return nearest


TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?(?:\*/|\Z)   # comments; what is not closed ends with the text, read once
      | "(?:[^"\\]|\\.)*(?:"|\Z)      # a quoted name
      | [{}()|,;] | [^\s{}()|,;"]+""",
    re.VERBOSE | re.DOTALL,
)
CLOSED = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*\*/', re.DOTALL)


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
            raise DataError(f"this is not BIF: no block begins with {' '.join([keyword, *head])[:60]!r}.")
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
        if token.startswith(('"', "/*")) and not CLOSED.fullmatch(token):
            raise DataError("this is not BIF: a quoted name or a comment is not closed.")
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
        raise DataError("this is not BIF: its braces do not match, or text follows the last block.")


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
        raise DataError("this is not XMLBIF: it has no NETWORK.")
    parents = {
        _text(definition, "FOR"): [(given.text or "").strip() for given in definition.findall("GIVEN")]
        for definition in network.findall("DEFINITION")
    }
    return Arcs([_text(variable, "NAME") for variable in network.findall("VARIABLE")], parents)


def parse_xml(data: bytes) -> ET.Element:
    """Parse XML; anything else is refused, and so is text that stands for other text."""
    if (
        b"<!ENTITY" in data
        or "<!ENTITY".encode("utf-16-le") in data
        or "<!ENTITY".encode("utf-16-be") in data
    ):
        raise DataError("it declares entities, which a network does not need: save it again without them.")
    try:
        return ET.fromstring(data)
    except (ET.ParseError, LookupError, ValueError) as error:  # the latter two: an unknown encoding
        raise DataError(f"this is not XML ({error}): save it again.") from None


def _text(element: ET.Element, tag: str) -> str:
    text = element.findtext(tag, "").strip()
    if not text:
        raise DataError(f"this is not XMLBIF: a {element.tag} has no {tag}.")
    return text


def parse_graphml(data: bytes) -> Graph:
    """Read a structure from the bytes of a GraphML file.

    The class is the node marked as such (``kind`` is ``class``; its arcs may then be left out), or else the
    one with arrows to all others. Nodes are called by their ``label`` or ``name`` where they all have one.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> star = Star("disease", ("age", "pulse"), {"age": 0.2, "pulse": 0.1})
    >>> parse_graphml(star.to_graphml().encode()) == star
    True
    """
    graph = _named(_drawn(data))
    parents: dict[str, list[str]] = {node: [] for node in graph}
    for source, target in graph.edges():
        parents[target].append(source)
    marked = [node for node, kind in graph.nodes(data="kind") if kind == "class"]
    if len(marked) == 1:
        parents = {node: [*above, *marked] if node != marked[0] else above for node, above in parents.items()}
    structure = to_structure(Arcs(list(graph), parents), graph.graph.get("type"))
    return _weighted(structure, graph)


def _drawn(data: bytes) -> nx.DiGraph[str]:
    """Let networkx parse the file."""
    import networkx as nx

    parse_xml(data)
    try:
        graph = nx.read_graphml(BytesIO(data))
    except (nx.NetworkXException, KeyError, ValueError) as error:
        raise DataError(f"this is not GraphML that can be read ({error}): save it again.") from None
    if not graph.is_directed():
        raise StructureError(
            "the arcs have no direction; draw arrows from the class to all others and from mother to child."
        )
    return graph


def _named(graph: nx.DiGraph[str]) -> nx.DiGraph[str]:
    """Call the nodes by their labels: drawing programs number them."""
    import networkx as nx

    for key in ("label", "name"):
        names = dict(graph.nodes(data=key))
        if all(names.values()):
            if len(set(names.values())) < len(names):
                raise StructureError(f"two nodes have the same {key}; every node needs its own.")
            return nx.relabel_nodes(graph, {node: str(name).strip() for node, name in names.items()})
    return graph


def _weighted(structure: Graph, graph: nx.DiGraph[str]) -> Graph:
    """Add the weights in bits, if the file is ours and has all of them."""
    if graph.graph.get("type") != structure.type_name:
        return structure
    weights: dict[str, Any] = {}
    for kind, word in (("class", "relevance"), ("tree", "dependence")):
        arcs = [edge for edge in structure.edges if edge.kind == kind]
        bits = {arc.target: graph.edges.get(arc[:2], {}).get("weight") for arc in arcs}
        if bits and None not in bits.values():
            weights[word] = bits
    return replace(structure, **weights)


NETWORKS: dict[str, Callable[[bytes], Arcs]] = {
    ".bif": parse_bif,
    ".xmlbif": parse_xmlbif,
    ".bifxml": parse_xmlbif,
    ".xml": parse_xmlbif,
}
ENDINGS = (".json", ".graphml", *NETWORKS)
MOST_BYTES = 20_000_000  # of a file; large networks with their tables are smaller


def read_structure(path: str | Path) -> Graph:
    """Read a star, tree or cherry tree from JSON, BIF, XMLBIF or GraphML, by the ending of the file.

    A network can be read if one node, the class, is a parent of all others and these have at most one
    further parent. A file of ours gives back the structure it was written from, with the real names.

    Raises
    ------
    DataError
        If the file is not there, is of another kind or cannot be parsed.
    StructureError
        If the graph is no star, tree or cherry tree: no class, too many parents, a cycle, several roots.

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
    kind = _kind(path.name)
    data = _content(path)
    return _parsed(path.name, kind, data, partial(find_note, path))


def parse_structure(name: str, data: bytes) -> Graph:
    """Read a structure from the content of a file; its name says of which kind it is.

    As `read_structure`, but nothing beside the content is looked at.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> parse_structure("mine.json", Star("y", ("a",)).to_json().encode())
    <Star: class 'y', 1 attributes>
    """
    return _parsed(name, _kind(name), data, note_inside)


def _kind(name: str) -> str:
    kind = Path(name).suffix.lower()
    if kind not in ENDINGS:
        raise DataError(f"{name} is of an unknown kind: save the structure as one of {listed(ENDINGS)}.")
    return kind


def _parsed(name: str, kind: str, data: bytes, find: Callable[[str], Note | None]) -> Graph:
    if len(data) > MOST_BYTES:
        raise DataError(
            f"{name} has {len(data):,} bytes, and a structure at most {MOST_BYTES:,}: save it "
            "without tables, or as JSON or GraphML."
        )
    try:
        if kind == ".json":
            return from_json(data.decode("utf-8-sig"))
        if kind == ".graphml":
            return parse_graphml(data)
        arcs = NETWORKS[kind](data)
        return _from_network(find(data.decode("utf-8", errors="replace")), arcs)
    except UnicodeDecodeError:
        raise DataError(f"{name} is not UTF-8 text: save it with that encoding.") from None
    except RecursionError:
        raise DataError(
            f"{name} is nested too deeply to be a structure: is it a file of another kind?"
        ) from None
    except (DataError, StructureError) as error:
        raise type(error)(f"{name}: {error}") from None


def _from_network(note: Note | None, arcs: Arcs) -> Graph:
    """Return the structure noted with the file if its arcs are still the same, else the one drawn."""
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
    >>> from pgm_nb.engine.exchange import network_files
    >>> model = pnb.NaiveBayes().fit(*pnb.load_sample("iris"))
    >>> path = Path(tempfile.mkdtemp()) / "iris.net"
    >>> _ = path.write_bytes(network_files(model.junction_tree(), model.structure_, "net")["network.net"])
    >>> read_names(path).variables["petal_width"]
    'petal width'
    """
    path = Path(path)
    note = find_note(path, _content(path).decode("utf-8", errors="replace"))
    if note is None:
        raise DataError(f"{path.name} contains no original names: only networks written by pgm_nb do.")
    return note.names


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {str(path)!r}: check the name and the folder.") from None
    except OSError as error:
        raise DataError(f"{str(path)!r} cannot be opened: {error.strerror}.") from None
