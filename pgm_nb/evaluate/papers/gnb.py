"""Generalized naive Bayes, Tables 1 to 5 of Kovács et al. 2024.

Five random splits, 85 % of the rows for training. As in the paper, the columns are cut into quantiles before
the split, and nothing is smoothed. The paper's AUC is that of the predicted classes, the mean recall of both
classes (the printed precision, recall and accuracy leave no other reading); here ours is the same.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pgm_nb.data import learn_encoder
from pgm_nb.evaluate.papers import gnb_tried
from pgm_nb.evaluate.papers.datasets import load
from pgm_nb.evaluate.papers.figures import Figure, Reproduction, compared
from pgm_nb.evaluate.papers.gnb_tried import MEASURES
from pgm_nb.evaluate.papers.record import printed
from pgm_nb.evaluate.papers.splits import Part, RunOptions, Systems, random_splits
from pgm_nb.evaluate.papers.store import Measured, Results, measured
from pgm_nb.models import GeneralizedNaiveBayes, NaiveBayes, TreeAugmentedNaiveBayes
from pgm_nb.words import in_bits, proven_best

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MEASURES", "PARTS", "POSITIVE", "binned", "prepare", "report", "systems"]

PAPER = "gnb"
REPEATS = 50
THEIR_SPLITS = 5
SHARE = 0.15
POSITIVE = {  # the class that precision and recall are about
    "wdbc": "M",
    "heart_cleveland": "ill",
    "early_diabetes": "Positive",
    "thyroid_ann_train": "normal",
    "parkinsons": "1",
}
PROTOCOL = (
    "Random splits of 85 % and 15 %, five bins made before the split (order statistics, closed on the "
    "left), heart without its six incomplete rows, no smoothing; in percent. Ours, smoothed: five bins from "
    "the training rows, back-off."
)


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


def five_measures(positive: str) -> Any:
    """Return a function that gives the paper's five measures, in percent."""
    from sklearn.metrics import precision_recall_fscore_support

    def measures(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> tuple[float, ...]:
        found, true = model.predict(X) == positive, y.to_numpy() == positive
        precision, recall, f1, _ = precision_recall_fscore_support(
            true, found, labels=[False, True], zero_division=0
        )
        shares = ((found == true).mean(), precision[1], recall[1], f1[1], recall.mean())
        return tuple(100 * float(share) for share in shares)

    return measures


def _scores(
    part: str, name: str, options: RunOptions, models: Systems, X: pd.DataFrame, y: pd.Series[Any], of: str
) -> list[Measured]:
    splits = random_splits(len(X), SHARE, options.repeats)
    found = options.scores(name, models, X, y, splits, five_measures(of))
    return [
        measured((PAPER, part, name), system, what, scores[:, place])
        for place, what in enumerate(MEASURES)
        for system, scores in found.items()
    ]


def _tables(name: str, options: RunOptions) -> list[Measured]:
    """Measure the four systems by the paper's rules, and how far GNB-O is below the best tree."""
    X, y = prepare(name, options.folder)
    cells = binned(X)
    gap = systems(paper=True)["GNB-O"].fit(cells, y).divergence_.gap
    return [
        *_scores("tables", name, options, systems(paper=True), cells, y, POSITIVE[name]),
        measured((PAPER, "tables", name), "GNB-O", "gap", np.array([gap])),
    ]


def _smoothed(name: str, options: RunOptions) -> list[Measured]:
    X, y = prepare(name, options.folder)
    return _scores("smoothed", name, options, systems(paper=False), X, y, POSITIVE[name])


def _tried(name: str, options: RunOptions) -> list[Measured]:
    """Measure what may be behind the paper's figures of TAN and naive Bayes."""
    X, y = prepare(name, options.folder)
    run = partial(_scores, "tried", name, options)
    zeros = gnb_tried.ZerosLeft(systems(paper=True)["TAN"], otherwise=gnb_tried.FIRST[name])
    return [
        *run({gnb_tried.ZEROS: zeros}, binned(X), y, POSITIVE[name]),
        *run({gnb_tried.COUNTS: gnb_tried.multinomial()}, gnb_tried.numbers(X), y, gnb_tried.OF_NB[name]),
    ]


def _tried_gnb(name: str, options: RunOptions) -> list[Measured]:
    """Measure GNB-A by other rules: zeros left, other quantiles, all rows of heart, thyroid less a column."""
    X, y = prepare(name, options.folder)
    model, cells, of = systems(paper=True)["GNB-A"], binned(X), POSITIVE[name]
    run = partial(_scores, "tried GNB-A", name, options)
    found = run({"zeros left": gnb_tried.ZerosLeft(model, gnb_tried.FIRST[name])}, cells, y, of)
    found += run({"quantiles between values": model}, binned(X, "quantile"), y, of)
    if name == "heart_cleveland":
        every, labels = prepare(name, options.folder, complete=False)
        found += run({"quantiles between values, all 303 rows": model}, binned(every, "quantile"), labels, of)
    for column in cells.columns if name == "thyroid_ann_train" else ():
        found += run({f"without {column}": model}, cells.drop(columns=column), y, of)
    return found


def _times(name: str, options: RunOptions) -> list[Measured]:
    X, y = prepare(name, options.folder)
    return gnb_tried.times((PAPER, "times", name), binned(X), y, options.repeats)


PARTS = (
    Part("tables", tuple(POSITIVE), REPEATS, _tables, main=True),
    Part("smoothed", tuple(POSITIVE), REPEATS, _smoothed, main=True),
    Part("tried", tuple(POSITIVE), REPEATS, _tried),
    Part("tried GNB-A", tuple(POSITIVE), 20, _tried_gnb),
    Part("times", tuple(POSITIVE), 5, _times),
)


def report(results: Results) -> Reproduction:
    """Hold the paper's five tables against ours; with more splits than its five our means vary less."""
    source, theirs = printed(PAPER)
    figures: list[Figure] = []
    tables = [name for name in POSITIVE if results.has(PAPER, "tables", name)]
    repeats = 0
    for name in tables:
        for what in MEASURES:
            for system in systems(paper=True):
                found = results.find(PAPER, "tables", name, system, what)
                usual = results.find(PAPER, "smoothed", name, system, what)
                if found is None:
                    continue
                repeats = found.repeats
                figures.append(
                    compared(
                        found, 100 * theirs[what][name][system], THEIR_SPLITS,
                        usual=None if usual is None else usual.value,
                        why=gnb_tried.why(results, name, system, what),
                    )
                )  # fmt: skip
    notes = [_shortfall(name, gap) for name in tables if (gap := _gap(results, name))]
    protocol = f"{PROTOCOL} {repeats} splits (the paper: five)."
    extras = (
        *gnb_tried.tried_table(results),
        *gnb_tried.trees_table(results),
        *gnb_tried.times_table(results),
    )
    return Reproduction(PAPER, source, protocol, tuple(figures), tuple(notes), extras)


def _gap(results: Results, name: str) -> Measured | None:
    return results.find(PAPER, "tables", name, "GNB-O", "gap")


def _shortfall(name: str, gap: Measured) -> str:
    """Say how far GNB-O is below the best tree on a whole table: 0 bits where the paper's condition holds."""
    if proven_best(gap.value):
        return f"{name}: GNB-O finds the best tree, which is also TAN's."
    missing = in_bits(gap.value)
    return f"{name}: GNB-O is {missing} short of the best tree, so the paper's condition does not hold."
