"""Two of Weka's classifiers: a network trained row by row, and naive Bayes with rounded bell curves."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, ndtr

from pgm_nb.arrays import Floats, Places

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OnlineNetwork", "RoundedGaussians", "train_row"]

RATE, MOMENTUM, ROUNDS = 0.3, 0.2, 500
START = 0.05  # weights begin within this of zero


def train_row(
    x: Floats, wanted: int, hidden: Floats, output: Floats, hidden_step: Floats, output_step: Floats
) -> None:
    """Move the weights of a network of sigmoids by one row: back-propagation with momentum, in place.

    The last weight of every unit is its bias; the steps are those of the row before.
    """
    units, classes = len(hidden), len(output)
    inner = np.empty(units)
    slope = np.zeros(units)
    for u in range(units):
        total = hidden[u, -1]
        for i in range(len(x)):
            total += hidden[u, i] * x[i]
        inner[u] = 1 / (1 + np.exp(-total))
    for c in range(classes):
        total = output[c, -1]
        for u in range(units):
            total += output[c, u] * inner[u]
        said = 1 / (1 + np.exp(-total))
        error = ((1.0 if c == wanted else 0.0) - said) * said * (1 - said)
        for u in range(units):
            slope[u] += error * output[c, u]
            output_step[c, u] = RATE * error * inner[u] + MOMENTUM * output_step[c, u]
            output[c, u] += output_step[c, u]
        output_step[c, units] = RATE * error + MOMENTUM * output_step[c, units]
        output[c, units] += output_step[c, units]
    for u in range(units):
        error = slope[u] * inner[u] * (1 - inner[u])
        for i in range(len(x)):
            hidden_step[u, i] = RATE * error * x[i] + MOMENTUM * hidden_step[u, i]
            hidden[u, i] += hidden_step[u, i]
        hidden_step[u, len(x)] = RATE * error + MOMENTUM * hidden_step[u, len(x)]
        hidden[u, len(x)] += hidden_step[u, len(x)]


@cache
def _compiled() -> Any:
    from pgm_nb.counts.compiling import inlined

    step = inlined(train_row)

    def train(X: Floats, y: Places, hidden: Floats, output: Floats, rounds: int) -> None:
        hidden_step, output_step = np.zeros_like(hidden), np.zeros_like(output)
        for _ in range(rounds):
            for row in range(len(X)):
                step(X[row], y[row], hidden, output, hidden_step, output_step)

    return inlined(train)


class OnlineNetwork:
    """One hidden layer of (attributes + classes) / 2 sigmoids, columns scaled to -1..1, 500 rounds.

    Parameters
    ----------
    rounds : int
        How often all rows are gone through.

    Examples
    --------
    >>> OnlineNetwork().rounds
    500
    """

    def __init__(self, rounds: int = ROUNDS) -> None:
        self.rounds = rounds

    def __sklearn_clone__(self) -> OnlineNetwork:
        return OnlineNetwork(self.rounds)

    def fit(self, X: pd.DataFrame, y: pd.Series[Any]) -> OnlineNetwork:
        """Train the network, the rows in an order that is drawn once."""
        cells = X.to_numpy(dtype=np.float64)
        self._low, high = cells.min(axis=0), cells.max(axis=0)
        self._wide = np.where(high > self._low, high - self._low, 1.0)
        self.classes_, wanted = np.unique(y.to_numpy(), return_inverse=True)
        units = max(2, (cells.shape[1] + len(self.classes_)) // 2)
        random = np.random.default_rng(0)
        self._hidden = random.uniform(-START, START, (units, cells.shape[1] + 1))
        self._output = random.uniform(-START, START, (len(self.classes_), units + 1))
        order = random.permutation(len(cells))
        _compiled()(self._scaled(cells)[order], wanted[order], self._hidden, self._output, self.rounds)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        """Return the class with the largest output for every row."""
        inner = expit(_sums(self._hidden, self._scaled(X.to_numpy(dtype=np.float64))))
        return self.classes_[_sums(self._output, inner).argmax(axis=1)]

    def _scaled(self, cells: Floats) -> Floats:
        scaled: Floats = 2 * (cells - self._low) / self._wide - 1
        return scaled


def _sums(weights: Floats, values: Floats) -> Floats:
    sums: Floats = values @ weights[:, :-1].T + weights[:, -1]
    return sums


SMALLEST = 1e-75  # probability of a cell
USUAL_GAP = 0.01  # of a constant column
NARROWEST = 6.0  # a bell curve is at least gap / NARROWEST wide


class RoundedGaussians:
    """Gaussian naive Bayes of rounded numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> X, y = pd.DataFrame({"x": [1.0, 2.0, 8.0, 9.0]}), pd.Series(["a", "a", "b", "b"])
    >>> RoundedGaussians().fit(X, y).predict(X).tolist()
    ['a', 'a', 'b', 'b']
    """

    def __sklearn_clone__(self) -> RoundedGaussians:
        return RoundedGaussians()

    def fit(self, X: pd.DataFrame, y: pd.Series[Any]) -> RoundedGaussians:
        """Learn the gaps, the bell curves and the class prior."""
        cells, labels = X.to_numpy(dtype=np.float64), y.to_numpy()
        self._gap = np.array([mean_gap(column) for column in cells.T])
        rounded = np.rint(cells / self._gap) * self._gap
        self.classes_, sizes = np.unique(labels, return_counts=True)
        parts = [rounded[labels == name] for name in self.classes_]
        self._mean = np.array([part.mean(axis=0) for part in parts])
        self._wide = np.array([np.maximum(part.std(axis=0), self._gap / NARROWEST) for part in parts])
        self._prior = np.log((sizes + 1) / (len(labels) + len(sizes)))
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        """Return the likeliest class of every row."""
        asked = np.rint(X.to_numpy(dtype=np.float64) / self._gap) * self._gap
        scores = np.empty((len(asked), len(self.classes_)))
        for place, (mean, wide) in enumerate(zip(self._mean, self._wide, strict=True)):
            off = asked - mean
            cell = ndtr((off + self._gap / 2) / wide) - ndtr((off - self._gap / 2) / wide)
            scores[:, place] = self._prior[place] + np.log(np.maximum(cell, SMALLEST)).sum(axis=1)
        return self.classes_[scores.argmax(axis=1)]


def mean_gap(column: Floats) -> float:
    """Return the mean gap between the distinct values of a column.

    Examples
    --------
    >>> mean_gap(np.array([1.0, 2.0, 2.0, 5.0]))
    2.0
    """
    values = np.unique(column)
    return float((values[-1] - values[0]) / (len(values) - 1)) if len(values) > 1 else USUAL_GAP
