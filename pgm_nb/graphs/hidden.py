"""Hidden parents: every attribute hangs on the class and on a hidden parent mixed from other attributes."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum, isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Edge, Graph, check_names, check_weights

if TYPE_CHECKING:
    from pgm_nb.views.dot import Drawing

__all__ = ["HiddenParents"]

ROUNDING = 1e-9  # by which the weights of a mixture may miss one

Weights = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False, repr=False)
class HiddenParents(Graph):
    """The graph of hidden naive Bayes (Jiang, Zhang, Cai 2009).

    The hidden parent of an attribute stands for all its contributors at once: P(ai | hidden parent, c) is
    the mixture of P(ai | aj, c) with the weights W_ij.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    weights : mapping of str to mapping of str to float
        For every attribute that has a hidden parent the contributors and their weights W_ij: shares between
        0 and 1 (no bits) that sum to one.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.

    Examples
    --------
    >>> graph = HiddenParents("disease", ("age", "sex", "pulse"), {"age": {"sex": 0.25, "pulse": 0.75}})
    >>> dict(graph.bag("age"))
    {'sex': 0.25, 'pulse': 0.75}
    >>> graph.in_naive_bag
    ('sex', 'pulse')
    >>> [edge for edge in graph.edges if edge.kind == "hidden"][1]
    Edge(source='pulse', target='age', kind='hidden', weight=0.75)
    """

    type_name: ClassVar[str] = "hidden parents"
    views: ClassVar[tuple[str, ...]] = ("focus", "strongest", "heatmap")
    mothers: ClassVar[Mapping[str, str]] = MappingProxyType({})

    target: str
    attributes: tuple[str, ...]
    weights: Weights
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        self._set(
            attributes=names,
            weights=check_shares(names, self.weights),
            relevance=check_weights("relevance", names, self.relevance),
        )

    def bag(self, attribute: str) -> Mapping[str, float]:
        """Return the contributors to an attribute's hidden parent with their weights W_ij; empty for none."""
        self._check_attribute(attribute)
        return self.weights.get(attribute, MappingProxyType({}))

    @property
    def in_naive_bag(self) -> tuple[str, ...]:
        """Attributes without a hidden parent: given the class alone, as in naive Bayes."""
        return tuple(name for name in self.attributes if name not in self.weights)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Class arcs (weight in bits), then arcs from contributors (weight W_ij), in attribute order."""
        relevance = self.relevance or {}
        class_arcs = [Edge(self.target, name, "class", relevance.get(name)) for name in self.attributes]
        hidden = [
            Edge(member, name, "hidden", weight)
            for name, bag in self.weights.items()
            for member, weight in bag.items()
        ]
        return (*class_arcs, *hidden)

    @property
    def most_relevant(self) -> str:
        """The attribute with a hidden parent that tells most about the class (ties: column order)."""
        relevance = self.relevance or {}
        return max(self.weights or self.attributes, key=lambda name: relevance.get(name, 0.0))

    def to_dot(self, view: str | None = None, *, focus: str | None = None) -> str:
        """Write a view as DOT text; `focus` is the attribute of the view of one hidden parent."""
        from pgm_nb.views.dot import to_dot

        return to_dot(self.drawing(view, focus=focus))

    def draw(
        self,
        view: str | None = None,
        *,
        format: str = "svg",
        theme: str = "light",
        dpi: int = 144,
        focus: str | None = None,
    ) -> bytes:
        """Draw a view; `focus` is the attribute of the view of one hidden parent (the most relevant)."""
        from pgm_nb.views.render import draw

        return draw(self.drawing(view, focus=focus), format=format, theme=theme, dpi=dpi)

    def drawing(self, view: str | None = None, *, focus: str | None = None) -> "Drawing":
        """Return a view as nodes and arcs; `focus` is the attribute of the view of one hidden parent."""
        from pgm_nb.graphs.hidden_pictures import focus_drawing

        drawing = super().drawing(view)
        if focus is None:
            return drawing
        self._check_attribute(focus)
        if (view or self.views[0]) != "focus":
            raise StructureError(f"Only the view 'focus' shows one attribute, but {view!r} was asked for.")
        return focus_drawing(self, focus)

    def _drawing(self, view: str) -> "Drawing":
        from pgm_nb.graphs import hidden_pictures as pictures

        if view == "focus":
            return pictures.focus_drawing(self, self.most_relevant)
        return {
            "bags": pictures.bags_drawing,
            "strongest": pictures.strongest_drawing,
            "heatmap": pictures.heatmap_drawing,
        }[view](self)

    def _check_attribute(self, name: str) -> None:
        if name not in self.attributes:
            raise StructureError(f"The graph has no attribute {name!r}; see `attributes` for their names.")

    def _plain(self) -> dict[str, Any]:
        return super()._plain() | {"weights": {name: dict(bag) for name, bag in self.weights.items()}}

    def __hash__(self) -> int:
        arcs = frozenset((name, *bag) for name, bag in self.weights.items())
        return hash((self.type_name, self.target, self.attributes, arcs))


def check_shares(names: tuple[str, ...], weights: Weights) -> Weights:
    """Check that bags hold other attributes with positive weights of sum one; read-only, in column order."""
    if not isinstance(weights, Mapping) or not all(isinstance(bag, Mapping) for bag in weights.values()):
        raise StructureError("The weights must give for each attribute its contributors and their weights.")
    known = set(names)
    for name, bag in weights.items():
        strange = [other for other in (name, *bag) if other not in known]
        if strange:
            raise StructureError(f"Weights are given for {strange[0]!r}, which is not among the attributes.")
        if name in bag:
            raise StructureError(f"The attribute {name!r} cannot contribute to its own hidden parent.")
        for member, share in bag.items():
            if not isinstance(share, int | float) or not isfinite(share) or share <= 0:
                raise StructureError(
                    f"The weight of {member!r} for {name!r} must be above zero, but is {share!r}; "
                    "leave out what has no weight."
                )
        if abs(fsum(bag.values()) - 1) > ROUNDING:
            raise StructureError(
                f"The weights for {name!r} must sum to one, but sum to {fsum(bag.values())}; divide by that."
            )
    return MappingProxyType(
        {
            name: MappingProxyType(
                {other: float(weights[name][other]) for other in names if other in weights[name]}
            )
            for name in names
            if name in weights
        }
    )
