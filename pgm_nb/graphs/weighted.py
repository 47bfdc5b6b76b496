"""The star of attribute-weighted naive Bayes: the class points to every attribute, each with its weight."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from pgm_nb.graphs.base import Headline, View
from pgm_nb.graphs.checks import check_weights, only
from pgm_nb.graphs.pictures import arc_width, largest
from pgm_nb.graphs.star import Star, star_drawing
from pgm_nb.views.graph.drawing import Drawing
from pgm_nb.words import plural

__all__ = ["WeightedStar"]


@dataclass(frozen=True, eq=False, repr=False)
class WeightedStar(Star):
    """The graph of attribute-weighted naive Bayes (Zaidi, Cerquides, Carman, Webb 2013).

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.
    weights : mapping of str to float
        How many times the table of every attribute counts; in naive Bayes once.

    Examples
    --------
    >>> star = WeightedStar("ill", ("age", "sex"), {"age": 0.2, "sex": 0.1}, {"age": 0.75, "sex": 0.0})
    >>> [node.number for node in star.drawing().nodes], star.ignored
    (['', '× 0.75', '× 0.00'], ('sex',))
    """

    type_name: ClassVar[str] = "weighted star"
    about: ClassVar[Mapping[str, View]] = {
        "star": View(
            "Star",
            "The class points to every attribute. The number, and the width of an arrow, is how many times "
            "the attribute counts; in naive Bayes each counts once. The darker an attribute, the more it "
            "says about the class.",
        )
    }

    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set(weights=check_weights("weights", self.attributes, self.weights))

    @property
    def ignored(self) -> tuple[str, ...]:
        """The attributes of weight zero: they say nothing that the others do not say."""
        return tuple(name for name, weight in (self.weights or {}).items() if weight == 0)

    def headlines(self) -> tuple[Headline, ...]:
        """Return the range of the weights, and how many attributes do not count."""
        if not self.weights:
            return super().headlines()
        low, high = min(self.weights.values()), max(self.weights.values())
        return (
            Headline("Weights", f"{low:.2f} to {high:.2f}", "How many times attributes count; 1 is usual."),
            Headline(
                "Without weight",
                f"{len(self.ignored)} of {len(self.attributes)}",
                "Attributes that say nothing about the class that the others do not say.",
            ),
        )

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        if not self.weights:
            return super()._sentence(view, target, mark)
        top = max(self.attributes, key=self.weights.__getitem__)
        said = (
            f"Every attribute depends on {target} alone, and its table counts as much as prediction demands: "
            f"that of {mark(top)} most, {self.weights[top]:.2f} times"
        )
        if not self.ignored:
            return f"{said}."
        verb = "does" if len(self.ignored) == 1 else "do"
        return f"{said}; {plural(len(self.ignored), 'attribute')} {verb} not count."

    def _part(self, names: tuple[str, ...]) -> Self:
        relevance, weights = only(self.relevance, names), only(self.weights, names)
        return replace(self, attributes=names, relevance=relevance, weights=weights)

    def _drawing(self, view: str) -> Drawing:
        weights = self.weights
        if weights is None:
            return star_drawing(self)
        drawing = star_drawing(self, {name: f"× {weight:.2f}" for name, weight in weights.items()})
        own = {node.id: node.names[0] for node in drawing.nodes}
        most = largest(weights)
        arcs = tuple(
            replace(
                arc,
                width=arc_width(weights[own[arc.target]], most),
                tip=f"{arc.tip}; counts {weights[own[arc.target]]:.2f} times",
            )
            for arc in drawing.arcs
        )
        return replace(drawing, arcs=arcs)

    def _plain(self) -> dict[str, Any]:
        return super()._plain() | {"weights": None if self.weights is None else dict(self.weights)}

    def __hash__(self) -> int:
        weights = frozenset((self.weights or {}).items())
        return hash((self.type_name, self.target, self.attributes, weights))
