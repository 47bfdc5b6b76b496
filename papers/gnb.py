"""Generalized naive Bayes, Tables 1 to 5 of Kovács et al. 2024.

Five random splits, 85 % of the rows for training. As in the paper, the columns are cut into quantiles before
the split, and nothing is smoothed. The paper's AUC is that of the predicted classes, the mean recall of both
classes (the printed precision, recall and accuracy leave no other reading, and the authors' program says so);
here ours is the same.

Figures 7 to 11 show the measures against the number of triplets; section 4.4 is about times.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from papers.data import Part, RunOptions, Systems, random_splits
from papers.figures import Extra, Figure, Picture, Reproduction, compared, printed
from papers.gnb_systems import (
    MEASURES,
    POSITIVE,
    SHARE,
    THEIR_SPLITS,
    binned,
    five_measures,
    five_shares,
    prepare,
    systems,
)
from papers.gnb_tried import measure_naive, measure_tried, naive_table, tried_tables, why
from papers.store import Measured, Results, measured
from pgm_nb.files import write_atomically
from pgm_nb.models import (
    AveragedTree,
    ClassTreesBayes,
    GeneralizedNaiveBayes,
    NaiveBayes,
    TreeAugmentedNaiveBayes,
)
from pgm_nb.views.style import class_colour, colours
from pgm_nb.views.svg import Panel, document, label
from pgm_nb.words import in_bits, proven_best

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PARTS", "measure_curves", "report", "times", "write_figures"]

PAPER = "gnb"
CURVES = "curves"
CURVE_REPEATS = 20
SEARCHES = ("GNB-A", "GNB-O")
WIDE, HIGH, GAP = 190.0, 150.0, 70.0  # of a panel, and between panels
BARS = 2.0  # standard errors on either side


def measure_curves(name: str, options: RunOptions) -> list[Measured]:
    """Measure GNB-A and GNB-O with 1, 2, ... all of their triplets, by the paper's rules."""
    X, y = prepare(name, options.folder)
    cells, positive = binned(X), POSITIVE[name]
    found = []
    for system in SEARCHES:
        scores = []
        for done, (train, test) in enumerate(random_splits(len(X), SHARE, options.repeats), 1):
            model = systems(paper=True)[system].fit(cells.iloc[train], y.iloc[train])
            best = np.asarray(model.classes_)[model.prefix_scores(cells.iloc[test])[:, 2:].argmax(axis=2)]
            scores.append(five_shares(best == positive, y.iloc[test].to_numpy() == positive))
            options.watch(name, done, options.repeats)
        table = np.array(scores)  # (splits, triplets, measures)
        found += [
            measured((PAPER, CURVES, name), system, f"{what}, {size + 1} triplets", table[:, size, place])
            for size in range(table.shape[1])
            for place, what in enumerate(MEASURES)
        ]
    return found


def curve_figures(results: Results) -> tuple[Extra, ...]:
    """Return the pictures of all tables that were measured."""
    seen = [name for name in POSITIVE if results.has(PAPER, CURVES, name)]
    if not seen:
        return ()
    pictures = tuple(
        Picture(
            f"gnb-{name}", f"{name}: the five measures against the number of triplets", figure(results, name)
        )
        for name in seen
    )
    splits = results.of(PAPER, CURVES, seen[0])[0].repeats
    text = (
        f"{splits} random splits by the paper's rules; in percent, with bars of two standard errors of the "
        "mean. The AUC is that of the predicted classes, as in the tables. The paper's curves are not on "
        "record as numbers."
    )
    return (Extra("Figures 7 to 11: measures against the number of triplets", text, pictures=pictures),)


def figure(results: Results, name: str) -> str:
    """Draw the figure of one table: a panel for each measure, a line for each search."""
    parts, paint = [], colours("light")
    for place, what in enumerate(MEASURES):
        lines = {system: _line(results, name, system, what) for system in SEARCHES}
        every = [one for line in lines.values() for one in line]
        values = [value + side * error for _, value, error in every for side in (-1, 1)]
        room = 0.05 * (max(values) - min(values)) or 1.0
        left, top = 60 + (WIDE + GAP) * (place % 3), 60 + (HIGH + GAP) * (place // 3)
        ends = (1.0, float(max(size for size, _, _ in every)))
        panel = Panel(left, top, WIDE, HIGH, ends, (min(values) - room, max(values) + room))
        parts += [panel.frame("light", "triplets"), label(what, left + WIDE / 2, top - 8, paint["text"])]
        for colour, line in zip((class_colour(0), class_colour(1)), lines.values(), strict=True):
            parts.append(_drawn(panel, line, colour))
    left = 60 + (WIDE + GAP) * 2
    for place, system in enumerate(SEARCHES):
        y = 60 + HIGH + GAP + 30 + 22 * place
        parts.append(f'<circle cx="{left:.1f}" cy="{y:.1f}" r="4" fill="{class_colour(place)}"/>')
        parts.append(label(system, left + 12, y + 4, paint["text"], anchor="start"))
    parts.append(label(name, (60 + 3 * WIDE + 2 * GAP) / 2, 24, paint["text"], size=14))
    return document(80 + 3 * WIDE + 2 * GAP, 60 + 2 * HIGH + GAP + 45, name, parts, "auto")


def _line(results: Results, name: str, system: str, what: str) -> list[tuple[int, float, float]]:
    """Return triplets, mean and two standard errors of it."""
    line, size = [], 1
    while (one := results.find(PAPER, CURVES, name, system, f"{what}, {size} triplets")) is not None:
        line.append((size, one.value, BARS * one.deviation / one.repeats**0.5))
        size += 1
    return line


def _drawn(panel: Panel, line: list[tuple[int, float, float]], colour: str) -> str:
    places = [panel.place(size, value) for size, value, _ in line]
    bars = [
        [panel.place(size, value + side * error) for side in (-1, 1)]
        for size, value, error in line
        if error > 0
    ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return "".join([
        *(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            'stroke-opacity="0.35"/>'
            for (x1, y1), (x2, y2) in bars
        ),
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="{colour}"/>' for x, y in places),
    ])  # fmt: skip


def write_figures(
    folder: Path, data: Path | None, tables: tuple[str, ...] = (), *, repeats: int = CURVE_REPEATS
) -> list[Path]:
    """Measure and draw the figure of every table into a folder, and return the files."""
    written = []
    for name in tables or tuple(POSITIVE):
        path = folder / f"gnb-{name}.svg"
        found = figure(Results(measure_curves(name, RunOptions(data, repeats))), name)
        write_atomically(path, found.encode())
        written.append(path)
    return written


TIMED = ("NB", "TAN", "GNB-A", "GNB-O", "ATAN", "class trees")


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


def times_table(results: Results) -> tuple[Extra, ...]:
    """Return the table of training times (section 4.4 of the paper)."""
    rows = []
    for name in POSITIVE:
        found = [results.find("gnb", "times", name, system, "milliseconds") for system in TIMED]
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
    return (Extra("Section 4.4: run times", text, ("table", *TIMED), tuple(rows)),) if rows else ()


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
    Part(CURVES, TABLES, CURVE_REPEATS, measure_curves),
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
