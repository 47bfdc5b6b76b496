"""The compiled kernel that sums unknown attributes out; importing this module loads numba.

Probabilities are multiplied, not their logarithms added: a row takes one logarithm per class and not one per
attribute. A number that comes near the smallest is scaled, and what was scaled is added as a logarithm.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "sum_out"]

_SMALL = 1e-200  # below this share of the largest, terms may have been lost
_LOW = 1e-100  # products below this are scaled


@compile_for(
    *(read(types.uint16, 2), read(types.int64), read(types.int64), read(types.int64), read(types.uint8)),
    *(read(types.float64, 2), read(types.float64), write(types.float64, 2), write(types.uint8)),
    *(types.int64, types.int64),
)
def sum_out(
    codes: NDArray[np.uint16],
    mothers: Ints,
    cards: Ints,
    starts: Ints,
    whole: NDArray[np.uint8],
    chances: Floats,
    log_prior: Floats,
    result: Floats,
    small: NDArray[np.uint8],
    first: int,
    last: int,
) -> None:
    """Write the scores of the rows first, ..., last - 1; mark in `small` those that must be summed in logs.

    `codes` are (rows, attributes), mothers before children; `chances` are the tables (k, cells), that of an
    attribute beginning at its start, the states of its mother in steps of its own number of states. An
    attribute is `whole` if its chances add up to one whatever the state of its mother.
    """
    d = mothers.shape[0]
    arrived = np.empty((d, cards.max()))  # products of what the children of unknown attributes have sent
    heard = np.zeros(d, dtype=np.uint8)
    for r in range(first, last):
        row = codes[r]
        for c in range(log_prior.shape[0]):
            table = chances[c]
            logs, product, lost = log_prior[c], 1.0, False
            heard[:] = 0
            for back in range(d):
                i = d - 1 - back
                mother, card, code = mothers[i], cards[i], np.int64(row[i])
                if code >= card and heard[i] == 0:
                    if whole[i]:
                        continue  # nothing is known of it or below it: its sum is one
                    arrived[i, :card] = 1.0
                if mother < 0 or row[mother] < cards[mother]:
                    at = starts[i] + (0 if mother < 0 else np.int64(row[mother]) * card)
                    if code < card:
                        product *= table[at + code]
                    else:
                        total = 0.0
                        for x in range(card):
                            total += table[at + x] * arrived[i, x]
                        lost = lost or total < _SMALL
                        product *= total
                    if product < _LOW and product > 0:
                        logs += math.log(product)
                        product = 1.0
                    continue
                largest, fresh = 0.0, heard[mother] == 0
                heard[mother] = 1
                for s in range(cards[mother]):
                    at = starts[i] + s * card
                    if code < card:
                        sent = table[at + code]
                    else:
                        sent = 0.0
                        for x in range(card):
                            sent += table[at + x] * arrived[i, x]
                        lost = lost or sent < _SMALL
                    if not fresh:
                        sent *= arrived[mother, s]
                    arrived[mother, s] = sent
                    largest = max(largest, sent)
                if largest < _LOW and largest > 0:
                    logs += math.log(largest)
                    for s in range(cards[mother]):
                        arrived[mother, s] /= largest
            if lost:
                small[r] = 1
            result[r, c] = logs + math.log(product) if product > 0 else -np.inf


READY = remember_compiled(__file__)
