"""Cut points by the class: the interdependence of classes and intervals (CAIM)."""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints

__all__ = ["caim_cuts"]


def caim_cuts(values: Floats, y: NDArray[np.integer]) -> Floats:
    """Return the cuts that make intervals of mostly one class, few more than there are classes.

    CAIM = (1/q) sum over the q intervals of (rows of its largest class)^2 / its rows. The cut with the
    largest CAIM is added, as long as it raises CAIM or there are fewer intervals than classes.

    Parameters
    ----------
    values
        The column without NaN.
    y
        Class codes of the same rows.

    References
    ----------
    L. A. Kurgan, K. J. Cios (2004). CAIM discretization algorithm. IEEE Transactions on Knowledge and Data
    Engineering 16, 145-153.

    Examples
    --------
    >>> caim_cuts(np.arange(8.0), np.array([0, 0, 0, 1, 1, 1, 0, 1]))  # (9/3 + 16/5) / 2
    array([2.5])
    """
    n_classes = int(y.max()) + 1
    points, group = np.unique(values, return_inverse=True)
    counts = np.bincount(group * n_classes + y, minlength=len(points) * n_classes)
    before = np.zeros((len(points) + 1, n_classes), dtype=np.int64)
    np.cumsum(counts.reshape(len(points), n_classes), axis=0, out=before[1:])
    present = int((before[-1] > 0).sum())
    ends, best = np.array([0, len(points)]), 0.0
    while len(ends) - 1 < len(points):
        place, criterion = _best_cut(before, ends)
        if criterion <= best and len(ends) - 1 >= present:
            break
        ends, best = np.sort(np.append(ends, place)), criterion
    left, right = points[ends[1:-1] - 1], points[ends[1:-1]]
    middle = left / 2 + right / 2
    cuts: Floats = np.where((left <= middle) & (middle < right), middle, left)
    return cuts


def _best_cut(before: Ints, ends: Ints) -> tuple[int, float]:
    """Return the place between two values whose cut has the largest CAIM, the first of equals, and CAIM."""
    places = np.setdiff1d(np.arange(1, len(before) - 1), ends)
    interval = np.searchsorted(ends, places) - 1  # that the cut divides
    low, high = before[ends[interval]], before[ends[interval + 1]]
    now = _purity(before[ends[1:]] - before[ends[:-1]])
    split = _purity(before[places] - low) + _purity(high - before[places])
    criterion = (now.sum() - now[interval] + split) / len(ends)
    best = int(criterion.argmax())
    return int(places[best]), float(criterion[best])


def _purity(counts: Ints) -> Floats:
    """Return (rows of the largest class)^2 / rows of each interval."""
    purity: Floats = counts.max(axis=1) ** 2 / counts.sum(axis=1)
    return purity
