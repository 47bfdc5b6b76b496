"""Section 4.4 of Kovács et al. 2024: how long training takes, beside ATAN and Ghofrani's class trees."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.evaluate.papers.figures import Extra
from pgm_nb.evaluate.papers.gnb_measures import POSITIVE
from pgm_nb.evaluate.papers.store import Measured, Results, measured
from pgm_nb.models import (
    AveragedTree,
    ClassTreesBayes,
    GeneralizedNaiveBayes,
    NaiveBayes,
    TreeAugmentedNaiveBayes,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["times", "times_table"]

SYSTEMS = ("NB", "TAN", "GNB-A", "GNB-O", "ATAN", "class trees")


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
        found = [results.find("gnb", "times", name, system, "milliseconds") for system in SYSTEMS]
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
    return (Extra("Section 4.4: run times", text, ("table", *SYSTEMS), tuple(rows)),) if rows else ()
