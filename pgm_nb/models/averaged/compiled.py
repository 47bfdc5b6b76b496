"""The compiled kernels of averaged one-dependence; importing this module loads numba.

`add_near` goes from row to row: the parents in their usual states are taken together, as many as a tile has
room for, the others one by one, and only the states that are not the usual ones of their columns are
multiplied. `add_far` is for large tables: it goes from parent to parent and takes the rows with one state of
it together, so that all they need is one slab of the tables. `add_joined` goes from parent to parent, too,
and multiplies the factors of groups of columns.
"""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled
from pgm_nb.models.averaged.compiled_joined import add_joined
from pgm_nb.models.averaged.vectors import TOGETHER, multiplier

__all__ = ["PARENTS", "READY", "ROWS", "add_far", "add_joined", "add_near"]

PARENTS = {2: 16, 4: 8, 6: 4, 8: 4, 10: 4, 12: 2}  # in a tile, by the lanes of each
ROWS = 128  # that `add_near` has at hand
_I64 = types.int64
_LANES = tuple(PARENTS)
_two, _four, _six, _eight, _ten, _twelve = (multiplier(lanes, TOGETHER) for lanes in _LANES)
_twos, _fours, _sixes, _eights, _tens, _twelves = (multiplier(lanes, 1, PARENTS[lanes]) for lanes in _LANES)
_far_two, _far_four, _far_six, _far_eight, _far_ten, _far_twelve = (
    multiplier(lanes, TOGETHER, whole=True) for lanes in _LANES
)


