"""What may be behind the figures of TAN and naive Bayes in Kovács et al. 2024, and how long training takes.

The paper repairs rows to which every class gives zero; its TAN may not. Its naive Bayes may have taken the
numbers as they are.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from pgm_nb.evaluate.papers.figures import Extra, Figure, compared, explains
from pgm_nb.evaluate.papers.record import printed
from pgm_nb.evaluate.papers.store import Measured, Results, measured
from pgm_nb.inference import log_joint
from pgm_nb.models import (
    AveragedTree,
    ClassTreesBayes,
    GeneralizedNaiveBayes,
    NaiveBayes,
    TreeAugmentedNaiveBayes,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "COUNTS",
    "FIRST",
    "MEASURES",
    "OF_NB",
    "ZEROS",
    "ZerosLeft",
    "judged",
    "multinomial",
    "numbers",
    "times",
    "times_table",
    "trees_table",
    "tried_table",
    "why",
]

MEASURES = ("accuracy", "precision", "recall", "f1", "roc_auc")
ZEROS = "TAN, zeros left"
COUNTS = "NB, numbers as counts"
STANDS_FOR = {ZEROS: "TAN", COUNTS: "NB"}
FIRST = {  # the class coded 0, which a program picks when all scores are equal
    "wdbc": "B",
    "heart_cleveland": "0",
    "early_diabetes": "Negative",
    "thyroid_ann_train": "not normal",
    "parkinsons": "0",
}
OF_NB = {  # the class of naive Bayes' precision and recall: on early diabetes the printed ones fit no other
    "wdbc": "M",
    "heart_cleveland": "ill",
    "early_diabetes": "Negative",
    "thyroid_ann_train": "normal",
    "parkinsons": "1",
}
THEIR_SPLITS = 5
TRIED_GNB = (
    "unknown; tried: smoothing with bins from the training rows (last column), trees cut short (Figures 7 "
    "to 11), and by GNB-A zeros left as they are and quantiles between values"
)
SMOOTHED = (
    "explained by smoothing with bins from the training rows (last column), though the paper repairs zeros "
    "instead"
)
MORE = {
    "thyroid_ann_train": ", each column left out in turn",
    "heart_cleveland": ", all 303 rows",
}


class ZerosLeft:
    """An unsmoothed tree that puts rows to which every class gives zero into one class.

    Parameters
    ----------
    model : TreeAugmentedNaiveBayes or GeneralizedNaiveBayes
        Unfitted and without smoothing.
    otherwise : str
        The class of such rows.

    Examples
    --------
    >>> ZerosLeft(TreeAugmentedNaiveBayes(smoothing=None), "B").otherwise
    'B'
    """

    def __init__(self, model: Any, otherwise: str) -> None:
        self.model = model
        self.otherwise = otherwise

    def __sklearn_clone__(self) -> ZerosLeft:
        return ZerosLeft(clone(self.model), self.otherwise)

    def fit(self, X: pd.DataFrame, y: pd.Series[Any]) -> ZerosLeft:
        """Train the model."""
        self.fitted_ = self.model.fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        """Return the likeliest class of every row, by the tables without repair."""
        scores = log_joint(self.fitted_.factors_, self.fitted_.encode(X))
        best = np.asarray(self.fitted_.classes_)[scores.argmax(axis=1)].astype(object)
        best[np.isneginf(scores).all(axis=1)] = self.otherwise
        return best


def multinomial() -> Any:
    """Return scikit-learn's naive Bayes for counts."""
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB()


def numbers(X: pd.DataFrame) -> pd.DataFrame:
    """Return a table as numbers of at least zero: words as codes, columns below zero shifted."""
    cells = X.apply(
        lambda column: column if column.dtype.kind in "fiu" else column.astype("category").cat.codes
    )
    cells = cells.astype(float)
    shifted: pd.DataFrame = cells - cells.min().clip(upper=0)
    return shifted


def times(where: tuple[str, str, str], X: pd.DataFrame, y: pd.Series[Any], repeats: int) -> list[Measured]:
    """Measure the processor time of training on all rows of a table, in milliseconds."""
    rules: dict[str, Any] = {"discretizer": None, "smoothing": 1.0}
    plain: dict[str, Any] = {"parameters": "generative", **rules}
    models: dict[str, Any] = {
        "NB": NaiveBayes(**plain),
        "TAN": TreeAugmentedNaiveBayes(**plain),
        "GNB-A": GeneralizedNaiveBayes(search="greedy", **plain),
        "GNB-O": GeneralizedNaiveBayes(search="optimal", **plain),
        "ATAN": AveragedTree(**rules),
        "class trees": ClassTreesBayes(**rules),
    }
    found = []
    for system, model in models.items():
        model.fit(X, y)  # compiled functions are ready after the first
        taken = []
        for _ in range(repeats):
            begun = time.process_time()
            model.fit(X, y)
            taken.append(1000 * (time.process_time() - begun))
        found.append(measured(where, system, "milliseconds", np.array(taken)))
    return found


