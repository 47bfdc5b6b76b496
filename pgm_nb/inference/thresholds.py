"""Which threshold of the bags predicts best: cross-validation along a path, without a refit per value.

As the threshold falls, bags only gain members. So each fold is counted once, and every step of the path
only adds the new members to the mixtures that were there: all steps together cost one scoring by hidden
naive Bayes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts import count
from pgm_nb.inference.factors import normalise
from pgm_nb.inference.hidden import Mixtures, mixture_sums, mixtures
from pgm_nb.inference.hidden_choose import use_compiled
from pgm_nb.information import conditional_mutual_information

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pgm_nb.inference.arrays import Codes, Floats, Places

__all__ = ["FOLDS", "folds", "validate_thresholds"]

FOLDS = 5


def folds(codes: Codes, y: Places, order: Sequence[int] | Places, n_folds: int = FOLDS) -> Places:
    """Deal the rows out to folds, class by class, so that their order in the table plays no part.

    Rows are sorted by class and then by their cells, the columns as in `order`, and dealt out in turn.

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
    smoothing: float,
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
    smoothing : float
        Imaginary rows m.
    fold : array (n,)
        Fold of each row.
    """
    loss, right = np.zeros(len(path)), np.zeros(len(path))
    for number in np.unique(fold):
        test = fold == number
        counts = count(codes[:, ~test], y[~test], cards, n_classes)
        rows, truth = np.ascontiguousarray(codes[:, test]), y[test]
        dependence = conditional_mutual_information(counts)
        start = mixtures(counts, np.zeros_like(dependence), smoothing)
        for place, scores in _along(start, rows, dependence, path):
            posterior = normalise(scores, start.log_prior)
            loss[place] -= posterior[np.arange(len(truth)), truth].sum() / np.log(2)
            right[place] += np.count_nonzero(posterior.argmax(axis=1) == truth)
    return loss / len(y), right / len(y)


def _along(start: Mixtures, rows: Codes, dependence: Floats, path: Floats) -> Iterator[tuple[int, Floats]]:
    """Yield (place in the path, log scores) from the highest threshold to the lowest."""
    d, n, k = len(dependence), rows.shape[1], start.counts.n_classes
    factors = np.empty((d, k, n))  # log P(ai | c), or log of the mixture as it stands
    for column, table in enumerate(start.alone.tables):
        factors[column] = table[:, rows[column]]
    sums, totals = np.zeros((d, k, n)), np.zeros(d)
    above = np.inf
    for place in reversed(range(len(path))):
        new = np.where((dependence >= path[place]) & (dependence < above), dependence, 0.0)
        above = path[place]
        step = mixtures(start.counts, new, start.smoothing)  # weights in bits: they are scaled below
        if len(step.owners):
            compiled = use_compiled("auto", step.counts, step.starts, n)
            sums[step.owners] += mixture_sums(step, rows, compiled=compiled)
            totals += new.sum(axis=1)
            factors[step.owners] = np.log(sums[step.owners] / totals[step.owners, None, None])
        yield place, start.log_prior + factors.sum(axis=0).T
