"""Naive Bayes with rounded bell curves, as Weka has it, by the local-PCA paper's protocol.

Every column is rounded to multiples of the mean gap between its distinct values, a bell curve is at least a
sixth of that gap wide, and a value has the probability of the interval that rounds to it. The question is
whether the paper's naive Bayes, which is not described, is this one.

    python benchmarks/rounded_gaussians.py DATA_FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.special import ndtr

from pgm_nb.arrays import Floats
from pgm_nb.evaluate.papers.datasets import load
from pgm_nb.evaluate.papers.reproduction import printed
from pgm_nb.evaluate.papers.splits import stratified_folds

FOLDS = 10
REPEATS = 10
SMALLEST = 1e-75  # probability of a cell
USUAL_GAP = 0.01  # of a constant column
NARROWEST = 6.0  # a bell curve is at least gap / NARROWEST wide


def gaps(train: Floats) -> Floats:
    """Return the mean gap between the distinct values of every column."""
    found = []
    for column in train.T:
        values = np.unique(column)
        found.append((values[-1] - values[0]) / (len(values) - 1) if len(values) > 1 else USUAL_GAP)
    return np.array(found)


def hits(train: Floats, labels: Floats, test: Floats, truth: Floats) -> float:
    """Return the share of test rows that are classified correctly."""
    gap = gaps(train)
    rounded, asked = np.rint(train / gap) * gap, np.rint(test / gap) * gap
    classes = np.unique(labels)
    scores = np.empty((len(test), len(classes)))
    for place, name in enumerate(classes):
        rows = rounded[labels == name]
        mean, wide = rows.mean(axis=0), np.maximum(rows.std(axis=0), gap / NARROWEST)
        cell = ndtr((asked - mean + gap / 2) / wide) - ndtr((asked - mean - gap / 2) / wide)
        prior = (len(rows) + 1) / (len(labels) + len(classes))
        scores[:, place] = np.log(prior) + np.log(np.maximum(cell, SMALLEST)).sum(axis=1)
    return float(np.mean(classes[scores.argmax(axis=1)] == truth))


def main(folder: Path) -> None:
    """Print the mean and the deviation between repeats for every table of numbers, and the paper's figure."""
    for name, theirs in printed("local-pca")[1].items():
        X, y = load(name, folder)
        if X.select_dtypes("number").shape[1] < X.shape[1]:
            continue
        cells, labels = X.to_numpy(dtype=np.float64), y.to_numpy(dtype=str)
        found = [
            100 * hits(cells[train], labels[train], cells[test], labels[test])
            for train, test in stratified_folds(labels, FOLDS, REPEATS)
        ]
        repeats = np.array(found).reshape(REPEATS, FOLDS).mean(axis=1)
        error = repeats.std(ddof=1) * np.sqrt(2 / REPEATS)
        print(f"{name:20s} {repeats.mean():6.2f} (s.e. {error:.2f})  paper {theirs['NB']:.2f}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
