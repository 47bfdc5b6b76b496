"""What an attribute shares with a set of others given the class: I(Xi;S|Y), in bits.

With L(t) the sum of n log2 n over the cells of a table t, and N rows:

    I(Xi;S|Y) = (L(y) - L(y,xi) - L(y,S) + L(y,S,xi)) / N

Such an information is never negative and never smaller than that of a part of S. It is counted when it is
asked for, so that a search over sets counts only the tables that it looks at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pgm_nb.arrays import Codes, Floats, Ints
from pgm_nb.counts.sets import Contexts, contexts, tables_with
from pgm_nb.information.sums import FixedPoint

__all__ = ["Interactions", "SetInformation", "Shared"]


class Shared(NamedTuple):
    """What some attributes share with a set given the class.

    Examples
    --------
    >>> Shared(np.array([0.5]), np.array([4])).freedom
    array([4])
    """

    bits: Floats  #: I(Xi;S|Y) of each
    freedom: Ints  #: degrees of freedom: sum over the classes of (combinations of the set - 1)(states - 1)


class SetInformation:
    """Informations between attributes and sets of attributes of a coded table.

    Parameters
    ----------
    codes : array (d, n)
        The states of each attribute.
    y : array (n,)
        The classes.
    cards : sequence of int
        The number of states of each attribute.
    n_classes : int
        The number of classes.
    pairs : array (d, d), optional
        I(Xi;Xj|Y) of all pairs, where they have been counted already: they are not counted again.

    Examples
    --------
    >>> a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> table = SetInformation(np.array([a, b, a ^ b], dtype=np.uint8), np.zeros(4, dtype=int), (2, 2, 2), 1)
    >>> table.shared([0], [1, 2]).bits.tolist(), table.shared([0, 1], [2]).bits.tolist()
    ([0.0, 0.0], [1.0])
    """

    def __init__(
        self, codes: Codes, y: Ints, cards: Sequence[int], n_classes: int, pairs: Floats | None = None
    ) -> None:
        self.pairs = pairs
        self.codes = np.ascontiguousarray(codes, dtype=np.uint16)  # as the compiled kernel reads them
        self.y, self.cards, self.n_classes = y, tuple(cards), n_classes
        self.fixed = FixedPoint(len(y))
        self.terms = self.fixed.table()
        alone = contexts(codes, y, self.cards, n_classes, [])
        tables = tables_with(alone, self.codes, self.cards, range(len(self.cards)))
        self._own = np.array([self._sum(table) for table in tables])
        self._states = np.array([(table > 0).sum(axis=1) for table in tables])  # (d, k)
        self._classes = self._sum(np.bincount(y, minlength=n_classes))

    def shared(self, given: Sequence[int], columns: Sequence[int]) -> Shared:
        """Return I(Xi;S|Y) of some columns with the set `given`."""
        if not len(columns):
            bits = np.zeros(0)
        elif len(given) == 1 and self.pairs is not None:
            bits = self.pairs[given[0], list(columns)]
        else:
            found: Contexts = contexts(self.codes, self.y, self.cards, self.n_classes, given)
            tables = tables_with(found, self.codes, self.cards, columns)
            context = self._sum(tables[0].sum(axis=1))
            both = np.array([self._sum(table) for table in tables])
            bits = self.fixed.bits(self._classes - self._own[list(columns)] - context + both)
        possible = self._states[list(given)].prod(axis=0)  # in each class, whether they occur or not
        freedom = (np.maximum(possible - 1, 0) * np.maximum(self._states[list(columns)] - 1, 0)).sum(axis=1)
        return Shared(bits, freedom)

    def _sum(self, table: Ints) -> np.int64:
        total: np.int64 = self.terms[table].sum()
        return total


class Interactions:
    """What an attribute and a set say about the class together, beyond each by itself: I(Xi;S|Y) - I(Xi;S).

    Parameters
    ----------
    table : SetInformation
        The rows.

    Examples
    --------
    >>> a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> rows = SetInformation(np.array([a, b, a], dtype=np.uint8), a ^ b, (2, 2, 2), 2)
    >>> Interactions(rows).shared([0], [1, 2]).bits.tolist()  # the third repeats the first
    [1.0, 0.0]
    """

    def __init__(self, table: SetInformation) -> None:
        self.given_class = table
        nobody = np.zeros_like(table.y)
        self.without_class = SetInformation(table.codes, nobody, table.cards, 1)
        self.more_classes = len(np.unique(table.y)) - 1

    def shared(self, given: Sequence[int], columns: Sequence[int]) -> Shared:
        """Return the interactions of some columns with the set `given`, and their degrees of freedom."""
        with_class = self.given_class.shared(given, columns)
        alone = self.without_class.shared(given, columns)
        return Shared(with_class.bits - alone.bits, alone.freedom * self.more_classes)
