"""The local-PCA mixture, Table II of Haghpanah Jahromi and Taheri: ten folds, ten times, on twelve tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.evaluate.papers.datasets import load
from pgm_nb.evaluate.papers.reproduction import Figure, Reproduction, difference_error, printed
from pgm_nb.evaluate.papers.splits import RunOptions, stratified_folds
from pgm_nb.models import GaussianNaiveBayes, LocalPCAMixture

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["REPEATS", "run"]

REPEATS = 10

FOLDS = 10
SYSTEMS = {"proposed": LocalPCAMixture(), "NB": GaussianNaiveBayes()}
WHY = {
    "blood_transfusion": "one column is 250 times another, so every covariance is singular, and the paper "
    "does not say how it handled this",
    "parkinsons": "several rows come from one person, so the figure depends on the folds",
}


def prepare(name: str, folder: Path | None) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return a table of numbers: words become one 0/1 column per state (the paper does not say how)."""
    import pandas as pd

    X, y = load(name, folder)
    return pd.get_dummies(X, dtype=float), y


def _measure(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> tuple[float, float]:
    """Return the accuracy in percent and the number of clusters per class."""
    clusters = float(getattr(model, "clusters_per_class_", 1.0))
    return 100 * float(np.mean(model.predict(X) == y.to_numpy())), clusters


def run(options: RunOptions) -> Reproduction:
    """Run the protocol."""
    source, theirs = printed("local-pca")
    figures, notes = [], []
    for name in options.tables or tuple(theirs):
        X, y = prepare(name, options.folder)
        splits = stratified_folds(y.to_numpy(), FOLDS, options.repeats)
        ours = options.scores(name, SYSTEMS, X, y, splits, _measure)
        figures += [
            Figure(
                name, system, "accuracy", theirs[name][system], float(found[:, 0].mean()),
                difference_error(found[:, 0], FOLDS, FOLDS), why=WHY.get(name, ""),
            )
            for system, found in ours.items()
        ]  # fmt: skip
        clusters, printed_clusters = ours["proposed"][:, 1].mean(), theirs[name]["clusters_per_class"]
        notes.append(f"{name}: {clusters:.2f} clusters per class (the paper: {printed_clusters:g}).")
    protocol = f"{options.repeats} times ten stratified folds (the paper: ten times); in percent."
    return Reproduction("local-pca", source, protocol, tuple(figures), tuple(notes))
