"""Bernoulli naive Bayes: every number is only "at most" or "above" a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pandas.api import types

from pgm_nb.errors import DataError
from pgm_nb.inference import Factors, Families
from pgm_nb.learning import Trace, naive
from pgm_nb.models.class_trained import GENERATIVE
from pgm_nb.models.forest import ForestClassifier
from pgm_nb.models.options import TABLE_OPTIONS, Option

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

    short_name: ClassVar[str] = "bernoulli"
    title: ClassVar[str] = "Bernoulli naive Bayes"
    brief: ClassVar[str] = "Bernoulli NB"
    summary: ClassVar[str] = (
        "Every attribute depends on the class alone, and a number counts only as low or high."
    )
    options: ClassVar[tuple[Option, ...]] = (
        *OPTIONS,
        *(option for option in TABLE_OPTIONS if option.key == "missing"),
    )
    number_words: ClassVar[str] = (
        "This model cuts every column of numbers once, at its median or at a threshold."
    )
    has_nomogram: ClassVar[bool] = True
    own_states: ClassVar[bool] = True
    searches_pairs: ClassVar[bool] = False
    structure_choices: ClassVar[Mapping[str, str]] = {}
    before: ClassVar[Mapping[str, Any]] = {}

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
        tables = tuple(
            np.log((n + self.alpha) / (n.sum(axis=-1, keepdims=True) + self.alpha * n.shape[-1]))
            for n in counts.tables
        )
        return Factors(np.log(counts.y / counts.y.sum()), counts.columns, counts.mothers, tables)

    @property
    def no_unseen_classes(self) -> str:
        """Why the model cannot have a class without rows."""
        return f"{self.title} takes the class prior as it is in training"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # of a number it sees one bit
        return tags

    def _check_smoothing(self) -> None:
        threshold: object = self.threshold
        number = isinstance(threshold, int | float | np.number) and np.isfinite(float(threshold))
        if threshold != MEDIAN and not number:
            raise DataError(f"threshold must be {MEDIAN!r} or a number, but is {threshold!r}")
        if not isinstance(self.alpha, int | float | np.number) or not 0 < self.alpha < np.inf:
            raise DataError(f"alpha must be a positive number of rows, but is {self.alpha!r}")
