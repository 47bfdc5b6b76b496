"""P-trees: the bits of coded columns as compressed bitmaps; range counts are ANDs and cardinalities.

Denton and Perrizo keep one bit column per bit of an attribute in a compressed tree. Here a bit column is a
Roaring bitmap of row places, and rows are placed by their high-order bits first, so that the bitmaps hold
long runs.

A P-tree answers one row without looking at the others. For many rows at once it is cheaper to count every
pair of codes first (`crossed_counts`): the counts of wider ranges are sums of neighbouring cells, and each
answer is a lookup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Ints
from pgm_nb.errors import DataError, needed

if TYPE_CHECKING:
    from pyroaring import BitMap

__all__ = ["Nest", "PTree", "crossed", "crossed_counts"]

KEY_BITS = 63  # bits of a row that decide its place


@dataclass(frozen=True, eq=False)
class Nest:
    """The ranges around one code of one column, each inside the next; the last holds every row.

    Attributes
    ----------
    ranges : tuple of BitMap
        The ranges that differ, from the narrowest.
    places : array of int
        Which of them each level is.
    sizes : array of int
        Rows in each level.
    """

    ranges: tuple[BitMap, ...]
    places: Ints
    sizes: Ints


class PTree:
    """An index of rows of b-bit integers that counts the rows in ranges of common high-order bits.

    Rows are known by numbers: those given first are 0, 1, ...; `add` gives new ones the numbers of rows that
    were dropped, then further ones, so that a window over a stream stays as small as it is. Adding, dropping
    and recoding rows changes the bit columns in place and never rebuilds them.

    Parameters
    ----------
    codes : array of int, shape (columns, rows)
        Column i holds integers from 0 to 2^bits[i] - 1.
    bits : sequence of int
        Bits of each column.

    Examples
    --------
    >>> tree = PTree(np.array([[0, 1, 2, 3, 3]]), bits=(2,))
    >>> [tree.count(0, code=3, dropped=dropped) for dropped in (0, 1, 2)]
    [2, 3, 5]
    >>> tree.add(np.array([[2]]))
    array([5])
    >>> tree.drop([3, 4])
    >>> [tree.count(0, code=3, dropped=dropped) for dropped in (0, 1, 2)]
    [0, 2, 4]
    """

    def __init__(self, codes: NDArray[np.integer], bits: Sequence[int]) -> None:
        self.bits = tuple(int(width) for width in bits)
        checked = self._checked(codes)
        order = np.argsort(_sort_key(checked, self.bits), kind="stable")
        self._place_of = np.empty(len(order), dtype=np.uint32)  # row number -> place
        self._place_of[order] = np.arange(len(order), dtype=np.uint32)
        self._free = np.empty(0, dtype=np.int64)  # numbers of rows that were dropped
        self._rows = _bitmap()
        self._columns: list[list[BitMap]] = [[_bitmap() for _ in range(width)] for width in self.bits]
        self._ranges: dict[tuple[int, int, int], BitMap] = {}
        self._insert(checked[:, order], np.arange(len(order), dtype=np.uint32))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_ranges": {}}  # they are found again

    @property
    def n_rows(self) -> int:
        """Rows now in the index."""
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the bit columns when written out."""
        return sum(len(plane.serialize()) for column in self._columns for plane in column)

    def add(self, codes: NDArray[np.integer]) -> Ints:
        """Add rows, shape (columns, new rows), and return their numbers."""
        checked = self._checked(codes)
        new = checked.shape[1]
        again, self._free = self._free[:new], self._free[new:]
        first = len(self._place_of)
        further = np.arange(first, first + new - len(again))
        self._place_of = np.append(self._place_of, further.astype(np.uint32))
        numbers: Ints = np.append(again, further)
        self._insert(checked, self._place_of[numbers])
        return numbers

    def drop(self, rows: Sequence[int] | Ints) -> None:
        """Remove rows by their numbers."""
        numbers = np.asarray(rows, dtype=np.int64)
        known = (numbers >= 0) & (numbers < len(self._place_of))
        gone = _bitmap(self._place_of[numbers[known]])
        if not known.all() or len(gone) != len(numbers) or not gone.issubset(self._rows):
            raise DataError(
                "the rows to drop must be in the index, each named once; "
                f"got {len(numbers):,} numbers of which {len(gone & self._rows):,} are rows of it."
            )
        self._rows -= gone
        for column in self._columns:
            for plane in column:
                plane -= gone
        self._free = np.append(self._free, numbers)
        self._ranges.clear()

    def recode(self, column: int, rows: Ints, codes: NDArray[np.integer], bits: int) -> None:
        """Give rows, by their numbers, other codes in one column, whose bits may have become more."""
        planes = self._columns[column]
        planes += [_bitmap() for _ in range(bits - len(planes))]
        self.bits = (*self.bits[:column], len(planes), *self.bits[column + 1 :])
        self._check_range(column, codes)
        places = self._place_of[rows]
        for bit, plane in enumerate(planes):
            on = (codes >> bit & 1).astype(bool)
            plane |= _bitmap(places[on])
            plane -= _bitmap(places[~on])
        self._ranges.clear()

    def range(self, column: int, code: int, dropped: int) -> BitMap:
        """Rows whose code equals `code` once the `dropped` low-order bits of both are dropped."""
        if dropped >= self.bits[column]:
            return self._rows
        key = (column, dropped, code >> dropped)
        found = self._ranges.get(key)
        if found is None:
            wider, plane = self.range(column, code, dropped + 1), self._columns[column][dropped]
            found = wider & plane if code >> dropped & 1 else wider - plane
            self._ranges[key] = found
        return found

    def count(self, column: int, code: int, dropped: int) -> int:
        """Count the rows of `range`."""
        return len(self.range(column, code, dropped))

    def nest(self, column: int, code: int, levels: Sequence[int]) -> Nest:
        """Return the ranges around a code at ascending numbers of dropped bits, the last being all bits."""
        ranges = [self.range(column, code, dropped) for dropped in levels]
        sizes = np.array([len(found) for found in ranges], dtype=np.int64)
        new = np.append(True, np.diff(sizes) > 0)  # nested ranges of one size are one range
        distinct = tuple(ranges[level] for level in np.flatnonzero(new))
        return Nest(distinct, np.cumsum(new) - 1, sizes)

    def _checked(self, codes: NDArray[np.integer]) -> Ints:
        checked: Ints = np.asarray(codes, dtype=np.int64)
        if checked.ndim != 2 or len(checked) != len(self.bits):
            raise DataError(
                f"the codes must have a row per column, {len(self.bits)} in all, not {checked.shape}."
            )
        for place, column in enumerate(checked):
            self._check_range(place, column)
        return checked

    def _check_range(self, column: int, codes: NDArray[np.integer]) -> None:
        width = self.bits[column]
        if codes.size and not 0 <= codes.min() <= codes.max() < 1 << width:
            raise DataError(
                f"column {column} holds integers of {width} bits, from 0 to {(1 << width) - 1}, but has "
                f"{codes.min()} to {codes.max()}; give it more bits."
            )

    def _insert(self, codes: Ints, places: NDArray[np.uint32]) -> None:
        self._rows |= _bitmap(places)
        self._rows.run_optimize()
        for column, planes in zip(codes, self._columns, strict=True):
            for bit, plane in enumerate(planes):
                plane |= _bitmap(places[(column >> bit & 1).astype(bool)])
                plane.run_optimize()
        self._ranges.clear()


