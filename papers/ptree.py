"""Kernel semi-naive Bayes on P-trees, Table 1 of Denton and Perrizo 2004: two thirds for training."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from papers.data import DATASETS, Part, RunOptions, Systems, load, random_splits, scores
from papers.figures import (
    NOT_RUN,
    Extra,
    Figure,
    Picture,
    Reproduction,
    compared,
    deviation,
    dot_plot,
    explains,
    printed,
    verdict,
)
from papers.store import Measured, Results, measured
from papers.weka import RoundedGaussians
from pgm_nb.models import GaussianNaiveBayes, KernelSemiNaiveBayes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PARTS", "report"]

SHARE = 1 / 3
THEIR_SPLITS = 1
FEWEST = 20  # values of a column that every class needs for a bell curve
KERNELS: dict[str, dict[str, Any]] = {
    "kernel_semi_nb_1": {"threshold": 0.3, "anticorrelation": True},
    "kernel_semi_nb_2": {"threshold": 0.05},
}


def log_columns(name: str, X: pd.DataFrame) -> list[str]:
    """Return the columns that the paper scales by logarithms."""
    return {"spambase": list(X.columns), "adult": ["capital-gain", "capital-loss"]}.get(name, [])


def plain(name: str, X: pd.DataFrame, y: pd.Series[Any]) -> pd.DataFrame:
    """Return the table for bell curves: log-scaled, without columns that are nearly empty in a class."""
    measured_columns = X.columns[X.groupby(y.to_numpy()).count().ge(FEWEST).all()]
    scaled = {}
    for column in log_columns(name, X):
        sizes = X[column].abs()
        scaled[column] = np.sign(X[column]) * np.log1p(sizes / sizes[sizes > 0].min())
    return X.assign(**scaled)[list(measured_columns)]


def error(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> tuple[float]:
    """Return the error of a fitted model, in percent."""
    return (100 * float(np.mean(model.predict(X) != y.to_numpy())),)


PAPER = "ptree"
ALONE = 100  # rows that are classified one by one
SPARSE = "columns that are zero in four rows of five"
RULES = {  # in words
    "wide": "no variance below a thousandth of the largest",
    "numbers": "no logarithms",
    "rounded": "rounded as in Weka",
    "ten": "ten quantiles",
    "width": "ten bins of equal width",
    "class": "bins chosen by the class (MDL)",
    "mode": "missing cells as the commonest value",
    "bare": "no smoothing",
    "whole": "rows with missing cells left out",
}
BINS: dict[str, dict[str, Any]] = {
    "ten": {"discretizer": "quantile", "n_bins": 10},
    "width": {"discretizer": "uniform", "n_bins": 10},
    "class": {"discretizer": "mdlp"},
}
CHANGED: dict[str, dict[str, Any]] = {"mode": {"missing": "mode"}, "bare": {"smoothing": None}, "whole": {}}


def ways(name: str, X: pd.DataFrame, y: pd.Series[Any]) -> Iterator[tuple[str, Any, pd.DataFrame]]:
    """Return system and rule, the model and the table of everything that is tried on a table."""
    if name == "spambase":
        scaled = plain(name, X, y)
        for rule, model, table in (
            ("wide", GaussianNaiveBayes(var_smoothing=1e-3), scaled),
            ("numbers", GaussianNaiveBayes(), X),
            ("rounded", RoundedGaussians(), scaled),
        ):
            yield f"traditional_nb, {RULES[rule]}", model, table
        return
    for run, (joining, words) in enumerate(KERNELS.items(), 1):
        for rule, bins in BINS.items():
            yield f"discrete_semi_nb_{run}, {RULES[rule]}", KernelSemiNaiveBayes(**words, **bins), X
        for rule, changed in CHANGED.items():
            if rule == "whole" and name != "adult":  # no row of sick-euthyroid is complete
                continue
            table = X.dropna() if rule == "whole" else X
            model = KernelSemiNaiveBayes(**words, **changed, log_columns=log_columns(name, X))
            yield f"{joining}, {RULES[rule]}", model, table


def measure_tried(name: str, options: RunOptions) -> list[Measured]:
    """Measure the systems by other rules than ours."""
    X, y = load(name, options.folder)
    X = X.dropna(axis=1, how="all")
    found = []
    for system, model, table in ways(name, X, y):
        splits = random_splits(len(table), SHARE, options.repeats)
        scores = options.scores(name, {system: model}, table, y.loc[table.index], splits, error)[system]
        found.append(measured((PAPER, "tried", name), system, "error", scores[:, 0]))
    if name == "spambase":
        empty = float(((X == 0).mean() > 0.8).sum())
        found.append(measured((PAPER, "tried", name), SPARSE, "columns", np.array([empty])))
    return found


def measure_times(name: str, options: RunOptions) -> list[Measured]:
    """Measure the processor time to classify the test rows: all at once, and some of them one by one."""
    X, y = load(name, options.folder)
    X = X.dropna(axis=1, how="all")
    found: dict[str, list[float]] = {"all at once": [], "one by one": []}
    for train, test in random_splits(len(X), SHARE, options.repeats):
        model = KernelSemiNaiveBayes(**KERNELS["kernel_semi_nb_2"], log_columns=log_columns(name, X))
        model.fit(X.iloc[train], y.iloc[train])
        begun = time.process_time()
        model.predict(X.iloc[test])
        found["all at once"].append(time.process_time() - begun)
        begun = time.process_time()
        for row in test[:ALONE]:
            model.predict(X.iloc[[row]])
        found["one by one"].append((time.process_time() - begun) * len(test) / len(test[:ALONE]))
    where = (PAPER, "times", name)
    sizes = [
        measured(where, what, "rows", np.array([len(rows)]))
        for what, rows in (("train", train), ("test", test))
    ]
    return [*sizes, *(measured(where, way, "seconds", np.array(taken)) for way, taken in found.items())]


def judged(results: Results, name: str, system: str) -> list[Figure]:
    """Hold everything that was tried for a system against its printed figure."""
    theirs = printed(PAPER)[1][name]
    return [
        compared(row, theirs[system], THEIR_SPLITS, higher=False)
        for row in results.of(PAPER, "tried", name)
        if row.measure == "error" and row.system.startswith(f"{system}, ")
    ]


def why(results: Results, name: str, system: str) -> str:
    """Say what is known about a figure that differs from the paper's."""
    tried = judged(results, name, system)
    ours = results.find(PAPER, "table", name, system, "error")
    rules = {figure.system.removeprefix(f"{system}, "): figure for figure in tried}
    given = "; ".join(f"{rule} {figure.ours:.2f}" for rule, figure in rules.items())
    fit = [rule for rule, figure in rules.items() if explains(figure, ours)]
    if fit:
        return f"explained by {' or '.join(repr(rule) for rule in fit)} (tried: {given})"
    about = "the paper does not describe its bins; " if system.startswith("discrete") else ""
    return f"unknown; {about}tried: {given}" if given else NOT_RUN


