"""The class probabilities of every row by a model that has not seen it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.data import as_frame, encode_target
from pgm_nb.errors import DataError
from pgm_nb.evaluate.contestants import seeded, with_preprocessing
from pgm_nb.evaluate.crossvalidate import train_and_predict
from pgm_nb.inference import posteriors
from pgm_nb.inference.base_rates import Prior, base_rate_shift, log_base_rates
from pgm_nb.scoring.drawn import drawn_rows
from pgm_nb.scoring.folds import make_folds
from pgm_nb.scoring.parallel import Progress, in_parallel

__all__ = ["UnseenRows", "predict_unseen"]


@dataclass(frozen=True, eq=False)
class UnseenRows:
    """Rows with the probabilities that a model gave them without having learned from them."""

    classes: tuple[Any, ...]
    rows: Places  #: which rows of the table these are
    truth: Places  #: class codes, (n,)
    probabilities: Floats  #: (n, k)
    n_rows: int  #: of the whole table
    folds: int
    base_rates: Floats | None = None  #: share of each class in another population, (k,); None: as in the rows

    @property
    def shares(self) -> Floats:
        """The share of each class among the rows, (k,)."""
        counts = np.bincount(self.truth, minlength=len(self.classes))
        shares: Floats = counts / counts.sum()
        return shares

    @property
    def weights(self) -> Floats | None:
        """How many cases of the population each row stands for, (n,), one on average; None: one each."""
        if self.base_rates is None:
            return None
        weights: Floats = (self.base_rates / np.where(self.shares > 0, self.shares, 1.0))[self.truth]
        return weights

    def in_population(self, prior: Prior) -> UnseenRows:
        """Return the rows as they are where the classes are so common: the odds of each move.

        The base rates that are replaced are the shares among these rows, which differ from those of the
        other folds by a fraction of a row.
        """
        if prior is None:
            return self
        with np.errstate(divide="ignore"):
            trained, scores = np.log(self.shares), np.log(self.probabilities)
        rates = log_base_rates(prior, self.classes)
        shift = base_rate_shift(trained, rates, self.classes)
        moved = posteriors(scores + shift, rates)
        return replace(self, probabilities=moved, base_rates=np.exp(rates))


def predict_unseen(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    random_state: int = 0,
    most_rows: int | None = None,
    progress: Progress | None = None,
) -> UnseenRows:
    """Learn from all folds but one, predict that one, and so on: every row is predicted once.

    Parameters
    ----------
    model
        A classifier of ours or of scikit-learn; it is copied, not changed.
    X, y
        The table and the class of every row.
    cv : int
        Number of stratified folds; a class of few rows makes fewer. Or a splitter as in `compare` that tests
        every row once.
    random_state : int
        Seed of the folds, and of the rows that are drawn.
    most_rows : int, optional
        Draw this many rows at random if there are more, each class by its share.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Raises
    ------
    DataError
        A class has one row only, a row is in no fold or in several, or the model fails.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> found = predict_unseen(pnb.GaussianNaiveBayes(), *pnb.load_sample("iris"), cv=5)
    >>> found.probabilities.shape, found.folds
    ((150, 3), 5)
    """
    frame, labels = as_frame(X).reset_index(drop=True), np.asarray(y)
    if len(frame) != len(labels):
        raise DataError(
            f"every row needs one class, but the table has {len(frame):,} rows and y has {len(labels):,}."
        )
    classes, truth = encode_target(labels)
    rows = drawn_rows(truth, most_rows, random_state)
    frame, labels, truth = frame.iloc[rows].reset_index(drop=True), labels[rows], truth[rows]
    if isinstance(cv, int) and not isinstance(cv, bool):
        cv = max(2, min(cv, int(np.bincount(truth).min())))
    folds = make_folds(frame, labels, cv, random_state)
    if not np.array_equal(np.sort(np.concatenate([fold.test for fold in folds])), np.arange(len(truth))):
        raise DataError(
            "every row must be tested once: give a number of folds, or a splitter without repeats."
        )
    prepared = seeded(with_preprocessing(model), random_state)
    work = partial(train_and_predict, frame, labels, classes)
    found = in_parallel(work, [(prepared, fold) for fold in folds], progress=progress)
    probabilities = np.empty((len(truth), len(classes)))
    for fold, result in zip(folds, found, strict=True):
        if result.probabilities is None:
            raise DataError(f"the model could not be tested on rows it had not seen: {result.reason}")
        probabilities[fold.test] = result.probabilities
    return UnseenRows(tuple(classes.tolist()), rows, truth, probabilities, len(y), len(folds))
