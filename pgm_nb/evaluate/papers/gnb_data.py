"""The tables and the systems of Kovács et al. 2024: two classes, five bins, with or without its rules."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pgm_nb.data import learn_encoder
from pgm_nb.evaluate.papers.datasets import load
from pgm_nb.evaluate.papers.splits import Systems
from pgm_nb.models import GeneralizedNaiveBayes, NaiveBayes, TreeAugmentedNaiveBayes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SHARE", "binned", "numbers", "prepare", "systems"]

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
