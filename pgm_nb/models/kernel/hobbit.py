"""The HOBbit kernel: how near two codes are, by the low-order bits to drop until they are equal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats
from pgm_nb.models.kernel.groups import Ints

__all__ = ["HobbitColumn", "hobbit_distance", "hobbit_log_weights"]


def hobbit_distance(one: Ints | np.int64, other: Ints) -> Ints:
    """HOBbit distance: how many low-order bits to drop until two integers are equal.

    Examples
    --------
    >>> hobbit_distance(np.array([5, 5, 5, 5]), np.array([5, 4, 7, 1]))
    array([0, 1, 2, 3])
    """
    _, distance = np.frexp((one ^ other).astype(np.float64))  # 2^(e-1) <= x < 2^e, and e = 0 for 0
    return distance.astype(np.int64)


@lru_cache(maxsize=1024)
def hobbit_log_weights(sigma: float, bits: int) -> Floats:
    """Log of the HOBbit kernel at the distances 0, 1, ..., `bits`; it sums to one over all integers.

    The kernel is a Gaussian of the exponential HOBbit distance 2^(d-1) (0 for d = 0), and 2^(d-1) of the
    2^bits integers are at distance d, so its sum is the same around every integer.

    Examples
    --------
    >>> np.exp(hobbit_log_weights(inf, 2))
    array([0.25, 0.25, 0.25])
    """
    numbers_there = np.append(1.0, 2.0 ** np.arange(bits))
    distance = np.append(0.0, 2.0 ** np.arange(bits))
    log_kernel = -0.5 * (distance / sigma) ** 2
    log_weights: Floats = log_kernel - np.logaddexp.reduce(log_kernel + np.log(numbers_there))
    log_weights.setflags(write=False)  # it is remembered
    return log_weights


@dataclass(frozen=True)
class HobbitColumn:
    """The kernel of one attribute of a P-tree: numbers first, then states that are only equal to themselves.

    Attributes
    ----------
    number_bits : int
        Codes below 2^number_bits are numbers; 0 when there are none.
    states : int
        States behind the numbers: the categories, or the one state "missing" of a numeric column.
    sigma : float
        Width of the kernel between numbers, in steps of the code.

    Examples
    --------
    >>> HobbitColumn(number_bits=8, states=1, sigma=3.0).bits
    9
    """

    number_bits: int
    states: int
    sigma: float

    @property
    def bits(self) -> int:
        """Bits of a code."""
        numbers = 1 << self.number_bits if self.number_bits else 0
        return max(1, (numbers + self.states - 1).bit_length())

    @property
    def levels(self) -> tuple[int, ...]:
        """Numbers of dropped bits at which the kernel changes; the last drops all."""
        near = tuple(range(self.number_bits + 1)) if self.number_bits else (0,)
        return near if near[-1] == self.bits else (*near, self.bits)

    def log_weights(self, codes: Ints) -> Floats:
        """Log of the kernel around each code, at each of `levels`, (codes, levels)."""
        weights = np.full((len(codes), len(self.levels)), -inf)
        weights[:, 0] = 0.0  # [x = x_t]
        if self.number_bits:
            near = hobbit_log_weights(self.sigma, self.number_bits)
            weights[codes < 1 << self.number_bits, : len(near)] = near
        return weights

    def log_kernel(self, code: int, rows: NDArray[np.integer]) -> Floats:
        """Log of the kernel between one code and those of training rows.

        Examples
        --------
        >>> HobbitColumn(number_bits=0, states=3, sigma=0.0).log_kernel(2, np.array([2, 1]))
        array([  0., -inf])
        """
        distance = hobbit_distance(np.int64(code), rows.astype(np.int64))
        kernel: Floats = self.log_weights(np.array([code]))[0][np.searchsorted(self.levels, distance)]
        return kernel
