"""The compiled kernel of the mixtures; importing this module loads numba, see `counts.kernels`.

Four classes sit side by side in a vector: one load reads W_ij P(ai | aj, c) of a row for four classes c.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import (
    Numba,
    compile_for,
    inlined,
    intrinsic,
    ir,
    loop,
    pointer,
    read,
    types,
    write,
)
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["LANES", "READY", "multiply_mixtures"]

LANES = 4  # classes side by side in a vector
_TOGETHER = 4  # members whose tables are read together
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_I64, _F64 = types.int64, types.float64


def _adder(together: int) -> Callable[..., int]:
    """Return a function that adds the tables of so many members to the sums of all rows."""

    @intrinsic
    def add(
        typing_context: Numba, sums: Numba, tables: Numba, cells: Numba, places: Numba, n: Numba
    ) -> Numba:
        """sums[r] += sum over g of tables[g, places[g, r]], all lanes at once, for n rows and some cells."""

        def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
            total_at, table_at = (pointer(builder, address, _VECTOR) for address in arguments[:2])
            place_at = pointer(builder, arguments[3], ir.IntType(32))
            cells, n = arguments[2], arguments[4]
            first = [builder.mul(cells, ir.Constant(cells.type, g)) for g in range(together)]
            column = [builder.mul(n, ir.Constant(n.type, g)) for g in range(together)]

            def step(index: Numba, unused: Numba) -> Numba:
                parts = []
                for g in range(together):
                    cell = builder.load(builder.gep(place_at, [builder.add(column[g], index)]))
                    at = builder.add(first[g], builder.zext(cell, cells.type))
                    parts.append(builder.load(builder.gep(table_at, [at]), align=8))
                while len(parts) > 1:
                    parts = [builder.fadd(one, two) for one, two in zip(parts[::2], parts[1::2], strict=True)]
                here = builder.gep(total_at, [index])
                builder.store(builder.fadd(builder.load(here, align=8), parts[0]), here, align=8)
                return unused

            return loop(builder, n, step, n)

        return _I64(_I64, _I64, _I64, _I64, _I64), generate

    return add


_add_one, _add_some = _adder(1), _adder(_TOGETHER)


@inlined
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


@inlined
def _copy_out(
    table: Floats,
    cells: Floats,
    v: int,
    u: int,
    own_stride: int,
    other_stride: int,
    lanes: tuple[int, int, int, int],
    weight: float,
) -> None:
    """Write W_ij P(ai | aj, c) as `_lay_out` does, from stored probabilities."""
    c0, c1, c2, c3 = lanes
    for x in range(v):
        for z in range(u):
            p = cells[x * own_stride + z * other_stride :]
            cell = table[x * (u + 1) + z]
            cell[0] = weight * p[c0]
            cell[1] = weight * p[c1]
            cell[2] = weight * p[c2]
            cell[3] = weight * p[c3]
        table[x * (u + 1) + u] = 0.0
    table[v * (u + 1) : (v + 1) * (u + 1)] = 0.0


@inlined
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


@compile_for(
    *(read(types.uint16, 2), *[read(_I64)] * 4, read(_F64), read(types.int32)),
    *(read(_F64), *[read(_I64)] * 4, read(_F64, 3), read(_I64), _F64, _I64, write(_F64, 3)),
    *[_I64] * 2,
)
def multiply_mixtures(
    codes: NDArray[np.uint16],
    cards: Ints,
    owners: Ints,
    starts: Ints,
    members: Ints,
    weights: Floats,
    pairs: NDArray[np.int32],
    stored: Floats,
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
    Unknown codes add nothing. With `stored` tables P(ai | aj, c) the counts are not read.
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
                    lanes = (c, min(c + step, last), min(c + 2 * step, last), min(c + 3 * step, last))
                    if stored.shape[0] > 0:
                        _copy_out(
                            tables[g],
                            stored[begin[p] :],
                            v,
                            cards[members[p]],
                            own_stride[p],
                            other_stride[p],
                            lanes,
                            weights[p],
                        )
                        continue
                    _lay_out(
                        tables[g],
                        pairs[begin[p] :],
                        inverse[four, states[members[p]] :],
                        v,
                        cards[members[p]],
                        own_stride[p],
                        other_stride[p],
                        lanes,
                        weights[p],
                        smoothing / v,
                    )
                sums_at = sums.ctypes.data + 8 * LANES * four * n
                if here == _TOGETHER:
                    _add_some(sums_at, tables.ctypes.data, wide * wide, places.ctypes.data, n)
                else:
                    for g in range(here):
                        _add_one(sums_at, tables[g].ctypes.data, 0, places[g].ctypes.data, n)
        for four in range(inverse.shape[0]):
            classes = products[a // factors, four * LANES : (four + 1) * LANES]
            _keep(sums[four], classes, a % factors == 0)


READY = remember_compiled(__file__)
