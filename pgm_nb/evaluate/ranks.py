"""Models over several datasets: average ranks, Friedman's test, and the critical difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pgm_nb.arrays import Floats
from pgm_nb.errors import DataError
from pgm_nb.words import listed, p_value

__all__ = ["Friedman", "cliques", "critical_difference", "friedman", "friedman_chi2"]


@dataclass(frozen=True, eq=False)
class Friedman:
    """Ranks of models over datasets, and whether they differ by more than chance; made by `friedman`.

    Parameters
    ----------
    models, datasets : tuple of str
        Names of the columns and of the rows.
    ranks : array
        Rank of every model on every dataset; 1 is best, and ties share their mean.
    chi2, p_chi2 : float
        Friedman's statistic, corrected for ties, and its p-value.
    f, p_f : float
        Iman and Davenport's statistic, which is less conservative, and its p-value.
    alpha, critical_difference : float
        Average ranks that differ by at least this much differ at level alpha (Nemenyi).

    Examples
    --------
    >>> scores = pd.DataFrame({"NB": [0.8, 0.7, 0.9], "TAN": [0.9, 0.8, 0.95]}, index=["wine", "zoo", "iris"])
    >>> result = friedman(scores)
    >>> result
    Friedman: TAN 1.00, NB 2.00 over 3 datasets; chi2 = 3.000 (p = 0.083), F = inf (p < 0.001),
    critical difference 1.13
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    ranks: Floats
    chi2: float
    p_chi2: float
    f: float
    p_f: float
    alpha: float
    critical_difference: float

    def __post_init__(self) -> None:
        self.ranks.flags.writeable = False

    @property
    def average_ranks(self) -> Floats:
        """Average rank of every model, in the order of `models`."""
        averages: Floats = self.ranks.mean(axis=0)
        return averages

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of models whose ranks differ by less than the critical difference."""
        found = cliques(self.average_ranks, self.critical_difference)
        return tuple(tuple(self.models[place] for place in group) for group in found)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model, the best first: average rank, and number of datasets it is best on."""
        best = self.ranks == self.ranks.min(axis=1, keepdims=True)
        table = pd.DataFrame({"model": self.models, "rank": self.average_ranks, "best_on": best.sum(axis=0)})
        return table.sort_values("rank", kind="stable", ignore_index=True)

    def draw(self, *, theme: str = "light") -> str:
        """Draw the critical-difference diagram (Demšar 2006) as SVG text."""
        from pgm_nb.views.chart.scores import critical_difference_svg

        return critical_difference_svg(
            dict(zip(self.models, self.average_ranks.tolist(), strict=True)),
            self.critical_difference,
            self.groups,
            theme=theme,
        )

    def _repr_svg_(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        ranked = ", ".join(f"{row.model} {row.rank:.2f}" for row in self.to_frame().itertuples())
        return (
            f"Friedman: {ranked} over {len(self.datasets)} datasets; chi2 = {self.chi2:.3f} "
            f"({p_value(self.p_chi2)}), F = {self.f:.3f} ({p_value(self.p_f)}), critical difference "
            f"{self.critical_difference:.2f}"
        )


def friedman(table: Any, *, higher_is_better: bool = True, alpha: float = 0.05) -> Friedman:
    """Rank models on every dataset and test whether they differ (Friedman 1937, Demšar 2006).

    Parameters
    ----------
    table : DataFrame or 2-D array
        Scores: a row per dataset, a column per model.
    higher_is_better : bool
        Whether higher scores are better; False for log-loss and Brier score.
    alpha : float
        Level of the critical difference.

    Raises
    ------
    DataError
        There are fewer than two models or datasets, a cell is missing or not a number, or names repeat.

    Examples
    --------
    >>> losses = pd.DataFrame({"NB": [0.8, 0.7, 0.9], "TAN": [0.6, 0.5, 0.95], "GNB": [0.5, 0.4, 0.3]})
    >>> friedman(losses, higher_is_better=False).to_frame().round(3)
      model   rank  best_on
    0   GNB  1.000        3
    1   TAN  2.333        0
    2    NB  2.667        0
    """
    frame = _checked(table, alpha)
    scores = frame.to_numpy(dtype=np.float64)
    ranks = stats.rankdata(-scores if higher_is_better else scores, axis=1)
    n, k = ranks.shape
    chi2 = friedman_chi2(ranks)
    short = n * (k - 1) - chi2
    f = (n - 1) * chi2 / short if short > 1e-9 else np.inf  # Iman and Davenport 1980
    return Friedman(
        models=tuple(map(str, frame.columns)),
        datasets=tuple(map(str, frame.index)),
        ranks=ranks,
        chi2=chi2,
        p_chi2=float(stats.chi2.sf(chi2, k - 1)),
        f=float(f),
        p_f=float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        alpha=alpha,
        critical_difference=critical_difference(k, n, alpha),
    )


def friedman_chi2(ranks: Floats) -> float:
    """Return Friedman's statistic of ranks (datasets by models), corrected for ties: 0 if all are ties.

    Examples
    --------
    >>> friedman_chi2(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]))
    4.0
    """
    if (ranks == ranks[:, :1]).all():
        return 0.0
    if ranks.shape[1] == 2:  # SciPy wants three; for two it is the statistic of the sign test
        ahead = np.sign(ranks[:, 1] - ranks[:, 0])
        return float(ahead.sum() ** 2 / np.abs(ahead).sum())
    return float(stats.friedmanchisquare(*ranks.T).statistic)


def critical_difference(n_models: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Return how far apart average ranks must be to differ at level alpha (Nemenyi 1963).

    CD = q sqrt(k(k+1) / 6n) with q the studentized range at infinite degrees of freedom over sqrt(2)
    (Demšar 2006, section 3.2.2).

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # Demšar's example
    1.25
    """
    q = stats.studentized_range.isf(alpha, n_models, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_models * (n_models + 1) / (6 * n_datasets)))


def cliques(average_ranks: Floats, difference: float) -> tuple[tuple[int, ...], ...]:
    """Return the largest groups of two or more models whose ranks differ by less than `difference`.

    Examples
    --------
    >>> cliques(np.array([3.0, 1.0, 1.8]), 1.3)
    ((1, 2), (2, 0))
    """
    order = np.argsort(average_ranks, kind="stable")
    ranked = average_ranks[order]
    ends = np.searchsorted(ranked, ranked + difference, side="left")  # per first model: one past the last
    groups, reached = [], 0
    for first, end in enumerate(ends.tolist()):
        if end > max(reached, first + 1):
            groups.append(tuple(order[first:end].tolist()))
            reached = end
    return tuple(groups)


def _checked(table: Any, alpha: float) -> pd.DataFrame:
    frame = pd.DataFrame(table)
    if frame.shape[0] < 2 or frame.shape[1] < 2:
        raise DataError(
            "ranks need at least two models (columns) and two datasets (rows), but the table has "
            f"{frame.shape[1]} and {frame.shape[0]}."
        )
    if not frame.columns.is_unique:
        raise DataError("two models have the same name: give every column its own.")
    wordy = [str(name) for name, column in frame.items() if not pd.api.types.is_numeric_dtype(column)]
    if wordy:
        raise DataError(f"scores must be numbers, but these columns hold something else: {listed(wordy)}.")
    missing = [
        f"{frame.columns[column]} on {frame.index[row]}"
        for row, column in np.argwhere(frame.isna().to_numpy())
    ]
    if missing:
        raise DataError(
            f"every model needs a score on every dataset, but these are missing: {listed(missing, limit=5)}; "
            "leave those datasets or models out."
        )
    if not 0 < alpha < 1:
        raise DataError(f"alpha must lie between 0 and 1, such as 0.05, but it is {alpha!r}.")
    return frame
