"""Hierarchical smoothing of hidden naive Bayes: P(x) -> P(x|y) -> P(x|u,y) for every pair of a bag.

Each table is the one that a tree with the mother u would have (see `inference.hierarchical`). Unlike tables
with a fixed number of imaginary rows they cannot be read from the counts cell by cell, so they are stored:
four times the memory of the counts where every pair takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.counts.kernels import in_threads
from pgm_nb.inference.hierarchical import TRACE
from pgm_nb.inference.stacked import smooth_stack

if TYPE_CHECKING:
    from pgm_nb.counts import Counts

__all__ = ["Hierarchical", "Levels", "PairTables", "pair_tables"]

PRIOR = 1.0  # imaginary rows of the class prior
_CELLS = 1 << 15  # cells that are smoothed at once: they stay in the cache
_CELL_NS = 700.0  # per cell that has an order


@dataclass(frozen=True, eq=False)
class Levels:
    """P(x|y) of every attribute, by hierarchical smoothing.

    Attributes
    ----------
    ordered : tuple of int
        How many of the first states of every attribute have an order.
    estimates : tuple of arrays (k, v_i)
        The probabilities.
    left_out : tuple of arrays (k, v_i)
        The same where one of the state's rows is left out; 0 where there is none.
    """

    ordered: tuple[int, ...]
    estimates: tuple[Floats, ...]
    left_out: tuple[Floats, ...]


@dataclass(frozen=True)
class Hierarchical:
    """The choice of hierarchical smoothing for attributes of which the first states have an order.

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> codes = np.array([[0, 0, 1, 1, 1]], dtype=np.uint8)
    >>> levels = Hierarchical((0,)).levels(count(codes, np.array([0, 0, 1, 1, 1]), (2,), 2))
    >>> levels.estimates[0].round(2)
    array([[0.88, 0.12],
           [0.06, 0.94]])
    """

    ordered: tuple[int, ...]

    def levels(self, counts: Counts) -> Levels:
        """Estimate P(x|y) of every attribute; those with as many states at once."""
        k, d = counts.n_classes, len(counts.cards)
        estimates, left_out = [np.empty(0)] * d, [np.empty(0)] * d
        for columns in _alike(counts.cards, self.ordered):
            v = counts.cards[columns[0]]
            stack = np.stack([counts.single(column) for column in columns])  # (t, k, v)
            whole = stack.sum(axis=1)
            rows = whole.sum(axis=1, keepdims=True)
            top = (whole + TRACE / v) / (rows + TRACE)
            out = np.where(whole > 0, (whole - 1 + TRACE / v) / (np.maximum(rows - 1, 0) + TRACE), 0.0)
            found = smooth_stack(
                stack.reshape(-1, v),
                np.arange(len(columns)) * k,
                np.repeat(top, k, axis=0),
                np.repeat(out, k, axis=0),
                self.ordered[columns[0]],
            )
            for column, one, other in zip(
                columns, found.estimate.reshape(-1, k, v), found.left_out.reshape(-1, k, v), strict=True
            ):
                estimates[column], left_out[column] = one, other
        return Levels(self.ordered, tuple(estimates), tuple(left_out))


@dataclass(frozen=True, eq=False)
class PairTables:
    """P(ai | aj, c) of the members of all bags.

    Attributes
    ----------
    levels : Levels
        P(ai | c).
    cells : array
        The tables, each (k, v_j, v_i) in C order.
    begin : array (p,)
        Where the table of each member begins.
    """

    levels: Levels
    cells: Floats
    begin: Places

    def smallest(self) -> float:
        """Return the smallest probability of all tables."""
        least = min(float(table.min()) for table in self.levels.estimates)
        return min(least, float(self.cells.min())) if len(self.cells) else least


def pair_tables(
    counts: Counts,
    levels: Levels,
    own: Places,
    other: Places,
    layout: tuple[Places, Places, Places, Places],
    n_threads: int = 1,
) -> PairTables:
    """Estimate P(ai | aj, c) for pairs of columns.

    Parameters
    ----------
    counts : Counts
        All pair tables.
    levels : Levels
        P(ai | c) from the same counts.
    own, other : array (p,)
        The columns i and j.
    layout : arrays (p,)
        Where the counts of each pair begin, and their strides along i, j and the class.
    n_threads : int
        Any number gives the same result.
    """
    cards = np.asarray(counts.cards)
    sizes = counts.n_classes * cards[own] * cards[other]
    begin = np.zeros(len(own), dtype=np.intp)
    cells = np.empty(int(sizes.sum()))
    pieces: list[Places] = []
    group_of = np.empty(len(cards), dtype=np.intp)
    for number, columns in enumerate(_alike(counts.cards, levels.ordered)):
        group_of[columns] = number
    turn = np.argsort(group_of[own], kind="stable")  # tables of one width one after the other
    begin[turn] = np.concatenate(([0], np.cumsum(sizes[turn])))[:-1]
    for members in np.split(turn, np.flatnonzero(np.diff(group_of[own[turn]])) + 1):
        part = np.cumsum(sizes[members]) // _CELLS
        pieces += np.split(members, np.flatnonzero(np.diff(part)) + 1)

    def task(first: int, last: int) -> None:
        for piece in pieces[first:last]:
            found = _smooth_piece(counts, levels, own[piece], other[piece], [part[piece] for part in layout])
            start = begin[piece[0]]
            cells[start : start + found.size] = found.ravel()

    if len(own):
        in_threads(task, np.array([_CELL_NS * sizes[piece].sum() for piece in pieces]), n_threads)
    return PairTables(levels, cells, begin)


def _smooth_piece(
    counts: Counts, levels: Levels, own: Places, other: Places, layout: Sequence[Places]
) -> Floats:
    """P(ai | aj, c) of pairs whose first columns have as many states, (contexts, v), pair after pair."""
    v, ordered = counts.cards[own[0]], levels.ordered[own[0]]
    u = np.asarray(counts.cards)[other]
    lengths = counts.n_classes * u
    starts = np.concatenate(([0], np.cumsum(lengths)))
    pair = np.repeat(np.arange(len(own)), lengths)
    label, state = np.divmod(np.arange(starts[-1]) - starts[pair], u[pair])
    begin, own_stride, other_stride, class_stride = (part[pair] for part in layout)
    first = begin + label * class_stride + state * other_stride
    table = counts.pairs[first[:, None] + own_stride[:, None] * np.arange(v)]
    columns, place = np.unique(own, return_inverse=True)
    above, out = (
        np.stack([part[column] for column in columns])[place[pair], label]
        for part in (levels.estimates, levels.left_out)
    )
    return smooth_stack(table, starts[:-1], above, out, ordered).estimate


def _alike(cards: Sequence[int], ordered: Sequence[int]) -> list[list[int]]:
    """Return the columns with as many states, and as many with an order, together."""
    groups: dict[tuple[int, int], list[int]] = {}
    for column, kind in enumerate(zip(cards, ordered, strict=True)):
        groups.setdefault(kind, []).append(column)
    return list(groups.values())
