"""Penalised conditional likelihood of the class: the two convex problems behind class-trained parameters.

Both are fitted by L-BFGS from a fixed start with an analytic gradient, so that the same rows always give the
same parameters. First one weight per term of a score, then a number for every cell of its tables. All long
sums are added up in one thread, so that the number of threads changes no digit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.certainty.training_spread import MOST_IN_ONE_THREAD, weight_curvature
from pgm_nb.training.cells import Members, Penalty, Sparse, folded, last_share, only_used, unfolded
from pgm_nb.training.descent import Pair, descend, dot

__all__ = ["CellSearch", "Cells", "Weights", "class_losses", "fit_cells", "fit_weights"]

MOST_STEPS = 400
SPREAD_PENALTY = 10.0  # on the squared distance of each weight from their mean
LEVEL_PENALTY = 10.0  # on the squared distance of the mean weight from where it is pulled
BIAS_PENALTY = 10.0  # on the squared bias of a class
SCALING_ROWS = 1000  # about so many rows say how long a step should be


@dataclass(frozen=True, eq=False)
class Weights:
    """One weight per term, and what is added for every class.

    Examples
    --------
    >>> Weights(np.ones(2), np.zeros(3), True).converged
    True
    """

    weights: Floats  #: (s,), none negative
    bias: Floats  #: (k,)
    converged: bool


@dataclass(frozen=True, eq=False)
class Cells:
    """A number per parameter and class, and whether the search for them ended."""

    theta: Floats  #: (p, k)
    converged: bool


def class_losses(scores: Floats, y: Places) -> tuple[Floats, Floats]:
    """Return -log softmax(scores) of each row's own class, (n,), and the posteriors, (n, k).

    Examples
    --------
    >>> losses, posteriors = class_losses(np.log([[0.2, 0.6]]), np.array([1]))
    >>> posteriors, np.exp(-losses)
    (array([[0.25, 0.75]]), array([0.75]))
    """
    shifted = scores - reduce(np.maximum, scores.T)[:, None]  # by class: rows are many, classes few
    posteriors = np.exp(shifted)
    total = reduce(np.add, posteriors.T)
    losses: Floats = np.log(total) - shifted[np.arange(len(y)), y]
    posteriors /= total[:, None]
    return losses, posteriors


def fit_weights(
    terms: Floats,
    offset: Floats,
    y: Places,
    towards: float = 1.0,
    start: Weights | None = None,
    tolerance: float = 1e-7,
) -> Weights:
    """Weigh the terms of a score so that the classes become most likely.

    Minimises the sum of -log softmax(offset + b + sum_s w_s T_s) over the rows, plus a penalty that pulls
    the weights towards their mean, and their mean towards one (or `towards`); w >= 0.

    Parameters
    ----------
    terms : array (n, s, k)
        What each term adds to the score of each class.
    offset : array (k,) or (n, k)
        What is not weighed, such as the log prior.
    y : array (n,)
        Class codes.
    towards : float
        Where the mean weight is pulled.
    start : Weights, optional
        Where to begin; default: weights of one.
    tolerance : float
        Stop when a step improves the mean over the rows by less than this.

    Examples
    --------
    >>> sure = np.tile(np.log([[[0.9, 0.1]], [[0.1, 0.9]]]), (500, 2, 1))  # the same evidence twice
    >>> y = np.array(([0, 1] * 9 + [1, 0]) * 50)  # it is right in nine of ten rows
    >>> fit_weights(sure, np.zeros(2), y).weights.round(1)
    array([0.5, 0.5])
    """
    n, s, k = terms.shape
    by_class, against = np.moveaxis(terms, 1, 2), np.empty((n, k - 1, s))
    np.subtract(by_class[:, 1:], by_class[:, :1], out=against)  # only differences from one class matter
    flat = against.reshape(n * (k - 1), s)
    truth = np.eye(k)[y]

    def objective(parameters: Floats) -> tuple[float, Floats]:
        weights, bias = parameters[:s], parameters[s:]
        scores = np.broadcast_to(offset + bias, (n, k)).copy()
        scores[:, 1:] += np.einsum("ms,s->m", flat, weights).reshape(n, k - 1)
        losses, posteriors = class_losses(scores, y)
        residual = posteriors - truth
        mean = weights.mean()
        apart = weights - mean
        off = mean - towards
        cost = SPREAD_PENALTY * dot(apart, apart) + LEVEL_PENALTY * off**2 + BIAS_PENALTY * dot(bias, bias)
        by_weight = np.einsum("m,ms->s", residual[:, 1:].ravel(), flat)
        by_weight += SPREAD_PENALTY * apart + LEVEL_PENALTY * off / s
        by_bias = residual.sum(axis=0) + BIAS_PENALTY * bias
        return float(losses.sum() + cost / 2), np.concatenate([by_weight, by_bias])

    first = np.concatenate([np.ones(s), np.zeros(k)] if start is None else [start.weights, start.bias])
    curvature = _second_derivatives(terms, offset, first)
    found = descend(objective, first, curvature, tolerance * n, MOST_STEPS, positive=s)
    return Weights(found.point[:s], found.point[s:], found.converged)


def _second_derivatives(terms: Floats, offset: Floats, parameters: Floats) -> Floats:
    """Return about the second derivatives by weights and bias: by all pairs, or by each if there are many.

    Some of the rows say enough about how long a step should be; whether it is taken, all of them decide.
    """
    n, s, k = terms.shape
    if s > MOST_IN_ONE_THREAD:
        against = terms[:, :, 1:] - terms[:, :, :1]
        apart = np.einsum("nsk,nsk->s", against, against) / 4 + SPREAD_PENALTY
        return np.concatenate([apart, np.full(k, n / 4 + BIAS_PENALTY)])
    some = slice(None, None, max(1, n // SCALING_ROWS))
    scores = np.einsum("nsk,s->nk", terms[some], parameters[:s]) + parameters[s:]
    scores += offset if offset.ndim == 1 else offset[some]
    _, shares = class_losses(scores, np.zeros(len(scores), dtype=np.intp))
    return weight_curvature(terms[some], shares, n, SPREAD_PENALTY, LEVEL_PENALTY, BIAS_PENALTY)


class CellSearch:
    """Give every parameter a number per class so that the classes become most likely.

    Minimises the sum of -log softmax(offset + rows sums theta) over the rows, plus a penalty. Every search
    begins where the one before ended, and with what that one has learned about the second derivatives: so a
    path of penalties from stiff to free costs little more than its last.

    Parameters
    ----------
    rows : sparse array (n, c)
        Which cells each row falls into.
    offset : array (n, k)
        The scores to begin with.
    y : array (n,)
        Class codes.
    sums : sparse array (c, p), optional
        Which parameters each cell adds up; default: its own.
    start : array (p, k), optional
        Where to begin; default zeros.
    kernel : {"auto", "numpy", "compiled"}
        How to add up; the results are the same in every digit.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> rows = csr_array(np.eye(2)[[0, 0, 0, 1]])
    >>> search = CellSearch(rows, np.zeros((4, 2)), np.array([0, 0, 1, 1]))
    >>> for ridge in (1.0, 1e-9):  # two to one, as the pull gets weaker
    ...     theta = search.fit(Penalty(ridge, 0.0, csr_array((2, 2))), 1e-12).theta
    ...     print(round(float(np.exp(theta[0, 0] - theta[0, 1])), 3))
    1.497
    2.0
    """

    def __init__(
        self,
        rows: Sparse,
        offset: Floats,
        y: Places,
        sums: Sparse | None = None,
        start: Floats | None = None,
        kernel: str = "auto",
    ) -> None:
        if sums is not None:
            rows, sums = only_used(rows, sums)
        self.rows, self.offset = Members(rows, kernel), np.ascontiguousarray(offset)
        self.y = np.ascontiguousarray(y, dtype=np.int64)
        self.sums = None if sums is None else Members(sums, kernel)
        k = offset.shape[1]
        self.truth = np.eye(k)[y]
        p = rows.shape[1] if sums is None else sums.shape[1]
        self.numbers = np.zeros((p, k - 1)) if start is None else folded(start)
        self.pairs: list[Pair] = []
        self.before: Penalty | None = None
        _, posteriors = self._posteriors(self._added(self.numbers))
        others, last = posteriors[:, :-1], posteriors[:, -1:] * last_share(k)
        self.curvature = self._by_parameter(others + last * last_share(k) - (others - last) ** 2)

    def fit(self, penalty: Penalty, tolerance: float) -> Cells:
        """Go on to the minimum under this penalty.

        Parameters
        ----------
        penalty : Penalty
            The price of the numbers.
        tolerance : float
            Stop when a step improves the mean over the rows by less than this.
        """
        shape = self.numbers.shape

        def objective(point: Floats) -> tuple[float, Floats]:
            numbers = point.reshape(shape)
            loss, slopes = self._slopes(numbers)
            price = penalty(numbers)
            gradient = self._by_parameter(slopes)
            gradient += price
            return float(loss + 0.5 * dot(point, price.ravel())), gradient.ravel()

        curvature = (self.curvature + penalty.diagonal()[:, None]).ravel()
        most = tolerance * len(self.y)
        pairs = self._pairs_under(penalty)
        found = descend(objective, self.numbers.ravel(), curvature, most, MOST_STEPS, pairs)
        self.numbers, self.pairs, self.before = found.point.reshape(shape), found.pairs, penalty
        return Cells(unfolded(self.numbers), found.converged)

    def _pairs_under(self, penalty: Penalty) -> list[Pair]:
        """Return what is known about second derivatives; the share of the penalty is known exactly."""
        if self.before is None:
            return []
        more = replace(
            penalty, ridge=penalty.ridge - self.before.ridge, smooth=penalty.smooth - self.before.smooth
        )
        shifts = [more(pair.step.reshape(self.numbers.shape)).ravel() for pair in self.pairs]
        return [
            Pair.of(pair.step, pair.change + shift) for pair, shift in zip(self.pairs, shifts, strict=True)
        ]

    def _added(self, numbers: Floats) -> Floats:
        """Return what the numbers add to the scores of rows, in coordinates."""
        return self.rows.of(numbers if self.sums is None else self.sums.of(numbers))

    def _posteriors(self, added: Floats) -> tuple[Floats, Floats]:
        """Return the losses and posteriors of rows; what `unfolded` takes off all classes is left out."""
        scores = self.offset.copy()
        scores[:, :-1] += added
        scores[:, -1] -= last_share(scores.shape[1]) * reduce(np.add, added.T)
        return class_losses(scores, self.y)

    def _slopes(self, numbers: Floats) -> tuple[float, Floats]:
        """Return the loss of all rows, and its derivatives by the coordinates of each, (n, k - 1)."""
        added = self._added(numbers)
        if not self.rows.compiled(added):
            losses, posteriors = self._posteriors(added)
            posteriors -= self.truth
            return float(losses.sum()), folded(posteriors)
        from pgm_nb.training import compiled_cells

        shifted, totals, slopes = np.empty_like(self.offset), np.empty(len(added)), np.empty_like(added)
        share = last_share(shifted.shape[1])
        compiled_cells.shifted_scores(self.offset, added, share, shifted)
        own = shifted[np.arange(len(added)), self.y]
        compiled_cells.residuals(np.exp(shifted, out=shifted), self.y, share, totals, slopes)
        return float((np.log(totals) - own).sum()), slopes

    def _by_parameter(self, by_row: Floats) -> Floats:
        by_cell = self.rows.added(by_row)
        return by_cell if self.sums is None else self.sums.added(by_cell)


def fit_cells(
    rows: Sparse,
    offset: Floats,
    y: Places,
    penalty: Penalty,
    sums: Sparse | None = None,
    start: Floats | None = None,
    tolerance: float = 1e-6,
) -> Cells:
    """Give every parameter a number per class under one penalty; see `CellSearch`."""
    return CellSearch(rows, offset, y, sums, start).fit(penalty, tolerance)
