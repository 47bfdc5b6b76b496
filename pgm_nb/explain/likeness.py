"""Rows that are most like a case, as the model sees it.

A model adds up contributions, one vector over the classes for each of its steps. Two cases are alike where
these agree: the difference of a step counts by how far it moves the log-odds of any two classes, the largest
difference less the smallest, and the steps are summed. So values that the model does not use do not count,
two values that say the same about the class count as the same, and what says most counts most. Where two rows
are equally near, the one with more equal values comes first, then the earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pgm_nb.arrays import Floats
from pgm_nb.data import as_frame
from pgm_nb.data.frame import is_empty
from pgm_nb.errors import QueryError
from pgm_nb.explain.rows import one_row

if TYPE_CHECKING:
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

    model: Any
    frame: pd.DataFrame
    steps: Floats  #: (n, steps, k), the mean over the classes taken off

    @classmethod
    def of(cls, model: Any, X: Any) -> Likeness:
        """Compute the contributions of every row."""
        frame = as_frame(X)
        blocks = np.array_split(np.arange(len(frame)), max(1, -(-len(frame) // AT_ONCE)))
        return cls(model, frame, np.concatenate([_steps(model.terms(frame.iloc[block])) for block in blocks]))

    def distances(self, row: int | Mapping[str, Any]) -> Floats:
        """Return how far every row is from a case, (n,), in natural logs of odds; may be infinite.

        The case is one of the rows, by its place, or what is known of another one.
        """
        steps = self.steps[row] if isinstance(row, int) else _steps(self.model.case_terms(row))[0]
        with np.errstate(invalid="ignore"):
            moved = self.steps - steps
        moved[np.isnan(moved)] = 0.0  # both impossible: no difference
        spread: Floats = (moved.max(axis=2) - moved.min(axis=2)).sum(axis=1)
        return spread

    def nearest(self, row: int | Mapping[str, Any], n: int = 5) -> pd.DataFrame:
        """Return the rows nearest to a case: `row` (from 0), `distance`, and `same`: equal values."""
        distance = self.distances(row)
        same = np.zeros(len(self.frame), dtype=np.intp)
        for name, cells in self.frame.items():
            value = cells.iloc[row] if isinstance(row, int) else row.get(str(name))
            if not is_empty(value):
                same += (cells == value).to_numpy(dtype=bool, na_value=False)
        order = np.lexsort((np.arange(len(distance)), -same, distance))
        kept = order[order != row][:n] if isinstance(row, int) else order[:n]
        return pd.DataFrame({"row": kept, "distance": distance[kept], "same": same[kept]})


def most_alike(model: Any, X: Any, row: Any, n: int = 5) -> pd.DataFrame:
    """Return the rows of a table that are most like a case, as the model sees it.

    Parameters
    ----------
    model
        Any fitted model.
    X : table
        The rows.
    row : int, mapping or Series
        The place of the case in the table, from 0, or what is known of a case that is not in it: values by
        name.
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
    >>> model = model.fit(X, y)
    >>> pnb.most_alike(model, X, 77, n=2)["row"].tolist()
    [126, 146]
    >>> pnb.most_alike(model, X, {"petal width": 1.6, "petal length": 5.0}, n=2)["row"].tolist()
    [127, 138]
    """
    frame = as_frame(X)
    if isinstance(row, int | np.integer):
        place = int(row)
        if not 0 <= place < len(frame):
            raise QueryError(f"the table has rows 0 to {len(frame) - 1:,}, but row is {place}")
        return Likeness.of(model, frame).nearest(place, n)
    if not isinstance(row, Mapping | pd.Series):
        raise QueryError(
            "a case is the place of a row, such as 3, or values by name, such as {'age': 64}, but was given "
            f"an object of type {type(row).__name__}"
        )
    cells = one_row(row, model.attribute_names_).iloc[0]
    known = {str(name): _plain(value) for name, value in cells.items() if not is_empty(value)}
    return Likeness.of(model, frame).nearest(known, n)


def _steps(terms: Terms) -> Floats:
    """Return the contributions with the mean over the classes taken off; an impossible class stays so."""
    steps = np.array(terms.values)
    finite = np.isfinite(steps)
    total = np.where(finite, steps, 0.0).sum(axis=2, keepdims=True)
    centred: Floats = steps - total / np.maximum(finite.sum(axis=2, keepdims=True), 1)
    return centred


def _plain(value: Any) -> Any:
    """Return a number of NumPy as one of Python."""
    return value.item() if isinstance(value, np.generic) else value
