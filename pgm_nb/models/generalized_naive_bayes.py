"""Generalized naive Bayes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from pgm_nb.allowed import Allowed, whole
from pgm_nb.errors import DataError
from pgm_nb.graphs import CherryTree, HigherCherryTree, Tree
from pgm_nb.information import WideInformation
from pgm_nb.lazy import Later
from pgm_nb.learning import Trace, class_tree, exact, greedy, optimal, score
from pgm_nb.models.about import TABLE_OPTIONS, About, Choice, Option, ways_to_probabilities
from pgm_nb.models.class_trained import CLASS
from pgm_nb.models.families import (
    family_counts,
    family_divergence,
    sample_information,
    search_families,
)
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.models.table import HIERARCHICAL

if TYPE_CHECKING:
    from pgm_nb.counts import Counts
    from pgm_nb.information import Divergence, Information
    from pgm_nb.learning import Edges
    from pgm_nb.models.table_state import TrainingRows
    from pgm_nb.tables.families import Families

__all__ = ["GeneralizedNaiveBayes"]

FOR_CLASS = "class"
SEARCHES = {"greedy": greedy, "optimal": optimal, "exact": exact}


def _not_edited(choices: Mapping[str, str]) -> str:
    """Say why links cannot be required or forbidden with these choices; empty where they can."""
    if choices.get("order", "3") != "3" and choices.get("search") == "optimal":
        return "The best tree from the first pair is defined for one parent each."
    return ""


class GeneralizedNaiveBayes(ForestClassifier):
    """Generalized naive Bayes on a cherry junction tree of third (Kovács et al. 2024) or higher order.

    Parameters
    ----------
    search : {"greedy", "optimal", "exact", "class"}
        GNB-A (the paper's greedy search), GNB-O (the best tree that contains the first cherry of GNB-A), or
        the best cherry tree of all. These describe all columns. "class" finds the tree whose pairs say most
        about the class together (`pgm_nb.learning.class_tree`): it predicts better, and describes the
        other columns less well.
    max_clusters : int, optional
        Keep this many clusters, the most informative first; attributes beyond them are not used.
    order : int
        3 is the paper's: every attribute has one mother. With order 4 an attribute has up to two, which are
        in one cluster, with order q up to q - 2; it takes fewer where more would not pay for their table. The
        searches are then "greedy", "class" and, with order 4 and at most 12 attributes, "exact".
    required, forbidden : list of pairs of str, optional
        Expert knowledge: edges between attributes, in either direction, that the tree must contain, and
        edges that it must not.
    structure : CherryTree, HigherCherryTree or Tree, optional
        A tree of your own (drawn by an expert, read by `pgm_nb.read_structure`): it is fitted as it
        is, root included, and its weight is computed; nothing is searched.
    discretizer, n_bins, smoothing, missing, parameters
        As in `NaiveBayes`.

    Attributes
    ----------
    structure_ : CherryTree, or HigherCherryTree with order 4 or more
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

    about: ClassVar[About] = ForestClassifier.about.but(
        allowed={
            **ForestClassifier.about.allowed,
            "search": Allowed(words=(*SEARCHES, FOR_CLASS)),
            "max_clusters": whole(1, none=True, advice="None uses all"),
            "order": whole(3, 10, advice="3 is one mother each"),
        },
        short_name="gnb",
        title="Generalized naive Bayes (GNB)",
        summary="Every attribute depends on the class and on one other attribute, its mother; the tree is "
        "grown so that its order ranks the attributes.",
        chooses_links=True,
        is_baseline=True,
        most_parents=lambda choices: int(choices.get("order", "3")) - 2,
        not_edited=_not_edited,
        options=(
            Option(
                "search",
                "Search",
                "How the tree is found. All are fast. The first one ranks the attributes best, the last one "
                "predicts best.",
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
                    Choice(
                        "class",
                        "For the class",
                        "pairs that say most about the class together; not meant to describe the attributes",
                        {"search": "class"},
                        name="GNB for the class",
                    ),
                ),
                flag_help="greedy (GNB-A, the default), optimal (GNB-O), exact or class",
            ),
            Option(
                "order",
                "Mothers",
                "How many attributes an attribute may depend on besides the class. A second mother is taken "
                "only where there are rows enough for her table.",
                (
                    Choice("3", "One each", "the tree of generalized naive Bayes", {"order": 3}),
                    Choice(
                        "4",
                        "Up to two each",
                        "order 4: attributes that act together",
                        {"order": 4},
                        name="GNB of order 4",
                        title="Generalized naive Bayes (GNB), up to two mothers each",
                    ),
                ),
                parse=int,
                metavar="Q",
                flag_help="3 (one mother each, the default), 4 (up to two) or more",
            ),
            Option("max_clusters", parse=int, metavar="N", flag_help="keep the N best clusters"),
            ways_to_probabilities(CLASS),
            *TABLE_OPTIONS,
        ),
    )
    _pair_by_pair: ClassVar[bool] = True

    def __init__(
        self,
        *,
        search: str = "greedy",
        max_clusters: int | None = None,
        order: int = 3,
        required: Edges | None = None,
        forbidden: Edges | None = None,
        structure: CherryTree | HigherCherryTree | Tree | None = None,
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
        self.order = order
        self.required = required
        self.forbidden = forbidden
        self.structure = structure

    def _search(self, info: Information, counts: Counts, rows: TrainingRows) -> tuple[Any, Trace]:
        if self.structure is not None:
            self._own_structure()
        for_class = self.search == FOR_CLASS and self.structure is None
        if for_class and isinstance(info, WideInformation):
            raise DataError(
                f"search='class' needs the tables of all pairs, and {len(info.relevance):,} columns are too "
                "many for that; use search='greedy', or fewer columns"
            )
        if not self._is_higher:
            if not for_class:
                return super()._search(info, counts, rows)
            return class_tree(
                info,
                counts,
                rows.encoder.names,
                rows.target,
                max_clusters=self.max_clusters,
                required=self.required,
                forbidden=self.forbidden,
            )
        if isinstance(info, WideInformation):
            raise DataError(
                f"order={self.order} counts sets of columns, and {len(info.relevance):,} are too many "
                "for that; use order=3, or fewer columns"
            )
        if not rows.whole:
            if rows.again is None:
                raise DataError(
                    "all rows must be at hand, or come in batches that can be read again, and weights must "
                    f"be whole: order={self.order} counts sets of columns; use order=3"
                )
            info, counts = sample_information(rows)
        given = self.structure if isinstance(self.structure, HigherCherryTree) else None
        return search_families(
            *(info, counts, rows, self.order, self.search, self.max_clusters, given),
            *(self.required, self.forbidden),
        )

    @property
    def _is_higher(self) -> bool:
        """Whether attributes may have several mothers."""
        return self.order > 3 or isinstance(self.structure, HigherCherryTree)

    def _keep_of(self, rows: TrainingRows, counts: Any, structure: Any) -> Families:
        if isinstance(structure, HigherCherryTree):
            return family_counts(counts, structure, rows)
        return super()._keep_of(rows, counts, structure)

    def _divergence_later(
        self, info: Information, structure: Any, rows: TrainingRows
    ) -> Later[Divergence | None]:
        if not isinstance(structure, HigherCherryTree):
            return super()._divergence_later(info, structure, rows)
        if not rows.whole:
            info = sample_information(rows)[0]  # the bits of the structure are those of the sample
        whole = len(structure.attributes) == len(info.relevance)
        whole = whole and self.search == "exact" and self.structure is None
        whole = whole and not (self.required or self.forbidden)  # else a tree without them may be heavier
        best = math.fsum([*(structure.relevance or {}).values(), *(structure.dependence or {}).values()])
        return Later(
            partial(family_divergence, info, structure, rows, max(self.order, 4), best if whole else None)
        )

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[CherryTree, Trace]:
        if self.structure is not None:
            return score(info, names, target, cast("CherryTree | Tree", self._own_structure()))
        return SEARCHES[self.search](
            info,
            names,
            target,
            max_clusters=self.max_clusters,
            required=self.required,
            forbidden=self.forbidden,
        )

    def _own_structure(self) -> CherryTree | HigherCherryTree | Tree:
        """Check the structure that was given, and that nothing contradicts it."""
        if not isinstance(self.structure, CherryTree | HigherCherryTree | Tree):
            raise DataError(
                "structure must be a CherryTree or a Tree, but is of type "
                f"{type(self.structure).__name__}; for a star, use NaiveBayes"
            )
        if self.required or self.forbidden or self.max_clusters is not None:
            raise DataError(
                "a given structure is fitted as it is; leave required, forbidden and max_clusters out"
            )
        return self.structure
