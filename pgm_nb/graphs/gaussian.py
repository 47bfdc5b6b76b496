"""The star of Gaussian naive Bayes: every measured attribute is a leaf with one Gaussian per class."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from types import MappingProxyType
from typing import Any, ClassVar, Self

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import Graph, Headline, View
from pgm_nb.graphs.checks import check_names, check_weights, only
from pgm_nb.graphs.star import STAR, star_drawing
from pgm_nb.views.graph.drawing import Drawing, Node
from pgm_nb.views.graph.layout import box_size, butterfly

__all__ = ["GaussianStar"]

Gaussian = tuple[float, float]  # mean and standard deviation


@dataclass(frozen=True, eq=False, repr=False)
class GaussianStar(Graph):
    """The graph of Gaussian naive Bayes.

    Parameters
    ----------
    target : str
        Name of the class.
    attributes : tuple of str
        Names of the attributes, in column order.
    classes : tuple of str
        Readable names of the classes.
    gaussians : mapping of str to pairs of float
        For every measured attribute (mean, standard deviation) of each class, in the attribute's own unit.
        An attribute that is not here is categorical.
    relevance : mapping of str to float, optional
        I(Xi;Y) in bits for every attribute.

    Examples
    --------
    >>> star = GaussianStar("ill", ("age", "sex"), ("no", "yes"), {"age": [(40, 10), (60, 5)]})
    >>> star.gaussians["age"][1]
    (60.0, 5.0)
    >>> star.edges[0].target
    'age'
    """

    type_name: ClassVar[str] = "gaussian star"
    divisible: ClassVar[bool] = True
    about: ClassVar[Mapping[str, View]] = {
        "star": STAR,
        "densities": View(
            "Means and spreads", "The mean and the standard deviation of each measurement in every class."
        ),
        "curves": View(
            "Bell curves",
            "The bell curve of each measurement in every class; the less the curves overlap, the more the "
            "measurement says about the class.",
            chart=True,
        ),
    }

    target: str
    attributes: tuple[str, ...]
    classes: tuple[str, ...]
    gaussians: Mapping[str, Sequence[Sequence[float]]]
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        names = check_names(self.target, self.attributes)
        classes = tuple(str(label) for label in self.classes)
        extra = set(self.gaussians) - set(names)
        if extra:
            raise StructureError(
                f"A Gaussian is given for {min(extra)!r}, which is not among the attributes."
            )
        leaves = {
            name: _check_leaf(name, self.gaussians[name], len(classes))
            for name in names
            if name in self.gaussians
        }
        self._set(
            attributes=names,
            classes=classes,
            gaussians=MappingProxyType(leaves),
            relevance=check_weights("relevance", names, self.relevance),
        )

    @property
    def mothers(self) -> Mapping[str, str]:
        """Empty: no attribute of a star depends on another."""
        return MappingProxyType({})

    def densities_svg(self, attributes: Sequence[str] | None = None, theme: str = "light") -> str:
        """Draw the class densities of measured attributes (by default of all of them) as SVG text."""
        from pgm_nb.views.chart.gaussians import density_chart
        from pgm_nb.views.chart.look import to_svg

        names = list(self.gaussians) if attributes is None else list(attributes)
        unknown = [name for name in names if name not in self.gaussians]
        if unknown:
            raise StructureError(
                f"{unknown[0]!r} is not a measured attribute of this star (those are "
                f"{', '.join(self.gaussians) or 'none'}); only measured attributes have densities to draw."
            )
        chosen = {name: self.gaussians[name] for name in names}
        return to_svg(density_chart(chosen, self.classes, theme=theme))

    @property
    def charts(self) -> tuple[str, ...]:
        """The bell curves, if an attribute is measured."""
        return super().charts if self.gaussians else ()

    def headlines(self) -> tuple[Headline, ...]:
        """Return the weight, and how many attributes are measured."""
        curves = f"{len(self.gaussians)} of {len(self.attributes)}"
        help = "Attributes that are measured; each of the others has a table of probabilities."
        return (*super().headlines(), Headline("Bell curves", curves, help))

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        if view == "curves":
            return (
                f"There is one bell curve for each value of {target}; the less the curves of an attribute "
                f"overlap, the more it says about {target}."
            )
        if view == "densities" and self.gaussians:
            return (
                f"Each box gives the mean ± standard deviation of an attribute for each value of {target}; "
                f"the attributes that say most about {target} are at the top."
            )
        return super()._sentence(view, target, mark)

    def _part(self, names: tuple[str, ...]) -> Self:
        gaussians = only(self.gaussians, names) or {}
        return replace(self, attributes=names, gaussians=gaussians, relevance=only(self.relevance, names))

    def _plain(self) -> dict[str, Any]:
        leaves = {name: [list(pair) for pair in pairs] for name, pairs in self.gaussians.items()}
        return super()._plain() | {"gaussians": leaves}

    def _drawing(self, view: str) -> Drawing:
        star = star_drawing(self)
        hub, *leaves = (self._with_tip(node) for node in star.nodes)
        if view == "star":
            return replace(star, nodes=(hub, *leaves))
        leaves = [
            replace(leaf, lines=(*leaf.lines, *self._lines(leaf.lines[0])), number="") for leaf in leaves
        ]
        sizes = [[box_size(line) for line in leaf.lines] for leaf in leaves]
        width = max(width for size in sizes for width, _ in size)
        heights = [sum(height - 8 for _, height in size) + 10 for size in sizes]
        relevance = self.relevance or {}
        ranked = sorted(range(len(leaves)), key=lambda i: -relevance.get(self.attributes[i], 0.0))
        places = butterfly([heights[i] for i in ranked], width, box_size(self.target)[0])
        for place, i in zip(places, ranked, strict=True):
            leaves[i] = replace(leaves[i], at=place, width=width)
        side = {leaf.id: leaf.at is not None and leaf.at[0] > 0 for leaf in leaves}
        arcs = tuple(replace(arc, port="w" if side[arc.target] else "e") for arc in star.arcs)
        return replace(star, title="densities", nodes=(hub, *leaves), arcs=arcs)

    def _with_tip(self, node: Node) -> Node:
        lines = self._lines(node.lines[0]) if node.kind == "attribute" else ()
        return replace(node, tip="; ".join([node.tip, *lines])) if lines else node

    def _lines(self, name: str) -> tuple[str, ...]:
        """Write the Gaussian of each class as mean ± standard deviation."""
        pairs = self.gaussians.get(name, ())
        return tuple(
            f"{label}: {mean:.3g} ± {sd:.2g}"
            for label, (mean, sd) in zip(self.classes, pairs, strict=bool(pairs))
        )


def _check_leaf(name: str, pairs: Sequence[Sequence[float]], n_classes: int) -> tuple[Gaussian, ...]:
    try:
        leaf = tuple((float(mean), float(sd)) for mean, sd in pairs)
    except (TypeError, ValueError):
        raise StructureError(
            f"The Gaussians of {name!r} must be pairs of mean and standard deviation, but are {pairs!r}."
        ) from None
    if len(leaf) != n_classes:
        raise StructureError(
            f"The attribute {name!r} must have one Gaussian for each of the {n_classes} classes, but has "
            f"{len(leaf)}."
        )
    for mean, sd in leaf:
        if not (isfinite(mean) and isfinite(sd) and sd >= 0):
            raise StructureError(
                f"A Gaussian is a finite mean and a standard deviation that is not negative, but {name!r} "
                f"has ({mean}, {sd})."
            )
    return leaf
