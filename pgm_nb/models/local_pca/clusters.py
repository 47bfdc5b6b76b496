"""Gaussian clusters along their own principal components, and the space they are measured in.

Columns are divided by their standard deviation first: that changes no classification (all densities change
by one factor), but makes ranks and loadings independent of units. Directions in which no training row
varies (constant columns, a column that is a multiple of another) carry no information and are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats

__all__ = [
    "FLAT",
    "GaussianCluster",
    "Space",
    "class_scores",
    "cluster",
    "fit_cluster",
    "learn_space",
    "marginal",
    "round_cluster",
]


FLAT = 1e-10  # a variance below this share of the largest one is rounding: the covariance is rank deficient


@dataclass(frozen=True, eq=False)
class Space:
    """The space of the distances: columns in units of their spread, along directions that vary.

    Attributes
    ----------
    mean, scale : arrays (d,)
        Mean and standard deviation of every column in training; scale is zero where it is constant.
    correlation : array (d, d)
        Covariance of the scaled columns; zero rows for constant ones.
    basis : array (d, r)
        Orthonormal directions, in scaled columns, in which the training rows vary.
    """

    mean: Floats
    scale: Floats
    correlation: Floats
    basis: Floats

    def scaled(self, X: Floats) -> Floats:
        """Return rows as scaled columns, zero in constant ones and NaN where unknown."""
        return np.divide(X - self.mean, self.scale, out=np.zeros(X.shape), where=self.scale > 0)

    def restricted(self, known: NDArray[np.bool_]) -> Space:
        """Return the space in which only these columns are known."""
        places = np.flatnonzero(known)
        correlation = self.correlation[np.ix_(places, places)]
        return Space(self.mean[places], self.scale[places], correlation, _directions(correlation))


@dataclass(frozen=True, eq=False)
class GaussianCluster:
    """Rows of one class with their Gaussian, in scaled columns.

    Attributes
    ----------
    owner : int
        Code of the class.
    rows : int
        How many rows it was fitted to.
    mean, covariance : arrays (d,), (d, d)
    variances : array (r,)
        Of the principal components, largest first.
    axes : array (d, r)
        The principal components as columns of unit length: the loadings.
    regularised : bool
        Whether it stands in for a class all of whose clusters are rank deficient.
    """

    owner: int
    rows: int
    mean: Floats
    covariance: Floats
    variances: Floats
    axes: Floats
    regularised: bool = False

    def log_density(self, Z: Floats) -> Floats:
        """Log of the product of one Gaussian per principal component, natural log, (n,)."""
        with np.errstate(over="ignore"):
            along = (Z - self.mean) @ (self.axes / np.sqrt(self.variances))
            far: Floats = np.einsum("ij,ij->i", along, along)
        log_scale = -0.5 * (len(self.variances) * np.log(2 * np.pi) + np.log(self.variances).sum())
        logs: Floats = log_scale - 0.5 * far
        return logs


def learn_space(X: Floats) -> Space:
    """Return the space of a training table.

    Examples
    --------
    >>> import numpy as np
    >>> space = learn_space(np.array([[0.0, 0.0, 7.0], [1.0, 2.0, 7.0], [3.0, 6.0, 7.0]]))
    >>> space.basis.shape  # the second column is twice the first, the third is constant
    (3, 1)
    """
    known = ~np.isnan(X)
    if not known.all():
        return _learn_space_of_known(X, known)
    mean = X.mean(axis=0)
    off = X - mean
    with np.errstate(over="ignore", invalid="ignore"):
        scale = np.sqrt(np.mean(off**2, axis=0))
    scale[np.ptp(X, axis=0) == 0] = 0
    Z = np.divide(off, scale, out=np.zeros_like(off), where=scale > 0)
    correlation = Z.T @ Z / len(Z)
    return Space(mean, scale, correlation, _directions(correlation))


def _learn_space_of_known(X: Floats, known: NDArray[np.bool_]) -> Space:
    """Return the space of a table with unknown cells; a column without any value is constant."""
    rows = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, X, 0.0).sum(axis=0) / rows
    off = np.where(known, X - mean, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        scale = np.sqrt((off**2).sum(axis=0) / rows)
    lowest, highest = (
        np.where(known, X, end).min(axis=0) if end > 0 else np.where(known, X, end).max(axis=0)
        for end in (np.inf, -np.inf)
    )
    scale[~(highest > lowest)] = 0
    Z = np.divide(off, scale, out=np.zeros_like(off), where=scale > 0)
    correlation = _covariance(Z, known)
    return Space(mean, scale, correlation, _directions(correlation))


def _covariance(off: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return the covariance of deviations from the mean, of which some are unknown (and zero here).

    Variances are those of the known cells. S_ij = sum over rows with both known / sqrt(n_i n_j) is a product
    of a matrix with its transpose, so no variance along any direction is negative.
    """
    reached = off / np.sqrt(np.maximum(known.sum(axis=0), 1))
    covariance: Floats = reached.T @ reached
    return covariance


