"""Kernel semi-naive Bayes on P-trees, Table 1 of Denton and Perrizo 2004: two thirds for training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.evaluate.papers.datasets import load
from pgm_nb.evaluate.papers.reproduction import (
    Figure,
    Reproduction,
    deviation,
    difference_error,
    printed,
)
from pgm_nb.evaluate.papers.splits import RunOptions, Systems, random_splits, scores
from pgm_nb.models import GaussianNaiveBayes, KernelSemiNaiveBayes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["REPEATS", "run"]

REPEATS = 5

SHARE = 1 / 3
THEIR_SPLITS = 1
FEWEST = 20  # values of a column that every class needs for a bell curve
RUN_1: dict[str, Any] = {"threshold": 0.3, "anticorrelation": True}
RUN_2: dict[str, Any] = {"threshold": 0.05}
TABLES = ("sick-euthyroid", "spambase", "adult")
NOTES = (
    "The paper's fourth table, crop, is not public.",
    "Its discretisation is not described; ours is five quantiles.",
    "The ± that the paper prints are not on record here, so the deviation between our splits takes their "
    "place. A check with the paper at hand found that by its own ± traditional_nb on spambase "
    "is not reproduced; between our splits it varies so much that our rule does not exclude chance.",
)
WHY = {
    "traditional_nb": "the paper's baseline bins or models the columns in a way it does not describe",
    "discrete_semi_nb_1": "the paper does not describe its bins",
    "discrete_semi_nb_2": "the paper does not describe its bins",
    "kernel_semi_nb_1": "unknown; tried: no smoothing, and missing cells as the commonest value "
    "(docs/models.md)",
    "kernel_semi_nb_2": "unknown; tried: no smoothing, and missing cells as the commonest value "
    "(docs/models.md)",
}


def log_columns(name: str, X: pd.DataFrame) -> list[str]:
    """Return the columns that the paper scales by logarithms."""
    return {"spambase": list(X.columns), "adult": ["capital-gain", "capital-loss"]}.get(name, [])


def plain(name: str, X: pd.DataFrame, y: pd.Series[Any]) -> pd.DataFrame:
    """Return the table for bell curves: log-scaled, without columns that are nearly empty in a class."""
    measured = X.columns[X.groupby(y.to_numpy()).count().ge(FEWEST).all()]
    scaled = {}
    for column in log_columns(name, X):
        sizes = X[column].abs()
        scaled[column] = np.sign(X[column]) * np.log1p(sizes / sizes[sizes > 0].min())
    return X.assign(**scaled)[list(measured)]


def systems(name: str, X: pd.DataFrame) -> Systems:
    """Return the paper's systems for a table, except traditional naive Bayes."""
    kernel: dict[str, Any] = {"log_columns": log_columns(name, X)}
    discrete: dict[str, Any] = {"discretizer": "quantile", "n_bins": 5}
    return {
        "ptree_nb": KernelSemiNaiveBayes(threshold=None, **kernel),
        "discrete_semi_nb_1": KernelSemiNaiveBayes(**RUN_1, **discrete),
        "discrete_semi_nb_2": KernelSemiNaiveBayes(**RUN_2, **discrete),
        "kernel_semi_nb_1": KernelSemiNaiveBayes(**RUN_1, **kernel),
        "kernel_semi_nb_2": KernelSemiNaiveBayes(**RUN_2, **kernel),
    }


def _error(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> tuple[float]:
    return (100 * float(np.mean(model.predict(X) != y.to_numpy())),)


def run(options: RunOptions) -> Reproduction:
    """Run the protocol; the paper has a single split, so its standard error is a full standard deviation."""
    source, theirs = printed("ptree")
    figures = []
    for name in options.tables or TABLES:
        X, y = load(name, options.folder)
        X = X.dropna(axis=1, how="all")
        splits = random_splits(len(X), SHARE, options.repeats)
        ours = scores({"traditional_nb": GaussianNaiveBayes()}, plain(name, X, y), y, splits, score=_error)
        ours |= options.scores(name, systems(name, X), X, y, splits, _error)
        figures += [
            Figure(
                name, system, "error", theirs[name][system], float(found.mean()),
                difference_error(found[:, 0], THEIR_SPLITS, printed=deviation("ptree", name, system)),
                higher=False,
                why=WHY.get(system, ""),
            )
            for system, found in ours.items()
        ]  # fmt: skip
    protocol = f"{options.repeats} random splits, two thirds for training (the paper: one); in percent."
    return Reproduction("ptree", source, protocol, tuple(figures), NOTES)
