"""Trees over the attributes from a matrix of weights: greedy, optimal, exact, and the best over some of them.

A tree over the attributes A weighs sum over A of I(Xi;Y) + sum over its edges of I(Xi;Xj|Y), and for given A
the best is the maximum spanning tree. Choosing A is hard in general (the k-cardinality tree problem), so
small tables are searched completely, and of larger ones the best tree that was found comes with an upper
bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pgm_nb.errors import StructureError

if TYPE_CHECKING:
    from pgm_nb.information import Information
    from pgm_nb.learning.constraints import Constraints

__all__ = [
    "Subtree",
    "best_subtree",
    "exact_tree",
    "greedy_tree",
    "grow",
    "optimal_tree",
    "rooted",
    "spanning_weights",
    "tan_tree",
    "upper_bound",
]


def grow(
    dependence: np.ndarray, seed: Sequence[int], *, relevance: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Grow a tree from `seed`, always by the outsider with the largest score.

    Each outsider keeps its best mother so far, so a step costs O(d) and the whole O(d^2).
    Without `relevance` the score is the dependence alone: Prim's maximum spanning tree
    (that contains the seed's edge). With it the score is relevance + dependence: the greedy
    search of Kovács et al. 2024, Alg. 1. Ties: by column order, of the child and then of the mother.

    Parameters
    ----------
    dependence : array (d, d)
        Symmetric weights I(Xi;Xj|Y); -inf for an edge that must not be taken.
    seed : sequence of int
        The attributes to start from; a second one is the child of the first.
    relevance : array (d,), optional
        I(Xi;Y), added to every candidate's score.

    Returns
    -------
    order, mothers : array of int
        The attributes in the order they joined, and each attribute's mother (-1: none).

    Examples
    --------
    >>> dependence = np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0.0]])
    >>> order, mothers = grow(dependence, seed=[0])
    >>> order.tolist(), mothers.tolist()
    ([0, 1, 2], [-1, 0, 1])
    """
    d = len(dependence)
    base = np.zeros(d) if relevance is None else relevance
    order = np.empty(d, dtype=np.intp)
    mothers = np.empty(d, dtype=np.intp)
    best = np.full(d, -np.inf)  # each outsider's largest dependence on the tree
    outside = np.ones(d, dtype=bool)
    best_mother = np.full(d, d, dtype=np.intp)
    for position in range(d):
        if position < len(seed):
            child = seed[position]
            mothers[child] = seed[0] if position else -1
        else:
            child = int(np.argmax(np.where(outside, base + best, -np.inf)))
            mothers[child] = best_mother[child]
        order[position] = child
        outside[child] = False
        new = dependence[child]
        better = (new > best) | ((new == best) & (child < best_mother))
        best_mother[better] = child
        np.maximum(best, new, out=best)
    return order, mothers


def tan_tree(information: Information, constraints: Constraints) -> tuple[np.ndarray, np.ndarray]:
    """Maximum spanning tree, grown from the attribute that says most about the class."""
    return grow(constraints.weights(information), [int(np.argmax(information.relevance))])


def greedy_tree(information: Information, constraints: Constraints) -> tuple[np.ndarray, np.ndarray]:
    """GNB-A: the best first pair, then always the largest gain."""
    first = _first_pair(information, constraints)
    return grow(constraints.weights(information), first, relevance=information.relevance)


def optimal_tree(information: Information, constraints: Constraints) -> tuple[np.ndarray, np.ndarray]:
    """GNB-O: the maximum spanning tree forced to have the best first pair."""
    return grow(constraints.weights(information), _first_pair(information, constraints))


