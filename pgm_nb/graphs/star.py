"""The star of naive Bayes: the class points to every attribute, and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

from pgm_nb.graphs.base import Graph, View, check_names, check_weights, only

if TYPE_CHECKING:
    from pgm_nb.views.graph.drawing import Drawing

__all__ = ["Star"]

STAR = View(
    "Star",
    "The class points to every attribute. The darker an attribute, the more it says about the class.",
)


@dataclass(frozen=True, eq=False, repr=False)
class Star(Graph):
    """The graph of naive Bayes.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.

    Examples
    --------
    >>> star = Star("disease", ("age", "blood pressure"), {"age": 0.2, "blood pressure": 0.1})
    >>> star.edges[0]
    Edge(source='disease', target='age', kind='class', weight=0.2)
    """

    type_name: ClassVar[str] = "star"
    divisible: ClassVar[bool] = True
    about: ClassVar[Mapping[str, View]] = {"star": STAR}

    target: str
    attributes: tuple[str, ...]
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        self._set(attributes=names, relevance=check_weights("relevance", names, self.relevance))

    @property
    def mothers(self) -> Mapping[str, str]:
        """Empty: no attribute of a star depends on another."""
        return MappingProxyType({})

    def _part(self, names: tuple[str, ...]) -> Self:
        return replace(self, attributes=names, relevance=only(self.relevance, names))

    def _drawing(self, view: str) -> "Drawing":
        from pgm_nb.graphs.pictures import star_drawing

        return star_drawing(self)
