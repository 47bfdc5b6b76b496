"""The compiled kernel that takes rows with unknown attributes of a chordal graph apart; it loads numba."""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "clique_terms", "complete_terms", "weighted_terms"]

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
    *(read(types.uint8), read(types.int64), read(types.float64, 3), read(types.float64, 3)),
    *(write(types.float64, 3), write(types.uint8), types.int64, types.int64),
    any_order=True,
)
def clique_terms(
    codes: NDArray[np.uint16],
    which: Ints,
    counts: Ints,
    starts: Ints,
    over: Ints,
    members: Ints,
    sizes: Ints,
    spans: Ints,
    along: Ints,
    whole: NDArray[np.uint8],
    hooks: Ints,
    chances: Floats,
    logs: Floats,
    result: Floats,
    small: NDArray[np.uint8],
    first: int,
    last: int,
) -> None:
    """Write what each attribute adds to the scores of the rows first, ..., last - 1, (rows, d, k).

    As in `pgm_nb.inference.cliques`, with products instead of sums of logarithms; rows that come too near to
    zero are marked in `small`. Only the states that agree with what is known of a row are looked at.

    `codes` are (rows, d), `which` the model of each row, `chances` and `logs` its tables (models, k, cells).
    An attribute has `counts` mothers, its table begins at `starts` and its messages at `over`. Its `members`
    (mothers in the order in which they join, then itself) have `sizes` states; `spans` are the steps of the
    mothers in its message, and `along` those of the members of its hook's cluster. The hook is the last of
    the mothers, so her states lie side by side there.
    """
    d, k, cells = counts.shape[0], result.shape[2], chances.shape[2]
    held, sent = np.empty(k * cells), np.empty(k * cells)  # tables times what has arrived; last messages
    change, further = np.empty(k * cells), np.empty(k * cells)
    heard = np.zeros(d, dtype=np.uint8)  # whether something has arrived
    digits, free = np.empty(members.shape[1], dtype=np.int64), np.empty(members.shape[1], dtype=np.int64)
    for r in range(first, last):
        row, table, added, lost = codes[r], chances[which[r]].ravel(), result[r], False
        heard[:] = 0
        for i in range(d):
            count = counts[i]
            card, code = sizes[i, count], np.int64(row[i])
            if code >= card and whole[i]:  # an unknown attribute adds nothing
                added[i, :] = 0.0
                continue
            combinations = _first(row, members[i], sizes[i], count, digits, free)
            is_open = combinations > 1 or free[:count].any()
            begin, end = (code, code + 1) if code < card else (0, card)
            if code < card and not is_open:
                at = starts[i] + _place(digits, spans[i], count) * card + code
                for c in range(k):
                    lost = lost or table[c * cells + at] < _SMALL
                    added[i, c] = logs[which[r], c, at]
                if lost:
                    small[r] = 1
                    break
                continue
            others = max(count - 1, 0)  # the states of the last mother lie side by side
            side = sizes[i, others] if count > 0 and free[others] else 1
            message = 0
            for _ in range(combinations // side):
                message = _place(digits, spans[i], count)
                for c in range(k):
                    at = np.uint64(c * cells + starts[i] + message * card)
                    to, kept = np.uint64(c * cells + message), np.uint64(c * cells + over[i] + message)
                    for t in range(np.uint64(side)):
                        total = 0.0
                        for x in range(np.uint64(begin), np.uint64(end)):
                            total += table[at + t * np.uint64(card) + x]
                        change[to + t] = sent[kept + t] = total
                        lost = lost or total < _SMALL
                _next(digits, free, sizes[i], others)
            here = i
            while is_open and not lost:
                below, here = here, hooks[here]
                count = counts[here]
                card, code = sizes[here, count], np.int64(row[here])
                begin, states = (code, 1) if code < card else (0, card)
                combinations = _first(row, members[here], sizes[here], count, digits, free)
                is_open = combinations > 1 or free[:count].any()
                new = heard[here] == 0
                own, rise, tall = spans[here], along[below], sizes[here]
                silent = new and code >= card and whole[here] != 0
                others = max(count - 1, 0)
                side, step = (tall[others], rise[others]) if count > 0 and free[others] else (1, 0)
                for _ in range(combinations // side):
                    message = _place(digits, own, count)
                    start = starts[here] + message * card + begin
                    said = _place(digits, rise, count) + begin
                    for c in range(k):
                        plane = c * cells
                        for t in range(side):
                            to, total = np.uint64(plane + start + t * card), 0.0
                            by = np.uint64(plane + said + t * step)
                            if new:
                                for x in range(np.uint64(states)):
                                    product = table[to + x] * change[by + x]
                                    held[to + x] = product
                                    total += product
                            else:
                                for x in range(np.uint64(states)):
                                    product = held[to + x] * change[by + x]
                                    held[to + x] = product
                                    total += product
                            at = np.uint64(plane + over[here] + message + t)
                            further[np.uint64(plane + message + t)] = total if silent else total / sent[at]
                            sent[at] = total
                            lost = lost or total < _SMALL
                    _next(digits, free, tall, others)
                heard[here] = 1
                change, further = further, change
            for c in range(k):
                moved = change[c * cells + message]
                lost = lost or moved < _SMALL
                if not lost:
                    added[i, c] = math.log(moved)
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


@compile_for(
    *(read(types.uint16, 2), read(types.int64), read(types.int64), read(types.int64), read(types.int64, 2)),
    *(read(types.int64, 2), read(types.float64, 2), read(types.int64), read(types.float64, 2)),
    *(read(types.float64, 3), read(types.float64, 2), read(types.float64, 2), read(types.float64)),
    write(types.float64, 2),
)
def weighted_terms(
    codes: NDArray[np.uint16],
    cards: Ints,
    counts: Ints,
    starts: Ints,
    members: Ints,
    steps: Ints,
    cells: Floats,
    main_starts: Ints,
    mains: Floats,
    terms: Floats,
    base: Floats,
    weights: Floats,
    fades: Floats,
    result: Floats,
) -> None:
    """Write class-trained scores, (rows, k), from what each attribute adds by the tables, (rows, d, k).

    `codes` are (attributes, rows); `counts` to `steps` are as in `clique_terms`. `cells` (cells, k) is what
    the training added to a cell, and `mains` (states, k) to a state without mothers, or with one unknown.
    `base` (d + 1, k), `weights` (d + 1, d) and `fades` (d + 1,) belong to the number of known attributes.
    """
    d, k = counts.shape[0], result.shape[1]
    for r in range(result.shape[0]):
        known = 0
        for i in range(d):
            known += np.int64(codes[i, r]) < cards[i]
        score, fade = result[r], fades[known]
        for c in range(k):
            score[c] = base[known, c]
        for i in range(d):
            own, weight = np.int64(codes[i, r]), weights[known, i]
            for c in range(k):
                score[c] += weight * terms[r, i, c]
            if own >= cards[i]:
                continue
            at, hidden = starts[i] + own, counts[i] == 0
            for a in range(counts[i]):
                state = np.int64(codes[members[i, a], r])
                hidden = hidden or state >= cards[members[i, a]]
                at += state * steps[i, a]
            if hidden:
                for c in range(k):
                    score[c] += fade * mains[main_starts[i] + own, c]
            else:
                for c in range(k):
                    score[c] += fade * cells[at, c]


READY = remember_compiled(__file__)
