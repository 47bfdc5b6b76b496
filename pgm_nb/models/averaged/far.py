"""Averaged one-dependence with large tables: parent by parent.

P(xj | y, xp) v_j is n(y, xp, xj) v_j / m + 1, divided by n(y, xp) / m + 1. The first is mostly a whole
number, which single precision holds in half the space. The second does not depend on xj, and so is applied
once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts.kernels import in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pgm_nb.arrays import Codes, Floats, Ints
    from pgm_nb.models.averaged.scores import OneDependence

__all__ = ["Far"]

GROUPS = 8  # of parents, each with its own sums: so the number of threads changes no digit
TOGETHER = 4  # factors that are multiplied in one step
_NS = 0.2  # per factor
_WHOLE = 1 << 24  # single precision holds whole numbers up to it


@dataclass(frozen=True, eq=False)
class Far:
    """All factors, laid out for `pgm_nb.models.averaged.compiled.add_far`.

    Attributes
    ----------
    begins, cards : arrays (d,)
        The first state of each column among all states, and how many it has.
    slabs : array (states, states + d + 1, lanes)
        For each state of a parent: n v_j / m + 1 of all states, a lane per class, and after those of each
        column their sum, for a child that is not known; one for its own column, and ones at the end.
    joints, shrinks : arrays (states, lanes)
        What begins the products of a parent's state, and a power of two for every step of four factors.
    """

    begins: Ints
    cards: Ints
    slabs: NDArray[np.float32]
    joints: Floats
    shrinks: Floats

    @staticmethod
    def exact(model: OneDependence) -> bool:
        """Return whether the numbers of this model are whole, and small enough for single precision."""
        times = model.cards / model.rows
        return bool((times % 1 == 0).all() and (model.counts.n_rows * times + model.cards < _WHOLE).all())

    @classmethod
    def of(cls, model: OneDependence, lanes: int) -> Far:
        """Lay out the factors of a model."""
        cards, k = model.cards.astype(np.int64), model.counts.n_classes
        begins, states = np.cumsum(cards) - cards, int(cards.sum())
        slabs = np.ones((states, states + len(cards) + 1, lanes), dtype=np.float32)
        joints, powers = np.zeros((states, lanes)), np.zeros((states, lanes), dtype=np.int32)
        for p, (begin, card) in enumerate(zip(begins, cards, strict=True)):
            here = slice(begin, begin + card)
            product, power = np.frexp(np.exp(model.joint(p)).T * card)
            alone = model.single(p).T
            for j, (start, size) in enumerate(zip(begins, cards, strict=True)):
                if j != p:
                    m = model.rows[j]
                    numbers = model.counts.pair(p, j).transpose(1, 2, 0) * (size / m) + 1
                    slabs[here, start + j : start + j + size, :k] = numbers
                    slabs[here, start + j + size, :k] = numbers.sum(axis=1)
                    product, more = np.frexp(product * (m / (alone + m)))
                    power += more
            joints[here, :k], powers[here, :k] = product, power
        steps = -(-len(cards) // TOGETHER)
        each = powers // steps
        return cls(begins, cards, slabs, np.ldexp(joints, powers - steps * each), np.ldexp(1.0, each))

    def totals(self, codes: Codes, n_threads: int) -> Floats:
        """Return the sums of the products of all parents, (n, lanes)."""
        from pgm_nb.models.averaged.compiled import add_far

        (d, n), (states, lanes) = codes.shape, self.joints.shape
        places = np.full((n, -(-d // TOGETHER) * TOGETHER), (states + d) * lanes, dtype=np.uint32)
        places[:, :d] = ((codes + (self.begins + np.arange(d))[:, None]) * lanes).T
        found = np.zeros((min(GROUPS, d), n, lanes))
        tables = (self.begins, self.cards, self.slabs, self.joints, self.shrinks)
        given = (places, np.ascontiguousarray(codes, dtype=np.uint16), *tables, found)
        work = np.full(len(found), _NS * d * places.size * lanes / len(found))
        in_threads(lambda first, last: add_far(*given, first, last), work, n_threads)
        with np.errstate(over="ignore", invalid="ignore"):
            total: Floats = found.sum(axis=0)
        return total
