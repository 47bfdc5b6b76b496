"""Rows that are most like a case, as the model sees it.

A model adds up contributions, one vector over the classes for each of its steps. Two cases are alike where
these agree: the difference of a step counts by how far it moves the log-odds of any two classes, the largest
difference less the smallest, and the steps are summed. So values that the model does not use do not count,
two values that say the same about the class count as the same, and what says most counts most. Where two rows
are equally near, the one with more equal values comes first, then the earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.data import as_frame

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.terms import Terms

__all__ = ["Likeness", "most_alike"]

AT_ONCE = 4096  # rows whose contributions are computed together


@dataclass(frozen=True, eq=False)
class Likeness:
    """The contributions of all rows of a table, to be compared with each other.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5)
    >>> alike = Likeness.of(model.fit(X, y), X)
    >>> alike.nearest(77, 2)["row"].tolist()
    [126, 146]
    """

    frame: pd.DataFrame
    steps: Floats  #: (n, steps, k), the mean over the classes taken off

    @classmethod
    def of(cls, model: Any, X: Any) -> Likeness:
        """Compute the contributions of every row."""
        frame = as_frame(X)
        blocks = np.array_split(np.arange(len(frame)), max(1, -(-len(frame) // AT_ONCE)))
        return cls(frame, np.concatenate([_steps(model.terms(frame.iloc[block])) for block in blocks]))

    def distances(self, row: int) -> Floats:
        """Return how far every row is from one of them, (n,), in natural logs of odds; may be infinite."""
        with np.errstate(invalid="ignore"):
            moved = self.steps - self.steps[row]
        moved[np.isnan(moved)] = 0.0  # both impossible: no difference
        spread: Floats = (moved.max(axis=2) - moved.min(axis=2)).sum(axis=1)
        return spread

    def nearest(self, row: int, n: int = 5) -> pd.DataFrame:
        """Return the rows nearest to one of them: `row` (from 0), `distance`, and `same`: equal values."""
        import pandas as pd

        distance = self.distances(row)
        same = np.zeros(len(self.frame), dtype=np.intp)
        for _, cells in self.frame.items():
            same += (cells == cells.iloc[row]).to_numpy(dtype=bool, na_value=False)
        order = np.lexsort((np.arange(len(distance)), -same, distance))
        kept = order[order != row][:n]
        return pd.DataFrame({"row": kept, "distance": distance[kept], "same": same[kept]})


def most_alike(model: Any, X: Any, row: int, n: int = 5) -> pd.DataFrame:
    """Return the rows of a table that are most like one of them, as the model sees it.

    Parameters
    ----------
    model
        Any fitted model.
    X : table
        The rows.
    row : int
        The place of the case in the table, from 0.
    n : int
        How many rows to return.

    Returns
    -------
    pandas.DataFrame
        `row` (place in the table), `distance` (how far the log-odds differ, summed over the steps of the
        model) and `same` (attributes with equal values), the nearest first.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5)
    >>> pnb.most_alike(model.fit(X, y), X, 77, n=2)["row"].tolist()
    [126, 146]
    """
    return Likeness.of(model, X).nearest(row, n)


def _steps(terms: Terms) -> Floats:
    """Return the contributions with the mean over the classes taken off; an impossible class stays so."""
    steps = np.array(terms.values)
    finite = np.isfinite(steps)
    total = np.where(finite, steps, 0.0).sum(axis=2, keepdims=True)
    centred: Floats = steps - total / np.maximum(finite.sum(axis=2, keepdims=True), 1)
    return centred
