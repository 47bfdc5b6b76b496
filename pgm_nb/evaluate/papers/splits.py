"""The splits of a paper's protocol, and the scores of its systems on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places
from pgm_nb.evaluate.papers.store import Measured
from pgm_nb.scoring.parallel import in_parallel

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Part",
    "RunOptions",
    "Split",
    "Systems",
    "Watch",
    "accuracy",
    "random_folds",
    "random_splits",
    "scores",
    "stratified_folds",
    "unwatched",
]

Systems = Mapping[str, Any]  # name -> unfitted model
Watch = Callable[[str, int, int], None]  # takes the table, how many models are trained, and of how many
Score = Callable[[Any, "pd.DataFrame", "pd.Series[Any]"], Sequence[float]]


class Split(NamedTuple):
    """Rows to train on and rows to score.

    Examples
    --------
    >>> Split(np.array([0, 1]), np.array([2])).test
    array([2])
    """

    train: Places
    test: Places


def stratified_folds(labels: NDArray[Any], folds: int, repeats: int, seed: int = 0) -> tuple[Split, ...]:
    """Divide the rows of every class evenly among the folds; a small class may be missing from a fold.

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


def random_folds(n_rows: int, folds: int, repeats: int, seed: int = 0) -> tuple[Split, ...]:
    """Divide the rows among the folds at random, without regard to their classes.

    Examples
    --------
    >>> [len(split.test) for split in random_folds(10, 5, 1)]
    [2, 2, 2, 2, 2]
    """
    random = np.random.default_rng(seed)
    splits = []
    for _ in range(repeats):
        fold = random.permutation(np.arange(n_rows) % folds)
        splits += [Split(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(folds)]
    return tuple(splits)


def random_splits(n_rows: int, share: float, repeats: int, seed: int = 0) -> tuple[Split, ...]:
    """Draw test rows at random, again for every repeat.

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
    """Ignore how far the work is."""


def accuracy(model: Any, X: pd.DataFrame, y: pd.Series[Any]) -> tuple[float]:
    """Return the accuracy of a fitted model, in percent."""
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

    `watch` is called with how many models have been trained, and of how many.
    """
    jobs = [(model, split) for model in systems.values() for split in splits]
    progress = None if watch is None else lambda done: watch(round(done * len(jobs)), len(jobs))
    found = in_parallel(partial(_one, X, y, score), jobs, n_jobs=n_jobs, progress=progress)
    table = np.array(found).reshape(len(systems), len(splits), -1)
    return dict(zip(systems, table, strict=True))


@dataclass(frozen=True)
class RunOptions:
    """How a protocol is run.

    Parameters
    ----------
    folder : Path or None
        Where the tables are; those that are not there are fetched.
    repeats : int
        How often the rows are split; 0 stands for the protocol's own number.
    n_jobs : int
        Number of processes.
    watch : callable
        Called with the table, how many models have been trained, and of how many.
    """

    folder: Path | None
    repeats: int
    n_jobs: int = 1
    watch: Watch = unwatched

    def scores(
        self,
        table: str,
        systems: Systems,
        X: pd.DataFrame,
        y: pd.Series[Any],
        splits: Sequence[Split],
        score: Score = accuracy,
    ) -> dict[str, Floats]:
        """Train every system on every split of a table and score it."""
        watch = partial(self.watch, table)
        return scores(systems, X, y, splits, score=score, n_jobs=self.n_jobs, watch=watch)


class Part(NamedTuple):
    """One experiment of a paper.

    Parameters
    ----------
    name : str
        What it is called in the file of results.
    tables : tuple of str
        The tables it runs on.
    repeats : int
        How often it is repeated.
    measure : callable
        Takes a table and the options, and returns our figures.
    main : bool
        Whether it belongs to the paper's table of figures.

    Examples
    --------
    >>> Part("times", ("seeds",), 5, lambda table, options: []).main
    False
    """

    name: str
    tables: tuple[str, ...]
    repeats: int
    measure: Callable[[str, RunOptions], list[Measured]]
    main: bool = False


def _one(X: pd.DataFrame, y: pd.Series[Any], score: Score, job: tuple[Any, Split]) -> Sequence[float]:
    from sklearn.base import clone

    model, (train, test) = job
    return score(clone(model).fit(X.iloc[train], y.iloc[train]), X.iloc[test], y.iloc[test])
