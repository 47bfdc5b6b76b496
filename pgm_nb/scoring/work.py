"""What the studies of a model share: rows at hand, folds, and many pieces of work with progress."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.data import as_frame
from pgm_nb.errors import DataError
from pgm_nb.inference.arrays import Places
from pgm_nb.words import plural

__all__ = ["Progress", "folds", "in_parallel", "rows_and_labels"]

Progress = Callable[[float], object]  #: takes the fraction done, 0 to 1; may raise to cancel
Fold = tuple[Places, Places]
In = TypeVar("In")
Out = TypeVar("Out")


def rows_and_labels(X: Any, y: Any) -> tuple[pd.DataFrame, pd.Series]:
    """Return the table as a frame and the labels as a Series of the same length, numbered from zero."""
    frame = as_frame(X).reset_index(drop=True)
    labels = pd.Series(y).reset_index(drop=True)
    if len(frame) != len(labels):
        raise DataError(
            f"the table and the labels must have as many rows, but have {len(frame):,} and {len(labels):,}"
        )
    return frame, labels


def in_parallel(
    work: Callable[[In], Out], items: Sequence[In], *, n_jobs: int = 1, progress: Progress | None = None
) -> list[Out]:
    """Return ``[work(item) for item in items]`` in this order for any `n_jobs`, telling the fraction done.

    Examples
    --------
    >>> done = []
    >>> in_parallel(abs, [-1, 2], progress=done.append), done
    ([1, 2], [0.5, 1.0])
    """
    results = []
    for result in _results(work, items, n_jobs):
        results.append(result)
        if progress is not None:
            progress(len(results) / len(items))
    return results


def _results(work: Callable[[In], Out], items: Sequence[In], n_jobs: int) -> Iterator[Out]:
    if n_jobs == 1:
        return map(work, items)
    from joblib import Parallel, delayed

    found: Iterator[Out] = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(work)(item) for item in items
    )
    return found


def folds(cv: Any, y: NDArray[Any], random_state: int | None = 0) -> tuple[list[Fold], int]:
    """Return (training rows, test rows) of every fold, and the number of folds in one pass over the rows.

    Parameters
    ----------
    cv : int, str, splitter of scikit-learn, or iterable of pairs of arrays
        A number of stratified folds; "10x10" for ten times ten; or folds of your own.
    y : array (n,)
        Labels.
    random_state : int, optional
        Which folds.

    Examples
    --------
    >>> found, each = folds("2x3", np.array([0, 1] * 6))
    >>> len(found), each
    (6, 3)
    """
    if isinstance(cv, int | np.integer | str):
        repeats, n_folds = _numbers(str(cv))
        _check_enough(n_folds, y)
        from sklearn.model_selection import RepeatedStratifiedKFold

        splitter = RepeatedStratifiedKFold(n_splits=n_folds, n_repeats=repeats, random_state=random_state)
        return list(splitter.split(y, y)), n_folds
    pairs: Iterable[Fold] = cv.split(y, y) if hasattr(cv, "split") else cv
    found = [(np.asarray(train), np.asarray(test)) for train, test in pairs]
    if len(found) < 2:
        raise DataError(f"cross-validation needs at least two folds, but {plural(len(found), 'fold')} came")
    passes = max(1, round(sum(len(test) for _, test in found) / len(y)))
    return found, max(1, len(found) // passes)


def _numbers(cv: str) -> tuple[int, int]:
    match = re.fullmatch(r"(?:(\d+)\s*[x×]\s*)?(\d+)", cv.strip())
    repeats, n_folds = (int(match[1] or 1), int(match[2])) if match else (0, 0)
    if repeats < 1 or n_folds < 2:
        raise DataError(
            f"cv must be a number of folds from 2 on, or repeats and folds such as '10x10', and is {cv}"
        )
    return repeats, n_folds


def _check_enough(n_folds: int, y: NDArray[Any]) -> None:
    classes, counts = np.unique(y, return_counts=True)
    rarest = int(np.argmin(counts))
    if counts[rarest] < n_folds:
        raise DataError(
            f"every class must have a row in each of the {n_folds} folds, but class {classes[rarest]!s} has "
            f"{plural(int(counts[rarest]), 'row')}; use fewer folds or leave that class out"
        )