def _centre(Z: Floats) -> tuple[Floats, Floats]:
    """Return mean and covariance of rows in scaled columns.

    A column that none of the rows has a value of gets the mean and the variance of all rows of the table:
    0 and 1.
    """
    known = ~np.isnan(Z)
    if known.all():
        mean = Z.mean(axis=0)
        off = Z - mean
        return mean, off.T @ off / len(Z)
    counts = known.sum(axis=0)
    mean = np.where(known, Z, 0.0).sum(axis=0) / np.maximum(counts, 1)
    covariance = _covariance(np.where(known, Z - mean, 0.0), known)
    np.fill_diagonal(covariance, np.where(counts > 0, np.diag(covariance), 1.0))
    return mean, covariance


def _directions(correlation: Floats) -> Floats:
    """Return the directions in which scaled columns vary; the columns themselves when they all do."""
    variances, axes = np.linalg.eigh(correlation)
    varying = variances > FLAT * max(variances[-1], 0.0) if len(variances) else np.zeros(0, dtype=bool)
    return np.eye(len(correlation)) if varying.all() else axes[:, varying]


def cluster(
    owner: int, rows: int, mean: Floats, covariance: Floats, basis: Floats, *, regularised: bool = False
) -> GaussianCluster | None:
    """Return a cluster with its principal components, None when its covariance is rank deficient."""
    variances, axes = np.linalg.eigh(basis.T @ covariance @ basis)
    if len(variances) and not variances[0] > FLAT * variances[-1]:
        return None
    axes = basis @ axes[:, ::-1]
    largest = np.abs(axes).argmax(axis=0) if len(axes) else np.zeros(axes.shape[1], dtype=np.intp)
    axes = axes * np.where(
        axes[largest, np.arange(axes.shape[1])] < 0, -1.0, 1.0
    )  # the largest loading is positive
    return GaussianCluster(owner, rows, mean, covariance, variances[::-1], axes, regularised)


def fit_cluster(owner: int, Z: Floats, basis: Floats) -> GaussianCluster | None:
    """Return the cluster of some rows, None when its covariance is rank deficient."""
    if len(Z) <= basis.shape[1]:  # the rank of n centred rows is at most n - 1
        return None
    return cluster(owner, len(Z), *_centre(Z), basis)


def round_cluster(owner: int, Z: Floats, space: Space, spread: float) -> GaussianCluster:
    """Return a class as one cluster even if its covariance is rank deficient."""
    mean, covariance = _centre(Z)
    return _rounded(owner, len(Z), mean, len(Z) * covariance, space.basis, spread)


def _rounded(
    owner: int, rows: int, mean: Floats, squares: Floats, basis: Floats, spread: float
) -> GaussianCluster:
    """Return a cluster of covariance (n S + r t I) / (n + r): n S of its rows, t the spread within classes.

    There are as many imaginary rows of a round cloud as directions r: it leads where rows are too few
    (Friedman's regularised discriminant analysis, 1989, shrinks towards the same).
    """
    r = basis.shape[1]
    covariance = (squares + r * spread * basis @ basis.T) / (rows + r)
    made = cluster(owner, rows, mean, covariance, basis, regularised=True)
    if made is None:
        raise np.linalg.LinAlgError("a covariance with every direction filled in is still rank deficient")
    return made


def marginal(part: GaussianCluster, known: NDArray[np.bool_], space: Space) -> GaussianCluster:
    """Return a cluster with the unknown columns integrated out; `space` is that of the known ones.

    The marginal of a Gaussian is the Gaussian of the mean and covariance of the columns that are left.
    """
    places = np.flatnonzero(known)
    mean, covariance = part.mean[places], part.covariance[np.ix_(places, places)]
    left = cluster(part.owner, part.rows, mean, covariance, space.basis, regularised=part.regularised)
    spread = float(np.trace(covariance)) / max(len(places), 1)
    return left or _rounded(part.owner, part.rows, mean, covariance * part.rows, space.basis, spread)


def class_scores(clusters: Sequence[GaussianCluster], Z: Floats, n_classes: int, vote: str) -> Floats:
    """Log density of each class: its best cluster's (`"winner"`) or all summed (`"sum"`), (n, k)."""
    scores = np.full((len(Z), n_classes), -np.inf)
    join = np.maximum if vote == "winner" else np.logaddexp
    for part in clusters:
        scores[:, part.owner] = join(scores[:, part.owner], part.log_density(Z))
    return scores
