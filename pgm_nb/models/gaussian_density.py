"""Gaussians per class and attribute: moments of rows, their log densities, and the information they carry.

Moments are taken in two passes, so nothing cancels: the second pass sums deviations from the means of the
first, and what those deviations sum to corrects both mean and variance (Chan, Golub, LeVeque 1983).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places, rebuilt

__all__ = ["Gaussians", "Moments", "class_information", "log_densities", "log_likelihoods", "moments"]

BLOCK_CELLS = 1 << 16  # numbers handled at once: half a megabyte stays in cache
_NODES = np.linspace(-8.5, 8.5, 1025)  # standard deviations; the rest weighs less than 1e-16
_WEIGHTS = np.exp(-0.5 * _NODES**2) / np.exp(-0.5 * _NODES**2).sum()


@dataclass(frozen=True, eq=False)
class Moments:
    """Weight, mean and sum of squared deviations of the known cells, each (k, d); additive.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[1.0], [3.0], [7.0]]), np.array([0, 0, 1])
    >>> whole = moments(X, y, 2)
    >>> whole.mean.ravel(), whole.variance.ravel()
    (array([2., 7.]), array([1., 0.]))
    >>> parts = moments(X[:1], y[:1], 2) + moments(X[1:], y[1:], 2)
    >>> np.array_equal(parts.mean, whole.mean)
    True
    """

    weight: Floats
    mean: Floats
    squares: Floats

    def __post_init__(self) -> None:
        for array in (self.weight, self.mean, self.squares):
            array.setflags(write=False)

    @property
    def variance(self) -> Floats:
        """Maximum-likelihood variance (divided by n, not n - 1); zero where there is no cell."""
        return np.divide(self.squares, self.weight, out=np.zeros_like(self.mean), where=self.weight > 0)

    def __add__(self, other: Moments) -> Moments:
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight > 0)
        with np.errstate(over="ignore", invalid="ignore"):  # `fit` refuses what is not finite
            step = other.mean - self.mean
            return Moments(
                weight,
                self.mean + share * step,
                self.squares + other.squares + self.weight * share * step**2,  # Chan et al. 1983
            )

    def together(self) -> Moments:
        """Moments of all classes as one, (1, d)."""
        whole = Moments(self.weight[:1], self.mean[:1], self.squares[:1])
        for c in range(1, len(self.weight)):
            whole += Moments(self.weight[c : c + 1], self.mean[c : c + 1], self.squares[c : c + 1])
        return whole


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Mean and (positive) variance per class and attribute, each (k, d)."""

    mean: Floats
    variance: Floats

    __reduce__ = rebuilt

    @cached_property
    def log_scale(self) -> Floats:
        """Natural log of each density at its mean: -log(2 pi variance) / 2."""
        scale: Floats = -0.5 * np.log(2 * np.pi * self.variance)
        return scale

    @cached_property
    def at_mean(self) -> Floats:
        """Natural log of each class's density at its mean, (k,)."""
        total: Floats = self.log_scale.sum(axis=1)
        return total

    @cached_property
    def precision(self) -> Floats:
        """The factor of a squared deviation in the log density: -1 / (2 variance)."""
        factor: Floats = -0.5 / self.variance
        return factor


def moments(X: NDArray[np.floating], y: Places, n_classes: int, weights: Floats | None = None) -> Moments:
    """Return the moments of every class and column; NaN cells are left out.

    Parameters
    ----------
    X : array (n, d)
        Finite numbers or NaN.
    y : array (n,)
        Class codes.
    n_classes : int
        Number of classes k.
    weights : array (n,), optional
        Weight of every row; one when not given.
    """
    member = np.zeros((len(X), n_classes))
    member[np.arange(len(X)), y] = 1 if weights is None else weights
    with np.errstate(invalid="ignore", over="ignore"):
        weight = np.repeat(member.sum(axis=0)[:, None], X.shape[1], axis=1)
        total = _sums(X, member)
        gaps = bool(np.isnan(total).any())
        if gaps:
            known = ~np.isnan(X)
            weight, total = _sums(known, member), _sums(np.where(known, X, 0), member)
        present = np.maximum(weight, np.finfo(float).tiny)
        mean = total / present
        left, squares = np.zeros_like(mean), np.zeros_like(mean)
        for rows in _blocks(X):
            off = X[rows] - mean[y[rows]]
            if gaps:
                off[np.isnan(off)] = 0
            left += member[rows].T @ off
            squares += member[rows].T @ np.square(off, out=off)
        return Moments(weight, mean + left / present, np.maximum(squares - left**2 / present, 0))


