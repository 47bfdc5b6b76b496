"""What every graph object shares: names and weights in bits, frozen, equal by value, easy to carry elsewhere.

A graph object is a structure, not a model: it holds no probabilities and no search.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pgm_nb.errors import StructureError

if TYPE_CHECKING:
    import networkx as nx

    from pgm_nb.views.dot import Drawing

__all__ = ["FORMATS", "SCHEMA", "VERSION", "Edge", "Graph"]

SCHEMA = "pgm_nb.graph"
VERSION = 1
FORMATS = ("dot", "svg", "png", "pdf", "json", "graphml")  # what `Graph.export` writes


class Edge(NamedTuple):
    """One arc of a graph.

    ``kind`` is ``"class"`` (class to attribute, weight I(Xi;Y)) or ``"tree"`` (mother to child, weight
    I(Xi;Xm|Y)); ``weight`` is in bits, None when the graph carries no weights.

    Examples
    --------
    >>> Edge("class", "age", "class", 0.25).weight
    0.25
    """

    source: str
    target: str
    kind: str
    weight: float | None


class Graph(ABC):
    """The shared part of `Star`, `Tree` and `CherryTree`; subclasses are frozen dataclasses.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> isinstance(Star("class", ("age",)), Graph)
    True
    """

    type_name: ClassVar[str]
    views: ClassVar[tuple[str, ...]]

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    relevance: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None

    if TYPE_CHECKING:  # fields or properties of the subclasses

        @property
        def target(self) -> str:
            """Name of the class."""

        @property
        def attributes(self) -> tuple[str, ...]:
            """Names of the attributes."""

        @property
        def mothers(self) -> Mapping[str, str]:
            """The mother of every attribute that has one."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The class, then the attributes."""
        return (self.target, *self.attributes)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Class arcs in attribute order, then tree arcs (mother to child) in attribute order."""
        relevance, dependence = self.relevance or {}, self.dependence or {}
        class_arcs = [Edge(self.target, name, "class", relevance.get(name)) for name in self.attributes]
        tree_arcs = [
            Edge(self.mothers[name], name, "tree", dependence.get(name))
            for name in self.attributes
            if name in self.mothers
        ]
        return (*class_arcs, *tree_arcs)

    def to_networkx(self) -> "nx.DiGraph[str]":
        """Copy into a fresh ``networkx.DiGraph``; ``kind`` and ``weight`` become attributes of its edges."""
        import networkx as nx

        graph = nx.DiGraph(target=self.target, type=self.type_name)
        graph.add_node(self.target, kind="class")
        graph.add_nodes_from(self.attributes, kind="attribute")
        for edge in self.edges:
            weight = {} if edge.weight is None else {"weight": edge.weight}
            graph.add_edge(edge.source, edge.target, kind=edge.kind, **weight)
        return graph

    def to_graphml(self) -> str:
        """Write the directed graph as GraphML text (for Gephi, yEd, Cytoscape, igraph)."""
        import networkx as nx

        for name in self.nodes:
            if not all(character.isprintable() or character in " \t\n" for character in name):
                raise StructureError(
                    f"GraphML holds printable names only, but one is {name!r}; rename it, or export JSON."
                )
        return "\n".join(nx.generate_graphml(self.to_networkx())) + "\n"

    def to_json(self) -> str:
        """Write the graph as JSON text; `pgm_nb.graphs.from_json` reads it back equal."""
        head = {"schema": SCHEMA, "version": VERSION, "type": self.type_name}
        return json.dumps(head | self._plain(), allow_nan=False)

    def to_dot(self, view: str | None = None) -> str:
        """Write one of `views` (the first by default) as Graphviz DOT text."""
        from pgm_nb.views.dot import to_dot

        return to_dot(self.drawing(view))

    def draw(
        self, view: str | None = None, *, format: str = "svg", theme: str = "light", dpi: int = 144
    ) -> bytes:
        """Draw one of `views` (by default the first) as the bytes of a dot, svg, png or pdf file."""
        from pgm_nb.views.render import draw

        return draw(self.drawing(view), format=format, theme=theme, dpi=dpi)

    def export(self, format: str, view: str | None = None) -> bytes:
        """Write the graph as the bytes of a file: one of `FORMATS`, pictures of one of `views`."""
        if format == "json":
            return self.to_json().encode()
        if format == "graphml":
            return self.to_graphml().encode()
        if format not in FORMATS:
            raise StructureError(
                f"A graph is written as {', '.join(FORMATS)}, but {format!r} was asked for; choose one."
            )
        return self.draw(view, format=format)

    def drawing(self, view: str | None = None) -> "Drawing":
        """Return one of `views` (by default the first) as nodes and arcs, before it is laid out."""
        name = self.views[0] if view is None else view
        if name not in self.views:
            known = ", ".join(repr(known) for known in self.views)
            raise StructureError(f"The views of a {self.type_name} are {known}, but {name!r} was asked for.")
        return self._drawing(name)

    def _repr_svg_(self) -> str:
        return self.draw(format="svg", theme="auto").decode()

    @abstractmethod
    def _drawing(self, view: str) -> "Drawing":
        """Build the drawing of one of `views`."""

    def _plain(self) -> dict[str, Any]:
        """Return the constructor's arguments as plain lists, dicts and strings."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: dict(value)
            if isinstance(value, Mapping)
            else list(value)
            if isinstance(value, tuple)
            else value
            for name, value in values.items()
        }

    def _set(self, **values: object) -> None:
        """Store checked values on the frozen instance (only from ``__post_init__``)."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._plain() == other._plain()

    def __hash__(self) -> int:
        return hash((self.type_name, self.target, self.attributes, frozenset(self.mothers.items())))

    def __reduce__(self) -> tuple[type["Graph"], tuple[Any, ...]]:
        return type(self), tuple(self._plain().values())  # read-only mappings do not pickle; plain ones do

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: class {self.target!r}, {len(self.attributes)} attributes>"


def check_names(target: str, attributes: Iterable[str]) -> tuple[str, ...]:
    """Check that the class and the attributes are distinct strings, and return the attributes as a tuple."""
    if isinstance(attributes, str):
        raise StructureError(
            f"The attributes must be a list of names, but one text was given: {attributes!r}."
        )
    names = tuple(attributes)
    for name in (target, *names):
        if not isinstance(name, str):
            raise StructureError(
                f"Names must be text, but {name!r} is of type {type(name).__name__}; convert it with str()."
            )
    if not names:
        raise StructureError("A graph needs at least one attribute beside the class, but none was given.")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise StructureError(
            f"Attribute names must differ, but {twice[0]!r} appears more than once; rename one."
        )
    if target in names:
        raise StructureError(
            f"The class {target!r} is also among the attributes; leave it out there or rename one."
        )
    return tuple(str(name) for name in names)


def check_mothers(names: tuple[str, ...], mothers: Mapping[str, str]) -> None:
    """Check that every child and every mother is one of the attributes, and no attribute its own mother."""
    known = set(names)
    for child, mother in mothers.items():
        if child not in known:
            raise StructureError(f"A mother is given for {child!r}, which is not among the attributes.")
        if not isinstance(mother, str) or mother not in known:
            raise StructureError(
                f"The mother of {child!r} must be one of the attributes, but {mother!r} is not among them."
            )
        if mother == child:
            raise StructureError(
                f"The attribute {child!r} is given as its own mother; choose another attribute."
            )


def check_weights(
    what: str, names: Iterable[str], weights: Mapping[str, float] | None
) -> Mapping[str, float] | None:
    """Check that each name has one finite weight, and return them read-only in that order."""
    if weights is None:
        return None
    names = tuple(names)
    missing = [name for name in names if name not in weights]
    if missing:
        raise StructureError(
            f"The {what} of {missing[0]!r} is missing; give one for every name, or none at all."
        )
    extra = set(weights) - set(names)
    if extra:
        raise StructureError(
            f"A {what} is given for {min(extra, key=str)!r}, which has no such arc; leave it out."
        )
    for name in names:
        if not isinstance(weights[name], int | float) or not isfinite(weights[name]):
            raise StructureError(
                f"The {what} of {name!r} must be a finite number of bits, but it is {weights[name]!r}."
            )
    return MappingProxyType({name: float(weights[name]) for name in names})
