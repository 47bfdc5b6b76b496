"""Sums over pairs of columns, row by row: what the members of its bag add to each owner.

Hidden naive Bayes adds up probabilities, W_ij P(ai | aj, c); averaged one-dependence adds up logarithms of
counts, every column being the owner of a bag of all others. One NumPy form and one compiled form do both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import rebuilt
from pgm_nb.counts.kernels import CompiledModule, in_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pgm_nb.arrays import Codes, Floats, Ints, Places
    from pgm_nb.counts import Counts

__all__ = ["COMPILED", "PairTables", "in_blocks", "pair_layout", "pair_sums", "use_compiled"]

KERNELS = ("auto", "numpy", "compiled")
COMPILED = CompiledModule("pgm_nb.models.hidden.compiled", load_seconds=1.0, compile_seconds=4.0)
_CELLS = 1 << 18  # numbers that NumPy handles at once: 2 MB
_NUMPY_NS, _COMPILED_NS = 12.0, 0.2  # per term
_MOST_ROWS = 4096  # handled at once
_MOST_SUMS = 1 << 23  # ... and their sums: 64 MB


@dataclass(frozen=True, eq=False)
class PairTables:
    """Bags of columns, and a table for every member: a term is w_ij (n(c, xi, xj) + a_i) s(c, xj).

    Attributes
    ----------
    cards : array (d,)
        Numbers of states.
    n_classes : int
        Number of classes k.
    owners : array (a,)
        Columns with a bag.
    starts : array (a + 1,)
        Where each owner's bag begins in `members`; the last entry is the end.
    members : array (p,)
        Columns in the bags, one bag after the other.
    weights : array (p,)
        w_ij.
    layout : array (p, 5)
        Where the table of each member begins in `cells`, its strides along the owner's states, the member's
        and the classes, and where the member's part of `scales` begins.
    cells : array
        n(c, xi, xj), or other numbers in its place.
    added : array (a,)
        a_i.
    scales : array
        s(c, xj) of a column as (k, v_j) in C order, as in `Counts.singles`.
    """

    cards: Ints
    n_classes: int
    owners: Places
    starts: Places
    members: Places
    weights: Floats
    layout: Ints
    cells: Floats | NDArray[np.integer]
    added: Floats
    scales: Floats

    __reduce__ = rebuilt

    @cached_property
    def owner_of(self) -> Places:
        """Position in `owners` of the owner of each member."""
        return np.repeat(np.arange(len(self.owners)), np.diff(self.starts))

    def some(self, kept: NDArray[np.bool_]) -> tuple[Places, PairTables]:
        """Return some of the members, and which owners have them."""
        places, sizes = np.unique(self.owner_of[kept], return_counts=True)
        part = replace(
            self,
            owners=self.owners[places],
            starts=np.concatenate(([0], np.cumsum(sizes))),
            members=self.members[kept],
            weights=self.weights[kept],
            layout=np.ascontiguousarray(self.layout[kept]),
            added=self.added[places],
        )
        return places, part


def pair_layout(counts: Counts, own: Places, other: Places) -> Ints:
    """Return the layout of tables n(c, xi, xj) in `Counts.pairs` for pairs of columns, (p, 5).

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> counts = count(np.zeros((2, 1), dtype=np.uint8), [0], (2, 3), 1)
    >>> pair_layout(counts, np.array([0, 1]), np.array([1, 0])).tolist()  # (xi, xj) is 2 x 3, then 3 x 2
    [[0, 3, 1, 6, 2], [0, 1, 3, 6, 0]]
    """
    k, cards, states = counts.n_classes, np.asarray(counts.cards, dtype=np.int64), counts.layout.states()
    low, high, first = np.minimum(own, other), np.maximum(own, other), own < other
    before = k * cards[low] * (states[high] - states[low + 1])  # the pairs (low, low + 1), ...
    begin = counts.layout.column_starts()[low] + before
    strides = (np.where(first, cards[other], 1), np.where(first, 1, cards[own]), cards[own] * cards[other])
    return np.stack((begin, *strides, k * states[other]), axis=1)


def pair_sums(
    pairs: PairTables, own: Codes | Places, codes: Codes, *, compiled: bool = False, n_threads: int = 1
) -> Floats:
    """Return the sum over the members of every owner's bag, for every class and row: (a, k, rows).

    Parameters
    ----------
    pairs : PairTables
        The terms.
    own, codes : arrays (d, rows)
        The states of columns as owners and as members; mostly the same array. A code equal to the number of
        states means unknown and adds nothing.
    compiled : bool
        Whether the compiled kernel is to do it; the results agree to rounding.
    n_threads : int
        Threads that share the owners; any number gives the same result.
    """
    sums = np.zeros((len(pairs.owners), pairs.n_classes, codes.shape[1]))
    seen: NDArray[np.bool_] = np.any(own < pairs.cards[:, None], axis=1)
    told: NDArray[np.bool_] = np.any(codes < pairs.cards[:, None], axis=1)
    kept = seen[pairs.owners[pairs.owner_of]] & told[pairs.members]
    if not kept.all():
        places, part = pairs.some(kept)
        if len(places):
            sums[places] = pair_sums(part, own, codes, compiled=compiled, n_threads=n_threads)
    elif len(pairs.members):
        (_compiled_sums if compiled else _numpy_sums)(pairs, own, codes, sums, n_threads)
    return sums


def _numpy_sums(pairs: PairTables, own: Codes | Places, codes: Codes, sums: Floats, n_threads: int) -> None:
    """Look one cell up for every member, row and class; rows in pieces that stay in the cache."""
    step = max(1, _CELLS // len(pairs.members))
    cards, owner, member = pairs.cards[:, None], pairs.owners[pairs.owner_of], pairs.members
    begin, by_own, by_other, by_class, scale = (part[:, None] for part in pairs.layout.T)
    weight, added = pairs.weights[:, None], pairs.added[pairs.owner_of, None]

    def task(first: int, last: int) -> None:
        for start in range(first * step, last * step, step):
            mine, other = own[:, start : start + step], codes[:, start : start + step]
            share = weight * ((mine < cards)[owner] & (other < cards)[member])
            x, z = (np.where(part < cards, part, 0).astype(np.int64) for part in (mine, other))
            cell = begin + by_own * x[owner] + by_other * z[member]
            scaled = scale + z[member]
            for c in range(pairs.n_classes):
                terms = pairs.cells[cell + c * by_class] + added
                terms *= pairs.scales[scaled + c * cards[member]]
                terms *= share
                np.add.reduceat(terms, pairs.starts[:-1], axis=0, out=sums[:, c, start : start + step])

    n_pieces = -(-codes.shape[1] // step)
    in_threads(task, np.full(n_pieces, _NUMPY_NS * sums[0].size * len(member) / n_pieces), n_threads)


def _compiled_sums(
    pairs: PairTables, own: Codes | Places, codes: Codes, sums: Floats, n_threads: int
) -> None:
    """Do the same in compiled code."""
    from pgm_nb.models.hidden.compiled import add_counts, add_numbers

    whole = pairs.cells.dtype == np.int32
    add: Callable[..., None] = add_counts if whole else add_numbers
    given = (
        *(np.ascontiguousarray(part, dtype=np.uint16) for part in (own, codes)),
        *(pairs.cards, pairs.owners, pairs.starts, pairs.members, pairs.weights, pairs.layout),
        pairs.cells if whole else pairs.cells.astype(np.float64, copy=False),
        *(pairs.added, pairs.scales, sums),
    )
    in_threads(
        lambda first, last: add(*given, first, last),
        _COMPILED_NS * sums[0].size * np.diff(pairs.starts).astype(np.float64),
        n_threads,
    )


def use_compiled(kernel: str, cards: Ints | Places, n_classes: int, n_pairs: int, n_rows: int) -> bool:
    """Return whether to use the compiled kernel; "auto" does so where the waiting pays.

    The compiled kernel lays out a small table per member, which some dozens of rows must pay for.
    """
    if kernel == "auto" and n_rows < np.mean(cards) ** 2 / 4:
        kernel = "numpy"
    return COMPILED.chosen(kernel, KERNELS, 1e-9 * _NUMPY_NS * (n_classes + 1) * n_pairs * n_rows)


def in_blocks(score: Callable[[Codes], Floats], codes: Codes, n_sums: int) -> Floats:
    """Score rows in blocks, (n, k): a row has so many sums at a time."""
    step = max(1, min(_MOST_ROWS, _MOST_SUMS // max(n_sums, 1)))
    parts = [score(codes[:, start : start + step]) for start in range(0, max(codes.shape[1], 1), step)]
    return np.concatenate(parts)
