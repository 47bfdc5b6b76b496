"""The heaviest cherry tree of order 4 that has some links and lacks others: dynamic programming over sets.

As in `two_trees`, attributes join a pair one by one. Where links are forbidden, an attribute may have to join
one of the two alone. Then it is not linked with the other, and no attribute can join these two together
later. So every pair is looked at twice, linked and not linked:

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

from pgm_nb.learning.two_trees import parts

if TYPE_CHECKING:
    from pgm_nb.arrays import Flags, Floats, Places

__all__ = ["best_wished_tree"]

Joined = list[tuple[int, tuple[int, ...]]]
Links = tuple[int, int, int]  # of a triple (a, b, c): whether (a, b), (a, c), (b, c) are linked
LINKS: tuple[Links, ...] = tuple((a, b, c) for a, b, c in product((0, 1), repeat=3) if a or b or c)


class _Way(NamedTuple):
    """How an attribute joins a pair."""

    worth: float
    three: int  #: the triple it makes
    links: Links
    mothers: tuple[int, ...]


def best_wished_tree(
    relevance: Floats, dependence: Floats, triples: Floats, size: int, required: Flags, forbidden: Flags
) -> Joined:
    """Find the heaviest tree over `size` of the attributes with no forbidden and most required links.

    Parameters
    ----------
    relevance, dependence, triples, size
        As in `best_two_tree`.
    required, forbidden : arrays of bool (d, d)
        Symmetric.

    Returns
    -------
    list of (int, tuple of int)
        Each attribute with its mothers, in an order in which they can join.

    Examples
    --------
    >>> no = np.zeros((3, 3), dtype=bool)
    >>> barred = no.copy()
    >>> barred[0, 1] = barred[1, 0] = True
    >>> best_wished_tree(np.zeros(3), np.ones((3, 3)) - np.eye(3), np.ones((3, 3, 3)), 3, no, barred)
    [(0, ()), (2, (0,)), (1, (2,))]
    """
    search = _Wished(dependence, triples, required, forbidden, 1 + float(relevance.sum()))
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


class _Wished:
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
        self.g = np.full((2, len(self.pairs), full), -np.inf)
        self.g[:, :, 0] = 0.0
        self.two = {links: np.full((len(self.threes), full), -np.inf) for links in product((0, 1), repeat=2)}
        self.h = {links: np.full((len(self.threes), full), -np.inf) for links in LINKS}
        self.ways = {
            (linked, place): [(c, way) for c in range(self.d) for way in self._ways(linked, place, c)]
            for linked in (0, 1)
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
        for mother in free:
            links = {frozenset((a, b)): linked, frozenset((c, mother)): 1}
            sides = [links.get(frozenset(side), 0) for side in combinations(self.threes[three], 2)]
            yield _Way(float(self.single[c, mother]), three, (sides[0], sides[1], sides[2]), (mother,))

    def _fill_threes(self, mask: int) -> None:
        """Set h for every triple outside the set and all its links, from g of this set and its parts."""
        rows = np.flatnonzero(self.held & mask == 0)
        if not len(rows):
            return
        some = parts(mask)
        rest = mask ^ some
        first, second, third = self.sides[rows].T
        for one, other in self.two:
            sums = self.g[one, second][:, some] + self.g[other, third][:, rest]
            self.two[one, other][rows, mask] = sums.max(axis=1)
        for links in LINKS:
            sums = self.g[links[0], first][:, some] + self.two[links[1:]][rows][:, rest]
            self.h[links][rows, mask] = sums.max(axis=1)

    def read(self, linked: int, number: int, mask: int) -> Joined:
        """Return the attributes of a set, with their mothers, as they best join after a pair."""
        if not mask:
            return []
        _, c, way = max(self._first(linked, number, mask), key=lambda found: (found[0], -found[1]))
        left = mask & ~(1 << c)
        first, second, third = self.sides[way.three]
        some = parts(left)
        sums = self.g[way.links[0], first, some] + self.two[way.links[1:]][way.three, left ^ some]
        one = int(some[sums.argmax()])
        other = left ^ one
        some = parts(other)
        sums = self.g[way.links[1], second, some] + self.g[way.links[2], third, other ^ some]
        two = int(some[sums.argmax()])
        found = [(c, way.mothers), *self.read(way.links[0], int(first), one)]
        found += self.read(way.links[1], int(second), two)
        return [*found, *self.read(way.links[2], int(third), other ^ two)]
