"""The compiled kernel of scores of rows with unknown attributes that have two mothers; it loads numba."""

import math
from collections.abc import Callable
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import Numba, compile_for, intrinsic, ir, loop, pointer, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "chordal_scores"]

_SMALL = 1e-200  # below this share of the largest, terms may have been lost
_LANES, _I64 = 4, types.int64
_TUPLE: Numba = types.UniTuple
_VECTOR = ir.VectorType(ir.DoubleType(), _LANES)
_NOTHING, _ONE, _ALL = 0, 1, 2  # what has arrived: one message, which is read off when needed, or several


def _dot(rows: int) -> Callable[..., float]:
    """Return a function that multiplies rows of numbers, keeps the products, and returns their sum."""

    @intrinsic
    def multiply(typing_context: Numba, into: Numba, sources: Numba, steps: Numba) -> Numba:
        """Take the addresses of the products and of the rows, and how many vectors long they are."""

        def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
            addresses = [builder.extract_value(arguments[1], g) for g in range(rows)]
            target, *given = (pointer(builder, at, _VECTOR) for at in (arguments[0], *addresses))

            def step(index: Numba, total: Numba) -> Numba:
                parts = [builder.load(builder.gep(at, [index]), align=8) for at in given]
                product = reduce(builder.fmul, parts)
                builder.store(product, builder.gep(target, [index]), align=8)
                return builder.fadd(total, product)

            total = loop(builder, arguments[2], step, ir.Constant(_VECTOR, [0.0] * _LANES))
            lanes = [builder.extract_element(total, ir.Constant(ir.IntType(32), g)) for g in range(_LANES)]
            return builder.fadd(builder.fadd(lanes[0], lanes[2]), builder.fadd(lanes[1], lanes[3]))

        return types.float64(_I64, _TUPLE(_I64, rows), _I64), generate

    return multiply


def _columns(*kinds: bool) -> Callable[..., float]:
    """Return a function that multiplies a table by messages, keeps the products, and sums its lines.

    A message has a number for every line of the table, or (True) a line of numbers. The sums are kept; what
    is passed on is by what they have changed, and the least sum is returned.
    """

    @intrinsic
    def multiply(
        typing_context: Numba, out: Numba, table: Numba, lines: Numba, vectors: Numba, given: Numba
    ) -> Numba:
        """Take addresses (out: changes, sums, sums before, products), sizes, messages with their steps."""

        def generate(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
            out, table, lines, vectors, given = arguments
            changes, sums, before, into = (builder.extract_value(out, g) for g in range(4))
            wide = ir.Constant(lines.type, 8 * _LANES)
            long = builder.mul(vectors, wide)
            zeros, undefined = ir.Constant(_VECTOR, [0.0] * _LANES), ir.Constant(_VECTOR, ir.Undefined)
            nowhere = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [0] * _LANES)
            messages = [
                (builder.extract_value(given, 2 * g), builder.extract_value(given, 2 * g + 1))
                for g in range(len(kinds))
            ]

            def column(index: Numba, least: Numba) -> Numba:
                shift = builder.mul(index, wide)

                def line(u: Numba, total: Numba) -> Numba:
                    here = builder.add(shift, builder.mul(u, long))
                    product = builder.load(pointer(builder, builder.add(table, here), _VECTOR), align=8)
                    for is_line, (start, step) in zip(kinds, messages, strict=True):
                        at = builder.add(start, builder.mul(u, step))
                        if is_line:
                            part = builder.load(pointer(builder, builder.add(at, shift), _VECTOR), align=8)
                        else:
                            number = builder.load(pointer(builder, at, ir.DoubleType()), align=8)
                            part = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
                            part = builder.shuffle_vector(part, undefined, nowhere)
                        product = builder.fmul(product, part)
                    builder.store(product, pointer(builder, builder.add(into, here), _VECTOR), align=8)
                    return builder.fadd(total, product)

                total = loop(builder, lines, line, zeros)
                old = builder.load(pointer(builder, builder.add(before, shift), _VECTOR), align=8)
                builder.store(total, pointer(builder, builder.add(sums, shift), _VECTOR), align=8)
                change = builder.fdiv(total, old)
                builder.store(change, pointer(builder, builder.add(changes, shift), _VECTOR), align=8)
                return builder.select(builder.fcmp_ordered("<", total, least), total, least)

            least = loop(builder, vectors, column, ir.Constant(_VECTOR, [1.0] * _LANES))
            lanes = [builder.extract_element(least, ir.Constant(ir.IntType(32), g)) for g in range(_LANES)]
            return reduce(lambda x, y: builder.select(builder.fcmp_ordered("<", x, y), x, y), lanes)

        tuples = _TUPLE(_I64, 4), _TUPLE(_I64, 2 * len(kinds))
        return types.float64(tuples[0], _I64, _I64, _I64, tuples[1]), generate

    return multiply


