"""Cherry trees of order 4 and more as graphs with their traces: greedy, exact for few attributes, given."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.errors import StructureError
from pgm_nb.graphs import HigherCherryTree
from pgm_nb.learning.constraints import Constraints, prices_of
from pgm_nb.learning.families import PRICE, Grown, family_candidate, grow_families
from pgm_nb.learning.structures import check_not_cut
from pgm_nb.learning.trace import Constraint, Step, Trace
from pgm_nb.learning.two_trees import MOST_ATTRIBUTES, best_two_tree
from pgm_nb.learning.wished_trees import best_wished_tree
from pgm_nb.words import did_you_mean, plural

if TYPE_CHECKING:
    from pgm_nb.information import Information
    from pgm_nb.information.sets import SetInformation

__all__ = [
    "all_triples",
    "exact_of_order",
    "families_graph",
    "family_prices",
    "greedy_of_order",
    "plain_steps",
    "ranked_mothers",
    "score_families",
    "weight_bound",
]

Set = tuple[int, ...]


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
        if not (given.required or given.forbidden):
            joined, _ = best_two_tree(information.relevance, information.dependence, triples, size)
        else:
            joined = _wished(information, triples, names, given, size)
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


def _wished(
    information: Information, triples: np.ndarray, names: Sequence[str], constraints: Constraints, size: int
) -> list[tuple[int, Set]]:
    """Return the heaviest tree with all required and no forbidden links, or say that there is none."""
    required, forbidden = constraints.is_required(), constraints.is_forbidden()
    joined = best_wished_tree(
        information.relevance, information.dependence, triples, size, required, forbidden
    )
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
