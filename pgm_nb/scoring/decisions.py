"""What decisions cost, and how good they are: what is found and missed, curves over thresholds, net benefit.

A decision of least expected cost follows from probabilities. All else takes one class against the rest: `own`
says which rows have the class, `chances` how probable it was there. Curves, areas and confusion matrices are
scikit-learn's, intervals of rates are SciPy's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pgm_nb.allowed import FINITE, POSITIVE
from pgm_nb.arrays import Flags, Floats, Ints, Places
from pgm_nb.data.labels import class_place
from pgm_nb.errors import QueryError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FALSE_ALARM",
    "GRID",
    "MISS",
    "Costs",
    "Curve",
    "DecisionCurve",
    "Detection",
    "DetectionElsewhere",
    "Rate",
    "confusion",
    "decision_curve",
    "detect",
    "detect_decided",
    "net_benefit",
    "precision_recall",
    "read_costs",
    "roc",
    "threshold",
]

MISS, FALSE_ALARM = "miss", "false alarm"
_SAME = 1e-12  # of the largest cost: expected costs closer than this are equal up to rounding


def threshold(miss: float, false_alarm: float) -> float:
    """Return the probability from which on it is cheaper to act: false alarm / (false alarm + miss).

    Examples
    --------
    >>> threshold(9, 1), threshold(1, 1)
    (0.1, 0.5)
    """
    return false_alarm / (false_alarm + miss)


@dataclass(frozen=True, eq=False)
class Costs:
    """What every decision costs.

    Attributes
    ----------
    matrix : array (k, k)
        Cost of deciding a class (across) where another is true (down).
    label : int or None
        Place of the class that counts, if only misses and false alarms of it cost anything.

    Examples
    --------
    >>> costs = read_costs({"miss": 9, "false alarm": 1}, ["ill", "well"], "ill")
    >>> costs.threshold(0), costs.decide(np.array([[0.2, 0.8], [0.05, 0.95]]))
    (0.1, array([0, 1]))
    """

    matrix: Floats
    label: int | None = None

    def __post_init__(self) -> None:
        view = self.matrix.view()
        view.flags.writeable = False
        object.__setattr__(self, "matrix", view)

    def threshold(self, place: int) -> float | None:
        """Return the probability from which on this class is decided; None where no one number says it.

        With two classes, or where one class alone counts, there is one (Elkan 2001, section 2).
        """
        return self._threshold(place) if len(self.matrix) == 2 or self.label == place else None

    def _threshold(self, place: int) -> float:
        other = 1 if place == 0 else 0
        alarm = self.matrix[other, place] - self.matrix[other, other]
        miss = self.matrix[place, other] - self.matrix[place, place]
        return threshold(float(miss), float(alarm))

    def decide(self, probabilities: Floats) -> Places:
        """Return the class of least expected cost of every row of probabilities (n, k)."""
        if self.label is not None:
            others = probabilities.copy()
            others[:, self.label] = -1.0
            enough = probabilities[:, self.label] >= self._threshold(self.label)
            return np.where(enough, self.label, others.argmax(axis=1))
        expected = probabilities @ self.matrix
        least = expected.min(axis=1, keepdims=True)
        tied = expected <= least + _SAME * np.abs(self.matrix).max()
        chosen: Places = np.where(tied, probabilities, -1.0).argmax(axis=1)
        return chosen

    def mean(self, truth: Places, decided: Places, weights: Floats | None = None) -> float:
        """Return the cost per row of decisions; `weights` say how many cases each row stands for."""
        return float(np.average(self.matrix[truth, decided], weights=weights))


def read_costs(costs: Mapping[Any, float] | pd.DataFrame, classes: Sequence[Any], label: Any = None) -> Costs:
    """Read what decisions cost.

    Parameters
    ----------
    costs : mapping or DataFrame
        ``{"miss": 10, "false alarm": 1}`` with the class that counts in `label`; ``{(true, decided): cost}``
        for every pair of different classes; or a table with the true classes down and the decided across.
    classes : sequence
        The classes, in order.
    label : object, optional
        The class that counts.

    Raises
    ------
    QueryError
        A class is unknown, a cost is missing or not a number, or a wrong decision costs less than the right
        one.

    Examples
    --------
    >>> read_costs({("ill", "well"): 10, ("well", "ill"): 1}, ["ill", "well"]).matrix
    array([[ 0., 10.],
           [ 1.,  0.]])
    """
    if hasattr(costs, "columns"):
        _check_unused(label)
        return _from_cells(_cells(costs), classes)
    if not isinstance(costs, Mapping) or not costs:
        raise QueryError(
            f"costs must be {{{MISS!r}: 10, {FALSE_ALARM!r}: 1}}, {{(true, decided): cost}} or a table of "
            f"costs, but is {costs!r}"
        )
    if all(isinstance(key, tuple) and len(key) == 2 for key in costs):
        _check_unused(label)
        return _from_cells(dict(costs), classes)
    return _miss_and_alarm(costs, classes, label)


def _check_unused(label: Any) -> None:
    if label is not None:
        raise QueryError(
            f"costs of every pair of classes leave no single class that counts; leave {label!r} out, or give "
            f"{{{MISS!r}: ..., {FALSE_ALARM!r}: ...}}"
        )


def _cells(table: Any) -> dict[tuple[Any, Any], Any]:
    return {
        (true, decided): table.iloc[row, column]
        for row, true in enumerate(table.index)
        for column, decided in enumerate(table.columns)
    }


def _from_cells(cells: Mapping[tuple[Any, Any], Any], classes: Sequence[Any]) -> Costs:
    matrix = np.full((len(classes), len(classes)), np.nan)
    np.fill_diagonal(matrix, 0.0)
    for (true, decided), cost in cells.items():
        said = f"the cost of deciding {str(decided)!r} where it is {str(true)!r}"
        place = class_place(true, classes), class_place(decided, classes)
        matrix[place] = FINITE.check(said, cost, QueryError)
    for true, decided in np.argwhere(np.isnan(matrix)):
        raise QueryError(
            f"costs must say what it costs to decide {str(classes[decided])!r} where it is "
            f"{str(classes[true])!r}"
        )
    for true, decided in np.argwhere(matrix < matrix.diagonal()[:, None]):
        raise QueryError(
            f"deciding {str(classes[decided])!r} where it is {str(classes[true])!r} must not cost less than "
            f"deciding {str(classes[true])!r}, but costs {matrix[true, decided]:g} and "
            f"{matrix[true, true]:g}"
        )
    if not (matrix > matrix.diagonal()[:, None]).any():
        raise QueryError("no wrong decision costs anything, so every decision is as good; give a cost")
    return Costs(matrix)


def _miss_and_alarm(costs: Mapping[Any, Any], classes: Sequence[Any], label: Any) -> Costs:
    wrong = [key for key in costs if key not in (MISS, FALSE_ALARM)]
    if wrong or len(costs) < 2:
        raise QueryError(
            f"costs must have {MISS!r} and {FALSE_ALARM!r}, or a pair (true, decided) for every cost, but "
            f"has {', '.join(map(repr, costs))}"
        )
    if label is None:
        raise QueryError(
            f"which class is the one that counts, whose {MISS} costs {costs[MISS]!r}? Name it: "
            f"label={str(classes[0])!r}"
        )
    place = class_place(label, classes)
    miss, alarm = (
        POSITIVE.check(f"the cost of a {name}", costs[name], QueryError) for name in (MISS, FALSE_ALARM)
    )
    matrix = np.zeros((len(classes), len(classes)))
    matrix[place], matrix[:, place] = miss, alarm
    matrix[place, place] = 0.0
    return Costs(matrix, place)


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


@dataclass(frozen=True)
class DetectionElsewhere(Detection):
    """What decisions find and miss in another population; the four counts remain those of the rows.

    The interval of a predictive value has the ends that follow from the ends of sensitivity and specificity,
    so it is wider than 95% needs.

    Examples
    --------
    >>> seen = DetectionElsewhere(9, 1, 5, 85, threshold=0.1, share=0.01, others=((5, 85, 0.99),))
    >>> seen.sensitivity.value, round(seen.positive_value.value, 3)  # 0.009 / (0.009 + 0.99 · 5/90)
    (0.9, 0.141)
    """

    share: float = 0.0  #: of the class among all cases
    others: tuple[tuple[int, int, float], ...] = ()  #: alarms, cleared and share of every other class

    @property
    def prevalence(self) -> float:
        """The share of cases that have the class."""
        return self.share

    @cached_property
    def specificity(self) -> Rate:
        """Of the cases without the class, the share that is cleared."""
        counted = [(alarms, cleared, share) for alarms, cleared, share in self.others if alarms + cleared]
        total = sum(share for _, _, share in counted)
        if len(counted) < 2 or not total:
            return Rate.of(self.cleared, self.cleared + self.alarms)
        parts = np.array([share / total for _, _, share in counted])
        sizes = np.array([alarms + cleared for alarms, cleared, _ in counted])
        value = float(parts @ [cleared / (alarms + cleared) for alarms, cleared, _ in counted])
        low, high = wilson(value, 1 / float((parts**2 / sizes).sum()))
        return Rate(value, low, high, self.cleared, self.cleared + self.alarms)

    @cached_property
    def positive_value(self) -> Rate:
        """Of the cases called so, the share that has the class."""
        hits, clear = self.sensitivity, self.specificity
        ends = zip(hits[:3], clear[:3], strict=True)
        value, low, high = (_share(a * self.share, (1 - b) * (1 - self.share)) for a, b in ends)
        return Rate(value, low, high, self.found, self.found + self.alarms)

    @cached_property
    def negative_value(self) -> Rate:
        """Of the cases not called so, the share without the class."""
        hits, clear = self.sensitivity, self.specificity
        ends = zip(hits[:3], clear[:3], strict=True)
        value, low, high = (_share(b * (1 - self.share), (1 - a) * self.share) for a, b in ends)
        return Rate(value, low, high, self.cleared, self.cleared + self.missed)

    @property
    def net_benefit(self) -> float:
        """Cases found, less false alarms at their price, per case."""
        alarms = 1 - self.specificity.value
        return self.sensitivity.value * self.share - self._price * alarms * (1 - self.share)

    @property
    def net_benefit_error(self) -> float:
        """Standard error of the net benefit: of the two rates it is made of."""
        parts = (
            (self.share, self.sensitivity),
            (self._price * (1 - self.share), self.specificity),
        )
        squares = sum(
            weight**2 * rate.value * (1 - rate.value) / rate.total for weight, rate in parts if rate.total
        )
        return float(np.sqrt(squares))

    @property
    def net_benefit_of_all(self) -> float:
        """The net benefit of deciding this class for every case."""
        return self.share - self._price * (1 - self.share)

    @property
    def _price(self) -> float:
        if self.threshold is None or self.threshold >= 1:
            return float("nan")
        return self.threshold / (1 - self.threshold)


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part + rest > 0 else float("nan")
