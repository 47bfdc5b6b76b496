"""The compiled kernel that takes rows with unknown attributes of a chordal graph apart; it loads numba."""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "clique_terms", "complete_terms"]

_SMALL = 1e-200  # a sum or a change below this: the row must be taken apart in logs


@inlined
def _first(row: NDArray[np.uint16], members: Ints, sizes: Ints, count: int, digits: Ints, free: Ints) -> int:
    """Set the digits to the states of the members, unknown ones at zero; return the product of free sizes."""
    combinations = 1
    for a in range(count):
        code = np.int64(row[members[a]])
        free[a] = code >= sizes[a]
        digits[a] = 0 if free[a] else code
        if free[a]:
            combinations *= sizes[a]
    return combinations


@inlined
def _next(digits: Ints, free: Ints, sizes: Ints, count: int) -> None:
    """Go on to the next combination of the states of free members."""
    for back in range(count):
        a = count - 1 - back
        if free[a]:
            digits[a] += 1
            if digits[a] < sizes[a]:
                return
            digits[a] = 0


@inlined
def _place(digits: Ints, steps: Ints, count: int) -> int:
    """Return where a combination of states is."""
    found = 0
    for a in range(count):
        found += digits[a] * steps[a]
    return found


@compile_for(
    *(read(types.uint16, 2), read(types.int64), read(types.int64), read(types.int64), read(types.int64)),
    *(read(types.int64, 2), read(types.int64, 2), read(types.int64, 2), read(types.int64, 2)),
    *(read(types.uint8), read(types.int64), read(types.float64, 3)),
    *(write(types.float64, 3), write(types.uint8), types.int64, types.int64),
)
def clique_terms(
    codes: NDArray[np.uint16],
    which: Ints,
    counts: Ints,
    starts: Ints,
    over: Ints,
    members: Ints,
    sizes: Ints,
    steps: Ints,
    along: Ints,
    whole: NDArray[np.uint8],
    hooks: Ints,
    chances: Floats,
    result: Floats,
    small: NDArray[np.uint8],
    first: int,
    last: int,
) -> None:
    """Write what each attribute adds to the scores of the rows first, ..., last - 1, (rows, d, k).

    As in `pgm_nb.inference.cliques`, with products instead of sums of logarithms; rows that come too near to
    zero are marked in `small`. Only the states that agree with what is known of a row are looked at.

    `codes` are (rows, d), `which` the model of each row, `chances` their tables (models, k, cells). An
    attribute has `counts` mothers, its table begins at `starts` and its messages at `over`. Its `members`
    (mothers, then itself) have `sizes` states and lie `steps` apart in the table; `along` are the steps of
    the members of its hook's cluster in its own message.
    """
    d, cells = counts.shape[0], chances.shape[2]
    arrived, sent = np.empty(cells), np.empty(cells)
    change, further = np.empty(cells), np.empty(cells)
    heard = np.zeros(d, dtype=np.uint8)  # whether something has arrived
    digits, free = np.empty(members.shape[1], dtype=np.int64), np.empty(members.shape[1], dtype=np.int64)
    for r in range(first, last):
        row = codes[r]
        for c in range(result.shape[2]):
            table, lost = chances[which[r], c], False
            heard[:] = 0
            for i in range(d):
                count = counts[i]
                card, code = sizes[i, count], np.int64(row[i])
                combinations = _first(row, members[i], sizes[i], count, digits, free)
                is_open = combinations > 1 or free[:count].any()
                if code < card and not is_open:
                    chance = table[starts[i] + _place(digits, steps[i], count) + code]
                    lost = chance < _SMALL
                    if lost:
                        break
                    result[r, i, c] = math.log(chance)
                    continue
                result[r, i, c] = 0.0
                begin, end = (code, code + 1) if code < card else (0, card)
                message = 0
                for _ in range(combinations):
                    at = _place(digits, steps[i], count)
                    message = at // card
                    at += starts[i]
                    total = 0.0
                    if code >= card and whole[i]:
                        total = 1.0
                    else:
                        for x in range(begin, end):
                            total += table[at + x]
                    change[message] = sent[over[i] + message] = total
                    lost = lost or total < _SMALL
                    _next(digits, free, sizes[i], count)
                if code >= card and whole[i]:
                    continue  # an unknown attribute adds nothing
                here = i
                while is_open and not lost:
                    below, here = here, hooks[here]
                    count = counts[here]
                    card, code = sizes[here, count], np.int64(row[here])
                    begin, end = (code, code + 1) if code < card else (0, card)
                    combinations = _first(row, members[here], sizes[here], count, digits, free)
                    is_open = combinations > 1 or free[:count].any()
                    step = along[below, count]
                    for _ in range(combinations):
                        at = _place(digits, steps[here], count)
                        message = at // card
                        at += starts[here]
                        said = _place(digits, along[below], count)
                        total = 0.0
                        here_arrived, chance = arrived[at + begin : at + end], table[at + begin : at + end]
                        said += begin * step
                        if heard[here]:
                            for x in range(end - begin):
                                here_arrived[x] *= change[np.uint64(said + x * step)]
                        else:
                            for x in range(end - begin):
                                here_arrived[x] = change[np.uint64(said + x * step)]
                        for x in range(end - begin):
                            total += chance[x] * here_arrived[x]
                        further[message] = total / sent[over[here] + message]
                        sent[over[here] + message] = total
                        lost = lost or total < _SMALL
                        _next(digits, free, sizes[here], count)
                    heard[here] = 1
                    change, further = further, change
                lost = lost or change[message] < _SMALL
                if lost:
                    break
                result[r, i, c] = math.log(change[message])
            if lost:
                small[r] = 1
                break


@compile_for(
    *(read(types.uint16, 2), read(types.int64), read(types.int64), read(types.int64)),
    *(read(types.int64, 2), read(types.int64, 2), read(types.float64, 3), write(types.float64, 3)),
)
def complete_terms(
    codes: NDArray[np.uint16],
    which: Ints,
    counts: Ints,
    starts: Ints,
    members: Ints,
    steps: Ints,
    logs: Floats,
    result: Floats,
) -> None:
    """Read one entry of the log tables, (models, cells, k), per attribute and row, of which all is known."""
    for r in range(codes.shape[0]):
        row, table = codes[r], logs[which[r]]
        for i in range(counts.shape[0]):
            at = starts[i] + np.int64(row[i])
            for a in range(counts[i]):
                at += np.int64(row[members[i, a]]) * steps[i, a]
            for c in range(result.shape[2]):
                result[r, i, c] = table[at, c]


READY = remember_compiled(__file__)
