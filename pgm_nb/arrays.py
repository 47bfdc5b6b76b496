"""Names for arrays that travel between rooms, checks of what comes from a file, copies of their owners."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_BITS", "Codes", "Flags", "Floats", "Ints", "Places", "rebuilt", "revived", "stored"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Places = NDArray[np.intp]  # where something stands: a row, a column, a class
Flags = NDArray[np.bool_]
Codes = NDArray[np.unsignedinteger]  # states by number, a row of the array per column of the table

MOST_BITS = 1e9  # of information, more than any table has
_KINDS = {"whole numbers": "iu", "numbers": "f", "cells": "f", "flags": "b"}


def rebuilt(self: Any) -> tuple[Any, ...]:
    """Return how a copy of a dataclass is made: anew from its fields, so that it holds nothing derived.

    To be set as ``__reduce__``: arrays are read-only in a copy too, read-only mappings can be pickled, and
    cached properties are left out.

    Examples
    --------
    >>> from dataclasses import make_dataclass
    >>> rebuilt(make_dataclass("Pair", ["a", "b"])(1, MappingProxyType({2: 3})))[0]()
    Pair(a=1, b={2: 3})
    """
    values = {field.name: getattr(self, field.name) for field in fields(self) if field.init}
    plain = {name: dict(v) if isinstance(v, MappingProxyType) else v for name, v in values.items()}
    kind: Callable[..., Any] = type(self)
    return partial(kind, **plain), ()


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
    kind : {"numbers", "whole numbers", "flags", "cells"}
        What it must hold; numbers must be finite, cells need not.
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
    declared = arrays[name]  # of a file: only what it declares, until it has the right shape
    fits = len(declared.shape) == len(shape) and all(
        length is None or length == found for length, found in zip(shape, declared.shape, strict=True)
    )
    if not fits:
        wanted = " × ".join("any" if length is None else str(length) for length in shape)
        found = " × ".join(map(str, declared.shape))
        raise ValueError(f"part {name} has the shape {found or 'of one number'}, but must have {wanted}")
    if declared.dtype.kind not in _KINDS[kind]:
        raise ValueError(f"part {name} holds {declared.dtype}, but must hold {kind}")
    array = np.ascontiguousarray(declared)
    if array.size and kind not in ("flags", "cells"):
        low, high = array.min(), array.max()
        if not (np.isfinite(low) and np.isfinite(high)):
            raise ValueError(f"part {name} holds a number that is not finite")
        if low < least or high > most:
            raise ValueError(
                f"part {name} holds numbers from {low:g} to {high:g}, but they must be between {least:g} and "
                f"{most:g}"
            )
    return array


def revived(kind: Any, value: Any, most: float = 2.0**63) -> Any:
    """Return a value of JSON as the type that a field declares, else raise a ValueError.

    Parameters
    ----------
    kind : type
        Text, a number, a truth value, None, a union or tuple of those, a mapping, or a dataclass whose fields
        are such; a list holds the fields of a dataclass in their order.
    value : object
        What the file holds.
    most : float
        No number may be larger, or smaller than its negative; NaN may stand for what is not known.

    Examples
    --------
    >>> revived(tuple[int, ...], [1, 2])
    (1, 2)
    >>> revived(float | None, "1")
    Traceback (most recent call last):
    ValueError: it holds '1' where float | None must be
    """
    origin, parts, found = get_origin(kind), get_args(kind), None
    if is_dataclass(kind):
        return _revived_fields(kind, value, most)
    if origin in (Union, UnionType):
        for one in parts:
            try:
                return revived(one, value, most)
            except ValueError:
                continue
    elif origin is tuple and isinstance(value, list | tuple):
        kinds = [parts[0]] * len(value) if parts[-1] is ... else parts
        return tuple(revived(one, cell, most) for one, cell in zip(kinds, value, strict=True))
    elif origin is Mapping and isinstance(value, dict):
        return {revived(parts[0], name): revived(parts[1], cell, most) for name, cell in value.items()}
    elif kind in (int, float):
        found = not isinstance(value, bool) and isinstance(value, int | kind) and not abs(value) > most
    elif kind in (str, bool, NoneType):
        found = isinstance(value, kind)
    if not found:
        raise ValueError(f"it holds {str(value)[:40]!r} where {getattr(kind, '__name__', kind)} must be")
    return value


def _revived_fields(kind: Any, value: Any, most: float) -> Any:
    declared = {field.name: field for field in fields(kind)}
    given = dict(zip(declared, value, strict=False)) if isinstance(value, list) else value
    needed = {name for name, field in declared.items() if field.default is MISSING}
    if (
        not isinstance(given, Mapping)
        or len(given) != len(value)
        or not needed <= given.keys() <= declared.keys()
    ):
        raise ValueError(f"it does not hold the fields of a {kind.__name__}: {', '.join(declared)}")
    hints = _hints(kind)
    return kind(**{name: revived(hints[name], cell, most) for name, cell in given.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
