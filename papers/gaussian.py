"""Gaussian naive Bayes, Henriksen 2016: accuracy on seeds against the share of test rows, and times."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from papers.data import Part, RunOptions, load, random_splits
from papers.figures import Extra, Figure, Picture, Reproduction, difference_error, unit
from papers.store import Measured, Results, measured
from pgm_nb.models import GaussianNaiveBayes
from pgm_nb.views.style import class_colour, colours
from pgm_nb.views.svg import Panel, document, label

__all__ = ["PARTS", "report"]


Seen = Sequence[tuple[int, Measured, Measured]]  # test rows, ours, scikit-learn's


def curve_picture(seen: Seen) -> str:
    """Draw the mean accuracy with a band of one standard deviation; scikit-learn's as rings."""
    low = min(ours.value - ours.deviation for _, ours, _ in seen)
    panel = Panel(70, 40, 520, 320, (0.0, float(seen[-1][0] + 5)), (low - 1, 100.0))
    upper = [(size, min(ours.value + ours.deviation, 100.0)) for size, ours, _ in seen]
    lower = [(size, ours.value - ours.deviation) for size, ours, _ in seen]
    parts = [
        panel.frame("light", "test rows, of 210", "accuracy, percent"),
        f'<polygon points="{_points(panel, [*upper, *lower[::-1]])}" fill="{class_colour(0)}" '
        'fill-opacity="0.15"/>',
        f'<polyline points="{_points(panel, [(size, ours.value) for size, ours, _ in seen])}" fill="none" '
        f'stroke="{class_colour(0)}" stroke-width="2"/>',
        *(_ring(panel, size, theirs.value) for size, _, theirs in seen),
    ]
    words = (
        f"Seeds, {seen[0][1].repeats} splits per size: ours (line, band: one deviation), scikit-learn (rings)"
    )
    parts.append(label(words, 330, 24, colours("light")["text"]))
    return document(640, 420, "Accuracy against the size of the test set", parts, "auto")


def scatter_picture(seen: Seen) -> str:
    """Draw scikit-learn's mean accuracy across and ours upwards, one ring for each size."""
    values = [one.value for _, ours, theirs in seen for one in (ours, theirs)]
    ends = (min(values) - 1, max(values) + 1)
    panel = Panel(70, 40, 320, 320, ends, ends)
    (x1, y1), (x2, y2) = panel.place(ends[0], ends[0]), panel.place(ends[1], ends[1])
    paint = colours("light")
    parts = [
        panel.frame("light", "scikit-learn, percent", "ours, percent"),
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{paint["class arc"]}"/>',
        *(_ring(panel, theirs.value, ours.value) for _, ours, theirs in seen),
        label("Seeds, mean accuracy at each size", 230, 24, paint["text"]),
    ]
    return document(430, 420, "Our accuracy against scikit-learn's", parts, "auto")


def _points(panel: Panel, points: Sequence[tuple[float, float]]) -> str:
    return " ".join("{:.1f},{:.1f}".format(*panel.place(x, y)) for x, y in points)


def _ring(panel: Panel, x: float, y: float) -> str:
    across, down = panel.place(x, y)
    return f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="none" stroke="{class_colour(1)}"/>'


PAPER = "gaussian"
TABLE = "seeds"
REPEATS = 100
ROWS = 210
SIZES = tuple(range(2, 202, 2))  # test rows
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # in the table
SOURCE = "Henriksen 2016, Figure 1 (its curve; it prints no numbers, so scikit-learn's take their place)"
OURS, THEIRS = "ours", "scikit-learn"
TASKS = ("fit", "predict", "predict_proba")
LOOPS = 50


def _models() -> dict[str, Any]:
    from sklearn.naive_bayes import GaussianNB

    return {OURS: GaussianNaiveBayes(), THEIRS: GaussianNB()}


def _accuracies(part: str, name: str, options: RunOptions, shares: dict[str, float]) -> list[Measured]:
    """Measure both on the same splits, for some shares of test rows."""
    X, y = load(name, options.folder)
    rows = []
    for what, share in shares.items():
        found = options.scores(name, _models(), X, y, random_splits(len(X), share, options.repeats))
        where = (PAPER, part, name)
        ours, theirs = found[OURS][:, 0], found[THEIRS][:, 0]
        rows += [measured(where, system, what, scores[:, 0]) for system, scores in found.items()]
        rows.append(measured(where, "difference", what, ours - theirs))
        rows.append(measured(where, "largest difference", what, np.array([np.abs(ours - theirs).max()])))
    return rows