def _sums(X: NDArray[np.generic], member: Floats) -> Floats:
    total = np.zeros((member.shape[1], X.shape[1]))
    for rows in _blocks(X):
        total += member[rows].T @ X[rows].astype(np.float64, copy=False)
    return total


def _blocks(X: NDArray[np.generic]) -> Iterator[slice]:
    size = max(1, BLOCK_CELLS // max(1, X.shape[1]))
    for start in range(0, len(X), size):
        yield slice(start, start + size)


def log_densities(gaussians: Gaussians, X: NDArray[np.floating]) -> Floats:
    """Log of prod_i N(x_i; class) for every row and class, natural log, (n, k).

    The factor of a NaN cell is one: given the class the attributes are independent, so an unknown one
    integrates to one.

    Examples
    --------
    >>> import numpy as np
    >>> one = Gaussians(np.array([[0.0, 5.0]]), np.array([[1.0, 1.0]]))
    >>> log_densities(one, np.array([[0.0, np.nan]])).round(4)
    array([[-0.9189]])
    """
    precision = gaussians.precision
    result = np.empty((len(X), len(precision)))
    with np.errstate(over="ignore"):
        for rows in _blocks(X):
            block = np.ascontiguousarray(X[rows], dtype=np.float64)
            off = np.empty_like(block)
            for c, mean in enumerate(gaussians.mean):
                np.subtract(block, mean, out=off)
                np.square(off, out=off)
                result[rows, c] = off @ precision[c]
    result += gaussians.at_mean
    unknown = np.flatnonzero(np.isnan(result[:, 0]))
    if len(unknown):
        result[unknown] = log_likelihoods(gaussians, X[unknown]).sum(axis=1)
    return result


def log_likelihoods(gaussians: Gaussians, X: NDArray[np.floating]) -> Floats:
    """Log N(x_i; class) of every row, attribute and class, (n, d, k); zero where the cell is NaN."""
    with np.errstate(over="ignore"):
        off = X[:, :, None] - gaussians.mean.T
        logs: Floats = gaussians.log_scale.T - 0.5 * off**2 / gaussians.variance.T
    logs[np.isnan(X)] = 0
    return logs


def class_information(gaussians: Gaussians, prior: Floats, owner: Places | None = None) -> Floats:
    """I(Xi;Y) in bits of every attribute under the model, (d,).

    I(X;Y) = sum_y P(y) E_y[ log2 f_y(X) / sum_z P(z) f_z(X) ]; the expectation under each Gaussian is the
    trapezoidal rule over 8.5 standard deviations either side.

    Parameters
    ----------
    gaussians : Gaussians
        One Gaussian per class and attribute, or several where f_y is a mixture.
    prior : array (m,)
        Weight of every row of `gaussians`; they sum to one.
    owner : array (m,), optional
        The class of every row of `gaussians`; each is a class of its own when not given.

    Examples
    --------
    >>> import numpy as np
    >>> apart = Gaussians(np.array([[0.0, 0.0], [100.0, 0.0]]), np.ones((2, 2)))
    >>> class_information(apart, np.array([0.5, 0.5])).round(6)
    array([1., 0.])
    """
    present = np.flatnonzero(prior > 0)
    mean, deviation = gaussians.mean[present], np.sqrt(gaussians.variance[present])
    log_prior = np.log(prior[present])
    owner = present if owner is None else owner[present]
    bits = np.zeros(mean.shape[1])
    for part, c in enumerate(owner):
        x = mean[part] + deviation[part] * _NODES[:, None]  # (nodes, d)
        off = (x[:, None, :] - mean) / deviation
        logs = -0.5 * off**2 - np.log(deviation) + log_prior[:, None]  # (nodes, m, d)
        own = owner == c
        inside = np.logaddexp.reduce(logs[:, own], axis=1) - np.logaddexp.reduce(log_prior[own])
        ratio = inside - np.logaddexp.reduce(logs, axis=1)
        bits += np.exp(log_prior[part]) * (_WEIGHTS @ ratio) / np.log(2)
    return np.maximum(bits, 0.0)
