"""Averaged one-dependence without logarithms: many rows at once.

Every factor P(xj | y, xp) is multiplied with the number of states of xj, so that a product of many stays near
one; that of an unknown cell is this number. A row whose sum comes too near to zero, or to the largest number,
is left to the sum of logs.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts.kernels import CompiledModule, thread_count
from pgm_nb.models.averaged.far import Far
from pgm_nb.models.averaged.joined import Joined, join
from pgm_nb.models.averaged.near import Near

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes, Floats, Places
    from pgm_nb.models.averaged.scores import OneDependence

__all__ = ["COMPILED", "Products"]

COMPILED = CompiledModule("pgm_nb.models.averaged.compiled", load_seconds=0.8, compile_seconds=6.0)
BLOCK = 1 << 14  # rows handled at once
MOST_FACTORS = 1 << 25  # that are kept: 128 MB
MOST_JOINED = 1 << 22  # ... for groups of columns: 32 MB
CLOSE = 1 << 20  # factors that are near enough to be read in any order: 8 MB
WIDEST = 12  # classes, side by side
_LEAST = 1e-250
_NEAR_NS, _JOINED_NS, _MADE_NS = 0.9, 0.45, 1.5  # per vector of `Near`, of `Joined`, and factor that is made


class Products:
    """The factors of a model and how to multiply them.

    Parameters
    ----------
    model : OneDependence
        A model for which `fits` is true.
    """

    def __init__(self, model: OneDependence) -> None:
        self.model, self.lanes = model, _lanes(model)
        self.n_classes = model.counts.n_classes
        self.scale = float(np.log(model.cards).sum())  # of the product of the numbers of states
        self.joined: dict[bool, Joined] = {}  # by whether cells may be unknown
        self.prices: dict[bool, tuple[float, int]] = {}

    @staticmethod
    def fits(model: OneDependence, n_rows: int) -> bool:
        """Return whether so many rows pay for the tables, and the tables for their place."""
        states, lanes = int(model.cards.sum()), _lanes(model)
        room = states**2 * lanes <= MOST_FACTORS and (lanes <= WIDEST or Far.exact(model))
        return len(model.cards) > 1 and n_rows >= states and room

    @cached_property
    def apart(self) -> Near | Far:
        """The factors of every state of every column."""
        return (Far if self.far else Near).of(self.model, self.lanes)

    @cached_property
    def far(self) -> bool:
        """Whether the factors are too many to be read in any order."""
        many = self.lanes > WIDEST or int(self.model.cards.sum()) ** 2 * self.lanes > CLOSE
        return many and Far.exact(self.model)

    def tables(self, codes: Codes) -> Near | Far | Joined:
        """Return what is fastest for these rows: the same for the same rows, whatever was asked before."""
        unknown = bool((codes.max(axis=1, initial=0) == self.model.cards).any())
        if self.far or not self._join_pays(codes.shape[1], unknown):
            return self.apart
        if unknown not in self.joined:
            self.joined[unknown] = Joined.of(self.model, self.lanes, unknown)
        return self.joined[unknown]

    def _join_pays(self, n_rows: int, unknown: bool) -> bool:
        """Return whether multiplying the factors of groups beforehand saves more time than it takes."""
        if unknown not in self.prices:
            self.prices[unknown] = self._price(unknown)
        saved, made = self.prices[unknown]
        return made <= MOST_JOINED and n_rows * saved > _MADE_NS * made

    def _price(self, unknown: bool) -> tuple[float, int]:
        """Return the nanoseconds that groups save per row, and how many factors they need."""
        sizes = self.model.cards.astype(np.int64) + unknown
        groups, d, vectors = join(sizes, self.lanes), len(sizes), -(-self.lanes // 4)
        made = int(sizes.sum()) * sum(int(sizes[group].prod()) for group in groups) * self.lanes
        near = d * self.lanes / 4 * self._unusual + vectors * self._unusual**2
        return _NEAR_NS * near - _JOINED_NS * vectors * d * len(groups), made

    @cached_property
    def _unusual(self) -> float:
        """How many columns of a row are expected not to be in their usual states."""
        seen = [self.model.single(p).sum(axis=0) for p in range(len(self.model.cards))]
        return float(sum(1 - n.max() / max(n.sum(), 1) for n in seen))

    def scores(self, codes: Codes, n_threads: int | None = None) -> tuple[Floats, Places]:
        """Log P(y, known attributes), (n, k), and the rows that must be summed in logs."""
        result, left = self._totals(codes, n_threads)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            np.log(result, out=result)
        result -= self.scale
        return result, left

    def shares(self, codes: Codes, n_threads: int | None = None) -> tuple[Floats, Places]:
        """Posterior of the class, (n, k), and the rows that must be summed in logs."""
        result, left = self._totals(codes, n_threads)
        total = result[:, 0].copy()
        for c in range(1, self.n_classes):
            total += result[:, c]
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            result /= total[:, None]
        return result, left

    def _totals(self, codes: Codes, n_threads: int | None) -> tuple[Floats, Places]:
        """Add up products, (n, k); also return the rows whose sums are too near to zero, or too large."""
        n, threads = codes.shape[1], thread_count(n_threads)
        tables, at_once = self.tables(codes), BLOCK if self.far else max(n, 1)
        parts = [
            tables.totals(codes[:, start : start + at_once], threads)[:, : self.n_classes]
            for start in range(0, n, at_once)
        ]
        result = np.concatenate(parts) if len(parts) != 1 else np.ascontiguousarray(parts[0])
        left = np.empty(0, dtype=np.intp)
        if not _LEAST < result.min() <= result.max() < 1 / _LEAST:
            left = np.flatnonzero(~((result > _LEAST) & (result < 1 / _LEAST)).all(axis=1))
        return result, left


def _lanes(model: OneDependence) -> int:
    return max(2, -(-model.counts.n_classes // 2) * 2)
