"""Hidden naive Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pgm_nb.models.hidden.base import HiddenClassifier
from pgm_nb.models.hidden.search import Sweep, hidden_parents

if TYPE_CHECKING:
    from pgm_nb.graphs import HiddenParents
    from pgm_nb.information import Information

__all__ = ["HiddenNaiveBayes"]


class HiddenNaiveBayes(HiddenClassifier):
    """Hidden naive Bayes (Jiang, Zhang, Cai 2009): each attribute has a hidden parent mixed from all others.

    P(ai | hidden parent, c) = sum_j W_ij P(ai | aj, c), W_ij = I(Ai;Aj|C) / sum_j I(Ai;Aj|C).

    Parameters
    ----------
    discretizer, n_bins, missing
        As in `NaiveBayes`.
    smoothing : float
        A number m: P(c) = (n(c) + m/k) / (n + m) and P(ai | aj, c) = (n(c,ai,aj) + m/v_i) / (n(c,aj) + m).
        The default, 1, is the paper's.

    Attributes
    ----------
    structure_ : HiddenParents
    trace_ : Sweep
    divergence_ : None
        The product of the mixtures is no normalised joint distribution, so it has no KL divergence.
    importance_ : DataFrame
    classes_, feature_names_in_, n_features_in_, encoder_, missing_

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.HiddenNaiveBayes().fit(X, y)
    >>> {name: round(weight, 2) for name, weight in model.structure_.bag("petal width").items()}
    {'sepal length': 0.29, 'sepal width': 0.43, 'petal length': 0.28}
    """

    short_name: ClassVar[str] = "hnb"
    title: ClassVar[str] = "Hidden naive Bayes (HNB)"
    summary: ClassVar[str] = (
        "Every attribute depends on the class and on a hidden parent, a mixture of all other attributes."
    )

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[HiddenParents, Sweep]:
        return hidden_parents(info, names, target), Sweep("hidden", None)
