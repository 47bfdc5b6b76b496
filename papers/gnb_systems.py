"""The tables, systems and measures of Kovács et al. 2024: two classes, five bins, its rules or ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from papers.data import Systems, load
from pgm_nb.arrays import Floats
from pgm_nb.data import learn_encoder
from pgm_nb.models import GeneralizedNaiveBayes, NaiveBayes, TreeAugmentedNaiveBayes

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MEASURES",
    "POSITIVE",
    "SHARE",
    "THEIR_SPLITS",
    "binned",
    "five_measures",
    "five_shares",
    "numbers",
    "prepare",
    "systems",
]

SHARE = 0.15


def systems(*, paper: bool) -> Systems:
    """Return the paper's four systems, with its rules or smoothed and with bins from the training rows."""
    smoothed = {"smoothing": "backoff", "discretizer": "quantile", "n_bins": 5}
    rules: dict[str, Any] = {"smoothing": None, "discretizer": None} if paper else smoothed
    rules["parameters"] = "generative"
    return {
        "GNB-A": GeneralizedNaiveBayes(search="greedy", **rules),
        "GNB-O": GeneralizedNaiveBayes(search="optimal", **rules),
        "NB": NaiveBayes(**rules),
        "TAN": TreeAugmentedNaiveBayes(**rules),
    }


def prepare(name: str, folder: Path | None, *, complete: bool = True) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return a table with two classes: ill with heart disease of any degree or not, thyroid normal or not.

    Heart loses its six incomplete rows, as in the paper, unless `complete` is False.
    """
    X, y = load(name, folder)
    if name == "heart_cleveland":
        whole = X.notna().all(axis=1) | (not complete)
        X, y = X[whole], y[whole]
        y = y.where(y.astype(float) == 0, "ill")
    if name == "thyroid_ann_train":
        y = y.where(y != "3", "normal").where(y == "3", "not normal")
    return X, y


def binned(X: pd.DataFrame, way: Literal["order", "quantile"] = "order") -> pd.DataFrame:
    """Cut all rows of a table as the paper does: at order statistics, in intervals closed on the left.

    ``"quantile"`` cuts between values, as our models do.
    """
    import pandas as pd

    encoder, codes, _, _ = learn_encoder(X, None, discretizer=way, n_bins=5)
    return pd.DataFrame(codes.T.astype(int), columns=list(encoder.names), index=X.index)


def numbers(X: pd.DataFrame) -> pd.DataFrame:
    """Return a table as numbers of at least zero: words as codes, columns below zero shifted."""
    cells = X.apply(
        lambda column: column if column.dtype.kind in "fiu" else column.astype("category").cat.codes
    )
    cells = cells.astype(float)
    shifted: pd.DataFrame = cells - cells.min().clip(upper=0)
    return shifted


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
