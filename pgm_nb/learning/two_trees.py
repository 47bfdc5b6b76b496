"""The heaviest cherry tree of order 4, for few attributes: dynamic programming over sets.

Given the class such a tree is a 2-tree over the attributes: a pair, to which attributes are added one by one,
each joined to the two ends of an edge. Let g(S, R) be the most that the attributes R can add if they all come
after the pair S, on it and on what joins it. The first of them to join, c, adds I(Xc;S|Y), and the others
fall into three parts that come after the pairs S, (a, c) and (b, c):

    g(S, R) = max over c in R of I(Xc;S|Y) + h({a, b, c}, R - c)
    h({a, b, c}, R) = max over partitions of R of g((a, b), R1) + g((a, c), R2) + g((b, c), R3)

This is the recursion of Kangas, Niinimäki and Koivisto (2014) for chordal graphs of bounded width, O(4^d).
Finding the best one is NP-hard in general (Karger, Srebro 2001).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pgm_nb.arrays import Floats, Places

__all__ = ["MOST_ATTRIBUTES", "best_two_tree", "parts"]

MOST_ATTRIBUTES = 12
_TIE = 1e-12


def best_two_tree(
    relevance: Floats, dependence: Floats, triples: Floats, size: int
) -> tuple[list[tuple[int, tuple[int, ...]]], float]:
    """Find the heaviest 2-tree over `size` of the attributes.

    Parameters
    ----------
    relevance : array (d,)
        I(Xi;Y).
    dependence : array (d, d)
        I(Xi;Xj|Y).
    triples : array (d, d, d)
        I(Xi;Xa,Xb|Y) at [i, a, b].
    size : int
        How many attributes the tree shall have, two at least.

    Returns
    -------
    list of (int, tuple of int)
        Each attribute with its mothers, in an order in which they can join.
    float
        The weight.

    Examples
    --------
    >>> dependence = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]])
    >>> triples = np.zeros((3, 3, 3))
    >>> triples[2, 0, 1] = triples[2, 1, 0] = 0.5
    >>> best_two_tree(np.zeros(3), dependence, triples, 3)
    ([(0, ()), (1, (0,)), (2, (0, 1))], 1.5)
    """
    search = _Search(dependence, triples)
    rest = search.after()
    masks = np.arange(1 << search.d)
    bits = np.array([mask.bit_count() for mask in range(1 << search.d)])
    weighs = np.array([relevance[[i for i in range(search.d) if mask >> i & 1]].sum() for mask in masks])
    best, most = (0, 0), -np.inf
    for number, (a, b) in enumerate(search.pairs):
        pair = (1 << a) | (1 << b)
        free = (masks & pair == 0) & (bits == size - 2)
        total = np.where(free, weighs[masks | pair] + dependence[a, b] + rest[number], -np.inf)
        place = int(total.argmax())
        if total[place] > most + _TIE:
            best, most = (number, place), float(total[place])
    number, mask = best
    a, b = search.pairs[number]
    return [(a, ()), (b, (a,)), *search.read(number, mask)], most


class _Search:
    """The tables g and h over pairs, triples and sets, and how the best tree is read from them."""

    def __init__(self, dependence: Floats, triples: Floats) -> None:
        self.d = len(dependence)
        self.triples = triples
        self.pairs = list(combinations(range(self.d), 2))
        self.number = {pair: i for i, pair in enumerate(self.pairs)}
        self.threes = list(combinations(range(self.d), 3))
        self.three = {(a, b, c): i for i, t in enumerate(self.threes) for a, b, c in permutations(t)}
        # of each triple (a, b, c) the pairs (a, b), (a, c), (b, c)
        self.sides = np.array([[self.number[p] for p in combinations(t, 2)] for t in self.threes], dtype=int)
        self.held = np.array([sum(1 << i for i in t) for t in self.threes], dtype=int)
        full = 1 << self.d
        self.g = np.full((len(self.pairs), full), -np.inf)
        self.g[:, 0] = 0.0
        self.two = np.full((len(self.threes), full), -np.inf)  # the best parts after (a, c) and (b, c)
        self.h = np.full((len(self.threes), full), -np.inf)

    def after(self) -> Floats:
        """Fill the tables set by set, and return g, (pairs, sets)."""
        for mask in sorted(range(1 << self.d), key=int.bit_count):
            if mask:
                self._fill_pairs(mask)
            self._fill_threes(mask)
        return self.g

    def _fill_pairs(self, mask: int) -> None:
        """Set g(S, mask) for every pair outside the set, from h of smaller sets."""
        for number, (a, b) in enumerate(self.pairs):
            if mask & (1 << a | 1 << b):
                continue
            self.g[number, mask] = max(value for value, _ in self._first(number, mask))

    def _first(self, number: int, mask: int) -> Iterator[tuple[float, int]]:
        """Return what the set can add after a pair if this one of its attributes joins first."""
        a, b = self.pairs[number]
        for c in range(self.d):
            if mask >> c & 1:
                three = self.three[a, b, c]
                yield float(self.triples[c, a, b] + self.h[three, mask & ~(1 << c)]), c

    def _fill_threes(self, mask: int) -> None:
        """Set h(C, mask) for every triple outside the set, from g of this set and its parts."""
        rows = np.flatnonzero(self.held & mask == 0)
        if not len(rows):
            return
        some = parts(mask)
        first, second, third = self.sides[rows].T
        rest = mask ^ some
        self.two[rows, mask] = (self.g[second][:, some] + self.g[third][:, rest]).max(axis=1)
        self.h[rows, mask] = (self.g[first][:, some] + self.two[rows][:, rest]).max(axis=1)

    def read(self, number: int, mask: int) -> list[tuple[int, tuple[int, ...]]]:
        """Return the attributes of a set, with their mothers, as they best join after a pair."""
        if not mask:
            return []
        a, b = self.pairs[number]
        _, c = max(self._first(number, mask), key=lambda found: (found[0], -found[1]))
        three, left = self.three[a, b, c], mask & ~(1 << c)
        first, second, third = self.sides[three]
        some = parts(left)
        one = int(some[(self.g[first, some] + self.two[three, left ^ some]).argmax()])
        other = left ^ one
        some = parts(other)
        two = int(some[(self.g[second, some] + self.g[third, other ^ some]).argmax()])
        found = [(c, (a, b)), *self.read(int(first), one), *self.read(int(second), two)]
        return [*found, *self.read(int(third), other ^ two)]


def parts(mask: int) -> Places:
    """Return all subsets of a set, itself and nothing included."""
    found = np.zeros(1, dtype=np.intp)
    for bit in range(mask.bit_length()):
        if mask >> bit & 1:
            found = np.concatenate([found, found | (1 << bit)])
    return found
