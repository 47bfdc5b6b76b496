"""Generalized naive Bayes, Tables 1 to 5 of Kovács et al. 2024.

Five random splits, 85 % of the rows for training. As in the paper, the columns are cut into quantiles before
the split, and nothing is smoothed. The paper's AUC is that of the predicted classes, the mean recall of both
classes (the printed precision, recall and accuracy leave no other reading, and the authors' program says so);
here ours is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.evaluate.papers.figures import Figure, Reproduction, compared
from pgm_nb.evaluate.papers.gnb_curves import REPEATS as CURVES
from pgm_nb.evaluate.papers.gnb_curves import curve_figures, measure_curves
from pgm_nb.evaluate.papers.gnb_data import SHARE, binned, prepare, systems
from pgm_nb.evaluate.papers.gnb_measures import MEASURES, POSITIVE, THEIR_SPLITS, five_measures
from pgm_nb.evaluate.papers.gnb_naive import measure_naive, naive_table
from pgm_nb.evaluate.papers.gnb_times import times, times_table
from pgm_nb.evaluate.papers.gnb_tried import measure_tried, tried_tables, why
from pgm_nb.evaluate.papers.record import printed
from pgm_nb.evaluate.papers.splits import Part, RunOptions, Systems, random_splits
from pgm_nb.evaluate.papers.store import Measured, Results, measured
from pgm_nb.words import in_bits, proven_best

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PARTS", "report"]

PAPER = "gnb"
REPEATS = 50
PROTOCOL = (
    "Random splits of 85 % and 15 %, five bins made before the split (order statistics, closed on the "
    "left), heart without its six incomplete rows, no smoothing; in percent. Ours, smoothed: five bins from "
    "the training rows, back-off."
)


def _scores(
    part: str, name: str, options: RunOptions, models: Systems, X: pd.DataFrame, y: pd.Series[Any]
) -> list[Measured]:
    splits = random_splits(len(X), SHARE, options.repeats)
    found = options.scores(name, models, X, y, splits, five_measures(POSITIVE[name]))
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
        *_scores("tables", name, options, systems(paper=True), cells, y),
        measured((PAPER, "tables", name), "GNB-O", "gap", np.array([gap])),
    ]


def _smoothed(name: str, options: RunOptions) -> list[Measured]:
    X, y = prepare(name, options.folder)
    return _scores("smoothed", name, options, systems(paper=False), X, y)


def _times(name: str, options: RunOptions) -> list[Measured]:
    X, y = prepare(name, options.folder)
    return times((PAPER, "times", name), binned(X), y, options.repeats)


TABLES = tuple(POSITIVE)
PARTS = (
    Part("tables", TABLES, REPEATS, _tables, main=True),
    Part("smoothed", TABLES, REPEATS, _smoothed, main=True),
    Part("tried", TABLES, REPEATS, measure_tried),
    Part("tried NB", TABLES, REPEATS, measure_naive),
    Part("curves", TABLES, CURVES, measure_curves),
    Part("times", TABLES, 5, _times),
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
                        usual=None if usual is None else usual.value, why=why(results, name, system, what),
                    )
                )  # fmt: skip
    gaps = {name: results.find(PAPER, "tables", name, "GNB-O", "gap") for name in tables}
    protocol = f"{PROTOCOL} {repeats} splits (the paper: five)."
    extras = (
        *tried_tables(results), *naive_table(results), *curve_figures(results), *times_table(results),
    )  # fmt: skip
    return Reproduction(PAPER, source, protocol, tuple(figures), _shortfalls(gaps), extras)


def _shortfalls(gaps: dict[str, Measured | None]) -> tuple[str, ...]:
    """Say how far GNB-O is below the best tree on whole tables: 0 bits where the paper's condition holds."""
    best = [name for name, gap in gaps.items() if gap is not None and proven_best(gap.value)]
    short = [
        f"{name}: GNB-O is {in_bits(gap.value)} short of the best tree: the paper's condition does not hold."
        for name, gap in gaps.items()
        if gap is not None and name not in best
    ]
    found = f"GNB-O finds the best tree, which is also TAN's, on {', '.join(best)}."
    return (*([found] if best else []), *short)
