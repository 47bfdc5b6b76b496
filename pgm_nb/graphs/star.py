"""Stars: the class points to every attribute, and nothing else; plain, weighted, selective and Gaussian."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from types import MappingProxyType
from typing import Any, ClassVar

from pgm_nb.errors import StructureError
from pgm_nb.graphs.base import NO_MOTHERS, Edge, Graph, Headline, View, check_weights, only
from pgm_nb.graphs.pictures import arc_width, largest, ranked, star_drawing
from pgm_nb.views.graph.drawing import Drawing, Node
from pgm_nb.views.graph.layout import box_size, butterfly
from pgm_nb.words import about_class, plural

__all__ = ["GaussianStar", "SelectiveStar", "Star", "WeightedStar"]

Gaussian = tuple[float, float]  # mean and standard deviation

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

    mothers: ClassVar[Mapping[str, str]] = NO_MOTHERS

    target: str
    attributes: tuple[str, ...]
    relevance: Mapping[str, float] | None = None

    def _drawing(self, view: str) -> Drawing:
        return star_drawing(self)


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

    def _kept(self, names: tuple[str, ...]) -> dict[str, Any]:
        return super()._kept(names) | {"weights": only(self.weights, names)}

    def _drawing(self, view: str) -> Drawing:
        weights = self.weights
        if weights is None:
            return star_drawing(self)
        drawing = star_drawing(self, {name: f"× {weight:.2f}" for name, weight in weights.items()})
        named, most = {id: name for name, id in self.ids.items()}, largest(weights)
        arcs = tuple(
            replace(arc, width=arc_width(weight, most), tip=f"{arc.tip}; counts {weight:.2f} times")
            for arc in drawing.arcs
            for weight in [weights[named[arc.target]]]
        )
        return replace(drawing, arcs=arcs)


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
        return Star(self.target, self.chosen, only(self.relevance, self.chosen)).in_shares(self.scale)

    def _sentence(self, view: str, target: str, mark: Callable[[str], str]) -> str:
        if not self.apart:
            return super()._sentence(view, target, mark)
        top = self.most_relevant
        said = (
            f"; {mark(top)} says most about it ({about_class(self.relevance[top], 2, scale=self.scale)})"
            if self.relevance
            else ""
        )
        return (
            f"{len(self.chosen)} of {plural(len(self.attributes), 'attribute')} take part and depend on "
            f"{target} alone{said}. The others would not help to predict it."
        )

    def _kept(self, names: tuple[str, ...]) -> dict[str, Any]:
        return super()._kept(names) | {"apart": tuple(name for name in self.apart if name in names)}

    def _drawing(self, view: str) -> Drawing:
        return star_drawing(self._star() if self.chosen else self)


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

    mothers: ClassVar[Mapping[str, str]] = NO_MOTHERS

    target: str
    attributes: tuple[str, ...]
    classes: tuple[str, ...]
    gaussians: Mapping[str, Sequence[Sequence[float]]]
    relevance: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        classes = tuple(str(label) for label in self.classes)
        extra = set(self.gaussians) - set(self.attributes)
        if extra:
            raise StructureError(
                f"A Gaussian is given for {min(extra)!r}, which is not among the attributes."
            )
        leaves = {
            name: _check_leaf(name, self.gaussians[name], len(classes))
            for name in self.attributes
            if name in self.gaussians
        }
        self._set(classes=classes, gaussians=MappingProxyType(leaves))

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

    def _kept(self, names: tuple[str, ...]) -> dict[str, Any]:
        return super()._kept(names) | {"gaussians": only(self.gaussians, names)}

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
        order = [self.attributes.index(name) for name in ranked(self, self.attributes)]
        places = butterfly([heights[i] for i in order], width, box_size(self.target)[0])
        for place, i in zip(places, order, strict=True):
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
