"""The heaviest cherry tree of order 4, for few attributes: dynamic programming over sets.

Given the class such a tree is a 2-tree over the attributes: a pair, to which attributes are added one by one,
each joined to the two ends of an edge. Let g(S, R) be the most that the attributes R can add if they all come
after the pair S, on it and on what joins it. The first of them to join, c, adds I(Xc;S|Y), and the others
fall into three parts that come after the pairs S, (a, c) and (b, c):

    g(S, R) = max over c in R of I(Xc;S|Y) + h({a, b, c}, R - c)
    h({a, b, c}, R) = max over partitions of R of g((a, b), R1) + g((a, c), R2) + g((b, c), R3)

This is the recursion of Kangas, Niinimäki and Koivisto (2014) for chordal graphs of bounded width, O(4^d).
Finding the best one is NP-hard in general (Karger, Srebro 2001).

Where links are forbidden, an attribute may have to join one of the two alone. Then it is not linked with the
other, and no attribute can join these two together later. So g and h are kept for pairs that are linked and
for pairs that are not:

    g(S, linked, R) = max over c in R and its mothers M in S of I(Xc;M|Y) + h({a, b, c}, links, R - c)

M is the pair only where it is linked. Every connected chordal graph whose clusters hold up to three
attributes grows in this way. A required link brings more than all information together, so it is there if it
can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pgm_nb.arrays import Flags, Floats, Places

__all__ = ["MOST_ATTRIBUTES", "best_two_tree"]

MOST_ATTRIBUTES = 12
Joined = list[tuple[int, tuple[int, ...]]]
Links = tuple[int, int, int]  # of a triple (a, b, c): whether (a, b), (a, c), (b, c) are linked


class _Way(NamedTuple):
    """How an attribute joins a pair."""

    worth: float
    three: int  #: the triple it makes
    links: Links
    mothers: tuple[int, ...]


def best_two_tree(
    relevance: Floats,
    dependence: Floats,
    triples: Floats,
    size: int,
    required: Flags | None = None,
    forbidden: Flags | None = None,
) -> Joined:
    """Find the heaviest tree over `size` of the attributes with no forbidden and the most required links.

    Parameters
    ----------
    relevance : array (d,)
        I(Xi;Y).
    dependence : array (d, d)
        I(Xi;Xj|Y).
    triples : array (d, d, d)
        I(Xi;Xa,Xb|Y) at [i, a, b]; never less than I(Xi;Xa|Y).
    size : int
        How many attributes the tree has, at least two.
    required, forbidden : arrays of bool (d, d), optional
        Symmetric.

    Returns
    -------
    list of (int, tuple of int)
        Each attribute with its mothers, in an order in which they can join.

    Examples
    --------
    >>> dependence = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]])
    >>> triples = np.zeros((3, 3, 3))
    >>> triples[2, 0, 1] = triples[2, 1, 0] = 0.5
    >>> best_two_tree(np.zeros(3), dependence, triples, 3)
    [(0, ()), (1, (0,)), (2, (0, 1))]
    >>> no = np.zeros((3, 3), dtype=bool)
    >>> barred = no.copy()
    >>> barred[0, 1] = barred[1, 0] = True
    >>> best_two_tree(np.zeros(3), np.ones((3, 3)) - np.eye(3), np.ones((3, 3, 3)), 3, no, barred)
    [(0, ()), (2, (0,)), (1, (2,))]
    """
    nothing = np.zeros(dependence.shape, dtype=bool)
    required, forbidden = (nothing if links is None else links for links in (required, forbidden))
    search = _Search(dependence, triples, required, forbidden, 1 + float(relevance.sum()))
    search.fill()
    masks = np.arange(1 << search.d)
    bits = np.array([mask.bit_count() for mask in range(1 << search.d)])
    weighs = np.array([relevance[[i for i in range(search.d) if mask >> i & 1]].sum() for mask in masks])
    best, most = (0, 0), -np.inf
    for number, (a, b) in enumerate(search.pairs):
        if forbidden[a, b]:
            continue
        pair = (1 << a) | (1 << b)
        free = (masks & pair == 0) & (bits == size - 2)
        total = np.where(free, weighs[masks | pair] + search.single[a, b] + search.g[1, number], -np.inf)
        place = int(total.argmax())
        if total[place] > most + search.tie:
            best, most = (number, place), float(total[place])
    number, mask = best
    a, b = search.pairs[number]
    return [(a, ()), (b, (a,)), *search.read(1, number, mask)]


class _Search:
    """The tables g and h over pairs, triples, their links and sets."""

    def __init__(
        self, dependence: Floats, triples: Floats, required: Flags, forbidden: Flags, relevant: float
    ) -> None:
        self.d = len(dependence)
        self.forbidden = forbidden
        bonus = required * (relevant + self.d * float(max(triples.max(), dependence.max())))
        self.tie = 1e-12 * max(1.0, float(bonus.max()))
        self.single = dependence + bonus  # of a child and its only mother
        self.both = triples + bonus[:, :, None] + bonus[:, None, :]
        self.pairs = list(combinations(range(self.d), 2))
        number = {pair: i for i, pair in enumerate(self.pairs)}
        self.threes = list(combinations(range(self.d), 3))
        self.three = {(a, b, c): i for i, t in enumerate(self.threes) for a, b, c in permutations(t)}
        self.sides = np.array([[number[p] for p in combinations(t, 2)] for t in self.threes], dtype=int)
        self.held = np.array([sum(1 << i for i in t) for t in self.threes], dtype=int)
        full = 1 << self.d
        states = (0, 1) if forbidden.any() else (1,)  # every pair of a triple is linked if none is forbidden
        self.g = np.full((2, len(self.pairs), full), -np.inf)
        self.g[:, :, 0] = 0.0
        self.two = {links: np.full((len(self.threes), full), -np.inf) for links in product(states, repeat=2)}
        self.h = {
            (a, b, c): np.full((len(self.threes), full), -np.inf)
            for a, b, c in product(states, repeat=3)
            if a or b or c
        }
        self.ways = {
            (linked, place): [(c, way) for c in range(self.d) for way in self._ways(linked, place, c)]
            for linked in states
            for place in range(len(self.pairs))
        }

    def fill(self) -> None:
        """Fill the tables, the sets with few attributes first."""
        masks = np.arange(1 << self.d)
        bits = np.array([mask.bit_count() for mask in range(1 << self.d)])
        for size in range(self.d + 1):
            level = masks[bits == size]
            if size:
                for linked, number in self.ways:
                    self._fill_pair(linked, number, level)
            for mask in level.tolist():
                self._fill_threes(mask)

    def _fill_pair(self, linked: int, number: int, level: Places) -> None:
        """Set g of one pair for all sets of a size, from h of smaller ones."""
        a, b = self.pairs[number]
        outside = level[level & (1 << a | 1 << b) == 0]
        best = np.full(len(outside), -np.inf)
        for c, way in self.ways[linked, number]:
            inside = np.flatnonzero(outside >> c & 1)
            values = way.worth + self.h[way.links][way.three, outside[inside] ^ (1 << c)]
            best[inside] = np.maximum(best[inside], values)
        self.g[linked, number, outside] = best

    def _first(self, linked: int, number: int, mask: int) -> Iterator[tuple[float, int, _Way]]:
        """Return what the set can add after a pair if this one of its attributes joins first, in this way."""
        for c, way in self.ways[linked, number]:
            if mask >> c & 1:
                yield float(way.worth + self.h[way.links][way.three, mask & ~(1 << c)]), c, way

    def _ways(self, linked: int, number: int, c: int) -> Iterator[_Way]:
        """Return how an attribute can join a pair: with both, if these are linked, or with one."""
        a, b = self.pairs[number]
        if c in (a, b):
            return
        three = self.three[a, b, c]
        free = [m for m in (a, b) if not self.forbidden[c, m]]
        if linked and len(free) == 2:
            yield _Way(float(self.both[c, a, b]), three, (1, 1, 1), (a, b))
        for mother in free if (0, 0) in self.two else ():
            links = {frozenset((a, b)): linked, frozenset((c, mother)): 1}
            sides = [links.get(frozenset(side), 0) for side in combinations(self.threes[three], 2)]
            yield _Way(float(self.single[c, mother]), three, (sides[0], sides[1], sides[2]), (mother,))

    def _fill_threes(self, mask: int) -> None:
        """Set h for every triple outside the set and all its links, from g of this set and its parts."""
        rows = np.flatnonzero(self.held & mask == 0)
        if not len(rows):
            return
        some = _subsets(mask)
        rest = mask ^ some
        first, second, third = self.sides[rows].T
        for one, other in self.two:
            sums = self.g[one, second][:, some] + self.g[other, third][:, rest]
            self.two[one, other][rows, mask] = sums.max(axis=1)
        for links, found in self.h.items():
            sums = self.g[links[0], first][:, some] + self.two[links[1:]][rows][:, rest]
            found[rows, mask] = sums.max(axis=1)

    def read(self, linked: int, number: int, mask: int) -> Joined:
        """Return the attributes of a set, with their mothers, as they best join after a pair."""
        if not mask:
            return []
        _, c, way = max(self._first(linked, number, mask), key=lambda found: (found[0], -found[1]))
        left = mask & ~(1 << c)
        first, second, third = self.sides[way.three]
        some = _subsets(left)
        sums = self.g[way.links[0], first, some] + self.two[way.links[1:]][way.three, left ^ some]
        one = int(some[sums.argmax()])
        other = left ^ one
        some = _subsets(other)
        sums = self.g[way.links[1], second, some] + self.g[way.links[2], third, other ^ some]
        two = int(some[sums.argmax()])
        found = [(c, way.mothers), *self.read(way.links[0], int(first), one)]
        found += self.read(way.links[1], int(second), two)
        return [*found, *self.read(way.links[2], int(third), other ^ two)]


def _subsets(mask: int) -> Places:
    """Return all subsets of a set, the empty one and the set itself included."""
    found = np.zeros(1, dtype=np.intp)
    for bit in range(mask.bit_length()):
        if mask >> bit & 1:
            found = np.concatenate([found, found | (1 << bit)])
    return found
