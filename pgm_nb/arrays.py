"""Names for the arrays that travel between rooms."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codes", "Flags", "Floats", "Ints", "Places"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Places = NDArray[np.intp]  # where something stands: a row, a column, a class
Flags = NDArray[np.bool_]
Codes = NDArray[np.unsignedinteger]  # states by number, a row of the array per column of the table
