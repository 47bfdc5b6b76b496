"""The local-PCA mixture, Table II of Haghpanah Jahromi and Taheri: ten folds, ten times, on twelve tables."""

from __future__ import annotations

from pathlib import Path
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
from pgm_nb.evaluate.papers.splits import RunOptions, stratified_folds
from pgm_nb.models import GaussianNaiveBayes, LocalPCAMixture

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["REPEATS", "run"]

REPEATS = 10

FOLDS = 10
SYSTEMS = {"proposed": LocalPCAMixture(), "NB": GaussianNaiveBayes()}
ONE_GAUSSIAN = (
    "unknown; one Gaussian per class on both sides, and scikit-learn's quadratic discriminant analysis gives "
    "our figure; unbiased variances and folds that are not stratified were tried"
)
ROUNDED = (
    "the paper's naive Bayes agrees with one that rounds numbers as Weka's does "
    "(benchmarks/rounded_gaussians.py gives 47.46 for eeg_eye_state and 44.87 for vehicle)"
)
SINGULAR = (
    "one column is 250 times another, so every covariance is singular, and the paper does not say how it "
    "handled this; with class frequencies as priors ours is near it (benchmarks/local_pca.py)"
)
SPLITS_MORE = (
    "unknown; ours splits classes more often, and less with class frequencies as priors "
    "(benchmarks/local_pca.py)"
)
WORDS = "its columns are words; ours become 0/1 columns, and the paper does not say what it did"
WHY = {
    ("blood_transfusion", "proposed"): SINGULAR,
    ("banknote", "proposed"): SPLITS_MORE,
    ("seeds", "proposed"): "the paper splits classes that we leave whole; why is unknown",
    ("wine", "proposed"): ONE_GAUSSIAN,
    ("parkinsons", "proposed"): ONE_GAUSSIAN,
    ("sonar", "proposed"): ONE_GAUSSIAN,
    ("eeg_eye_state", "NB"): ROUNDED,
    ("vehicle", "NB"): ROUNDED,
    ("parkinsons", "NB"): "rounding as in Weka (benchmarks/rounded_gaussians.py) explains half of it: 70.35",
    ("user_knowledge", "NB"): "unknown; rounding as in Weka (benchmarks/rounded_gaussians.py) gives 89.58",
    ("blogger", "NB"): WORDS,
}
NO_DEVIATIONS = (
    "The ± that the paper prints are not on record here, so the deviation between our repeats takes their "
    "place."
)


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
    figures, notes = [], [NO_DEVIATIONS]
    for name in options.tables or tuple(theirs):
        X, y = prepare(name, options.folder)
        splits = stratified_folds(y.to_numpy(), FOLDS, options.repeats)
        ours = options.scores(name, SYSTEMS, X, y, splits, _measure)
        figures += [
            Figure(
                name, system, "accuracy", theirs[name][system], float(found[:, 0].mean()),
                difference_error(
                    found[:, 0], REPEATS, each=FOLDS, printed=deviation("local-pca", name, system)
                ),
                why=WHY.get((name, system), ""),
            )
            for system, found in ours.items()
        ]  # fmt: skip
        clusters, printed_clusters = ours["proposed"][:, 1].mean(), theirs[name]["clusters_per_class"]
        notes.append(f"{name}: {clusters:.2f} clusters per class (the paper: {printed_clusters:g}).")
    protocol = f"{options.repeats} times ten stratified folds (the paper: ten times); in percent."
    return Reproduction("local-pca", source, protocol, tuple(figures), tuple(notes))
