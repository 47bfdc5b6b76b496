"""Bernoulli naive Bayes: every number is only "at most" or "above" a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pandas.api import types

from pgm_nb.allowed import FINITE, POSITIVE
from pgm_nb.learning import Trace, naive
from pgm_nb.models.about import TABLE_OPTIONS, About, Option
from pgm_nb.models.class_trained import GENERATIVE
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.families import Families

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.utils import Tags

    from pgm_nb.graphs import Star
    from pgm_nb.information import Information

__all__ = ["BernoulliNaiveBayes"]

MEDIAN = "median"
OPTIONS = (
    Option(
        "threshold",
        parse=lambda text: text if text == MEDIAN else float(text),
        metavar="T",
        flag_help="where numbers are cut: 'median' (the default) or a number, the same for all columns",
    ),
    Option(
        "alpha", parse=float, metavar="A", flag_help="imaginary rows in every cell of a table (default: 1)"
    ),
)


class BernoulliNaiveBayes(ForestClassifier):
    """Bernoulli naive Bayes: a number is at most a threshold, or above it; nothing else counts.

    P(x | y) = (n(y, x) + alpha) / (n(y) + v alpha) with v = 2 states, and P(y) = n(y) / n. With a number as
    threshold these are the probabilities of scikit-learn's `BernoulliNB(binarize=threshold)`. Columns of
    words keep their states, as in its `CategoricalNB`.

    Parameters
    ----------
    threshold : "median" or float
        Where numbers are cut: at the median of each column, learned on the training rows, or at the same
        number everywhere. A column of only two numbers is cut between them by "median".
    alpha : float
        Imaginary rows in every cell.
    missing
        As in `NaiveBayes`.

    Attributes
    ----------
    structure_ : Star
    trace_, divergence_, importance_, classes_, feature_names_in_, n_features_in_, encoder_, missing_
        As in `NaiveBayes`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.BernoulliNaiveBayes(threshold=1.5).fit(X[["petal width"]], y)
    >>> model.predict_proba(X[["petal width"]].iloc[[70]]).round(2)  # 0 + 1, 5 + 1, 47 + 1 of 50 + 2 each
    array([[0.02, 0.11, 0.87]])
    """

    about: ClassVar[About] = ForestClassifier.about.but(
        allowed={
            "threshold": replace(FINITE, words=(MEDIAN,)),
            "alpha": replace(POSITIVE, what="a positive number of rows"),
        },
        short_name="bernoulli",
        title="Bernoulli naive Bayes",
        brief="Bernoulli NB",
        summary="Every attribute depends on the class alone, and a number counts only as low or high.",
        options=(
            *OPTIONS,
            *(option for option in TABLE_OPTIONS if option.key == "missing"),
        ),
        number_words="This model cuts every column of numbers once, at its median or at a threshold.",
        has_nomogram=True,
        own_states=True,
        structure_choices={},
    )
    _searches_pairs: ClassVar[bool] = False

    discretizer = "quantile"
    n_bins = 2
    smoothing = 2.0
    parameters = GENERATIVE

    def __init__(
        self, *, threshold: float | str = MEDIAN, alpha: float = 1.0, missing: str = "state"
    ) -> None:
        self.threshold = threshold
        self.alpha = alpha
        self.missing = missing

    def _discretizer(self, frame: pd.DataFrame) -> Any:
        if self.threshold == MEDIAN:
            return "quantile"
        return {
            str(name): [float(self.threshold)]
            for name, cells in frame.items()
            if types.is_numeric_dtype(cells.dtype) and not types.is_bool_dtype(cells.dtype)
        }

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Star, Trace]:
        return naive(info, names, target)

    def _tables(self, counts: Families) -> Factors:
        alpha = float(self.alpha)
        tables = tuple(
            np.log((n + alpha) / (n.sum(axis=-1, keepdims=True) + alpha * n.shape[-1])) for n in counts.tables
        )
        with np.errstate(divide="ignore"):  # a class may have no row yet
            prior = np.log(counts.y / counts.y.sum())
        return Factors(prior, counts.columns, counts.mothers, tables)

    @property
    def no_unseen_classes(self) -> str:
        """Why the model cannot have a class without rows."""
        return f"{self.about.title} takes the class prior as it is in training"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of a number it sees one bit
        return tags
