"""Penalised conditional likelihood of the class: the two convex problems behind class-trained parameters.

Both are fitted by L-BFGS from a fixed start with an analytic gradient, so that the same rows always give the
same parameters. First one weight per term of a score, then a number for every cell of its tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from pgm_nb.arrays import Floats, Places

__all__ = ["Cells", "Penalty", "Weights", "class_losses", "fit_cells", "fit_weights"]

MOST_STEPS = 400
SPREAD_PENALTY = 10.0  # on the squared distance of each weight from their mean
LEVEL_PENALTY = 10.0  # on the squared distance of the mean weight from where it is pulled
BIAS_PENALTY = 10.0  # on the squared bias of a class

Sparse: TypeAlias = "csr_array[Any, tuple[int, int]]"


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
class Penalty:
    """What the numbers of the cells cost: ridge / 2 |theta|^2 + smooth / 2 |differences of neighbours|^2.

    Attributes
    ----------
    ridge, smooth : float
        The two strengths.
    differences : sparse array (p, p)
        The Laplacian of the graph that joins neighbouring cells: theta' L theta is the sum of the squared
        differences.
    """

    ridge: float
    smooth: float
    differences: Sparse

    def __call__(self, theta: Floats) -> Floats:
        """Return the gradient at theta, (p, k); half its product with theta is the penalty."""
        gradient: Floats = self.ridge * theta
        if self.smooth and self.differences.nnz:
            gradient += self.smooth * (self.differences @ theta)
        return gradient


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
    shifted = scores - scores.max(axis=1, keepdims=True)
    posteriors = np.exp(shifted)
    total = posteriors.sum(axis=1)
    losses: Floats = np.log(total) - shifted[np.arange(len(y)), y]
    posteriors /= total[:, None]
    return losses, posteriors


def fit_weights(terms: Floats, offset: Floats, y: Places, towards: float = 1.0) -> Weights:
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

    Examples
    --------
    >>> sure = np.tile(np.log([[[0.9, 0.1]], [[0.1, 0.9]]]), (500, 2, 1))  # the same evidence twice
    >>> y = np.array(([0, 1] * 9 + [1, 0]) * 50)  # it is right in nine of ten rows
    >>> fit_weights(sure, np.zeros(2), y).weights.round(1)
    array([0.5, 0.5])
    """
    n, s, k = terms.shape
    centred = terms - terms.mean(axis=2, keepdims=True)
    flat = np.ascontiguousarray(centred.transpose(1, 0, 2).reshape(s, n * k))
    truth = np.eye(k)[y]

    def objective(parameters: Floats) -> tuple[float, Floats]:
        weights, bias = parameters[:s], parameters[s:]
        losses, posteriors = class_losses((weights @ flat).reshape(n, k) + (offset + bias), y)
        residual = posteriors - truth
        mean = weights.mean()
        apart = weights - mean
        off = mean - towards
        cost = SPREAD_PENALTY * (apart @ apart) + LEVEL_PENALTY * off**2 + BIAS_PENALTY * (bias @ bias)
        by_weight = flat @ residual.ravel() + SPREAD_PENALTY * apart + LEVEL_PENALTY * off / s
        by_bias = residual.sum(axis=0) + BIAS_PENALTY * bias
        return float(losses.sum() + cost / 2), np.concatenate([by_weight, by_bias])

    start = np.concatenate([np.ones(s), np.zeros(k)])
    bounds = [(0.0, None)] * s + [(None, None)] * k
    found, converged = _descend(objective, start, bounds, tolerance=1e-8)
    return Weights(found[:s], found[s:], converged)


def fit_cells(
    rows: Sparse,
    offset: Floats,
    y: Places,
    penalty: Penalty,
    sums: Sparse | None = None,
    start: Floats | None = None,
    tolerance: float = 1e-6,
) -> Cells:
    """Give every parameter a number per class so that the classes become most likely.

    Minimises the sum of -log softmax(offset + rows sums theta) over the rows, plus the penalty.

    Parameters
    ----------
    rows : sparse array (n, c)
        Which cells each row falls into.
    offset : array (n, k)
        The scores to begin with.
    y : array (n,)
        Class codes.
    penalty : Penalty
        The price of the numbers.
    sums : sparse array (c, p), optional
        Which parameters each cell adds up; default: its own.
    start : array (p, k), optional
        Where to begin; default zeros.
    tolerance : float
        Stop when a step improves the objective by less than this share.

    Examples
    --------
    >>> rows = csr_array(np.eye(2)[[0, 0, 0, 1]])
    >>> free = Penalty(1e-9, 0.0, csr_array((2, 2)))
    >>> theta = fit_cells(rows, np.zeros((4, 2)), np.array([0, 0, 1, 1]), free, tolerance=1e-12).theta
    >>> round(float(np.exp(theta[0, 0] - theta[0, 1])), 3)  # two to one
    2.0
    """
    k = offset.shape[1]
    p = rows.shape[1] if sums is None else sums.shape[1]
    columns = csr_array(rows.T)
    parts = None if sums is None else csr_array(sums.T)
    truth = np.eye(k)[y]

    def objective(parameters: Floats) -> tuple[float, Floats]:
        theta = parameters.reshape(p, k)
        losses, posteriors = class_losses(offset + rows @ (theta if sums is None else sums @ theta), y)
        price = penalty(theta)
        by_cell = columns @ (posteriors - truth)
        gradient = (by_cell if parts is None else parts @ by_cell) + price
        return float(losses.sum() + 0.5 * np.vdot(theta, price)), gradient.ravel()

    begin = np.zeros(p * k) if start is None else start.ravel()
    found, converged = _descend(objective, begin, None, tolerance)
    return Cells(found.reshape(p, k), converged)


def _descend(objective: Any, start: Floats, bounds: Any, tolerance: float) -> tuple[Floats, bool]:
    """Minimise by L-BFGS; the second value says whether it ended before the steps did."""
    options: Any = {
        "maxiter": MOST_STEPS,
        "maxfun": 2 * MOST_STEPS,
        "ftol": tolerance,
        "gtol": 1e-5,
        "maxcor": 10,
    }
    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(found.x), bool(found.status != 1 and np.isfinite(found.fun))
