"""The five measures of Kovács et al. 2024, for one prediction of every row or for several at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MEASURES", "POSITIVE", "THEIR_SPLITS", "five_measures", "five_shares"]

MEASURES = ("accuracy", "precision", "recall", "f1", "roc_auc")
THEIR_SPLITS = 5
POSITIVE = {  # the class that precision and recall are about
    "wdbc": "M",
    "heart_cleveland": "ill",
    "early_diabetes": "Positive",
    "thyroid_ann_train": "normal",
    "parkinsons": "1",
}


def five_shares(found: NDArray[np.bool_], true: NDArray[np.bool_]) -> Floats:
    """Return the five measures of predictions, in percent; where nothing is to be divided, 0.

    The paper's AUC is that of the predicted classes: the mean recall of both classes.

    Parameters
    ----------
    found : array (n, m)
        Whether each of m predictors says that a row is positive.
    true : array (n,)
        Whether it is.

    Returns
    -------
    array (m, 5)

    Examples
    --------
    >>> five_shares(np.array([[True], [True], [False], [False]]), np.array([True, False, True, False]))
    array([[50., 50., 50., 50., 50.]])
    """
    hits = (found & true[:, None]).sum(axis=0)
    quiet = (~found & ~true[:, None]).sum(axis=0)
    said, are, rows = found.sum(axis=0), true.sum(), len(true)
    precision, recall = hits / np.maximum(said, 1), hits / max(are, 1)
    other = quiet / max(rows - are, 1)
    f1 = 2 * hits / np.maximum(said + are, 1)
    shares: Floats = 100 * np.column_stack(
        [(hits + quiet) / rows, precision, recall, f1, (recall + other) / 2]
    )
    return shares


def five_measures(positive: str) -> Any:
    """Return a function that gives the five measures of a fitted model."""

    def measures(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> tuple[float, ...]:
        found = np.asarray(model.predict(X) == positive)[:, None]
        return tuple(five_shares(found, y.to_numpy() == positive)[0].tolist())

    return measures
