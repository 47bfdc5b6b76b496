"""Gaussian naive Bayes, Henriksen 2016: accuracy on seeds against the share of test rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from pgm_nb.evaluate.papers.datasets import load
from pgm_nb.evaluate.papers.reproduction import Figure, Reproduction, difference_error
from pgm_nb.evaluate.papers.splits import RunOptions, random_splits
from pgm_nb.models import GaussianNaiveBayes

__all__ = ["REPEATS", "SHARES", "run"]

REPEATS = 100

SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SOURCE = "Henriksen 2016, Figure 1 (its curve; it prints no numbers, so scikit-learn's take their place)"


def run(options: RunOptions) -> Reproduction:
    """Run the protocol; both get the same splits, so they must agree on every row."""
    from sklearn.naive_bayes import GaussianNB

    systems: dict[str, Any] = {"ours": GaussianNaiveBayes(), "scikit-learn": GaussianNB()}
    figures = []
    for name in options.tables or ("seeds",):
        X, y = load(name, options.folder)
        for share in SHARES:
            found = options.scores(name, systems, X, y, random_splits(len(X), share, options.repeats))
            theirs, ours = found["scikit-learn"][:, 0], found["ours"][:, 0]
            figures.append(
                Figure(
                    name, "Gaussian NB", f"accuracy, {share:.0%} of the rows tested", float(theirs.mean()),
                    float(ours.mean()), difference_error(ours - theirs, options.repeats),
                )
            )  # fmt: skip
            if not np.array_equal(ours, theirs):
                figures[-1] = Figure(**{**vars(figures[-1]), "why": "a row was classified differently"})
    protocol = f"{options.repeats} random splits for every share of test rows (the note: 100); in percent."
    return Reproduction("gaussian", SOURCE, protocol, tuple(figures))
