"""The compiled kernels for wide tables: one column with many others, reduced without keeping a pair table.

Importing this module loads numba, as `compiled` does, whose bit planes it uses.
"""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Ints
from pgm_nb.counts.compiled import LANES, and_popcount
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "reduce_bits", "reduce_histograms"]

_LANES_AT_ONCE = 512  # planes of other columns whose counts are held at a time
_I32, _I64, _U64 = types.int32, types.int64, types.uint64

Counts32 = NDArray[np.int32]


@inlined
def _reduced(
    strip: NDArray[np.int64],
    k: int,
    v: int,
    u: int,
    at: int,
    own: Counts32,
    other: Counts32,
    sums: Ints,
    terms: Ints,
) -> np.int64:
    """Return the sum of the terms of one pair's table; last states are what the marginals leave over."""
    total = np.int64(0)
    for c in range(k):
        single, across = own[c * v : (c + 1) * v], other[c * u : (c + 1) * u]
        left = np.int64(across[u - 1])  # of the last state of the other column
        for b in range(u - 1):
            sums[b] = across[b]
        for a in range(v - 1):
            found = strip[c * (v - 1) + a]
            rest = np.int64(single[a])
            for b in range(u - 1):
                n = found[at + b]
                total += terms[np.uint64(n)]
                sums[b] -= n
                rest -= n
            total += terms[np.uint64(rest)]
            left -= rest
        for b in range(u - 1):
            total += terms[np.uint64(sums[b])]
        total += terms[np.uint64(left)]
    return total


@compile_for(
    *(read(_U64, 3), read(_U64, 2), read(_I64), read(_I64), read(_I64)),
    *(read(_I32), read(_I32), read(_I64), write(_I64), _I64, _I64),
)
def reduce_bits(
    planes: NDArray[np.uint64],
    mine: NDArray[np.uint64],
    words: Ints,
    states: Ints,
    plane: Ints,
    own: Counts32,
    singles: Counts32,
    terms: Ints,
    sums: Ints,
    first: int,
    last: int,
) -> None:
    """Write sums[j] = sum of terms over the cells of n(y, x, xj), for the columns first <= j < last.

    `mine` are the planes of the one column, `own` its table n(y, x). Columns without planes and with more
    than one state are left alone.
    """
    k, width = words.shape[0] - 1, mine.shape[0]
    v = width + 1
    lanes = _LANES_AT_ONCE + 2 * LANES
    for j in range(first, last):
        lanes = max(lanes, plane[j + 1] - plane[j] + 2 * LANES)
    lanes = (lanes + LANES - 1) // LANES * LANES
    strip = np.empty((max(1, k * width), lanes), dtype=np.int64)
    rest = np.empty(lanes, dtype=np.int64)
    begin = first
    while begin < last:
        end = begin + 1
        while end < last and plane[end + 1] - plane[begin] <= _LANES_AT_ONCE:
            end += 1
        low, high = plane[begin] // LANES, (plane[end] + LANES - 1) // LANES
        strip[:] = 0
        for c in range(k):
            own_words = slice(words[c], words[c + 1])
            for g in range(low, high):
                at = (g - low) * LANES
                for a in range(width):
                    and_popcount(
                        mine[a, own_words], planes[g, own_words], strip[c * width + a, at : at + LANES]
                    )
        for j in range(begin, end):
            u = states[j + 1] - states[j]
            if plane[j + 1] - plane[j] == u - 1:
                other = singles[k * states[j] : k * states[j + 1]]
                at = plane[j] - low * LANES
                sums[j] = _reduced(strip, k, v, u, at, own, other, rest, terms)
        begin = end


@compile_for(
    *(read(types.uint16, 2), read(types.uint16), read(_I64), read(_I64)),
    *(read(_I64), read(_I64), write(_I64), _I64, _I64, _I64),
)
def reduce_histograms(
    grouped: NDArray[np.uint16],
    mine: NDArray[np.uint16],
    y: Ints,
    cards: Ints,
    places: Ints,
    steps: Ints,
    sums: Ints,
    v: int,
    first: int,
    last: int,
) -> None:
    """Write sums[j] for the columns j of places[first], ..., places[last - 1], row by row.

    `steps[n]` is what a sum grows by when a cell goes from n to n + 1 rows. `mine` are the codes of the one
    column, which has v states, and `grouped` those of the others.
    """
    k, largest = y.max() + 1, np.int64(1)
    for t in range(first, last):
        largest = max(largest, cards[places[t]])
    table = np.zeros(k * v * largest, dtype=np.int32)
    for t in range(first, last):
        other, u = grouped[places[t]], np.uint64(cards[places[t]])
        total = np.int64(0)
        for r in range(mine.shape[0]):
            cell = (np.uint64(y[r]) * np.uint64(v) + np.uint64(mine[r])) * u + np.uint64(other[r])
            total += steps[np.uint64(table[cell])]
            table[cell] += 1
        for r in range(mine.shape[0]):
            table[(np.uint64(y[r]) * np.uint64(v) + np.uint64(mine[r])) * u + np.uint64(other[r])] = 0
        sums[places[t]] = total


READY = remember_compiled(__name__)
