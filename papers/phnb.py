"""Hidden naive Bayes and its packaged form, Table II of Ji, Yu and Zhang.

Missing cells get the most frequent value of their column before the split; there are ten bins of equal width;
mfeat-pixel is nominal. The paper repeats ten folds ten times.

What may be behind differences: bins, folds, zeros, thresholds.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from papers.data import DATASETS, Part, RunOptions, Systems, load, random_folds, stratified_folds
from papers.figures import NOT_RUN, Extra, Figure, Reproduction, compared, explains, printed
from papers.store import Measured, Results, measured
from pgm_nb.data import learn_encoder
from pgm_nb.models import HiddenNaiveBayes, PackagedHiddenNaiveBayes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BEFORE", "PARTS", "binned", "report"]

PAPER = "phnb"
FOLDS = 10
REPEATS = 10
BEFORE = "bins before the split"
UNSTRATIFIED = "HNB, folds not stratified"
FEW = "HNB, 1/n imaginary rows"
MANY = "HNB, 5 imaginary rows"
DIAGONAL = "PHNB, average over all cells"
TENTH = "PHNB, a tenth of the printed threshold"
NATS = "PHNB, printed threshold taken as nats"
HNB = "HNB"
AVERAGE, GIVEN, BEST = (f"PHNB, {which} threshold" for which in ("average", "printed", "best"))
STANDS_FOR = {UNSTRATIFIED: HNB, FEW: HNB, MANY: HNB, DIAGONAL: AVERAGE, TENTH: GIVEN, NATS: GIVEN}
KEYS = {HNB: "hnb_accuracy", AVERAGE: "phnb_average_accuracy", GIVEN: "phnb_optimal_accuracy"}
WITHOUT_NUMBERS = ("nursery", "kr-vs-kp", "mfeat-pixel")
# its printed threshold is ten times the average, and gives less than naive Bayes' bags
MISPRINTED = ("sick",)


def binned(X: pd.DataFrame, n_bins: int) -> pd.DataFrame:
    """Cut all rows of a table into bins of equal width, each a state whether it has rows or not.

    Examples
    --------
    >>> import pandas as pd
    >>> binned(pd.DataFrame({"x": [*range(12), 100]}), 10)["x"].tolist()[-3:]
    ['0', '1', '9']
    """
    import pandas as pd

    encoder, codes, _, _ = learn_encoder(X, None, discretizer="uniform", n_bins=n_bins)
    columns = {
        name: pd.Categorical(column.astype(int).astype(str), categories=[str(i) for i in range(card)])
        for name, column, card in zip(encoder.names, codes, encoder.cards, strict=True)
    }
    return pd.DataFrame(columns, index=X.index)


def _tried(name: str, options: RunOptions) -> list[Measured]:
    """Measure the systems by other rules than ours."""
    X, y = prepare(name, options.folder)
    systems = _of(name)
    splits = stratified_folds(y.to_numpy(), FOLDS, options.repeats)
    found: dict[str, Any] = {}
    if name not in WITHOUT_NUMBERS:
        chosen = {f"{system}, {BEFORE}": systems[system] for system in KEYS}
        found |= options.scores(name, chosen, binned(X, BINS["n_bins"]), y, splits)
    if name in MISPRINTED:
        tenth = PackagedHiddenNaiveBayes(threshold=systems[GIVEN].threshold / 10, **BINS)
        found |= options.scores(name, {f"{TENTH}, {BEFORE}": tenth}, binned(X, BINS["n_bins"]), y, splits)
    if name in ("nursery", "kr-vs-kp", "sick"):
        average = PackagedHiddenNaiveBayes(**BINS).fit(X, y).threshold_
        models = {
            FEW: HiddenNaiveBayes(**{**BINS, "smoothing": 1 / len(X)}),
            MANY: HiddenNaiveBayes(**{**BINS, "smoothing": 5.0}),
            DIAGONAL: PackagedHiddenNaiveBayes(threshold=average * (X.shape[1] - 1) / X.shape[1], **BINS),
        }
        found |= options.scores(name, models, X, y, splits)
        loose = random_folds(len(X), FOLDS, options.repeats)
        found |= options.scores(name, {UNSTRATIFIED: systems[HNB]}, X, y, loose)
    return [
        measured((PAPER, "tried", name), system, "accuracy", scores[:, 0], FOLDS)
        for system, scores in found.items()
    ]


def _nats(name: str, options: RunOptions) -> list[Measured]:
    """Measure PHNB with the printed threshold taken as nats."""
    X, y = prepare(name, options.folder)
    systems = _of(name)
    model = PackagedHiddenNaiveBayes(threshold=systems[GIVEN].threshold / math.log(2), **BINS)
    found = options.scores(name, {NATS: model}, X, y, stratified_folds(y.to_numpy(), FOLDS, options.repeats))
    return [measured((PAPER, "nats", name), NATS, "accuracy", found[NATS][:, 0], FOLDS)]


def found_by(results: Results, name: str, system: str) -> list[Figure]:
    """Hold everything that was tried for a system against its printed figure."""
    figures = []
    for row in (*results.of(PAPER, "tried", name), *results.of(PAPER, "nats", name)):
        plain = row.system.removesuffix(f", {BEFORE}")
        if STANDS_FOR.get(plain, plain) == system:
            figures.append(compared(row, printed(PAPER)[1][name][KEYS[system]], REPEATS))
    return figures


def tried_table(results: Results) -> tuple[Extra, ...]:
    """Return the table of what was tried."""
    rows = [
        figure.cells[:1] + figure.cells[2:10]
        for name in printed(PAPER)[1]
        for system in KEYS
        for figure in found_by(results, name, system)
    ]
    text = (
        "Bins before the split: the ten bins of equal width are made from all rows of the table, as a "
        "program that prepares a file would, not from the training rows. Average over all cells: the mean "
        "of I(Ai;Aj|C) with the zeros of i = j. A tenth of the printed threshold: on sick 0.138 is printed, "
        "and the average of all pairs is 0.0139, so a digit may be missing."
    )
    header = ("table", "system", "paper", "tried", "difference", "repeats", "s.e.", "z", "mark")
    return (Extra("What was tried for hidden parents", text, header, tuple(rows)),) if rows else ()


NOMINAL = ("mfeat-pixel",)
FEW_ROWS = 2500  # so that one row is at least four units of the last printed digit
DIGIT = 1e-4  # the last printed digit of a share, which may be cut off
BINS: dict[str, Any] = {"discretizer": "uniform", "n_bins": 10, "smoothing": 1.0}
PRINTED = {  # their names in the paper
    "HNB": "hnb_accuracy",
    AVERAGE: "phnb_average_accuracy",
    GIVEN: "phnb_optimal_accuracy",
    BEST: "phnb_optimal_accuracy",
}
SECONDS = {
    "HNB": "hnb_test_seconds",
    AVERAGE: "phnb_average_test_seconds",
    GIVEN: "phnb_optimal_test_seconds",
}
CHOSEN = (
    "the paper chose the threshold that is best on the rows it reports, ours is chosen on the training rows; "
)
WEKA = "; Weka's own HNB gives 94.25, near ours"
SINGLE = (
    "explained by a single cross-validation behind the printed figures, which on this table are whole "
    "numbers of rows"
)
NOTES = (
    "On arrhythmia and the four mfeat tables every printed figure is a whole number of rows, as after one "
    "cross-validation, although the paper speaks of ten. We take it at its word; with a single one on its "
    "side the standard errors would be 2.3 times as large.",
)


def systems(threshold: float) -> Systems:
    """Return the paper's systems; `threshold` is the one it prints for a table, taken as bits."""
    return {
        "HNB": HiddenNaiveBayes(**BINS),
        AVERAGE: PackagedHiddenNaiveBayes(**BINS),
        GIVEN: PackagedHiddenNaiveBayes(threshold=threshold, **BINS),
        BEST: PackagedHiddenNaiveBayes(threshold="auto", **BINS),
    }