def judged(results: Results, name: str, system: str, what: str) -> Figure | None:
    """Hold what was tried against the figure it is to explain."""
    found = results.find("gnb", "tried", name, system, what)
    if found is None:
        return None
    return compared(found, 100 * printed("gnb")[1][what][name][STANDS_FOR[system]], THEIR_SPLITS)


def why(results: Results, name: str, system: str, what: str) -> str:
    """Say what is known about a figure that differs from the paper's."""
    ours = results.find("gnb", "tables", name, system, what)
    if system.startswith("GNB"):
        smoothed = results.find("gnb", "smoothed", name, system, what)
        theirs = 100 * printed("gnb")[1][what][name][system]
        if smoothed and explains(compared(smoothed, theirs, THEIR_SPLITS), ours):
            return SMOOTHED
        return f"{TRIED_GNB}{MORE.get(name, '')}"
    tried = ZEROS if system == "TAN" else COUNTS
    found = judged(results, name, tried, what)
    if found is None:
        return ""
    if explains(found, ours):
        return f"explained by {tried!r}"
    return f"unknown; tried: {tried!r}, which does not explain it"


def tried_table(results: Results) -> tuple[Extra, ...]:
    """Return the table of what was tried for TAN and naive Bayes."""
    figures = [
        figure
        for name in FIRST
        for system in STANDS_FOR
        for what in MEASURES
        if (figure := judged(results, name, system, what))
    ]
    if not figures:
        return ()
    fit = {s: [f for f in figures if f.system == s and f.mark == "reproduced"] for s in STANDS_FOR}
    text = (
        f"**{ZEROS}**: rows to which every class gives zero are not repaired; they get the class coded 0. "
        f"{len(fit[ZEROS])} of the paper's 25 figures of TAN are within two standard errors of it. "
        f"**{COUNTS}**: scikit-learn's MultinomialNB on the columns as they are, not binned (words as codes, "
        "columns below zero shifted), precision and recall on early diabetes those of the negative class, "
        "because the printed accuracy, recall and AUC fit no other. "
        f"{len(fit[COUNTS])} of the paper's 25 figures of naive Bayes are within two standard errors. It is "
        "the best of 23 combinations that were tried: MultinomialNB, BernoulliNB, GaussianNB, ComplementNB "
        "on the columns as they are, scaled to 0..1, standardised, as codes of the bins, one column per bin."
    )
    header = ("table", "measure", "system", "paper", "tried", "difference", "s.e.", "z", "mark")
    rows = tuple(figure.cells[:9] for figure in figures)
    return (Extra("What the paper's TAN and naive Bayes may be", text, header, rows),)


def trees_table(results: Results) -> tuple[Extra, ...]:
    """Return the table of what was tried for GNB-A."""
    rows = []
    for name in FIRST:
        found = results.of("gnb", "tried GNB-A", name)
        for system in dict.fromkeys(row.system for row in found):
            values = {row.measure: row for row in found if row.system == system}
            rows.append((name, system, *(f"{values[what].value:.2f}" for what in MEASURES)))
        if found:
            theirs = (f"{100 * printed('gnb')[1][what][name]['GNB-A']:.2f}" for what in MEASURES)
            rows.append((name, "the paper", *theirs))
    text = (
        "GNB-A in twenty splits by the paper's rules but one. Zeros left: rows to which every class gives "
        "zero get the class coded 0. Without a column: the paper drops one of thyroid, and we do not know "
        "which."
    )
    header = ("table", "rule", *MEASURES)
    return (Extra("What was tried for GNB-A", text, header, tuple(rows)),) if rows else ()


def times_table(results: Results) -> tuple[Extra, ...]:
    """Return the table of training times (section 4.4 of the paper)."""
    rows = []
    systems = ("NB", "TAN", "GNB-A", "GNB-O", "ATAN", "class trees")
    for name in FIRST:
        found = [results.find("gnb", "times", name, system, "milliseconds") for system in systems]
        cells = [
            "" if one is None else f"{one.value:.1f} ± {one.deviation:.1f}" for one in found
        ]  # fmt: skip
        if any(cells):
            rows.append((name, *cells))
    text = (
        "Processor time to train on all rows, binned, in milliseconds; mean and deviation of five runs. "
        "ATAN is `AveragedTree` (Jiang et al. 2012), class trees are `ClassTreesBayes` (Ghofrani et al. "
        "2018, pairs as cliques). The paper's own times are not on record here, and its machine is another "
        "one."
    )
    return (Extra("Section 4.4: run times", text, ("table", *systems), tuple(rows)),) if rows else ()
