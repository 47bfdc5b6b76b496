"""The star of selective naive Bayes: the class points to some attributes, and the others stand apart."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Edge, Headline, View
from pgm_nb.graphs.checks import only
from pgm_nb.graphs.star import Star, star_drawing
from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.words import about_class, plural

__all__ = ["SelectiveStar"]


@dataclass(frozen=True, eq=False, repr=False)
class SelectiveStar(Star):
    """The graph of selective naive Bayes.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of all attributes, in column order.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute, also of those that stand apart.
    apart : tuple of str
        The attributes that are left out: no arc leads to them.

    Examples
    --------
    >>> star = SelectiveStar("ill", ("age", "sex"), {"age": 0.2, "sex": 0.1}, apart=("sex",))
    >>> [edge.target for edge in star.edges], star.chosen
    (['age'], ('age',))
    """

    type_name: ClassVar[str] = "selective star"
    about: ClassVar[Mapping[str, View]] = {
        "star": View(
            "Star",
            "The class points to the attributes that take part; those that are left out are not drawn. The "
            "darker an attribute, the more it says about the class.",
        )
    }

    apart: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        out = tuple(self.apart)
        unknown = [name for name in out if name not in self.attributes]
        if unknown:
            raise StructureError(f"{unknown[0]!r} is left out, but it is not among the attributes.")
        self._set(apart=tuple(name for name in self.attributes if name in out))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The attributes that take part."""
        return tuple(name for name in self.attributes if name not in self.apart)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Class arcs to the attributes that take part."""
        return tuple(edge for edge in super().edges if edge.target not in self.apart)

    @property
    def most_relevant(self) -> str:
        """Of the attributes that take part, the one that says most about the class."""
        return max(self.chosen or self.attributes, key=lambda name: (self.relevance or {}).get(name, 0.0))

    def headlines(self) -> tuple[Headline, ...]:
        """Return the weight of the attributes that take part, and how many they are."""
        taken = f"{len(self.chosen)} of {len(self.attributes)}"
        return (
            *(self._star().headlines() if self.chosen else ()),
            Headline("Attributes", taken, "The attributes that take part; the others are left out."),
        )

    def _star(self) -> Star:
        return Star(self.target, self.chosen, only(self.relevance, self.chosen))

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        if not self.apart:
            return super()._sentence(view, target, mark)
        top = self.most_relevant
        said = (
            f"; {mark(top)} says most about it ({about_class(self.relevance[top], 2)})"
            if self.relevance
            else ""
        )
        return (
            f"{len(self.chosen)} of {plural(len(self.attributes), 'attribute')} take part and depend on "
            f"{target} alone{said}. The others would not help to predict it."
        )

    def _part(self, names: tuple[str, ...]) -> Self:
        out = tuple(name for name in self.apart if name in names)
        return replace(self, attributes=names, relevance=only(self.relevance, names), apart=out)

    def _drawing(self, view: str) -> Drawing:
        return star_drawing(self._star() if self.chosen else self)

    def __hash__(self) -> int:
        return hash((self.type_name, self.target, self.attributes, self.apart))
