"""The local-PCA mixture on the twelve tables of its paper, compared with the paper's figures.

    python benchmarks/local_pca.py DATA_FOLDER [REPEATS]

Stratified 10-fold cross-validation, repeated (10 times by default, as in the paper), with the mean accuracy
in percent and the average number of clusters per class: by the best cluster, by the sum of clusters, and by
the best cluster with the classes' shares as priors (the paper has none). Tables are ``NAME.csv`` or
``NAME.csv.gz`` with a last column ``class``. Text columns (blogger) become one 0/1 column per
state: the paper does not say how it coded them.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from harness import Table
from sklearn.model_selection import StratifiedKFold

from pgm_nb import read_table
from pgm_nb.models.local_pca.model import LocalPCAMixture

# Haghpanah Jahromi and Taheri, Table II: accuracy of "proposed", and average clusters per class
PAPER = {
    "iris": (97.13, 1),
    "banknote": (98.59, 1),
    "blood_transfusion": (76.84, 1.845),
    "eeg_eye_state": (78.23, 3.6),
    "seeds": (94.23, 1.46),
    "sonar": (79.75, 1),
    "user_knowledge": (94.56, 1.02),
    "blogger": (82.8, 1),
    "balance_scale": (91.69, 1.466),
    "parkinsons": (85.84, 1.11),
    "wine": (97.69, 1),
    "vehicle": (84.23, 1.01),
}
CLOSE = 1.5  # points
WHY = {
    "blood_transfusion": "one column is 250 times another, so every covariance is singular, and the paper "
    "does not say what it did; with the classes' shares as priors we are near it in accuracy and clusters, "
    "so it may have used them.",
    "sonar": "not explained; one cluster per class on both sides, and scikit-learn's quadratic discriminant "
    "analysis comes to our figure.",
    "wine": "not explained; one cluster per class on both sides, and scikit-learn's quadratic discriminant "
    "analysis comes to our figure.",
    "parkinsons": "not explained; scikit-learn's quadratic discriminant analysis comes to our figure. "
    "Several rows come from one person, so the figure depends on the folds.",
}


def numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return every text column as one 0/1 column per state."""
    return pd.get_dummies(frame, dtype=float)


def evaluate(X: pd.DataFrame, y: pd.Series, repeats: int, *, vote: str, shares: bool) -> tuple[float, float]:
    """Return mean accuracy in percent, and mean clusters per class."""
    accuracy, clusters = [], []
    for seed in range(repeats):
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y):
            priors = y.iloc[train].value_counts(normalize=True).sort_index().to_numpy() if shares else None
            model = LocalPCAMixture(vote=vote, priors=priors).fit(X.iloc[train], y.iloc[train])
            accuracy.append(100 * model.score(X.iloc[test], y.iloc[test]))
            clusters.append(model.clusters_per_class_)
    return float(np.mean(accuracy)), float(np.mean(clusters))


def main(folder: Path, repeats: int) -> None:
    rows, notes = [], [f"10-fold cross-validation, {repeats} times."]
    for name, (paper, paper_clusters) in PAPER.items():
        path = next(folder.glob(f"{name}.csv*"), None)
        if path is None:
            notes.append(f"{name}: not in the folder.")
            continue
        frame = read_table(path)
        X, y = numbers(frame.drop(columns="class")), frame["class"].astype(str)
        winner, clusters = evaluate(X, y, repeats, vote="winner", shares=False)
        summed, _ = evaluate(X, y, repeats, vote="sum", shares=False)
        weighed, weighed_clusters = evaluate(X, y, repeats, vote="winner", shares=True)
        near = abs(winner - paper) <= CLOSE
        accuracies = (f"{value:.2f}" for value in (winner, summed, weighed, paper))
        counts = (f"{clusters:.2f}", f"{weighed_clusters:.2f}", f"{paper_clusters:g}")
        rows.append((name, *accuracies, f"{winner - paper:+.2f}", "yes" if near else "no", *counts))
        print(*rows[-1], flush=True)
        if not near and name in WHY:
            notes.append(f"{name}: {WHY[name]}")
    header = (
        *("table", "winner", "sum", "with priors", "paper", "winner - paper", f"within {CLOSE}"),
        *("clusters", "with priors", "paper's"),
    )
    print(Table("Local-PCA mixture: accuracy in percent", header, rows, notes).text())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10)