@inlined
def _lay_places(
    codes: NDArray[np.uint16],
    modes: Ints,
    begins: Ints,
    ones: int,
    rows: NDArray[np.uint16],
    places: NDArray[np.uint32],
    lengths: NDArray[np.int32],
    order: NDArray[np.int32],
    first: int,
    n: int,
) -> None:
    """Write where the factors of a row's unusual states are, and how many it has; order rows by this number.

    What follows the last place, up to a multiple of four, is the place of ones.
    """
    d = codes.shape[0]
    for j in range(d):
        own = codes[j]
        for r in range(n):
            rows[r, j] = own[first + r]
    for r in range(n):
        size = 0
        for j in range(d):
            code = np.int64(rows[r, j])
            places[r, size] = np.uint32(begins[j] + code)
            size += code != modes[j]
        lengths[r] = size
    starts = np.zeros(d + 2, dtype=np.int32)
    for r in range(n):
        size = lengths[r]
        for slot in range(size, (size + TOGETHER - 1) // TOGETHER * TOGETHER):
            places[r, slot] = np.uint32(ones)
        starts[size + 1] += 1
    for size in range(d + 1):
        starts[size + 1] += starts[size]
    for r in range(n):
        order[starts[lengths[r]]] = r
        starts[lengths[r]] += 1


@compile_for(
    *(read(types.uint16, 2), read(_I64), read(_I64), read(_I64, 2), read(types.float64, 3)),
    *(read(types.float64, 2), read(types.float64, 3), read(types.float64, 2), write(types.float64, 2)),
    *(_I64, _I64),
)
def add_near(
    codes: NDArray[np.uint16],
    modes: Ints,
    begins: Ints,
    spans: Ints,
    tiles: Floats,
    usual: Floats,
    slabs: Floats,
    joints: Floats,
    totals: Floats,
    first: int,
    last: int,
) -> None:
    """Add the stars of all parents to the totals of the rows first, ..., last - 1, (rows, lanes).

    In a tile, the factors of a parent's unusual states are zero. `spans` say of every state which ones its
    parent may have, first and last: those of its column if it is not known, where the usual one is in a tile.
    """
    d, lanes = codes.shape[0], joints.shape[1]
    rows, places = np.empty((ROWS, d), dtype=np.uint16), np.empty((ROWS, d + TOGETHER), dtype=np.uint32)
    lengths, order = np.empty(ROWS, dtype=np.int32), np.empty(ROWS, dtype=np.int32)
    ones = slabs.shape[1] - 1
    tile_at, tile_step = tiles.ctypes.data, tiles.strides[0]
    usual_at, usual_step = usual.ctypes.data, usual.strides[0]
    slab_at, slab_step = slabs.ctypes.data, slabs.strides[0]
    joint_at, joint_step = joints.ctypes.data, joints.strides[0]
    place_at, place_step = places.ctypes.data, places.strides[0]
    total_at, total_step = totals.ctypes.data, totals.strides[0]
    for begin in range(first, last, ROWS):
        n = min(last - begin, ROWS)
        _lay_places(codes, modes, begins, ones, rows, places, lengths, order, begin, n)
        for i in range(n):
            r = np.int64(order[i])
            size = np.int64(lengths[r])
            steps = (size + TOGETHER - 1) // TOGETHER
            row, mine = place_at + r * place_step, total_at + (begin + r) * total_step
            for t in range(tiles.shape[0]):
                tile, start = tile_at + t * tile_step, usual_at + t * usual_step
                if lanes == 2:
                    _twos(tile, row, size, start, start, mine)
                elif lanes == 4:
                    _fours(tile, row, size, start, start, mine)
                elif lanes == 6:
                    _sixes(tile, row, size, start, start, mine)
                elif lanes == 8:
                    _eights(tile, row, size, start, start, mine)
                elif lanes == 10:
                    _tens(tile, row, size, start, start, mine)
                else:
                    _twelves(tile, row, size, start, start, mine)
            for a in range(size):
                place = np.int64(places[r, a])
                for state in range(spans[place, 0], spans[place, 1]):
                    if state == spans[place, 2]:
                        continue
                    slab, start = slab_at + state * slab_step, joint_at + state * joint_step
                    if lanes == 2:
                        _two(slab, row, steps, start, start, mine)
                    elif lanes == 4:
                        _four(slab, row, steps, start, start, mine)
                    elif lanes == 6:
                        _six(slab, row, steps, start, start, mine)
                    elif lanes == 8:
                        _eight(slab, row, steps, start, start, mine)
                    elif lanes == 10:
                        _ten(slab, row, steps, start, start, mine)
                    else:
                        _twelve(slab, row, steps, start, start, mine)


@compile_for(
    *(read(types.uint32, 2), read(types.uint16, 2), read(_I64), read(_I64), read(types.float32, 3)),
    *(read(types.float64, 2), read(types.float64, 2), write(types.float64, 3), _I64, _I64),
)
def add_far(
    places: NDArray[np.uint32],
    codes: NDArray[np.uint16],
    begins: Ints,
    cards: Ints,
    slabs: NDArray[np.float32],
    joints: Floats,
    shrinks: Floats,
    totals: Floats,
    first: int,
    last: int,
) -> None:
    """Add the stars of every parent to the totals of the groups first, ..., last - 1, (groups, rows, lanes).

    `places` (rows, d padded to a multiple of four) say where the factors of a row's states are in a slab.
    """
    n, steps = places.shape[0], places.shape[1] // TOGETHER
    order = np.empty(n, dtype=np.int64)
    place_at, place_step = places.ctypes.data, places.strides[0]
    for g in range(first, last):
        total_at, total_step = totals[g].ctypes.data, totals.strides[1]
        for p in range(g, cards.shape[0], totals.shape[0]):
            own = codes[p]
            starts = np.zeros(cards[p] + 2, dtype=np.int64)
            for r in range(n):
                starts[own[r] + 1] += 1
            for s in range(cards[p] + 1):
                starts[s + 1] += starts[s]
            ends = starts.copy()
            for r in range(n):
                order[ends[own[r]]] = r
                ends[own[r]] += 1
            for s in range(cards[p]):
                slab = slabs[begins[p] + s].ctypes.data
                joint, shrink = joints[begins[p] + s].ctypes.data, shrinks[begins[p] + s].ctypes.data
                known = starts[s + 1] - starts[s]
                for i in range(known + n - starts[cards[p]]):  # rows with this state, then those with none
                    r = order[starts[s] + i if i < known else starts[cards[p]] + i - known]
                    row, mine = place_at + r * place_step, total_at + r * total_step
                    lane = 0  # a place is read once for as many classes as there is room for
                    left = totals.shape[2]
                    while left >= 12:
                        _far_twelve(
                            slab + 4 * lane, row, steps, joint + 8 * lane, shrink + 8 * lane, mine + 8 * lane
                        )
                        lane += 12
                        left -= 12
                    if left == 2:
                        _far_two(
                            slab + 4 * lane, row, steps, joint + 8 * lane, shrink + 8 * lane, mine + 8 * lane
                        )
                    elif left == 4:
                        _far_four(
                            slab + 4 * lane, row, steps, joint + 8 * lane, shrink + 8 * lane, mine + 8 * lane
                        )
                    elif left == 6:
                        _far_six(
                            slab + 4 * lane, row, steps, joint + 8 * lane, shrink + 8 * lane, mine + 8 * lane
                        )
                    elif left == 8:
                        _far_eight(
                            slab + 4 * lane, row, steps, joint + 8 * lane, shrink + 8 * lane, mine + 8 * lane
                        )
                    elif left == 10:
                        _far_ten(
                            slab + 4 * lane, row, steps, joint + 8 * lane, shrink + 8 * lane, mine + 8 * lane
                        )


READY = remember_compiled(__file__)
