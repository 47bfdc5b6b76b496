"""The compiled form of `pair_sums`; importing this module loads numba, see `counts.kernels`."""

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Ints
from pgm_nb.counts.compiling import compile_for, inlined, read, types, write
from pgm_nb.counts.kernels import remember_compiled

__all__ = ["READY", "add_counts", "add_numbers"]

_I64, _F64 = types.int64, types.float64


@inlined
def _lay_out(
    table: Floats,
    cells: Floats | NDArray[np.int32],
    scales: Floats,
    shape: tuple[int, int],
    strides: tuple[int, int],
    weight: float,
    added: float,
) -> None:
    """Write the terms of one member for one class as a table (v + 1, u + 1); unknown states add nothing."""
    (v, u), (by_own, by_other) = shape, strides
    for x in range(v):
        line, own = table[x * (u + 1) : (x + 1) * (u + 1)], cells[x * by_own :]
        for z in range(u):
            line[z] = weight * (own[np.uint64(z * by_other)] + added) * scales[z]
        line[u] = 0.0
    table[v * (u + 1) : (v + 1) * (u + 1)] = 0.0


def _add(
    own: NDArray[np.uint16],
    codes: NDArray[np.uint16],
    cards: Ints,
    owners: Ints,
    starts: Ints,
    members: Ints,
    weights: Floats,
    layout: Ints,
    cells: Floats | NDArray[np.int32],
    added: Floats,
    scales: Floats,
    sums: Floats,
    first_owner: int,
    last_owner: int,
) -> None:
    """Write sums[a, c, row], the sums over the members of some owners a; parameters as in `PairTables`.

    The tables of four members are laid out at a time: they stay in the first-level cache while all rows read
    them, and each sum is loaded and stored once for the four.
    """
    k, n, largest = sums.shape[1], sums.shape[2], 1
    for a in range(first_owner, last_owner):
        for p in range(starts[a], starts[a + 1]):
            largest = max(largest, (cards[owners[a]] + 1) * (cards[members[p]] + 1))
    tables, places = np.zeros((4, largest)), np.zeros((4, n), dtype=np.uint32)
    one, two, three, four = tables[0], tables[1], tables[2], tables[3]
    at_one, at_two, at_three, at_four = places[0], places[1], places[2], places[3]
    for a in range(first_owner, last_owner):
        v, mine = cards[owners[a]], own[owners[a]]
        sums[a] = 0.0
        for first in range(starts[a], starts[a + 1], 4):
            here = min(4, starts[a + 1] - first)
            places[here:], tables[here:, 0] = np.uint32(0), 0.0
            for g in range(here):
                other, place = codes[members[first + g]], places[g]
                width = np.uint32(cards[members[first + g]] + 1)
                for r in range(n):
                    place[r] = np.uint32(mine[r]) * width + np.uint32(other[r])
            for c in range(k):
                for g in range(here):
                    p = first + g
                    u, (begin, by_own, by_other, by_class, scale) = cards[members[p]], layout[p]
                    counted, scaled = cells[begin + c * by_class :], scales[scale + c * u :]
                    _lay_out(tables[g], counted, scaled, (v, u), (by_own, by_other), weights[p], added[a])
                total = sums[a, c]
                for r in range(n):
                    total[r] += (one[at_one[r]] + two[at_two[r]]) + (three[at_three[r]] + four[at_four[r]])


def _types(cells: object) -> tuple[object, ...]:
    return (
        *(read(types.uint16, 2), read(types.uint16, 2), *[read(_I64)] * 4, read(_F64), read(_I64, 2)),
        *(read(cells), read(_F64), read(_F64), write(_F64, 3), _I64, _I64),
    )


add_counts = compile_for(*_types(types.int32))(_add)  # tables of whole numbers of rows
add_numbers = compile_for(*_types(types.float64))(_add)  # any other tables

READY = remember_compiled(__name__)
