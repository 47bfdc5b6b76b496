"""Kernels, and their sums per class at rows to classify: HOBbit by P-trees, Gaussian over all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, log, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Flags, Floats, Ints, Places
from pgm_nb.errors import DataError, needed

if TYPE_CHECKING:
    from pyroaring import BitMap

__all__ = [
    "HobbitColumn",
    "LogKernel",
    "PTree",
    "crossed",
    "crossed_counts",
    "few_rows",
    "gaussian_log_kernel",
    "gaussian_log_sums",
    "groups_of",
    "hobbit_distance",
    "hobbit_log_sums",
    "hobbit_log_weights",
    "log_sum",
    "logs",
    "pair_places",
    "paired",
    "row_pair_sums",
    "strongest_groups",
    "strongest_pairs",
]

LogKernel = Callable[[int, int], Floats]  # of a row and an attribute: log of the kernel at all training rows


def pair_places(d: int) -> tuple[Places, Places]:
    """Return the two attributes of every pair, in column order."""
    return np.triu_indices(d, 1)


def strongest_pairs(strength: Floats, threshold: float, d: int) -> Flags:
    """Choose pairs above the threshold, strongest first, each attribute in one pair at most, (m, pairs).

    Equal strengths go by column order.

    Examples
    --------
    >>> strongest_pairs(np.array([[0.5, 0.9, 0.1]]), 0.3, d=3)  # pairs 01, 02, 12: only 02
    array([[False,  True, False]])
    """
    a, b = pair_places(d)
    left = np.where(strength > threshold, strength, -inf)
    chosen = np.zeros(strength.shape, dtype=bool)
    for _ in range(d // 2):
        best = left.argmax(axis=1)
        rows = np.flatnonzero(left[np.arange(len(left)), best] > -inf)
        if len(rows) == 0:
            break
        pair = best[rows]
        chosen[rows, pair] = True
        one, other = a[pair][:, None], b[pair][:, None]
        touched = (a == one) | (b == one) | (a == other) | (b == other)
        left[rows] = np.where(touched, -inf, left[rows])
    return chosen


def paired(chosen: Flags, d: int) -> Places:
    """Return the groups that chosen pairs make, each attribute in one pair at most, (m, d).

    Examples
    --------
    >>> paired(np.array([[False, True, False]]), d=3)  # of the pairs 01, 02, 12
    array([[0, 1, 0]])
    """
    a, b = pair_places(d)
    first = np.tile(np.arange(d), (len(chosen), 1))
    rows, pairs = np.nonzero(chosen)
    first[rows, b[pairs]] = a[pairs]
    return first


def strongest_groups(
    strength: Floats, threshold: float, d: int, most: int, near: Callable[[int, int], Flags]
) -> Places:
    """Join groups along the pairs above the threshold, strongest first, (m, d).

    A pair joins the groups that its two attributes are in, unless the group would have more than `most`
    attributes, or no training row is near to all its values. With ``most=2`` these are `strongest_pairs`;
    without a limit, all that a chain of pairs connects.

    Parameters
    ----------
    strength : array (m, pairs)
        How strongly the two go together; minus infinity for pairs that cannot be joined.
    threshold : float
        Pairs above it join.
    d, most : int
        The attributes, and those that a group may have.
    near : callable
        Of a row and an attribute: which training rows are near to the value.

    Examples
    --------
    >>> everywhere = lambda row, place: np.array([True])
    >>> strongest_groups(np.array([[0.5, 0.9, 0.1]]), 0.3, 3, 3, everywhere)  # 02, then 01
    array([[0, 0, 0]])
    """
    a, b = pair_places(d)
    groups = np.tile(np.arange(d), (len(strength), 1))
    for row, (first, strong) in enumerate(zip(groups, strength, strict=True)):
        pairs = np.flatnonzero(strong > threshold)
        around: dict[int, Flags] = {}
        for pair in pairs[np.argsort(-strong[pairs], kind="stable")]:
            one, other = sorted((int(first[a[pair]]), int(first[b[pair]])))
            if one == other or np.isin(first, (one, other)).sum() > most:
                continue
            for place in (one, other):
                if place not in around:
                    around[place] = near(row, place)
            both = around[one] & around[other]
            if both.any():
                around[one] = both
                first[first == other] = one
    return groups


def groups_of(first: Places) -> Iterator[tuple[int, Places]]:
    """Return the groups of two and more attributes of every row: the row, and the attributes.

    Examples
    --------
    >>> [(row, group.tolist()) for row, group in groups_of(np.array([[0, 1, 2], [0, 1, 0]]))]
    [(1, [0, 2])]
    """
    rows, others = np.nonzero(first != np.arange(first.shape[1]))
    for row, one in sorted(set(zip(rows.tolist(), first[rows, others].tolist(), strict=True))):
        yield row, np.flatnonzero(first[row] == one)


def hobbit_distance(one: Ints | np.int64, other: Ints) -> Ints:
    """HOBbit distance: how many low-order bits to drop until two integers are equal.

    Examples
    --------
    >>> hobbit_distance(np.array([5, 5, 5, 5]), np.array([5, 4, 7, 1]))
    array([0, 1, 2, 3])
    """
    _, distance = np.frexp((one ^ other).astype(np.float64))  # 2^(e-1) <= x < 2^e, and e = 0 for 0
    return distance.astype(np.int64)


@lru_cache(maxsize=1024)
def hobbit_log_weights(sigma: float, bits: int) -> Floats:
    """Log of the HOBbit kernel at the distances 0, 1, ..., `bits`; it sums to one over all integers.

    The kernel is a Gaussian of the exponential HOBbit distance 2^(d-1) (0 for d = 0), and 2^(d-1) of the
    2^bits integers are at distance d, so its sum is the same around every integer.

    Examples
    --------
    >>> np.exp(hobbit_log_weights(inf, 2))
    array([0.25, 0.25, 0.25])
    """
    numbers_there = np.append(1.0, 2.0 ** np.arange(bits))
    distance = np.append(0.0, 2.0 ** np.arange(bits))
    log_kernel = -0.5 * (distance / sigma) ** 2
    log_weights: Floats = log_kernel - np.logaddexp.reduce(log_kernel + np.log(numbers_there))
    log_weights.setflags(write=False)  # it is remembered
    return log_weights


@dataclass(frozen=True)
class HobbitColumn:
    """The kernel of one attribute of a P-tree: numbers first, then states that are only equal to themselves.

    Attributes
    ----------
    number_bits : int
        Codes below 2^number_bits are numbers; 0 when there are none.
    states : int
        States behind the numbers: the categories, or the one state "missing" of a numeric column.
    sigma : float
        Width of the kernel between numbers, in steps of the code.

    Examples
    --------
    >>> HobbitColumn(number_bits=8, states=1, sigma=3.0).bits
    9
    """

    number_bits: int
    states: int
    sigma: float

    @property
    def bits(self) -> int:
        """Bits of a code."""
        numbers = 1 << self.number_bits if self.number_bits else 0
        return max(1, (numbers + self.states - 1).bit_length())

    @property
    def levels(self) -> tuple[int, ...]:
        """Numbers of dropped bits at which the kernel changes; the last drops all."""
        near = tuple(range(self.number_bits + 1)) if self.number_bits else (0,)
        return near if near[-1] == self.bits else (*near, self.bits)

    def log_weights(self, codes: Ints) -> Floats:
        """Log of the kernel around each code, at each of `levels`, (codes, levels)."""
        weights = np.full((len(codes), len(self.levels)), -inf)
        weights[:, 0] = 0.0  # [x = x_t]
        if self.number_bits:
            near = hobbit_log_weights(self.sigma, self.number_bits)
            weights[codes < 1 << self.number_bits, : len(near)] = near
        return weights

    def log_kernel(self, code: int, rows: NDArray[np.integer]) -> Floats:
        """Log of the kernel between one code and those of training rows.

        Examples
        --------
        >>> HobbitColumn(number_bits=0, states=3, sigma=0.0).log_kernel(2, np.array([2, 1]))
        array([  0., -inf])
        """
        distance = hobbit_distance(np.int64(code), rows.astype(np.int64))
        kernel: Floats = self.log_weights(np.array([code]))[0][np.searchsorted(self.levels, distance)]
        return kernel


def log_sum(log_terms: Floats, axes: int | Sequence[int]) -> Floats:
    """Log of the sum of exponentials over some axes; minus infinity where there is nothing."""
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    most = log_terms.max(axis=axes, keepdims=True)
    most = np.where(np.isneginf(most), 0.0, most)
    total = np.exp(log_terms - most).sum(axis=axes, keepdims=True)
    result: Floats = (logs(total) + most).squeeze(axes)
    return result


def logs(values: NDArray[np.floating] | Ints) -> Floats:
    """Natural logs, minus infinity for zero."""
    return np.log(values, out=np.full(values.shape, -inf), where=values > 0)


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


MOST_CELLS = 1 << 20  # of a table of all pairs of codes
MOST_ROWS = 1 << 18  # training rows beyond which P-trees are quicker to ask
_AT_ONCE = 1 << 18  # pairs of cells counted at once
_ROW_NS, _PAIR_NS, _CELL_NS = 1.5, 2_000.0, 5.0  # a training row, a pair of attributes, a cell of a table
FEW = 16  # distinct pairs of codes from which such a table is cheaper than a P-tree, for a small table
UNKNOWN = -1  # the code of an unknown cell
TINY = 1e-140  # kernels below this share of the largest one are left out of sums of products: see SMALL
SMALL = 1e-120  # a sum of products below this is summed again in logs, as it may have lost terms that count
DEEP = 250.0  # and only if the logs of its kernels reach further down than this


def few_rows(rows: int, bits: int, n_training: int) -> bool:
    """Return whether so few rows are classified that each is compared with all training rows.

    Parameters
    ----------
    rows : int
        The rows to classify.
    bits : int
        Of the codes of two columns.
    n_training : int
        The training rows.

    Examples
    --------
    >>> few_rows(1, 16, 569), few_rows(10_000, 16, 569)
    (True, False)
    """
    if 1 << bits > MOST_CELLS:
        return n_training <= MOST_ROWS
    return rows * (_ROW_NS * n_training + _PAIR_NS) < _CELL_NS * ((1 << bits) + 4 * n_training)


def row_pair_sums(
    columns: Sequence[HobbitColumn], codes: Ints, rows: Sequence[NDArray[np.integer]]
) -> Floats:
    """Log sum_c K_a K_b of one row, (pairs, k): zero where a cell is unknown (its code is negative).

    The kernel has one value per level, so training rows are counted by their levels in both attributes: the
    same whole numbers as by range counts.

    Examples
    --------
    >>> column = HobbitColumn(number_bits=0, states=2, sigma=0.0)  # K is 1 for equal states, else 0
    >>> row_pair_sums([column, column], np.array([1, 0]), [np.array([[1, 1, 0], [0, 0, 0]])]).round(3)
    array([[0.693]])
    """
    first, second = pair_places(len(columns))
    known = codes >= 0
    both = np.flatnonzero(known[first] & known[second])
    sums = np.zeros((len(first), len(rows)))
    if not len(both):
        return sums
    width = max(len(column.levels) for column in columns)
    weights = np.full((len(columns), width), -np.inf)
    level_of = []
    for place, column in enumerate(columns):
        code = np.maximum(codes[place], 0)
        weights[place, : len(column.levels)] = column.log_weights(np.array([code]))[0]
        level = np.empty(1 << column.bits, dtype=np.uint16)  # of every code
        for i, dropped in reversed(list(enumerate(column.levels))):
            begin = int(code) >> dropped << dropped
            level[begin : begin + (1 << dropped)] = i
        level_of.append(level)
    a, b = first[both], second[both]
    pairs = weights[a][:, :, None] + weights[b][:, None, :]
    for c, part in enumerate(rows):
        levels = np.array([of.take(cells) for of, cells in zip(level_of, part, strict=True)])
        counts = _level_counts(levels, a, b, width)
        sums[both, c] = log_sum(logs(counts) + pairs, (1, 2))
    return sums


def _level_counts(levels: NDArray[np.uint16], a: Ints, b: Ints, width: int) -> Ints:
    """Count rows by their levels in two attributes, (pairs, width, width)."""
    n, size = levels.shape[1], width * width
    counts = np.empty((len(a), size), dtype=np.int64)
    scaled = levels * np.uint16(width)
    step = max(1, _AT_ONCE // max(n, 1))
    for start in range(0, len(a), step):
        some = slice(start, start + step)
        cells = (scaled[a[some]] + levels[b[some]]).astype(np.intp)
        if len(cells) > 1:
            cells += (np.arange(len(cells)) * size)[:, None]
        counts[some] = np.bincount(cells.ravel(), minlength=len(cells) * size).reshape(-1, size)
    return counts.reshape(len(a), width, width)


def gaussian_log_kernel(x: float, rows: Floats, sigma: float) -> Floats:
    """Log of the kernel between one value and those of the training rows.

    A Gaussian density of width `sigma`; flat for an infinite one (a constant attribute); with ``sigma=0``
    the kernel of categories, [x = x_t]. Infinite values stand for the state "missing", equal to itself only.

    Examples
    --------
    >>> np.exp(gaussian_log_kernel(0.0, np.array([0.0, 1.0, inf]), 1.0)).round(3)
    array([0.399, 0.242, 0.   ])
    """
    if sigma == 0 or np.isinf(x):
        return np.where(rows == x, 0.0, -inf)
    absent = np.isinf(rows)
    height = 0.0 if sigma == inf else log(sigma) + 0.5 * log(2 * pi)
    z = (x - np.where(absent, x, rows)) / sigma
    return np.where(absent, -inf, -0.5 * z**2 - height)


def hobbit_log_sums(
    trees: Sequence[PTree],
    columns: Sequence[HobbitColumn],
    codes: Ints,
    rows: Sequence[NDArray[np.integer]],
    *,
    pairs: bool,
) -> tuple[Floats, Floats | None, Flags]:
    """Log kernel sums of rows by range counts: log sum_c K_a, log sum_c K_a K_b, and what is known.

    The kernel has one value per level, so a sum is over levels: weight times rows that are in the range of
    this level but not in the one inside it. Equal values of several rows are counted once.

    Parameters
    ----------
    trees : sequence of PTree
        One per class.
    columns : sequence of HobbitColumn
        The kernels.
    codes : array (d, m)
        The rows to classify; -1 where a cell is unknown.
    rows : sequence of arrays of int (d, n_c)
        The training rows of each class, looked at only where there are many rows to classify.
    pairs : bool
        Whether to sum over pairs too.
    """
    d, m = codes.shape
    known = codes != UNKNOWN
    single = np.zeros((m, d, len(trees)))
    nests: list[dict[int, list[Nest]]] = []
    for place, (column, cells) in enumerate(zip(columns, codes, strict=True)):
        values, where = np.unique(cells[known[place]], return_inverse=True)
        around = {x: [tree.nest(place, x, column.levels) for tree in trees] for x in values.tolist()}
        nests.append(around)
        if len(values) == 0:
            continue
        sizes = np.array([[nest.sizes for nest in around[int(value)]] for value in values])  # (u, k, levels)
        rows_there = _shells(sizes)
        terms = logs(rows_there) + column.log_weights(values)[:, None]
        single[known[place], place] = log_sum(terms, 2)[where]
    if not pairs:
        return single, None, known.T
    first, second = pair_places(d)
    joint = np.zeros((m, len(first), len(trees)))
    if few_rows(m, 2 * max(column.bits for column in columns), sum(tree.n_rows for tree in trees)):
        for row in range(m):
            joint[row] = row_pair_sums(columns, codes[:, row], rows)
        return single, joint, known.T
    for pair, (a, b) in enumerate(zip(first, second, strict=True)):
        both = known[a] & known[b]
        if both.any():
            keys, where = np.unique(codes[a, both] << columns[b].bits | codes[b, both], return_inverse=True)
            values = np.stack([keys >> columns[b].bits, keys & ((1 << columns[b].bits) - 1)])
            if _many(len(keys), columns[a].bits + columns[b].bits, sum(tree.n_rows for tree in trees)):
                within = _by_tables([part[[a, b]] for part in rows], columns[a], columns[b], values)
            else:
                within = _by_trees(nests[a], nests[b], values)
            sums = _pair_sums(within, columns[a].log_weights(values[0]), columns[b].log_weights(values[1]))
            joint[both, pair] = sums[where]
    return single, joint, known.T


def _by_trees(
    nests_a: Mapping[int, Sequence[Nest]], nests_b: Mapping[int, Sequence[Nest]], values: Ints
) -> Ints:
    """Count the rows in both ranges around pairs of codes by P-trees, (pairs of codes, k, levels, levels)."""
    return np.array(
        [
            [crossed(one, other) for one, other in zip(nests_a[x], nests_b[y], strict=True)]
            for x, y in values.T.tolist()
        ]
    )


def _by_tables(rows: Sequence[NDArray[np.integer]], a: HobbitColumn, b: HobbitColumn, values: Ints) -> Ints:
    """Count what `_by_trees` counts from a table of all pairs of codes in each class."""
    bits, levels = (a.bits, b.bits), (a.levels, b.levels)
    return np.stack([crossed_counts(part, bits, values, levels) for part in rows], axis=1)


def _many(pairs_of_codes: int, bits: int, n_rows: int) -> bool:
    """Return whether a table of all pairs of codes is cheaper than P-trees for so many pairs."""
    cells = 1 << bits
    return cells <= MOST_CELLS and pairs_of_codes > FEW * (1 + (cells + 4 * n_rows) / 100_000)


def _pair_sums(within: Ints, log_weights_a: Floats, log_weights_b: Floats) -> Floats:
    """Log sum_c K_a K_b from the rows in both ranges (pairs of codes, k, levels, levels)."""
    rows_there = _shells(_shells(within).swapaxes(2, 3)).swapaxes(2, 3)
    weights = log_weights_a[:, :, None] + log_weights_b[:, None, :]
    return log_sum(logs(rows_there) + weights[:, None], (2, 3))


def _shells(within: Ints) -> Ints:
    """Rows in each range but not in the one inside it, along the last axis."""
    shells = within.copy()
    shells[..., 1:] -= within[..., :-1]
    return shells


def gaussian_log_sums(
    rows: Sequence[Floats], sigmas: Sequence[float], values: Floats, *, pairs: bool
) -> tuple[Floats, Floats | None, Flags]:
    """Log kernel sums of rows over all training rows: what `hobbit_log_sums` gives, with Gaussian kernels.

    Parameters
    ----------
    rows : sequence of arrays (d, n_c)
        The training rows of each class; categories by their codes, infinity for the state "missing".
    sigmas : sequence of float
        Width of each attribute's kernel; 0 for categories.
    values : array (d, m)
        The rows to classify; NaN where a cell is unknown.
    pairs : bool
        Whether to sum over pairs too.
    """
    d, m = values.shape
    known = ~np.isnan(values)
    first, second = pair_places(d)
    single = np.zeros((m, d, len(rows)))
    joint = np.zeros((m, len(first), len(rows))) if pairs else None
    plain = [_plain(of_class, sigmas) for of_class in rows]
    for row in range(m):
        here = np.flatnonzero(known[:, row])
        for c, of_class in enumerate(rows):
            if of_class.shape[1] == 0:  # a class that has left the window
                single[row, :, c] = -inf
                if joint is not None:
                    joint[row, :, c] = -inf
                continue
            kernel = np.zeros((d, of_class.shape[1]))
            if plain[c] and len(here) == d and np.isfinite(values[:, row]).all():
                _plain_log_kernels(values[:, row], of_class, sigmas, kernel)
                most = kernel.max(axis=1)
                depth = most - kernel.min(axis=1)
            else:
                for a in here.tolist():
                    kernel[a] = gaussian_log_kernel(values[a, row], of_class[a], sigmas[a])
                most = kernel.max(axis=1)
                most = np.where(np.isneginf(most), 0.0, most)
                depth = most - np.where(np.isneginf(kernel), 0.0, kernel).min(axis=1)
            relative = np.subtract(kernel, most[:, None])
            np.exp(relative, out=relative)
            single[row, :, c] = logs(relative.sum(axis=1)) + most
            if joint is not None:
                if depth.max() > -log(TINY) or not np.isfinite(kernel).all():
                    relative[relative < TINY] = 0.0  # numbers near underflow are slow to multiply
                together = (relative @ relative.T)[first, second]
                joint[row, :, c] = logs(together) + most[first] + most[second]
                lost = (together < SMALL) & (depth[first] + depth[second] > DEEP)
                for pair in np.flatnonzero(lost):
                    joint[row, pair, c] = log_sum(kernel[first[pair]] + kernel[second[pair]], 0)
    return single, joint, known.T


def _plain(rows: Floats, sigmas: Sequence[float]) -> bool:
    """Return whether all attributes are numbers without missing cells, with kernels of some width."""
    return all(0 < sigma < inf for sigma in sigmas) and bool(np.isfinite(rows).all())


def _plain_log_kernels(values: Floats, rows: Floats, sigmas: Sequence[float], kernel: Floats) -> None:
    """Write what `gaussian_log_kernel` gives for each attribute of such a table, (d, n)."""
    widths = np.array(sigmas)
    heights = np.array([log(sigma) for sigma in sigmas]) + 0.5 * log(2 * pi)
    np.subtract(values[:, None], rows, out=kernel)
    kernel /= widths[:, None]
    np.square(kernel, out=kernel)
    kernel *= -0.5
    kernel -= heights[:, None]
