"""The compiled kernels that look cells up and add to them, row by row; importing this module loads numba.

They add in the same order as SciPy's sparse products and NumPy's sums, so that all agree in every digit.
"""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import Numba, compile_for, intrinsic, ir, loop, pointer, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "gather", "price", "residuals", "scatter", "shifted_scores"]

_I64, _INT, _VECTOR = types.int64, ir.IntType(32), ir.VectorType(ir.DoubleType(), 4)


def _line(builder: Numba, values: Numba, wide: Numba, places: Numba, index: Numba) -> Numba:
    """Return a pointer to four numbers of the line of a table that is next in a list of places."""
    place = builder.load(builder.gep(pointer(builder, places, _INT), [index]))
    return pointer(builder, builder.add(values, builder.mul(builder.zext(place, wide.type), wide)), _VECTOR)


@intrinsic
def _sum_lines(context: Numba, into: Numba, values: Numba, wide: Numba, places: Numba, count: Numba) -> Numba:
    """Write the sum of four numbers of some lines of a table; all are addresses, but for the last."""

    def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        into, values, wide, places, count = arguments

        def step(index: Numba, total: Numba) -> Numba:
            line = _line(builder, values, wide, places, index)
            return builder.fadd(total, builder.load(line, align=8))

        total = loop(builder, count, step, ir.Constant(_VECTOR, [0.0] * 4))
        builder.store(total, pointer(builder, into, _VECTOR), align=8)
        return context.get_dummy_value()

    return types.void(_I64, _I64, _I64, _I64, _I64), generate


@intrinsic
def _weigh_lines(
    typing_context: Numba,
    into: Numba,
    values: Numba,
    wide: Numba,
    places: Numba,
    entries: Numba,
    count: Numba,
) -> Numba:
    """Write the sum of four numbers of some lines of a table, each times the entry of its place."""

    def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        into, values, wide, places, entries, count = arguments

        def step(index: Numba, total: Numba) -> Numba:
            line = builder.load(_line(builder, values, wide, places, index), align=8)
            entry = builder.load(builder.gep(pointer(builder, entries, ir.DoubleType()), [index]))
            return builder.fadd(total, builder.fmul(line, _four(builder, entry)))

        total = loop(builder, count, step, ir.Constant(_VECTOR, [0.0] * 4))
        builder.store(total, pointer(builder, into, _VECTOR), align=8)
        return context.get_dummy_value()

    return types.void(_I64, _I64, _I64, _I64, _I64, _I64), generate


@intrinsic
def _add_to_lines(
    typing_context: Numba, source: Numba, values: Numba, wide: Numba, places: Numba, count: Numba
) -> Numba:
    """Add four numbers to those of some lines of a table."""

    def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        source, values, wide, places, count = arguments
        mine = builder.load(pointer(builder, source, _VECTOR), align=8)

        def step(index: Numba, done: Numba) -> Numba:
            line = _line(builder, values, wide, places, index)
            builder.store(builder.fadd(builder.load(line, align=8), mine), line, align=8)
            return done

        loop(builder, count, step, count)
        return context.get_dummy_value()

    return types.void(_I64, _I64, _I64, _I64, _I64), generate


def _four(builder: Numba, number: Numba) -> Numba:
    """Return a number four times."""
    nothing, first = ir.Constant(_VECTOR, ir.Undefined), ir.Constant(_INT, 0)
    alone = builder.insert_element(nothing, number, first)
    return builder.shuffle_vector(alone, nothing, ir.Constant(ir.VectorType(_INT, 4), [0] * 4))


@compile_for(read(types.int32), read(types.int32), read(types.float64, 2), write(types.float64, 2))
def gather(starts: NDArray[np.int32], cells: NDArray[np.int32], values: Floats, result: Floats) -> None:
    """Write the sum of the values of its cells for every row, (rows, k)."""
    k = values.shape[1]
    places, lines, out = cells.ctypes.data, values.ctypes.data, result.ctypes.data
    for y in range(0, k - 3, 4):  # four classes side by side
        for r in range(result.shape[0]):
            count = np.int64(starts[r + 1] - starts[r])
            _sum_lines(out + 8 * (r * k + y), lines + 8 * y, 8 * k, places + 4 * starts[r], count)
    y, left = k - k % 4, k % 4
    for r in range(result.shape[0] if left else 0):
        a, b, c = 0.0, 0.0, 0.0
        own = cells[starts[r] : starts[r + 1]]
        if left == 3:
            for cell in own:
                at = np.uint32(cell)
                a += values[at, y]
                b += values[at, y + 1]
                c += values[at, y + 2]
            result[r, y], result[r, y + 1], result[r, y + 2] = a, b, c
        elif left == 2:
            for cell in own:
                a += values[np.uint32(cell), y]
                b += values[np.uint32(cell), y + 1]
            result[r, y], result[r, y + 1] = a, b
        else:
            for cell in own:
                a += values[np.uint32(cell), y]
            result[r, y] = a


