"""The counts n(y) and n(y, xi) alone: all that naive Bayes needs, in time that grows with d, not d^2."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pgm_nb.counts.counting import checked_block, checked_layout
from pgm_nb.counts.table import Layout, count_dtype

__all__ = ["Singles", "count_singles"]

Integers = NDArray[np.integer]
_CELLS = 1 << 16  # cells counted at once while columns are short: the numbers stay in cache


@dataclass(frozen=True, eq=False)
class Singles:
    """n(y) and n(y, xi) of every attribute: integer, immutable.

    Parameters
    ----------
    layout : Layout
        The numbers of states and classes, and so the places of the tables.
    n_rows : int
        The number of rows counted.
    y : array of shape (k,)
        n(y).
    singles : array of shape (k * sum v_i,)
        The tables n(y, xi), each (k, v_i) in C order, one after the other.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1], [0, 0, 2]], dtype=np.uint8)
    >>> count_singles(codes, [0, 1, 1], cards=(2, 3), n_classes=2).single(1)
    array([[1, 0, 0],
           [1, 0, 1]], dtype=int32)
    """

    layout: Layout
    n_rows: int
    y: Integers
    singles: Integers

    @property
    def cards(self) -> tuple[int, ...]:
        """The number of states of each attribute."""
        return self.layout.cards

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.layout.n_classes

    def single(self, i: int) -> Integers:
        """Return n(y, xi) as an array of shape (k, v_i)."""
        states, k = self.layout.first_states, self.n_classes
        return self.singles[k * states[i] : k * states[i + 1]].reshape(k, self.cards[i])


def count_singles(codes: ArrayLike, y: ArrayLike, cards: Sequence[int], n_classes: int) -> Singles:
    """Count n(y) and n(y, xi), as `count` does, without the pairs.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1], [0, 0, 2]], dtype=np.uint8)
    >>> count_singles(codes, [0, 1, 1], cards=(2, 3), n_classes=2).y
    array([1, 2], dtype=int32)
    """
    layout = checked_layout(cards, n_classes)
    states, classes = checked_block(codes, y, layout)
    n = len(classes)
    starts = n_classes * layout.states()
    singles = np.zeros(starts[-1], dtype=count_dtype(n))
    widths = np.asarray(layout.cards, dtype=np.int64)
    at_once = max(1, _CELLS // n)
    for first in range(0, len(widths), at_once):
        last = min(first + at_once, len(widths))
        cell = states[first:last].astype(np.int64)
        cell += classes * widths[first:last, None] if last - first > 1 else classes * widths[first]
        cell += (starts[first:last] - starts[first])[:, None]
        size = starts[last] - starts[first]
        singles[starts[first] : starts[last]] = np.bincount(cell.ravel(), minlength=size)
    return Singles(layout, n, np.bincount(classes, minlength=n_classes).astype(singles.dtype), singles)
