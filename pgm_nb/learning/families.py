"""Cherry trees of higher order: every attribute joins a set of others that are all in one cluster.

An attribute Xi that joins the set S, at most `order` - 2 attributes of one cluster, makes the cluster
(Y, S, Xi) and adds I(Xi;Y) + I(Xi;S|Y) to the weight. With order 3 the sets are single mothers: the tree of
generalized naive Bayes. The graph stays chordal, so clusters and separators form a junction tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.learning.constraints import Constraints, completions
from pgm_nb.learning.trace import RUNNERS_UP, Candidate, Step
from pgm_nb.learning.trees import rooted

if TYPE_CHECKING:
    from pgm_nb.information import Information
    from pgm_nb.information.sets import Interactions, SetInformation

__all__ = ["PRICE", "Grown", "family_candidate", "grow_families", "price_of"]

PRICE = 1.0  # times half the degrees of freedom, in nats: what further mothers cost

Set = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Grown:
    """A cherry tree of some order, as columns.

    Attributes
    ----------
    order : tuple of int
        The attributes in the order they joined.
    mothers : dict of int to tuple of int
        The set that each attribute joined, the one it shares most with first; empty for the first.
    dependence : dict of int to float
        I(Xi;S|Y) in bits.
    steps : tuple of Step
        What was chosen, and the runners-up.
    """

    order: tuple[int, ...]
    mothers: Mapping[int, Set]
    dependence: Mapping[int, float]
    steps: tuple[Step, ...]


def price_of(freedom: np.ndarray, n_rows: float, price: float = PRICE) -> np.ndarray:
    """Return what tables with so many degrees of freedom cost, in bits.

    Plug-in information exceeds the truth by half the degrees of freedom over the number of rows, in nats
    (Miller, Madow), so a column with many states seems to share much with any other.

    Examples
    --------
    >>> price_of(np.array([200]), 1000, price=1.0).round(3)
    array([0.144])
    """
    cost: np.ndarray = price * freedom / (2 * n_rows * np.log(2))
    return cost


def grow_families(
    information: Information,
    table: SetInformation | Interactions,
    names: Sequence[str],
    most: int,
    size: int,
    price: float = PRICE,
    *,
    first_is_free: bool = True,
    constraints: Constraints | None = None,
) -> Grown:
    """Grow a cherry tree from GNB-A's first pair: always the attribute and the set that add most.

    Parameters
    ----------
    information : Information
        Relevance and dependence in bits.
    table : SetInformation
        Counts larger sets when they are looked at.
    names : sequence of str
        Attribute names in column order.
    most : int
        How many attributes a set may have: the order less 2.
    size : int
        How many attributes the tree shall have.
    price : float
        What further mothers cost, times half the degrees of freedom that they add to the table of the first:
        candidates are compared by what they add less this. So with few rows the tree is that of order 3.
    first_is_free : bool
        Whether the first mother costs nothing, as in a tree; else every set is priced whole.
    constraints : Constraints, optional
        Attributes that must be joined, and those that must not. A group of required edges is finished before
        any other attribute joins, each by a set that holds those it is required with, and the one with most
        of them first: so there always is such a set. Where a link across a circle of required edges is free
        (`completions`), all ways are tried, and the heaviest tree is kept.
    """
    ways = (None,) if constraints is None else completions(constraints, most)
    found = [_Growing(information, table, names, most, price, first_is_free, way).run(size) for way in ways]
    return max(found, key=lambda grown: grown.steps[-1].weight)


class _Growing:
    """A search: for every outsider, the sets that it could join and what that would add."""

    def __init__(
        self,
        information: Information,
        table: SetInformation | Interactions,
        names: Sequence[str],
        most: int,
        price: float,
        first_is_free: bool,
        constraints: Constraints | None,
    ) -> None:
        self.info, self.table, self.names, self.most, self.price = information, table, names, most, price
        self.first_is_free = first_is_free
        self.d = len(information.relevance)
        self.constraints = Constraints(self.d) if constraints is None else constraints
        self.needed = _partners(self.constraints.required, self.d)
        self.barred = _partners(self.constraints.forbidden, self.d)
        self.order: list[int] = []
        self.mothers: dict[int, Set] = {}
        self.dependence: dict[int, float] = {}
        self.best: list[list[tuple[float, Set, float]]] = [[] for _ in range(self.d)]  # score, set, shared
        self.steps: list[Step] = []
        self.freedom = np.zeros((self.d, self.d), dtype=np.int64)  # of each attribute with each single mother

    def run(self, size: int) -> Grown:
        relevance = self.info.relevance
        if self.d == 1:
            self._join(0, (), 0.0)
            self.steps.append(Step(self.candidate(0, (), 0.0), float(relevance[0]), ()))
        else:
            self._first_pair()
        while len(self.order) < size:
            can_join = [i for i in range(self.d) if i not in self.mothers and self.best[i]]
            met = {i: len(self.needed[i].intersection(self.mothers)) for i in can_join}
            most = max(met.values())
            awaited = [i for i in can_join if met[i] == most] if most else []
            ranked = sorted(awaited or can_join, key=lambda i: -(relevance[i] + self.best[i][0][0]))
            child = ranked[0]
            _, given, shared = self.best[child][0]
            near = [(i, *self.best[i][0]) for i in ranked[1 : RUNNERS_UP + 1]]
            near += [(child, *second) for second in self.best[child][1:2]]
            near.sort(key=lambda found: -(relevance[found[0]] + found[1]))
            losers = tuple(self.candidate(i, s, bits) for i, _, s, bits in near[:RUNNERS_UP])
            chosen = self.candidate(child, given, shared)
            self.steps.append(Step(chosen, self.steps[-1].weight + chosen.gain, losers))
            self._join(child, given, shared)
        return Grown(tuple(self.order), self.mothers, self.dependence, tuple(self.steps))

    def candidate(self, child: int, given: Set, shared: float) -> Candidate:
        """Return an attribute with its mothers and what it would add."""
        return family_candidate(self.names, float(self.info.relevance[child]), child, given, shared)

    def _first_pair(self) -> None:
        relevance, dependence = self.info.relevance, self.info.dependence
        rows, columns = np.triu_indices(self.d, 1)
        worth = relevance[rows] + relevance[columns] + self.constraints.admissible(dependence)[rows, columns]
        ranked = [p for p in np.argsort(-worth, kind="stable")[: RUNNERS_UP + 1] if worth[p] > -np.inf]
        pairs = [rooted([int(rows[p]), int(columns[p])], relevance) for p in ranked]
        found = [
            Candidate(
                self.names[j], self.names[i], float(relevance[i] + relevance[j]), float(dependence[i, j])
            )
            for i, j in pairs
        ]
        self.steps.append(Step(found[0], found[0].gain, tuple(found[1:])))
        first, second = pairs[0]
        self._join(first, (), 0.0)
        self._join(second, (first,), float(dependence[first, second]))

    def _join(self, child: int, given: Set, shared: float) -> None:
        """Put an attribute into the tree, and let the outsiders look at the sets that came with it."""
        self.order.append(child)
        self.mothers[child] = given
        if given:
            self.dependence[child] = shared
        outside = [i for i in range(self.d) if i not in self.mothers]
        for i in self.needed[child].intersection(outside):
            self.best[i].clear()  # no set without her will do
        for further in range(self.most):
            for part in combinations(given, further):
                self._look(tuple(sorted((child, *part))), outside)

    def _look(self, given: Set, outside: Sequence[int]) -> None:
        outside = [
            i
            for i in outside
            if self.barred[i].isdisjoint(given) and self.needed[i].intersection(self.mothers).issubset(given)
        ]
        if not outside:
            return
        found = self.table.shared(given, outside)
        if len(given) == 1 and self.first_is_free:
            self.freedom[outside, given[0]] = found.freedom
        shared = self.info.dependence[np.ix_(outside, given)].tolist()
        ranks = [tuple(m for _, m in sorted(zip([-b for b in bits], given, strict=True))) for bits in shared]
        free = self.freedom[outside, [ranked[0] for ranked in ranks]]  # the first mother is, as in a tree
        scores = found.bits - price_of(found.freedom - free, self.info.n_rows, self.price)
        for i, score, ranked, bits in zip(outside, scores.tolist(), ranks, found.bits.tolist(), strict=True):
            self.best[i].append((score, ranked, bits))
            self.best[i].sort(key=lambda one: (-one[0], len(one[1]), one[1]))
            del self.best[i][2:]  # the best and the second best are all that is asked for


def _partners(edges: Sequence[tuple[int, int]], d: int) -> list[set[int]]:
    """Return for each attribute those at the other ends of its edges."""
    found: list[set[int]] = [set() for _ in range(d)]
    for i, j in edges:
        found[i].add(j)
        found[j].add(i)
    return found


def family_candidate(
    names: Sequence[str], relevance: float, child: int, given: Set, shared: float
) -> Candidate:
    """Return an attribute that joins a set as a candidate.

    Examples
    --------
    >>> family_candidate("abc", 0.5, 2, (0, 1), 0.25).mothers
    ('a', 'b')
    """
    mothers = tuple(names[m] for m in given)
    return Candidate(names[child], mothers[0] if mothers else None, relevance, shared, mothers[1:])
