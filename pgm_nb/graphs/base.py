"""What every graph object shares: names and weights in bits, frozen, equal by value, easy to export.

A graph object is a structure, not a model: it holds no probabilities and no search.
"""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import Field, fields, is_dataclass, replace
from functools import cached_property
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar, get_args, get_origin

from pgm_nb.arrays import MOST_BITS
from pgm_nb.errors import MissingPackageError, StructureError
from pgm_nb.views.graph.dot import to_dot
from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.views.graph.render import draw
from pgm_nb.views.printing import PrintSize
from pgm_nb.words import GLOSSARY, Scale, about_class, class_name, in_bits

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "FORMATS",
    "KINDS",
    "NO_MOTHERS",
    "Edge",
    "Graph",
    "Headline",
    "View",
    "check_mothers",
    "check_names",
    "check_weights",
    "from_json",
    "nested",
    "only",
]

SCHEMA = "pgm_nb.graph"
VERSION = 1
KINDS: "dict[str, type[Graph]]" = {}  # every kind of graph that has been defined, by its type name
Value = TypeVar("Value")
NO_MOTHERS: Mapping[str, str] = MappingProxyType({})  # of kinds in which no attribute has one
JSON_TYPES: dict[Any, tuple[Any, str]] = {  # how a field's type is written in JSON, and what that is called
    str: (str, "text"),
    float: ((int, float), "number"),
    tuple: (list, "list"),
    Sequence: (list, "list"),
    Mapping: (dict, "object"),
}
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
    scale: Scale | None = None  #: what amounts are written as shares of; None writes them in bits

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        self._set(attributes=names, relevance=check_weights("relevance", names, self.relevance))

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
            """The attribute on which each attribute depends most besides the class, where it has one."""

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """The id of every node in pictures."""
        return {name: f"n{place}" for place, name in enumerate(self.nodes)}

    @property
    def nodes(self) -> tuple[str, ...]:
        """The class, then the attributes."""
        return (self.target, *self.attributes)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Arcs from the class (weight in bits), then the arcs between attributes, in attribute order."""
        relevance = self.relevance or {}
        class_arcs = [Edge(self.target, name, "class", relevance.get(name)) for name in self.attributes]
        return (*class_arcs, *self._links())

    def _links(self) -> Iterable[Edge]:
        """Return the arcs between attributes: here from each mother to her child."""
        dependence, mothers = self.dependence or {}, self.mothers
        return [
            Edge(mothers[name], name, "tree", dependence.get(name))
            for name in self.attributes
            if name in mothers
        ]

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
        if focus is not None:
            self._check_attribute(focus)
            if name != "focus":
                raise StructureError(f"Only the view 'focus' shows one attribute; {name!r} was asked for.")
        return self._focus_drawing(focus or self.most_relevant) if name == "focus" else self._drawing(name)

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
        return (self._captured(weight),)

    def _captured(self, weight: float) -> Headline:
        label = "Weight" if self.scale is None else "Captured"
        return Headline(label, in_bits(weight, scale=self.scale), GLOSSARY["weight"])

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
        kept = self._kept(tuple(name for name in self.attributes if name in chosen))
        return replace(self, **kept).in_shares(self.scale)

    def in_shares(self, scale: Scale | None) -> Self:
        """Return the same graph, whose sentences and pictures write amounts as shares; None writes bits.

        Examples
        --------
        >>> from pgm_nb.graphs import Star
        >>> from pgm_nb.words import Scale
        >>> print(Star("disease", ("age",), {"age": 0.2}).in_shares(Scale(of_class=0.8)).sentence())
        Every attribute depends on disease alone; age says most about it (25%).
        """
        if scale == self.scale:
            return self
        shown = copy(self)
        shown._set(scale=scale)
        return shown

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
        amount = about_class(self.relevance[top], 2, scale=self.scale)
        return f"{alone}; {mark(top)} says most about it ({amount})."

    def class_words(self, mark: Callable[[str], str] = str) -> str:
        """Return what a sentence calls the class: its name, or "the class" where that is its name."""
        named = class_name(self.target)
        return mark(named) if named == self.target else named

    def _kept(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the fields of the graph on some of its attributes, where they differ (if divisible)."""
        return {"attributes": names, "relevance": only(self.relevance, names)}

    def _linked(self) -> dict[str, set[str]]:
        linked: dict[str, set[str]] = {name: set() for name in self.attributes}
        for edge in self.edges:
            if edge.kind == "tree":
                linked[edge.source].add(edge.target)
                linked[edge.target].add(edge.source)
        return linked

    def _check_attribute(self, name: str) -> None:
        if name not in self.attributes:
            raise StructureError(f"The graph has no attribute {name!r}; see `attributes` for their names.")

    def _plain(self) -> dict[str, Any]:
        """Return the constructor's arguments as plain lists, dicts and strings."""
        return {field.name: _plain_value(getattr(self, field.name)) for field in fields(self)}

    def _set(self, **values: object) -> None:
        """Store checked values on the frozen instance (only while it is made)."""
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


