"""Tree augmented naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from pgm_nb.errors import DataError, StructureError
from pgm_nb.graphs import CherryTree, Tree
from pgm_nb.learning import Trace, tan
from pgm_nb.learning.structures import score
from pgm_nb.models.about import About
from pgm_nb.models.class_trained import GENERATIVE
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.models.table import HIERARCHICAL

if TYPE_CHECKING:
    from pgm_nb.information import Information
    from pgm_nb.learning import Edges

__all__ = ["TreeAugmentedNaiveBayes"]


class TreeAugmentedNaiveBayes(ForestClassifier):
    """TAN: the class and a maximum spanning tree over I(Xi;Xj|Y) (Friedman, Geiger, Goldszmidt 1997).

    Parameters
    ----------
    required, forbidden : list of pairs of str, optional
        Expert knowledge: edges between attributes, in either direction, that the tree must contain, and
        edges that it must not. The tree is then the best of those that comply.
    structure : Tree or CherryTree, optional
        A tree of your own over all attributes (drawn by an expert, read by `pgm_nb.read_structure`): it is
        fitted as it is, and nothing is searched for.
    discretizer, n_bins, smoothing, missing, parameters
        As in `NaiveBayes`.

    Attributes
    ----------
    structure_ : Tree
        Its root is the attribute that carries most information about the class.
    constraints_ : DataFrame
        What each required or forbidden edge costs, in bits; `trace_.price` is the price of all together.
    trace_, divergence_, importance_, classes_, feature_names_in_, n_features_in_, encoder_, missing_
        As in `NaiveBayes`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.TreeAugmentedNaiveBayes().fit(X, y)
    >>> dict(model.structure_.mothers)
    {'sepal length': 'sepal width', 'sepal width': 'petal width', 'petal length': 'sepal length'}
    >>> model = pnb.TreeAugmentedNaiveBayes(required=[("petal length", "petal width")]).fit(X, y)
    >>> model.constraints_.round(3)
           kind     attribute        other  price
    0  required  petal length  petal width  0.147
    """

    about: ClassVar[About] = ForestClassifier.about.but(
        short_name="tan",
        title="Tree augmented naive Bayes (TAN)",
        brief="TAN",
        summary="Every attribute depends on the class and on one other attribute; of all such trees, this "
        "one fits the table best.",
        chooses_links=True,
        is_baseline=True,
    )
    _pair_by_pair: ClassVar[bool] = True

    def __init__(
        self,
        *,
        required: Edges | None = None,
        forbidden: Edges | None = None,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str | None = HIERARCHICAL,
        missing: str = "state",
        parameters: str = GENERATIVE,
        structure: Tree | CherryTree | None = None,
    ) -> None:
        super().__init__(
            discretizer=discretizer,
            n_bins=n_bins,
            smoothing=smoothing,
            missing=missing,
            parameters=parameters,
        )
        self.required = required
        self.forbidden = forbidden
        self.structure = structure

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Tree, Trace]:
        if self.structure is not None:
            return self._given(info, names, target)
        return tan(info, names, target, required=self.required, forbidden=self.forbidden)

    def _given(self, info: Information, names: Sequence[str], target: str) -> tuple[Tree, Trace]:
        """Weigh the tree that was given, after checking that nothing contradicts it."""
        if not isinstance(self.structure, Tree | CherryTree):
            raise DataError(
                f"structure must be a Tree or a CherryTree, but is of type {type(self.structure).__name__}; "
                "for a star, use NaiveBayes"
            )
        if self.required or self.forbidden:
            raise DataError("a given structure is fitted as it is; leave required and forbidden out")
        missing = [name for name in names if name not in self.structure.attributes]
        if missing:
            raise StructureError(
                f"the structure has no attribute {missing[0]!r}, but the table has that column; add it to "
                "the structure, leave the column out, or use GeneralizedNaiveBayes, which may leave it out"
            )
        graph, trace = score(info, names, target, self.structure)
        return (
            Tree(target, tuple(names), graph.mothers, relevance=graph.relevance, dependence=graph.dependence),
            trace,
        )
