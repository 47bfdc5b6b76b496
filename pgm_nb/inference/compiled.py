"""The compiled kernels that sum unknown attributes out; importing this module loads numba.

Probabilities are multiplied, not their logarithms added: a row takes one logarithm per class and not one per
attribute. A number that comes near the smallest is scaled, and what was scaled is added as a logarithm.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "class_scores", "sum_out"]

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


@compile_for(
    *(read(types.uint16, 2), read(types.int64), read(types.int64), read(types.int64), read(types.uint8)),
    *(read(types.float64, 2), read(types.int64), read(types.float64, 2), read(types.float64, 2)),
    *(read(types.float64, 2), read(types.float64, 2), read(types.float64)),
    *(write(types.float64, 2), write(types.uint8), types.int64, types.int64),
)
def class_scores(
    codes: NDArray[np.uint16],
    mothers: Ints,
    cards: Ints,
    starts: Ints,
    whole: NDArray[np.uint8],
    chances: Floats,
    main_starts: Ints,
    mains: Floats,
    cells: Floats,
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
    `codes` to `chances` are as in `sum_out`; `mains` (k, states) and `cells` (k, cells) are what the training
    added; `base` (d + 1, k), `weights` (d + 1, d) and `fades` (d + 1,) belong to the number of known ones.
    """
    d = mothers.shape[0]
    widest = cards.max()
    arrived, sent = np.empty((d, widest)), np.empty((d, widest))
    new, old = np.empty(widest), np.empty(widest)
    for r in range(first, last):
        row = codes[r]
        known = 0
        for i in range(d):
            if row[i] < cards[i]:
                known += 1
        for c in range(base.shape[1]):
            table, score, lost = chances[c], base[known, c], False
            for i in range(d):
                if lost:
                    break
                mother, card, code = mothers[i], cards[i], np.int64(row[i])
                above = 1 if mother < 0 else cards[mother]
                open_above = mother >= 0 and row[mother] >= cards[mother]
                if code < card:
                    at = starts[i] + (0 if mother < 0 or open_above else np.int64(row[mother]) * card) + code
                    added = mains[c, main_starts[i] + code] if mother < 0 or open_above else cells[c, at]
                    score += fades[known] * added
                    if not open_above:
                        lost = table[at] < _SMALL
                        score += 0.0 if lost else weights[known, i] * math.log(table[at])
                        continue
                    for s in range(above):
                        new[s] = table[starts[i] + s * card + code]
                else:
                    arrived[i, :card] = 1.0
                    if whole[i]:
                        sent[i, :above] = 1.0
                        continue  # an unknown attribute adds nothing
                    for s in range(above):
                        total = 0.0
                        for x in range(card):
                            total += table[starts[i] + s * card + x]
                        lost = lost or total < _SMALL
                        new[s] = sent[i, s] = total
                old[:above] = 1.0
                place, change = i, 1.0
                while not lost:
                    up = mothers[place]
                    if up < 0 or row[up] < cards[up]:
                        state = 0 if up < 0 else np.int64(row[up])
                        change = new[state] / old[state]
                        break
                    for s in range(cards[up]):
                        arrived[up, s] *= new[s] / old[s]
                    over = mothers[up]
                    one = over >= 0 and row[over] < cards[over]  # no other state of hers will be asked for
                    begin = np.int64(row[over]) if one else 0
                    end = begin + 1 if one else (1 if over < 0 else cards[over])
                    for s in range(begin, end):
                        total, at = 0.0, starts[up] + s * cards[up]
                        for x in range(cards[up]):
                            total += table[at + x] * arrived[up, x]
                        lost = lost or total < _SMALL
                        old[s] = sent[up, s]
                        new[s] = sent[up, s] = total
                    if lost:
                        break
                    place = up
                lost = lost or change < _SMALL
                score += 0.0 if lost else weights[known, i] * math.log(change)
            if lost:
                small[r] = 1
                break
            result[r, c] = score


READY = remember_compiled(__file__)