def exact_tree(information: Information, constraints: Constraints) -> tuple[np.ndarray, np.ndarray]:
    """Maximum spanning tree, read from its heaviest cherry on."""
    order, mothers = grow(constraints.weights(information), [0])
    children = np.flatnonzero(mothers >= 0)
    if len(children) == 0:
        return order, mothers
    pairs = np.sort(np.column_stack([mothers[children], children]), axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    relevance = information.relevance
    triplets = relevance[pairs].sum(axis=1) + information.dependence[pairs[:, 0], pairs[:, 1]]
    first = rooted(pairs[np.argmax(triplets)].tolist(), relevance)
    in_tree = np.zeros_like(information.dependence)
    in_tree[mothers[children], children] = in_tree[children, mothers[children]] = 1
    return grow(in_tree, first)  # the same edges, now read from the heaviest cherry on


def _first_pair(information: Information, constraints: Constraints) -> list[int]:
    """Return the pair with the largest I(Y,Xi,Xj), ties by column order (Kovács et al. 2024, Alg. 1)."""
    relevance = information.relevance
    if len(relevance) == 1:
        return [0]
    triplet = relevance[:, None] + relevance[None, :] + constraints.admissible(information.dependence)
    triplet[np.tril_indices(len(relevance))] = -np.inf
    i, j = np.unravel_index(int(np.argmax(triplet)), triplet.shape)
    return rooted([int(i), int(j)], relevance)


def rooted(pair: list[int], relevance: np.ndarray) -> list[int]:
    """Return a first pair, root first: the more relevant of the two, of equals the earlier column.

    The paper's first cherry has no direction, but smoothed tables depend on the root: chosen by relevance
    it is the same for any order of the columns.

    Examples
    --------
    >>> rooted([0, 1], np.array([0.2, 0.3]))
    [1, 0]
    """
    return sorted(pair, key=lambda attribute: (-relevance[attribute], attribute))


MOST_SETS = 150_000  # sets of attributes that are all tried
AT_ONCE = 20_000
STARTS = 50  # first pairs that a tree is grown from, where not all sets are tried
FEW = 60  # columns from which attributes are taken out one by one, the whole tree joined anew each time
MOST_SWAPS = 4_000  # exchanges of one attribute that are tried in a round
ROUNDS = 100
SAME = 1e-12
Sets = NDArray[np.intp]
Weigh = Callable[[Sets], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Subtree:
    """A tree over some of the attributes.

    Attributes
    ----------
    order, mothers : array of int
        The attributes from the heaviest cherry on, and each column's mother (-1: none).
    bound : float
        No tree with so many attributes weighs more, in bits; the weight itself if all were tried.
    """

    order: np.ndarray
    mothers: np.ndarray
    bound: float


def best_subtree(information: Information, constraints: Constraints, size: int) -> Subtree:
    """Find the heaviest tree of `size` attributes, or the heaviest that can be found in a moment.

    All sets of attributes are tried if there are at most `MOST_SETS`. Otherwise the trees of the greedy
    search from many first pairs and the best whole tree, cut to size, are improved by exchanging attributes
    one by one while that gains; so the result is never lighter than that of the greedy search.

    Examples
    --------
    >>> from pgm_nb.information import Information
    >>> from pgm_nb.learning.constraints import Constraints
    >>> dependence = np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0.0]])
    >>> found = best_subtree(
    ...     Information(9, 1.0, np.zeros(3), np.array([0.5, 0.0, 2.0]), dependence), Constraints(3), 2
    ... )
    >>> sorted(found.order.tolist()), found.bound  # 2.0 + 2, more than the heaviest edge 0.5 + 3
    ([1, 2], 4.0)
    """
    d = len(information.relevance)
    weights = constraints.weights(information)
    needed = {end for edge in constraints.required for end in edge}
    head_start = 1 + float(information.relevance.max() + information.dependence.max())

    def weigh(sets: Sets) -> NDArray[np.float64]:
        """Return the weight of the best tree over each set; -inf where none meets the constraints."""
        found = spanning_weights(weights, sets)
        found += information.relevance[sets].sum(axis=1)
        for end in needed:
            found[~(sets == end).any(axis=1)] = -np.inf
        found -= head_start * len(constraints.required)
        return found

    if math.comb(d, size) <= MOST_SETS:
        best, most = np.arange(size), -np.inf
        for sets in _all_sets(d, size):
            found = weigh(sets)
            if found.max() > most + SAME:
                most, best = float(found.max()), sets[int(found.argmax())]
        bound = most
    else:
        starts = _starts(information, constraints, weights, size)
        if d <= FEW:
            starts = np.vstack([starts, _thinned(weigh, d, size), _filled(weigh, starts[0], d)])
        best, most = _improved(starts, weigh, d)
        bound = upper_bound(information, constraints, size)
    if most == -np.inf:
        raise StructureError(
            f"no tree with {size} attributes has every required edge and no forbidden one; set max_clusters "
            "to more, or leave a constraint out"
        )
    order, mothers = _read(information, weights, best)
    return Subtree(order, mothers, max(bound, most))


def spanning_weights(weights: NDArray[np.float64], sets: Sets) -> NDArray[np.float64]:
    """Return the weight of the maximum spanning tree over each set of columns, (sets,), by Prim's algorithm.

    Examples
    --------
    >>> weights = np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0.0]])
    >>> spanning_weights(weights, np.array([[0, 1], [0, 2]]))
    array([3., 1.])
    >>> spanning_weights(weights, np.array([[0, 1, 2]]))
    array([5.])
    """
    n, size = sets.shape
    rows = np.arange(n)
    best = weights[sets[:, :1], sets]
    inside = np.zeros((n, size), dtype=bool)
    inside[:, 0] = True
    total = np.zeros(n)
    for _ in range(size - 1):
        outside = np.where(inside, -np.inf, best)
        chosen = outside.argmax(axis=1)
        total += outside[rows, chosen]  # -inf if nothing is left that may join
        inside[rows, chosen] = True
        np.maximum(best, weights[sets[rows, chosen][:, None], sets], out=best)
    return total


def upper_bound(information: Information, constraints: Constraints, size: int) -> float:
    """Return a weight in bits that no tree of `size` attributes exceeds.

    The smaller of two: every attribute but one at its best mother, of any; and the most relevant attributes
    with the heaviest forest of as many edges.

    Examples
    --------
    >>> from pgm_nb.information import Information
    >>> from pgm_nb.learning.constraints import Constraints
    >>> dependence = np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0.0]])
    >>> upper_bound(
    ...     Information(9, 1.0, np.zeros(3), np.array([0.5, 0.0, 2.0]), dependence), Constraints(3), 2
    ... )
    5.5
    """
    relevance, d = information.relevance, len(information.relevance)
    gains = relevance + constraints.admissible(information.dependence).max(axis=1)
    ranked = np.argsort(-gains, kind="stable")
    total, last = gains[ranked[: size - 1]].sum(), gains[ranked[size - 1]]
    as_root = np.full(d, total)  # the root brings its relevance alone
    as_root[ranked[: size - 1]] += last - gains[ranked[: size - 1]]
    by_mothers = float((relevance + as_root).max())
    # the heaviest tree with the required edges is not the heaviest forest, so they are not asked for here
    _, mothers = grow(replace(constraints, required=()).weights(information), [0])
    edges = np.sort(information.dependence[mothers[1:], np.arange(1, d)])[::-1]
    by_parts = float(np.sort(relevance)[::-1][:size].sum() + edges[: size - 1].sum())
    return min(by_mothers, by_parts)


def _all_sets(d: int, size: int) -> Iterator[Sets]:
    sets = combinations(range(d), size)
    while some := list(islice(sets, AT_ONCE)):
        yield np.array(some, dtype=np.intp)


def _starts(
    information: Information, constraints: Constraints, weights: NDArray[np.float64], size: int
) -> Sets:
    """Return sets to begin with: of the greedy search from many first pairs, and of the best whole tree."""
    relevance, d = information.relevance, len(information.relevance)
    trees = [greedy_tree(information, constraints)[0], _chain(information, constraints)]
    pairs = np.column_stack(np.triu_indices(d, 1))
    worth = relevance[pairs].sum(axis=1) + weights[pairs[:, 0], pairs[:, 1]]
    for pair in pairs[np.argsort(-worth, kind="stable")[:STARTS]].tolist():
        trees.append(grow(weights, pair, relevance=relevance)[0])
    return np.array([np.sort(order[:size]) for order in trees])


def _chain(information: Information, constraints: Constraints) -> np.ndarray:
    """Return the attributes of the best whole tree, least leaves last."""
    order, mothers = exact_tree(information, constraints)
    gain = information.relevance + information.dependence[mothers, np.arange(len(mothers))]  # not the root's
    children = np.bincount(mothers[mothers >= 0], minlength=len(mothers))
    kept, cut = set(order.tolist()), []
    while len(kept) > 2:
        leaf = min((i for i in kept if not children[i] and i not in order[:2]), key=lambda i: (gain[i], -i))
        cut.append(leaf)
        kept.remove(leaf)
        children[mothers[leaf]] -= 1
    return np.array([*order[:2], *reversed(cut)])


def _thinned(weigh: Weigh, d: int, size: int) -> Sets:
    """Take attributes out one by one, always the one without which the best tree is heaviest."""
    here = np.arange(d)
    while len(here) > size:
        fewer = np.array([np.delete(here, place) for place in range(len(here))])
        here = fewer[int(weigh(fewer).argmax())]
    return here[None]


def _filled(weigh: Weigh, start: np.ndarray, d: int) -> Sets:
    """Begin with the first half of a set, and add the attribute with which the best tree is heaviest."""
    here = start[: max(2, len(start) // 2)]
    while len(here) < len(start):
        outside = np.setdiff1d(np.arange(d), here)
        more = np.column_stack([np.repeat(here[None], len(outside), axis=0), outside])
        here = more[int(weigh(more).argmax())]
    return np.sort(here)[None]


def _improved(starts: Sets, weigh: Weigh, d: int) -> tuple[Sets, float]:
    """Exchange one attribute at a time, from each start, while that gains; return the best set."""
    found = weigh(starts)
    ranked = np.argsort(-found, kind="stable")
    best, most = starts[0], -np.inf
    for place in ranked[:5].tolist():
        here, weight = starts[place], float(found[place])
        for _ in range(ROUNDS):
            outside = np.setdiff1d(np.arange(d), here)[: max(1, MOST_SWAPS // len(here))]
            swapped = np.repeat(here[None], len(here) * len(outside), axis=0)
            at = np.repeat(np.arange(len(here)), len(outside))
            swapped[np.arange(len(at)), at] = np.tile(outside, len(here))
            swapped.sort(axis=1)
            tried = weigh(swapped)
            if tried.max() <= weight + SAME:
                break
            here, weight = swapped[int(tried.argmax())], float(tried.max())
        if weight > most + SAME:
            best, most = here, weight
    return best, most


def _read(
    information: Information, weights: NDArray[np.float64], columns: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best tree over some columns, read from its heaviest cherry on."""
    mothers = np.full(len(weights), -1, dtype=np.intp)
    if len(columns) == 1:
        return columns, mothers
    inner = np.ix_(columns, columns)
    relevance = information.relevance[columns]
    _, above = grow(weights[inner], [0])
    pairs = np.sort(np.column_stack([above[1:], np.arange(1, len(columns))]), axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    worth = relevance[pairs].sum(axis=1) + information.dependence[inner][pairs[:, 0], pairs[:, 1]]
    in_tree = np.zeros((len(columns), len(columns)))
    in_tree[pairs[:, 0], pairs[:, 1]] = in_tree[pairs[:, 1], pairs[:, 0]] = 1.0
    order, above = grow(in_tree, rooted(pairs[int(worth.argmax())].tolist(), relevance))
    mothers[columns[order[1:]]] = columns[above[order[1:]]]
    return columns[order], mothers
