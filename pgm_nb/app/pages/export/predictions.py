"""The class of every row of a table, as a table to take away."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pgm_nb.errors import DataError
from pgm_nb.words import did_you_mean, listed

__all__ = ["predictions"]

AT_ONCE = 2_000  # rows between two looks at how far it is


def predictions(
    model: Any, frame: pd.DataFrame, progress: Callable[[float], None] | None = None
) -> pd.DataFrame:
    """Classify the rows of a table; an empty cell is unknown, further columns are left aside.

    Parameters
    ----------
    model
        A fitted model.
    frame
        The table; it has all columns that the model was trained on.
    progress
        Called with the fraction done.

    Returns
    -------
    pandas.DataFrame
        Per row its number from 1, its class if the table has one, the prediction, and the probabilities.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> found = predictions(pnb.NaiveBayes().fit(X, y), X.head(2))
    >>> found.columns.tolist()
    ['row', 'prediction', 'P(setosa)', 'P(versicolor)', 'P(virginica)']
    >>> found["prediction"].tolist()
    ['setosa', 'setosa']
    """
    names = list(model.attribute_names_)
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(
            f"the table lacks {listed([repr(name) for name in absent])}, which the model was trained on"
            f"{did_you_mean(absent[0], map(str, frame.columns))}."
        )
    parts = []
    for start in range(0, len(frame), AT_ONCE):
        parts.append(model.predict_proba(frame[names].iloc[start : start + AT_ONCE]))
        if progress is not None:
            progress(min(1.0, (start + AT_ONCE) / len(frame)))
    chances = np.vstack(parts)
    target = model.structure_.target
    known = {target: frame[target].to_numpy()} if target in frame.columns else {}
    result = pd.DataFrame({"row": np.arange(1, len(frame) + 1), **known})
    result["prediction"] = model.classes_[chances.argmax(axis=1)]
    for label, column in zip(model.classes_, chances.T, strict=True):
        result[f"P({label})"] = column
    return result