def prepare(name: str, folder: Path | None) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return a table with its missing cells filled as in the paper."""
    X, y = load(name, folder)
    X = X.dropna(axis=1, how="all")
    X = X.fillna(X.mode().iloc[0])
    return (X.astype(str) if name in NOMINAL else X), y


def _of(name: str) -> Systems:
    return systems(printed(PAPER)[1][name]["phnb_optimal_threshold"])


def _accuracy(part: str, names: tuple[str, ...]) -> Any:
    """Return a function that measures some of the systems in repeated cross-validation."""

    def run(name: str, options: RunOptions) -> list[Measured]:
        X, y = prepare(name, options.folder)
        splits = stratified_folds(y.to_numpy(), FOLDS, options.repeats)
        chosen = {system: model for system, model in _of(name).items() if system in names}
        found = options.scores(name, chosen, X, y, splits)
        return [
            measured((PAPER, part, name), system, "accuracy", scores[:, 0], FOLDS)
            for system, scores in found.items()
        ]

    return run


def _times(name: str, options: RunOptions) -> list[Measured]:
    """Measure the processor time to classify all rows of a table, after training on them."""
    X, y = prepare(name, options.folder)
    found = []
    for system in SECONDS:
        model = _of(name)[system].fit(X, y)
        model.predict(X.iloc[:2])  # compiled functions are ready
        taken = []
        for _ in range(options.repeats):
            begun = time.process_time()
            model.predict(X)
            taken.append(time.process_time() - begun)
        found.append(measured((PAPER, "times", name), system, "seconds", np.array(taken)))
        if system == AVERAGE:
            threshold = np.array([model.threshold_])
            found.append(measured((PAPER, "times", name), system, "threshold", threshold))
    return found


TABLES = tuple(printed(PAPER)[1])
HEAVY = ("mfeat-pixel", "mfeat-factors", "mfeat-fourier")
PARTS = (
    Part("table", TABLES, REPEATS, _accuracy("table", ("HNB", AVERAGE, GIVEN)), main=True),
    Part("best", TABLES, REPEATS, _accuracy("best", (BEST,)), main=True),
    Part("tried", tuple(name for name in TABLES if name not in HEAVY), REPEATS, _tried),
    Part("nats", ("kr-vs-kp", "mfeat-zernike", "sick"), REPEATS, _nats),
    Part("times", TABLES, 3, _times),
)


def report(results: Results) -> Reproduction:
    """Hold the paper's table against ours."""
    source, theirs = printed(PAPER)
    figures = []
    for name in TABLES:
        for system, key in PRINTED.items():
            found = results.find(PAPER, "best" if system == BEST else "table", name, system, "accuracy")
            if found is not None:
                figures.append(compared(found, theirs[name][key], REPEATS, why=_why(results, name, system)))
    protocol = (
        "Ten times ten stratified folds, as in the paper, ten bins of equal width; in percent. A repeat is "
        "one time ten folds; where there are fewer than ten, there was no time for more."
    )
    extras = (*_times_table(results), *tried_table(results))
    return Reproduction(PAPER, source, protocol, tuple(figures), NOTES, extras)


