"""Naive Bayes with rounded bell curves, as Weka has it: an experiment on the local-PCA paper's naive Bayes.

Every column is rounded to multiples of the mean gap between its distinct values, a bell curve is at least a
sixth of that gap wide, and a value has the probability of the interval that rounds to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr

from pgm_nb.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RoundedGaussians"]

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
