"""Names for the arrays that travel between rooms, and a check of those that come from a file."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codes", "Flags", "Floats", "Ints", "Places", "stored"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Places = NDArray[np.intp]  # where something stands: a row, a column, a class
Flags = NDArray[np.bool_]
Codes = NDArray[np.unsignedinteger]  # states by number, a row of the array per column of the table

_KINDS = {"whole numbers": "iu", "numbers": "f", "flags": "b"}


def stored(
    arrays: Mapping[str, NDArray[Any]],
    name: str,
    shape: tuple[int | None, ...],
    kind: str = "numbers",
    *,
    least: float = -np.inf,
    most: float = np.inf,
) -> NDArray[Any]:
    """Return an array of a file if it is what it must be, else raise a ValueError that says what is wrong.

    Parameters
    ----------
    arrays : mapping
        The arrays of the file by name.
    name : str
        Which one.
    shape : tuple
        The shape it must have; None where any length will do.
    kind : {"numbers", "whole numbers", "flags"}
        What it must hold; numbers must be finite.
    least, most : float
        Bounds of all its numbers, themselves allowed.

    Examples
    --------
    >>> stored({"y": np.array([3, 4])}, "y", (2,), "whole numbers", least=0)
    array([3, 4])
    >>> stored({"y": np.array([3, -4])}, "y", (2,), "whole numbers", least=0)
    Traceback (most recent call last):
    ValueError: part y holds numbers from -4 to 3, but they must be between 0 and inf
    """
    if name not in arrays:
        raise ValueError(f"part {name} is absent")
    array = np.ascontiguousarray(arrays[name])
    fits = len(array.shape) == len(shape) and all(
        length is None or length == found for length, found in zip(shape, array.shape, strict=True)
    )
    if not fits:
        wanted = " × ".join("any" if length is None else str(length) for length in shape)
        found = " × ".join(map(str, array.shape))
        raise ValueError(f"part {name} has the shape {found or 'of one number'}, but must have {wanted}")
    if array.dtype.kind not in _KINDS[kind]:
        raise ValueError(f"part {name} holds {array.dtype}, but must hold {kind}")
    if array.size and kind != "flags":
        low, high = array.min(), array.max()
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"part {name} holds a number that is not finite")
        if low < least or high > most:
            raise ValueError(
                f"part {name} holds numbers from {low:g} to {high:g}, but they must be between {least:g} and "
                f"{most:g}"
            )
    return array
