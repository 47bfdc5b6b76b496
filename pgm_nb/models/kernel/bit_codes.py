"""Numbers as b-bit integers, so that their high-order bits say roughly where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import inf, isfinite
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pgm_nb.errors import DataError

__all__ = ["BitScale", "learn_scale"]

Floats = NDArray[np.float64]
LARGEST = 1e300  # of a value in units of its log scale
NEAREST = 1e-290  # numbers that lie within this are one


@dataclass(frozen=True)
class BitScale:
    """How the numbers of one column become integers from 0 to 2^bits - 1, in equal steps.

    Attributes
    ----------
    low, high : float
        Smallest and largest training value, after log scaling; what lies outside is moved to the border.
    deviation : float
        Standard deviation of the training values, after log scaling; infinite for a constant column,
        whose values cannot tell rows apart.
    bits : int
        Bits of a code.
    unit : float or None
        None: values as they are. A number: log scaling, x becomes sign(x) log(1 + |x| / unit).

    Examples
    --------
    >>> scale = BitScale(low=0.0, high=8.0, deviation=2.0, bits=3)
    >>> scale.codes(np.array([-5.0, 0.0, 3.5, 8.0]))
    array([0, 0, 3, 7])
    """

    low: float
    high: float
    deviation: float
    bits: int
    unit: float | None = None

    def scaled(self, values: Floats) -> Floats:
        """Return the values after log scaling, or as they are."""
        return values if self.unit is None else _logarithms(values, self.unit)

    def codes(self, scaled: Floats) -> NDArray[np.int64]:
        """Return the integers of values that `scaled` gave."""
        if self.high == self.low:
            return np.zeros(len(scaled), dtype=np.int64)
        last = (1 << self.bits) - 1
        share = np.clip(scaled, self.low, self.high) / self._width - self.low / self._width
        return np.minimum(np.floor(share * (1 << self.bits)), last).astype(np.int64)

    @property
    def deviation_in_steps(self) -> float:
        """The standard deviation in steps of the code."""
        if self.high == self.low:
            return inf
        return self.deviation / self._width * (1 << self.bits)

    def to_dict(self) -> dict[str, Any]:
        """Return the scale as plain values for JSON, which knows no infinity."""
        return asdict(self) | {"deviation": None if self.deviation == inf else self.deviation}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the scale that `to_dict` wrote."""
        deviation = inf if record["deviation"] is None else record["deviation"]
        return cls(**{**record, "deviation": deviation})

    @property
    def _width(self) -> float:
        return self.high - self.low


def learn_scale(values: Floats, *, bits: int, log: bool) -> BitScale:
    """Learn the scale of a column from its known training values; the order of the values has no say.

    With ``log=True`` the unit is the smallest size of a value that is not zero, so that a change of
    units changes nothing.

    Examples
    --------
    >>> learn_scale(np.array([0.0, 1.0, 3.0]), bits=8, log=True).unit
    1.0
    >>> learn_scale(np.array([5.0, 5.0]), bits=8, log=False).deviation
    inf
    """
    unit = None
    if log:
        sizes = np.abs(values[values != 0])
        unit = float(sizes.min()) if len(sizes) else 1.0
        values = _logarithms(values, unit)
    ordered = np.sort(values)
    low, high = float(ordered[0]), float(ordered[-1])
    width = high - low
    if not isfinite(width):
        raise DataError(
            f"the numbers of a column must lie within 1e308 of each other, but go from {low:g} to {high:g}."
        )
    if width < NEAREST:
        return BitScale(low, low, inf, bits, unit)
    deviation = float(np.std((ordered - low) / width) * width)
    return BitScale(low, high, deviation, bits, unit)


def _logarithms(values: Floats, unit: float) -> Floats:
    with np.errstate(over="ignore"):
        sizes = np.minimum(np.abs(values) / unit, LARGEST)
    logarithms: Floats = np.sign(values) * np.log1p(sizes)
    return logarithms
