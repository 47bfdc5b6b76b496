"""Names for the arrays that travel between the modules of this room."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codes", "Counts", "Floats", "Places"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Places = NDArray[np.intp]
Codes = NDArray[np.unsignedinteger]
