"""The compiled kernels at work: bit planes for pairs of few states, histograms for the others, in threads."""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.counts.table import Layout
from pgm_nb.counts.threads import in_threads

__all__ = ["add_block"]

Ints = NDArray[np.int64]


def add_block(
    codes: NDArray[np.unsignedinteger],
    y: Ints,
    layout: Layout,
    limit: int,
    n_threads: int,
    singles: NDArray[np.int32],
    pairs: NDArray[np.int32],
) -> None:
    """Add the counts of a block of rows in place.

    Pairs with (v_i - 1)(v_j - 1) <= limit are counted on bit planes, the others by histograms.
    """
    from pgm_nb.counts import compiled

    states, starts = layout.states(), layout.column_starts()
    n_y = np.bincount(y, minlength=layout.n_classes)
    rows, words = _ends(n_y), _ends((n_y + 63) // 64)
    order = np.empty(len(y) + 1, dtype=np.uint32)
    compiled.group_rows(y, rows[:-1].copy(), order)
    order = order[:-1]

    width = np.diff(states) - 1  # planes a column would have
    plane = _ends(np.where(width * _least_other(width) <= limit, width, 0))
    planes = np.empty((-(-plane[-1] // compiled.LANES), words[-1], compiled.LANES), dtype=np.uint64)
    own_singles = np.zeros_like(singles)

    def build(first: int, last: int) -> None:
        compiled.build_planes(codes, order, rows, words, states, plane, planes, own_singles, first, last)

    in_threads(build, len(y) * (0.5 + 0.02 * np.diff(plane)), n_threads)
    singles += own_singles

    narrowest = np.full(len(planes) * compiled.LANES, np.iinfo(np.int32).max, dtype=np.int64)
    narrowest[: plane[-1]] = np.repeat(width, np.diff(plane))
    narrowest = narrowest.reshape(len(planes), compiled.LANES).min(axis=1)

    def bits(first: int, last: int) -> None:
        compiled.add_bits(
            *(planes, words, states, plane, width, narrowest, own_singles, pairs, starts, limit, first, last)
        )

    in_threads(
        bits, np.diff(plane) * (plane[-1] - plane[1:]) * (words[-1] / 4.5) + 2.0 * np.diff(starts), n_threads
    )

    by_histogram = width * _largest_other(width) > limit
    if by_histogram.any():
        place = _ends(by_histogram)
        grouped = codes[by_histogram].take(order, axis=1)

        def histograms(first: int, last: int) -> None:
            compiled.add_histograms(grouped, place, rows, states, pairs, starts, limit, first, last)

        in_threads(histograms, by_histogram * np.arange(len(width), 0, -1.0) * len(y), n_threads)


def _ends(sizes: NDArray[np.int64] | NDArray[np.bool_]) -> Ints:
    """Return where each item begins, and the end of the last."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _least_other(width: Ints) -> Ints:
    """Return for each column the least width of another column that is not constant (2^31: none)."""
    ranked = np.where(width > 0, width, 2**31)
    return (
        _second_at(ranked, int(np.argmin(ranked)), np.sort(ranked)) if len(width) > 1 else np.full(1, 2**31)
    )


def _largest_other(width: Ints) -> Ints:
    """Return for each column the largest width of another column."""
    return _second_at(width, int(np.argmax(width)), np.sort(width)[::-1]) if len(width) > 1 else 0 * width


def _second_at(width: Ints, at: int, ranked: Ints) -> Ints:
    """Return the first of the ranking everywhere, but the second at its own place."""
    others = np.full(len(width), ranked[0])
    others[at] = ranked[1]
    return others
