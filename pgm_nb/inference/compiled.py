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

__all__ = ["READY", "sum_out"]

_SMALL = 1e-200  # below this share of the largest, terms may have been lost
_LOW = 1e-100  # products below this are scaled
_LOST = 1e-305  # products below this may have lost digits, or all of them
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
def _scale(values: Floats, n: int, logs: Floats, j: int, c: int) -> bool:
    """Scale products that are all small so that the largest is one, and put the scale aside.

    Returns whether one was lost before: beside those that are scaled it may come to matter again.
    """
    largest, least = 0.0, 1.0
    for s in range(n):
        largest, least = max(largest, values[s]), min(least, values[s])
    if largest >= _LOW or largest == 0:
        return False
    logs[j, c] += math.log(largest)
    for s in range(n):
        values[s] /= largest
    return least < _LOST


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
                    if product[j, c] < _LOW:
                        if product[j, c] > _LOST:
                            logs[j, c] += math.log(product[j, c])
                            product[j, c] = 1.0
                        elif 0 < chances[c, at] < _SMALL:
                            small[begin + j] = 1
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
                    if _scale(into, above, logs, j, c):
                        small[begin + j] = 1
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
                    for s in range(above):
                        into[s] = sums[s] if fresh else sums[s] * into[s]
                    if _scale(into, above, logs, j, c):
                        small[begin + j] = 1
        for j in range(end - begin):
            for c in range(k):
                left = product[j, c]
                result[begin + j, c] = logs[j, c] + math.log(left) if left > 0 else -np.inf


READY = remember_compiled(__file__)