def _why(results: Results, name: str, system: str) -> str:
    """Say what is known about a figure that differs from the paper's."""
    theirs = printed(PAPER)[1][name][PRINTED[system]]
    ours = results.find(PAPER, "best" if system == BEST else "table", name, system, "accuracy")
    alone = None if ours is None else compared(ours, theirs, 1)
    if alone is not None and alone.mark == "reproduced" and whole_rows(name):
        return f"{SINGLE} (z would be {alone.z:+z.1f})"
    tried = found_by(results, name, GIVEN if system == BEST else system)
    given = results.find(PAPER, "table", name, GIVEN, "accuracy")
    chosen = CHOSEN if system == BEST else ""
    if system == BEST and given is not None:
        tried = [compared(given, theirs, REPEATS), *tried]
    agree = [figure.system for figure in tried if explains(figure, ours)]
    rules = "; ".join(f"{figure.system} {figure.ours:.2f}" for figure in tried)
    if agree:
        return f"{chosen}explained by {' and '.join(repr(one) for one in agree)} (tried: {rules})"
    weka = WEKA if (name, system) == ("nursery", "HNB") else ""
    return f"{chosen}unknown; tried: {rules}{weka}" if tried else NOT_RUN


def whole_rows(name: str) -> bool:
    """Say whether every printed accuracy of a table is a whole number of its rows; False if most numbers are.

    Examples
    --------
    >>> whole_rows("mfeat-pixel"), whole_rows("nursery")
    (True, False)
    """
    rows = DATASETS[name].rows
    shares = [printed(PAPER)[1][name][key] / 100 for key in PRINTED.values()]
    return rows <= FEW_ROWS and all(abs(round(share * rows) / rows - share) < DIGIT for share in shares)


def _times_table(results: Results) -> tuple[Extra, ...]:
    """Return the columns of thresholds and of test times."""
    rows = []
    for name in sorted(TABLES, key=lambda name: DATASETS[name].attributes):
        theirs = printed(PAPER)[1][name]
        found = {system: results.find(PAPER, "times", name, system, "seconds") for system in SECONDS}
        average = results.find(PAPER, "times", name, AVERAGE, "threshold")
        ours = [one.value for one in found.values() if one is not None]
        if average is None or len(ours) < len(SECONDS):
            continue
        seconds = [theirs[key] for key in SECONDS.values()]
        rows.append((
            name, str(DATASETS[name].attributes),
            f"{theirs['phnb_optimal_threshold']:g}", f"{average.value:.4f}",
            *(f"{value:g}" for value in seconds), *(f"{value:.3f}" for value in ours),
            *(f"{seconds[i] / seconds[0]:.2f} / {ours[i] / ours[0]:.2f}" for i in (1, 2)),
        ))  # fmt: skip
    text = (
        "Thresholds in bits: the one the paper prints as best, and the average of all pairs, which the "
        "paper does not print. Test times in seconds: theirs as printed, ours the processor time to "
        "classify all rows of the table once (mean of three). The machines differ and the paper does not "
        "say how many rows its times are for, so only the ratios to HNB, theirs / ours, can be compared. The "
        "paper promises less test time in high dimensions: with its best threshold it prints less than HNB's "
        "for all tables from 29 attributes on, and least with 216; ours is less on every table. Further "
        "experiments of the paper in higher dimensions are not on record."
    )
    header = (
        *("table", "attributes", "printed threshold", "average threshold", "HNB", "average", "best"),
        *("our HNB", "our average", "our printed", "average to HNB", "best to HNB"),
    )
    return (Extra("Thresholds and test times", text, header, tuple(rows)),) if rows else ()