def _shares(name: str, options: RunOptions) -> list[Measured]:
    return _accuracies("shares", name, options, {f"{share:.0%}": share for share in SHARES})


def _curve(name: str, options: RunOptions) -> list[Measured]:
    return _accuracies("curve", name, options, {f"{size} rows": size / ROWS for size in SIZES})


def _times(name: str, options: RunOptions) -> list[Measured]:
    """Measure one call of each task, in microseconds of processor time."""
    X, y = load(name, options.folder)
    cells, labels = X.to_numpy(dtype=np.float64), y.to_numpy()
    fitted = {system: model.fit(cells, labels) for system, model in _models().items()}
    rows = []
    for task in TASKS:
        taken: dict[str, list[float]] = {system: [] for system in fitted}
        for _ in range(options.repeats):
            for system, model in fitted.items():  # in turns
                begun = time.process_time()
                for _ in range(LOOPS):
                    model.fit(cells, labels) if task == "fit" else getattr(model, task)(cells)
                taken[system].append(1e6 * (time.process_time() - begun) / LOOPS)
        rows += [measured((PAPER, "times", name), s, task, np.array(seen)) for s, seen in taken.items()]
    return rows


PARTS = (
    Part("shares", (TABLE,), REPEATS, _shares, main=True),
    Part("curve", (TABLE,), REPEATS, _curve),
    Part("times", (TABLE,), 15, _times),
)


def report(results: Results) -> Reproduction:
    """Hold scikit-learn's curve against ours; both get the same splits, so they must agree on every row."""
    figures, repeats = [], 0
    for share in SHARES:
        what = f"{share:.0%}"
        ours, theirs, apart, largest = (
            results.find(PAPER, "shares", TABLE, system, what)
            for system in (OURS, THEIRS, "difference", "largest difference")
        )
        if ours is None or theirs is None or apart is None or largest is None:
            continue
        repeats = ours.repeats
        error = difference_error(apart.deviation, repeats, repeats, unit=unit(PAPER))
        why = "a row was classified differently" if largest.value else ""
        figures.append(
            Figure(
                TABLE,
                "Gaussian NB",
                f"accuracy, {what} of the rows tested",
                theirs.value,
                ours.value,
                error,
                why=why,
                repeats=repeats,
            )
        )
    protocol = f"{repeats} random splits for every share of test rows (the note: 100); in percent."
    extras = (*_pictures(results), *_times_table(results))
    return Reproduction(PAPER, SOURCE, protocol, tuple(figures), (), extras)


def _pictures(results: Results) -> tuple[Extra, ...]:
    rows = [results.find(PAPER, "curve", TABLE, OURS, f"{size} rows") for size in SIZES]
    others = [results.find(PAPER, "curve", TABLE, THEIRS, f"{size} rows") for size in SIZES]
    seen = [(size, a, b) for size, a, b in zip(SIZES, rows, others, strict=True) if a and b]
    if not seen:
        return ()
    largest = max(
        row.value for row in results.of(PAPER, "curve", TABLE) if row.system == "largest difference"
    )
    text = (
        f"{seen[0][1].repeats} splits for each of {len(seen)} sizes of the test set, from {seen[0][0]} to "
        f"{seen[-1][0]} of the 210 rows. The largest difference between ours and scikit-learn's in any "
        f"split is "
        f"{largest:g}. What the note's Figure 2 plots is not on record beyond the word scatter; the second "
        f"picture "
        "is ours: the mean accuracy at each size, scikit-learn's across and ours upwards."
    )
    pictures = (
        Picture("gaussian-curve", "accuracy on seeds against the size of the test set", curve_picture(seen)),
        Picture("gaussian-scatter", "accuracy of scikit-learn and ours at each size", scatter_picture(seen)),
    )
    return (Extra("Figures 1 and 2", text, pictures=pictures),)


def _times_table(results: Results) -> tuple[Extra, ...]:
    rows = []
    for task in TASKS:
        ours, theirs = (results.find(PAPER, "times", TABLE, system, task) for system in (OURS, THEIRS))
        if ours is not None and theirs is not None:
            both = (f"{one.value:.0f} ± {one.deviation:.0f}" for one in (ours, theirs))
            rows.append((task, *both, f"{ours.value / theirs.value:.2f}"))
    text = (
        "Seeds, all 210 rows, microseconds of processor time for one call, with the deviation between "
        "fifteen rounds of fifty calls. The note says that its own class predicts in a third to two thirds "
        "of scikit-learn's time; its table is not on record."
    )
    header = ("call", "ours", "scikit-learn", "ours / scikit-learn")
    return (Extra("Times", text, header, tuple(rows)),) if rows else ()
