"""The joint entropy H(X, Y): the entropy of the distinct rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pgm_nb.information.fixed import FixedPoint

__all__ = ["joint_entropy"]

_ROWS = 2**14  # rows packed at a time: their words stay in the cache

Words = NDArray[np.uint64]


def joint_entropy(codes: NDArray[np.unsignedinteger], y: NDArray[np.integer], cards: Sequence[int]) -> float:
    """Return the entropy of the distinct rows, the class included, in bits.

    The columns are packed into 64-bit numbers (mixed radix: exact, nothing is hashed), as many at a time as
    fit. Only rows that agree so far go on to the next columns: a row that is alone adds 1 log2 1 = 0.

    Parameters
    ----------
    codes : array of shape (d, n)
        The states of each attribute.
    y : array of shape (n,)
        The classes.
    cards : sequence of int
        The number of states of each attribute.

    Examples
    --------
    >>> import numpy as np
    >>> joint_entropy(np.array([[0, 0, 1, 1]], dtype=np.uint8), np.array([0, 0, 0, 1]), (2,))
    1.5
    """
    fixed = FixedPoint(len(y))
    group, n_groups = np.asarray(y, dtype=np.uint64), int(np.max(y)) + 1
    rows: NDArray[np.intp] | None = None  # None: all of them
    first = 0
    while True:
        last, capacity = first, n_groups
        while last < len(cards) and capacity * cards[last] <= 2**64:
            capacity *= cards[last]
            last += 1
        words = _pack(group, codes[first:last], cards[first:last], rows)
        first = last
        if first == len(cards):
            words.sort()
            return float(fixed.bits(fixed.whole - fixed.terms(_run_lengths(words)).sum()))
        order = np.argsort(words)
        lengths = _run_lengths(words[order])
        repeated = lengths > 1
        if not repeated.any():
            return float(fixed.bits(np.int64(fixed.whole)))
        order = order[np.repeat(repeated, lengths)]
        rows = order if rows is None else rows[order]
        n_groups = int(repeated.sum())
        group = np.repeat(np.arange(n_groups, dtype=np.uint64), lengths[repeated])


def _pack(
    group: Words, codes: NDArray[np.unsignedinteger], cards: Sequence[int], rows: NDArray[np.intp] | None
) -> Words:
    """Return a number per row that tells the group and the states of the columns apart."""
    words = group.copy()
    for start in range(0, len(words), _ROWS):
        block = words[start : start + _ROWS]
        chosen = slice(start, start + _ROWS) if rows is None else rows[start : start + _ROWS]
        for column, card in zip(codes, cards, strict=True):
            block *= np.uint64(card)
            block += column[chosen]
    return words


def _run_lengths(ordered: Words) -> NDArray[np.int64]:
    """Return how often each value of an ordered array occurs."""
    ends = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.diff(np.concatenate(([0], ends, [len(ordered)])))
