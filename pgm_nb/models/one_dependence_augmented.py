"""One-dependence augmented naive Bayes: every attribute depends on the one it shares most with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pgm_nb.graphs import HiddenParents
from pgm_nb.learning import Trace, naive
from pgm_nb.models.base import Classifier
from pgm_nb.models.hidden.model import HiddenClassifier
from pgm_nb.models.inspection import Mark

if TYPE_CHECKING:
    from pgm_nb.explain.growth import Growth
    from pgm_nb.information import Information

__all__ = ["OneDependenceAugmented"]


class OneDependenceAugmented(HiddenClassifier):
    """ODANB (Jiang, Zhang, Cai, Su 2005): the parent of an attribute is the one it shares most with.

    The parent of Ai is the Aj of largest I(Ai;Aj|C), ties by column order. Two attributes can be each
    other's parents, so the product of the tables is a rule for scores and no joint distribution. It is hidden
    naive Bayes with one member in every bag. An attribute that shares nothing with any other depends on the
    class alone; the paper leaves this open.

    Parameters
    ----------
    discretizer, n_bins, missing
        As in `NaiveBayes`.
    smoothing : float or "hierarchical"
        As in `HiddenNaiveBayes`.

    Attributes
    ----------
    structure_ : HiddenParents
        With one member in every bag.
    divergence_ : None
    importance_ : DataFrame
    classes_, feature_names_in_, n_features_in_, encoder_, missing_

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.OneDependenceAugmented(n_bins=5).fit(X, y)
    >>> {name: list(model.structure_.bag(name)) for name in X.columns[:2]}
    {'sepal length': ['sepal width'], 'sepal width': ['sepal length']}
    """

    short_name: ClassVar[str] = "odanb"
    title: ClassVar[str] = "One-dependence augmented naive Bayes (ODANB)"
    brief: ClassVar[str] = "ODANB"
    summary: ClassVar[str] = (
        "Every attribute depends on the class and on the one attribute it shares most with, given the class."
    )
    no_divergence: ClassVar[str] = (
        "not defined: two attributes can depend on each other, so the product is not a joint distribution"
    )
    growth_introduction: ClassVar[str] = (
        "Every attribute takes as its parent the one it shares most with, given the class. The attributes "
        "that say most about the class come first."
    )
    chooses_links: ClassVar[bool] = True

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[HiddenParents, Trace]:
        star, trace = naive(info, names, target)
        bags = {}
        for place, shared in enumerate(np.asarray(info.dependence)):
            others = np.where(np.arange(len(names)) == place, -np.inf, shared)
            parent = int(np.argmax(others))
            if others[parent] > 0:
                bags[names[place]] = {names[parent]: 1.0}
        return HiddenParents(target, tuple(names), bags, star.relevance), trace

    def _read_trace(self, record: Mapping[str, Any]) -> Any:
        return Trace.from_dict(record)

    def growth_views(self, rows: bool) -> tuple[str, ...]:
        """Return the views that can show its growth."""
        return ("strongest",)

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Show the attributes in the order of what they say about the class."""
        return Classifier.growth_in(self, view, X, y, most)

    def _describe_link(self, source: str, target: str, mark: Mark) -> str:
        return (
            f"Of all attributes, {mark(target)} shares most with {mark(source)}, given "
            f"{self.structure_.class_words(mark)}, so it depends on it."
        )
