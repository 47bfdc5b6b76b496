"""How good predicted probabilities are: accuracy, log-loss, Brier score, AUC and F1.

Precision, recall and F1 are scikit-learn's; AUC is SciPy's Mann-Whitney U, which takes all sizes of a model
at once; accuracy, log-loss (in bits) and Brier score are one line each. All equal scikit-learn's numbers,
but its checks would cost many times the work on a curve of many sizes.

Reliability curves compare probabilities with what came true. The probability that counts is that of the
predicted class. Rows are sorted by it into bins of about equally many rows, so that no bin stands on a
handful of them; in each bin the mean probability is compared with how often the prediction was right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.words import percent

__all__ = [
    "CURVE_METRICS",
    "METRICS",
    "Reliability",
    "accuracy",
    "auc",
    "brier",
    "log_loss",
    "reliability",
    "reliability_sentence",
    "score_sizes",
]

_BITS = 40  # of a mantissa by which two numbers differ by more than rounding: about twelve digits


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
        "precision": Metric("precision", True),
        "recall": Metric("recall", True),
        "f1": Metric("F1", True),
        "auc": Metric("AUC", True),
        "log_loss": Metric("log-loss (bits)", False),
        "brier": Metric("Brier score", False),
        "fit_seconds": Metric("fit (s)", False),
        "predict_seconds": Metric("predict (s)", False),
    }
)
CURVE_METRICS = ("accuracy", "precision", "recall", "f1", "auc", "log_loss")  #: columns of `score_sizes`


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

    Probabilities below 2^-52 (the float64 epsilon, as in scikit-learn) count as 2^-52, so that a row costs
    at most 52 bits.

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
    errors = probabilities - (np.arange(probabilities.shape[1]) == truth[:, None])
    return float(np.mean((errors**2).sum(axis=1)))


def auc(probabilities: Floats, truth: Places) -> float:
    """Return the area under the ROC curve: of the second of two classes, else the mean of one-vs-rest.

    Classes that no row or every row has are left out of the mean; NaN if that is all of them.

    Examples
    --------
    >>> auc(np.array([[0.9, 0.1], [0.4, 0.6], [0.6, 0.4]]), np.array([0, 1, 0]))
    1.0
    """
    return float(_areas(probabilities[:, None], truth)[0])


def _areas(probabilities: Floats, truth: Places) -> Floats:
    """Return the AUC of posteriors (n, sizes, k) for every size, as SciPy's Mann-Whitney U over all pairs."""
    from scipy.stats import mannwhitneyu

    _, sizes, k = probabilities.shape
    areas = []
    for c in [1] if k == 2 else range(k):
        own = truth == c
        if own.any() and not own.all():
            scores = probabilities[:, :, c]
            with np.errstate(divide="ignore", invalid="ignore"):  # the p-value of ties, which is not used
                found = mannwhitneyu(scores[own], scores[~own], axis=0, method="asymptotic")
            areas.append(found.statistic / (np.count_nonzero(own) * np.count_nonzero(~own)))
    return np.mean(areas, axis=0) if areas else np.full(sizes, np.nan)


def score_sizes(log_posterior: Floats, truth: Places) -> Floats:
    """Score the posteriors of models of every size, (sizes, metrics), columns as `CURVE_METRICS`.

    With two classes precision, recall, F1 and AUC are those of the second one; with more they are averages
    over the classes.

    Parameters
    ----------
    log_posterior : array (n, sizes, k)
        Log of the class posterior of every row, for every size.
    truth : array (n,)
        The classes, 0 to k - 1.

    Examples
    --------
    >>> posterior = np.array([[[0.8, 0.2]], [[0.4, 0.6]], [[0.7, 0.3]]])
    >>> found = score_sizes(np.log(posterior), np.array([0, 1, 1]))[0]
    >>> dict(zip(CURVE_METRICS, found.round(3).tolist()))
    {'accuracy': 0.667, 'precision': 1.0, 'recall': 0.5, 'f1': 0.667, 'auc': 1.0, 'log_loss': 0.932}
    """
    from sklearn.metrics import precision_recall_fscore_support

    n, sizes, k = log_posterior.shape
    predicted = np.arange(k) == log_posterior.argmax(axis=2)[:, :, None]
    actual = np.tile(np.arange(k) == truth[:, None], sizes)  # a column per size and class: one call for all
    shares = precision_recall_fscore_support(actual, predicted.reshape(n, -1), zero_division=0)[:3]
    asked = slice(1, 2) if k == 2 else slice(None)
    precision, recall, f1 = (np.reshape(share, (sizes, k))[:, asked].mean(axis=1) for share in shares)
    posteriors = np.exp(log_posterior)
    return np.column_stack(
        [
            predicted[np.arange(n), :, truth].mean(axis=0),
            precision,
            recall,
            f1,
            _areas(_without_rounding(posteriors), truth),
            [log_loss(posteriors[:, size], truth) for size in range(sizes)],
        ]
    )


def _without_rounding(values: Floats) -> Floats:
    """Drop the last bits, so that numbers that differ by rounding only are ties."""
    mantissa, exponent = np.frexp(values)
    kept: Floats = np.ldexp(np.round(mantissa * 2.0**_BITS), exponent - _BITS)
    return kept


BINS = 10  #: of a reliability curve, unless another number is given
USUAL = 0.8  # the probability that a sentence speaks of, if there are rows near it


@dataclass(frozen=True, eq=False)
class Reliability:
    """What a model predicted and what came true, in bins of about equally many rows.

    Parameters
    ----------
    predicted : array
        Mean probability of the predicted class, per bin.
    observed : array
        Share of the rows in the bin whose prediction was right.
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
        """Expected calibration error: the mean distance between the two, weighted by rows."""
        if not self.rows.sum():
            return float("nan")
        return float(np.average(np.abs(self.predicted - self.observed), weights=self.rows))


def reliability(probabilities: Floats, truth: Places, bins: int = BINS) -> Reliability:
    """Return the reliability curve of the predicted class (Guo et al. 2017), in bins of equal count.

    Rows of equal probability stay together, so bins may be larger and fewer.

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


def reliability_sentence(curve: Reliability) -> str:
    """Say how often a stated probability comes true, in the bin nearest to 80%.

    Examples
    --------
    >>> curve = Reliability(np.array([0.6, 0.79, 0.98]), np.array([0.5, 0.72, 0.99]), np.array([50, 50, 50]))
    >>> print(reliability_sentence(curve))
    When the model says 79%, it happens 72% of the time.
    """
    if not len(curve.rows):
        return "There is no row to judge by."
    place = int(np.abs(curve.predicted - USUAL).argmin())
    said, came = float(curve.predicted[place]), float(curve.observed[place])
    return f"When the model says {percent(said)}, it happens {percent(came)} of the time."
