"""Densities of the classes of a local-PCA mixture, and what each attribute adds to them.

An unknown cell is integrated out of every cluster. So the attributes can become known one after the other,
and by how much the log density changes each time is what the attribute adds: the chain rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places
from pgm_nb.models.local_pca.clusters import GaussianCluster, Space, class_scores, marginal

__all__ = ["class_densities", "class_terms", "scaled_densities"]

STILL = 1e-7  # a column that moves less than this, in units of its spread, follows from the others


def class_densities(
    space: Space, clusters: Sequence[GaussianCluster], cells: Floats, n_classes: int, vote: str
) -> Floats:
    """Natural log of the density of the known cells in every class, (n, k); zero for a row without any.

    Parameters
    ----------
    space, clusters
        Where distances are measured, and the clusters there.
    cells : array (n, d)
        The rows, in their own units; NaN where unknown.
    n_classes : int
        Number of classes k.
    vote : {"winner", "sum"}
        A class is as likely as its best cluster, or as its clusters' densities summed.

    Examples
    --------
    >>> from pgm_nb.models.local_pca.clusters import fit_cluster, learn_space
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0], [6.0, 3.0]])
    >>> space = learn_space(X)
    >>> whole = fit_cluster(0, space.scaled(X), space.basis)
    >>> class_densities(space, [whole], np.array([[3.0, np.nan]]), 1, "winner").round(4)  # N(3; 3, 5)
    array([[-1.7237]])
    """
    scores = np.zeros((len(cells), n_classes))
    for rows, known in _patterns(~np.isnan(cells)):
        there, parts = _restricted(space, clusters, known)
        scores[rows] = class_scores(parts, there.scaled(cells[rows][:, known]), n_classes, vote)
        scores[rows] -= np.log(there.scale[there.scale > 0]).sum()  # back to the columns' own units
    return scores


def scaled_densities(
    space: Space, clusters: Sequence[GaussianCluster], Z: Floats, n_classes: int, vote: str
) -> Floats:
    """Return the log density of rows in scaled columns in every class, (n, k); zero if nothing is known."""
    known = ~np.isnan(Z)
    if known.all():
        return class_scores(clusters, Z, n_classes, vote)
    scores = np.zeros((len(Z), n_classes))
    for rows, columns in _patterns(known):
        _, parts = _restricted(space, clusters, columns)
        scores[rows] = class_scores(parts, Z[rows][:, columns], n_classes, vote)
    return scores


def class_terms(
    space: Space, clusters: Sequence[GaussianCluster], cells: Floats, order: Places, n_classes: int, vote: str
) -> Floats:
    """Return what `class_densities` gains as the columns become known in this order, (n, 1 + d, k).

    A sum over the second axis up to any column is the density of the columns so far. With ``vote="sum"``
    the densities of m clusters are added, so each class starts from log m: the first term, which is zero for
    ``"winner"``. The term of an unknown cell is zero, and so is that of a column that follows from those
    before it; such columns leave out a constant, the same for all classes.

    Examples
    --------
    >>> from pgm_nb.models.local_pca.clusters import fit_cluster, learn_space
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0], [6.0, 3.0]])
    >>> space = learn_space(X)
    >>> whole = fit_cluster(0, space.scaled(X), space.basis)
    >>> row, order = np.array([[3.0, 2.0]]), np.array([0, 1])
    >>> terms = class_terms(space, [whole], row, order, 1, "winner")
    >>> terms.ravel().round(4)  # log N(3; 3, 5), then log N(2; 2, 0.8): x1 given x0
    array([ 0.    , -1.7237, -0.8074])
    >>> bool(np.isclose(terms.sum(), class_densities(space, [whole], row, 1, "winner")))
    True
    """
    n, d = cells.shape
    terms = np.zeros((n, 1 + d, n_classes))
    for rows, known in _patterns(~np.isnan(cells)):
        there, parts = _restricted(space, clusters, known)
        column_of = np.flatnonzero(known)
        turn = np.argsort(np.argsort(order)[column_of])  # the known columns, in the given order
        used = _independent(there, turn)
        Z = there.scaled(cells[rows][:, known])
        so_far = np.full((len(Z), 1 + len(used), n_classes), -np.inf)
        join = np.maximum if vote == "winner" else np.logaddexp
        for part in parts:
            so_far[..., part.owner] = join(so_far[..., part.owner], _chain(part, Z, used))
        with np.errstate(invalid="ignore"):
            gains = np.diff(so_far, axis=1, prepend=0.0)
        gains[np.isnan(gains)] = 0.0  # what is impossible already stays as it is
        gains[:, 1:] -= np.log(there.scale[used])[:, None]
        steps = np.append(0, 1 + np.argsort(order)[column_of[used]])
        terms[np.arange(n)[rows][:, None], steps] = gains
    return terms


def _patterns(known: NDArray[np.bool_]) -> Iterator[tuple[Places | slice, NDArray[np.bool_]]]:
    """Yield the rows that have the same columns known, and which; rows without known cells are left out."""
    if known.all():
        yield slice(None), np.ones(known.shape[1], dtype=bool)
        return
    patterns, group = np.unique(known, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        if pattern.any():
            yield np.flatnonzero(group.ravel() == number), pattern


def _restricted(
    space: Space, clusters: Sequence[GaussianCluster], known: NDArray[np.bool_]
) -> tuple[Space, Sequence[GaussianCluster]]:
    """Return the space and the clusters of which only some columns are known."""
    if known.all():
        return space, clusters
    there = space.restricted(known)
    return there, [marginal(part, known, there) for part in clusters]


def _independent(space: Space, order: Places) -> Places:
    """Return the columns, in this order, that can move while those before them are held still.

    There are as many as directions in which the rows vary. Columns are vectors whose inner products are
    their correlations, and Gram and Schmidt's method removes the part along those before.
    """
    d, r = space.basis.shape
    if r == d:
        return order
    variances, axes = np.linalg.eigh(space.basis.T @ space.correlation @ space.basis)
    vectors = space.basis @ (axes * np.sqrt(np.maximum(variances, 0)))
    chosen, along = [], np.empty((0, r))
    for column in order:
        left = vectors[column]
        for _ in range(2):  # the second pass removes what rounding left
            left = left - along.T @ (along @ left)
        length = float(np.linalg.norm(left))
        if length > STILL:
            chosen.append(int(column))
            along = np.vstack([along, left / length])
    return np.array(chosen, dtype=np.intp)


def _chain(part: GaussianCluster, Z: Floats, columns: Places) -> Floats:
    """Log density of a cluster as its columns become known one by one, (n, 1 + columns); zero at first.

    The covariance of the columns is R'R, so the deviations are R' times independent numbers of variance one:
    log N = sum_j (-log(2 pi) / 2 - log R_jj - e_j^2 / 2), and the first j of them are those of j columns.
    """
    from scipy.linalg import solve_triangular

    R = np.linalg.qr((part.axes[columns] * np.sqrt(part.variances)).T, mode="r")
    with np.errstate(over="ignore", invalid="ignore"):
        e = solve_triangular(R, (Z - part.mean)[:, columns].T, trans="T", check_finite=False).T
        each = -0.5 * (np.log(2 * np.pi) + e**2) - np.log(np.abs(np.diag(R)))
    each[np.isnan(each)] = -np.inf  # farther away than can be squared
    chain = np.zeros((len(Z), 1 + len(columns)))
    np.cumsum(each, axis=1, out=chain[:, 1:])
    return chain
