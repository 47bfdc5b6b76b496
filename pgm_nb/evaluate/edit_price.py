"""What an expert's wishes cost: the tree they made beside the one that the data alone would make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pgm_nb.errors import DataError
from pgm_nb.evaluate.predictions import UnseenRows, predict_unseen
from pgm_nb.scoring.folds import Progress, part_of
from pgm_nb.words import SAME_BITS, Scale, in_bits, loss_number

__all__ = ["EditPrice", "LossChange", "edit_price", "free_model", "loss_change"]

EDITS = ("required", "forbidden", "structure")  # parameters that hold what an expert asks for
NORMAL = 1.96  # standard deviations on either side that hold 95% of a normal distribution


@dataclass(frozen=True)
class LossChange:
    """Log-loss on rows that were not learned from, in bits per row: with the wishes and without.

    Examples
    --------
    >>> LossChange(free=0.20, edited=0.21, low=-0.01, high=0.03).sentence
    'On new rows the log-loss is 0.210 bits instead of 0.200 bits: no more than chance would make.'
    """

    free: float  #: of the model that the data alone make
    edited: float  #: of the model as it was asked for
    low: float  #: 95% interval of the difference, by rows
    high: float

    @property
    def difference(self) -> float:
        """How much worse the edited model is; below zero it is better."""
        return self.edited - self.free

    @property
    def sentence(self, *, scale: Scale | None = None) -> str:
        """Say what the wishes do to new rows."""
        what = "the log-loss" if scale is None else "the typical probability of the true class"
        if abs(self.difference) < SAME_BITS:
            return f"On new rows {what} is the same: {loss_number(self.edited, scale=scale)}."
        said = (
            f"On new rows {what} is {loss_number(self.edited, scale=scale)} "
            f"instead of {loss_number(self.free, scale=scale)}"
        )
        if self.low <= 0 <= self.high:
            return f"{said}: no more than chance would make."
        return f"{said}: {'worse' if self.difference > 0 else 'better'}, and more than chance would make."


@dataclass(frozen=True)
class EditPrice:
    """What an expert's wishes cost.

    Examples
    --------
    >>> EditPrice(0.125, None).sentence
    'The tree as asked for captures 0.125 bits less than the one that the data alone make.'
    """

    bits: float  #: weight that is lost against the free tree
    loss: LossChange | None  #: None where it was not measured

    @property
    def sentence(self, *, scale: Scale | None = None) -> str:
        """Say what the wishes cost."""
        if abs(self.bits) < SAME_BITS:
            said = "The tree as asked for captures as much as the one that the data alone make."
        else:
            less = "less" if self.bits > 0 else "more"
            amount = in_bits(abs(self.bits), scale=scale)
            said = f"The tree as asked for captures {amount} {less} than the one that the data alone make."
        return said if self.loss is None else f"{said} {self.loss.sentence}"


def free_model(model: Any) -> Any | None:
    """Return a copy of a model, not fitted, without an expert's wishes; None if it has none.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> free_model(pnb.TreeAugmentedNaiveBayes(required=[("a", "b")])).required is None
    True
    >>> free_model(pnb.TreeAugmentedNaiveBayes()) is None
    True
    """
    from sklearn.base import clone

    parameters = model.get_params(deep=False)
    asked = {name: None for name in EDITS if parameters.get(name)}
    return clone(model).set_params(**asked) if asked else None


def edit_price(
    model: Any,
    X: Any,
    y: Any,
    *,
    cv: int = 5,
    random_state: int = 0,
    most_rows: int | None = None,
    progress: Progress | None = None,
) -> EditPrice:
    """Return what the required and forbidden links, or the given tree, of a model cost.

    Parameters
    ----------
    model
        A model with required or forbidden links, or with a structure of its own; it is copied, not changed.
    X, y
        The table and the class of every row.
    cv : int
        Number of folds on which the log-loss is measured, the same for both models; 0 leaves it out.
    random_state : int
        Seed of the folds.
    most_rows : int, optional
        Measure the log-loss on this many rows, drawn at random, if there are more.
    progress : callable, optional
        Called with the fraction done; may raise to cancel.

    Raises
    ------
    DataError
        The model has nothing that an expert asked for.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.TreeAugmentedNaiveBayes(required=[("petal length", "petal width")], n_bins=5)
    >>> round(pnb.edit_price(model, X, y, cv=0).bits, 3)
    0.093
    """
    from sklearn.base import clone

    free = free_model(model)
    if free is None:
        raise DataError(
            "the model has no required or forbidden links and no structure of its own, so there is no price: "
            "pass required=, forbidden= or structure="
        )
    lost = clone(free).fit(X, y).divergence_.weight - clone(model).fit(X, y).divergence_.weight
    if not cv:
        return EditPrice(lost, None)
    found = [
        predict_unseen(
            one,
            X,
            y,
            cv=cv,
            random_state=random_state,
            most_rows=most_rows,
            progress=part_of(progress, place / 2, (place + 1) / 2),
        )
        for place, one in enumerate((free, clone(model)))
    ]
    return EditPrice(lost, loss_change(*found))


def loss_change(free: UnseenRows, edited: UnseenRows) -> LossChange:
    """Compare two models by their predictions of the same rows, made on the same folds.

    The interval is that of a mean of differences over rows.

    Examples
    --------
    >>> rows, truth = np.arange(2), np.array([0, 1])
    >>> even = UnseenRows(("a", "b"), rows, truth, np.array([[0.5, 0.5], [0.5, 0.5]]), 2, 2)
    >>> sure = UnseenRows(("a", "b"), rows, truth, np.array([[1.0, 0.0], [0.5, 0.5]]), 2, 2)
    >>> found = loss_change(even, sure)
    >>> found.free, found.edited
    (1.0, 0.5)
    """
    losses = [_losses(each) for each in (free, edited)]
    differences = losses[1] - losses[0]
    error = float(differences.std(ddof=1)) / math.sqrt(len(differences)) if len(differences) > 1 else math.inf
    middle = float(differences.mean())
    before, after = (float(each.mean()) for each in losses)
    return LossChange(before, after, middle - NORMAL * error, middle + NORMAL * error)


def _losses(found: UnseenRows) -> np.ndarray:
    """-log2 of the probability of the true class, for every row."""
    right = found.probabilities[np.arange(len(found.truth)), found.truth]
    return -np.log2(np.clip(right, np.finfo(np.float64).eps, 1.0))
