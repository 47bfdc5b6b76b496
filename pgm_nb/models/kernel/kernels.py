"""Kernels and the groups of attributes they are multiplied in: Gaussian, HOBbit, equal or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Flags, Floats, Ints, Places

__all__ = [
    "Flags",
    "HobbitColumn",
    "Ints",
    "LogKernel",
    "groups_of",
    "hobbit_distance",
    "hobbit_log_weights",
    "log_sum",
    "logs",
    "pair_places",
    "paired",
    "strongest_groups",
    "strongest_pairs",
]

LogKernel = Callable[[int, int], Floats]  # of a row and an attribute: log of the kernel at all training rows


def pair_places(d: int) -> tuple[Places, Places]:
    """Return the two attributes of every pair, in column order."""
    return np.triu_indices(d, 1)


def strongest_pairs(strength: Floats, threshold: float, d: int) -> Flags:
    """Choose pairs above the threshold, strongest first, each attribute in one pair at most, (m, pairs).

    Equal strengths go by column order.

    Examples
    --------
    >>> strongest_pairs(np.array([[0.5, 0.9, 0.1]]), 0.3, d=3)  # pairs 01, 02, 12: only 02
    array([[False,  True, False]])
    """
    a, b = pair_places(d)
    left = np.where(strength > threshold, strength, -inf)
    chosen = np.zeros(strength.shape, dtype=bool)
    for _ in range(d // 2):
        best = left.argmax(axis=1)
        rows = np.flatnonzero(left[np.arange(len(left)), best] > -inf)
        if len(rows) == 0:
            break
        pair = best[rows]
        chosen[rows, pair] = True
        one, other = a[pair][:, None], b[pair][:, None]
        touched = (a == one) | (b == one) | (a == other) | (b == other)
        left[rows] = np.where(touched, -inf, left[rows])
    return chosen


def paired(chosen: Flags, d: int) -> Places:
    """Return the groups that chosen pairs make, each attribute in one pair at most, (m, d).

    Examples
    --------
    >>> paired(np.array([[False, True, False]]), d=3)  # of the pairs 01, 02, 12
    array([[0, 1, 0]])
    """
    a, b = pair_places(d)
    first = np.tile(np.arange(d), (len(chosen), 1))
    rows, pairs = np.nonzero(chosen)
    first[rows, b[pairs]] = a[pairs]
    return first


def strongest_groups(
    strength: Floats, threshold: float, d: int, most: int, near: Callable[[int, int], Flags]
) -> Places:
    """Join groups along the pairs above the threshold, strongest first, (m, d).

    A pair joins the groups that its two attributes are in, unless the group would have more than `most`
    attributes, or no training row is near to all its values. With ``most=2`` these are `strongest_pairs`;
    without a limit, all that a chain of pairs connects.

    Parameters
    ----------
    strength : array (m, pairs)
        How strongly the two go together; minus infinity for pairs that cannot be joined.
    threshold : float
        Pairs above it join.
    d, most : int
        The attributes, and those that a group may have.
    near : callable
        Of a row and an attribute: which training rows are near to the value.

    Examples
    --------
    >>> everywhere = lambda row, place: np.array([True])
    >>> strongest_groups(np.array([[0.5, 0.9, 0.1]]), 0.3, 3, 3, everywhere)  # 02, then 01
    array([[0, 0, 0]])
    """
    a, b = pair_places(d)
    groups = np.tile(np.arange(d), (len(strength), 1))
    for row, (first, strong) in enumerate(zip(groups, strength, strict=True)):
        pairs = np.flatnonzero(strong > threshold)
        around: dict[int, Flags] = {}
        for pair in pairs[np.argsort(-strong[pairs], kind="stable")]:
            one, other = sorted((int(first[a[pair]]), int(first[b[pair]])))
            if one == other or np.isin(first, (one, other)).sum() > most:
                continue
            for place in (one, other):
                if place not in around:
                    around[place] = near(row, place)
            both = around[one] & around[other]
            if both.any():
                around[one] = both
                first[first == other] = one
    return groups


def groups_of(first: Places) -> Iterator[tuple[int, Places]]:
    """Return the groups of two and more attributes of every row: the row, and the attributes.

    Examples
    --------
    >>> [(row, group.tolist()) for row, group in groups_of(np.array([[0, 1, 2], [0, 1, 0]]))]
    [(1, [0, 2])]
    """
    rows, others = np.nonzero(first != np.arange(first.shape[1]))
    for row, one in sorted(set(zip(rows.tolist(), first[rows, others].tolist(), strict=True))):
        yield row, np.flatnonzero(first[row] == one)


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


def log_sum(log_terms: Floats, axes: int | Sequence[int]) -> Floats:
    """Log of the sum of exponentials over some axes; minus infinity where there is nothing."""
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    most = log_terms.max(axis=axes, keepdims=True)
    most = np.where(np.isneginf(most), 0.0, most)
    total = np.exp(log_terms - most).sum(axis=axes, keepdims=True)
    result: Floats = (logs(total) + most).squeeze(axes)
    return result


def logs(values: NDArray[np.floating] | Ints) -> Floats:
    """Natural logs, minus infinity for zero."""
    return np.log(values, out=np.full(values.shape, -inf), where=values > 0)