@compile_for(read(types.int32), read(types.int32), read(types.float64, 2), write(types.float64, 2))
def scatter(starts: NDArray[np.int32], cells: NDArray[np.int32], values: Floats, result: Floats) -> None:
    """Add the values of every row, (rows, k), to each of its cells, (cells, k)."""
    k = values.shape[1]
    places, lines, mine = cells.ctypes.data, result.ctypes.data, values.ctypes.data
    for y in range(0, k - 3, 4):
        for r in range(values.shape[0]):
            count = np.int64(starts[r + 1] - starts[r])
            _add_to_lines(mine + 8 * (r * k + y), lines + 8 * y, 8 * k, places + 4 * starts[r], count)
    y, left = k - k % 4, k % 4
    for r in range(values.shape[0] if left else 0):
        own = cells[starts[r] : starts[r + 1]]
        a = values[r, y]
        if left == 3:
            b, c = values[r, y + 1], values[r, y + 2]
            for cell in own:
                at = np.uint32(cell)
                result[at, y] += a
                result[at, y + 1] += b
                result[at, y + 2] += c
        elif left == 2:
            b = values[r, y + 1]
            for cell in own:
                result[np.uint32(cell), y] += a
                result[np.uint32(cell), y + 1] += b
        else:
            for cell in own:
                result[np.uint32(cell), y] += a


@compile_for(
    *(read(types.float64, 2), read(types.float64, 2), types.float64, write(types.float64, 2)),
)
def shifted_scores(offset: Floats, added: Floats, share: float, result: Floats) -> None:
    """Write the scores of rows (n, k) from their offset and coordinates (n, k - 1), less their largest.

    The last class gets minus the share of the sum of the coordinates.
    """
    last = added.shape[1]
    for r in range(added.shape[0]):
        total, most = 0.0, -np.inf
        for y in range(last):
            total += added[r, y]
            score = offset[r, y] + added[r, y]
            result[r, y] = score
            most = max(most, score)
        result[r, last] = offset[r, last] - share * total
        most = max(most, result[r, last])
        for y in range(last + 1):
            result[r, y] -= most


@compile_for(
    *(read(types.float64, 2), read(types.int64), types.float64),
    *(write(types.float64), write(types.float64, 2)),
)
def residuals(chances: Floats, truth: Ints, share: float, totals: Floats, result: Floats) -> None:
    """Write the sum of each row of unscaled chances (n, k), and how far they are from the truth, folded.

    The coordinates (n, k - 1) are the differences of the first classes less the share of the last one.
    """
    last = result.shape[1]
    for r in range(result.shape[0]):
        total = chances[r, 0]
        for y in range(1, last + 1):
            total += chances[r, y]
        totals[r] = total
        rest = share * (chances[r, last] / total - (1.0 if truth[r] == last else 0.0))
        for y in range(last):
            result[r, y] = chances[r, y] / total - (1.0 if truth[r] == y else 0.0) - rest


@compile_for(
    *(read(types.int32), read(types.int32), read(types.float64), read(types.float64, 2)),
    *(types.float64, types.float64, write(types.float64, 2)),
)
def price(
    starts: NDArray[np.int32],
    places: NDArray[np.int32],
    entries: Floats,
    theta: Floats,
    ridge: float,
    smooth: float,
    result: Floats,
) -> None:
    """Write ridge theta + smooth L theta, (p, k), for a sparse matrix L (p, p)."""
    k = theta.shape[1]
    at, lines, own, out = places.ctypes.data, theta.ctypes.data, entries.ctypes.data, result.ctypes.data
    for y in range(0, k - 3, 4):
        for r in range(theta.shape[0]):
            first, count = np.int64(starts[r]), np.int64(starts[r + 1] - starts[r])
            _weigh_lines(
                *(out + 8 * (r * k + y), lines + 8 * y, 8 * k, at + 4 * first, own + 8 * first, count)
            )
            for c in range(y, y + 4):
                result[r, c] = ridge * theta[r, c] + result[r, c] * smooth
    for y in range(k - k % 4, k):
        for r in range(theta.shape[0]):
            a = 0.0
            for i in range(starts[r], starts[r + 1]):
                a += entries[i] * theta[np.uint32(places[i]), y]
            result[r, y] = ridge * theta[r, y] + a * smooth


READY = remember_compiled(__file__)
