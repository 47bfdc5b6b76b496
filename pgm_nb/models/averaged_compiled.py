"""The compiled form of averaged one-dependence; importing this module loads numba, see `counts.kernels`.

It multiplies probabilities in place of adding up their logarithms. Each P(xj | y, xp) is taken times the
number of states of xj, so that a product of many stays near one.
"""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["average_counts", "average_numbers"]

_I64, _F64 = types.int64, types.float64
_Cells = Floats | NDArray[np.int32]


@inlined
def _list_known(
    codes: NDArray[np.uint16], cards: Ints, states: Ints, first: int, places: NDArray[np.uint32]
) -> Ints:
    """Write which states every row has, all states numbered in a row; return how many are known.

    What follows the last one is the place of ones.
    """
    known = np.zeros(len(places), dtype=np.int64)
    places[:] = np.uint32(states[-1])
    for j in range(len(cards)):
        own = codes[j, first:]
        for r in range(len(places)):
            if own[r] < cards[j]:
                places[r, known[r]] = states[j] + own[r]
                known[r] += 1
    return known


@inlined
def _lay_out(
    p: int,
    cards: Ints,
    states: Ints,
    layout: Ints,
    cells: _Cells,
    singles: Floats,
    rows: Floats,
    slab: Floats,
) -> None:
    """Write v_j P(xj | y, xp) of one parent, (v_p, k, all states and ones); one for its own states."""
    k, d, v = slab.shape[1], len(cards), cards[p]
    slab[:, :, states[p] : states[p] + v] = 1.0
    slab[:, :, states[d]] = 1.0
    for j in range(d):
        if j == p:
            continue
        begin, by_parent, by_child, by_class, _ = layout[p * (d - 1) + j - (j > p)]
        u, m = cards[j], rows[j]
        for s in range(v):
            for c in range(k):
                line, n = slab[s, c, states[j] : states[j] + u], cells[begin + s * by_parent + c * by_class :]
                scale = u / (singles[k * states[p] + c * v + s] + m)
                for x in range(u):
                    line[x] = (n[np.uint64(x * by_child)] + m / u) * scale


def _average(
    codes: NDArray[np.uint16],
    cards: Ints,
    states: Ints,
    layout: Ints,
    cells: _Cells,
    singles: Floats,
    rows: Floats,
    joints: Floats,
    totals: Floats,
    first: int,
    last: int,
) -> None:
    """Add sum_p w_p P(y, xp) prod_j P(xj | y, xp), times the states of known columns, to rows first, ....

    An unknown child has no factor, and an unknown parent is summed over its states. `singles` and `joints`,
    n(y, xp) and w_p P(y, xp), are (k, v) for every column, one after the other; `layout` as in `PairTables`.
    """
    d, k, n = len(cards), totals.shape[1], last - first
    places = np.empty((n, d + 3), dtype=np.uint32)
    known = _list_known(codes, cards, states, first, places)
    for p in range(d):
        v = cards[p]
        slab = np.empty((v, k, states[d] + 1))
        _lay_out(p, cards, states, layout, cells, singles, rows, slab)
        joint = joints[k * states[p] : k * states[p + 1]]
        for r in range(n):
            row, total, x = places[r], totals[first + r], np.int64(codes[p, first + r])
            begin, end, scale = (x, x + 1, float(v)) if x < v else (0, v, 1.0)
            for s in range(begin, end):
                for c in range(k):
                    line, product = slab[s, c], joint[c * v + s] * scale
                    for a in range(0, known[r], 4):
                        product *= (line[row[a]] * line[row[a + 1]]) * (line[row[a + 2]] * line[row[a + 3]])
                    total[c] += product


def _types(cells: object) -> tuple[object, ...]:
    return (
        *(read(types.uint16, 2), read(_I64), read(_I64), read(_I64, 2), read(cells), read(_F64), read(_F64)),
        *(read(_F64), write(_F64, 2), _I64, _I64),
    )


average_counts = compile_for(*_types(types.int32))(_average)  # tables of whole numbers of rows
average_numbers = compile_for(*_types(types.float64))(_average)  # any other tables

READY = remember_compiled(__name__)
