"""The compiled kernel of averaged one-dependence; importing this module loads numba.

Two to twelve classes sit side by side in a vector, and four factors are multiplied at once, so that none
waits for the one before. Where the tables are too large to stay close to the processor, the rows with one
state of a parent are taken together: all that they need is one slab of the tables.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import Numba, compile_for, intrinsic, ir, loop, pointer, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "add_rows", "add_stars", "lay_places"]

_TOGETHER = 4
_I64 = types.int64


def _multiplier(lanes: int) -> Callable[..., int]:
    """Return a function that multiplies the factors of a row for so many classes."""
    vector = ir.VectorType(ir.DoubleType(), lanes)

    @intrinsic
    def multiply(
        typing_context: Numba, slab: Numba, places: Numba, steps: Numba, joint: Numba, total: Numba
    ) -> Numba:
        """Add joint times the product of slab[places] to the total, four places in every step."""

        def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
            slab_at = pointer(builder, arguments[0], ir.DoubleType())
            place_at = pointer(builder, arguments[1], ir.IntType(32))
            steps = arguments[2]
            joint_at, total_at = (pointer(builder, address, vector) for address in arguments[3:])

            def step(index: Numba, product: Numba) -> Numba:
                first = builder.mul(index, ir.Constant(index.type, _TOGETHER))
                parts = []
                for g in range(_TOGETHER):
                    at = builder.gep(place_at, [builder.add(first, ir.Constant(index.type, g))])
                    place = builder.zext(builder.load(at), index.type)
                    here = builder.bitcast(builder.gep(slab_at, [place]), vector.as_pointer())
                    parts.append(builder.load(here, align=8))
                while len(parts) > 1:
                    parts = [builder.fmul(one, two) for one, two in zip(parts[::2], parts[1::2], strict=True)]
                return builder.fmul(product, parts[0])

            found = loop(builder, steps, step, builder.load(joint_at, align=8))
            builder.store(builder.fadd(builder.load(total_at, align=8), found), total_at, align=8)
            return steps

        return _I64(_I64, _I64, _I64, _I64, _I64), generate

    return multiply


_two, _four, _six, _eight, _ten, _twelve = (_multiplier(lanes) for lanes in range(2, 14, 2))


@compile_for(
    *(read(types.uint32, 2), read(_I64), read(types.uint16, 2), read(_I64), read(_I64)),
    *(read(types.float64, 2), read(types.float64, 2), _I64, write(types.float64, 3), _I64, _I64),
)
def add_stars(
    places: NDArray[np.uint32],
    lengths: Ints,
    codes: NDArray[np.uint16],
    begins: Ints,
    cards: Ints,
    slabs: Floats,
    joints: Floats,
    lanes: int,
    totals: Floats,
    first: int,
    last: int,
) -> None:
    """Add the stars of every parent to the totals of the groups first, ..., last - 1, (groups, rows, lanes).

    `places` (rows, d padded to a multiple of four) say where the factors of a row's states are in a slab, and
    `lengths` how many of them, in fours, a row has. The slab of a parent's state has `lanes` factors for
    every state, and `joints` begin its products.
    """
    n = places.shape[0]
    order = np.empty(n, dtype=np.int64)
    place_at, place_step = places.ctypes.data, places.strides[0]
    for g in range(first, last):
        total_at, total_step = totals[g].ctypes.data, totals.strides[1]
        for p in range(g, cards.shape[0], totals.shape[0]):
            own = codes[p]
            starts = np.zeros(cards[p] + 1, dtype=np.int64)
            for r in range(n):
                starts[own[r] + 1] += 1
            for s in range(cards[p]):
                starts[s + 1] += starts[s]
            ends = starts.copy()
            for r in range(n):
                order[ends[own[r]]] = r
                ends[own[r]] += 1
            for s in range(cards[p]):
                slab_at = slabs[begins[p] + s].ctypes.data
                joint_at = joints[begins[p] + s].ctypes.data
                for r in order[starts[s] : starts[s + 1]]:
                    steps = lengths[r]
                    row, mine = place_at + r * place_step, total_at + r * total_step
                    lane = 0  # bytes: a place is read once for as many classes as there is room for
                    while lane + 96 <= 8 * lanes:
                        _twelve(slab_at + lane, row, steps, joint_at + lane, mine + lane)
                        lane += 96
                    left = lanes - lane // 8
                    if left == 2:
                        _two(slab_at + lane, row, steps, joint_at + lane, mine + lane)
                    elif left == 4:
                        _four(slab_at + lane, row, steps, joint_at + lane, mine + lane)
                    elif left == 6:
                        _six(slab_at + lane, row, steps, joint_at + lane, mine + lane)
                    elif left == 8:
                        _eight(slab_at + lane, row, steps, joint_at + lane, mine + lane)
                    elif left == 10:
                        _ten(slab_at + lane, row, steps, joint_at + lane, mine + lane)


@compile_for(
    *(read(types.uint32, 2), read(types.uint16, 2), read(_I64, 2), read(types.float64, 3)),
    *(read(types.float64, 2), write(types.float64, 2), _I64, _I64),
)
def add_rows(
    places: NDArray[np.uint32],
    codes: NDArray[np.uint16],
    parents: Ints,
    slabs: Floats,
    joints: Floats,
    totals: Floats,
    first: int,
    last: int,
) -> None:
    """Add the stars of all pairs of parents to the totals of the rows first, ..., last - 1, (rows, 4).

    As `add_stars`, but rows are not sorted, with the tables of `pgm_nb.models.averaged.grouped`.
    """
    steps = places.shape[1] // _TOGETHER
    slab_at, slab_step = slabs.ctypes.data, slabs.strides[0]
    joint_at, joint_step = joints.ctypes.data, joints.strides[0]
    place_at, place_step = places.ctypes.data, places.strides[0]
    total_at, total_step = totals.ctypes.data, totals.strides[0]
    for p in range(parents.shape[0]):
        one, other, beside, begin = codes[parents[p, 0]], codes[parents[p, 1]], parents[p, 2], parents[p, 3]
        for r in range(first, last):
            state = np.int64(one[r])
            if beside:
                state = state * beside + np.int64(other[r])
            state += begin
            row, mine = place_at + r * place_step, total_at + r * total_step
            _four(slab_at + state * slab_step, row, steps, joint_at + state * joint_step, mine)


@compile_for(read(types.uint16, 2), read(_I64), read(_I64), read(_I64), write(types.uint32, 2))
def lay_places(
    codes: NDArray[np.uint16], groups: Ints, steps: Ints, firsts: Ints, places: NDArray[np.uint32]
) -> None:
    """Write where the products of every group of columns are in a slab of four lanes, (rows, groups)."""
    n = codes.shape[1]
    sums = np.empty((places.shape[1], n), dtype=np.uint32)
    for g in range(places.shape[1]):
        sums[g, :] = firsts[g]
    for j in range(codes.shape[0]):
        own, total, step = codes[j], sums[groups[j]], np.uint32(steps[j])
        for r in range(n):
            total[r] += np.uint32(own[r]) * step
    for r in range(n):
        for g in range(places.shape[1]):
            places[r, g] = sums[g, r] * np.uint32(4)


READY = remember_compiled(__file__)
