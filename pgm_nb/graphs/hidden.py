"""Hidden parents: every attribute depends on the class and on a hidden parent mixed from other attributes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import fsum, isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Edge, Graph, Headline, View, check_names, check_weights
from pgm_nb.words import GLOSSARY, in_bits, percent

if TYPE_CHECKING:
    from pgm_nb.views.graph.drawing import Drawing

__all__ = ["HiddenParents"]

ROUNDING = 1e-9  # by which the weights of a mixture may miss one

HIDDEN_VIEWS = {
    "focus": View(
        "One attribute", "An attribute, its hidden parent, and the shares of the other attributes in it."
    ),
    "strongest": View(
        "Strongest links",
        "A dashed arrow leads from an attribute to each of those whose hidden parents it has a large share "
        "in.",
    ),
    "heatmap": View(
        "All shares",
        "Each row is the hidden parent of one attribute, with the shares of the others in percent.",
    ),
}
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
    about: ClassVar[Mapping[str, View]] = HIDDEN_VIEWS
    links_view: ClassVar[str] = "strongest"
    report_views: ClassVar[tuple[str, ...]] = ("strongest", "heatmap")
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
        """The attribute with a hidden parent that says most about the class (ties: column order)."""
        relevance = self.relevance or {}
        return max(self.weights or self.attributes, key=lambda name: relevance.get(name, 0.0))

    def headlines(self) -> tuple[Headline, ...]:
        """Return how many attributes have a hidden parent, how many are mixed into it, and from when on."""
        sizes = [len(bag) for bag in self.weights.values()]
        threshold = getattr(self, "threshold", None)
        return (
            Headline("Hidden parents", f"{len(sizes)} of {len(self.attributes)}", GLOSSARY["hidden parent"]),
            Headline(
                "Attributes in each", f"{sum(sizes) / len(sizes):.1f}" if sizes else "–", GLOSSARY["bag"]
            ),
            Headline(
                "Threshold",
                "none" if threshold is None else in_bits(threshold),
                "The least information that two attributes must share, given the class, to be mixed.",
            ),
        )

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        arcs = [edge for edge in self.edges if edge.kind == "hidden"]
        if not arcs:
            return f"No attribute has a hidden parent; each depends on {target} alone."
        top = max(arcs, key=lambda edge: edge.weight or 0.0)
        largest = (
            f"The largest share is that of {mark(top.source)}: {percent(top.weight or 0.0)} of the hidden "
            f"parent of {mark(top.target)}."
        )
        return {
            "focus": f"The attribute on the right depends on {target} and on a hidden parent; the number "
            "beside each attribute on the left is its share in that hidden parent.",
            "strongest": "A dashed arrow leads from an attribute to each of those whose hidden parents it "
            f"has a large share in; {target} points to all attributes. {largest}",
            "heatmap": "Each row is the hidden parent of one attribute, with the shares of the other "
            f"attributes in percent. {largest}",
            "bags": "Each box is the bag of the attribute at its top, with the share of each member; the "
            f"number at the top is what that attribute says about {target}, in bits. The box “bag NB” holds "
            "the attributes without a bag.",
        }[view]

    def _drawing(self, view: str) -> "Drawing":
        from pgm_nb.graphs import hidden_pictures as pictures

        if view == "focus":
            return self._focus_drawing(self.most_relevant)
        return {
            "bags": pictures.bags_drawing,
            "strongest": pictures.strongest_drawing,
            "heatmap": pictures.heatmap_drawing,
        }[view](self)

    def _focus_drawing(self, attribute: str) -> "Drawing":
        from pgm_nb.graphs.hidden_pictures import focus_drawing

        return focus_drawing(self, attribute)

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
