"""Are predicted probabilities to be relied on? Reliability curves and the expected calibration error.

The probability that counts is that of the predicted class. Rows are sorted by it into bins of about equally
many rows, so that no bin stands on a handful of them; in each bin the mean probability is compared with how
often the prediction was right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.words import percent

__all__ = ["BINS", "Reliability", "reliability", "reliability_sentence"]

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
