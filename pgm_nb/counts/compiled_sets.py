"""The compiled kernel that counts columns in numbered contexts; imported only where that pays."""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Ints
from pgm_nb.counts.compiling import compile_for, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "add_contexts"]

_I64 = types.int64


@compile_for(
    *(read(types.uint32), read(types.uint16, 2), read(_I64), read(_I64), read(_I64), write(_I64)),
    *(_I64, _I64),
)
def add_contexts(
    contexts: NDArray[np.uint32],
    codes: NDArray[np.uint16],
    columns: Ints,
    sizes: Ints,
    starts: Ints,
    cells: Ints,
    first: int,
    last: int,
) -> None:
    """Count columns[first], ..., columns[last - 1] in every context; their tables begin at `starts`."""
    for i in range(first, last):
        v = np.uint64(sizes[i])
        table = cells[starts[i] : starts[i + 1]]
        own = codes[columns[i]]
        for r in range(contexts.shape[0]):
            table[np.uint64(contexts[r]) * v + np.uint64(own[r])] += 1


READY = remember_compiled(__name__)
