"""The attributes of a kernel model: cells in, numbers on a scale or states out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.data import Column
from pgm_nb.data.frame import is_number, numbers
from pgm_nb.inference.arrays import Codes, Floats
from pgm_nb.models.kernel.bit_codes import BitScale, learn_scale
from pgm_nb.models.kernel.sums import UNKNOWN, HobbitColumn

__all__ = ["KernelAttribute", "integers", "learn_attribute"]


@dataclass(frozen=True)
class KernelAttribute:
    """One attribute: its column, and the scale of its numbers (None when it has states instead).

    Cells become values: numbers on the scale, infinity for the state "missing" of a numeric column, the code
    of a category, NaN for what is unknown.
    """

    column: Column
    scale: BitScale | None

    @property
    def sigma(self) -> float:
        """Width of the Gaussian kernel: half the standard deviation; 0 for categories."""
        return 0.0 if self.scale is None else self.scale.deviation / 2

    @property
    def hobbit(self) -> HobbitColumn:
        """The HOBbit kernel of the attribute's codes."""
        if self.scale is None:
            return HobbitColumn(0, self.column.card, 0.0)
        return HobbitColumn(
            self.scale.bits, int(self.column.missing_state), self.scale.deviation_in_steps / 2
        )

    def values(self, cells: pd.Series, codes: Codes) -> Floats:
        """Return the values of cells whose codes by the column are `codes`."""
        if self.scale is None:
            return np.where(codes == self.column.card, np.nan, codes.astype(np.float64))
        plain = cells if is_number(cells) else pd.to_numeric(cells.astype(object))
        values = self.scale.scaled(numbers(plain))
        return np.where(np.isnan(values), inf, values) if self.column.missing_state else values

    def integers(self, values: Floats) -> NDArray[np.int64]:
        """Return the codes of values for a P-tree, -1 where unknown."""
        unknown = np.isnan(values)
        known = np.where(unknown, 0.0, values)
        if self.scale is None:
            codes = known.astype(np.int64)
        else:
            missing = np.isinf(known)
            codes = self.scale.codes(np.where(missing, self.scale.low, known))
            codes[missing] = 1 << self.scale.bits
        return np.where(unknown, UNKNOWN, codes)

    def to_dict(self) -> dict[str, Any]:
        """Return the attribute as plain values for JSON."""
        return {
            "column": self.column.to_dict(),
            "scale": None if self.scale is None else self.scale.to_dict(),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the attribute that `to_dict` wrote."""
        scale = record["scale"]
        return cls(Column.from_dict(record["column"]), None if scale is None else BitScale.from_dict(scale))


def integers(values: Floats, attributes: Sequence[KernelAttribute]) -> NDArray[np.int64]:
    """Return the codes of rows of values, (d, n), for a P-tree."""
    return np.array([a.integers(column) for a, column in zip(attributes, values, strict=True)])


def learn_attribute(
    column: Column, cells: pd.Series, codes: Codes, *, bits: int, log_columns: Collection[str], binned: bool
) -> tuple[KernelAttribute, Floats]:
    """Learn an attribute from its training cells; return it and the values of the cells.

    Parameters
    ----------
    column : Column
        How the cells become codes.
    cells, codes
        The training cells and their codes, missing ones filled in when that is the policy.
    bits : int
        Bits of a number's code.
    log_columns : collection of str
        Names of the columns to scale by logarithms.
    binned : bool
        Whether numbers were discretised first, so that every attribute has states.
    """
    if binned or column.kind != "numeric" or cells.isna().all():
        attribute = KernelAttribute(column, None)
        return attribute, codes.astype(np.float64)
    known = numbers(cells.dropna())
    if not column.missing_state and len(known) < len(cells):  # missing="mode"
        states, times = np.unique(known, return_counts=True)
        known = numbers(cells := pd.Series(numbers(cells)).fillna(states[times.argmax()]))
    attribute = KernelAttribute(column, learn_scale(known, bits=bits, log=column.name in log_columns))
    return attribute, attribute.values(cells, codes)
