"""Cases beside each other: the training rows most like a case, and why two cases get different answers."""

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
from pgm_nb.explain.case_values import one_row
from pgm_nb.explain.cases import CaseAnalysis, asked_case
from pgm_nb.explain.explanation import Explanation
from pgm_nb.explain.protocols import Known
from pgm_nb.words import probability

if TYPE_CHECKING:
    from pgm_nb.explain.explanation import Terms

__all__ = ["CasePair", "Likeness", "compare_cases", "most_alike"]

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


@dataclass(frozen=True, eq=False)
class CasePair:
    """Two cases, explained by the same class against the same other class.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing=1.0, discretizer="quantile", n_bins=5)
    >>> case = pnb.CaseAnalysis.of(model.fit(X, y), X)
    >>> print(pnb.compare_cases(case, {"petal width": 1.6}, {"petal width": 1.3}))
    virginica has 77.1% in the first case and 8.3% in the second; petal width makes most of the difference
    """

    first: Explanation
    second: Explanation

    def to_frame(self) -> pd.DataFrame:
        """One row per part: its values and contributions in both cases, and their difference, largest first.

        The differences sum to the difference of the log-odds.
        """
        sides = [{part.name: part for part in side.parts} for side in (self.first, self.second)]
        rows = []
        for name in dict.fromkeys([*sides[0], *sides[1]]):
            values, added = [], []
            for side in sides:
                part = side.get(name)
                values.append(", ".join(part.values) if part else "unknown")
                added.append(part.contribution if part else 0.0)
            difference = 0.0 if added[0] == added[1] else added[0] - added[1]
            rows.append((name, *values, *added, difference))
        columns = ["part", "first", "second", "contribution_first", "contribution_second", "difference"]
        table = pd.DataFrame(rows, columns=columns)
        order = table["difference"].abs().sort_values(ascending=False, kind="stable").index
        return table.loc[order].reset_index(drop=True)

    def __str__(self) -> str:
        chances = [probability(side.probability) for side in (self.first, self.second)]
        says = f"{self.first.label} has {chances[0]} in the first case and {chances[1]} in the second"
        table = self.to_frame()
        if table.empty or not np.abs(table["difference"].iloc[0]) > 0:
            return f"{says}; nothing makes a difference"
        return f"{says}; {table['part'].iloc[0]} makes most of the difference"


def compare_cases(
    case: CaseAnalysis, first: Known, second: Known, label: Any = None, against: Any = None
) -> CasePair:
    """Explain two cases by the same classes, so that their contributions can be compared.

    Parameters
    ----------
    case : CaseAnalysis
        A fitted model with its table.
    first, second : mapping
        What is known of each.
    label, against : object, optional
        The class to explain (by default the most probable one of the first case) and the class to compare it
        with (by default the most probable other one of the first case).
    """
    known = [asked_case(case, each, "A comparison of two cases") for each in (first, second)]
    one = case.explain(known[0], label, against)
    return CasePair(one, case.explain(known[1], one.label, one.against))
