"""Averaged one-dependence without logarithms: many complete rows, parent by parent.

Every factor P(xj | y, xp) is multiplied with the number of states of xj, so that a product of many stays near
one. A row whose sum comes too near to zero, or to the largest number, is left to the sum of logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count
from pgm_nb.models.averaged.grouped import Grouped

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Floats, Ints, Places
    from pgm_nb.models.averaged.scores import OneDependence

__all__ = ["COMPILED", "Products"]

COMPILED = CompiledModule("pgm_nb.models.averaged.compiled", load_seconds=0.8, compile_seconds=3.0)
GROUPS = 8  # of parents, each with its own sums: so the number of threads changes no digit
BLOCK = 1 << 14  # rows handled at once
MOST = 1 << 25  # factors that are kept: 256 MB
TOGETHER = 4  # factors that are multiplied in one step
TWO = 2  # classes, side by side
_NS = 0.3  # per factor
_LEAST = 1e-250
_FAR = 1e100  # products of usual factors stay below this


class Usual(NamedTuple):
    """The products of a row with the usual state in every column, and what the other states change in them.

    Where most rows have the usual state in most columns, few factors are left to multiply.
    """

    slabs: Floats  #: factors divided by those of the usual states
    joints: Floats  #: (states, lanes), with the factors of the usual states
    safe: bool  #: whether these stay so far from zero, and from the largest number, that no digit is lost


@dataclass(frozen=True, eq=False)
class Products:
    """All factors, laid out for the compiled kernel.

    Attributes
    ----------
    begins, cards : arrays (d,)
        The first state of each column among all states, and how many it has.
    slabs : array (states, states * lanes + lanes)
        For each state of a parent: the factors of all states, a lane per class; one for its own column, and
        ones at the end.
    joints : array (states, lanes)
        w_p P(y, xp) times the number of states of the parent.
    modes : array (d,)
        The state of each column that is seen most.
    """

    begins: Ints
    cards: Ints
    modes: Ints
    slabs: Floats
    joints: Floats
    lanes: int
    n_classes: int

    @staticmethod
    def fits(model: OneDependence, n_rows: int) -> bool:
        """Return whether so many rows pay for the tables, and the tables for their place."""
        states = int(model.cards.sum())
        return len(model.cards) > 1 and n_rows >= states and states**2 * _lanes(model) <= MOST

    @classmethod
    def of(cls, model: OneDependence) -> Products:
        """Lay out the factors of a model."""
        cards, k = model.cards.astype(np.int64), model.counts.n_classes
        lanes, begins = _lanes(model), np.cumsum(cards) - cards
        states = int(cards.sum())
        slabs, joints = np.ones((states, states + 1, lanes)), np.zeros((states, lanes))
        for p, (begin, card) in enumerate(zip(begins, cards, strict=True)):
            here = slice(begin, begin + card)
            joints[here, :k] = np.exp(model.joint(p)).T * card
            alone = model.single(p)
            for j, (start, size) in enumerate(zip(begins, cards, strict=True)):
                if j != p:
                    m = model.rows[j]
                    table = (model.counts.pair(p, j) + m / size) / (alone + m)[:, :, None] * size
                    slabs[here, start : start + size, :k] = table.transpose(1, 2, 0)
        modes = np.array([int(model.single(p).sum(axis=0).argmax()) for p in range(len(cards))])
        return cls(begins, cards, modes, slabs.reshape(states, -1), joints, lanes, k)

    def scores(self, codes: Codes, n_threads: int | None = None) -> tuple[Floats, Places]:
        """Log P(y, x) of complete rows, (n, k), and the rows that must be summed in logs."""
        n = codes.shape[1]
        result = np.empty((n, self.n_classes))
        for start in range(0, n, BLOCK):
            block = slice(start, start + BLOCK)
            result[block] = self._totals(codes[:, block], n_threads)[:, : self.n_classes]
        left = np.empty(0, dtype=np.intp)
        if n and not _LEAST < result.min() <= result.max() < 1 / _LEAST:
            left = np.flatnonzero(~((result > _LEAST) & (result < 1 / _LEAST)).all(axis=1))
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            np.log(result, out=result)
        result -= np.log(self.cards).sum()
        return result, left

    @cached_property
    def grouped(self) -> Grouped | None:
        """The products of several columns at once, where there are two classes and few states."""
        if self.lanes != TWO:
            return None
        states = len(self.joints)
        return Grouped.of(self.cards, self.slabs.reshape(states, states + 1, TWO), self.joints)

    def _totals(self, codes: Codes, n_threads: int | None) -> Floats:
        if self.grouped is not None:
            return self.grouped.totals(codes, n_threads)
        from pgm_nb.models.averaged import compiled

        d, n = codes.shape
        away = codes != self.modes[:, None]
        rare = 2 * int(np.count_nonzero(away)) < d * n and self.usual.safe
        places, lengths = self._places_of(codes, away) if rare else self._places(codes)
        totals = np.zeros((min(GROUPS, d), n, self.lanes))
        given = (
            places,
            lengths,
            np.ascontiguousarray(codes, dtype=np.uint16),
            self.begins,
            self.cards,
            self.usual.slabs if rare else self.slabs,
            self.usual.joints if rare else self.joints,
            self.lanes,
            totals,
        )
        work = np.full(len(totals), _NS * d * TOGETHER * lengths.sum() * self.lanes / len(totals))
        with np.errstate(over="ignore", invalid="ignore"):
            in_threads(
                lambda first, last: compiled.add_stars(*given, first, last), work, thread_count(n_threads)
            )
            found: Floats = totals.sum(axis=0)
        return found

    def _places(self, codes: Codes) -> tuple[NDArray[np.uint32], Ints]:
        """Where the factors of all states of a row are in a slab, and how many fours of them there are."""
        d, n = codes.shape
        places = self._ones(n, d)
        places[:, :d] = ((codes + self.begins[:, None]) * self.lanes).T
        return places, np.full(n, places.shape[1] // TOGETHER, dtype=np.int64)

    def _places_of(self, codes: Codes, away: NDArray[np.bool_]) -> tuple[NDArray[np.uint32], Ints]:
        """Do the same for the states that are not the usual ones of their columns."""
        row, column = np.nonzero(np.ascontiguousarray(away.T))
        numbers = np.bincount(row, minlength=codes.shape[1])
        slot = np.arange(len(row)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
        places = self._ones(codes.shape[1], int(numbers.max(initial=0)))
        places[row, slot] = (codes[column, row] + self.begins[column]) * self.lanes
        return places, -(-numbers // TOGETHER)

    def _ones(self, n: int, most: int) -> NDArray[np.uint32]:
        """Places of ones, at least as many as asked for."""
        nothing = int(self.cards.sum()) * self.lanes
        return np.full((n, -(-most // TOGETHER) * TOGETHER), nothing, dtype=np.uint32)

    @cached_property
    def usual(self) -> Usual:
        """Factors by how they differ from those of the state of each column that is seen most."""
        at = self.begins + self.modes
        slabs = self.slabs.reshape(len(self.slabs), -1, self.lanes)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            joints = self.joints * slabs[:, at].prod(axis=1)
            ratios = slabs.copy()
            ratios[:, :-1] /= np.repeat(slabs[:, at], self.cards, axis=1)
        inside = joints[self.joints > 0]
        safe = bool(((inside > 1 / _FAR) & (inside < _FAR)).all() and np.isfinite(ratios).all())
        return Usual(ratios.reshape(self.slabs.shape), joints, safe)


def _lanes(model: OneDependence) -> int:
    k = model.counts.n_classes
    return max(TWO, -(-k // 2) * 2)
