"""The compiled kernel of the mixtures; importing this module loads numba, see `hidden_choose`."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

__all__ = ["add_mixtures"]

Function = TypeVar("Function", bound=Callable[..., Any])
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def _read(dtype: Any, ndim: int = 1) -> Any:
    return types.Array(dtype, ndim, "C", readonly=True)


_TOGETHER = 4  # members whose tables are read together
_inner = cast("Callable[[Function], Function]", numba.njit(nogil=True))  # compiled as part of its caller
_I64, _F64 = types.int64, types.float64
_compile = cast(
    "Callable[[Function], Function]",
    numba.njit(
        [
            types.void(
                *(_read(types.uint16, 2), *[_read(_I64)] * 4, _read(_F64), _read(types.int32)),
                *(*[_read(_I64)] * 4, _read(_F64), _read(_I64), _F64, types.Array(_F64, 3, "C")),
            )
        ],
        nogil=True,
        cache=True,
    ),
)


@_inner
def _lay_out(
    table: Floats,
    cells: NDArray[np.int32],
    inverse: Floats,
    v: int,
    u: int,
    own_stride: int,
    other_stride: int,
    weight: float,
    imaginary: float,
) -> None:
    """Write W_ij P(ai | aj, c) of one class as a table (v + 1, u + 1); the last row and column are zero."""
    for x in range(v):
        for z in range(u):
            n = cells[x * own_stride + z * other_stride]
            table[x * (u + 1) + z] = weight * (n + imaginary) * inverse[z]
        table[x * (u + 1) + u] = 0.0
    table[v * (u + 1) : (v + 1) * (u + 1)] = 0.0


@_compile
def add_mixtures(
    codes: NDArray[np.uint16],
    cards: Ints,
    owners: Ints,
    starts: Ints,
    members: Ints,
    weights: Floats,
    pairs: NDArray[np.int32],
    begin: Ints,
    own_stride: Ints,
    other_stride: Ints,
    class_stride: Ints,
    inverse: Floats,
    single_starts: Ints,
    smoothing: float,
    sums: Floats,
) -> None:
    """sums[a, c, row] += W_ij P(ai | aj, c) for every member j of owner a; unknown codes add nothing.

    The tables W_ij P(ai | aj, c) of a class and a few members are laid out at a time: they stay in the
    first-level cache while all rows read them, and a sum is loaded and stored once for all of them.
    """
    k, n = sums.shape[1], sums.shape[2]
    widest = 0
    for i in range(cards.shape[0]):
        widest = max(widest, cards[i])
    tables = np.zeros((_TOGETHER, (widest + 1) * (widest + 1)))
    places = np.zeros((_TOGETHER, n), dtype=np.uint32)
    t0, t1, t2, t3 = tables[0], tables[1], tables[2], tables[3]
    at0, at1, at2, at3 = places[0], places[1], places[2], places[3]
    for a in range(owners.shape[0]):
        v = cards[owners[a]]
        imaginary = smoothing / v
        mine = codes[owners[a]]
        for first in range(starts[a], starts[a + 1], _TOGETHER):
            here = min(_TOGETHER, starts[a + 1] - first)
            for g in range(here):
                other = codes[members[first + g]]
                width = np.uint32(cards[members[first + g]] + 1)
                for r in range(n):
                    places[g, r] = np.uint32(mine[r]) * width + np.uint32(other[r])
            for c in range(k):
                for g in range(here):
                    p = first + g
                    u = cards[members[p]]
                    _lay_out(
                        tables[g],
                        pairs[begin[p] + c * class_stride[p] :],
                        inverse[single_starts[members[p]] + c * u :],
                        v,
                        u,
                        own_stride[p],
                        other_stride[p],
                        weights[p],
                        imaginary,
                    )
                total = sums[a, c]
                if here == _TOGETHER:
                    for r in range(n):
                        total[r] += (t0[at0[r]] + t1[at1[r]]) + (t2[at2[r]] + t3[at3[r]])
                else:
                    for g in range(here):
                        for r in range(n):
                            total[r] += tables[g, places[g, r]]
