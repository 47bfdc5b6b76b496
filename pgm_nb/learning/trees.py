"""The searches on plain arrays: trees over the attributes from a matrix of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pgm_nb.information import Information
    from pgm_nb.learning.constraints import Constraints

__all__ = ["exact_tree", "greedy_tree", "grow", "optimal_tree", "rooted", "tan_tree"]


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
