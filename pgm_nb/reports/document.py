"""A fitted model and its table in -> one HTML file out, which opens anywhere without a network."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.data import as_frame, as_labels
from pgm_nb.errors import DataError
from pgm_nb.reports import sections, tested
from pgm_nb.reports.lines import Origin, python_lines
from pgm_nb.scoring.folds import Progress, part_of
from pgm_nb.words import class_name, number

if TYPE_CHECKING:
    import pandas as pd
    from jinja2 import Template

    from pgm_nb.evaluate import Comparison
    from pgm_nb.explain import ImportanceCurve
    from pgm_nb.explain.importance import Study

__all__ = ["report"]

MOST_TESTED = 3_000  # rows that the models are tested on
SHARED = ("discretizer", "n_bins", "missing", "smoothing")  # parameters passed on to the models beside it


def report(
    model: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    origin: Origin | None = None,
    case: int = 1,
    costs: Mapping[Any, float] | pd.DataFrame | None = None,
    label: Any = None,
    folds: int = 5,
    date: str | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> str:
    """Describe a model in one HTML file: data, picture, numbers, importance, scores, what to measure, cases.

    Parameters
    ----------
    model : model of pgm_nb
        Fitted on the table.
    X, y
        The table it was learned from, and its class labels.
    title : str, optional
        Title of the report; by default it names the class.
    origin : Origin, optional
        Where the rows came from; if given, the report ends with the Python lines that learn the model again.
    case : int
        Number of the row that is explained, from 1.
    costs, label : optional
        What mistakes cost and the class that counts, as in `pgm_nb.decisions`; by default all mistakes cost
        the same, and the rarest class counts.
    folds : int
        Folds of the cross-validation; 0 leaves it out.
    date : str, optional
        Date of the report; by default today.
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
    share_done: Progress = progress or (lambda fraction: None)
    share_done(0.0)
    comparison, curve, found, why_not = _cross_validated(
        model, frame, labels, folds, random_state, share_done
    )
    judged = tested.judge(
        model,
        frame,
        labels,
        costs,
        label,
        folds=folds,
        most_rows=MOST_TESTED,
        random_state=random_state,
        progress=part_of(share_done, 0.9, 0.97),
    )
    date = date or datetime.datetime.now().astimezone().date().isoformat()
    lines = None if origin is None else python_lines(model, origin, model.structure_.views[0])
    page = _template().render(
        title=title or f"What predicts {class_name(model.structure_.target)}",
        lead=sections.lead(model, len(frame)),
        data=sections.data(model, frame, labels, model.recipe_ or (origin.recipe if origin else None)),
        structure=sections.structure(model),
        wishes=sections.wishes(model, *_drawn(frame, labels, random_state), folds, random_state),
        numbers=sections.numbers(model),
        matters=sections.matters(model, frame, found),
        importance=sections.importance(model),
        curve=tested.curve(curve),
        scores=tested.scores(comparison, why_not, len(frame)),
        decisions=tested.decisions(judged),
        measuring=tested.measuring(
            model,
            *_drawn(frame, labels, random_state),
            folds,
            random_state,
            None if found is None else found.path,
        ),
        cases=tested.cases(model, frame, None if judged is None else judged.unseen),
        case=sections.case(model, frame, labels, case),
        made=sections.made(model, date, lines),
    )
    share_done(1.0)
    return page


@cache
def _template() -> Template:
    """Return the template of the page; whatever is put into it is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("pgm_nb.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["number"] = number
    return environment.get_template("report.html")


def _checked(model: Any, X: Any, y: Any) -> tuple[pd.DataFrame, pd.Series]:
    import pandas as pd

    frame = as_frame(X).reset_index(drop=True)
    given = as_labels(y)
    places = pd.Index(model.classes_).get_indexer(pd.Index(given))
    if (places < 0).any():
        raise DataError(
            f"a row has the class '{given[places < 0][0]}', which the model does not know: give the labels "
            "it was learned from."
        )
    labels = pd.Series(model.classes_[places], name=model.structure_.target)
    if list(frame.columns) != list(model.attribute_names_) or len(frame) != len(labels):
        raise DataError(
            "a report needs the table the model was learned from, with the same columns in the same order "
            "and a class for every row."
        )
    return frame, labels


def _cross_validated(
    model: Any, frame: pd.DataFrame, labels: pd.Series, folds: int, random_state: int, share_done: Progress
) -> tuple[Comparison | None, ImportanceCurve | None, Study | None, str]:
    """Cross-validate the model and those it is compared with, or say why that cannot be done."""
    from pgm_nb.evaluate import compare
    from pgm_nb.explain import importance_curve
    from pgm_nb.explain.importance import study_order

    every = frame, labels
    frame, labels = _drawn(frame, labels, random_state)
    folds = min(folds, int(labels.value_counts().min()))
    if folds < 2:
        return None, None, None, "The models were not tested on rows they had not seen."
    settings = {"cv": folds, "random_state": random_state}
    try:
        comparison = compare(
            _compared(model),
            frame,
            labels,
            cv=folds,
            random_state=random_state,
            progress=part_of(share_done, 0.0, 0.4),
        )
        curve = importance_curve(model, frame, labels, progress=part_of(share_done, 0.4, 0.6), **settings)
        found = study_order(
            model,
            *every,
            folds=folds,
            random_state=random_state,
            progress=part_of(share_done, 0.6, 0.9),
        )
    except DataError as problem:
        return None, None, None, f"The models could not be tested on rows they had not seen: {problem}"
    return comparison, curve, found, ""


def _drawn(frame: pd.DataFrame, labels: pd.Series, seed: int) -> tuple[pd.DataFrame, pd.Series]:
    """Draw rows to test on, if there are too many."""
    if len(frame) <= MOST_TESTED:
        return frame, labels
    rows = np.sort(np.random.default_rng(seed).choice(len(frame), MOST_TESTED, replace=False))
    return frame.iloc[rows].reset_index(drop=True), labels.iloc[rows].reset_index(drop=True)


def _compared(model: Any) -> dict[str, Any]:
    """Return this model and those it is compared with, by name; they read the table in the same way."""
    from sklearn.base import clone

    own = model.get_params(deep=False)
    compared = {f"{model.about.title} (this report)": clone(model)}
    for kind in model.about.comparisons():
        shared = {name: own[name] for name in SHARED if name in own and kind.about.has_parameter(name)}
        compared[kind.about.title] = kind(**shared)
    return compared
