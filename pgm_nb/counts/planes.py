"""The compiled kernels at work: bit planes for pairs of few states, histograms for the others, in threads."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Ints
from pgm_nb.counts.kernels import CompiledModule, in_threads
from pgm_nb.counts.table import Layout

__all__ = ["COMPILED", "add_block", "bit_limit"]

COMPILED = CompiledModule("pgm_nb.counts.compiled", load_seconds=1.5, compile_seconds=6.0)
_MOST_STATES = 255  # of a column with bit planes, whose codes are bytes
_NO_PLANES = 2**31  # the effort of a column that cannot have them

Counts32 = NDArray[np.int32]


@dataclass(frozen=True)
class _Block:
    """A block of rows, grouped by class, and how to count it."""

    codes: Codes
    y: Ints
    order: NDArray[np.uint32]  # the rows grouped by class
    rows: Ints  # where each class begins among them
    layout: Layout
    width: Ints  # v - 1, the planes a column would have
    effort: Ints  # the same, or _NO_PLANES
    limit: int  # bit planes count a pair while effort_i effort_j <= limit
    n_threads: int


def add_block(
    codes: Codes, y: Ints, layout: Layout, limit: int, n_threads: int, singles: Counts32, pairs: Counts32
) -> None:
    """Add the counts of a block of rows in place.

    Pairs with (v_i - 1)(v_j - 1) <= limit are counted on bit planes, the others, and columns of more than 255
    states, by histograms.
    """
    from pgm_nb.counts import compiled

    rows = _ends(np.bincount(y, minlength=layout.n_classes))
    order = np.empty(len(y) + 1, dtype=np.uint32)
    compiled.group_rows(y, rows[:-1].copy(), order)
    width = np.asarray(layout.cards, dtype=np.int64) - 1
    effort = np.where(width < _MOST_STATES, width, _NO_PLANES)
    block = _Block(codes, y, order[:-1], rows, layout, width, effort, limit, n_threads)
    _add_bits(block, singles, pairs)
    _add_histograms(block, pairs)


def bit_limit(kernel: str, layout: Layout, n_rows: int) -> int:
    """Return the largest (v_i - 1)(v_j - 1) for which bit planes beat a histogram of that pair.

    Bit planes cost (v_i - 1)(v_j - 1) ANDs per word of 64 rows, a word at least per class; a histogram
    costs a step per row.

    Examples
    --------
    >>> bit_limit("auto", Layout((5, 5), 2), 100_000), bit_limit("auto", Layout((5, 5), 10), 2_000)
    (285, 104)
    """
    if kernel == "bitset":
        return 2**20
    if kernel == "histogram":
        return -1
    words = n_rows / 64 + layout.n_classes
    return int(n_rows / (words / 4.5 + layout.n_classes))


def _add_bits(block: _Block, singles: Counts32, pairs: Counts32) -> None:
    """Build the bit planes, which gives n(y, xi) on the way, and add the pairs they count."""
    from pgm_nb.counts import compiled

    states, starts = block.layout.states(), block.layout.column_starts()
    words = _ends((np.diff(block.rows) + 63) // 64)
    plane = _ends(np.where(block.effort * _least_other(block.effort) <= block.limit, block.width, 0))
    n_groups = -(-int(plane[-1]) // compiled.LANES)
    planes = np.empty((n_groups, words[-1], compiled.LANES), dtype=np.uint64)
    own = np.zeros_like(singles)
    narrow = block.codes.astype(np.uint8, copy=False)

    def build(first: int, last: int) -> None:
        compiled.build_planes(
            *(narrow, block.order, block.rows, words, states, plane, planes, own, first, last)
        )

    in_threads(build, len(block.y) * (0.5 + 0.02 * np.diff(plane)), block.n_threads)
    for i in np.flatnonzero(plane[1:] == plane[:-1]).tolist():
        size = block.layout.n_classes * block.layout.cards[i]
        table = np.bincount(block.y * block.layout.cards[i] + block.codes[i], minlength=size)
        own[block.layout.n_classes * states[i] :][:size] = table
    singles += own

    narrowest = np.full(n_groups * compiled.LANES, _NO_PLANES, dtype=np.int64)
    narrowest[: plane[-1]] = np.repeat(block.width, np.diff(plane))
    narrowest = narrowest.reshape(n_groups, compiled.LANES).min(axis=1)

    def bits(first: int, last: int) -> None:
        compiled.add_bits(
            *(planes, words, states, plane, block.effort, block.width, narrowest),
            *(own, pairs, starts, block.limit, first, last),
        )

    work = np.diff(plane) * (plane[-1] - plane[1:]) * (words[-1] / 4.5) + 2.0 * np.diff(starts)
    in_threads(bits, work, block.n_threads)


def _add_histograms(block: _Block, pairs: Counts32) -> None:
    """Add the pairs that bit planes do not count."""
    from pgm_nb.counts import compiled

    chosen = block.effort * _largest_other(block.effort) > block.limit
    if not chosen.any():
        return
    states, starts = block.layout.states(), block.layout.column_starts()
    place = _ends(chosen)
    grouped = block.codes[chosen].take(block.order, axis=1).astype(np.uint16, copy=False)

    def histograms(first: int, last: int) -> None:
        compiled.add_histograms(
            *(grouped, place, block.rows, states, block.effort, pairs, starts, block.limit, first, last)
        )

    in_threads(histograms, chosen * np.arange(len(chosen), 0, -1.0) * len(block.y), block.n_threads)


def _ends(sizes: Ints | NDArray[np.bool_]) -> Ints:
    """Return where each item begins, and the end of the last."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def _least_other(effort: Ints) -> Ints:
    """Return for each column the least effort of another column that is not constant."""
    ranked = np.where(effort > 0, effort, _NO_PLANES)
    others = np.full(len(ranked), ranked.min())
    others[ranked.argmin()] = np.sort(ranked)[1] if len(ranked) > 1 else _NO_PLANES
    return others


def _largest_other(effort: Ints) -> Ints:
    """Return for each column the largest effort of another column."""
    others = np.full(len(effort), effort.max())
    others[effort.argmax()] = np.sort(effort)[-2] if len(effort) > 1 else 0
    return others
