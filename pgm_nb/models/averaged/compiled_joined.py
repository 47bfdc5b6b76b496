"""The compiled kernel of averaged one-dependence for groups of columns; importing this module loads numba.

Rows are sorted by the states of a group, and their places are copied in this order. Then each column of the
group takes its turn as the parent, state by state: what the rows with one state need is one slab of the
tables, which stays next to the processor, and the places of rows are read one after the other.
"""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.models.averaged.vectors import TOGETHER, add_two, copy_four, starred

__all__ = ["add_joined"]

_APART = 64  # more than a power of two, or lines would push each other out of the cache
_I64 = types.int64
_star_two, _star_four, _star_six, _star_eight, _star_ten, _star_twelve = map(starred, (2, 4, 6, 8, 10, 12))


@inlined
def _lay_groups(
    codes: NDArray[np.uint16],
    group: Ints,
    strides: Ints,
    offsets: Ints,
    lanes: int,
    keys: NDArray[np.uint16],
    places: NDArray[np.uint16],
    counted: NDArray[np.uint32],
) -> None:
    """Write which combination of states each group has in a row, and where its factors are; count rows."""
    n = codes.shape[1]
    counted[:] = 0
    for g in range(offsets.shape[0]):
        keys[g, :n] = np.uint16(0)
    for j in range(codes.shape[0]):
        own, line, stride = codes[j], keys[group[j]], np.uint16(strides[j])
        for r in range(n):
            line[r] += own[r] * stride
    for r in range(n):
        for g in range(offsets.shape[0]):
            key = keys[g, r]
            places[r, g] = np.uint16(offsets[g] + key * lanes)
            counted[g, key] += np.uint32(1)


@inlined
def _sort_rows(
    keys: NDArray[np.uint16],
    words: NDArray[np.uint64],
    starts: NDArray[np.uint32],
    ends: NDArray[np.uint32],
    order: NDArray[np.uint32],
    ordered: NDArray[np.uint64],
    group: int,
    last: int,
) -> None:
    """Put rows with the same key side by side: which rows they are, and a copy of their places.

    `ends` says how many rows have each key; it becomes where they end, and `starts` where they begin.
    The place of a group, which all rows with the same key share, is taken by that of the last group.
    """
    total = np.uint32(0)
    for key in range(len(ends)):
        starts[key], ends[key], total = total, total, total + ends[key]
    starts[len(ends)] = total
    step, source, target = words.strides[0], words.ctypes.data, ordered.ctypes.data
    moved = ordered.view(np.uint16)
    for r in range(len(keys)):
        i = np.int64(ends[keys[r]])
        ends[keys[r]] += np.uint32(1)
        order[np.uint64(i)] = np.uint32(r)
        for byte in range(0, step, 32):
            copy_four(source + r * step + byte, target + i * step + byte)
        moved[np.uint64(i), np.uint64(group)] = moved[np.uint64(i), np.uint64(last)]


@inlined
def _add_rows(sums: Floats, order: NDArray[np.uint32], totals: Floats) -> None:
    """Add the sums of ordered rows to their totals; the lanes are even."""
    source, target, step = sums.ctypes.data, totals.ctypes.data, sums.strides[0]
    for i in range(len(sums)):
        for byte in range(0, step, 16):
            add_two(source + i * step + byte, target + np.int64(order[i]) * step + byte)


@inlined
def _add_run(
    slab: int,
    joint: int,
    own: int,
    lanes: int,
    places: int | np.int64,
    step: int,
    count: int,
    sums: int | np.int64,
    n: int | np.int64,
) -> None:
    """Add the stars of a parent in one state to the sums of rows with the same states in its group."""
    if lanes == 2:
        _star_two(slab, joint, own, places, step, count, sums, n)
    elif lanes == 4:
        _star_four(slab, joint, own, places, step, count, sums, n)
    elif lanes == 6:
        _star_six(slab, joint, own, places, step, count, sums, n)
    elif lanes == 8:
        _star_eight(slab, joint, own, places, step, count, sums, n)
    elif lanes == 10:
        _star_ten(slab, joint, own, places, step, count, sums, n)
    else:
        _star_twelve(slab, joint, own, places, step, count, sums, n)


@inlined
def _add_parent(
    slabs: Floats,
    joints: Floats,
    card: int,
    stride: int,
    unknown: bool,
    offset: int,
    starts: NDArray[np.uint32],
    ordered: NDArray[np.uint64],
    count: int,
    sums: Floats,
) -> None:
    """Add the stars of one parent to the sums of rows that are ordered by the states of its group.

    Rows that do not know it, which come after those of its last state, take part in every state.
    """
    lanes, step = joints.shape[1], ordered.strides[0]
    for s in range(card):
        slab, joint = slabs[s].ctypes.data, joints[s].ctypes.data
        for state in (s, card):
            if state == card and not unknown:
                break
            for high in range(state * stride, len(starts) - 1, (card + unknown) * stride):
                for key in range(high, high + stride):
                    start = np.int64(starts[key])
                    n = np.int64(starts[key + 1]) - start
                    if n:
                        own = slab + 8 * (offset + key * lanes)
                        places, total = (
                            ordered.ctypes.data + start * step,
                            sums.ctypes.data + start * sums.strides[0],
                        )
                        _add_run(slab, joint, own, lanes, places, step, count, total, n)


@compile_for(
    *(read(types.uint16, 2), read(_I64), read(_I64), read(_I64), read(_I64), read(_I64), read(_I64)),
    *(read(types.float64, 3), read(types.float64, 2), types.boolean, write(types.float64, 2)),
)
def add_joined(
    codes: NDArray[np.uint16],
    begins: Ints,
    cards: Ints,
    group: Ints,
    strides: Ints,
    offsets: Ints,
    widths: Ints,
    slabs: Floats,
    joints: Floats,
    unknown: bool,
    totals: Floats,
) -> None:
    """Add the stars of all parents to the totals of the rows, (rows, lanes), which are sorted together.

    The factors of the group that rows are sorted by are the same for all rows with the same key; so in the
    copies its place is taken by that of the last group.
    """
    lanes, groups, n = joints.shape[1], offsets.shape[0], codes.shape[1]
    keys, sums = np.empty((groups, n + _APART), dtype=np.uint16), np.empty((n, lanes))
    words = np.zeros((n, (groups + 15) // 16 * TOGETHER), dtype=np.uint64)
    ordered, places, order = np.empty_like(words), words.view(np.uint16), np.empty(n, dtype=np.uint32)
    widest = widths.max()
    counted, starts = np.empty((groups, widest), dtype=np.uint32), np.empty(widest + 1, dtype=np.uint32)
    _lay_groups(codes, group, strides, offsets, lanes, keys, places, counted)
    for g in range(groups):
        ends = counted[g, : widths[g]]
        _sort_rows(keys[g, :n], words, starts, ends, order, ordered, g, groups - 1)
        sums[:] = 0.0
        for p in range(cards.shape[0]):
            if group[p] == g:
                _add_parent(
                    *(slabs[begins[p] :], joints[begins[p] :], cards[p], strides[p], unknown, offsets[g]),
                    *(starts[: widths[g] + 1], ordered, groups - 1, sums),
                )
        _add_rows(sums, order, totals)
