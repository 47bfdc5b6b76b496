"""The innermost steps of averaged one-dependence, in vectors: products over the factors of a row.

They are written with llvmlite's builder; importing this module loads numba.
"""

from collections.abc import Callable, Iterator
from functools import partial

from pgm_nb.counts.compiling import Numba, intrinsic, ir, loop_all, pointer, types

__all__ = ["TOGETHER", "add_two", "copy_four", "multiplier", "starred"]

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


@intrinsic
def copy_four(typing_context: Numba, source: Numba, target: Numba) -> Numba:
    """Copy four words of 64 bits."""

    def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        kind = ir.VectorType(ir.IntType(64), 4)
        source, target = (pointer(builder, address, kind) for address in arguments)
        builder.store(builder.load(source, align=8), target, align=8)
        return arguments[1]

    return _I64(_I64, _I64), generate


@intrinsic
def add_two(typing_context: Numba, source: Numba, target: Numba) -> Numba:
    """Add two numbers to two others."""

    def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        kind = ir.VectorType(_F64, 2)
        source, target = (pointer(builder, address, kind) for address in arguments)
        total = builder.fadd(builder.load(target, align=8), builder.load(source, align=8))
        builder.store(total, target, align=8)
        return arguments[1]

    return _I64(_I64, _I64), generate


def starred(lanes: int) -> Callable[..., int]:
    """Return a function that multiplies the factors of rows with the same states in one group of columns.

    Four places are read at once, and with few lanes every number of places up to sixteen has a loop over
    rows of its own: reading places and counting them would take as long as reading the factors.
    """
    unrolled = 4 * TOGETHER if lanes <= TOGETHER else TOGETHER
    cuts = range(0, lanes, 4)
    kinds = [ir.VectorType(_F64, min(4, lanes - cut)) for cut in cuts]
    number = partial(ir.Constant, ir.IntType(64))

    def loaded(builder: Numba, start: Numba) -> list[Numba]:
        return [
            builder.load(pointer(builder, builder.add(start, number(8 * cut)), kind), align=8)
            for cut, kind in zip(cuts, kinds, strict=True)
        ]

    def times(builder: Numba, one: list[Numba], other: list[Numba]) -> list[Numba]:
        return [builder.fmul(*two) for two in zip(one, other, strict=True)]

    def factors(builder: Numba, slab: Numba, places: Numba, count: int) -> Iterator[list[Numba]]:
        """Read the factors at the next places of a row, at most four."""
        word = builder.load(pointer(builder, places, ir.IntType(64)), align=8)
        for g in range(count):
            place = builder.and_(builder.lshr(word, number(16 * g)), number(0xFFFF))
            yield loaded(builder, builder.add(slab, builder.shl(place, number(3))))

    @intrinsic
    def multiply(
        typing_context: Numba,
        slab: Numba,
        joint: Numba,
        own: Numba,
        places: Numba,
        step: Numba,
        count: Numba,
        sums: Numba,
        rows: Numba,
    ) -> Numba:
        """Add joint times own times the product of the slab at `count` places to the sums of each row.

        `places` are 16-bit numbers, those of a row `step` bytes behind those of the row before.
        """

        def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
            slab, joint, own, places, step, count, sums, rows = arguments
            start = times(builder, loaded(builder, joint), loaded(builder, own))
            more = builder.lshr(builder.sub(count, number(unrolled - TOGETHER + 1)), number(2))

            def four(mine: Numba, index: Numba, products: list[Numba]) -> list[Numba]:
                at = builder.add(mine, builder.shl(index, number(3)))
                for found in factors(builder, slab, at, TOGETHER):
                    products = times(builder, products, found)
                return products

            def one_row(last: int, row: Numba, nothing: list[Numba]) -> list[Numba]:
                mine, product = builder.add(places, builder.mul(row, step)), start
                if last > unrolled - TOGETHER:  # there may be more than these
                    product = loop_all(builder, more, partial(four, mine), product)
                    mine = builder.add(mine, builder.shl(more, number(3)))
                chains: list[list[Numba]] = [product]
                for cut in range(0, last, TOGETHER):
                    at = builder.add(mine, number(2 * cut))
                    for found in factors(builder, slab, at, min(TOGETHER, last - cut)):
                        chains.append(times(builder, chains.pop(0), found) if len(chains) > 1 else found)
                product = times(builder, *chains) if len(chains) > 1 else chains[0]
                total = builder.add(sums, builder.mul(row, number(8 * lanes)))
                for cut, value, old in zip(cuts, product, loaded(builder, total), strict=True):
                    at = pointer(builder, builder.add(total, number(8 * cut)), value.type)
                    builder.store(builder.fadd(old, value), at, align=8)
                return nothing

            after = builder.append_basic_block("all_rows")
            blocks = [builder.append_basic_block("count") for _ in range(unrolled + 1)]
            last = builder.sub(count, builder.shl(more, number(2)))
            few = builder.icmp_signed("<=", count, number(unrolled))
            cases = builder.switch(builder.select(few, count, last), blocks[0])
            for number_of_places, block in enumerate(blocks):
                if number_of_places:
                    cases.add_case(number(number_of_places), block)
                builder.position_at_end(block)
                loop_all(builder, rows, partial(one_row, number_of_places), [])
                builder.branch(after)
            builder.position_at_end(after)
            return rows

        return _I64(*(_I64,) * 8), generate

    return multiply
