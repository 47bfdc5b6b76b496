"""Rows with unknown attributes, which have up to two mothers: scores of rows by one compiled pass.

`cliques` takes any number of mothers and says what each attribute adds. Here only scores are made, and what
an unknown attribute passes on after the first message is read off tables that are made beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pgm_nb.arrays import Codes, Floats, Ints, Places
from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count
from pgm_nb.inference.incomplete import KERNELS, wide_codes

if TYPE_CHECKING:
    from pgm_nb.inference.factors import Factors

__all__ = ["COMPILED", "Chordal", "Trained", "add_up", "chosen", "lay_out", "side_by_side", "untrained"]

COMPILED = CompiledModule("pgm_nb.inference.compiled_chordal", load_seconds=0.8, compile_seconds=6.0)
LEVELS = 3  # tables given the mothers, given the mothers of the last of them, and so on
MOST_CELLS = 1 << 20  # of all tables; beyond it only those given the mothers are made
TOGETHER, TOGETHER_CELLS = 32, 1 << 21  # rows that are handled together, and the numbers they may hold
ROUNDING = 1e-12
LANES = 4
MOTHERS = 2  # of an attribute, at most
ROW_NS = 60.0  # per attribute of a row
NUMPY_CELL_NS, NUMPY_STEP_NS = 20.0, 12_000.0  # per row: cells of all tables, and attributes


class Chordal(NamedTuple):
    """The tables of a graph in which attributes have up to two mothers, as the compiled kernel reads them."""

    mothers: Ints  #: (d, 2), in the order in which they join; d stands for none
    cards: Ints  #: (d + 1,)
    padded: Ints  #: (d + 1,), the numbers of states that lie side by side: multiples of four
    starts: Ints  #: (d, 3)
    chances: Floats  #: k times the tables one after the other, each as (a, b, x), (a, x, b) and (b, x, a)
    cells: int  #: of the tables of one class
    far_starts: Ints  #: (d, levels, 2)
    far: Floats  #: k times the tables given mothers further up, each as (x, a, b) and (x, b, a)
    far_cells: int


class Trained(NamedTuple):
    """What the rows of a table are scored with, beside the chances."""

    both_starts: Ints
    both: Floats  #: (cells, 2 k): the log tables, and beside them what training added
    main_starts: Ints
    mains: Floats  #: (k, states): what training added to a state while a mother is unknown
    base: Floats  #: (d + 1, k), by the number of known attributes, as the next two
    weights: Floats  #: (d + 1, d)
    fades: Floats  #: (d + 1,)


def lay_out(factors: Factors) -> Chordal | None:
    """Lay tables out for the compiled kernel; None where that cannot be.

    It needs at most two mothers, and tables without impossible states that add up to one.

    Examples
    --------
    >>> from pgm_nb.inference.factors import Factors
    >>> half, same = np.full((1, 2), 0.5), np.array([[[0.9, 0.1], [0.1, 0.9]]])
    >>> both = np.array([[[[0.8, 0.2], [0.6, 0.4]], [[0.4, 0.6], [0.2, 0.8]]]])
    >>> logs = tuple(map(np.log, (half, same, both)))
    >>> laid = lay_out(Factors(np.zeros(1), (0, 1, 2), (-1, 0, 0), logs, ((), (), (1,))))
    >>> first = int(laid.far_starts[2, 1, 0])  # the last attribute given the mother of its last mother
    >>> laid.far[first : first + 8].round(2)  # 0.9 * 0.8 + 0.1 * 0.6 and so on, two in the room of four
    array([0.78, 0.22, 1.  , 1.  , 0.22, 0.78, 1.  , 1.  ])
    """
    if max(map(len, factors.given)) > MOTHERS:
        return None
    if not all(np.isfinite(table).all() for table in factors.tables):
        return None
    tables = [
        _with_two(table, mothers) for table, mothers in zip(factors.chances, factors.given, strict=True)
    ]
    if not all((np.abs(table.sum(axis=-1) - 1) <= ROUNDING).all() for table in tables):
        return None
    d, k = len(tables), len(factors.log_prior)
    mothers = [(*(d,) * (2 - len(given)), *sorted(given)) for given in factors.given]
    levels = LEVELS if sum(table.size for table in tables) <= MOST_CELLS else 1
    own, far = _Shelf(k), _Shelf(k)
    starts, far_starts = np.zeros((d, 3), dtype=np.int64), np.zeros((d, levels, 2), dtype=np.int64)
    for i, table in enumerate(tables):
        axes = (0, 1, 2, 3), (0, 1, 3, 2), (0, 2, 3, 1)
        starts[i] = [
            own.add(table.transpose(order), 1.0 if place else 0.0) for place, order in enumerate(axes)
        ]
        message, (former, last) = np.moveaxis(table, -1, 1), mothers[i]
        for level in range(levels):
            message = np.maximum(message, np.finfo(float).tiny)  # it is divided by
            far_starts[i, level] = far.add(message, 1.0), far.add(message.swapaxes(2, 3), 1.0)
            if last == d:
                break
            message = _passed_on(message, tables[last], mothers[last].index(former) if former != d else -1)
            former, last = mothers[last]
    cards = np.append(factors.cards, 1).astype(np.int64)
    return Chordal(
        np.array(mothers, dtype=np.int64),
        *(cards, -(-cards // LANES) * LANES, starts, own.flat(), own.size),
        *(far_starts, far.flat(), far.size),
    )


class _Shelf:
    """Tables (k, ...) put one after the other, the last axis of each lengthened to a multiple of four."""

    def __init__(self, k: int) -> None:
        self.k, self.size, self.parts = k, 0, list[Floats]()

    def add(self, table: Floats, rest: float) -> int:
        """Put a table there, lengthened by a number, and return where it begins."""
        wider = [(0, 0)] * (table.ndim - 1) + [(0, -table.shape[-1] % LANES)]
        start = self.size
        self.parts.append(np.pad(table, wider, constant_values=rest).reshape(self.k, -1))
        self.size += self.parts[-1].shape[1]
        return start

    def flat(self) -> Floats:
        """Return the tables of each class, class by class."""
        return np.concatenate(self.parts, axis=1).ravel()


def _with_two(table: Floats, mothers: Sequence[int]) -> Floats:
    """Return a table (k, former mother, last mother, v); a mother that is not there has one state."""
    if len(mothers) == 2 and mothers[0] > mothers[1]:
        table = table.swapaxes(1, 2)
    return table.reshape(len(table), *(1,) * (4 - table.ndim), *table.shape[1:])


def _passed_on(message: Floats, table: Floats, axis: int) -> Floats:
    """Sum the last attribute (k, x, other, last) out of a message, given her mothers: (k, x, former, last).

    The other attribute is one of the mothers in the table (k, former, last, v), by number, or -1 for none.
    """
    if axis == 1:
        summed = table.swapaxes(1, 2) @ message.transpose(0, 2, 3, 1)  # (k, last, former, x)
        return summed.transpose(0, 3, 2, 1)
    found: Floats = table @ message.transpose(0, 2, 3, 1)  # the other has one state, or is first
    return found.transpose(0, 3, 1, 2)


def side_by_side(tables: Sequence[Floats], given: Sequence[Sequence[int]]) -> Floats:
    """Return tables one after the other, (k, cells), mothers in the order in which they join.

    Examples
    --------
    >>> side_by_side([np.arange(6).reshape(1, 2, 3, 1)], [(1, 0)])  # the last of two mothers was first
    array([[0, 3, 1, 4, 2, 5]])
    """
    laid = [_with_two(table, mothers) for table, mothers in zip(tables, given, strict=True)]
    return np.concatenate([table.reshape(len(table), -1) for table in laid], axis=1)


def untrained(factors: Factors) -> Trained:
    """Return what scores rows by the tables alone: log P(y, known attributes)."""
    d, k = len(factors.tables), len(factors.log_prior)
    logs = side_by_side(factors.tables, factors.given).T
    cards = factors.cards.astype(np.int64)
    sizes = np.array([table[0].size for table in factors.tables], dtype=np.int64)
    return Trained(
        np.cumsum(sizes) - sizes,
        np.ascontiguousarray(np.concatenate([logs, np.zeros_like(logs)], axis=1)),
        np.cumsum(cards) - cards,
        np.zeros((k, int(cards.sum()))),
        np.tile(factors.log_prior, (d + 1, 1)),
        np.ones((d + 1, d)),
        np.zeros(d + 1),
    )


def chosen(factors: Factors, n: int, kernel: str = "auto") -> bool:
    """Return whether the compiled kernel is to score n rows of which not everything is known."""
    if max(map(len, factors.given)) > MOTHERS:
        return False
    cells, d = sum(table.size for table in factors.tables), len(factors.tables)
    return COMPILED.chosen(kernel, KERNELS, 1e-9 * (NUMPY_CELL_NS * cells + NUMPY_STEP_NS * d) * n)


def add_up(factors: Factors, trained: Trained, codes: Codes, result: Floats) -> Places:
    """Write scores of rows (n, k); return the rows whose scores are not ready.

    These come too near to zero, or the tables are such that the kernel can take no row.
    """
    from pgm_nb.inference import compiled_chordal

    n, k, laid = *result.shape, factors.chordal
    if laid is None:
        return np.arange(n)
    used, small = wide_codes(factors, codes), np.zeros(n, dtype=np.uint8)
    together = int(np.clip(TOGETHER_CELLS // (k * laid.cells), 1, TOGETHER))

    def add(first: int, last: int) -> None:
        compiled_chordal.chordal_scores(used, *laid, *trained, result, small, together, first, last)

    in_threads(add, np.full(n, ROW_NS * len(used)), thread_count(None))
    left: Places = np.flatnonzero(small)
    return left
