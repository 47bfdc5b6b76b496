"""Wide tables: pairs of columns counted on demand, one column with many others, no pair table kept."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Ints, Places
from pgm_nb.counts.kernels import CompiledModule, thread_count
from pgm_nb.counts.singles import count_singles
from pgm_nb.counts.table import Layout

__all__ = ["COMPILED", "PairRows", "RowCounts"]

COMPILED = CompiledModule("pgm_nb.counts.compiled_rows", load_seconds=1.5, compile_seconds=9.0)
KERNELS = ("auto", "numpy", "compiled")
_CELLS = 2**22  # rows times columns, or cells of tables, handled at a time by NumPy
_FOCUS_LEFT = 0.75  # the share of the columns in focus at which planes are built for fewer


class RowCounts:
    """Counts of coded rows like `Counts`, but the tables of pairs are counted when they are asked for.

    Parameters
    ----------
    codes : array of shape (d, n)
        The states of each attribute.
    y : array of shape (n,)
        The classes.
    cards : tuple of int
        The number of states of each attribute.
    n_classes : int
        The number of classes.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1], [0, 0, 2]], dtype=np.uint8)
    >>> counts = RowCounts(codes, np.array([0, 1, 1]), (2, 3), 2)
    >>> counts.pair(1, 0)[1]
    array([[0, 1],
           [0, 0],
           [0, 1]])
    """

    def __init__(self, codes: Codes, y: Places, cards: tuple[int, ...], n_classes: int) -> None:
        self.codes, self.cards, self.n_classes = codes, tuple(cards), n_classes
        self.rows_y: Ints = np.asarray(y, dtype=np.int64)
        self.n_rows = len(self.rows_y)
        self.y: Ints = np.bincount(self.rows_y, minlength=n_classes)

    @cached_property
    def layout(self) -> Layout:
        """The places of the tables n(y, xi)."""
        return Layout(self.cards, self.n_classes)

    @cached_property
    def singles(self) -> NDArray[np.int32]:
        """The tables n(y, xi), each (k, v_i) in C order, one after the other."""
        counted = count_singles(self.codes, self.rows_y, self.cards, self.n_classes)
        return counted.singles.astype(np.int32, copy=False)

    def single(self, i: int) -> NDArray[np.int32]:
        """Return n(y, xi) as an array of shape (k, v_i)."""
        states = self.layout.first_states
        start, end = self.n_classes * states[i], self.n_classes * states[i + 1]
        return self.singles[start:end].reshape(self.n_classes, self.cards[i])

    def pair(self, i: int, j: int) -> Ints:
        """Count n(y, xi, xj), an array of shape (k, v_i, v_j)."""
        shape = self.n_classes, self.cards[i], self.cards[j]
        cells = (self.rows_y * shape[1] + self.codes[i]) * shape[2] + self.codes[j]
        return np.bincount(cells, minlength=shape[0] * shape[1] * shape[2]).reshape(shape)


class PairRows:
    """Sums over the cells of n(y, xi, xj), of one column i with all columns in focus, at a time.

    Parameters
    ----------
    counts : RowCounts
        The rows.
    terms : array of shape (n + 1,)
        What a cell of 0, 1, ... n rows adds to a sum; an empty cell adds nothing.
    kernel : {"auto", "numpy", "compiled"}
        How to count; every choice gives the same sums.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1], [0, 0, 2]], dtype=np.uint8)
    >>> counts = RowCounts(codes, np.array([0, 1, 1]), (2, 3), 2)
    >>> PairRows(counts, np.array([0, 1, 10, 100])).sums(0, np.array([1])).tolist()
    [3]
    """

    def __init__(self, counts: RowCounts, terms: Ints, kernel: str = "auto") -> None:
        self.counts, self.terms = counts, np.ascontiguousarray(terms, dtype=np.int64)
        d, n = len(counts.cards), counts.n_rows
        self.compiled = COMPILED.chosen(kernel, KERNELS, 4e-9 * n * d * d / 2)
        self._planes: _Planes | None = None

    def sums(self, i: int, others: Places) -> Ints:
        """Return the sums of column i with other columns, in ascending order."""
        if not self.compiled or len(others) * self.counts.n_rows <= _CELLS // 64:
            return self._by_bincount(i, others)
        planes = self._planes
        if planes is not None and len(others) >= _FOCUS_LEFT * len(planes.columns):
            place = np.minimum(np.searchsorted(planes.columns, others), len(planes.columns) - 1)
            if np.array_equal(planes.columns[place], others):
                return planes.sums(i)[place]
        self._planes = planes = _Planes(self.counts, others, self.terms)
        return planes.sums(i)

    def _by_bincount(self, i: int, others: Places) -> Ints:
        counts, found = self.counts, []
        mine = counts.rows_y * counts.cards[i] + counts.codes[i]
        sizes = counts.n_classes * counts.cards[i] * np.asarray(counts.cards, dtype=np.int64)[others]
        ends, first = np.cumsum(sizes), 0
        while first < len(others):
            done = int(ends[first - 1]) if first else 0
            last = min(first + max(1, _CELLS // counts.n_rows), int(np.searchsorted(ends, done + _CELLS)))
            some = slice(first, max(first + 1, last))
            cards = np.asarray(counts.cards, dtype=np.int64)[others[some], None]
            starts = ends[some] - sizes[some] - done
            cells = starts[:, None] + mine * cards + counts.codes[others[some]]
            tables = np.bincount(cells.ravel(), minlength=int(ends[some.stop - 1] - done))
            found.append(np.add.reduceat(self.terms[tables], starts))
            first = some.stop
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


class _Planes:
    """The columns in focus as bit planes where their states are few, as codes where they are many."""

    def __init__(self, counts: RowCounts, columns: Places, terms: Ints) -> None:
        from pgm_nb.counts import compiled

        self.counts, self.columns, self.terms = counts, columns, terms
        k, n = counts.n_classes, counts.n_rows
        self.order = np.argsort(counts.rows_y, kind="stable")
        self.rows = np.concatenate(([0], np.cumsum(counts.y)))
        self.words = np.concatenate(([0], np.cumsum((counts.y + 63) // 64)))
        steps = int(self.words[-1]) * 0.15 + k  # nanoseconds for each cell of a table, by bit planes
        self.most = min(255, 1 + int((3.0 * n / steps) ** 0.5))  # states up to which they are faster
        cards = np.asarray(counts.cards, dtype=np.int64)[columns]
        self.states, self.cards = np.concatenate(([0], np.cumsum(cards))), cards
        self.plane = np.concatenate(([0], np.cumsum(np.where(cards <= self.most, cards - 1, 0))))
        self.planes, self.singles = self._build(counts.codes[columns], self.states, self.plane)
        self.y = counts.rows_y[self.order]
        self.wide = np.flatnonzero(cards > self.most)
        self.threads = thread_count(None)
        self.lanes = compiled.LANES

    @cached_property
    def grouped(self) -> NDArray[np.uint16]:
        """The codes of the columns in focus, rows grouped by class."""
        codes = self.counts.codes[self.columns].astype(np.uint16)
        return np.ascontiguousarray(codes[:, self.order])

    def _build(self, codes: Codes, states: Ints, plane: Ints) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        from pgm_nb.counts import compiled

        groups = -(-int(plane[-1]) // compiled.LANES)
        planes = np.zeros((groups, int(self.words[-1]), compiled.LANES), dtype=np.uint64)
        singles = np.zeros(self.counts.n_classes * int(states[-1]), dtype=np.int32)
        for i in np.flatnonzero(np.diff(states) == 1).tolist():  # a constant column has no plane
            singles[self.counts.n_classes * states[i] :][: self.counts.n_classes] = self.counts.y
        narrow, order = codes.astype(np.uint8, copy=False), self.order.astype(np.uint32)
        compiled.build_planes(
            *(narrow, order, self.rows, self.words, states, plane, planes, singles, 0, len(codes))
        )
        return planes, singles

    def sums(self, i: int) -> Ints:
        """Return the sums of column i with every column in focus."""
        from pgm_nb.counts import compiled_rows

        v, found = self.counts.cards[i], np.zeros(len(self.columns), dtype=np.int64)
        by_rows = self.wide
        if v <= self.most:
            ends = np.array([0, v - 1])
            planes, _ = self._build(self.counts.codes[i : i + 1], np.array([0, v]), ends)
            at = np.arange(v - 1)
            mine = np.ascontiguousarray(planes[at // self.lanes, :, at % self.lanes])
            own = np.ascontiguousarray(self.counts.single(i).ravel())

            def bits(first: int, last: int) -> None:
                compiled_rows.reduce_bits(
                    self.planes,
                    mine,
                    self.words,
                    self.states,
                    self.plane,
                    own,
                    self.singles,
                    self.terms,
                    found,
                    first,
                    last,
                )

            self._in_threads(bits, len(self.columns))
        else:
            by_rows = np.arange(len(self.columns))
        if len(by_rows):
            steps = np.append(np.diff(self.terms), 0)
            codes = self.counts.codes[i][self.order].astype(np.uint16)

            def histograms(first: int, last: int) -> None:
                compiled_rows.reduce_histograms(
                    *(self.grouped, codes, self.y, self.cards, by_rows, steps, found, v, first, last)
                )

            self._in_threads(histograms, len(by_rows))
        return found

    def _in_threads(self, task: Callable[[int, int], None], size: int) -> None:
        if self.threads == 1 or size < 64:
            task(0, size)
            return
        bounds = np.linspace(0, size, 2 * self.threads + 1).astype(int).tolist()
        list(self._pool.map(task, bounds[:-1], bounds[1:]))

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.threads)
