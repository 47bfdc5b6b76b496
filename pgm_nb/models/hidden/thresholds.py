"""The threshold of the bags that predicts best: cross-validation along a path, without a refit per value.

As the threshold falls, bags only gain members. So each fold is counted once, and every step of the path
only adds the new members to the mixtures that were there: all steps together add up the mixtures of hidden
naive Bayes once, and each of them takes its logarithms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts import count
from pgm_nb.counts.kernels import in_threads, thread_count
from pgm_nb.inference import normalise
from pgm_nb.information import conditional_mutual_information
from pgm_nb.models.hidden.mixtures import mixtures
from pgm_nb.models.hidden.search import parent_weights, threshold_path
from pgm_nb.models.hidden.smoothed import Hierarchical
from pgm_nb.models.hidden.sums import mixture_sums, numpy_nanoseconds, sum_of_logarithms, use_compiled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pgm_nb.arrays import Codes, Floats, Places
    from pgm_nb.counts import Counts
    from pgm_nb.information import Information

__all__ = ["FOLDS", "best_threshold", "folds", "validate_thresholds"]

FOLDS = 5


def best_threshold(
    codes: Codes,
    y: Places,
    cards: tuple[int, ...],
    n_classes: int,
    info: Information,
    smoothing: float | Hierarchical,
) -> tuple[float, tuple[Floats, Floats]]:
    """Return the threshold with the least cross-validated log-loss, and the scores of the whole path.

    Parameters
    ----------
    codes, y, cards, n_classes, smoothing
        As in `validate_thresholds`.
    info : Information
        Of the same rows; its dependence gives the path.
    """
    path = threshold_path(info.dependence)
    order = np.argsort(-info.relevance, kind="stable")  # the same folds for any order of the columns
    scores = validate_thresholds(codes, y, cards, n_classes, path, smoothing, folds(codes, y, order))
    best = len(path) - 1 - int(np.argmin(scores[0][::-1]))  # ties: the smaller bags
    return float(path[best]), scores


def folds(codes: Codes, y: Places, order: Sequence[int] | Places, n_folds: int = FOLDS) -> Places:
    """Assign the rows to folds, class by class, so that their order in the table does not matter.

    Rows are sorted by class and then by their cells, the columns as in `order`, and assigned in turn.

    Examples
    --------
    >>> codes = np.array([[1, 0, 1, 0]], dtype=np.uint8)
    >>> folds(codes, np.array([0, 0, 1, 1]), order=[0], n_folds=2).tolist()
    [1, 0, 1, 0]
    """
    keys = [codes[column] for column in reversed(list(order))]
    turn = np.lexsort((*keys, y))
    fold = np.empty(len(y), dtype=np.intp)
    fold[turn] = np.arange(len(y)) % n_folds
    return fold


def validate_thresholds(
    codes: Codes,
    y: Places,
    cards: tuple[int, ...],
    n_classes: int,
    path: Floats,
    smoothing: float | Hierarchical,
    fold: Places,
) -> tuple[Floats, Floats]:
    """Cross-validated log-loss (bits per row) and accuracy of packaged hidden naive Bayes.

    Parameters
    ----------
    codes : array (d, n)
        Coded rows, all known.
    y : array (n,)
        Class codes.
    cards, n_classes
        Number of states of each column, and of classes.
    path : array (t,)
        Thresholds in bits, ascending.
    smoothing : float or Hierarchical
        Imaginary rows m, or how tables lean on smaller ones.
    fold : array (n,)
        Fold of each row.
    """
    d, n = codes.shape
    numbers = np.unique(fold)
    loss, right = np.zeros((2, len(numbers), len(path)))

    def task(first: int, last: int) -> None:
        for f in range(first, last):
            test = fold == numbers[f]
            counts = count(codes[:, ~test], y[~test], cards, n_classes)
            rows, truth = np.ascontiguousarray(codes[:, test]), y[test]
            compiled = use_compiled("auto", counts, d * (d - 1), n)  # once for the whole path
            for place, posterior in _along(counts, rows, path, smoothing, compiled):
                loss[f, place] = -posterior[np.arange(len(truth)), truth].sum() / np.log(2)
                right[f, place] = np.count_nonzero(posterior.argmax(axis=1) == truth)

    work = np.full(len(numbers), numpy_nanoseconds(d * (d - 1), n // len(numbers), n_classes))
    in_threads(task, work, thread_count(None))
    return loss.sum(axis=0) / n, right.sum(axis=0) / n


def _along(
    counts: Counts, rows: Codes, path: Floats, smoothing: float | Hierarchical, compiled: bool
) -> Iterator[tuple[int, Floats]]:
    """Yield (place in the path, log posterior) from the highest threshold to the lowest.

    The weights are those of all members, so a bag's sum is the factor times the share of those that are in.
    The heaviest come first: that share is at least 1/d.
    """
    dependence = conditional_mutual_information(counts)
    weights, d = parent_weights(dependence), len(dependence)
    tables = smoothing.levels(counts) if isinstance(smoothing, Hierarchical) else smoothing
    start = mixtures(counts, np.zeros_like(weights), tables)
    sums = np.stack([np.exp(start.alone.tables[i])[:, rows[i]] for i in range(d)])  # P(ai | c), (d, k, n)
    shares = np.zeros(d)
    least, above = start.smallest, np.inf
    for place in reversed(range(len(path))):
        new = np.where((dependence >= path[place]) & (dependence < above), weights, 0.0)
        above = path[place]
        step = mixtures(counts, new, tables)
        least = min(least, step.smallest)
        if len(step.owners):
            sums[step.owners[shares[step.owners] == 0]] = 0.0
            for owner, more in zip(step.owners, mixture_sums(step, rows, compiled=compiled), strict=True):
                sums[owner] += more
            shares += new.sum(axis=1)
        logs = sum_of_logarithms(sums, least / d) - np.log(shares[shares > 0]).sum()
        yield place, normalise(start.log_prior + logs, start.log_prior)
