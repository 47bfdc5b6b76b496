"""Where numbers are cut into intervals: equal counts, equal widths, by the class, by clusters."""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Ints, Places

__all__ = [
    "between",
    "bin_codes",
    "caim_cuts",
    "kmeans_cuts",
    "mdlp_cuts",
    "order_cuts",
    "quantile_cuts",
    "quantile_cuts_of_counts",
    "quantile_places",
    "readable_cuts",
    "short_number",
    "uniform_cuts",
]

_FEW_CUTS = 16  # up to here summed comparisons are faster than a binary search per cell


def quantile_cuts(ordered: Floats, n_bins: int) -> Floats:
    """Return the inner edges of at most `n_bins` equally filled bins; equal quantiles merge.

    Parameters
    ----------
    ordered
        The column's values in ascending order, without NaN.
    n_bins
        The largest number of bins.

    Notes
    -----
    The edges are those of ``np.quantile(x, [1/b, ..., (b-1)/b])`` to the last bit, but read from a
    column that is already sorted. An edge at the maximum is left out, because nothing lies above it.

    Examples
    --------
    >>> quantile_cuts(np.arange(11.0), 5)
    array([2., 4., 6., 8.])
    """
    below, above, weight = quantile_places(len(ordered), n_bins)
    return _inside(between(ordered[below], ordered[above], weight), ordered)


