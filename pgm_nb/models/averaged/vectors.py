"""The innermost steps of averaged one-dependence, in vectors: products over the factors of a row.

They are written with llvmlite's builder; importing this module loads numba.
"""

from collections.abc import Callable, Iterator
from functools import partial

from pgm_nb.counts.compiling import Numba, intrinsic, ir, loop_all, pointer, types

__all__ = ["TOGETHER", "multiplier", "starred"]

TOGETHER = 4  # factors that are multiplied in one step
_I64, _F64 = types.int64, ir.DoubleType()


def multiplier(lanes: int, together: int, parents: int = 1, *, whole: bool = False) -> Callable[..., int]:
    """Return a function that multiplies the factors of a row for so many classes of so many parents.

    `whole`: the factors are whole numbers in single precision, and `shrink` is applied in every step. The
    compiler would take vectors whose length is no power of two to pieces, so we do.
    """
    cuts = range(0, lanes * parents, 4)
    sizes = [min(4, lanes * parents - cut) for cut in cuts]
    number, width = (ir.FloatType(), 1) if whole else (_F64, lanes * parents)

    @intrinsic
    def multiply(
        typing_context: Numba,
        slab: Numba,
        places: Numba,
        steps: Numba,
        joint: Numba,
        shrink: Numba,
        sums: Numba,
    ) -> Numba:
        """Add joint times the product of slab[places], of all parents, to the sums; `whole`: in lanes."""

        def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
            slab_at = pointer(builder, arguments[0], number)
            place_at = pointer(builder, arguments[1], ir.IntType(32))
            joint_at, shrink_at, sum_at = (pointer(builder, address, _F64) for address in arguments[3:])

            def vector(start: Numba, cut: int, size: int, kind: Numba) -> Numba:
                here = builder.gep(start, [ir.Constant(ir.IntType(64), cut)])
                return builder.bitcast(here, ir.VectorType(kind, size).as_pointer())

            def vectors(start: Numba) -> list[Numba]:
                return [
                    builder.load(vector(start, cut, size, _F64), align=8)
                    for cut, size in zip(cuts, sizes, strict=True)
                ]

            def factor(start: Numba, cut: int, size: int) -> Numba:
                found = builder.load(vector(start, cut, size, number), align=4 if whole else 8)
                return builder.fpext(found, ir.VectorType(_F64, size)) if whole else found

            shrunk = vectors(shrink_at) if whole else []

            def step(index: Numba, products: list[Numba]) -> list[Numba]:
                first = builder.mul(index, ir.Constant(index.type, together))
                starts = []
                for g in range(together):
                    at = builder.gep(place_at, [builder.add(first, ir.Constant(index.type, g))])
                    place = builder.zext(builder.load(at), index.type)
                    starts.append(builder.gep(slab_at, [builder.mul(place, ir.Constant(index.type, width))]))
                if whole:
                    products = [builder.fmul(*two) for two in zip(products, shrunk, strict=True)]
                found = []
                for product, cut, size in zip(products, cuts, sizes, strict=True):
                    parts = [factor(start, cut, size) for start in starts]
                    while len(parts) > 1:
                        parts = [builder.fmul(*two) for two in zip(parts[::2], parts[1::2], strict=True)]
                    found.append(builder.fmul(product, parts[0]))
                return found

            found = loop_all(builder, arguments[2], step, vectors(joint_at))
            for cut, value in _per_class(builder, found, lanes):
                at = vector(sum_at, cut, value.type.count, _F64)
                builder.store(builder.fadd(builder.load(at, align=8), value), at, align=8)
            return arguments[2]

        return _I64(_I64, _I64, _I64, _I64, _I64, _I64), generate

    return multiply


def _per_class(builder: Numba, found: list[Numba], lanes: int) -> Iterator[tuple[int, Numba]]:
    """Add up the parents of a tile: where among the classes each vector of sums begins, and the vector."""
    while len(found) % 2 == 0 and 2 * len(found) % lanes == 0:
        half = len(found) // 2
        found = [builder.fadd(*two) for two in zip(found[:half], found[half:], strict=True)]
    count = sum(value.type.count for value in found)
    for cut in range(0, lanes, 4):
        size = min(4, lanes - cut)
        total = None
        for first in range(cut, count, lanes):
            part, after = found[first // 4], found[min(first // 4 + 1, len(found) - 1)]
            if first % 4 or part.type.count != size:
                mask = ir.Constant(ir.VectorType(ir.IntType(32), size), [first % 4 + s for s in range(size)])
                part = builder.shuffle_vector(part, after, mask)
            total = part if total is None else builder.fadd(total, part)
        yield cut, total


def starred(lanes: int) -> Callable[..., int]:
    """Return a function that multiplies the factors of many rows for so many classes of a parent."""
    cuts = range(0, lanes, 4)
    kinds = [ir.VectorType(_F64, min(4, lanes - cut)) for cut in cuts]

    @intrinsic
    def multiply(
        typing_context: Numba,
        slab: Numba,
        slab_step: Numba,
        joint: Numba,
        states: Numba,
        places: Numba,
        steps: Numba,
        sums: Numba,
        rows: Numba,
    ) -> Numba:
        """Add joint[state] times the product of slab[state] at all places of a row to the sums of the row.

        `places` has four times `steps` numbers for every row: how many bytes behind the slab's beginning.
        """

        def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
            slab, slab_step, joint, states, places, steps, sums, rows = arguments
            number = partial(ir.Constant, ir.IntType(64))
            state_at, place_at = (
                pointer(builder, states, ir.IntType(16)),
                pointer(builder, places, ir.IntType(32)),
            )

            def loaded(start: Numba) -> list[Numba]:
                return [
                    builder.load(pointer(builder, builder.add(start, number(8 * cut)), kind), align=8)
                    for cut, kind in zip(cuts, kinds, strict=True)
                ]

            def step(mine: Numba, own: Numba, index: Numba, products: list[Numba]) -> list[Numba]:
                first, parts = builder.mul(index, number(TOGETHER)), []
                for g in range(TOGETHER):
                    at = builder.gep(mine, [builder.add(first, number(g))])
                    parts.append(loaded(builder.add(own, builder.zext(builder.load(at), ir.IntType(64)))))
                while len(parts) > 1:
                    parts = [
                        [builder.fmul(*two) for two in zip(*pair, strict=True)]
                        for pair in zip(parts[::2], parts[1::2], strict=True)
                    ]
                return [builder.fmul(*two) for two in zip(products, parts[0], strict=True)]

            def one_row(row: Numba, nothing: list[Numba]) -> list[Numba]:
                state = builder.zext(builder.load(builder.gep(state_at, [row])), ir.IntType(64))
                own = builder.add(slab, builder.mul(state, slab_step))
                mine = builder.gep(place_at, [builder.mul(row, builder.mul(steps, number(TOGETHER)))])
                begin = loaded(builder.add(joint, builder.mul(state, number(8 * lanes))))
                found = loop_all(builder, steps, partial(step, mine, own), begin)
                total = builder.add(sums, builder.mul(row, number(8 * lanes)))
                for cut, value in _per_class(builder, found, lanes):
                    at = pointer(builder, builder.add(total, number(8 * cut)), value.type)
                    builder.store(builder.fadd(builder.load(at, align=8), value), at, align=8)
                return nothing

            loop_all(builder, rows, one_row, [])
            return rows

        return _I64(*(_I64,) * 8), generate

    return multiply
