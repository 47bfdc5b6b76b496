"""The compiled kernel that sums unknown attributes out, for every graph of ours; importing it loads numba."""

import math

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "look_up", "reveal"]

_SMALL = 1e-200  # with a number below this digits may be lost: the row is summed in logarithms
_WIDEST = 16  # unknown attributes that a message may be about


# scope, count, cells, in_table, along, as `_find_scopes` finds them, and digits to count with
_Scopes = tuple[Ints, Ints, Ints, Ints, Ints, Ints]


@inlined
def _insert(scope: Ints, count: Ints, at: int, member: int) -> bool:
    """Add a member to an ascending list, once; False if the list is full."""
    place = count[at]
    while place > 0 and scope[at, place - 1] > member:
        place -= 1
    if place > 0 and scope[at, place - 1] == member:
        return True
    if count[at] == scope.shape[1]:
        return False
    for move in range(count[at], place, -1):
        scope[at, move] = scope[at, move - 1]
    scope[at, place] = member
    count[at] += 1
    return True


@inlined
def _empty_scopes(d: int) -> _Scopes:
    """Return room for what `_find_scopes` finds."""
    shape = (d, _WIDEST)
    scope, in_table, along = np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(shape, np.int64)
    count, cells, digits = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(_WIDEST, np.int64)
    return scope, count, cells, in_table, along, digits


@inlined
def _find_scopes(
    row: NDArray[np.uint16], cards: Ints, parents: Ints, steps: Ints, whole: Ints, graph: _Scopes
) -> bool:
    """Find which unknown attributes the message of each attribute is about; False if they are too many.

    An unknown attribute takes part (count >= 0) if something below it is known, or if its table does not add
    up to one. What an attribute says about several goes to the last of them, which says it of the others.
    """
    scope, count = graph[0], graph[1]
    count[:] = 0
    heard = np.zeros(len(cards), dtype=np.bool_)
    for i in range(len(cards) - 1, -1, -1):
        if row[i] >= cards[i] and not heard[i] and whole[i]:
            count[i] = -1
            continue
        for a in range(parents.shape[1]):
            p = parents[i, a]
            if p >= 0 and row[p] >= cards[p] and not _insert(scope, count, i, p):
                return False
        if count[i] > 0:
            last = scope[i, count[i] - 1]
            heard[last] = True
            for a in range(count[i] - 1):
                if not _insert(scope, count, last, scope[i, a]):
                    return False
    for i in range(len(cards)):
        _lay_out(cards, parents, steps, graph, i)
    return True


@inlined
def _lay_out(cards: Ints, parents: Ints, steps: Ints, graph: _Scopes, i: int) -> None:
    """Find how large the message of an attribute is, and how its members' states move in tables and messages.

    `in_table` says how far the next state of a member is in the attribute's own table, 0 for a member that is
    no parent; `along` how far that of a member of the cluster it speaks to is in its message.
    """
    scope, count, cells, in_table, along, _ = graph
    cells[i] = 1
    for a in range(count[i]):
        cells[i] *= cards[scope[i, a]]
        in_table[i, a] = 0
        for b in range(parents.shape[1]):
            if parents[i, b] == scope[i, a]:
                in_table[i, a] = steps[i, b]
    if count[i] <= 0:
        return
    last = scope[i, count[i] - 1]
    for a in range(count[last]):
        step, along[i, a] = 1, 0
        for b in range(count[i] - 1, -1, -1):
            if scope[i, b] == scope[last, a]:
                along[i, a] = step
            step *= cards[scope[i, b]]


@inlined
def _at_known(row: NDArray[np.uint16], cards: Ints, parents: Ints, steps: Ints, start: int, i: int) -> int:
    """Return where the entries of an attribute begin: known parents in their states, others in the first."""
    for a in range(parents.shape[1]):
        parent = parents[i, a]
        if parent >= 0 and row[parent] < cards[parent]:
            start += steps[i, a] * row[parent]
    return start


@inlined
def _say(table: Floats, at: int, state: int, cards: Ints, i: int, graph: _Scopes, change: Floats) -> None:
    """Write the entries of one state of an attribute, or their sums if it is unknown: its first message."""
    scope, count, cells, in_table, _, digits = graph
    digits[: count[i]] = 0
    for s in range(cells[i]):
        change[s] = table[at + state] if state < cards[i] else table[at : at + cards[i]].sum()
        for a in range(count[i] - 1, -1, -1):  # the next combination of the states of the unknown parents
            digits[a] += 1
            at += in_table[i, a]
            if digits[a] < cards[scope[i, a]]:
                break
            at -= in_table[i, a] * digits[a]
            digits[a] = 0


