"""How good probabilities are: accuracy, log-loss, Brier score, AUC, and calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

__all__ = ["METRICS", "Metric", "Reliability", "accuracy", "auc", "brier", "log_loss", "reliability"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class Metric(NamedTuple):
    """What a score is called, and which way is better.

    Examples
    --------
    >>> METRICS["log_loss"].title, METRICS["log_loss"].higher_is_better
    ('log-loss (bits)', False)
    """

    title: str
    higher_is_better: bool


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "accuracy": Metric("accuracy", True),
        "log_loss": Metric("log-loss (bits)", False),
        "brier": Metric("Brier score", False),
        "auc": Metric("AUC", True),
        "fit_seconds": Metric("fit (s)", False),
        "predict_seconds": Metric("predict (s)", False),
    }
)


def accuracy(probabilities: Floats, truth: Places) -> float:
    """Return the share of rows whose most probable class (the first of equals) is the true one.

    Examples
    --------
    >>> accuracy(np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([0, 0]))
    0.5
    """
    return float(np.mean(probabilities.argmax(axis=1) == truth))


def log_loss(probabilities: Floats, truth: Places) -> float:
    """Return the mean of -log2 P(true class), in bits per row.

    Probabilities below 2^-52 (the float64 epsilon, as scikit-learn has it) count as 2^-52, so that a row
    costs at most 52 bits.

    Examples
    --------
    >>> log_loss(np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([0, 1]))
    27.0
    """
    right = probabilities[np.arange(len(truth)), truth]
    return float(np.mean(-np.log2(np.clip(right, np.finfo(np.float64).eps, 1.0))))


def brier(probabilities: Floats, truth: Places) -> float:
    """Return the mean over rows of the squared errors summed over all classes (Brier 1950): 0 to 2.

    Examples
    --------
    >>> brier(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 1]))
    1.25
    """
    errors = probabilities.copy()
    errors[np.arange(len(truth)), truth] -= 1.0
    return float(np.mean((errors**2).sum(axis=1)))


def auc(probabilities: Floats, truth: Places) -> float:
    """Return the area under the ROC curve: of the second of two classes, else the mean of one-vs-rest.

    The probability that a row of the class gets a higher score than another row, equals counting half
    (Mann and Whitney 1947). Classes that no row or every row has are left out of the mean; NaN if that is
    all of them.

    Examples
    --------
    >>> auc(np.array([[0.9, 0.1], [0.4, 0.6], [0.6, 0.4]]), np.array([0, 1, 0]))
    1.0
    """
    n, k = probabilities.shape
    asked = np.arange(1, 2) if k == 2 else np.arange(k)
    ranks = rankdata(probabilities[:, asked], axis=0)
    own = truth[:, None] == asked
    positives = own.sum(axis=0)
    pairs = positives * (n - positives)
    wins = (ranks * own).sum(axis=0) - positives * (positives + 1) / 2
    return float(np.mean(wins[pairs > 0] / pairs[pairs > 0])) if pairs.any() else float("nan")


@dataclass(frozen=True, eq=False)
class Reliability:
    """What a model said and what came true, in bins of about equally many rows.

    Parameters
    ----------
    predicted : array
        Mean probability of the class that was predicted, per bin.
    observed : array
        Share of the rows of the bin for which it was right.
    rows : array
        Rows in the bin.

    Examples
    --------
    >>> Reliability(np.array([0.9]), np.array([0.8]), np.array([50])).error  # doctest: +ELLIPSIS
    0.09999...
    """

    predicted: Floats
    observed: Floats
    rows: Places

    def __post_init__(self) -> None:
        for array in (self.predicted, self.observed, self.rows):
            array.flags.writeable = False

    @property
    def error(self) -> float:
        """Expected calibration error: the mean distance of the two, weighted by rows."""
        if not self.rows.sum():
            return float("nan")
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.rows))


def reliability(probabilities: Floats, truth: Places, bins: int = 10) -> Reliability:
    """Return the reliability curve of the predicted class (Guo et al. 2017), in bins of equal count.

    Rows of equal probability are never parted, so a bin may be larger and there may be fewer of them.

    Examples
    --------
    >>> given = np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.3, 0.7]])
    >>> curve = reliability(given, np.array([0, 1, 1, 1]), bins=2)
    >>> print(curve.predicted, curve.observed, curve.rows)
    [0.65 0.85] [1.  0.5] [2 2]
    """
    if not len(truth):
        return Reliability(np.empty(0), np.empty(0), np.empty(0, np.intp))
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == truth
    edges = np.quantile(confidence, np.arange(1, bins) / bins, method="inverted_cdf")
    _, place = np.unique(np.searchsorted(edges, confidence, side="left"), return_inverse=True)
    rows = np.bincount(place)
    return Reliability(
        np.bincount(place, weights=confidence) / rows, np.bincount(place, weights=right) / rows, rows
    )
