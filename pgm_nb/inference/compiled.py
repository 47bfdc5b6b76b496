"""The compiled kernels that sum unknown attributes out; importing this module loads numba.

Probabilities are multiplied, not their logarithms added: a row takes one logarithm per class and not one per
attribute. A number that comes near the smallest is scaled, and what was scaled is added as a logarithm. Some
rows are handled together, attribute by attribute: they are first sorted by what they need there, so that the
processor need not guess it from row to row.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "class_scores", "sum_out"]

_SMALL = 1e-200  # below this share of the largest, terms may have been lost
_LOW = 1e-100  # products below this are scaled
_BLOCK = 32  # rows handled together

_FOREST = (
    *(read(types.uint16, 2), read(types.int64), read(types.int64), read(types.int64)),
    *(read(types.uint8), read(types.float64, 2), read(types.float64, 2)),
)
_RESULT = (write(types.float64, 2), write(types.uint8), types.int64, types.int64)


@inlined
def _begin(
    codes: NDArray[np.uint16], cards: Ints, first: int, last: int, block: Ints, unknown: NDArray[np.uint8]
) -> None:
    """Copy the codes of some rows, and note what is unknown; the last row of `unknown` stays zero."""
    for i in range(codes.shape[0]):
        column, mine, hidden, card = codes[i], block[i], unknown[i], cards[i]
        for j in range(last - first):
            mine[j] = column[first + j]
            hidden[j] = mine[j] >= card


@inlined
def _scale(values: Floats, n: int, logs: Floats, j: int, c: int) -> None:
    """Scale products that are all small so that the largest is one, and put the scale aside."""
    largest = 0.0
    for s in range(n):
        largest = max(largest, values[s])
    if largest < _LOW and largest > 0:
        logs[j, c] += math.log(largest)
        for s in range(n):
            values[s] /= largest


@inlined
def _hear(arrived: Floats, sent: Floats) -> None:
    """Make ready for messages: nothing has been said yet."""
    for c in range(arrived.shape[0]):
        for s in range(arrived.shape[1]):
            arrived[c, s] = sent[c, s] = 1.0


@compile_for(*_FOREST, read(types.float64), *_RESULT)
def sum_out(
    codes: NDArray[np.uint16],
    mothers: Ints,
    cards: Ints,
    starts: Ints,
    whole: NDArray[np.uint8],
    chances: Floats,
    turned: Floats,
    log_prior: Floats,
    result: Floats,
    small: NDArray[np.uint8],
    first: int,
    last: int,
) -> None:
    """Write the scores of the rows first, ..., last - 1; mark in `small` those that must be summed in logs.

    `codes` are (attributes, rows), mothers before children; `chances` are the tables (k, cells), that of an
    attribute beginning at its start, the states of its mother in steps of its own number of states, and
    `turned` the same the other way round. An attribute is `whole` if its chances add up to one whatever the
    state of its mother.
    """
    d, k, widest = mothers.shape[0], log_prior.shape[0], cards.max()
    arrived = np.empty(
        (d, _BLOCK, k, widest)
    )  # products of what the children of unknown attributes have sent
    heard, unknown = np.zeros((d, _BLOCK), dtype=np.uint8), np.zeros((d + 1, _BLOCK), dtype=np.uint8)
    block, lists = np.empty((d, _BLOCK), dtype=np.int64), np.empty((4, _BLOCK), dtype=np.int64)
    product, logs, sums = np.empty((_BLOCK, k)), np.empty((_BLOCK, k)), np.empty(widest)
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        _begin(codes, cards, begin, end, block, unknown)
        heard[:], product[:], logs[:] = 0, 1.0, log_prior
        for back in range(d):
            i = d - 1 - back
            mother, card, start, mine = mothers[i], cards[i], starts[i], block[i]
            above, step = (1, 0) if mother < 0 else (cards[mother], card)
            hers, beyond = (mine, unknown[d]) if mother < 0 else (block[mother], unknown[mother])
            shuts = opens = sums_shut = sums_open = np.int64(0)
            for j in range(end - begin):
                hidden, more = np.int64(unknown[i, j]), np.int64(beyond[j])
                some = hidden & (heard[i, j] | (1 - whole[i]))  # else its sum is one
                lists[0, shuts] = lists[1, opens] = lists[2, sums_shut] = lists[3, sums_open] = j
                shuts += 1 - (hidden | more)
                opens += more & (1 - hidden)
                sums_shut += some & (1 - more)
                sums_open += some & more
            for q in range(shuts):
                j = lists[0, q]
                at = start + hers[j] * step + mine[j]
                for c in range(k):
                    product[j, c] *= chances[c, at]
                    if product[j, c] < _LOW and product[j, c] > 0:
                        logs[j, c] += math.log(product[j, c])
                        product[j, c] = 1.0
            for q in range(opens):
                j = lists[1, q]
                fresh, heard[mother, j] = heard[mother, j] == 0, 1
                for c in range(k):
                    into, column = arrived[mother, j, c], turned[c, start + mine[j] * above :]
                    if fresh:
                        for s in range(above):
                            into[s] = column[s]
                        continue
                    for s in range(above):
                        into[s] *= column[s]
                    _scale(into, above, logs, j, c)
            for q in range(sums_shut):
                j = lists[2, q]
                if heard[i, j] == 0:
                    arrived[i, j] = 1.0
                for c in range(k):
                    total, share, table = 0.0, arrived[i, j, c], chances[c, start + hers[j] * step :]
                    for x in range(card):
                        total += table[x] * share[x]
                    if total < _SMALL:
                        small[begin + j] = 1
                    product[j, c] *= total
                    if product[j, c] < _LOW and product[j, c] > 0:
                        logs[j, c] += math.log(product[j, c])
                        product[j, c] = 1.0
            for q in range(sums_open):
                j = lists[3, q]
                if heard[i, j] == 0:
                    arrived[i, j] = 1.0
                fresh, heard[mother, j] = heard[mother, j] == 0, 1
                for c in range(k):
                    share, into = arrived[i, j, c], arrived[mother, j, c]
                    sums[:above] = 0.0
                    for x in range(card):
                        column, weight = turned[c, start + x * above :], share[x]
                        for s in range(above):
                            sums[s] += weight * column[s]
                    least = sums[0]
                    for s in range(above):
                        least = min(least, sums[s])
                        into[s] = sums[s] if fresh else sums[s] * into[s]
                    if least < _SMALL:
                        small[begin + j] = 1
                    _scale(into, above, logs, j, c)
        for j in range(end - begin):
            for c in range(k):
                left = product[j, c]
                result[begin + j, c] = logs[j, c] + math.log(left) if left > 0 else -np.inf


@compile_for(
    *(*_FOREST, read(types.float64, 2), read(types.int64), read(types.float64, 2), read(types.float64, 2)),
    *(read(types.float64, 2), read(types.float64), *_RESULT),
)
def class_scores(
    codes: NDArray[np.uint16],
    mothers: Ints,
    cards: Ints,
    starts: Ints,
    whole: NDArray[np.uint8],
    chances: Floats,
    turned: Floats,
    both: Floats,
    main_starts: Ints,
    mains: Floats,
    base: Floats,
    weights: Floats,
    fades: Floats,
    result: Floats,
    small: NDArray[np.uint8],
    first: int,
    last: int,
) -> None:
    """Write class-trained scores of the rows first, ..., last - 1; mark in `small` those too near to zero.

    The attributes are revealed in order, mothers first, as in `pgm_nb.inference.terms`: `arrived` holds what
    the children of an unknown attribute have sent, and `sent` what it has passed on. What an attribute adds
    to the score is the logarithm of the change it makes at the first known one above it, or at the class.
    `codes` to `turned` are as in `sum_out`; `both` (cells, 2 k) are the logarithms of `chances`, and beside
    them what the training added to each; `mains` (k, states) is what it added to a state alone. `base`
    (d + 1, k), `weights` (d + 1, d) and `fades` (d + 1,) belong to the number of known ones.
    """
    d, k, widest = mothers.shape[0], base.shape[1], cards.max()
    arrived, sent = np.empty((d, _BLOCK, k, widest)), np.empty((d, _BLOCK, k, widest))
    unknown, block = np.zeros((d + 1, _BLOCK), dtype=np.uint8), np.empty((d, _BLOCK), dtype=np.int64)
    new, old, known = np.empty((k, widest)), np.empty((k, widest)), np.empty(_BLOCK, dtype=np.int64)
    lists, heard = np.empty((2, _BLOCK), dtype=np.int64), np.zeros((d, _BLOCK), dtype=np.uint8)
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        _begin(codes, cards, begin, end, block, unknown)
        known[:], heard[:] = d, 0
        for i in range(d):
            for j in range(end - begin):
                known[j] -= unknown[i, j]
        for j in range(end - begin):
            result[begin + j] = base[known[j]]
        for i in range(d):
            mother, card, start, mine = mothers[i], cards[i], starts[i], block[i]
            above, step = (1, 0) if mother < 0 else (cards[mother], card)
            hers, beyond = (mine, unknown[d]) if mother < 0 else (block[mother], unknown[mother])
            shuts = opens = np.int64(0)
            for j in range(end - begin):
                hidden, more = np.int64(unknown[i, j]), np.int64(beyond[j])
                lists[0, shuts] = lists[1, opens] = j
                shuts += 1 - (hidden | more)
                opens += (hidden & (1 - whole[i])) | (more & (1 - hidden))
            for q in range(shuts):
                j = lists[0, q]
                at, fade, weight = start + hers[j] * step + mine[j], fades[known[j]], weights[known[j], i]
                for c in range(k):
                    result[begin + j, c] += fade * both[at, k + c] + weight * both[at, c]
            for q in range(opens):
                j = lists[1, q]
                if small[begin + j]:
                    continue
                lost = False
                if beyond[j] and heard[mother, j] == 0:
                    _hear(arrived[mother, j], sent[mother, j])
                    heard[mother, j] = 1
                if unknown[i, j]:
                    heard[i, j] = 1
                    arrived[i, j] = 1.0
                    for c in range(k):
                        for s in range(above):
                            total, table = 0.0, chances[c, start + s * card :]
                            for x in range(card):
                                total += table[x]
                            lost = lost or total < _SMALL
                            new[c, s] = sent[i, j, c, s] = total
                elif mothers[mother] < 0 or not unknown[mothers[mother], j]:  # most often: one step up
                    only = 0 if mothers[mother] < 0 else block[mothers[mother], j]
                    fade, weight = fades[known[j]], weights[known[j], i]
                    for c in range(k):
                        into, column = arrived[mother, j, c], turned[c, start + mine[j] * above :]
                        total, table = 0.0, chances[c, starts[mother] + only * above :]
                        for x in range(above):
                            into[x] *= column[x]
                            total += table[x] * into[x]
                        change = total / sent[mother, j, c, only]
                        sent[mother, j, c, only] = total
                        lost = lost or total < _SMALL or change < _SMALL
                        added = fade * mains[c, main_starts[i] + mine[j]]
                        result[begin + j, c] += added + (0.0 if lost else weight * math.log(change))
                    small[begin + j] |= lost
                    continue
                else:
                    for c in range(k):
                        fresh, column = new[c], turned[c, start + mine[j] * above :]
                        result[begin + j, c] += fades[known[j]] * mains[c, main_starts[i] + mine[j]]
                        for s in range(above):
                            fresh[s] = column[s]
                place = i
                while not lost:
                    up = mothers[place]
                    if up < 0 or not unknown[up, j]:
                        state = 0 if up < 0 else block[up, j]
                        for c in range(k):
                            change = new[c, state] if place == i else new[c, state] / old[c, state]
                            lost = lost or change < _SMALL
                            result[begin + j, c] += weights[known[j], i] * math.log(max(change, _SMALL))
                        break
                    if heard[up, j] == 0:
                        _hear(arrived[up, j], sent[up, j])
                        heard[up, j] = 1
                    over, wide, from_here = mothers[up], cards[up], starts[up]
                    one = over < 0 or not unknown[over, j]  # no other state of hers will be asked for
                    only = block[over, j] if one and over >= 0 else 0
                    wider = 1 if over < 0 else cards[over]
                    for c in range(k):
                        into, fresh, past, gone = arrived[up, j, c], new[c], old[c], sent[up, j, c]
                        if place == i:
                            for s in range(wide):
                                into[s] *= fresh[s]
                        else:
                            for s in range(wide):
                                into[s] *= fresh[s] / past[s]
                        if one:
                            total, table = 0.0, chances[c, from_here + only * wide :]
                            for x in range(wide):
                                total += table[x] * into[x]
                            lost = lost or total < _SMALL
                            past[only] = gone[only]
                            fresh[only] = gone[only] = total
                            continue
                        for s in range(wider):
                            past[s], fresh[s] = gone[s], 0.0
                        for x in range(wide):
                            share, column = into[x], turned[c, from_here + x * wider :]
                            for s in range(wider):
                                fresh[s] += share * column[s]
                        least = fresh[0]
                        for s in range(wider):
                            least = min(least, fresh[s])
                            gone[s] = fresh[s]
                        lost = lost or least < _SMALL
                    place = up
                small[begin + j] |= lost


READY = remember_compiled(__file__)