def crossed(one: Nest, other: Nest) -> Ints:
    """Rows in both of two nests, for every level of one with every level of the other.

    Examples
    --------
    >>> tree = PTree(np.array([[0, 1, 1], [0, 0, 1]]), bits=(1, 1))
    >>> crossed(tree.nest(0, 1, (0, 1)), tree.nest(1, 0, (0, 1)))
    array([[1, 2],
           [2, 3]])
    """
    counts = np.empty((len(one.ranges), len(other.ranges)), dtype=np.int64)
    counts[-1] = [len(found) for found in other.ranges]  # the last range holds every row
    for row, left in zip(counts[:-1], one.ranges, strict=False):
        row[:-1] = [left.intersection_cardinality(right) for right in other.ranges[:-1]]
        row[-1] = len(left)
    return counts[one.places][:, other.places]


def _sort_key(codes: Ints, bits: Sequence[int]) -> Ints:
    """Interleave the bits of the columns, highest first: near rows get near places (Peano order)."""
    key = np.zeros(codes.shape[1], dtype=np.int64)
    room = KEY_BITS
    for depth in range(1, max(bits, default=0) + 1):
        for column, width in zip(codes, bits, strict=True):
            if depth <= width and room:
                key = key << 1 | (column >> (width - depth) & 1)
                room -= 1
    return key


def _bitmap(places: Iterable[int] = ()) -> BitMap:
    with needed("pyroaring", "P-trees (kernel semi-naive Bayes)"):
        from pyroaring import BitMap
    return BitMap(places)


def crossed_counts(
    rows: NDArray[np.integer],
    bits: tuple[int, int],
    codes: NDArray[np.integer],
    levels: tuple[Sequence[int], Sequence[int]],
) -> Ints:
    """Count the rows in both ranges around every pair of codes, at every two levels, (u, levels, levels).

    Parameters
    ----------
    rows : array of int (2, n)
        The codes of the rows in the two columns.
    bits : pair of int
        Bits of the two columns.
    codes : array of int (2, u)
        The pairs of codes to count around.
    levels : pair of sequences of int
        Ascending numbers of low-order bits to drop, for each column.

    Examples
    --------
    >>> rows = np.array([[0, 1, 1], [0, 0, 1]])
    >>> crossed_counts(rows, (1, 1), np.array([[1], [0]]), ((0, 1), (0, 1)))
    array([[[1, 2],
            [2, 3]]])
    """
    wide, high = 1 << bits[0], 1 << bits[1]
    cells = np.bincount(rows[0].astype(np.int64) << bits[1] | rows[1], minlength=wide * high)
    table = cells.reshape(wide, high)
    counts = np.empty((codes.shape[1], len(levels[0]), len(levels[1])), dtype=np.int64)
    before = 0
    for i, dropped in enumerate(levels[0]):
        table = _merged(table, dropped - before)
        across, there = table.T, 0
        for j, lost in enumerate(levels[1]):
            across = _merged(across, lost - there)
            counts[:, i, j] = across[codes[1] >> lost, codes[0] >> dropped]
            there = lost
        before = dropped
    return counts


def _merged(table: Ints, bits: int) -> Ints:
    """Add up rows of a table whose places differ in the lowest bits only."""
    for _ in range(bits):
        table = table[0::2] + table[1::2]
    return table
