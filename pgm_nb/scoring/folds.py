"""How a table is cut: the same stratified folds for everyone who is compared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold

from pgm_nb.errors import DataError
from pgm_nb.words import listed, plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Fold", "cut"]

Places = NDArray[np.intp]


class Fold(NamedTuple):
    """Rows to learn from and rows to be judged on.

    Examples
    --------
    >>> Fold(1, 2, np.array([0, 1]), np.array([2])).number
    2
    """

    repeat: int  # from 1 up
    number: int  # of the fold within its repeat, from 1 up
    train: Places
    test: Places


def cut(frame: pd.DataFrame, labels: NDArray[Any], cv: Any, random_state: int | None) -> tuple[Fold, ...]:
    """Cut the rows of a table into folds.

    Parameters
    ----------
    frame : DataFrame
        The table.
    labels : array
        The class of every row.
    cv : int, str or splitter
        Number of folds, ``"RxK"`` for R repeats of K folds, or anything with scikit-learn's ``split(X, y)``.
        Folds that are made here are stratified: every fold has every class in the table's proportion.
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
    >>> folds = cut(frame, labels, "3x2", 0)
    >>> [(fold.repeat, fold.number, len(fold.train), len(fold.test)) for fold in folds][-1]
    (3, 2, 4, 4)
    """
    if hasattr(cv, "split") and not isinstance(cv, str):
        return _cut_by(cv, frame, labels)
    repeats, folds = _shape(cv)
    _check_classes(labels, folds)
    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=random_state)
    places = splitter.split(np.zeros(len(labels)), labels)
    return tuple(Fold(i // folds + 1, i % folds + 1, train, test) for i, (train, test) in enumerate(places))


def _shape(cv: Any) -> tuple[int, int]:
    """Return the repeats and the folds that `cv` asks for."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool) and cv >= 2:
        return 1, int(cv)
    found = re.fullmatch(r"(\d+)x(\d+)", cv) if isinstance(cv, str) else None
    if found and int(found[1]) >= 1 and int(found[2]) >= 2:
        return int(found[1]), int(found[2])
    raise DataError(
        "cv must be a number of folds from 2 up, repeats and folds such as '10x10', or a scikit-learn "
        f"splitter, but is {cv!r}."
    )


def _check_classes(labels: NDArray[Any], folds: int) -> None:
    classes, sizes = np.unique(labels, return_counts=True)
    small = np.flatnonzero(sizes < folds)
    if len(small):
        told = listed([f"{str(classes[i])!r} has {plural(int(sizes[i]), 'row')}" for i in small], limit=5)
        least = int(sizes.min())
        fewer = f"take at most {least} folds, " if least >= 2 else ""
        raise DataError(
            f"every class needs a row in each of the {folds} folds, but {told}: {fewer}join the class with "
            "another, or leave its rows out."
        )


def _cut_by(splitter: Any, frame: pd.DataFrame, labels: NDArray[Any]) -> tuple[Fold, ...]:
    try:
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(frame, labels)]
    except (ValueError, TypeError) as error:
        raise DataError(f"{type(splitter).__name__} cannot cut this table: {error}") from error
    return tuple(Fold(1, i + 1, train, test) for i, (train, test) in enumerate(pairs))
