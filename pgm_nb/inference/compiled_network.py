"""The compiled kernel that sums unknown attributes with any parents out, row by row; it loads numba."""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "sum_out_rows"]

_SMALL = 1e-200  # a sum below this: the row must be added up in logs
_TOO_MANY = 1 << 40
_MOST = 62  # unknown attributes of a row, each one bit of a scope


@inlined
def _cells(scope: int, sizes: Ints) -> int:
    """Return how many combinations of states the attributes of a scope have, or that they are too many."""
    cells, place = 1, 0
    while scope:
        if scope & 1:
            cells = min(cells * sizes[place], _TOO_MANY)
        scope >>= 1
        place += 1
    return cells


@inlined
def _step(digits: Ints, wide: Ints, steps: Ints, at: int, count: int) -> int:
    """Go on to the next combination of states, the last one first; return where it is in a table."""
    for back in range(count):
        axis = count - 1 - back
        digits[axis] += 1
        at += steps[axis]
        if digits[axis] < wide[axis]:
            return at
        at -= digits[axis] * steps[axis]
        digits[axis] = 0
    return at


@compile_for(
    *(read(types.uint16, 2), read(types.int64), read(types.int64), read(types.int64, 2)),
    *(read(types.int64, 2), read(types.int64), read(types.float64, 2), read(types.float64, 2)),
    *(
        read(types.float64),
        types.int64,
        write(types.float64, 2),
        write(types.uint8),
        types.int64,
        types.int64,
    ),
)
def sum_out_rows(
    codes: NDArray[np.uint16],
    cards: Ints,
    counts: Ints,
    members: Ints,
    steps: Ints,
    starts: Ints,
    chances: Floats,
    logs: Floats,
    log_prior: Floats,
    most: int,
    result: Floats,
    small: NDArray[np.uint8],
    first: int,
    last: int,
) -> None:
    """Write log P(y, known attributes) of the rows first, ..., last - 1; mark those left to sums of logs.

    `codes` are (attributes, rows). The table of an attribute lies at `starts`; it has `counts` members,
    parents and then itself, whose states are `steps` apart. `chances` are (k, cells) and `logs` (cells, k).
    The attribute whose table is smallest is summed out first; a table of more than `most` cells is too large.
    """
    d, k = counts.shape[0], log_prior.shape[0]
    matters, local, place = np.empty(d, np.uint8), np.empty(d, np.int64), np.empty(_MOST, np.int64)
    sizes, scopes, where = (
        np.empty(_MOST, np.int64),
        np.empty(d + _MOST, np.int64),
        np.empty(d + _MOST, np.int64),
    )
    digits, wide, apart = np.empty(_MOST, np.int64), np.empty(_MOST, np.int64), np.empty(_MOST, np.int64)
    pool, product = np.empty(k * (chances.shape[1] + _MOST * most)), np.empty(most)
    for r in range(first, last):
        for i in range(d):
            matters[i] = codes[i, r] < cards[i]
        for back in range(d):
            i = d - 1 - back
            if matters[i]:
                for a in range(counts[i] - 1):
                    matters[members[i, a]] = 1
        left = np.int64(0)  # the unknown attributes to sum out, one bit each
        unknown = 0
        for i in range(d):
            local[i] = -1
            if matters[i] and codes[i, r] >= cards[i]:
                if unknown == _MOST:
                    small[r] = 1
                    break
                local[i], place[unknown], sizes[unknown] = unknown, i, cards[i]
                left |= np.int64(1) << unknown
                unknown += 1
        if small[r]:
            continue
        for c in range(k):
            result[r, c] = log_prior[c]
        tables, free = 0, np.int64(0)
        for i in range(d):
            if not matters[i]:
                continue
            scope, at, open_axes, cells = np.int64(0), starts[i], 0, 1
            for a in range(counts[i]):
                member = members[i, a]
                if local[member] >= 0:
                    scope |= np.int64(1) << local[member]
                else:
                    at += np.int64(codes[member, r]) * steps[i, a]
            if scope == 0:
                for c in range(k):
                    result[r, c] += logs[at, c]
                continue
            for u in range(unknown):  # the states in the order of the attributes
                if scope >> u & 1:
                    for a in range(counts[i]):
                        if members[i, a] == place[u]:
                            apart[open_axes], wide[open_axes], digits[open_axes] = steps[i, a], sizes[u], 0
                    cells *= sizes[u]
                    open_axes += 1
            for cell in range(cells):
                for c in range(k):
                    pool[free + c * cells + cell] = chances[c, at]
                at = _step(digits, wide, apart, at, open_axes)
            scopes[tables], where[tables] = scope, free
            tables += 1
            free += k * cells
        while left and not small[r]:
            best, joined, fewest = -1, np.int64(0), 0
            for u in range(unknown):
                if left >> u & 1:
                    together = np.int64(0)
                    for t in range(tables):
                        if scopes[t] >> u & 1:
                            together |= scopes[t]
                    cells = _cells(int(together), sizes)
                    if best < 0 or cells < fewest:
                        best, joined, fewest = u, together, cells
            if fewest > most:
                small[r] = 1
                break
            left &= ~(np.int64(1) << best)
            rest = joined & ~(np.int64(1) << best)
            axes, own = 0, sizes[best]
            for u in range(unknown):
                if rest >> u & 1:
                    wide[axes] = sizes[u]
                    axes += 1
            wide[axes] = own
            for c in range(k):
                for cell in range(fewest):
                    product[cell] = 1.0
                for t in range(tables):
                    if not scopes[t] >> best & 1:
                        continue
                    inside, step, axis = _cells(int(scopes[t]), sizes), np.int64(1), axes - 1
                    apart[axes] = 0
                    for back in range(unknown):
                        u = unknown - 1 - back
                        mine = scopes[t] >> u & 1
                        if u == best:
                            apart[axes] = step
                        elif rest >> u & 1:
                            apart[axis] = step if mine else 0
                            axis -= 1
                        if mine:
                            step *= sizes[u]
                    for a in range(axes + 1):
                        digits[a] = 0
                    at = where[t] + c * inside
                    for cell in range(fewest):
                        product[cell] *= pool[at]
                        at = _step(digits, wide, apart, at, axes + 1)
                for cell in range(fewest // own):
                    total = 0.0
                    for x in range(own):
                        total += product[cell * own + x]
                    if total < _SMALL:
                        small[r] = 1
                    elif rest == 0:
                        result[r, c] += math.log(total)
                    pool[free + c * (fewest // own) + cell] = total
            kept = 0
            for t in range(tables):
                if not scopes[t] >> best & 1:
                    scopes[kept], where[kept] = scopes[t], where[t]
                    kept += 1
            tables = kept
            if rest:
                scopes[tables], where[tables] = rest, free
                tables += 1
                free += k * (fewest // own)


READY = remember_compiled(__file__)
