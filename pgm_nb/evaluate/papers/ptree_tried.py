"""What may be behind the figures of Denton and Perrizo 2004 that differ from ours, and times of P-trees."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.evaluate.papers.datasets import load
from pgm_nb.evaluate.papers.figures import NOT_RUN, Extra, Figure, compared, explains
from pgm_nb.evaluate.papers.ptree_data import KERNELS, SHARE, THEIR_SPLITS, error, log_columns, plain
from pgm_nb.evaluate.papers.record import printed
from pgm_nb.evaluate.papers.rounded_gaussians import RoundedGaussians
from pgm_nb.evaluate.papers.splits import RunOptions, random_splits
from pgm_nb.evaluate.papers.store import Measured, Results, measured
from pgm_nb.models import GaussianNaiveBayes, KernelSemiNaiveBayes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["measure_times", "measure_tried", "times_table", "tried_table", "why"]

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
