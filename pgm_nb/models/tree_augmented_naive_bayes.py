"""Tree augmented naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pgm_nb.learning import Trace, tan
from pgm_nb.models.base import TableClassifier

if TYPE_CHECKING:
    from pgm_nb.graphs import Tree
    from pgm_nb.information import Information

__all__ = ["TreeAugmentedNaiveBayes"]


class TreeAugmentedNaiveBayes(TableClassifier):
    """TAN: the class and a maximum spanning tree over I(Xi;Xj|Y) (Friedman, Geiger, Goldszmidt 1997).

    Parameters and attributes as in `NaiveBayes`; `structure_` is a `Tree` whose root is the attribute
    that tells most about the class.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.TreeAugmentedNaiveBayes().fit(X, y)
    >>> dict(model.structure_.mothers)
    {}
    """

    short_name: ClassVar[str] = "tan"
    title: ClassVar[str] = "Tree augmented naive Bayes (TAN)"

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Tree, Trace]:
        return tan(info, names, target)
