"""How good decisions are: what is found and missed, the curves over all thresholds, and the net benefit.

All of it takes one class against the rest: `own` says which rows have the class, `chances` how probable it
was there. Curves, areas and confusion matrices are scikit-learn's, intervals of rates are SciPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pgm_nb.arrays import Flags, Floats, Ints, Places

__all__ = [
    "Curve",
    "DecisionCurve",
    "Detection",
    "Rate",
    "confusion",
    "decision_curve",
    "detect",
    "detect_decided",
    "net_benefit",
    "precision_recall",
    "roc",
    "wilson",
]

CONFIDENCE = 0.95
GRID = np.arange(1, 100) / 100  # thresholds of a decision curve


class Rate(NamedTuple):
    """A share of rows, with the interval that Wilson (1927) gives it at 95%.

    Examples
    --------
    >>> rate = Rate.of(9, 10)
    >>> rate.value, round(rate.low, 3), round(rate.high, 3)
    (0.9, 0.596, 0.982)
    """

    value: float  # NaN where there is no row
    low: float
    high: float
    hits: int
    total: int

    @classmethod
    def of(cls, hits: int, total: int) -> Rate:
        """Return hits / total and its interval."""
        if total == 0:
            return cls(np.nan, np.nan, np.nan, 0, 0)
        from scipy.stats import binomtest

        bounds = binomtest(hits, total).proportion_ci(CONFIDENCE, method="wilson")
        return cls(hits / total, float(bounds.low), float(bounds.high), hits, total)


def wilson(value: float, n: float) -> tuple[float, float]:
    """Return Wilson's interval of a share that is known as well as from n rows, whole or not.

    Examples
    --------
    >>> np.round(wilson(0.9, 10.0), 3).tolist()
    [0.596, 0.982]
    """
    z = 1.959963984540054
    centre, half = value + z * z / (2 * n), z * np.sqrt(value * (1 - value) / n + z * z / (4 * n * n))
    low, high = (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)
    return max(0.0, float(low)), min(1.0, float(high))


@dataclass(frozen=True)
class Detection:
    """What becomes of the rows when one class is decided or not: four counts, and all that follows from them.

    Examples
    --------
    >>> seen = Detection(found=9, missed=1, alarms=5, cleared=85, threshold=0.1)
    >>> seen.sensitivity.value, round(seen.specificity.value, 3), round(seen.positive_value.value, 3)
    (0.9, 0.944, 0.643)
    >>> round(seen.net_benefit, 4), round(seen.net_benefit_of_all, 4)  # 9/100 - 5/100 · 0.1/0.9
    (0.0844, 0.0)
    """

    found: int  #: have the class and are called so
    missed: int  #: have the class and are not called so
    alarms: int  #: do not have it and are called so
    cleared: int  #: do not have it and are not called so
    threshold: float | None = None  #: probability from which on the class is decided

    @property
    def n_rows(self) -> int:
        """All rows."""
        return self.found + self.missed + self.alarms + self.cleared

    @property
    def prevalence(self) -> float:
        """The share of rows that have the class."""
        return (self.found + self.missed) / self.n_rows

    @cached_property
    def sensitivity(self) -> Rate:
        """Of the rows with the class, the share that is found."""
        return Rate.of(self.found, self.found + self.missed)

    @cached_property
    def specificity(self) -> Rate:
        """Of the rows without the class, the share that is cleared."""
        return Rate.of(self.cleared, self.cleared + self.alarms)

    @cached_property
    def positive_value(self) -> Rate:
        """Of the rows called so, the share that has the class: the positive predictive value."""
        return Rate.of(self.found, self.found + self.alarms)

    @cached_property
    def negative_value(self) -> Rate:
        """Of the rows not called so, the share without the class: the negative predictive value."""
        return Rate.of(self.cleared, self.cleared + self.missed)

    @property
    def rates(self) -> dict[str, Rate]:
        """The four rates by their usual names."""
        return {
            "sensitivity": self.sensitivity,
            "specificity": self.specificity,
            "positive predictive value": self.positive_value,
            "negative predictive value": self.negative_value,
        }

    @property
    def net_benefit(self) -> float:
        """Rows found, less false alarms at their price in rows found, per row (Vickers and Elkin 2006)."""
        return self._benefit(self.found, self.alarms)

    @property
    def net_benefit_error(self) -> float:
        """Standard error of the net benefit: it is a mean over rows."""
        if self.threshold is None or self.threshold >= 1:
            return float("nan")
        price = self.threshold / (1 - self.threshold)
        squares = (self.found + self.alarms * price**2) / self.n_rows
        return float(np.sqrt(max(squares - self.net_benefit**2, 0.0) / self.n_rows))

    @property
    def net_benefit_of_all(self) -> float:
        """The net benefit of deciding this class for every row."""
        return self._benefit(self.found + self.missed, self.alarms + self.cleared)

    def _benefit(self, found: int, alarms: int) -> float:
        if self.threshold is None:
            return float("nan")
        return float(net_benefit(np.array([found]), np.array([alarms]), self.n_rows, self.threshold)[0])


def detect(chances: Floats, own: Flags, threshold: float) -> Detection:
    """Decide the class from a probability on, and count.

    Examples
    --------
    >>> detect(np.array([0.9, 0.2, 0.1]), np.array([True, False, True]), 0.2)
    Detection(found=1, missed=1, alarms=1, cleared=0, threshold=0.2)
    """
    return detect_decided(chances >= threshold, own, threshold)


def detect_decided(said: Flags, own: Flags, threshold: float | None = None) -> Detection:
    """Count decisions that were made in whatever way."""
    (cleared, alarms), (missed, found) = confusion(own.astype(np.intp), said.astype(np.intp), 2).tolist()
    return Detection(found, missed, alarms, cleared, threshold)


def confusion(truth: Places, decided: Places, k: int) -> Ints:
    """Count rows by their true class (down) and the decided one (across), (k, k).

    Examples
    --------
    >>> confusion(np.array([0, 0, 1]), np.array([0, 1, 1]), 2).tolist()
    [[1, 1], [0, 1]]
    """
    from sklearn.metrics import confusion_matrix

    counts: Ints = confusion_matrix(truth, decided, labels=np.arange(k))
    return counts


@dataclass(frozen=True, eq=False)
class Curve:
    """Two rates at every threshold, from the highest to the lowest, and the area under the curve."""

    thresholds: Floats
    across: Floats
    up: Floats
    area: float


def roc(chances: Floats, own: Flags, weights: Floats | None = None) -> Curve:
    """Return false alarms (across) and sensitivity (up), both as shares, at every threshold.

    `weights` say how many cases each row stands for; by default one.
    The area is how often a row with the class has a higher probability of it than a row without.

    Examples
    --------
    >>> curve = roc(np.array([0.9, 0.6, 0.4, 0.1]), np.array([True, False, True, False]))
    >>> curve.across.tolist(), curve.up.tolist(), curve.area
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], 0.75)
    """
    from sklearn.metrics import auc, roc_curve

    if own.all() or not own.any():
        empty = np.empty(0)
        return Curve(empty, empty, empty, float("nan"))
    across, up, thresholds = roc_curve(own, chances, sample_weight=weights)
    return Curve(thresholds, across, up, float(auc(across, up)))


def precision_recall(chances: Floats, own: Flags, weights: Floats | None = None) -> Curve:
    """Return sensitivity (across) and positive predictive value (up) at every threshold.

    The area is the average precision: the sum of the precisions, weighted by what each adds to the
    sensitivity. `weights` as in `roc`.

    Examples
    --------
    >>> curve = precision_recall(np.array([0.9, 0.6, 0.4, 0.1]), np.array([True, False, True, False]))
    >>> curve.across.tolist(), curve.up.round(3).tolist(), round(curve.area, 3)
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.667, 0.5], 0.833)
    """
    from sklearn.metrics import average_precision_score, precision_recall_curve

    if not own.any():
        empty = np.empty(0)
        return Curve(empty, empty, empty, float("nan"))
    precision, recall, thresholds = precision_recall_curve(own, chances, sample_weight=weights)
    area = float(average_precision_score(own, chances, sample_weight=weights))
    return Curve(thresholds[::-1], recall[-2::-1], precision[-2::-1], area)  # without the end that has no row


def net_benefit(
    found: Ints | Floats, alarms: Ints | Floats, n_rows: float, threshold: float | Floats
) -> Floats:
    """Return found / n - alarms / n · t / (1 - t): true alarms less false ones at their price.

    Who acts from a probability t on says with it that a false alarm costs t / (1 - t) of what a true alarm
    is worth (Vickers and Elkin 2006). Deciding nothing has a net benefit of zero.

    Examples
    --------
    >>> net_benefit(np.array([30]), np.array([20]), 100, 0.2)
    array([0.25])
    """
    t = np.asarray(threshold, dtype=np.float64)
    price = np.divide(t, 1 - t, out=np.full(t.shape, np.inf), where=t < 1)
    cost = np.multiply(
        alarms, price, out=np.zeros(np.broadcast(alarms, t).shape), where=np.asarray(alarms) > 0
    )
    benefit: Floats = found / n_rows - cost / n_rows
    return benefit


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """The net benefit at each threshold: of the model, and of deciding the class for every row.

    Deciding it for none has the net benefit zero.
    """

    thresholds: Floats
    model: Floats
    everyone: Floats


def decision_curve(
    chances: Floats, own: Flags, thresholds: Floats = GRID, weights: Floats | None = None
) -> DecisionCurve:
    """Return the net benefit of deciding the class from each of these probabilities on.

    `weights` as in `roc`.

    Examples
    --------
    >>> own = np.array([True, False, True, False])
    >>> curve = decision_curve(np.array([0.9, 0.6, 0.4, 0.1]), own, np.array([0.2, 0.5]))
    >>> curve.model.tolist(), curve.everyone.tolist()
    ([0.4375, 0.0], [0.375, 0.0])
    """
    weights = np.ones(len(chances)) if weights is None else weights
    n = float(weights.sum())
    found, alarms = (_at_least(chances[rows], weights[rows], thresholds) for rows in (own, ~own))
    ill, well = (np.array(weights[rows].sum()) for rows in (own, ~own))
    return DecisionCurve(
        thresholds, net_benefit(found, alarms, n, thresholds), net_benefit(ill, well, n, thresholds)
    )


def _at_least(chances: Floats, weights: Floats, thresholds: Floats) -> Floats:
    """Return the weight of the rows that reach each threshold."""
    order = np.argsort(chances, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    reached: Floats = below[-1] - below[np.searchsorted(chances[order], thresholds, side="left")]
    return reached
