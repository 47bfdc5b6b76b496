"""The compiled kernels that look cells up and add to them, row by row; importing this module loads numba.

They add in the same order as SciPy's sparse products and NumPy's sums, so that all agree in every digit.
"""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "add_and_multiply", "gather", "price", "residuals", "scatter", "shifted_scores"]


@compile_for(read(types.int32), read(types.int32), read(types.float64, 2), write(types.float64, 2))
def gather(starts: NDArray[np.int32], cells: NDArray[np.int32], values: Floats, result: Floats) -> None:
    """Write the sum of the values of its cells for every row, (rows, k)."""
    k = values.shape[1]
    for r in range(result.shape[0]):
        own = cells[starts[r] : starts[r + 1]]
        for y in range(0, k - 2, 3):  # a cell is looked up once for three classes
            a, b, c = 0.0, 0.0, 0.0
            for cell in own:
                at = np.uint32(cell)
                a += values[at, y]
                b += values[at, y + 1]
                c += values[at, y + 2]
            result[r, y], result[r, y + 1], result[r, y + 2] = a, b, c
        for y in range(k - k % 3, k):
            a = 0.0
            for cell in own:
                a += values[np.uint32(cell), y]
            result[r, y] = a


@compile_for(read(types.int32), read(types.int32), read(types.float64, 2), write(types.float64, 2))
def scatter(starts: NDArray[np.int32], cells: NDArray[np.int32], values: Floats, result: Floats) -> None:
    """Add the values of every row, (rows, k), to each of its cells, (cells, k)."""
    k = values.shape[1]
    for r in range(values.shape[0]):
        own = cells[starts[r] : starts[r + 1]]
        for y in range(0, k - 2, 3):
            a, b, c = values[r, y], values[r, y + 1], values[r, y + 2]
            for cell in own:
                at = np.uint32(cell)
                result[at, y] += a
                result[at, y + 1] += b
                result[at, y + 2] += c
        for y in range(k - k % 3, k):
            a = values[r, y]
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
    for r in range(theta.shape[0]):
        for y in range(theta.shape[1]):
            total = 0.0
            for i in range(starts[r], starts[r + 1]):
                total += entries[i] * theta[np.uint32(places[i]), y]
            result[r, y] = ridge * theta[r, y] + total * smooth


@compile_for(
    *(write(types.float64), read(types.float64), types.float64, read(types.float64), write(types.float64)),
    any_order=True,
)
def add_and_multiply(vector: Floats, added: Floats, times: float, other: Floats, product: Floats) -> None:
    """Add a multiple of a vector to another, and write the product of the result with a third, in one go."""
    total = 0.0
    for i in range(vector.shape[0]):
        value = vector[i] + times * added[i]
        vector[i] = value
        total += value * other[i]
    product[0] = total


READY = remember_compiled(__name__)
