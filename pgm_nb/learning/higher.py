"""Cherry trees of order 4 and more as graphs with their traces: greedy, exact for few attributes, given."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.errors import StructureError
from pgm_nb.graphs import HigherCherryTree
from pgm_nb.learning.constraints import Constraints, completions, prices_of
from pgm_nb.learning.structures import check_not_cut
from pgm_nb.learning.trace import RUNNERS_UP, Candidate, Constraint, Step, Trace
from pgm_nb.learning.trees import rooted
from pgm_nb.learning.two_trees import MOST_ATTRIBUTES, best_two_tree
from pgm_nb.words import did_you_mean, plural

if TYPE_CHECKING:
    from pgm_nb.information import Information
    from pgm_nb.information.sets import Interactions, SetInformation

__all__ = [
    "PRICE",
    "Grown",
    "all_triples",
    "exact_of_order",
    "families_graph",
    "family_candidate",
    "family_prices",
    "greedy_of_order",
    "grow_families",
    "plain_steps",
    "price_of",
    "ranked_mothers",
    "score_families",
    "weight_bound",
]

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


def greedy_of_order(
    information: Information,
    table: SetInformation,
    names: Sequence[str],
    target: str,
    order: int,
    max_clusters: int | None = None,
    price: float = PRICE,
    constraints: Constraints | None = None,
) -> tuple[HigherCherryTree, Trace]:
    """Grow a cherry tree of an order step by step, as GNB-A does; see `grow_families`."""
    d = len(names)
    size = d if max_clusters is None else min(d, max_clusters + 1)

    def grow(given: Constraints | None, size: int) -> Grown:
        return grow_families(information, table, names, order - 2, size, price, constraints=given)

    grown = grow(constraints, size)
    if constraints is not None and max_clusters is not None:
        whole = np.array(grow(constraints, d).order)
        check_not_cut(constraints, names, whole, max_clusters)
    priced = family_prices(lambda given: grow(given, d), constraints, names)
    return families_graph(information, table, names, target, grown), Trace("greedy", grown.steps, *priced)


def family_prices(
    grow: Callable[[Constraints], Grown], constraints: Constraints | None, names: Sequence[str]
) -> tuple[tuple[Constraint, ...], float]:
    """Return what each constraint costs, and what all cost together, in bits; see `constraints.prices`.

    The search goes step by step, so a constraint can improve the tree by chance: then its price is negative.
    """
    return prices_of(
        lambda given: math.fsum(grow(given).dependence.values()), constraints or Constraints(0), names
    )


def exact_of_order(
    information: Information,
    table: SetInformation,
    names: Sequence[str],
    target: str,
    order: int,
    max_clusters: int | None = None,
    constraints: Constraints | None = None,
) -> tuple[HigherCherryTree, Trace]:
    """Find the heaviest cherry tree of order 4 (with so many clusters) that obeys, for few attributes."""
    d = len(names)
    if order != 4 or d > MOST_ATTRIBUTES:
        raise StructureError(
            f"the best tree with several mothers can be found for order 4 and at most {MOST_ATTRIBUTES} "
            f"attributes, but the order is {order} and there are {d}; search step by step (search='greedy')"
        )
    if d == 1:
        return greedy_of_order(information, table, names, target, order)
    size = d if max_clusters is None else min(d, max_clusters + 1)
    triples = all_triples(table)

    def search(given: Constraints, size: int) -> dict[int, Set]:
        joined = _best_of_order_4(information, triples, names, given, size)
        return {child: ranked_mothers(information, child, its) for child, its in joined}

    asked = constraints or Constraints(d)
    mothers = search(asked, size)
    joined = list(mothers)
    dependence = _dependence(table, mothers)
    weight = math.fsum([*(float(information.relevance[i]) for i in joined), *dependence.values()])
    graph = families_graph(information, table, names, target, Grown(tuple(joined), mothers, dependence, ()))
    column = {name: i for i, name in enumerate(names)}
    chain = [column[name] for name in graph.chain()]
    grown = Grown(tuple(chain), mothers, dependence, ())
    steps = partial(plain_steps, information, names, grown)
    graph = families_graph(information, table, names, target, grown)
    priced = family_prices(
        lambda given: Grown((), {}, _dependence(table, search(given, d)), ()), constraints, names
    )
    return graph, Trace("exact" if size == d else "best part", steps, *priced, bound=weight)


def _best_of_order_4(
    information: Information, triples: np.ndarray, names: Sequence[str], constraints: Constraints, size: int
) -> list[tuple[int, Set]]:
    """Return the heaviest tree with all required and no forbidden links, or say that there is none."""
    required, forbidden = constraints.is_required(), constraints.is_forbidden()
    joined = best_two_tree(information.relevance, information.dependence, triples, size, required, forbidden)
    linked = {frozenset(pair) for child, its in joined for pair in combinations((child, *its), 2)}
    for i, j in constraints.required:
        if frozenset((i, j)) not in linked:
            raise StructureError(
                f"no tree with up to two mothers each and {plural(size - 1, 'cluster')} has all required "
                f"edges and none of the forbidden ones: {names[i]!r} - {names[j]!r} cannot be there; leave "
                "an edge out, or keep more clusters"
            )
    return joined


def score_families(
    information: Information,
    table: SetInformation,
    names: Sequence[str],
    target: str,
    structure: HigherCherryTree,
) -> tuple[HigherCherryTree, Trace]:
    """Weigh a given cherry tree of higher order: no search, but the same numbers and trace."""
    column = {name: i for i, name in enumerate(names)}
    for name in structure.attributes:
        if name not in column:
            raise StructureError(
                f"the structure has an attribute {name!r}, but the table has no such column"
                f"{did_you_mean(name, names)}"
            )
    mothers = {
        column[child]: tuple(column[m] for m in structure.families.get(child, ()))
        for child in structure.order
    }
    order = tuple(column[name] for name in structure.order)
    grown = Grown(order, mothers, _dependence(table, mothers), ())
    steps = partial(plain_steps, information, names, grown)
    return families_graph(information, table, names, target, grown), Trace("given", steps)


def all_triples(table: SetInformation) -> np.ndarray:
    """Return I(Xi;Xa,Xb|Y) of every attribute and every two others, at [i, a, b]; zero elsewhere."""
    d = len(table.cards)
    found = np.zeros((d, d, d))
    for a, b in combinations(range(d), 2):
        others = [i for i in range(d) if i not in (a, b)]
        found[others, a, b] = found[others, b, a] = table.shared([a, b], others).bits
    return found


def weight_bound(information: Information, most: np.ndarray, size: int) -> float:
    """Return a weight in bits that no cherry tree over `size` attributes exceeds.

    Parameters
    ----------
    information : Information
        Relevance and dependence in bits.
    most : array (d,)
        What each attribute can share at most with the mothers of any set; for order 4, the largest of
        I(Xi;Xa,Xb|Y).
    size : int
        How many attributes the tree has.

    Examples
    --------
    >>> from pgm_nb.information import Information
    >>> dependence = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]])
    >>> info = Information(9, 1.0, np.zeros(3), np.array([0.5, 0.25, 0.0]), dependence)
    >>> weight_bound(info, np.array([1.0, 1.0, 0.5]), 3)  # 0.75 + 1 of the first pair + 0.5
    2.25
    """
    relevance, dependence = information.relevance, information.dependence
    gains = relevance + most
    best = -np.inf
    for i, j in combinations(range(len(relevance)), 2):
        rest = np.sort(np.delete(gains, [i, j]))[::-1][: size - 2].sum()
        best = max(best, float(relevance[i] + relevance[j] + dependence[i, j] + rest))
    return best if size > 1 else float(relevance.max())


def ranked_mothers(information: Information, child: int, given: Set) -> Set:
    """Return mothers, the one with which the child shares most first."""
    return tuple(sorted(given, key=lambda m: (-information.dependence[child, m], m)))


def _dependence(table: SetInformation, mothers: Mapping[int, Set]) -> dict[int, float]:
    return {child: float(table.shared(given, [child]).bits[0]) for child, given in mothers.items() if given}


def families_graph(
    information: Information, table: SetInformation, names: Sequence[str], target: str, grown: Grown
) -> HigherCherryTree:
    """Return the graph, with what each mother adds to the information a child shares with all of them."""
    families, shares = {}, {}
    for child in grown.order[1:]:
        given = grown.mothers[child]
        so_far = [0.0, float(information.dependence[child, given[0]])]
        so_far += [float(table.shared(given[:n], [child]).bits[0]) for n in range(2, len(given))]
        so_far += [grown.dependence[child]] if len(given) > 1 else []
        families[names[child]] = tuple(names[m] for m in given)
        shares[names[child]] = tuple(b - a for a, b in pairwise(so_far))
    return HigherCherryTree(
        target,
        tuple(names[i] for i in grown.order),
        families,
        {names[i]: float(information.relevance[i]) for i in grown.order},
        {names[i]: grown.dependence[i] for i in grown.order[1:]},
        shares,
    )


def plain_steps(information: Information, names: Sequence[str], grown: Grown) -> tuple[Step, ...]:
    """Return the steps of a tree that was not grown step by step: the choices without runners-up."""
    order = grown.order
    relevance = information.relevance
    first = family_candidate(names, float(relevance[order[0]]), order[0], (), 0.0)
    if len(order) > 1:
        both = float(relevance[order[0]] + relevance[order[1]])
        first = family_candidate(names, both, order[1], (order[0],), grown.dependence[order[1]])
    steps = [Step(first, first.gain, ())]
    for child in order[2:]:
        chosen = family_candidate(
            names, float(relevance[child]), child, grown.mothers[child], grown.dependence[child]
        )
        steps.append(Step(chosen, steps[-1].weight + chosen.gain, ()))
    return tuple(steps)
