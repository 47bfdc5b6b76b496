"""Kernel semi-naive Bayes on P-trees, Table 1 of Denton and Perrizo 2004: two thirds for training."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pgm_nb.evaluate.papers.datasets import DATASETS, load
from pgm_nb.evaluate.papers.figures import Extra, Picture, Reproduction, compared
from pgm_nb.evaluate.papers.plots import dot_plot
from pgm_nb.evaluate.papers.ptree_data import KERNELS, SHARE, THEIR_SPLITS, error, log_columns, plain
from pgm_nb.evaluate.papers.ptree_tried import measure_times, measure_tried, times_table, tried_table, why
from pgm_nb.evaluate.papers.record import deviation, printed, verdict
from pgm_nb.evaluate.papers.splits import Part, RunOptions, Systems, random_splits, scores
from pgm_nb.evaluate.papers.store import Measured, Results, measured
from pgm_nb.models import GaussianNaiveBayes, KernelSemiNaiveBayes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PARTS", "report", "systems"]

PAPER = "ptree"
REPEATS = 5
TABLES = ("sick-euthyroid", "spambase", "adult")
SYSTEMS = (
    *("traditional_nb", "ptree_nb", "discrete_semi_nb_1", "discrete_semi_nb_2"),
    *("kernel_semi_nb_1", "kernel_semi_nb_2"),
)
SEMI = SYSTEMS[2:]
NOTES = (
    "The paper's fourth table, crop, is not public.",
    "Its discretisation is not described; ours is five quantiles.",
)


def systems(name: str, X: pd.DataFrame) -> Systems:
    """Return the paper's systems for a table, except traditional naive Bayes."""
    kernel: dict[str, Any] = {"log_columns": log_columns(name, X)}
    discrete: dict[str, Any] = {"discretizer": "quantile", "n_bins": 5}
    return {
        "ptree_nb": KernelSemiNaiveBayes(threshold=None, **kernel),
        "discrete_semi_nb_1": KernelSemiNaiveBayes(**KERNELS["kernel_semi_nb_1"], **discrete),
        "discrete_semi_nb_2": KernelSemiNaiveBayes(**KERNELS["kernel_semi_nb_2"], **discrete),
        "kernel_semi_nb_1": KernelSemiNaiveBayes(**KERNELS["kernel_semi_nb_1"], **kernel),
        "kernel_semi_nb_2": KernelSemiNaiveBayes(**KERNELS["kernel_semi_nb_2"], **kernel),
    }


def _table(name: str, options: RunOptions) -> list[Measured]:
    X, y = load(name, options.folder)
    X = X.dropna(axis=1, how="all")
    splits = random_splits(len(X), SHARE, options.repeats)
    ours = scores({"traditional_nb": GaussianNaiveBayes()}, plain(name, X, y), y, splits, score=error)
    ours |= options.scores(name, systems(name, X), X, y, splits, error)
    where = (PAPER, "table", name)
    errors = [measured(where, system, "error", found[:, 0]) for system, found in ours.items()]
    base = ours["ptree_nb"][:, 0]
    gains = [measured(where, system, "gain", base - ours[system][:, 0]) for system in SEMI]
    return errors + gains


PARTS = (
    Part("table", TABLES, REPEATS, _table, main=True),
    Part("tried", ("sick-euthyroid", "spambase"), REPEATS, measure_tried),
    Part("tried", ("adult",), 3, measure_tried),
    Part("times", ("spambase", "adult"), 3, measure_times),
)


def report(results: Results) -> Reproduction:
    """Hold the paper's table against ours; it has a single split, which varies by a full deviation."""
    source, theirs = printed(PAPER)
    figures, repeats = [], 0
    for name in TABLES:
        for system in SYSTEMS:
            found = results.find(PAPER, "table", name, system, "error")
            if found is not None:
                repeats = found.repeats
                stated = deviation(PAPER, name, system)
                figures.append(
                    compared(
                        found, theirs[name][system], THEIR_SPLITS, printed=stated, higher=False,
                        why=why(results, name, system), stated=verdict(PAPER, name, system),
                    )
                )  # fmt: skip
    protocol = f"{repeats} random splits, two thirds for training (the paper: one); in percent."
    extras = (*_gains(results), *tried_table(results), *times_table(results))
    return Reproduction(PAPER, source, protocol, tuple(figures), NOTES, extras)


def _gains(results: Results) -> tuple[Extra, ...]:
    """Return Figures 2 and 3: how much joining lowers the error of P-tree naive Bayes, in standard errors."""
    rows, points = [], []
    for name in TABLES:
        theirs, size = printed(PAPER)[1][name], round(DATASETS[name].rows * SHARE)
        base = results.find(PAPER, "table", name, "ptree_nb", "error")
        for system in SEMI:
            found = results.find(PAPER, "table", name, system, "error")
            gain = results.find(PAPER, "table", name, system, "gain")
            if base is None or found is None or gain is None:
                continue
            units = (
                in_errors(theirs["ptree_nb"], theirs[system], size),
                in_errors(base.value, found.value, size),
            )
            spread = gain.deviation / math.sqrt(gain.repeats)
            known = "" if math.isnan(spread) else f" ± {spread:.2f}"
            cells = (f"{theirs['ptree_nb'] - theirs[system]:+z.2f}", f"{gain.value:+z.2f}{known}")
            rows.append((name, system, *cells, *(f"{unit:+z.1f}" for unit in units)))
            points.append((f"{name}, {system}", units[0], units[1], 0.0))
    if not rows:
        return ()
    text = (
        "The gain is the error of P-tree naive Bayes minus that of the system. In standard errors: divided "
        "by that of a difference of two error rates on the test third, √((e(1 - e) + e'(1 - e')) / n), for "
        "the printed errors as for ours (the printed ± are not on record). Ours in percent has the standard "
        "error between splits; both systems see the same rows."
    )
    header = ("table", "system", "paper, %", "ours, %", "paper, s.e.", "ours, s.e.")
    picture = Picture("ptree-gains", "gain in standard errors", dot_plot("Gain in standard errors", points))
    return (Extra("Figures 2 and 3: gain in standard errors", text, header, tuple(rows), (picture,)),)


def in_errors(before: float, after: float, rows: int) -> float:
    """Return a fall of the error, both in percent, in standard errors on a number of test rows.

    Examples
    --------
    >>> round(in_errors(20.0, 10.0, 250), 4)
    3.1623
    """
    first, second = before / 100, after / 100
    error = math.sqrt((first * (1 - first) + second * (1 - second)) / rows)
    return (first - second) / error if error else 0.0  # no error before or after
