"""The compiled kernels: bit planes with AND + popcount, and joint histograms.

Importing this module loads numba and compiles everything (or reads it from disk), so it is imported
only where that pays; see `kernels`. All functions release the interpreter lock and touch only their own part
of the output, so that any number of threads gives the same integers.

Bit planes: rows are grouped by class, every class padded to whole 64-bit words. A plane holds one state of
one column, a bit per row; the last state of a column has none, since the marginals give it. Eight planes are
interleaved word by word: `planes[g, w]` are the words w of the planes 8g, ..., 8g + 7. The number of rows of
one class with states a and b is the popcount of (plane a AND plane b), and vector instructions do that for
eight planes b at once, without a sum across lanes however few words there are.
"""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Ints
from pgm_nb.counts.compiling import (
    compile_for,
    inlined,
    read,
    types,
    write,
)
from pgm_nb.counts.kernels import remember_compiled

__all__ = [
    "LANES",
    "READY",
    "add_bits",
    "add_histograms",
    "and_popcount",
    "build_planes",
    "group_rows",
    "sum_terms",
]

LANES = 8  # planes interleaved in a group
_CHUNK = 256  # words of a group handled at a time: 16 KB, half of a usual first-level cache
_BATCH = 4096  # groups of counts held at a time: 256 KB, half of a usual second-level cache
_I32, _I64, _U32, _U64 = types.int32, types.int64, types.uint32, types.uint64

Counts32 = NDArray[np.int32]


