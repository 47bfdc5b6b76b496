"""Averaged one-dependence without logarithms: many complete rows, parent by parent.

Every factor P(xj | y, xp) is multiplied with the number of states of xj, so that a product of many stays near
one. A row whose sum comes too near to zero, or to the largest number, is left to the sum of logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

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
TWO = 2  # classes, side by side
_NS = 0.3  # per factor
_LEAST = 1e-250


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
    """

    begins: Ints
    cards: Ints
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
        return cls(begins, cards, slabs.reshape(states, -1), joints, lanes, k)

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
        nothing = int(self.cards.sum())  # where the ones are
        places = np.full((n, -(-d // 4) * 4), nothing * self.lanes, dtype=np.uint32)
        places[:, :d] = ((codes + self.begins[:, None]) * self.lanes).T
        totals = np.zeros((min(GROUPS, d), n, self.lanes))
        given = (
            places,
            np.ascontiguousarray(codes, dtype=np.uint16),
            self.begins,
            self.cards,
            self.slabs,
            self.joints,
            self.lanes,
            totals,
        )
        work = np.full(len(totals), _NS * d * d * n * self.lanes / len(totals))
        with np.errstate(over="ignore"):
            in_threads(
                lambda first, last: compiled.add_stars(*given, first, last), work, thread_count(n_threads)
            )
            found: Floats = totals.sum(axis=0)
        return found


def _lanes(model: OneDependence) -> int:
    k = model.counts.n_classes
    return max(TWO, -(-k // 2) * 2)
