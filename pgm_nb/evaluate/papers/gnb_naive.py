"""Which naive Bayes may Kovács et al. 2024 have run? scikit-learn's, on columns prepared in several ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pgm_nb.evaluate.papers.figures import Extra, Figure, compared
from pgm_nb.evaluate.papers.gnb_data import SHARE, binned, numbers, prepare
from pgm_nb.evaluate.papers.gnb_measures import MEASURES, POSITIVE, THEIR_SPLITS, five_measures
from pgm_nb.evaluate.papers.record import printed
from pgm_nb.evaluate.papers.splits import RunOptions, random_splits
from pgm_nb.evaluate.papers.store import Measured, Results, measured

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COUNTS", "judged", "measure_naive", "naive_table", "of_class"]

PAPER, PART = "gnb", "tried NB"
COUNTS = "MultinomialNB, columns as they are"


def of_class(name: str) -> str:
    """Return the class that naive Bayes' precision and recall are about.

    On early diabetes the printed accuracy, recall and AUC fit the negative class alone.
    """
    return "Negative" if name == "early_diabetes" else POSITIVE[name]


def ways(X: pd.DataFrame) -> Iterator[tuple[str, Any, pd.DataFrame]]:
    """Return the name, the model and the table of every combination."""
    from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, Normalizer, OneHotEncoder, StandardScaler

    kinds = {
        type(kind).__name__: kind for kind in (MultinomialNB(), BernoulliNB(), GaussianNB(), ComplementNB())
    }
    plain, codes = numbers(X), binned(X)
    unit = MinMaxScaler(clip=True)
    tables: dict[str, tuple[pd.DataFrame, tuple[Any, ...], tuple[str, ...]]] = {
        "columns as they are": (plain, (), tuple(kinds)),
        "columns scaled to 0..1": (plain, (unit,), tuple(kinds)),
        "standardised columns": (plain, (StandardScaler(),), ("BernoulliNB", "GaussianNB")),
        "rows of length 1": (plain, (unit, Normalizer()), tuple(kinds)),
        "codes of the bins": (codes, (), tuple(kinds)),
        "codes of the bins from 1": (codes + 1, (), ("MultinomialNB", "ComplementNB")),
        "one column per bin": (
            codes.astype(str),
            (OneHotEncoder(handle_unknown="ignore"),),
            ("MultinomialNB", "BernoulliNB", "ComplementNB"),
        ),
    }
    for way, (table, steps, names) in tables.items():
        for name in names:
            yield f"{name}, {way}", make_pipeline(*steps, kinds[name]), table


def measure_naive(name: str, options: RunOptions) -> list[Measured]:
    """Measure every combination on the splits of the paper's protocol."""
    X, y = prepare(name, options.folder)
    splits, score = random_splits(len(X), SHARE, options.repeats), five_measures(of_class(name))
    found = []
    for way, model, table in ways(X):
        scores = options.scores(name, {way: model}, table, y, splits, score)[way]
        found += [
            measured((PAPER, PART, name), way, what, scores[:, place]) for place, what in enumerate(MEASURES)
        ]
    return found


def judged(results: Results, name: str, way: str, what: str) -> Figure | None:
    """Hold a combination against the printed figure of naive Bayes."""
    found = results.find(PAPER, PART, name, way, what)
    if found is None:
        return None
    return compared(found, 100 * printed(PAPER)[1][what][name]["NB"], THEIR_SPLITS)


def naive_table(results: Results) -> tuple[Extra, ...]:
    """Return how many of the printed figures each combination reproduces, the best first."""
    names = [name for name in POSITIVE if results.has(PAPER, PART, name)]
    ways_seen = dict.fromkeys(row.system for row in results.of(PAPER, PART))
    counted = {}
    for way in ways_seen:
        figures = [[judged(results, name, way, what) for what in MEASURES] for name in names]
        counted[way] = [sum(one is not None and one.mark == "reproduced" for one in row) for row in figures]
    if not counted:
        return ()
    ordered = sorted(counted, key=lambda way: -sum(counted[way]))
    rows = tuple((way, *(str(n) for n in counted[way]), str(sum(counted[way]))) for way in ordered)
    text = (
        f"scikit-learn's naive Bayes in {len(rows)} ways: how many of the printed figures lie within two "
        "standard errors, of five for each table. Words become codes and columns below zero are shifted. "
        "Precision and recall on early diabetes are those of the negative class, because the printed "
        "accuracy, recall and AUC fit no other."
    )
    return (Extra("Which naive Bayes it may be", text, ("way", *names, "all"), rows),)
