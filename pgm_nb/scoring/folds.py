"""Cross-validation folds: one grammar for all who score models, and the same rows for every model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Places
from pgm_nb.errors import DataError
from pgm_nb.words import listed, plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Fold", "folds_per_pass", "make_folds"]


class Fold(NamedTuple):
    """Rows to train on and rows to score.

    Examples
    --------
    >>> Fold(1, 2, np.array([0, 1]), np.array([2])).number
    2
    """

    repeat: int  # from 1
    number: int  # of the fold within its repeat, from 1
    train: Places
    test: Places


def make_folds(
    frame: pd.DataFrame, labels: NDArray[Any], cv: Any, random_state: int | None
) -> tuple[Fold, ...]:
    """Divide the rows of a table into folds.

    Parameters
    ----------
    frame : DataFrame
        The table.
    labels : array
        The class of every row.
    cv : int, str, splitter, or iterable of pairs of arrays
        A number of folds; ``"RxK"`` or ``"R×K"`` for R repeats of K folds; anything with scikit-learn's
        ``split(X, y)``; or pairs of training rows and test rows. Folds made from numbers are stratified:
        each has the classes in the table's proportions.
    random_state : int or None
        Seed of the shuffling.

    Raises
    ------
    DataError
        `cv` is none of these, or a class has fewer rows than there are folds.

    Examples
    --------
    >>> import pandas as pd
    >>> frame, labels = pd.DataFrame({"x": range(8)}), np.array(["a", "b"] * 4)
    >>> folds = make_folds(frame, labels, "3x2", 0)
    >>> [(fold.repeat, fold.number, len(fold.train), len(fold.test)) for fold in folds][-1]
    (3, 2, 4, 4)
    """
    if hasattr(cv, "split") and not isinstance(cv, str):
        return _split_by(cv, frame, labels)
    if isinstance(cv, Iterable) and not isinstance(cv, str):
        return _numbered(cv)
    from sklearn.model_selection import RepeatedStratifiedKFold

    repeats, folds = _repeats_and_folds(cv)
    _check_classes(labels, folds)
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
    pairs = splitter.split(np.zeros(len(labels)), labels)
    return tuple(Fold(i // folds + 1, i % folds + 1, train, test) for i, (train, test) in enumerate(pairs))


def folds_per_pass(folds: Sequence[Fold], n_rows: int) -> int:
    """Return how many folds test every row about once.

    Examples
    --------
    >>> half = np.arange(2)
    >>> folds_per_pass([Fold(1, number, half, half) for number in (1, 2, 3, 4)], n_rows=4)
    2
    """
    passes = max(1, round(sum(len(fold.test) for fold in folds) / n_rows))
    return max(1, len(folds) // passes)


def _repeats_and_folds(cv: Any) -> tuple[int, int]:
    given = "" if isinstance(cv, bool) or not isinstance(cv, int | np.integer | str) else str(cv)
    found = re.fullmatch(r"\s*(?:(\d+)\s*[x×]\s*)?(\d+)\s*", given)
    repeats, folds = (int(found[1] or 1), int(found[2])) if found else (0, 0)
    if repeats < 1 or folds < 2:
        raise DataError(
            "cv must be a number of folds, at least 2; repeats and folds, such as '10x10'; a scikit-learn "
            f"splitter; or pairs of training and test rows; but it is {cv!r}."
        )
    return repeats, folds


def _check_classes(labels: NDArray[Any], folds: int) -> None:
    classes, sizes = np.unique(labels, return_counts=True)
    small = np.flatnonzero(sizes < folds)
    if len(small):
        found = listed([f"{str(classes[i])!r} has {plural(int(sizes[i]), 'row')}" for i in small], limit=5)
        least = int(sizes.min())
        fewer = f"use at most {least} folds, " if least >= 2 else ""
        raise DataError(
            f"every class needs a row in each of the {folds} folds, but {found}: {fewer}merge the class with "
            "another, or leave its rows out."
        )


def _split_by(splitter: Any, frame: pd.DataFrame, labels: NDArray[Any]) -> tuple[Fold, ...]:
    try:
        return _numbered(splitter.split(frame, labels))
    except (ValueError, TypeError) as error:
        raise DataError(f"{type(splitter).__name__} cannot split this table: {error}") from error


def _numbered(pairs: Iterable[Any]) -> tuple[Fold, ...]:
    return tuple(
        Fold(1, number, np.asarray(train), np.asarray(test)) for number, (train, test) in enumerate(pairs, 1)
    )
