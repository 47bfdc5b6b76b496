"""Generalized naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from pgm_nb.errors import DataError
from pgm_nb.graphs import CherryTree, Tree
from pgm_nb.learning import Trace, exact, greedy, optimal, score
from pgm_nb.models.class_trained import CLASS
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.models.options import TABLE_OPTIONS, Choice, Option, ways_to_probabilities
from pgm_nb.models.table import HIERARCHICAL

if TYPE_CHECKING:
    from pgm_nb.information import Information
    from pgm_nb.learning import Edges

__all__ = ["GeneralizedNaiveBayes"]

SEARCHES = {"greedy": greedy, "optimal": optimal, "exact": exact}


class GeneralizedNaiveBayes(ForestClassifier):
    """Generalized naive Bayes on a third-order cherry junction tree (Kovács et al. 2024).

    Parameters
    ----------
    search : {"greedy", "optimal", "exact"}
        GNB-A (the paper's greedy search), GNB-O (the best tree that contains the first cherry of GNB-A), or
        the best cherry tree of all.
    max_clusters : int, optional
        Keep this many clusters, the most informative first; attributes beyond them are not used.
    required, forbidden : list of pairs of str, optional
        Expert knowledge: edges between attributes, in either direction, that the tree must contain, and
        edges that it must not.
    structure : CherryTree or Tree, optional
        A tree of your own (drawn by an expert, read by `pgm_nb.read_structure`): it is fitted as it
        is, root included, and its weight is computed; nothing is searched.
    discretizer, n_bins, smoothing, missing, parameters
        As in `NaiveBayes`.

    Attributes
    ----------
    structure_ : CherryTree
    constraints_ : DataFrame
        What each required or forbidden edge costs, in bits; `trace_.price` is the price of all together.
    trace_, divergence_, importance_, classes_, feature_names_in_, n_features_in_, encoder_, missing_
        As in `NaiveBayes`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("wdbc")
    >>> model = pnb.GeneralizedNaiveBayes(search="greedy").fit(X, y)
    >>> model.structure_.clusters[:2]
    (('class', 'mean area', 'mean radius'), ('class', 'mean radius', 'mean perimeter'))
    >>> round(model.divergence_.gap, 3)  # bits below the best tree
    0.191
    """

    short_name: ClassVar[str] = "gnb"
    pair_by_pair: ClassVar[bool] = True
    title: ClassVar[str] = "Generalized naive Bayes (GNB)"
    summary: ClassVar[str] = (
        "Every attribute depends on the class and on one other attribute, its mother; the tree is grown so "
        "that its order ranks the attributes."
    )
    chooses_links: ClassVar[bool] = True
    is_baseline: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "search",
            "Search",
            "How the tree is found. All three are fast; the first one ranks the attributes best.",
            (
                Choice(
                    "greedy",
                    "Step by step",
                    "GNB-A: the attribute that adds most comes next",
                    {"search": "greedy"},
                    name="GNB-A",
                ),
                Choice(
                    "optimal",
                    "Best from the first pair",
                    "GNB-O: the best tree that keeps the first pair",
                    {"search": "optimal"},
                    name="GNB-O",
                ),
                Choice(
                    "exact",
                    "Best possible",
                    "no other tree has more weight",
                    {"search": "exact"},
                    name="Best tree (exact)",
                ),
            ),
            flag_help="greedy (GNB-A, the default), optimal (GNB-O) or exact",
        ),
        Option("max_clusters", parse=int, metavar="N", flag_help="keep the N best clusters"),
        ways_to_probabilities(CLASS),
        *TABLE_OPTIONS,
    )

    def __init__(
        self,
        *,
        search: str = "greedy",
        max_clusters: int | None = None,
        required: Edges | None = None,
        forbidden: Edges | None = None,
        structure: CherryTree | Tree | None = None,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str | None = HIERARCHICAL,
        missing: str = "state",
        parameters: str = CLASS,
    ) -> None:
        super().__init__(
            discretizer=discretizer,
            n_bins=n_bins,
            smoothing=smoothing,
            missing=missing,
            parameters=parameters,
        )
        self.search = search
        self.max_clusters = max_clusters
        self.required = required
        self.forbidden = forbidden
        self.structure = structure

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[CherryTree, Trace]:
        if self.search not in SEARCHES:
            raise DataError(f"search must be one of {', '.join(SEARCHES)}, but is {self.search!r}")
        if self.max_clusters is not None and self.max_clusters < 1:
            raise DataError(
                f"max_clusters must be at least 1, but is {self.max_clusters}; leave it out to use all"
            )
        if self.structure is not None:
            return score(info, names, target, self._own_structure())
        return SEARCHES[self.search](
            info,
            names,
            target,
            max_clusters=self.max_clusters,
            required=self.required,
            forbidden=self.forbidden,
        )

    def _own_structure(self) -> CherryTree | Tree:
        """Check the structure that was given, and that nothing contradicts it."""
        if not isinstance(self.structure, CherryTree | Tree):
            raise DataError(
                "structure must be a CherryTree or a Tree, but is of type "
                f"{type(self.structure).__name__}; for a star, use NaiveBayes"
            )
        if self.required or self.forbidden or self.max_clusters is not None:
            raise DataError(
                "a given structure is fitted as it is; leave required, forbidden and max_clusters out"
            )
        return self.structure
