"""Local PCA: classes split into Gaussian clusters, each along its own principal components.

Haghpanah Jahromi and Taheri's algorithm. Every class starts as one cluster; the rows of a class that are
misclassified leave their clusters and form a new one; and so on while the training error falls. A cluster
is a Gaussian along each of its principal components, which is a Gaussian with a full covariance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places
from pgm_nb.models.local_pca.clusters import (
    FLAT,
    GaussianCluster,
    Space,
    fit_cluster,
    round_cluster,
)
from pgm_nb.models.local_pca.density import scaled_densities
from pgm_nb.models.local_pca.trace import Iteration, LocalPCATrace

__all__ = ["grow_clusters"]


def grow_clusters(
    Z: Floats, y: Places, space: Space, classes: Sequence[str], *, vote: str, log_prior: Floats, max_iter: int
) -> tuple[tuple[GaussianCluster, ...], LocalPCATrace]:
    """Split classes into clusters while the training error falls.

    Parameters
    ----------
    Z : array (n, d)
        Training rows as scaled columns; NaN where unknown.
    y : array (n,)
        Class codes.
    space : Space
        What `learn_space` gave.
    classes : sequence of str
        Names of the classes, for the trace.
    vote : {"winner", "sum"}
        As in `class_scores`.
    log_prior : array (k,)
        Log of the class priors.
    max_iter : int
        Rounds at most.

    Returns
    -------
    clusters : tuple of GaussianCluster
        Those in use in the best round, by class.
    trace : LocalPCATrace
    """
    k, spread = len(classes), _spread_within(Z, y, space)
    member = y.astype(np.intp)  # the cluster of every row; the first k are the classes
    moved: tuple[tuple[int, ...], ...] = ((),) * k
    steps: list[Iteration] = []
    best: tuple[GaussianCluster, ...] = ()
    kept, reason = 0, f"max_iter={max_iter} was reached"
    for number in range(max_iter):
        clusters, ignored = _refit(Z, y, member, space, spread)
        wrong = (scaled_densities(space, clusters, Z, k, vote) + log_prior).argmax(axis=1) != y
        used = np.bincount([part.owner for part in clusters], minlength=k)
        spare = [any(part.regularised for part in clusters if part.owner == c) for c in range(k)]
        error = float(wrong.mean())
        steps.append(Iteration(tuple(used.tolist()), ignored, tuple(spare), error, moved))
        if number and error >= steps[kept].error:
            reason = "the training error stopped falling"
            break
        best, kept = clusters, number
        if not wrong.any():
            reason = "no training row is misclassified"
            break
        after = _move(member, y, wrong, k)
        if np.array_equal(after, member):
            reason = "no new cluster could be formed"
            break
        moved = tuple(tuple(np.flatnonzero(wrong & (y == c)).tolist()) for c in range(k))
        member = after
    return best, LocalPCATrace(tuple(classes), tuple(steps), kept, reason)


def _move(member: Places, y: Places, wrong: NDArray[np.bool_], k: int) -> Places:
    """Let the misclassified rows of each class form a new cluster, unless they already are one."""
    after, new = member.copy(), int(member.max()) + 1
    for c in range(k):
        leaving = wrong & (y == c)
        if not leaving.any():
            continue
        origin = member[leaving]
        if (origin == origin[0]).all() and np.count_nonzero(member == origin[0]) == len(origin):
            continue
        after[leaving] = new + c
    return after


def _refit(
    Z: Floats, y: Places, member: Places, space: Space, spread: float
) -> tuple[tuple[GaussianCluster, ...], tuple[int, ...]]:
    """Fit every cluster; return those in use, and how many of each class are rank deficient."""
    clusters: list[GaussianCluster] = []
    ignored = [0] * (int(y.max()) + 1)
    for c in range(len(ignored)):
        names = np.unique(member[y == c])
        fitted = [fit_cluster(c, Z[member == name], space.basis) for name in names]
        usable = [part for part in fitted if part is not None]
        ignored[c] = len(fitted) - len(usable)
        if not usable:
            rows = Z[y == c]
            usable = [fit_cluster(c, rows, space.basis) or round_cluster(c, rows, space, spread)]
        clusters += usable
    return tuple(clusters), tuple(ignored)


def _spread_within(Z: Floats, y: Places, space: Space) -> float:
    """Return the average variance of a direction within classes; that of all rows if classes have none."""
    known = ~np.isnan(Z)
    if known.all():
        means = np.array([Z[y == c].mean(axis=0) for c in range(int(y.max()) + 1)])
        off = Z - means[y]
    else:
        sums = np.array([np.where(known, Z, 0.0)[y == c].sum(axis=0) for c in range(int(y.max()) + 1)])
        rows = np.array([known[y == c].sum(axis=0) for c in range(int(y.max()) + 1)])
        off = np.where(known, Z - (sums / np.maximum(rows, 1))[y], 0.0)
    r = max(space.basis.shape[1], 1)
    within = float((off**2).sum()) / (len(Z) * r)
    whole: float = np.trace(space.correlation).item() / r
    return within if within > FLAT * whole else whole
