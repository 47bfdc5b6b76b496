"""The compiled kernel of the mixtures; importing this module loads numba, see `hidden_choose`.

Four classes sit side by side in a vector: one load reads W_ij P(ai | aj, c) of a row for four classes c.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils as numba_cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from pgm_nb.models.hidden.choose import LANES

__all__ = ["multiply_mixtures"]

_TOGETHER = 4  # members whose tables are read together
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)

Numba: TypeAlias = Any  # an object of numba or llvmlite, which declare no types
Function = TypeVar("Function", bound=Callable[..., Any])
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def _read(dtype: Numba, ndim: int = 1) -> Numba:
    return types.Array(dtype, ndim, "C", readonly=True)


_inner = cast("Callable[[Function], Function]", numba.njit(nogil=True))  # compiled as part of its caller
_intrinsic = cast("Callable[[Callable[..., Any]], Callable[..., Any]]", intrinsic)
cgutils: Numba = numba_cgutils
_I64, _F64 = types.int64, types.float64
_compile = cast(
    "Callable[[Function], Function]",
    numba.njit(
        [
            types.void(
                *(_read(types.uint16, 2), *[_read(_I64)] * 4, _read(_F64), _read(types.int32)),
                *(*[_read(_I64)] * 4, _read(_F64, 3), _read(_I64), _F64, _I64, types.Array(_F64, 3, "C")),
                *[_I64] * 2,
            )
        ],
        nogil=True,
        cache=True,
    ),
)


def _adder(together: int) -> Callable[..., None]:
    """Return a function that adds the tables of so many members to the sums of all rows."""

    @_intrinsic
    def add(typing_context: Numba, sums: Numba, tables: Numba, places: Numba) -> Numba:
        """sums[r] += sum over g of tables[g, places[g, r]], all lanes at once."""

        def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
            total, table, place = (
                context.make_array(kind)(context, builder, value)
                for kind, value in zip(signature.args, arguments, strict=True)
            )
            n, cells = builder.extract_value(place.shape, 1), builder.extract_value(table.shape, 1)
            total_at = builder.bitcast(total.data, _VECTOR.as_pointer())
            table_at = builder.bitcast(table.data, _VECTOR.as_pointer())
            first = [builder.mul(cells, ir.Constant(cells.type, g)) for g in range(together)]
            column = [builder.mul(n, ir.Constant(n.type, g)) for g in range(together)]
            with cgutils.for_range(builder, n) as loop:
                parts = []
                for g in range(together):
                    cell = builder.load(builder.gep(place.data, [builder.add(column[g], loop.index)]))
                    at = builder.add(first[g], builder.zext(cell, cells.type))
                    parts.append(builder.load(builder.gep(table_at, [at]), align=8))
                while len(parts) > 1:
                    parts = [builder.fadd(one, two) for one, two in zip(parts[::2], parts[1::2], strict=True)]
                here = builder.gep(total_at, [loop.index])
                builder.store(builder.fadd(builder.load(here, align=8), parts[0]), here, align=8)
            return context.get_dummy_value()

        return types.void(sums, tables, places), generate

    return add


_add_one, _add_some = _adder(1), _adder(_TOGETHER)


@_inner
def _lay_out(
    table: Floats,
    cells: NDArray[np.int32],
    inverse: Floats,
    v: int,
    u: int,
    own_stride: int,
    other_stride: int,
    lanes: tuple[int, int, int, int],
    weight: float,
    imaginary: float,
) -> None:
    """Write W_ij P(ai | aj, c) of four classes as a table (v + 1, u + 1), the last row and column zero."""
    c0, c1, c2, c3 = lanes
    for x in range(v):
        for z in range(u):
            n = cells[x * own_stride + z * other_stride :]
            cell, scale = table[x * (u + 1) + z], inverse[z]
            cell[0] = weight * (n[c0] + imaginary) * scale[0]
            cell[1] = weight * (n[c1] + imaginary) * scale[1]
            cell[2] = weight * (n[c2] + imaginary) * scale[2]
            cell[3] = weight * (n[c3] + imaginary) * scale[3]
        table[x * (u + 1) + u] = 0.0
    table[v * (u + 1) : (v + 1) * (u + 1)] = 0.0


@_inner
def _keep(sums: Floats, products: Floats, begin: bool) -> None:
    """Multiply the sums of some classes, (rows, lanes), into the products (classes, rows)."""
    for lane in range(products.shape[0]):
        product = products[lane]
        if begin:
            for r in range(product.shape[0]):
                product[r] = sums[r, lane]
        else:
            for r in range(product.shape[0]):
                product[r] *= sums[r, lane]


@_compile
def multiply_mixtures(
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
    states: Ints,
    smoothing: float,
    factors: int,
    products: Floats,
    first_product: int,
    last_product: int,
) -> None:
    """products[b, c, row] = product of sum_j W_ij P(ai | aj, c) over the owners i = b factors, ...

    The tables W_ij P(ai | aj, c) of a few members and four classes are laid out at a time: they stay in the
    first-level cache while all rows read them, and the sums are loaded and stored once for all of them.
    Unknown codes add nothing.
    """
    k, n = products.shape[1], products.shape[2]
    wide = cards.max() + 1
    tables = np.zeros((_TOGETHER, wide * wide, LANES))
    places = np.zeros((_TOGETHER, n), dtype=np.uint32)
    sums = np.zeros((inverse.shape[0], n, LANES))
    for a in range(first_product * factors, min(last_product * factors, owners.shape[0])):
        v = cards[owners[a]]
        mine = codes[owners[a]]
        sums[:] = 0.0
        for first in range(starts[a], starts[a + 1], _TOGETHER):
            here = min(_TOGETHER, starts[a + 1] - first)
            for g in range(here):
                other, place = codes[members[first + g]], places[g]
                width = np.uint32(cards[members[first + g]] + 1)
                for r in range(n):
                    place[r] = np.uint32(mine[r]) * width + np.uint32(other[r])
            for four in range(inverse.shape[0]):
                for g in range(here):
                    p = first + g
                    step = class_stride[p]
                    c, last = four * LANES * step, (k - 1) * step  # the last fills the lanes beyond it
                    _lay_out(
                        tables[g],
                        pairs[begin[p] :],
                        inverse[four, states[members[p]] :],
                        v,
                        cards[members[p]],
                        own_stride[p],
                        other_stride[p],
                        (c, min(c + step, last), min(c + 2 * step, last), min(c + 3 * step, last)),
                        weights[p],
                        smoothing / v,
                    )
                if here == _TOGETHER:
                    _add_some(sums[four], tables, places)
                else:
                    for g in range(here):
                        _add_one(sums[four], tables[g : g + 1], places[g : g + 1])
        for four in range(inverse.shape[0]):
            classes = products[a // factors, four * LANES : (four + 1) * LANES]
            _keep(sums[four], classes, a % factors == 0)
