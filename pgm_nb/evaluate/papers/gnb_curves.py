"""The curves of Figures 7 to 11 of Kovács et al. 2024: the five measures against the number of triplets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pgm_nb.evaluate.papers.figures import Extra, Picture
from pgm_nb.evaluate.papers.gnb_data import SHARE, binned, prepare, systems
from pgm_nb.evaluate.papers.gnb_measures import MEASURES, POSITIVE, five_shares
from pgm_nb.evaluate.papers.splits import RunOptions, random_splits
from pgm_nb.evaluate.papers.store import Measured, Results, measured
from pgm_nb.files import write_atomically
from pgm_nb.views.style import class_colour, colours
from pgm_nb.views.svg import Panel, document, label

__all__ = ["REPEATS", "curve_figures", "figure", "measure_curves", "write_figures"]

PAPER, PART = "gnb", "curves"
REPEATS = 20
SYSTEMS = ("GNB-A", "GNB-O")
WIDE, HIGH, GAP = 190.0, 150.0, 70.0  # of a panel, and between panels
BARS = 2.0  # standard errors on either side


def measure_curves(name: str, options: RunOptions) -> list[Measured]:
    """Measure GNB-A and GNB-O with 1, 2, ... all of their triplets, by the paper's rules."""
    X, y = prepare(name, options.folder)
    cells, positive = binned(X), POSITIVE[name]
    found = []
    for system in SYSTEMS:
        scores = []
        for done, (train, test) in enumerate(random_splits(len(X), SHARE, options.repeats), 1):
            model = systems(paper=True)[system].fit(cells.iloc[train], y.iloc[train])
            best = np.asarray(model.classes_)[model.prefix_scores(cells.iloc[test])[:, 2:].argmax(axis=2)]
            scores.append(five_shares(best == positive, y.iloc[test].to_numpy() == positive))
            options.watch(name, done, options.repeats)
        table = np.array(scores)  # (splits, triplets, measures)
        found += [
            measured((PAPER, PART, name), system, f"{what}, {size + 1} triplets", table[:, size, place])
            for size in range(table.shape[1])
            for place, what in enumerate(MEASURES)
        ]
    return found


def curve_figures(results: Results) -> tuple[Extra, ...]:
    """Return the pictures of all tables that were measured."""
    seen = [name for name in POSITIVE if results.has(PAPER, PART, name)]
    if not seen:
        return ()
    pictures = tuple(
        Picture(
            f"gnb-{name}", f"{name}: the five measures against the number of triplets", figure(results, name)
        )
        for name in seen
    )
    splits = results.of(PAPER, PART, seen[0])[0].repeats
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
        lines = {system: _line(results, name, system, what) for system in SYSTEMS}
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
    for place, system in enumerate(SYSTEMS):
        y = 60 + HIGH + GAP + 30 + 22 * place
        parts.append(f'<circle cx="{left:.1f}" cy="{y:.1f}" r="4" fill="{class_colour(place)}"/>')
        parts.append(label(system, left + 12, y + 4, paint["text"], anchor="start"))
    parts.append(label(name, (60 + 3 * WIDE + 2 * GAP) / 2, 24, paint["text"], size=14))
    return document(80 + 3 * WIDE + 2 * GAP, 60 + 2 * HIGH + GAP + 45, name, parts, "auto")


def _line(results: Results, name: str, system: str, what: str) -> list[tuple[int, float, float]]:
    """Return triplets, mean and two standard errors of it."""
    line, size = [], 1
    while (one := results.find(PAPER, PART, name, system, f"{what}, {size} triplets")) is not None:
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
    folder: Path, data: Path | None, tables: tuple[str, ...] = (), *, repeats: int = REPEATS
) -> list[Path]:
    """Measure and draw the figure of every table into a folder, and return the files."""
    written = []
    for name in tables or tuple(POSITIVE):
        path = folder / f"gnb-{name}.svg"
        found = figure(Results(measure_curves(name, RunOptions(data, repeats))), name)
        write_atomically(path, found.encode())
        written.append(path)
    return written
