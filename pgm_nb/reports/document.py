"""A fitted model and its table in -> one HTML file out, which opens anywhere without a network."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.data import as_frame
from pgm_nb.errors import DataError
from pgm_nb.reports import html, sections, words
from pgm_nb.reports.lines import Origin, python_lines

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.evaluate import Comparison
    from pgm_nb.explain import ImportanceCurve

__all__ = ["report"]

Progress = Callable[[float], object]

MOST_JUDGED = 3_000  # rows that the models are judged on
PEERS = ("NaiveBayes", "TreeAugmentedNaiveBayes", "GeneralizedNaiveBayes")
SHARED = ("discretizer", "n_bins", "missing", "smoothing")  # parameters that the peers take over


def report(
    model: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    origin: Origin | None = None,
    case: int = 1,
    folds: int = 5,
    date: str | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> str:
    """Tell all about a model in one HTML file: data, picture, numbers, importance, scores, one case.

    Parameters
    ----------
    model : model of pgm_nb
        Fitted on the table.
    X, y
        The table it was learned from, and its class labels.
    title : str, optional
        Of the report; by default the name of the class.
    origin : Origin, optional
        Where the rows came from: then the Python lines that make the model again are part of the report.
    case : int
        Number of the row that is explained, from 1.
    folds : int
        Folds of the cross-validation; 0 leaves it out.
    date : str, optional
        Of the report; by default today.
    random_state : int
        Seed of the folds.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Returns
    -------
    str
        HTML without scripts that fetches nothing; every name in it is escaped.

    Raises
    ------
    DataError
        The table is not the one the model was learned from, or there is no such case.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> text = pnb.report(pnb.NaiveBayes().fit(X, y), X, y, title="Iris", folds=0)
    >>> text[:15], "<h1>Iris</h1>" in text, "<script" in text
    ('<!DOCTYPE html>', True, False)
    """
    frame, labels = _checked(model, X, y)
    tell: Progress = progress or (lambda fraction: None)
    tell(0.0)
    comparison, curve, why_not = _judge(model, frame, labels, folds, random_state, tell)
    date = date or datetime.datetime.now().astimezone().date().isoformat()
    lines = None if origin is None else python_lines(model, origin, model.structure_.views[0])
    written = [
        sections.data(model, frame, labels),
        sections.structure(model),
        sections.numbers(model),
        sections.importance(model, curve),
        sections.judged(comparison, why_not, len(frame)),
        sections.case(model, frame, labels, case),
        sections.made(model, date, lines),
    ]
    tell(1.0)
    name = title or f"What tells about {model.structure_.target}"
    return html.page(name, words.summary(model, len(frame)), written)


def _checked(model: Any, X: Any, y: Any) -> tuple[pd.DataFrame, pd.Series]:
    import pandas as pd

    frame = as_frame(X).reset_index(drop=True)
    labels = pd.Series(np.asarray(y), name=model.structure_.target)
    if list(frame.columns) != list(model.attribute_names_) or len(frame) != len(labels):
        raise DataError(
            "a report needs the table the model was learned from, with the same columns in the same order "
            "and a class for every row."
        )
    return frame, labels


def _judge(
    model: Any, frame: pd.DataFrame, labels: pd.Series, folds: int, random_state: int, tell: Progress
) -> tuple[Comparison | None, ImportanceCurve | None, str]:
    """Cross-validate the model and its peers; or say why that cannot be."""
    from pgm_nb.evaluate import compare
    from pgm_nb.explain import importance_curve

    frame, labels = _drawn(frame, labels, random_state)
    folds = min(folds, int(labels.value_counts().min()))
    if folds < 2:
        return None, None, "The models were not judged on rows they had not seen."
    judging = {"cv": folds, "random_state": random_state}
    try:
        comparison = compare(
            _entered(model), frame, labels, progress=partial(_share, tell, 0.0, 0.6), **judging
        )
        curve = importance_curve(model, frame, labels, progress=partial(_share, tell, 0.6, 0.9), **judging)
    except DataError as problem:
        return None, None, f"The models could not be judged on rows they had not seen: {problem}"
    return comparison, curve, ""


def _share(tell: Progress, start: float, end: float, fraction: float) -> None:
    tell(start + (end - start) * fraction)


def _drawn(frame: pd.DataFrame, labels: pd.Series, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Draw rows to judge on, if there are too many."""
    if len(frame) <= MOST_JUDGED:
        return frame, labels
    rows = np.sort(np.random.default_rng(seed).choice(len(frame), MOST_JUDGED, replace=False))
    return frame.iloc[rows].reset_index(drop=True), labels.iloc[rows].reset_index(drop=True)


def _entered(model: Any) -> dict[str, Any]:
    """Return the models to judge by their names: this one, and peers with the same groups."""
    from sklearn.base import clone

    from pgm_nb.models import MODELS

    own = model.get_params(deep=False)
    entered = {f"{model.title} (this report)": clone(model)}
    for kind in MODELS:
        if kind.__name__ in PEERS and not isinstance(model, kind):
            known = kind().get_params()
            entered[kind.title] = kind(
                **{name: own[name] for name in SHARED if name in own and name in known}
            )
    return entered
