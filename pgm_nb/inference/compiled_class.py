"""The compiled kernel of class-trained scores of rows with unknown attributes; it loads numba."""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "class_scores"]

_SMALL = 1e-200  # below this share of the largest, terms may have been lost
_LOG_SMALL = math.log(_SMALL)
_BLOCK = 32  # rows handled together
_NOTHING, _ONE, _ALL = 0, 1, 2  # what has arrived: one message, which is read off when needed, or several


@inlined
def _copy(into: Floats, a: int, source: Floats, b: int, n: int) -> None:
    for s in range(n):
        into[np.uint64(a + s)] = source[np.uint64(b + s)]


@inlined
def _fill(into: Floats, a: int, n: int) -> None:
    for s in range(n):
        into[np.uint64(a + s)] = 1.0


@inlined
def _times(into: Floats, a: int, factor: Floats, b: int, n: int) -> None:
    for s in range(n):
        into[np.uint64(a + s)] *= factor[np.uint64(b + s)]


@inlined
def _dot(one: Floats, a: int, other: Floats, b: int, n: int) -> float:
    total = 0.0
    for s in range(n):
        total += one[np.uint64(a + s)] * other[np.uint64(b + s)]
    return total


@inlined
def _meet(into: Floats, a: int, one: Floats, b: int, c: int, chances: Floats, at: int, n: int) -> float:
    """Multiply what one and another have sent; return the sum over the states."""
    total = 0.0
    for s in range(n):
        both = one[np.uint64(b + s)] * one[np.uint64(c + s)]
        into[np.uint64(a + s)] = both
        total += chances[np.uint64(at + s)] * both
    return total


@inlined
def _join(into: Floats, a: int, one: Floats, b: int, chances: Floats, at: int, n: int) -> float:
    """Multiply what has been sent by what is sent now; return the sum over the states."""
    total = 0.0
    for s in range(n):
        both = into[np.uint64(a + s)] * one[np.uint64(b + s)]
        into[np.uint64(a + s)] = both
        total += chances[np.uint64(at + s)] * both
    return total


@inlined
def _add(into: Floats, weight: float, column: Floats, b: int, n: int) -> None:
    for s in range(n):
        into[np.uint64(s)] += weight * column[np.uint64(b + s)]


@inlined
def _pass_on(sums: Floats, sent: Floats, a: int, factor: Floats, b: int, n: int) -> float:
    """Send sums on: what changes is the factor; return the least sum."""
    least = float(sums[0])
    for s in range(n):
        total = sums[np.uint64(s)]
        least = min(least, float(total))
        factor[np.uint64(b + s)] = total / sent[np.uint64(a + s)]
        sent[np.uint64(a + s)] = total
    return least


