"""The searches on wide tables: every row of dependences is computed when it is needed, and forgotten.

A tree that grows needs the dependences of an attribute once, when it joins, and only on those still outside.
So each pair is computed once, memory holds one row, and the trees are those of `trees` to the last tie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from heapq import heapify, heappop, heappush
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, Tree
from pgm_nb.learning.constraints import Constraints
from pgm_nb.learning.trace import RUNNERS_UP, Candidate, Step, Trace
from pgm_nb.learning.trees import rooted

if TYPE_CHECKING:
    from pgm_nb.information import WideInformation

__all__ = ["WideSearch", "wide_cherry_tree", "wide_search", "wide_tan", "wide_trace"]

Link = tuple[int, int, float]  # an attribute, its mother, their dependence


def wide_search(information: WideInformation, constraints: Constraints) -> WideSearch:
    """Return the search of a wide table, which remembers its sweeps over all pairs."""
    if constraints.required or constraints.forbidden:
        raise StructureError(
            f"with {constraints.d:,} attributes no edge can be required or forbidden, because the matrix of "
            "all pairs does not fit; leave columns out first, or give the whole structure"
        )
    if not information.memo:
        information.memo.append(WideSearch(information))
    search: WideSearch = information.memo[0]
    return search


@dataclass
class _Grown:
    """A tree, and the best links that were not taken at each step."""

    order: list[int] = field(default_factory=list)
    mothers: dict[int, int] = field(default_factory=dict)
    dependence: dict[int, float] = field(default_factory=dict)  # of each attribute on its mother
    near: list[list[Link]] = field(default_factory=list)  # for each step after the seed


class _Pairs:
    """The best pairs of attributes by I(Y,Xi,Xj), ties by column order."""

    def __init__(self, relevance: Floats) -> None:
        self.relevance = relevance
        self.best: list[tuple[float, int, int, float]] = []  # (-I(Y,Xi,Xj), i, j, I(Xi;Xj|Y))

    def add(self, child: int, row: Floats) -> None:
        values = self.relevance[child] + self.relevance + row  # -inf where nothing is wanted
        least = -self.best[-1][0] if len(self.best) > RUNNERS_UP else -np.inf
        near = np.flatnonzero((values >= least) & (values > -np.inf))
        if len(near) > RUNNERS_UP + 1:
            bound = np.partition(values[near], -RUNNERS_UP - 1)[-RUNNERS_UP - 1]
            near = near[values[near] >= bound]
        found = [(-float(values[j]), min(child, j), max(child, j), float(row[j])) for j in near.tolist()]
        self.best = sorted(self.best + found)[: RUNNERS_UP + 1]


class WideSearch:
    """Trees over the attributes of a wide table."""

    def __init__(self, information: WideInformation) -> None:
        self.row, self.relevance = information.row, information.relevance
        self._best: _Grown | None = None
        self._pairs: _Pairs | None = None

    @property
    def d(self) -> int:
        """How many attributes there are."""
        return len(self.relevance)

    def spanning(self, seed: Sequence[int]) -> _Grown:
        """Return the maximum spanning tree, grown from these attributes."""
        pairs = _Pairs(self.relevance)
        grown = self._grow(seed, np.zeros(self.d), pairs=pairs)
        self._pairs = pairs
        if len(seed) == 1:
            self._best = grown
        return grown

    @property
    def best(self) -> _Grown:
        """The best tree of all, from any attribute."""
        return self._best or self.spanning([0])

    @property
    def pairs(self) -> _Pairs:
        """The best pairs, after a sweep over all of them."""
        if self._pairs is None:
            self.spanning([0])
        assert self._pairs is not None
        return self._pairs

    def first_pair(self) -> list[int]:
        """Return the pair with the largest I(Y,Xi,Xj), root first."""
        return [0] if self.d == 1 else rooted(list(self.pairs.best[0][1:3]), self.relevance)

    def greedy(self, length: int | None) -> _Grown:
        """GNB-A: the best first pair, then always the largest gain, up to so many attributes."""
        return self._grow(self.first_pair(), self.relevance, length=length)

    def exact(self) -> tuple[list[int], dict[int, int], dict[int, float]]:
        """Return the maximum spanning tree, read from its heaviest cherry on: order, mothers, dependence."""
        grown = self.spanning([0])
        if self.d == 1:
            return grown.order, {}, {}
        links = [(min(m, c), max(m, c), grown.dependence[c]) for c, m in grown.mothers.items()]
        weights = [self.relevance[i] + self.relevance[j] + dependence for i, j, dependence in links]
        heaviest = min(range(len(links)), key=lambda place: (-weights[place], links[place][:2]))
        near: list[list[int]] = [[] for _ in range(self.d)]
        for i, j, _ in links:
            near[i].append(j)
            near[j].append(i)
        first = rooted(list(links[heaviest][:2]), self.relevance)
        order, mothers = list(first), {first[1]: first[0]}
        waiting = [(j, i) for i in first for j in near[i] if j not in first]
        heapify(waiting)
        while waiting:
            child, mother = heappop(waiting)
            order.append(child)
            mothers[child] = mother
            for other in near[child]:
                if other != mother:
                    heappush(waiting, (other, child))
        shared = {(i, j): dependence for i, j, dependence in links}
        return order, mothers, {c: shared[min(c, m), max(c, m)] for c, m in mothers.items()}

    def steps_along(
        self, names: Sequence[str], order: Sequence[int], mothers: dict[int, int]
    ) -> tuple[Step, ...]:
        """Walk a given cherry tree in a given order, and return its steps."""
        grown = self._grow(order[:2], self.relevance, path=(order, mothers), length=len(order))
        return self.steps(names, grown, start=2, criterion="gain")

    def _grow(
        self,
        seed: Sequence[int],
        base: Floats,
        *,
        length: int | None = None,
        path: tuple[Sequence[int], dict[int, int]] | None = None,
        pairs: _Pairs | None = None,
    ) -> _Grown:
        """Grow as `trees.grow` does; each outsider keeps its best and its second best mother."""
        d, grown = self.d, _Grown()
        outside = np.ones(d, dtype=bool)
        best, second = np.full((2, d), -np.inf)
        mother, other = np.full((2, d), d, dtype=np.intp)
        for position in range(d if length is None else min(length, d)):
            if path is not None:
                child = path[0][position]
                chosen = path[1].get(child, -1)
            elif position < len(seed):
                child, chosen = seed[position], seed[0] if position else -1
            else:
                child = int(np.argmax(np.where(outside, base + best, -np.inf)))
                chosen = int(mother[child])
            outside[child] = False
            if position >= len(seed):
                grown.near.append(self._near(child, chosen, base, outside, best, mother, second, other))
            if chosen >= 0:
                grown.mothers[child] = chosen
                grown.dependence[child] = self._dependence(child, chosen, best, mother, second, other)
            grown.order.append(child)
            if not outside.any():
                break
            new = self.row(child, outside)
            if pairs is not None:
                pairs.add(child, new)
            first = (new > best) | ((new == best) & (child < mother))
            later = ~first & ((new > second) | ((new == second) & (child < other)))
            second[first], other[first] = best[first], mother[first]
            best[first], mother[first] = new[first], child
            second[later], other[later] = new[later], child
        return grown

    def _dependence(
        self,
        child: int,
        chosen: int,
        best: Floats,
        mother: Places,
        second: Floats,
        other: Places,
    ) -> float:
        for values, links in ((best, mother), (second, other)):
            if links[child] == chosen:
                return float(values[child])
        wanted = np.zeros(self.d, dtype=bool)
        wanted[child] = True
        return float(self.row(chosen, wanted)[child])

    def _near(
        self,
        child: int,
        chosen: int,
        base: Floats,
        outside: np.ndarray,
        best: Floats,
        mother: Places,
        second: Floats,
        other: Places,
    ) -> list[Link]:
        """Return the best outsiders on their best mothers, and the child on another mother."""
        score = np.where(outside, base + best, -np.inf)
        least = np.partition(score, -RUNNERS_UP)[-RUNNERS_UP] if self.d > RUNNERS_UP else -np.inf
        near = np.flatnonzero((score >= least) & (score > -np.inf))
        near = near[np.argsort(-score[near], kind="stable")][:RUNNERS_UP]
        links = [(i, int(mother[i]), float(best[i])) for i in near.tolist()]
        again = (mother, best) if mother[child] != chosen else (other, second)
        if again[1][child] > -np.inf:
            links.append((child, int(again[0][child]), float(again[1][child])))
        return links

    @cached_property
    def best_weight(self) -> float:
        """The weight of the best tree of all, in bits."""
        return self.weight(self.best)

    def weight(self, grown: _Grown) -> float:
        """Return the weight of a tree over all attributes."""
        return fsum([*self.relevance.tolist(), *grown.dependence.values()])

    def steps(self, names: Sequence[str], grown: _Grown, *, start: int, criterion: str) -> tuple[Step, ...]:
        """Return the steps of a tree that was grown or walked along, as `trace.retrace` does."""
        relevance = self.relevance

        def candidate(attribute: int, mother: int, dependence: float) -> Candidate:
            mothers = names[mother] if mother >= 0 else None
            return Candidate(names[attribute], mothers, float(relevance[attribute]), dependence)

        def pair(two: Sequence[int], dependence: float) -> Candidate:
            i, j = two
            return Candidate(names[j], names[i], float(relevance[i] + relevance[j]), dependence)

        order = grown.order
        if start == 2 and len(order) > 1:
            first = pair(order[:2], grown.dependence[order[1]])
            others = [found for found in self.pairs.best if set(found[1:3]) != set(order[:2])][:RUNNERS_UP]
            losers = [pair(rooted([i, j], relevance), dependence) for _, i, j, dependence in others]
        else:
            start = 1
            first = candidate(order[0], -1, 0.0)
            ranked = np.argsort(-relevance, kind="stable")[: RUNNERS_UP + 1].tolist()
            losers = [candidate(i, -1, 0.0) for i in ranked if i != order[0]][:RUNNERS_UP]
        steps = [Step(first, first.gain, tuple(losers))]
        for child, links in zip(order[start:], grown.near, strict=True):
            chosen = candidate(child, grown.mothers[child], grown.dependence[child])
            near = sorted((candidate(*link) for link in links), key=lambda c: -getattr(c, criterion))
            steps.append(Step(chosen, steps[-1].weight + chosen.gain, tuple(near[:RUNNERS_UP])))
        return tuple(steps)


def wide_tan(
    information: WideInformation, names: Sequence[str], target: str, constraints: Constraints
) -> tuple[Tree, Trace]:
    """Search as `tan` does, without the matrix of all pairs."""
    search = wide_search(information, constraints)
    grown = search.spanning([int(np.argmax(information.relevance))])
    graph = Tree(
        target,
        tuple(names),
        {names[child]: names[mother] for child, mother in grown.mothers.items()},
        relevance=dict(zip(names, information.relevance.tolist(), strict=True)),
        dependence={names[child]: shared for child, shared in grown.dependence.items()},
    )
    return graph, Trace("tan", partial(search.steps, names, grown, start=1, criterion="dependence"))


def wide_cherry_tree(
    algorithm: str,
    information: WideInformation,
    names: Sequence[str],
    target: str,
    max_clusters: int | None,
    constraints: Constraints,
) -> tuple[CherryTree, Trace]:
    """Search as the searches for cherry trees do, without the matrix of all pairs."""
    if algorithm == "exact" and max_clusters is not None and max_clusters + 1 < len(names):
        raise StructureError(
            f"the best {max_clusters} clusters of {len(names):,} attributes are searched in the matrix of "
            "all pairs, which does not fit; use search='greedy', or leave max_clusters out"
        )
    search = wide_search(information, constraints)
    length = None if max_clusters is None else max_clusters + 1
    if algorithm == "greedy":
        grown = search.greedy(length)
        graph = _wide_tree(search, names, target, grown.order, grown.mothers, grown.dependence)
        return graph, Trace("greedy", partial(search.steps, names, grown, start=2, criterion="gain"))
    if algorithm == "optimal":
        grown = search.spanning(search.first_pair())
        order, above, shared = grown.order, grown.mothers, grown.dependence
    else:
        order, above, shared = search.exact()
    index = {name: i for i, name in enumerate(names)}
    chain = _wide_tree(search, names, target, order, above, shared).chain()
    order = [index[name] for name in chain][:length]
    graph = _wide_tree(search, names, target, order, above, shared)
    return graph, Trace(algorithm, partial(search.steps_along, names, order, above))


def wide_trace(
    information: WideInformation, names: Sequence[str], order: Sequence[int], mothers: Places
) -> Trace:
    """Return the trace of a given tree."""
    search = wide_search(information, Constraints(len(names)))
    above = {child: int(mothers[child]) for child in order[1:]}
    return Trace("given", partial(search.steps_along, names, order, above))


def _wide_tree(
    search: WideSearch,
    names: Sequence[str],
    target: str,
    order: Sequence[int],
    mothers: Mapping[int, int],
    dependence: Mapping[int, float],
) -> CherryTree:
    return CherryTree(
        target,
        tuple(names[i] for i in order),
        {names[i]: names[mothers[i]] for i in order[1:]},
        relevance={names[i]: float(search.relevance[i]) for i in order},
        dependence={names[i]: dependence[i] for i in order[1:]},
    )
