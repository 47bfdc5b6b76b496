"""Averaged one-dependence without logarithms: many rows at once.

Every factor P(xj | y, xp) is multiplied with the number of states of xj, so that a product of many stays near
one; that of an unknown cell is this number. A row whose sum comes too near to zero, or to the largest number,
is left to the sum of logs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts.kernels import CompiledModule, thread_count
from pgm_nb.models.averaged.far import Far
from pgm_nb.models.averaged.near import Near

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Floats, Places
    from pgm_nb.models.averaged.scores import OneDependence

__all__ = ["COMPILED", "Products"]

COMPILED = CompiledModule("pgm_nb.models.averaged.compiled", load_seconds=0.8, compile_seconds=4.0)
BLOCK = 1 << 14  # rows handled at once
MOST = 1 << 25  # factors that are kept: 128 MB
CLOSE = 1 << 20  # factors that are near enough to be read in any order: 8 MB
WIDEST = 12  # classes, side by side
_LEAST = 1e-250


@dataclass(frozen=True, eq=False)
class Products:
    """The factors of a model and how to multiply them."""

    tables: Near | Far
    n_classes: int
    scale: float  #: log of the product of the numbers of states

    @staticmethod
    def fits(model: OneDependence, n_rows: int) -> bool:
        """Return whether so many rows pay for the tables, and the tables for their place."""
        states, lanes = int(model.cards.sum()), _lanes(model)
        room = states**2 * lanes <= MOST and (lanes <= WIDEST or Far.exact(model))
        return len(model.cards) > 1 and n_rows >= states and room

    @classmethod
    def of(cls, model: OneDependence) -> Products:
        """Lay out the factors of a model that fits."""
        lanes = _lanes(model)
        far = lanes > WIDEST or int(model.cards.sum()) ** 2 * lanes > CLOSE
        kind = Far if far and Far.exact(model) else Near
        return cls(kind.of(model, lanes), model.counts.n_classes, float(np.log(model.cards).sum()))

    def scores(self, codes: Codes, n_threads: int | None = None) -> tuple[Floats, Places]:
        """Log P(y, known attributes), (n, k), and the rows that must be summed in logs."""
        n, threads = codes.shape[1], thread_count(n_threads)
        result = np.empty((n, self.n_classes))
        for start in range(0, n, BLOCK):
            block = slice(start, start + BLOCK)
            result[block] = self.tables.totals(codes[:, block], threads)[:, : self.n_classes]
        left = np.empty(0, dtype=np.intp)
        if n and not _LEAST < result.min() <= result.max() < 1 / _LEAST:
            left = np.flatnonzero(~((result > _LEAST) & (result < 1 / _LEAST)).all(axis=1))
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            np.log(result, out=result)
        result -= self.scale
        return result, left


def _lanes(model: OneDependence) -> int:
    return max(2, -(-model.counts.n_classes // 2) * 2)
