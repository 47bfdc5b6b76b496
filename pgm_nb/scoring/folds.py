"""Rows to test on: drawn from a large table, divided into folds, and worked on side by side with progress."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Places
from pgm_nb.errors import DataError
from pgm_nb.words import listed, plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Fold",
    "Progress",
    "drawn_rows",
    "drawn_sentence",
    "folds_per_pass",
    "in_parallel",
    "make_folds",
    "part_of",
]


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


def drawn_rows(truth: Places, most: int | None, seed: int | None) -> Places:
    """Choose rows to test on, if there are too many; every class keeps its share, and two rows at least.

    Parameters
    ----------
    truth : array of int
        Class codes, from 0.
    most : int or None
        About how many rows to choose; None or a number not smaller than the table: all of them.
    seed : int or None
        The same seed chooses the same rows.

    Returns
    -------
    array of int
        Numbers of the rows, ascending, from 0.

    Examples
    --------
    >>> rows = drawn_rows(np.array([0] * 90 + [1] * 10), 20, 0)
    >>> len(rows), int((rows >= 90).sum())
    (20, 2)
    """
    if most is None or len(truth) <= most:
        return np.arange(len(truth))
    rng, chosen = np.random.default_rng(seed), []
    for place in range(int(truth.max()) + 1):
        own = np.flatnonzero(truth == place)
        wanted = min(len(own), max(2, round(most * len(own) / len(truth))))
        chosen.append(rng.choice(own, wanted, replace=False))
    return np.sort(np.concatenate(chosen))


def drawn_sentence(n_rows: int, of_rows: int) -> str:
    """Say which rows were tested, and how many of how many; nothing if it was all of them.

    Examples
    --------
    >>> print(drawn_sentence(5000, 67557))
    Tested on 5,000 of 67,557 rows, drawn at random; every class has the share that it has in the table.
    >>> drawn_sentence(150, 150)
    ''
    """
    if n_rows >= of_rows:
        return ""
    return (
        f"Tested on {n_rows:,} of {plural(of_rows, 'row')}, drawn at random; every class has the share that "
        "it has in the table."
    )


Progress = Callable[[float], object]  #: takes the fraction done, 0 to 1; may raise to cancel
In = TypeVar("In")
Out = TypeVar("Out")


def in_parallel(
    work: Callable[[In], Out],
    items: Iterable[In],
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    watch: Callable[[list[Out]], object] | None = None,
) -> list[Out]:
    """Return ``[work(item) for item in items]``, in this order for any `n_jobs`.

    `watch` is called with the results so far and `progress` with the fraction done, after each item; if
    one of them raises, the remaining work is cancelled.

    Examples
    --------
    >>> done = []
    >>> in_parallel(abs, [-1, 2], progress=done.append), done
    ([1, 2], [0.5, 1.0])
    """
    items = list(items)
    running = _running(work, items, n_jobs)
    results = []
    try:
        for result in running:
            results.append(result)
            if watch is not None:
                watch(results)
            if progress is not None:
                progress(len(results) / len(items))
    finally:
        with warnings.catch_warnings():  # joblib warns that unfinished work was cancelled, as intended
            warnings.simplefilter("ignore")
            running.close()
    return results


def part_of(progress: Progress | None, start: float, end: float) -> Progress | None:
    """Return the progress of one part of the work, which lies between two fractions of the whole.

    Examples
    --------
    >>> done = []
    >>> part_of(done.append, 0.5, 1.0)(0.5), done
    (None, [0.75])
    """
    return None if progress is None else lambda fraction: progress(start + (end - start) * fraction)


def _running(work: Callable[[In], Out], items: list[In], n_jobs: int) -> Generator[Out]:
    if n_jobs == 1:
        return (work(item) for item in items)
    from joblib import Parallel, delayed

    found: Generator[Out] = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(work)(item) for item in items
    )
    return found