def order_cuts(ordered: Floats, n_bins: int) -> Floats:
    """Return edges at order statistics, in intervals that are closed on the left (Kovács et al. 2024).

    The quantile of q is the value at place ceil(q n) of the sorted rows, so always a value of the column, and
    rows of that value belong to the bin above it. As edges, of which ours belong to the bin below, these are
    the largest values under the quantiles. Equal quantiles merge.

    Parameters
    ----------
    ordered
        The column's values in ascending order, without NaN.
    n_bins
        The largest number of bins.

    Examples
    --------
    >>> order_cuts(np.array([1.0, 2.0, 2.0, 3.0, 4.0, 5.0]), 3)  # quantiles 2 and 3: [1], [2, 2], [3, 4, 5]
    array([1., 2.])
    """
    places = -(-np.arange(1, n_bins) * len(ordered) // n_bins) - 1
    below = np.searchsorted(ordered, ordered[places], side="left") - 1
    return _inside(ordered[below[below >= 0]], ordered)


def quantile_cuts_of_counts(values: Floats, counts: Ints, n_bins: int) -> Floats:
    """Return what `quantile_cuts` does, of a column given by its distinct values and how often each occurs.

    Examples
    --------
    >>> quantile_cuts_of_counts(np.array([1.0, 2.0, 9.0]), np.array([2, 3, 1]), 2)
    array([2.])
    """
    below, above, weight = quantile_places(int(counts.sum()), n_bins)
    ends = np.cumsum(counts)
    left, right = (values[np.searchsorted(ends, place, side="right")] for place in (below, above))
    return _inside(between(left, right, weight), values)


def quantile_places(n: int, n_bins: int) -> tuple[Places, Places, Floats]:
    """Return the rows between which each quantile of n sorted rows lies, and how far it is from the first."""
    place = np.arange(1, n_bins) / n_bins * (n - 1)
    below = np.floor(place).astype(np.intp)
    return below, np.minimum(below + 1, n - 1), place - below


def between(left: Floats, right: Floats, weight: Floats) -> Floats:
    """Interpolate, as NumPy does, from the nearer neighbour, which keeps the result monotone."""
    step = right - left
    edges: Floats = np.where(weight < 0.5, left + step * weight, right - step * (1 - weight))
    return edges


def uniform_cuts(ordered: Floats, n_bins: int) -> Floats:
    """Return the inner edges of `n_bins` bins of equal width between the smallest and largest value.

    Examples
    --------
    >>> uniform_cuts(np.array([0.0, 1.0, 10.0]), 5)
    array([2., 4., 6., 8.])
    """
    edges = np.linspace(ordered[0] / 2, ordered[-1] / 2, n_bins + 1)[1:-1] * 2  # halves cannot overflow
    return _inside(edges, ordered)


def _inside(edges: Floats, ordered: Floats) -> Floats:
    """Return the distinct edges below the maximum."""
    edges = np.sort(edges) + 0.0  # no negative zero
    new = np.empty(len(edges), dtype=bool)
    new[:1] = True
    np.not_equal(edges[1:], edges[:-1], out=new[1:])
    edges = edges[new]
    return edges[: np.searchsorted(edges, ordered[-1])]


def readable_cuts(edges: Floats, ordered: Floats, *, centre: bool = True) -> tuple[float, ...]:
    """Move edges off the values, to short decimal numbers that sort the rows into the same bins.

    An edge on a value makes the bin of that value a matter of rounding: the same number read as float32
    may land on the other side. So each cut lies well inside the gap between two neighbouring values, and
    is the shortest decimal number there, so that a label that prints it is exactly true.

    Parameters
    ----------
    edges
        Cut points; a value on an edge belongs to the bin below it.
    ordered
        The column's values in ascending order, without NaN; the largest lies above all edges.
    centre
        Aim at the middle of the gap; otherwise stay near the edge where it is not on a value, as edges of
        equal width should.

    Examples
    --------
    >>> readable_cuts(np.array([2.0, 3.3]), np.array([1.0, 2.0, 3.0, 4.0]))
    (2.5, 3.5)
    >>> readable_cuts(np.array([11.3660231]), np.array([11.36, 11.3660231, 11.37]))
    (11.368,)
    """
    place = np.searchsorted(ordered, edges, side="right")
    gaps = zip(ordered[place - 1].tolist(), ordered[place].tolist(), edges.tolist(), strict=True)
    cuts = [
        short_number(low, high, low / 2 + high / 2 if centre or edge <= low else edge)
        for low, high, edge in gaps
    ]
    return tuple(sorted(set(cuts)))  # two edges in one gap may have changed places


def short_number(low: float, high: float, aim: float) -> float:
    """Return the shortest number near `aim` that keeps clear of both neighbours, if there is one."""
    reach = min(aim - low, high - aim) / 2
    size = max(abs(low), abs(high))
    start = -math.floor(math.log10(size)) if size else 0
    for digits in range(start, start + 18):
        near = round(aim, digits) + 0.0
        if abs(near - aim) <= reach and low < near < high:
            return near
    return aim if low <= aim < high else low  # neighbouring floats: nothing lies between them


def mdlp_cuts(values: Floats, y: NDArray[np.integer]) -> Floats:
    """Return the cuts that lower the class entropy by more than they cost to describe.

    Parameters
    ----------
    values
        The column without NaN.
    y
        Class codes of the same rows.

    References
    ----------
    U. M. Fayyad, K. B. Irani (1993). Multi-interval discretization of continuous-valued attributes for
    classification learning. IJCAI, 1022-1027.

    Examples
    --------
    >>> mdlp_cuts(np.arange(20.0), np.repeat([0, 1], 10))
    array([9.5])
    >>> mdlp_cuts(np.arange(20.0), np.tile([0, 1], 10))
    array([], dtype=float64)
    """
    n_classes = int(y.max()) + 1
    points, group = np.unique(values, return_inverse=True)
    counts = np.bincount(group * n_classes + y, minlength=len(points) * n_classes)
    counts = counts.reshape(len(points), n_classes)
    before = np.vstack([np.zeros((1, n_classes), counts.dtype), counts.cumsum(axis=0)])
    boundary = _boundaries(counts)
    cuts, todo = [], [(0, len(points))]
    while todo:
        low, high = todo.pop()
        inside = boundary[np.searchsorted(boundary, low, "right") : np.searchsorted(boundary, high)]
        cut = _best_cut(before, low, high, inside)
        if cut is not None:
            cuts.append(cut)
            todo += [(low, cut), (cut, high)]
    places = np.array(sorted(cuts), dtype=np.intp)
    left, right = points[places - 1], points[places]
    middle = left / 2 + right / 2
    cut_points: Floats = np.where((left <= middle) & (middle < right), middle, left)
    return cut_points


def _boundaries(counts: NDArray[np.integer]) -> NDArray[np.intp]:
    """Return the places between distinct values that are not inside a run of one class (Theorem 1)."""
    owner = np.where((counts > 0).sum(axis=1) == 1, counts.argmax(axis=1), -1)
    return np.flatnonzero((owner[1:] != owner[:-1]) | (owner[1:] < 0)) + 1


def _best_cut(before: NDArray[np.integer], low: int, high: int, places: NDArray[np.intp]) -> int | None:
    """Return the place of least class entropy in [low, high), or None if MDL refuses it."""
    if len(places) == 0:
        return None
    whole = (before[high] - before[low])[None]
    left = before[places] - before[low]
    right = whole - left
    bits_left, bits_right = _bits(left), _bits(right)
    best = int(np.argmin(bits_left + bits_right))
    n, bits = whole.sum(), _bits(whole)[0]
    gain = (bits - bits_left[best] - bits_right[best]) / n  # Gain(A, T; S), eq. in section 3
    k, k_left, k_right = ((part > 0).sum() for part in (whole, left[best], right[best]))
    entropies = (
        k * bits / n
        - k_left * bits_left[best] / left[best].sum()
        - k_right * bits_right[best] / right[best].sum()
    )
    delta = np.log2(3.0**k - 2) - entropies  # Delta(A, T; S), MDLP criterion
    return int(places[best]) if gain > (np.log2(n - 1) + delta) / n else None


def _bits(counts: NDArray[np.integer]) -> Floats:
    """Return N times the class entropy of each row of counts, in bits: N log N - sum of n log n."""
    total = counts.sum(axis=1)
    parts: Floats = (counts * np.log2(np.maximum(counts, 1))).sum(axis=1)
    bits: Floats = total * np.log2(np.maximum(total, 1)) - parts
    return bits


def bin_codes(values: Floats, cuts: tuple[float, ...]) -> Codes:
    """Return the number of cuts below each value, so that a bin is an interval (a, b].

    Examples
    --------
    >>> bin_codes(np.array([0.5, 1.0, 1.5, 9.0]), (1.0, 2.0))
    array([0, 0, 1, 2], dtype=uint8)
    """
    if len(cuts) > _FEW_CUTS:
        return np.searchsorted(np.array(cuts), values, side="left").astype(np.uint16)
    codes = np.zeros(len(values), dtype=np.uint8)
    for cut in cuts:
        codes += (values > cut).view(np.uint8)
    return codes


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
        place, criterion = _best_caim_cut(before, ends)
        if criterion <= best and len(ends) - 1 >= present:
            break
        ends, best = np.sort(np.append(ends, place)), criterion
    left, right = points[ends[1:-1] - 1], points[ends[1:-1]]
    middle = left / 2 + right / 2
    cuts: Floats = np.where((left <= middle) & (middle < right), middle, left)
    return cuts


def _best_caim_cut(before: Ints, ends: Ints) -> tuple[int, float]:
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