def tried_table(results: Results) -> tuple[Extra, ...]:
    """Return the table of what was tried."""
    found = [row for row in results.of(PAPER, "tried") if row.measure == "error"]
    rows = []
    for row in found:
        system = row.system.partition(", ")[0]
        [figure] = [one for one in judged(results, row.table, system) if one.system == row.system]
        rows.append(
            (
                row.table,
                row.system,
                f"{figure.theirs:.1f}",
                f"{row.value:.2f} ± {row.deviation:.2f}",
                f"{figure.z:+z.1f}",
            )
        )
    if not rows:
        return ()
    empty = results.find(PAPER, "tried", "spambase", SPARSE, "columns")
    sparse = (
        f" Of the 57 columns of spambase, {empty.value:.0f} are zero in four rows of five." if empty else ""
    )
    text = f"Error in percent on random thirds, with the deviation between splits.{sparse}"
    header = ("table", "system and rule", "paper", "tried", "z")
    return (Extra("What was tried for P-trees", text, header, tuple(rows)),)


def times_table(results: Results) -> tuple[Extra, ...]:
    """Return the times to classify the test rows."""
    rows = []
    for name in dict.fromkeys(row.table for row in results.of(PAPER, "times")):
        cells = {row.system: row for row in results.of(PAPER, "times", name)}
        rows.append((
            name, f"{cells['train'].value:,.0f}", f"{cells['test'].value:,.0f}",
            *(f"{cells[way].value:.1f}" for way in ("one by one", "all at once")),
        ))  # fmt: skip
    text = (
        "Seconds of processor time to classify the test third by kernel_semi_nb_2. One by one: a call of "
        f"`predict` for each of {ALONE} rows, which P-trees count, extrapolated to all. All at once: pairs "
        "of values that many rows share are counted once."
    )
    header = ("table", "rows trained on", "rows classified", "one by one", "all at once")
    return (Extra("Times of P-trees", text, header, tuple(rows)),) if rows else ()


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
