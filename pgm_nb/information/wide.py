"""The information of wide tables: I(Xi;Xj|Y) row by row, so that no matrix of all pairs need be kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pgm_nb.arrays import Flags, Floats, Places
from pgm_nb.counts.wide import PairRows, RowCounts
from pgm_nb.information.measures import Information
from pgm_nb.information.sums import FixedPoint, table_sums, without_class

__all__ = ["WideInformation", "wide_information"]

NO_MATRIX: Floats = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class WideInformation(Information):
    """`Information` without the matrix of all pairs: `row` computes what a search asks for, to the same bits.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint8)
    >>> found = wide_information(RowCounts(codes, np.array([0, 1, 1, 0]), (2, 2), 2))
    >>> found.row(0, np.array([False, True])).tolist()
    [-inf, 1.0]
    """

    pairs: PairRows = field(kw_only=True)
    fixed: FixedPoint = field(kw_only=True)
    class_sum: int = field(kw_only=True)
    sums: Places = field(kw_only=True)
    memo: list[Any] = field(kw_only=True, default_factory=list)  #: what a search found in all pairs

    def row(self, i: int, wanted: Flags) -> Floats:
        """Return I(Xi;Xj|Y) for the columns that are wanted, -inf for all others."""
        others = np.flatnonzero(wanted)
        found = np.full(len(self.relevance), -np.inf)
        found[others] = self._bits(i, others)
        return found

    def dependence_of(self, children: Places, mothers: Places) -> Floats:
        """Return I(Xi;Xj|Y) of some pairs of columns."""
        found = np.empty(len(children))
        for place, (i, j) in enumerate(zip(children.tolist(), mothers.tolist(), strict=True)):
            found[place] = self._bits(i, np.array([j]))[0]
        return found

    def _bits(self, i: int, others: Places) -> Floats:
        shared = self.pairs.sums(i, others) + (self.class_sum - self.sums[i] - self.sums[others])
        return self.fixed.bits(shared)


def wide_information(counts: RowCounts, kernel: str = "auto") -> WideInformation:
    """Return entropies and relevance at once, and the dependence of pairs when it is asked for.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], dtype=np.uint8)
    >>> wide_information(RowCounts(codes, np.array([0, 0, 1, 1]), (2, 2), 2)).relevance.tolist()
    [1.0, 0.0]
    """
    fixed, states = FixedPoint(counts.n_rows), counts.layout.states()
    y = int(fixed.terms(counts.y).sum())
    alone = table_sums(*without_class(counts.singles, np.diff(states), counts.n_classes), fixed)
    with_class = table_sums(counts.singles, counts.n_classes * states, fixed)
    return WideInformation(
        n_rows=counts.n_rows,
        class_entropy=float(fixed.bits(np.int64(fixed.whole - y))),
        entropies=fixed.bits(fixed.whole - alone),
        relevance=fixed.bits(fixed.whole - alone - y + with_class),
        dependence=NO_MATRIX,
        pairs=PairRows(counts, fixed.table(), kernel),
        fixed=fixed,
        class_sum=y,
        sums=with_class,
    )
