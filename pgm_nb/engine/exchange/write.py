"""The network of a model as a file: Bayesian in BIF, XMLBIF, XDSL (GeNIe), NET (Hugin), also Markov in UAI.

In all five a table lists the child's states fastest, then those of its last parent: the order of our arrays.
Numbers are written without an exponent, which not every reader accepts, and so that they read back equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd

from pgm_nb.engine.exchange.names import BESIDE, Note, safe_names
from pgm_nb.engine.junction import JunctionTree
from pgm_nb.engine.variables import Potential, Variables
from pgm_nb.errors import DataError
from pgm_nb.graphs import Graph
from pgm_nb.tables.families import all_mothers_first
from pgm_nb.words import listed

__all__ = ["FORMATS", "markov_files", "network_files", "written_network"]

MOST_NUMBERS = 20_000_000  # probabilities in a file: half a gigabyte of text


@dataclass(frozen=True, eq=False)
class NetworkNode:
    """One variable of the network under its safe name, with P(x | parents) as (parents' states ..., x)."""

    name: str
    states: tuple[str, ...]
    parents: tuple[NetworkNode, ...]
    table: np.ndarray

    @property
    def rows(self) -> list[str]:
        """P(x | parents) as text, a line for each combination of the parents' states."""
        return [" ".join(row) for row in self.texts.reshape(-1, len(self.states)).tolist()]

    @property
    def texts(self) -> np.ndarray:
        """P(x | parents) with every number as text."""
        return _texts(self.table)


def network_files(
    tree: JunctionTree, structure: Graph, format: str, stem: str = "network", about: str = ""
) -> dict[str, bytes]:
    """Write the Bayesian network (class -> attributes, mother -> child) for other programs.

    Names and states are made safe; the real ones travel in a comment inside the file or, with UAI, in
    ``<stem>.names.json`` beside it. `read_names` and `read_structure` find them there.

    Parameters
    ----------
    tree : JunctionTree
        The distribution; its evidence is ignored.
    structure : Graph
        The structure, along whose mothers the network is oriented.
    format : str
        One of `FORMATS`, which is also the ending of the file.
    stem : str
        Name of the file without its ending.
    about : str
        What a reader of the file should know, for a comment in it.

    Returns
    -------
    dict of str to bytes
        {file name: content}.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.TreeAugmentedNaiveBayes().fit(*pnb.load_sample("iris"))
    >>> files = network_files(model.junction_tree(), model.structure_, "uai", stem="iris")
    >>> list(files)
    ['iris.uai', 'iris.names.json']
    >>> files["iris.uai"].split()[:7]
    [b'BAYES', b'5', b'3', b'9', b'9', b'10', b'10']
    """
    above = _mothers(tree)
    given = {name: above[name] for name in all_mothers_first(structure.attributes, above)}
    return written_network(tree.variables, given, tree.conditionals, structure, format, stem, about)


def written_network(
    variables: Variables,
    given: Mapping[str, Sequence[str]],
    conditionals: Callable[[], Mapping[str, np.ndarray]],
    structure: Graph,
    format: str,
    stem: str = "network",
    about: str = "",
) -> dict[str, bytes]:
    """Write a Bayesian network in which the class and some others are the parents of every attribute.

    Parameters
    ----------
    variables : Variables
        The class and the attributes.
    given : mapping of str to sequence of str
        The parents of each attribute besides the class, in the order of the axes of its table; every parent
        stands before her children.
    conditionals : callable
        Returns P(y) and P(x | y, parents) by name, as (classes, parents' states ..., states).
    structure, format, stem, about
        As in `network_files`.
    """
    if format not in WRITERS:
        raise DataError(f"the format of a network must be one of {listed(FORMATS)}, but is {format!r}.")
    _check_size(variables, given)
    names = safe_names({name: variables[name].labels for name in (structure.target, *given)})
    tables = conditionals()
    nodes: dict[str, NetworkNode] = {}
    for safe, name in names.variables.items():
        mothers = [nodes[mother] for mother in given.get(name, ())]
        parents = () if name == structure.target else (nodes[structure.target], *mothers)
        nodes[name] = NetworkNode(safe, tuple(names.states[safe]), parents, tables[name])
    note = Note(names, structure, about)
    notes = [about, note.comment()] if about else [note.comment()]
    files = {f"{stem}.{format}": WRITERS[format](list(nodes.values()), notes).encode()}
    return files | ({f"{stem}{BESIDE}": note.to_json().encode()} if format == "uai" else {})


def markov_files(
    variables: Variables, potentials: Sequence[Potential], structure: Graph, stem: str, about: str
) -> dict[str, bytes]:
    """Write a Markov network in UAI: a potential of the class, then one per attribute, last in its scope."""
    _check_size(variables, {names[-1]: names[1:-1] for names in (each.names for each in potentials[1:])})
    order = [potential.names[-1] for potential in potentials]
    names = safe_names({name: variables[name].labels for name in order})
    factors = [([order.index(name) for name in each.names], each.table) for each in potentials]
    text = _uai_text("MARKOV", [len(variables[name].labels) for name in order], factors)
    note = Note(names, structure, about)
    return {f"{stem}.uai": text.encode(), f"{stem}{BESIDE}": note.to_json().encode()}


def _mothers(tree: JunctionTree) -> dict[str, list[str]]:
    """Return the mothers of every attribute, in the order of the axes of its table."""
    names = [variable.name for variable in tree.variables.attributes]
    places = zip(names, tree.factors.given, strict=True)
    return {name: [names[mother] for mother in mothers] for name, mothers in places}


def _check_size(variables: Variables, given: Mapping[str, Sequence[str]]) -> None:
    """Refuse a network whose file nobody could open."""
    target = variables.target.name
    cards = {name: len(variables[name].labels) for name in (target, *given)}
    sizes = {
        name: prod([cards[target], cards[name], *(cards[mother] for mother in mothers)])
        for name, mothers in given.items()
    }
    if sum(sizes.values()) > MOST_NUMBERS:
        name = max(sizes, key=sizes.__getitem__)
        above = "".join(f" and {cards[mother]:,} of {mother!r}" for mother in given[name])
        raise DataError(
            f"the network has {sum(sizes.values()):,} probabilities, and a file may hold {MOST_NUMBERS:,}: "
            f"most are for the {cards[name]:,} states of {name!r}{above}. Merge rare states, or leave the "
            "column out."
        )


def _bif(nodes: list[NetworkNode], notes: Sequence[str]) -> str:
    lines = [*(f"// {note}" for note in notes), "network unknown {", "}"]
    for node in nodes:
        states = ", ".join(node.states)
        lines += [f"variable {node.name} {{", f"  type discrete [ {len(node.states)} ] {{ {states} }};", "}"]
    for node in nodes:
        given = ", ".join(parent.name for parent in node.parents)
        lines.append(f"probability ( {node.name}{' | ' if given else ''}{given} ) {{")
        for combination, row in zip(
            product(*(parent.states for parent in node.parents)), node.rows, strict=True
        ):
            start = f"({', '.join(combination)})" if combination else "table"
            lines.append(f"  {start} {row.replace(' ', ', ')};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _xmlbif(nodes: list[NetworkNode], notes: Sequence[str]) -> str:
    root = ET.Element("BIF", VERSION="0.3")
    network = ET.SubElement(root, "NETWORK")
    _add(network, "NAME", "unknown")
    for node in nodes:
        variable = ET.SubElement(network, "VARIABLE", TYPE="nature")
        _add(variable, "NAME", node.name)
        for state in node.states:
            _add(variable, "OUTCOME", state)
    for node in nodes:
        definition = ET.SubElement(network, "DEFINITION")
        _add(definition, "FOR", node.name)
        for parent in node.parents:
            _add(definition, "GIVEN", parent.name)
        _add(definition, "TABLE", " ".join(node.rows))
    return _xml(root, notes)


def _xdsl(nodes: list[NetworkNode], notes: Sequence[str]) -> str:
    root = ET.Element("smile", version="1.0", id="network", numsamples="1000")
    inside = ET.SubElement(root, "nodes")
    for node in nodes:
        cpt = ET.SubElement(inside, "cpt", id=node.name)
        for state in node.states:
            ET.SubElement(cpt, "state", id=state)
        if node.parents:
            _add(cpt, "parents", " ".join(parent.name for parent in node.parents))
        _add(cpt, "probabilities", " ".join(node.rows))
    ET.SubElement(ET.SubElement(root, "extensions"), "genie", version="1.0")  # pyAgrum wants it
    return _xml(root, notes)


def _net(nodes: list[NetworkNode], notes: Sequence[str]) -> str:
    lines = [*(f"% {note}" for note in notes), "net {", "}"]
    for node in nodes:
        states = " ".join(f'"{state}"' for state in node.states)
        lines += [f"node {node.name} {{", f"  states = ( {states} );", "}"]
    for node in nodes:
        given = " ".join(parent.name for parent in node.parents)
        lines.append(f"potential ( {node.name}{' | ' if given else ''}{given} ) {{")
        lines += [f"  data = {_nested(node.texts)};", "}"]
    return "\n".join(lines) + "\n"


def _uai(nodes: list[NetworkNode], notes: Sequence[str]) -> str:
    place = {node.name: number for number, node in enumerate(nodes)}
    factors = [([place[member.name] for member in (*node.parents, node)], node.table) for node in nodes]
    return _uai_text("BAYES", [len(node.states) for node in nodes], factors)


def _uai_text(kind: str, cards: list[int], factors: Sequence[tuple[list[int], np.ndarray]]) -> str:
    """Return a network of numbered variables: their numbers of states, the scopes, the tables."""
    lines = [kind, f"{len(cards)}", " ".join(map(str, cards)), f"{len(factors)}"]
    lines += [f"{len(scope)} {' '.join(map(str, scope))}" for scope, _ in factors]
    for _, table in factors:
        rows = _texts(table).reshape(-1, table.shape[-1]).tolist()
        lines += ["", f"{table.size}", *(" ".join(row) for row in rows)]
    return "\n".join(lines) + "\n"


WRITERS: dict[str, Callable[[list[NetworkNode], Sequence[str]], str]] = {
    "bif": _bif,
    "xmlbif": _xmlbif,
    "bifxml": _xmlbif,  # the ending pyAgrum knows
    "xdsl": _xdsl,
    "net": _net,
    "uai": _uai,
}
FORMATS = tuple(WRITERS)


def _texts(table: np.ndarray) -> np.ndarray:
    """Return every number as text; most tables repeat few numbers, written once each."""
    place, values = pd.factorize(table.ravel())
    words = [np.format_float_positional(value, trim="0") for value in values]
    return np.array(words, dtype=object)[place].reshape(table.shape)


def _nested(texts: np.ndarray) -> str:
    inside = " ".join(texts.tolist()) if texts.ndim == 1 else "".join(map(_nested, texts))
    return f"({inside})"


def _add(parent: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(parent, tag).text = text


def _xml(root: ET.Element, notes: Sequence[str]) -> str:
    ET.indent(root)
    comments = "".join(f"<!-- {note} -->\n" for note in notes)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{comments}{ET.tostring(root, encoding="unicode")}\n'