_two, _three = _dot(2), _dot(3)
_number, _line = _columns(False), _columns(True)
_numbers, _number_line, _line_number, _lines = (
    _columns(False, False),
    _columns(False, True),
    _columns(True, False),
    _columns(True, True),
)


@compile_for(
    *(read(types.uint16, 2), read(types.int64, 2), read(types.int64), read(types.int64)),
    *(read(types.int64, 2), read(types.float64), types.int64),
    *(read(types.int64, 3), read(types.float64), types.int64),
    *(read(types.int64), read(types.float64, 2), read(types.int64), read(types.float64, 2)),
    *(read(types.float64, 2), read(types.float64, 2), read(types.float64)),
    *(write(types.float64, 2), write(types.uint8), types.int64, types.int64, types.int64),
)
def chordal_scores(
    codes: NDArray[np.uint16],
    mothers: Ints,
    cards: Ints,
    padded: Ints,
    starts: Ints,
    chances: Floats,
    cells: int,
    far_starts: Ints,
    far: Floats,
    far_cells: int,
    both_starts: Ints,
    both: Floats,
    main_starts: Ints,
    mains: Floats,
    base: Floats,
    weights: Floats,
    fades: Floats,
    result: Floats,
    small: NDArray[np.uint8],
    together: int,
    first: int,
    last: int,
) -> None:
    """Write class-trained scores of the rows first, ..., last - 1; mark in `small` those too near to zero.

    The attributes are revealed in order, mothers first. A known one is a factor over those of its mothers
    that are unknown; it goes to the last of them, whose cluster holds the other. An unknown one multiplies
    what has arrived (`held`), sums itself out, and sends the change on in the same way, until all mothers are
    known: the logarithm of the change is what the attribute adds. As long as the unknown ones on the way have
    heard of nothing else, the message is read off a table: `far` has those of each attribute given its
    mothers, given the mothers of the last of these, and so on.

    `codes` are (attributes, rows). `mothers` (d, 2) are in order, the number d stands for none and has one
    state. Tables are flat, one class after the other; their last states lie side by side and are `padded` to
    whole vectors. `starts` (d, 3) are of P(x | a, b) as (a, b, x), (a, x, b) and (b, x, a), and `far_starts`
    (d, levels, 2) of tables as (x, a, b) and (x, b, a). `both` (cells, 2 k) at `both_starts`, `mains`,
    `base`, `weights` and `fades` are as in `compiled_class.class_scores`; `together` rows are handled at a
    time. The chances of every attribute add up to one.
    """
    d, k, depth = mothers.shape[0], base.shape[1], far_starts.shape[1] - 1
    room = np.int64(1)
    for i in range(d):
        room = max(room, cards[mothers[i, 1]] * padded[mothers[i, 0]], padded[mothers[i, 1]])
    held = np.empty(together * k * cells)  # products, and sums over them that have been sent
    factor, further, ones = np.zeros(k * room), np.zeros(k * room), np.ones(room)
    unknown = np.zeros((d + 1, together), dtype=np.uint8)
    block = np.zeros((d + 1, together), dtype=np.int64)
    known, lists = np.empty(together, dtype=np.int64), np.empty((2, together), dtype=np.int64)
    heard = np.zeros((d + 1, together), dtype=np.uint8)
    who, level, beside, place = (
        np.zeros((d, together), dtype=np.int64),
        np.zeros((d, together), dtype=np.int64),
        np.zeros((d, together), dtype=np.int64),
        np.zeros((d, together), dtype=np.int64),
    )
    held_at, chances_at, far_at = held.ctypes.data, chances.ctypes.data, far.ctypes.data
    for begin in range(first, last, together):
        rows = min(begin + together, last) - begin
        known[:], heard[:] = 0, _NOTHING
        free = np.int64(0)  # where `held` is free
        for i in range(d):
            column, mine, hidden, card = codes[i], block[i], unknown[i], cards[i]
            for j in range(rows):
                mine[j] = column[begin + j]
                hidden[j] = mine[j] >= card
                known[j] += mine[j] < card
        for j in range(rows):
            for c in range(k):
                result[begin + j, c] = base[known[j], c]
        for i in range(d):
            mine, former, latter = block[i], mothers[i, 0], mothers[i, 1]
            card, step = cards[i], cards[i] * cards[latter]
            shuts = opens = np.int64(0)
            for j in range(rows):
                hidden = np.int64(unknown[i, j])
                more = np.int64(unknown[former, j] | unknown[latter, j])
                lists[0, shuts] = lists[1, opens] = j
                shuts += 1 - (hidden | more)
                opens += more & (1 - hidden)
            for q in range(shuts):
                j = lists[0, q]
                at = both_starts[i] + block[former, j] * step + block[latter, j] * card + mine[j]
                fade, weight = fades[known[j]], weights[known[j], i]
                for c in range(k):
                    result[begin + j, c] += fade * both[at, k + c] + weight * both[at, c]
            for q in range(opens):
                j = lists[1, q]
                fade, weight = fades[known[j]], weights[known[j], i]
                for c in range(k):
                    result[begin + j, c] += fade * mains[c, main_starts[i] + mine[j]]
                if small[begin + j]:
                    continue
                a, b, away = former, latter, np.int64(0)  # unknown attributes that have heard nothing
                while away < depth and unknown[b, j] and heard[b, j] == _NOTHING:
                    heard[b, j], who[b, j], level[b, j], beside[b, j] = _ONE, i, away, a
                    a, b, away = mothers[b, 0], mothers[b, 1], away + 1
                open_a, open_b = unknown[a, j] != 0, unknown[b, j] != 0
                if not (open_a or open_b):
                    at = far_starts[i, away, 0] + (mine[j] * cards[a] + block[a, j]) * padded[b] + block[b, j]
                    for c in range(k):
                        change = far[np.uint64(c * far_cells + at)]
                        if change < _SMALL:
                            small[begin + j] = 1
                        else:
                            result[begin + j, c] += weight * math.log(change)
                    continue
                here, other = b if open_b else a, a if open_a and open_b else d
                if open_a:
                    at = far_starts[i, away, 1] + mine[j] * cards[b] * padded[a]
                    at += np.int64(0) if open_b else block[b, j] * padded[a]
                else:
                    at = far_starts[i, away, 0] + (mine[j] * cards[a] + block[a, j]) * padded[b]
                source, plane, lost = far_at + 8 * at, 8 * far_cells, False
                while True:
                    a, b, wide, state = mothers[here, 0], mothers[here, 1], padded[here], heard[here, j]
                    open_a, open_b = unknown[a, j] != 0, unknown[b, j] != 0
                    child = side = one = old = np.int64(0)
                    if state == _ONE:
                        child, away, side = who[here, j], level[here, j], beside[here, j]
                        if unknown[side, j]:
                            one = far_starts[child, away, 1] + block[child, j] * cards[here] * padded[side]
                        else:
                            one = far_starts[child, away, 0]
                            one += (block[child, j] * cards[side] + block[side, j]) * wide
                            side = d
                        one = far_at + 8 * one
                    if not (open_a or open_b):
                        corner = block[a, j] * cards[b] + block[b, j]
                        if state == _ONE:
                            old = far_starts[child, away + 1, 0]
                            old += (block[child, j] * cards[a] + block[a, j]) * padded[b] + block[b, j]
                        if state != _ALL:
                            place[here, j] = free
                            free += k * (wide + 1)
                        own = place[here, j]
                        for c in range(k):
                            to, said = held_at + 8 * (own + c * (wide + 1)), source + c * plane
                            row = chances_at + 8 * (c * cells + starts[here, 0] + corner * wide)
                            sent, before = np.uint64(own + c * (wide + 1) + wide), 1.0
                            if state == _ALL:
                                total = _two(to, (to, said), wide >> 2)
                                before = held[sent]
                            elif state == _ONE:
                                total = _three(to, (row, said, one + 8 * c * far_cells), wide >> 2)
                                before = far[np.uint64(c * far_cells + old)]
                            else:
                                total = _two(to, (row, said), wide >> 2)
                            held[sent] = total
                            change = total / before
                            lost = lost or total < _SMALL or change < _SMALL
                            if not lost:
                                result[begin + j, c] += weight * math.log(change)
                        heard[here, j] = _ALL
                        break
                    inner = a if open_a else b
                    many, lanes = cards[b] if open_a and open_b else np.int64(1), padded[inner]
                    lines, vectors, line = cards[here], lanes >> 2, 8 * lanes
                    if open_a:
                        row = starts[here, 2] + (np.int64(0) if open_b else block[b, j] * lines * lanes)
                    else:
                        row = starts[here, 1] + block[a, j] * lines * lanes
                    if state == _ONE:
                        if open_a:
                            old = far_starts[child, away + 1, 1] + block[child, j] * cards[b] * lanes
                            old += np.int64(0) if open_b else block[b, j] * lanes
                        else:
                            old = far_starts[child, away + 1, 0]
                            old += (block[child, j] * cards[a] + block[a, j]) * lanes
                    size = many * lanes * (lines + 1)
                    if state != _ALL:
                        place[here, j] = free
                        free += k * size
                    rise = 8 * padded[other] if other != d else np.int64(8)
                    shift = np.int64(8) if other != d and other != inner else np.int64(0)
                    lined = other == inner
                    rise_one = 8 * padded[side] if side != d else np.int64(8)
                    shift_one = np.int64(8) if side != d and side != inner else np.int64(0)
                    lined_one = side == inner
                    out_at, least = further.ctypes.data, 1.0
                    for c in range(k):
                        product, said = held_at + 8 * (place[here, j] + c * size), source + c * plane
                        summed = product + many * lines * line
                        past = summed if state == _ALL else ones.ctypes.data
                        if state == _ONE:
                            past = far_at + 8 * (old + c * far_cells)
                        table = product if state == _ALL else chances_at + 8 * (row + c * cells)
                        also, out = one + 8 * c * far_cells, out_at + 8 * c * room
                        for _ in range(many):
                            places, spoken = (out, summed, past, product), (said, rise, also, rise_one)
                            if state != _ONE:
                                if lined:
                                    low = _line(places, table, lines, vectors, (said, rise))
                                else:
                                    low = _number(places, table, lines, vectors, (said, rise))
                            elif lined and lined_one:
                                low = _lines(places, table, lines, vectors, spoken)
                            elif lined:
                                low = _line_number(places, table, lines, vectors, spoken)
                            elif lined_one:
                                low = _number_line(places, table, lines, vectors, spoken)
                            else:
                                low = _numbers(places, table, lines, vectors, spoken)
                            least = min(least, low)
                            out, summed, past = out + line, summed + line, past + line
                            product, table = product + lines * line, table + lines * line
                            said, also = said + shift, also + shift_one
                    heard[here, j] = _ALL
                    factor, further = further, factor
                    source, plane = factor.ctypes.data, int(8 * room)
                    lost = least < _SMALL
                    if lost:
                        break
                    other = a if open_a and open_b else d
                    here = b if open_b else a
                small[begin + j] |= lost


READY = remember_compiled(__file__)
