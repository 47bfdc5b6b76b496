"""The compiled kernel for long vectors of a search; importing this module loads numba."""

from pgm_nb.arrays import Floats
from pgm_nb.counts.compiling import compile_for, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "add_and_multiply"]


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


READY = remember_compiled(__file__)