@compile_for(
    *(read(types.uint16, 2), read(types.int64), read(types.int64), read(types.int64)),
    *(read(types.float64), read(types.float64), types.int64),
    *(read(types.int64, 2), read(types.float64), read(types.float64), types.int64),
    *(read(types.float64, 2), read(types.int64), read(types.float64, 2), read(types.float64, 2)),
    *(read(types.float64, 2), read(types.float64)),
    *(write(types.float64, 2), write(types.uint8), types.int64, types.int64),
)
def class_scores(
    codes: NDArray[np.uint16],
    mothers: Ints,
    cards: Ints,
    starts: Ints,
    chances: Floats,
    turned: Floats,
    cells: int,
    far_starts: Ints,
    far: Floats,
    far_logs: Floats,
    far_cells: int,
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

    The attributes are revealed in order, mothers first, as in `pgm_nb.inference.terms`. What an attribute
    adds to the score is the logarithm of the change it makes at the first known one above it, or at the
    class. As long as the unknown ones between have heard of nothing else, this is an entry of a table given
    that ancestor, which is at hand in `far` and `far_logs`: the tables given the mother, her mother and so
    on, at `far_starts` (attributes, levels), the states of the ancestor side by side. Only when a second
    message comes, `arrived` holds what the descendants of an unknown attribute have sent to it, and `sent`
    what it has passed on.

    `codes` are (attributes, rows); `chances` (k tables of `cells`), `turned` and `starts` as in
    `pgm_nb.inference.compiled.sum_out`, flat; `both` (cells, 2 k) are the logarithms of `chances`, and beside
    them what the training added to each; `mains` (k, states) is what it added to a state alone. `base`
    (d + 1, k), `weights` (d + 1, d) and `fades` (d + 1,) belong to the number of known ones. The chances of
    every attribute add up to one.
    """
    d, k, widest = mothers.shape[0], base.shape[1], cards.max()
    depth = far_starts.shape[1] - 1
    room = k * widest
    arrived, sent = np.empty(d * _BLOCK * room), np.empty(d * _BLOCK * room)
    unknown, block = np.zeros((d + 1, _BLOCK), dtype=np.uint8), np.empty((d, _BLOCK), dtype=np.int64)
    sums, factor, known = np.empty(widest), np.empty(room), np.empty(_BLOCK, dtype=np.int64)
    lists, heard = np.empty((2, _BLOCK), dtype=np.int64), np.zeros((d, _BLOCK), dtype=np.uint8)
    who, level = np.zeros((d, _BLOCK), dtype=np.int64), np.zeros((d, _BLOCK), dtype=np.int64)
    for begin in range(first, last, _BLOCK):
        end = min(begin + _BLOCK, last)
        known[:], heard[:] = 0, _NOTHING
        for i in range(d):
            column, mine, hidden, card = codes[i], block[i], unknown[i], cards[i]
            for j in range(end - begin):
                mine[j] = column[begin + j]
                hidden[j] = mine[j] >= card
                known[j] += mine[j] < card
        for j in range(end - begin):
            for c in range(k):
                result[begin + j, c] = base[known[j], c]
        for i in range(d):
            mother, card, start, mine = mothers[i], cards[i], starts[i], block[i]
            step = 0 if mother < 0 else card
            hers, beyond = (mine, unknown[d]) if mother < 0 else (block[mother], unknown[mother])
            shuts = opens = np.int64(0)
            for j in range(end - begin):
                hidden, more = np.int64(unknown[i, j]), np.int64(beyond[j])
                lists[0, shuts] = lists[1, opens] = j
                shuts += 1 - (hidden | more)
                opens += more & (1 - hidden)
            for q in range(shuts):
                j = lists[0, q]
                at, fade, weight = start + hers[j] * step + mine[j], fades[known[j]], weights[known[j], i]
                for c in range(k):
                    result[begin + j, c] += fade * both[at, k + c] + weight * both[at, c]
            for q in range(opens):
                j = lists[1, q]
                fade, weight = fades[known[j]], weights[known[j], i]
                above = mother
                away = np.int64(0)  # unknown attributes above that have heard nothing
                while away < depth and above >= 0 and unknown[above, j] and heard[above, j] == _NOTHING:
                    heard[above, j], who[above, j], level[above, j] = _ONE, i, away
                    above, away = mothers[above], away + 1
                for c in range(k):
                    result[begin + j, c] += fade * mains[c, main_starts[i] + mine[j]]
                wide = 1 if above < 0 else int(cards[above])
                at = far_starts[i, away] + mine[j] * wide
                if above < 0 or not unknown[above, j]:
                    at += 0 if above < 0 else block[above, j]
                    for c in range(k):
                        added = far_logs[c * far_cells + at]
                        small[begin + j] |= added < _LOG_SMALL
                        result[begin + j, c] += weight * added
                    continue
                if small[begin + j]:
                    continue
                over = mothers[above]
                if (over < 0 or not unknown[over, j]) and heard[above, j] != _NOTHING:  # most often
                    only = block[over, j] if over >= 0 else np.int64(0)
                    child, up, alone = who[above, j], level[above, j], heard[above, j] == _ONE
                    x, own, table = block[child, j], (above * _BLOCK + j) * room, starts[above] + only * wide
                    there = far_starts[child, up] + x * wide
                    wider = 1 if over < 0 else int(cards[over])
                    passed = far_starts[child, up + alone] + x * wider + only
                    for c in range(k):
                        a, b, p = own + c * widest, c * far_cells + at, c * cells + table
                        if alone:
                            total = _meet(arrived, a, far, b, c * far_cells + there, chances, p, wide)
                            before = far[c * far_cells + passed]
                        else:
                            total = _join(arrived, a, far, b, chances, p, wide)
                            before = sent[a + only]
                        change = total / before
                        sent[a + only] = total
                        if total < _SMALL or change < _SMALL:
                            small[begin + j] = 1
                        else:
                            result[begin + j, c] += weight * math.log(change)
                    heard[above, j] = _ALL
                    continue
                for c in range(k):
                    _copy(factor, c * widest, far, c * far_cells + at, wide)
                lost = False
                while not lost:
                    here, over = above, mothers[above]
                    wide, from_here = int(cards[here]), starts[here]
                    wider = 1 if over < 0 else int(cards[over])
                    shut = over < 0 or not unknown[over, j]
                    only = block[over, j] if shut and over >= 0 else np.int64(0)
                    own = (here * _BLOCK + j) * room
                    if heard[here, j] == _ONE:
                        child, up = who[here, j], level[here, j]
                        x = block[child, j]
                        for c in range(k):
                            a, b = own + c * widest, c * far_cells
                            _copy(arrived, a, far, b + far_starts[child, up] + x * wide, wide)
                            b += far_starts[child, up + 1] + x * wider
                            if shut:
                                sent[a + only] = far[b + only]
                            else:
                                _copy(sent, a, far, b, wider)
                    elif heard[here, j] == _NOTHING:
                        for c in range(k):
                            _fill(arrived, own + c * widest, wide)
                            _fill(sent, own + c * widest, wider)
                    heard[here, j] = _ALL
                    if shut:
                        for c in range(k):
                            a = own + c * widest
                            _times(arrived, a, factor, c * widest, wide)
                            total = _dot(arrived, a, chances, c * cells + from_here + only * wide, wide)
                            change = total / sent[a + only]
                            sent[a + only] = total
                            lost = lost or total < _SMALL or change < _SMALL
                            result[begin + j, c] += 0.0 if lost else weight * math.log(change)
                        break
                    for c in range(k):
                        a = own + c * widest
                        _times(arrived, a, factor, c * widest, wide)
                        for s in range(wider):
                            sums[s] = 0.0
                        for x in range(wide):
                            _add(sums, arrived[a + x], turned, c * cells + from_here + x * wider, wider)
                        lost = lost or _pass_on(sums, sent, a, factor, c * widest, wider) < _SMALL
                    above = over
                small[begin + j] |= lost


READY = remember_compiled(__file__)
