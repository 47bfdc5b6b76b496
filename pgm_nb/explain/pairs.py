"""Two cases side by side: what is known of each, their probabilities, and what makes the difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.explain.asked_case import asked_case
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.explanation import Explanation
from pgm_nb.explain.protocols import Known
from pgm_nb.words import probability

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CasePair", "compare_cases"]


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
        import pandas as pd

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
