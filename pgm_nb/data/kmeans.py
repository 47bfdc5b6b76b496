"""Cut points half-way between the centres of clusters of numbers (k-means)."""

import numpy as np

from pgm_nb.arrays import Floats, Places

__all__ = ["kmeans_cuts"]

_ROUNDS = 300
_STILL = 1e-4  # of the variance: centres that move less than this, squared and summed, have settled


def kmeans_cuts(ordered: Floats, n_bins: int) -> Floats:
    """Return the edges between `n_bins` clusters: values that lie close together share a bin.

    Lloyd's rounds from the centres of `n_bins` bins of equal width, as scikit-learn's `KBinsDiscretizer` has
    them: every value belongs to the nearest centre, and every centre moves to the mean of its values. A
    centre without values takes the one that is farthest from its own, of equally far ones the smallest (there
    scikit-learn goes by rounding).

    Parameters
    ----------
    ordered
        The column's values in ascending order, without NaN; more distinct ones than `n_bins`.
    n_bins
        The largest number of bins.

    References
    ----------
    S. P. Lloyd (1982). Least squares quantization in PCM. IEEE Trans. Information Theory 28, 129-137.

    Examples
    --------
    >>> kmeans_cuts(np.array([1.0, 2.0, 3.0, 10.0, 11.0, 12.0]), 2)
    array([6.5])
    """
    size = max(abs(ordered[0]), abs(ordered[-1])) or 1.0
    values = ordered / size  # squares cannot overflow
    middle = values.mean()
    values = values - middle
    edges = np.linspace(values[0], values[-1], n_bins + 1)
    centres = (edges[1:] + edges[:-1]) / 2
    before = np.concatenate([[0.0], np.cumsum(values)])
    settled = _STILL * values.var()
    ends: Places | None = None
    for _ in range(_ROUNDS):
        order = np.argsort(centres)
        last, ends = ends, _ends(values, centres[order])
        if last is not None and np.array_equal(last, ends):
            break
        moved = _means(values, before, centres, order, ends)
        shift = float(((moved - centres) ** 2).sum())
        centres = moved
        if shift <= settled:
            break
    centres = np.sort(centres)
    cuts: Floats = np.unique(((centres[1:] + centres[:-1]) / 2 + middle) * size)
    inside: Floats = cuts[(cuts >= ordered[0]) & (cuts < ordered[-1])]
    return inside


def _ends(values: Floats, centres: Floats) -> Places:
    """Return where the values of each centre begin and end; half-way they belong to the lower one."""
    inner = np.searchsorted(values, (centres[1:] + centres[:-1]) / 2, side="right")
    return np.concatenate([[0], inner, [len(values)]])


def _means(values: Floats, before: Floats, centres: Floats, order: Places, ends: Places) -> Floats:
    """Return the mean of the values of every centre; those without any take the farthest values."""
    sums, rows = np.empty(len(centres)), np.empty(len(centres))
    sums[order], rows[order] = np.diff(before[ends]), np.diff(ends)
    empty = np.flatnonzero(rows == 0)
    if len(empty):
        owner = np.repeat(order, np.diff(ends))
        distance = np.abs(values - centres[owner])
        far = np.argsort(-np.round(distance / distance.max(), 12), kind="stable")[: len(empty)]
        np.subtract.at(sums, owner[far], values[far])
        np.subtract.at(rows, owner[far], 1)
        sums[empty], rows[empty] = values[far], 1
    means: Floats = np.where(rows > 0, sums / np.maximum(rows, 1), centres)
    return means
