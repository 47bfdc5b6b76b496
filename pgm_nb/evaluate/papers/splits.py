"""Splits of a paper's protocol, and the systems scored on all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgm_nb.inference.arrays import Floats, Places

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Split",
    "Systems",
    "Watch",
    "accuracy",
    "random_splits",
    "scores",
    "stratified_folds",
    "unwatched",
]

Systems = Mapping[str, Any]  # name -> unfitted model
Watch = Callable[[str, int, int], None]  # told the table, the trainings done, and of how many
Score = Callable[[Any, "pd.DataFrame", "pd.Series[Any]"], Sequence[float]]


class Split(NamedTuple):
    """Rows to learn from, and rows to be judged on.

    Examples
    --------
    >>> Split(np.array([0, 1]), np.array([2])).test
    array([2])
    """

    train: Places
    test: Places


def stratified_folds(labels: NDArray[Any], folds: int, repeats: int, seed: int = 0) -> tuple[Split, ...]:
    """Deal the rows of every class to the folds in turn, as often as asked; small classes may miss a fold.

    Examples
    --------
    >>> [len(split.test) for split in stratified_folds(np.array(["a", "b"] * 5), 5, 1)]
    [2, 2, 2, 2, 2]
    """
    random = np.random.default_rng(seed)
    splits = []
    for _ in range(repeats):
        order = random.permutation(len(labels))
        by_class = order[np.argsort(labels[order], kind="stable")]
        fold = np.empty(len(labels), dtype=np.intp)
        fold[by_class] = np.arange(len(labels)) % folds
        splits += [Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(folds)]
    return tuple(splits)


def random_splits(n_rows: int, share: float, repeats: int, seed: int = 0) -> tuple[Split, ...]:
    """Draw test rows at random, as often as asked.

    Examples
    --------
    >>> [len(split.test) for split in random_splits(20, 0.15, 2)]
    [3, 3]
    """
    random = np.random.default_rng(seed)
    size = round(n_rows * share)
    orders = [random.permutation(n_rows) for _ in range(repeats)]
    return tuple(Split(np.sort(order[size:]), np.sort(order[:size])) for order in orders)


def unwatched(table: str, done: int, of: int) -> None:
    """Tell nobody how far the work is."""


def accuracy(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> tuple[float]:
    """Percent of the rows that a fitted model puts into their class."""
    return (100 * float(np.mean(model.predict(X) == y.to_numpy())),)


def scores(
    systems: Systems,
    X: pd.DataFrame,
    y: pd.Series[Any],
    splits: Sequence[Split],
    *,
    score: Score = accuracy,
    n_jobs: int = 1,
    watch: Callable[[int, int], None] | None = None,
) -> dict[str, Floats]:
    """Train every system on every split and score it: name -> array (splits, scores).

    `watch` is told how many trainings are done, and of how many.
    """
    from joblib import Parallel, delayed

    jobs = [(name, split) for name in systems for split in splits]
    running = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_one)(systems[name], X.iloc[split.train], y.iloc[split.train], X.iloc[split.test],
                      y.iloc[split.test], score)
        for name, split in jobs
    )  # fmt: skip
    found = []
    for result in running:
        found.append(result)
        if watch is not None:
            watch(len(found), len(jobs))
    table = np.array(found).reshape(len(systems), len(splits), -1)
    return dict(zip(systems, table, strict=True))


def _one(
    model: Any,
    X: pd.DataFrame,
    y: pd.Series[Any],
    X_test: pd.DataFrame,
    y_test: pd.Series[Any],
    score: Score,
) -> Sequence[float]:
    from sklearn.base import clone

    return score(clone(model).fit(X, y), X_test, y_test)
