"""What every graph object shares: names and weights in bits, frozen, equal by value, easy to export.

A graph object is a structure, not a model: it holds no probabilities and no search.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

from pgm_nb.errors import MissingPackageError, StructureError
from pgm_nb.views.graph.dot import to_dot
from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.views.graph.render import draw
from pgm_nb.views.printing import PrintSize
from pgm_nb.words import GLOSSARY, about_class, class_name, in_bits, scale

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["FORMATS", "KINDS", "Edge", "Graph", "Headline", "View"]

SCHEMA = "pgm_nb.graph"
VERSION = 1
KINDS: "dict[str, type[Graph]]" = {}  # every kind of graph that has been defined, by its type name
Value = TypeVar("Value")
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


class View(NamedTuple):
    """One way to look at a kind of graph.

    ``title`` is what a person chooses it by, ``reading`` says how to read the picture. A ``chart`` is drawn
    from numbers rather than from nodes and arcs: `Graph.drawing` does not know it.

    Examples
    --------
    >>> View("Star", "The class points to every attribute.").chart
    False
    """

    title: str
    reading: str
    chart: bool = False


class Headline(NamedTuple):
    """A number that sums up a graph: its label, its value as text, and what it means.

    Examples
    --------
    >>> Headline("Weight", "0.300 bits", "More is better.").value
    '0.300 bits'
    """

    label: str
    value: str
    help: str
    note: str = ""  #: a word to add, such as "proven best"


class Graph(ABC):
    """What every kind of graph shares; kinds are frozen dataclasses.

    A kind says everything about itself: its ``type_name`` in files, in ``about`` how each of its views is
    called and read, its sentences, its headline numbers and its drawings. Defining the class registers it,
    so that `from_json` reads it back.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> star = Star("class", ("age",))
    >>> star.views, star.view("star").title
    (('star',), 'Star')
    """

    type_name: ClassVar[str]
    about: ClassVar[Mapping[str, View]]  #: every view and chart, with its title and how to read it
    views: ClassVar[tuple[str, ...]]  #: the views that are drawn as nodes and arcs
    links_view: ClassVar[str]  #: the view that shows links between attributes (by default the first)
    report_views: ClassVar[tuple[str, ...]]  #: the views that say most (by default the first two)
    divisible: ClassVar[bool] = False  #: whether `part` can draw some of the attributes alone
    link_kind: ClassVar[str] = "link"  #: what a link between two attributes is called

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    relevance: Mapping[str, float] | None = None
    dependence: Mapping[str, float] | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "about" in cls.__dict__:
            cls.views = tuple(name for name, view in cls.about.items() if not view.chart)
            cls.links_view = cls.__dict__.get("links_view", cls.views[0])
            cls.report_views = cls.__dict__.get("report_views", cls.views[:2])
        if "type_name" in cls.__dict__:
            known = KINDS.setdefault(cls.type_name, cls)
            if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
                raise StructureError(
                    f"Two kinds of graph are called {cls.type_name!r}: {known.__qualname__} and "
                    f"{cls.__qualname__}; give one of them another type_name."
                )
            KINDS[cls.type_name] = cls  # a notebook may define its kind again

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

    def to_dot(self, view: str | None = None, *, focus: str | None = None) -> str:
        """Write one of `views` (the first by default) as Graphviz DOT text."""
        return to_dot(self.drawing(view, focus=focus))

    def draw(
        self,
        view: str | None = None,
        *,
        format: str = "svg",
        theme: str = "light",
        dpi: int = 144,
        focus: str | None = None,
        size: PrintSize | None = None,
    ) -> bytes:
        """Draw one of `views` (by default the first) as a dot, svg, png or pdf file, or for print."""
        drawing, legend = self.drawing(view, focus=focus), self.view(view or self.views[0]).reading
        return draw(drawing, format=format, theme=theme, dpi=dpi, size=size, legend=legend)

    def export(self, format: str, view: str | None = None, *, size: PrintSize | None = None) -> bytes:
        """Write the graph as the bytes of a file: one of `FORMATS`, pictures of one of `views`."""
        if format == "json":
            return self.to_json().encode()
        if format == "graphml":
            return self.to_graphml().encode()
        if format not in FORMATS:
            raise StructureError(
                f"A graph is written as {', '.join(FORMATS)}, but {format!r} was asked for; choose one."
            )
        return self.draw(view, format=format, size=size)

    def drawing(self, view: str | None = None, *, focus: str | None = None) -> Drawing:
        """Return one of `views` (by default the first) as nodes and arcs, before it is laid out.

        `focus` is the attribute that the view ``"focus"`` shows, where a kind has one (by default
        `most_relevant`).
        """
        name = self.views[0] if view is None else view
        if name not in self.views:
            known = ", ".join(repr(known) for known in self.views)
            raise StructureError(f"The views of a {self.type_name} are {known}, but {name!r} was asked for.")
        if focus is None:
            return self._drawing(name)
        self._check_attribute(focus)
        if name != "focus":
            raise StructureError(f"Only the view 'focus' shows one attribute, but {name!r} was asked for.")
        return self._focus_drawing(focus)

    @property
    def charts(self) -> tuple[str, ...]:
        """The charts of this graph: views drawn from numbers, in which nothing can be clicked."""
        return tuple(name for name, view in self.about.items() if view.chart)

    def view(self, name: str) -> View:
        """Return the title of a view or chart and how to read it.

        Raises
        ------
        StructureError
            If the kind has no such view.
        """
        if name not in self.about:
            known = ", ".join(repr(known) for known in self.about)
            raise StructureError(f"The views of a {self.type_name} are {known}, but {name!r} was asked for.")
        return self.about[name]

    def sentence(self, view: str | None = None, mark: Callable[[str], str] = str) -> str:
        """Say in a sentence or two what a view (by default the first) shows of this graph.

        `mark` dresses the names in it, for instance in bold.

        Examples
        --------
        >>> from pgm_nb.graphs import Star
        >>> print(Star("disease", ("age", "sex"), {"age": 0.2, "sex": 0.1}).sentence())
        Every attribute depends on disease alone; age says most about it (0.20 bits).
        """
        name = self.views[0] if view is None else view
        self.view(name)
        return self._sentence(name, self.class_words(mark), mark)

    def headlines(self) -> tuple[Headline, ...]:
        """Return the numbers that sum up this graph."""
        if self.relevance is None:
            return ()
        weight = sum(self.relevance.values()) + sum((self.dependence or {}).values())
        return (Headline("Weight" if scale() is None else "Captured", in_bits(weight), GLOSSARY["weight"]),)

    @property
    def most_relevant(self) -> str:
        """The attribute that says most about the class (ties: column order)."""
        return max(self.attributes, key=lambda name: (self.relevance or {}).get(name, 0.0))

    def part(self, names: Collection[str]) -> Self:
        """Return the graph on some of its attributes, with the links between them (if `divisible`).

        Raises
        ------
        StructureError
            For an unknown attribute, a kind that cannot be divided, or a tree that falls apart: all but one
            of the attributes must have their mother among them.

        Examples
        --------
        >>> from pgm_nb.graphs import CherryTree
        >>> cherry = CherryTree("y", ("a", "b", "c"), {"b": "a", "c": "b"})
        >>> dict(cherry.part({"b", "c"}).mothers)
        {'c': 'b'}
        """
        for name in sorted(set(names) - set(self.attributes)):
            self._check_attribute(name)
        if not self.divisible:
            raise StructureError(f"A {self.type_name} is drawn whole; choose one of its views instead.")
        chosen = set(names)
        return self._part(tuple(name for name in self.attributes if name in chosen))

    def around(self, attribute: str, reach: int) -> tuple[str, ...]:
        """Return the attributes within `reach` links of one of them, not counting the class.

        Examples
        --------
        >>> from pgm_nb.graphs import CherryTree
        >>> cherry = CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "b", "d": "c"})
        >>> cherry.around("d", 2)
        ('b', 'c', 'd')
        """
        self._check_attribute(attribute)
        linked = self._linked()
        found, rim = {attribute}, {attribute}
        for _ in range(reach):
            rim = {other for name in rim for other in linked[name]} - found
            found |= rim
        return tuple(name for name in self.attributes if name in found)

    def cut_links(self, names: Collection[str]) -> dict[str, int]:
        """Count for each of some attributes its links to the others, where it has any.

        Examples
        --------
        >>> from pgm_nb.graphs import CherryTree
        >>> cherry = CherryTree("y", ("a", "b", "c", "d"), {"b": "a", "c": "a", "d": "a"})
        >>> cherry.cut_links({"a", "b"})
        {'a': 2}
        """
        chosen, linked = set(names), self._linked()
        counts = {name: len(linked[name] - chosen) for name in self.attributes if name in chosen}
        return {name: count for name, count in counts.items() if count}

    def _repr_svg_(self) -> str | None:
        try:
            return self.draw(format="svg", theme="auto").decode()
        except MissingPackageError:  # a notebook shows the text instead
            return None

    @abstractmethod
    def _drawing(self, view: str) -> Drawing:
        """Build the drawing of one of `views`."""

    def _focus_drawing(self, attribute: str) -> Drawing:
        """Build the view ``"focus"`` of one attribute, where a kind has it."""
        raise NotImplementedError

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        """Say what a view shows; `target` is the class as it is called inside a sentence."""
        alone = f"Every attribute depends on {target} alone"
        if not self.relevance:
            return f"{alone}."
        top = self.most_relevant
        return f"{alone}; {mark(top)} says most about it ({about_class(self.relevance[top], 2)})."

    def class_words(self, mark: Callable[[str], str] = str) -> str:
        """Return what a sentence calls the class: its name, or "the class" where that is its name."""
        named = class_name(self.target)
        return mark(named) if named == self.target else named

    def _part(self, names: tuple[str, ...]) -> Self:
        """Build the graph on some of its attributes, if the kind is divisible."""
        raise NotImplementedError

    def _linked(self) -> dict[str, set[str]]:
        linked: dict[str, set[str]] = {name: set() for name in self.attributes}
        for child, mother in self.mothers.items():
            linked[child].add(mother)
            linked[mother].add(child)
        return linked

    def _check_attribute(self, name: str) -> None:
        if name not in self.attributes:
            raise StructureError(f"The graph has no attribute {name!r}; see `attributes` for their names.")

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
