"""What wrong decisions cost, and the decision of least expected cost that follows from probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.data.labels import class_place
from pgm_nb.errors import QueryError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FALSE_ALARM", "MISS", "Costs", "read_costs", "threshold"]

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
        matrix[class_place(true, classes), class_place(decided, classes)] = _number(cost, said)
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
    miss, alarm = (_number(costs[name], f"the cost of a {name}") for name in (MISS, FALSE_ALARM))
    for name, cost in ((MISS, miss), (FALSE_ALARM, alarm)):
        if cost <= 0:
            raise QueryError(f"the cost of a {name} must be above 0, but is {cost:g}")
    matrix = np.zeros((len(classes), len(classes)))
    matrix[place], matrix[:, place] = miss, alarm
    matrix[place, place] = 0.0
    return Costs(matrix, place)


def _number(cost: Any, said: str) -> float:
    if isinstance(cost, bool) or not isinstance(cost, Real) or not np.isfinite(float(cost)):
        raise QueryError(f"{said} must be a number, but is {cost!r}")
    return float(cost)
