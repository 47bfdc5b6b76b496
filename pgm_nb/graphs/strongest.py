"""Strongest parents: the class points to every attribute, and so does the one it shares most with."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Headline, View
from pgm_nb.graphs.checks import check_names, check_weights, only
from pgm_nb.graphs.parents import Links, ParentArrows

__all__ = ["StrongestParents"]

VIEWS = {
    "links": View(
        "All links",
        "An arrow leads to each attribute from the one it shares most with, its parent; two attributes can "
        "be each other's parents. The number at an arrow is what they share given the class, in bits.",
    ),
    "focus": View(
        "One attribute",
        "An attribute between its parent, on the left, and those whose parent it is, on the right. The "
        "number at an arrow is the information that the two share given the class, in bits.",
    ),
}


@dataclass(frozen=True, eq=False, repr=False)
class StrongestParents(ParentArrows):
    """The graph of one-dependence augmented naive Bayes (Jiang, Zhang, Cai, Su 2005).

    Arrows may form circles, mostly of two attributes that are each other's parents. So this is a picture of a
    rule for scores and not a Bayesian network.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    parents : mapping of str to mapping of str to float
        For every attribute that shares something with another: the one it shares most with, and I(Ai;Aj|C) in
        bits.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.

    Examples
    --------
    >>> graph = StrongestParents("ill", ("age", "sex"), {"age": {"sex": 0.25}, "sex": {"age": 0.25}})
    >>> graph.parent("sex"), graph.pairs
    ('age', (('age', 'sex'),))
    """

    type_name: ClassVar[str] = "strongest parents"
    about: ClassVar[Mapping[str, View]] = VIEWS
    divisible: ClassVar[bool] = True
    mothers: ClassVar[Mapping[str, str]] = MappingProxyType({})  # of a tree, which this is not

    target: str
    attributes: tuple[str, ...]
    parents: Links
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        self._set(
            attributes=names,
            parents=_check_parents(names, self.parents),
            relevance=check_weights("relevance", names, self.relevance),
        )

    def parent(self, attribute: str) -> str | None:
        """Return the attribute that one shares most with; None if it shares nothing with any."""
        self._check_attribute(attribute)
        return next(iter(self.parents.get(attribute, ())), None)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The attributes that are each other's parents, each pair once."""
        two_way = [(one, next(iter(above))) for one, above in self.parents.items()]
        place = {name: i for i, name in enumerate(self.attributes)}
        return tuple(
            (one, other) for one, other in two_way if place[one] < place[other] and self.parent(other) == one
        )

    @property
    def weights(self) -> Links:
        """The same as shares in a hidden parent: the parent has all of it."""
        return MappingProxyType({child: dict.fromkeys(above, 1.0) for child, above in self.parents.items()})

    def bag(self, attribute: str) -> Mapping[str, float]:
        """Return the parent of an attribute with its share, which is one; empty for none."""
        self._check_attribute(attribute)
        return self.weights.get(attribute, MappingProxyType({}))

    def headlines(self) -> tuple[Headline, ...]:
        """Return how many attributes have a parent, and how many pairs point at each other."""
        return (
            Headline(
                "With a parent",
                f"{len(self.parents)} of {len(self.attributes)}",
                "Attributes that share information with another, given the class.",
            ),
            Headline(
                "Pairs both ways",
                str(len(self.pairs)),
                "Attributes that are each other's parents: what they share is counted twice.",
            ),
        )

    def _view_sentence(self, view: str, target: str) -> str:
        return {
            "links": f"Each attribute depends on {target} and on the attribute it shares most with, its "
            "parent, from which the arrow comes.",
            "focus": f"The attribute in the middle depends on {target} and on its parent, on the left.",
        }[view]

    def _part(self, names: tuple[str, ...]) -> Self:
        chosen = set(names)
        kept = {
            child: above for child, above in self.parents.items() if child in chosen and chosen >= set(above)
        }
        return type(self)(self.target, names, kept, only(self.relevance, names))


def _check_parents(names: tuple[str, ...], parents: Links) -> Links:
    """Check that every attribute has at most one parent, another attribute; read-only, in column order."""
    if not isinstance(parents, Mapping) or not all(isinstance(above, Mapping) for above in parents.values()):
        raise StructureError("The parents must give for each attribute its parent and what they share.")
    for child, above in parents.items():
        for name in (child, *above):
            if name not in names:
                raise StructureError(f"A parent is given for {name!r}, which is not among the attributes.")
        if len(above) != 1 or child in above:
            raise StructureError(
                f"An attribute has one parent, another attribute, but {child!r} is given {len(above)}: "
                f"{', '.join(map(repr, above)) or 'leave it out'}."
            )
        check_weights("parents", tuple(above), above)
    return MappingProxyType(
        {
            name: MappingProxyType({parent: float(shared) for parent, shared in parents[name].items()})
            for name in names
            if name in parents
        }
    )
