"""The order in which attributes matter for the class: one study that every page, report and command shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pgm_nb.explain.importance.orders import forward
from pgm_nb.explain.importance.out_of_fold import MOST_ROWS, OutOfFold, Ranked, out_of_fold
from pgm_nb.explain.importance.overlap import redundancy_of
from pgm_nb.scoring.parallel import Progress, part_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Study", "folds_of", "rows_predicted", "study_order"]

FOLDS = 5
FEWER_ROWS = 400  # that a model without tables predicts; it takes longer for each


@dataclass(frozen=True, eq=False)
class Study:
    """Models that were trained without each fold in turn, and what follows from them."""

    folds: OutOfFold
    path: pd.DataFrame  #: the forward order
    repeated: pd.DataFrame  #: what other attributes have said
    rows: int  #: of the table


def study_order(
    model: Ranked,
    X: Any,
    y: Any,
    *,
    folds: int = FOLDS,
    random_state: int | None = 0,
    progress: Progress | None = None,
) -> Study:
    """Find the order in which attributes matter, and what repeats another one.

    Features, What if with nothing known, reports and the command line all show this order.

    Parameters
    ----------
    model : classifier
        As in `importance`; it is copied.
    X, y
        Table and labels.
    folds : int
        How many folds; fewer where a class has fewer rows.
    random_state : int, optional
        Which folds, and which rows of a large table are predicted.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> model = pnb.NaiveBayes(parameters="generative", smoothing="backoff", n_bins=5)
    >>> study_order(model, *pnb.load_sample("iris")).path["attribute"].tolist()
    ['petal length', 'petal width', 'sepal width', 'sepal length']
    """
    trained = out_of_fold(
        model,
        X,
        y,
        cv=folds_of(y, folds),
        random_state=random_state,
        max_rows=rows_predicted(model),
        progress=part_of(progress, 0.0, 0.5),
    )
    path = forward(trained, progress=part_of(progress, 0.5, 0.85))
    return Study(trained, path, redundancy_of(trained, progress=part_of(progress, 0.85, 1.0)), len(X))


def folds_of(y: Any, most: int = FOLDS) -> int:
    """Return how many folds a table has: five, or fewer where a class has fewer rows.

    Examples
    --------
    >>> folds_of(["a"] * 9 + ["b"] * 4)
    4
    """
    import numpy as np

    _, rows = np.unique(np.asarray(y).astype(str), return_counts=True)
    return max(2, min(most, int(rows.min())))


def rows_predicted(model: Any) -> int:
    """Return how many rows are predicted with attributes hidden."""
    return MOST_ROWS if getattr(model, "bins", False) else FEWER_ROWS