@inlined
def _pass_on(
    table: Floats,
    at: int,
    cards: Ints,
    i: int,
    child: int,
    graph: _Scopes,
    heard: Floats,
    change: Floats,
    further: Floats,
) -> float:
    """Multiply a child's change into what an unknown attribute has heard; write by how much its sums change.

    What is heard is scaled so that the sums stay one. Returns the smallest number on the way: a state that is
    all but ruled out may come back.
    """
    scope, count, cells, in_table, along, digits = graph
    card, least, by = cards[i], 1.0, 0
    digits[: count[i]] = 0
    for s in range(cells[i]):
        entries, said, own = table[at : at + card], change[by : by + card], heard[s * card : (s + 1) * card]
        total = 0.0
        for x in range(card):
            own[x] *= said[x]
            total += entries[x] * own[x]
        further[s] = total
        least = min(least, total)
        scale = 1.0 / max(total, _SMALL)
        for x in range(card):
            own[x] *= scale
            least = min(least, own[x])
        for a in range(count[i] - 1, -1, -1):
            digits[a] += 1
            at += in_table[i, a]
            by += along[child, a]
            if digits[a] < cards[scope[i, a]]:
                break
            at -= in_table[i, a] * digits[a]
            by -= along[child, a] * digits[a]
            digits[a] = 0
    return least


@compile_for(
    *(read(types.uint16, 2), read(types.int64), read(types.int64), read(types.int64, 2)),
    *(read(types.int64, 2), read(types.int64), read(types.int64)),
    *(read(types.float64, 3), read(types.float64, 3), types.int64),
    *(write(types.float64, 3), write(types.uint8), types.int64, types.int64),
)
def reveal(
    codes: NDArray[np.uint16],
    which: Ints,
    cards: Ints,
    parents: Ints,
    steps: Ints,
    starts: Ints,
    whole: Ints,
    chances: Floats,
    logs: Floats,
    room: int,
    result: Floats,
    lost: NDArray[np.uint8],
    first: int,
    last: int,
) -> None:
    """Write what each attribute adds to the scores of the rows first, ..., last - 1, (rows, d, k).

    The attributes are revealed in order, parents first. Where all parents are known, an attribute adds an
    entry of its table. Otherwise its entries are a message about the unknown ones, which is multiplied into
    what the last of these has heard; its sums change, and the change is passed on in the same way, until
    nothing unknown is left. Rows that need numbers too small, or messages too large, are marked in `lost`.

    `codes` are (rows, d), `which` the model of each row, `chances` (models, k, cells) and `logs`
    (models, cells, k) its tables.
    The table of an attribute begins at `starts`; its `parents` (-1: none) move by `steps` in it. It is
    `whole` if it adds up to one. `room` is the number of cells that the messages of a row may take.
    """
    d, k = len(cards), result.shape[2]
    graph = _empty_scopes(d)
    scope, count, cells = graph[0], graph[1], graph[2]
    begin, fixed, speaking = np.empty(d, np.int64), np.empty(d, np.int64), np.empty(d, np.int64)
    heard, change, further = np.empty(room), np.empty(room), np.empty(room)
    for r in range(first, last):
        row, entries, added, used, speakers = codes[r], logs[which[r]], result[r], 0, 0
        lost[r] = not _find_scopes(row, cards, parents, steps, whole, graph)
        for i in range(d):
            begin[i], fixed[i] = used, _at_known(row, cards, parents, steps, starts[i], i)
            if row[i] < cards[i] and count[i] == 0:
                for c in range(k):
                    added[i, c] = entries[fixed[i] + row[i], c]
                continue
            if row[i] >= cards[i] and count[i] >= 0:
                used += cells[i] * cards[i]
            if row[i] >= cards[i] and whole[i]:
                added[i, :] = 0.0
            else:
                speaking[speakers] = i
                speakers += 1
        lost[r] |= used > room
        for c in range(k):
            if lost[r]:
                break
            table = chances[which[r], c]
            heard[:used] = 1.0
            for i in speaking[:speakers]:
                _say(table, fixed[i], row[i], cards, i, graph, change)
                if row[i] >= cards[i]:
                    for s in range(cells[i]):
                        here = begin[i] + s * cards[i]
                        heard[here : here + cards[i]] = 1.0 / max(change[s], _SMALL)
                at, least = i, 1.0
                while count[at] > 0 and least >= _SMALL:
                    child, at = at, scope[at, count[at] - 1]
                    own = heard[begin[at] : begin[at] + cells[at] * cards[at]]
                    least = _pass_on(table, fixed[at], cards, at, child, graph, own, change, further)
                    change, further = further, change
                if least < _SMALL or change[0] < _SMALL:
                    lost[r] = 1
                    break
                added[i, c] = math.log(change[0])


@compile_for(
    *(read(types.uint16, 2), read(types.int64), read(types.int64, 2), read(types.int64, 2)),
    *(read(types.int64), read(types.float64, 3), write(types.float64, 3)),
)
def look_up(
    codes: NDArray[np.uint16],
    which: Ints,
    parents: Ints,
    steps: Ints,
    starts: Ints,
    logs: Floats,
    result: Floats,
) -> None:
    """Read one entry of the log tables, (models, cells, k), per attribute and row, of which all is known."""
    for r in range(codes.shape[0]):
        row, table = codes[r], logs[which[r]]
        for i in range(len(starts)):
            at = starts[i] + np.int64(row[i])
            for a in range(parents.shape[1]):
                if parents[i, a] >= 0:
                    at += np.int64(row[parents[i, a]]) * steps[i, a]
            for c in range(result.shape[2]):
                result[r, i, c] = table[at, c]


READY = remember_compiled(__name__)
