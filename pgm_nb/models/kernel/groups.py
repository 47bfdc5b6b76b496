"""Which attributes are joined at a row: pairs, or groups of more than two.

Arrays: m rows to classify, d attributes, k classes, and the d(d-1)/2 pairs in the order of `pair_places`. The
groups of a row are written as the first attribute of the group that each attribute is in, (m, d).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np

from pgm_nb.arrays import Flags, Floats, Ints, Places

__all__ = [
    "Flags",
    "Ints",
    "LogKernel",
    "groups_of",
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
