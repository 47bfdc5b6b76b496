"""Learn how a column of numbers becomes codes: its values as states, or intervals between cut points."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.data.caim import caim_cuts
from pgm_nb.data.column import Column
from pgm_nb.data.discretize import (
    mdlp_cuts,
    order_cuts,
    quantile_cuts,
    quantile_cuts_of_counts,
    readable_cuts,
    uniform_cuts,
)
from pgm_nb.data.kmeans import kmeans_cuts
from pgm_nb.data.labels import interval_labels

__all__ = ["BY_CLASS", "Way", "binned", "learn_numbers", "learn_whole_numbers", "whole_ranges"]

Way = str | tuple[float, ...]  # how a column becomes intervals: the name of a method, or cut points

BY_CLASS = {"mdlp": mdlp_cuts, "caim": caim_cuts}  # methods that look at the class, and decide how many bins
_WIDEST = 1 << 14  # whole numbers that span more than this are sorted instead of counted
_EXACT = 2**53  # whole numbers from here on are not themselves in double precision
_EARLY = 1 << 12  # rows in which every number of a small range is looked for
_ROWS = 1 << 16  # counted at once: they stay in cache


def learn_numbers(
    name: str,
    values: Floats,
    way: Way | None,
    n_bins: int,
    y: NDArray[np.integer] | None,
    *,
    whole: bool = False,
) -> Column:
    """Learn a column of numbers, missing cells as NaN.

    Parameters
    ----------
    name : str
        The name of the column.
    values : array of float
        Its cells.
    way : str, tuple of float or None
        The name of a method, cut points, or None: every distinct value is a state.
    n_bins : int
        The most bins of methods that do not look at the class.
    y : array of int or None
        The classes; only methods of `BY_CLASS` use them.
    whole : bool
        Whether the states are to be whole numbers.

    Examples
    --------
    >>> learn_numbers("age", np.array([30.0, 40.0, np.nan, 50.0]), "quantile", 2, None).labels
    ('≤ 45', '> 45')
    """
    if isinstance(way, tuple):
        return binned(name, way)
    ordered = np.sort(values)  # NaN last
    ordered = ordered[: np.searchsorted(ordered, np.nan)]
    new = np.empty(len(ordered), dtype=bool)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    n_distinct = int(np.count_nonzero(new))
    if way in BY_CLASS and y is not None and n_distinct:
        present = ~np.isnan(values)
        return binned(name, readable_cuts(BY_CLASS[way](values[present], y[present]), ordered))
    if way is None or n_distinct <= n_bins:
        as_written = int if whole else float
        return Column(name, "numeric", tuple(as_written(value) for value in ordered[new] + 0.0))
    if way == "uniform":
        return binned(name, readable_cuts(uniform_cuts(ordered, n_bins), ordered, centre=False))
    if way == "kmeans":
        return binned(name, readable_cuts(kmeans_cuts(ordered, n_bins), ordered, centre=False))
    if way == "order":
        return binned(name, readable_cuts(order_cuts(ordered, n_bins), ordered))
    return binned(name, readable_cuts(quantile_cuts(ordered, n_bins), ordered))


def learn_whole_numbers(
    name: str, values: NDArray[Any], way: Way | None, n_bins: int, y: NDArray[np.integer] | None
) -> Column:
    """Learn a column of whole numbers, as `learn_numbers` does, by counting instead of sorting where it can.

    Examples
    --------
    >>> learn_whole_numbers("children", np.array([2, 0, 0, 3]), "quantile", 5, None).states
    (0, 2, 3)
    """
    if isinstance(way, tuple):
        return binned(name, way)
    low, high = int(values.min()), int(values.max())
    if way in (*BY_CLASS, "order", "kmeans") or high - low >= _WIDEST or max(-low, high) >= _EXACT:
        return learn_numbers(name, values.astype(np.float64), way, n_bins, y, whole=True)
    few = high - low < n_bins or way is None  # so every value is a state, and how often does not matter
    counts = _counts(values, low, high, enough=few)
    distinct = np.flatnonzero(counts)
    if few or len(distinct) <= n_bins:
        return Column(name, "numeric", tuple((distinct + low).tolist()))
    ordered = (distinct + low).astype(np.float64)
    if way == "uniform":
        return binned(name, readable_cuts(uniform_cuts(ordered, n_bins), ordered, centre=False))
    edges = quantile_cuts_of_counts(ordered, counts[distinct], n_bins)
    return binned(name, readable_cuts(edges, ordered))


def whole_ranges(cells: NDArray[Any], most: int) -> list[tuple[int, int]]:
    """Return the least and largest number of each column, if all whole numbers between them occur early.

    Parameters
    ----------
    cells : array of shape (columns, rows)
        Whole numbers.
    most : int
        Columns that span more numbers than this get an empty range (1, 0), as those with gaps do.

    Examples
    --------
    >>> whole_ranges(np.array([[0, 1, 2], [0, 0, 2]]), most=5)
    [(0, 2), (1, 0)]
    """
    low, high = cells.min(axis=1), cells.max(axis=1)
    span = high.astype(np.float64) - low.astype(np.float64)
    few = (span < most) & (np.maximum(-low.astype(np.float64), high) < _EXACT)
    low, span = np.where(few, low, 0), np.where(few, span, 0).astype(np.int64)
    early = cells[:, :_EARLY]
    for step in range(int(span.max()) + 1):
        few &= (span < step) | (early == (low + low.dtype.type(step))[:, None]).any(axis=1)
    ends = zip(low.tolist(), (span + low.astype(np.int64)).tolist(), few.tolist(), strict=True)
    return [(first, last) if whole else (1, 0) for first, last, whole in ends]


def binned(name: str, cuts: Iterable[float]) -> Column:
    """Return a column of intervals.

    Examples
    --------
    >>> binned("age", [40, 60]).states
    ('≤ 40', '(40, 60]', '> 60')
    """
    cuts = tuple(float(cut) for cut in cuts)
    return Column(name, "numeric", interval_labels(cuts), cuts)


def _counts(values: NDArray[Any], low: int, high: int, *, enough: bool) -> Ints:
    """Return how often each whole number occurs; if `enough`, stop as soon as every one has occurred."""
    counts = np.zeros(high - low + 1, dtype=np.int64)
    for start in range(0, len(values), _ROWS):
        cells = np.subtract(values[start : start + _ROWS], low, dtype=np.int64, casting="unsafe")
        counts += np.bincount(cells, minlength=len(counts))
        if enough and counts.all():
            break
    return counts
