"""Kernel densities per class, and which attributes are joined at a row (Denton, Perrizo 2004).

f_c(x) = prod_a (1/n_c) sum_{t in c} K_a(x_a, x_ta), where a pair of joined attributes is one factor with the
product kernel, (1/n_c) sum_{t in c} K_a K_b. All sums are kept as natural logs, so far values do not vanish.

Arrays: m rows to classify, d attributes, k classes, and the d(d-1)/2 pairs in the order of `pair_places`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, log, pi

import numpy as np
from numpy.typing import NDArray

from pgm_nb.inference.arrays import Floats, Places

__all__ = [
    "Joined",
    "correlations",
    "gaussian_log_kernel",
    "hobbit_distance",
    "hobbit_log_weights",
    "join",
    "log_densities",
    "pair_places",
    "strongest_pairs",
]

Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


def hobbit_distance(one: Integers, other: Integers) -> Integers:
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


def gaussian_log_kernel(x: float, rows: Floats, sigma: float) -> Floats:
    """Log of the kernel between one value and those of the training rows.

    A Gaussian density of width `sigma`; flat for an infinite one (a constant attribute); with ``sigma=0``
    the kernel of categories, [x = x_t]. Infinite values stand for the state "missing", equal to itself only.

    Examples
    --------
    >>> np.exp(gaussian_log_kernel(0.0, np.array([0.0, 1.0, inf]), 1.0)).round(3)
    array([0.399, 0.242, 0.   ])
    """
    if sigma == 0 or np.isinf(x):
        return np.where(rows == x, 0.0, -inf)
    absent = np.isinf(rows)
    height = 0.0 if sigma == inf else log(sigma) + 0.5 * log(2 * pi)
    z = (x - np.where(absent, x, rows)) / sigma
    return np.where(absent, -inf, -0.5 * z**2 - height)


def pair_places(d: int) -> tuple[Places, Places]:
    """Return the two attributes of every pair, in column order."""
    return np.triu_indices(d, 1)


def correlations(single: Floats, joint: Floats, n: int) -> Floats:
    """Corr(a,b) = n sum_t K_a K_b / (sum_t K_a sum_t K_b) - 1 at every row, over all classes, (m, pairs).

    Parameters
    ----------
    single : array (m, d, k)
        log sum_{t in c} K_a.
    joint : array (m, pairs, k)
        log sum_{t in c} K_a K_b.
    n : int
        Training rows.

    Examples
    --------
    >>> single, joint = np.log([[[2.0], [4.0]]]), np.log([[[2.0]]])
    >>> correlations(single, joint, n=8)  # 8 * 2 / (2 * 4) - 1
    array([[1.]])
    """
    a, b = pair_places(single.shape[1])
    alone = np.logaddexp.reduce(single, axis=2)
    together = np.logaddexp.reduce(joint, axis=2)
    apart = alone[:, a] + alone[:, b]
    ratio = np.where(np.isneginf(apart), 0.0, log(n) + together - np.where(np.isneginf(apart), 0.0, apart))
    corr: Floats = np.expm1(ratio)
    return corr


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


def log_densities(log_sums: Floats, class_sizes: Integers, smoothing: float | None) -> Floats:
    """Log of the per-class density from log kernel sums, last axis the classes.

    None: (1/n_c) S_c, as in the paper. A number m: (S_c + m S/n) / (n_c + m), that is m imaginary rows of
    every class that are spread as all rows are; then no class is impossible where any row is near.

    Examples
    --------
    >>> np.exp(log_densities(np.log([3.0, 1.0]), np.array([4, 4]), None))
    array([0.75, 0.25])
    >>> np.exp(log_densities(np.array([0.0, -inf]), np.array([4, 4]), 2.0)).round(3)
    array([0.208, 0.042])
    """
    if smoothing is None:
        return np.where(class_sizes > 0, log_sums - np.log(np.maximum(class_sizes, 1)), -inf)
    pooled = np.logaddexp.reduce(log_sums, axis=-1, keepdims=True) - log(class_sizes.sum())
    smooth: Floats = np.logaddexp(log_sums, log(smoothing) + pooled) - np.log(class_sizes + smoothing)
    return smooth


@dataclass(frozen=True, eq=False)
class Joined:
    """Rows to classify, their factors per class, and which attributes are joined at each.

    Attributes
    ----------
    single : array (m, d, k)
        Log density of every attribute that stands alone; 0 where it is joined or unknown.
    joint : array (m, pairs, k)
        Log density of every joined pair; 0 where the pair is not joined.
    known : array (m, d)
        The attributes that have a say at the row.
    chosen : array (m, pairs)
        The pairs that are joined.
    correlation : array (m, pairs)
        Corr(a,b) at the row.
    """

    single: Floats
    joint: Floats
    known: Flags
    chosen: Flags
    correlation: Floats

    @property
    def log_likelihood(self) -> Floats:
        """Log of the product of all factors, (m, k)."""
        total: Floats = self.single.sum(axis=1) + self.joint.sum(axis=1)
        return total

    def in_order(self, order: Places) -> Floats:
        """Log of every factor at the place of its attribute in this order, (m, d, k).

        The factor of a pair is where the first of the two is, and the place of the second holds zero.
        """
        factors: Floats = self.single[:, order]
        turn = np.argsort(order)
        a, b = pair_places(len(order))
        rows, pairs = np.nonzero(self.chosen)
        factors[rows, np.minimum(turn[a], turn[b])[pairs]] = self.joint[rows, pairs]
        return factors


def join(
    single: Floats,
    joint: Floats | None,
    known: Flags,
    class_sizes: Integers,
    *,
    threshold: float | None,
    anticorrelation: bool,
    smoothing: float | None,
) -> Joined:
    """Join attributes at every row and turn kernel sums into factors.

    A pair is joined when Corr > threshold (|Corr| with `anticorrelation`), the strongest first, each
    attribute once. A pair of values that no training row is near to at once is never joined, and a value
    that no training row is near to is unknown.

    Parameters
    ----------
    single, joint : arrays (m, d, k) and (m, pairs, k)
        Log kernel sums per class; `joint` is None without joining.
    known : array (m, d)
        Whether the attribute is known at the row.
    """
    m, d, k = single.shape
    n = int(class_sizes.sum())
    known = known & (single > -inf).any(axis=2)
    a, b = pair_places(d)
    if joint is None or threshold is None:
        joint = np.zeros((m, len(a), k))
        corr, chosen = np.zeros((m, len(a))), np.zeros((m, len(a)), dtype=bool)
    else:
        corr = correlations(single, joint, n)
        possible = known[:, a] & known[:, b] & (joint > -inf).any(axis=2)
        strength = np.where(possible, np.abs(corr) if anticorrelation else corr, -inf)
        chosen = strongest_pairs(strength, threshold, d)
    alone = known.copy()
    rows, pairs = np.nonzero(chosen)
    alone[rows, a[pairs]] = alone[rows, b[pairs]] = False
    return Joined(
        np.where(alone[..., None], log_densities(single, class_sizes, smoothing), 0.0),
        np.where(chosen[..., None], log_densities(joint, class_sizes, smoothing), 0.0),
        known,
        chosen,
        corr,
    )


def log_sum(log_terms: Floats, axes: int | Sequence[int]) -> Floats:
    """Log of the sum of exponentials over some axes; minus infinity where there is nothing."""
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    most = log_terms.max(axis=axes, keepdims=True)
    most = np.where(np.isneginf(most), 0.0, most)
    total = np.exp(log_terms - most).sum(axis=axes, keepdims=True)
    result: Floats = (logs(total) + most).squeeze(axes)
    return result


def logs(values: NDArray[np.floating] | Integers) -> Floats:
    """Natural logs, minus infinity for zero."""
    return np.log(values, out=np.full(values.shape, -inf), where=values > 0)