def from_json(text: str) -> Graph:
    """Read a graph object from the text written by its ``to_json``.

    Raises
    ------
    StructureError
        If the text is not JSON, not a graph of ours, of a later version, or not a valid graph.

    Examples
    --------
    >>> from pgm_nb.graphs import Star
    >>> star = Star("disease", ("age", "pulse"))
    >>> from_json(star.to_json()) == star
    True
    """
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise StructureError(f"A graph file holds JSON, but this text is not JSON ({error}).") from error
    if not isinstance(content, dict) or content.pop("schema", None) != SCHEMA:
        raise StructureError(
            f'A graph file says "schema": {SCHEMA!r}, but this text does not; is it a file of another kind?'
        )
    version = content.pop("version", None)
    if version != VERSION:
        raise StructureError(
            f"Graph files of version {VERSION} can be read, but this one is of version {version!r}; "
            "update pgm_nb."
        )
    name = content.pop("type", None)
    if not isinstance(name, str) or name not in KINDS:
        raise StructureError(f"The type of a graph is one of {', '.join(KINDS)}, but this one is {name!r}.")
    _check_fields(KINDS[name], content)
    return KINDS[name](**content)


def _check_fields(kind: type[Graph], content: dict[str, Any]) -> None:
    """Check the names and the JSON types of the fields; the constructor checks what they mean."""
    expected = {field.name for field in fields(kind)}
    if set(content) != expected:
        odd = ", ".join(sorted(set(content) ^ expected))
        raise StructureError(
            f"A {kind.type_name} has the fields {', '.join(sorted(expected))}, "
            f"but these are missing or unknown: {odd}."
        )
    for field in fields(kind):
        value, wanted = content[field.name], _json_types(field.type)
        known = [JSON_TYPES[one] for one in wanted if one in JSON_TYPES]
        if known and not any(isinstance(value, python) for python, _ in known):
            if value is None and NoneType in wanted:
                continue
            raise StructureError(
                f"The field {field.name!r} of a {kind.type_name} must be a JSON {known[0][1]}: {value!r}."
            )


def _json_types(annotation: Any) -> tuple[Any, ...]:
    """Return the types that a field may have, without their parameters."""
    options = get_args(annotation) if isinstance(annotation, UnionType) else (annotation,)
    return tuple(get_origin(one) or one for one in options)


def _plain_value(value: Any) -> Any:
    """Return a value of a graph as JSON writes it, and as it can be pickled."""
    if isinstance(value, Mapping):
        return {name: _plain_value(each) for name, each in value.items()}
    if is_dataclass(value):
        return {field.name: _plain_value(getattr(value, field.name)) for field in fields(value)}
    return [_plain_value(each) for each in value] if isinstance(value, tuple) else value


def nested(
    values: Mapping[str, Mapping[str, Value]], names: Iterable[str] | None = None
) -> Mapping[str, Mapping[str, Value]]:
    """Return a read-only copy of mappings in a mapping; with `names`, of those and in that order."""
    order = values if names is None else [name for name in names if name in values]
    return MappingProxyType({name: MappingProxyType(dict(values[name])) for name in order})


def only(values: Mapping[str, Value] | None, names: Collection[str]) -> dict[str, Value] | None:
    """Return the values of some names; None stays None."""
    return None if values is None else {name: value for name, value in values.items() if name in names}


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
        raise StructureError("A graph needs at least one attribute besides the class, but none was given.")
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
        if not isinstance(weights[name], int | float) or not abs(weights[name]) <= MOST_BITS:
            raise StructureError(
                f"The {what} of {name!r} must be a finite number of bits, but it is {weights[name]!r}; at "
                f"most {MOST_BITS:,.0f} are possible."
            )
    return MappingProxyType({name: float(weights[name]) for name in names})
