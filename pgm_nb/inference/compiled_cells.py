"""The compiled kernels that look cells up and add to them, row by row; importing this module loads numba.

They add in the same order as SciPy's sparse products, so that the sums agree in every digit.
"""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats
from pgm_nb.counts.compiling import compile_for, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "gather", "scatter"]


@compile_for(read(types.int32), read(types.int32), read(types.float64, 2), write(types.float64, 2))
def gather(starts: NDArray[np.int32], cells: NDArray[np.int32], values: Floats, result: Floats) -> None:
    """Write the sum of the values of its cells for every row, (rows, k)."""
    k = values.shape[1]
    for y in range(0, k - 3, 4):  # four classes side by side
        for r in range(result.shape[0]):
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for cell in cells[starts[r] : starts[r + 1]]:
                at = np.uint32(cell)
                a += values[at, y]
                b += values[at, y + 1]
                c += values[at, y + 2]
                d += values[at, y + 3]
            result[r, y], result[r, y + 1], result[r, y + 2], result[r, y + 3] = a, b, c, d
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
    if k >= 8:  # a row fills several vectors
        for r in range(values.shape[0]):
            mine = values[r]
            for cell in cells[starts[r] : starts[r + 1]]:
                row = result[np.uint32(cell)]
                for y in range(k):
                    row[y] += mine[y]
        return
    for y in range(0, k - 3, 4):
        for r in range(values.shape[0]):
            a, b, c, d = values[r, y], values[r, y + 1], values[r, y + 2], values[r, y + 3]
            for cell in cells[starts[r] : starts[r + 1]]:
                at = np.uint32(cell)
                result[at, y] += a
                result[at, y + 1] += b
                result[at, y + 2] += c
                result[at, y + 3] += d
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


READY = remember_compiled(__file__)