@inlined
def _ones(word: np.uint64) -> np.uint64:
    """Return the number of one bits of a word; the compiler knows this form and takes one instruction."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@inlined
def and_popcount(words: NDArray[np.uint64], groups: NDArray[np.uint64], sums: Ints) -> None:
    """sums[l] += sum over w of popcount(words[w] & groups[w, l]), for the eight lanes l."""
    for w in range(words.shape[0]):
        word, group = words[w], groups[w]
        for lane in range(LANES):
            sums[lane] += np.int64(_ones(word & group[lane]))


@compile_for(read(_I64), write(_I64), write(_U32))
def group_rows(
    y: Ints,
    starts: Ints,
    order: NDArray[np.uint32],
) -> None:
    """Fill `order` with the row numbers grouped by class, in row order.

    `starts` holds where each class begins, and is overwritten; `order` has one entry more than the rows.
    """
    if starts.shape[0] <= 8:
        at = 0
        for c in range(starts.shape[0]):
            for r in range(y.shape[0]):
                order[at] = r  # overwritten by the next row unless this one is of class c
                at += y[r] == c
    else:
        for r in range(y.shape[0]):
            order[starts[y[r]]] = r
            starts[y[r]] += 1


@compile_for(
    *(read(types.uint8, 2), read(_U32), read(_I64), read(_I64), read(_I64), read(_I64)),
    *(write(_U64, 3), write(_I32), _I64, _I64),
)
def build_planes(
    codes: NDArray[np.uint8],
    order: NDArray[np.uint32],
    rows: Ints,
    words: Ints,
    states: Ints,
    plane: Ints,
    planes: NDArray[np.uint64],
    singles: Counts32,
    first: int,
    last: int,
) -> None:
    """Write the bit planes and tables n(y, xi) of those columns first, ..., last - 1 that have planes."""
    masks = np.empty(256, dtype=np.uint64)  # of each state: which of 64 rows have it
    k = rows.shape[0] - 1
    for i in range(first, last):
        column, card = codes[i], states[i + 1] - states[i]
        for c in range(k if plane[i] < plane[i + 1] else 0):
            table = singles[k * states[i] + c * card : k * states[i] + (c + 1) * card]
            for w in range(words[c], words[c + 1]):
                start = rows[c] + 64 * (w - words[c])
                part = order[start : min(start + 64, rows[c + 1])]
                masks[:card] = 0
                for t in range(part.shape[0]):
                    masks[column[part[t]]] |= np.uint64(1) << np.uint64(t)
                for a in range(card - 1):
                    planes[(plane[i] + a) // LANES, w, (plane[i] + a) % LANES] = masks[a]
                    table[a] += np.int64(_ones(masks[a]))
            table[card - 1] += rows[c + 1] - rows[c] - table[: card - 1].sum()


@inlined
def _add_tables(
    strip: Ints,
    i: int,
    c: int,
    k: int,
    states: Ints,
    plane: Ints,
    effort: Ints,
    widths: Ints,
    singles: Counts32,
    pairs: Counts32,
    start: int,
    limit: int,
) -> None:
    """Add the tables of column i and class c; the last states are what the marginals leave over."""
    v = states[i + 1] - states[i]
    single = singles[k * states[i] + c * v : k * states[i] + (c + 1) * v]
    for j in range(i + 1, states.shape[0] - 1):
        u = states[j + 1] - states[j]
        if effort[i] * effort[j] > limit:
            continue
        at = start + k * v * (states[j] - states[i + 1]) + c * v * u
        table = pairs[at : at + v * u]
        other = singles[k * states[j] + c * u : k * states[j] + (c + 1) * u]
        last = table[(v - 1) * u :]
        rest_of_last = single[v - 1]
        b = 0
        while b < widths[j]:  # read anew each time: loops this short must not be vectorised
            last[b] += other[b]
            rest_of_last -= other[b]
            b += 1
        for a in range(v - 1):
            row, found = table[a * u : (a + 1) * u], strip[a, plane[j] : plane[j] + u - 1]
            rest = single[a]
            b = 0
            while b < widths[j]:
                row[b] += found[b]
                last[b] -= found[b]
                rest -= found[b]
                b += 1
            row[b] += rest
            rest_of_last += single[a] - rest
        last[u - 1] += rest_of_last


@compile_for(
    *(read(_U64, 3), *[read(_I64)] * 6),
    *(read(_I32), write(_I32), read(_I64), _I64, _I64, _I64),
)
def add_bits(
    planes: NDArray[np.uint64],
    words: Ints,
    states: Ints,
    plane: Ints,
    effort: Ints,
    widths: Ints,
    narrowest: Ints,
    singles: Counts32,
    pairs: Counts32,
    starts: Ints,
    limit: int,
    first: int,
    last: int,
) -> None:
    """Add n(y, xi, xj) for first <= i < last and all j > i with effort_i effort_j <= limit.

    `narrowest` is the least effort of a column with planes in each group: groups without work for column i
    are skipped.
    """
    k, n_groups = words.shape[0] - 1, planes.shape[0]
    mine = np.empty(_CHUNK, dtype=np.uint64)
    batch = first
    while batch < last:
        end = batch + 1  # as many columns as their counts fit in the cache
        while end < last and (plane[end + 1] - plane[batch]) * n_groups <= _BATCH:
            end += 1
        strip = np.empty((plane[end] - plane[batch], n_groups * LANES), dtype=np.int64)
        for c in range(k):
            strip[:] = 0
            for start in range(words[c], words[c + 1], _CHUNK):
                size = min(_CHUNK, words[c + 1] - start)
                for i in range(batch, end):
                    for p in range(plane[i], plane[i + 1]):
                        for w in range(size):
                            mine[w] = planes[p // LANES, start + w, p % LANES]
                        for g in range(plane[i + 1] // LANES, n_groups):
                            if effort[i] * narrowest[g] <= limit:
                                and_popcount(
                                    mine[:size],
                                    planes[g, start : start + size],
                                    strip[p - plane[batch], g * LANES : (g + 1) * LANES],
                                )
            for i in range(batch, end):
                own_strip = strip[plane[i] - plane[batch] : plane[i + 1] - plane[batch]]
                _add_tables(
                    own_strip, i, c, k, states, plane, effort, widths, singles, pairs, starts[i], limit
                )
        batch = end


@compile_for(
    *(read(types.uint16, 2), read(_I64), read(_I64), read(_I64), read(_I64)),
    *(write(_I32), read(_I64), _I64, _I64, _I64),
)
def add_histograms(
    grouped: NDArray[np.uint16],
    place: Ints,
    rows: Ints,
    states: Ints,
    effort: Ints,
    pairs: Counts32,
    starts: Ints,
    limit: int,
    first: int,
    last: int,
) -> None:
    """Add n(y, xi, xj) for first <= i < last and all j > i with effort_i effort_j > limit.

    `grouped[place[i]]` are the codes of column i with the rows grouped by class.
    """
    k = rows.shape[0] - 1
    for i in range(first, last):
        v = states[i + 1] - states[i]
        for j in range(i + 1, states.shape[0] - 1):
            u = states[j + 1] - states[j]
            if effort[i] * effort[j] <= limit:
                continue
            for c in range(k):
                at = starts[i] + k * v * (states[j] - states[i + 1]) + c * v * u
                table = pairs[at : at + v * u]
                mine, other = (
                    grouped[place[i]][rows[c] : rows[c + 1]],
                    grouped[place[j]][rows[c] : rows[c + 1]],
                )
                for r in range(mine.shape[0]):
                    table[np.uint64(mine[r]) * np.uint64(u) + np.uint64(other[r])] += 1


@compile_for(read(_I32), read(_I64), read(_I64), write(_I64), _I64, _I64)
def sum_terms(
    cells: Counts32,
    terms: Ints,
    starts: Ints,
    sums: Ints,
    first: int,
    last: int,
) -> None:
    """Write sums[t] = sum of terms[n] over the cells n of table t, for the tables first, ..., last - 1."""
    for t in range(first, last):
        total = np.int64(0)
        for n in cells[starts[t] : starts[t + 1]]:
            total += terms[np.uint64(n)]
        sums[t] = total


READY = remember_compiled(__name__)
