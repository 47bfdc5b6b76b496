"""The class of every row of a table, with the probability of each class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed

__all__ = ["predictions"]

ROWS_AT_ONCE = 2_000  # rows between two reports of progress


def predictions(
    model: Any,
    frame: pd.DataFrame,
    progress: Callable[[float], None] | None = None,
    *,
    prior: Mapping[Any, float] | None = None,
) -> pd.DataFrame:
    """Classify the rows of a table; an empty cell is unknown, and columns the model does not use are ignored.

    Parameters
    ----------
    model
        A fitted model.
    frame
        The table; it has all columns that the model was trained on, raw if the model keeps a recipe.
    progress
        Called with the fraction done.
    prior
        How common the classes are where the rows come from, if not as in training.

    Returns
    -------
    pandas.DataFrame
        Per row the prediction, and the probability of each class.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> found = predictions(pnb.NaiveBayes().fit(X, y), X.head(2))
    >>> found.columns.tolist()
    ['prediction', 'P(setosa)', 'P(versicolor)', 'P(virginica)']
    >>> found["prediction"].tolist()
    ['setosa', 'setosa']
    """
    if model.recipe_ is not None:  # here as well, because a raw table may have other names
        frame = model.recipe_.for_rows(frame)
    names = list(model.attribute_names_)
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(
            f"the table has no column {listed([repr(name) for name in absent])}, which the model was trained "
            f"on{did_you_mean(absent[0], map(str, frame.columns))}"
        )
    parts = []
    for start in range(0, len(frame), ROWS_AT_ONCE):
        parts.append(model.predict_proba(frame[names].iloc[start : start + ROWS_AT_ONCE], prior=prior))
        if progress is not None:
            progress(min(1.0, (start + ROWS_AT_ONCE) / len(frame)))
    chances = np.vstack(parts) if parts else np.empty((0, len(model.classes_)))
    result = pd.DataFrame({"prediction": model.classes_[chances.argmax(axis=1)]})
    for label, column in zip(model.classes_, chances.T, strict=True):
        result[f"P({label})"] = column
    return result
