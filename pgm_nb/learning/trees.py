"""Trees over the attributes from a matrix of weights, on plain arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["grow"]


def grow(
    dependence: np.ndarray, seed: Sequence[int], *, relevance: np.ndarray | None = None, size: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Grow a tree from `seed`, always by the outsider with the largest score.

    Each outsider keeps its best mother so far, so a step costs O(d) and the whole O(d^2).
    Without `relevance` the score is the dependence alone: Prim's maximum spanning tree
    (that contains the seed's edge). With it the score is relevance + dependence: the greedy
    search of Kovács et al. 2024, Alg. 1. Ties: by column order, of the child and then of the mother.

    Parameters
    ----------
    dependence : array (d, d)
        Symmetric weights I(Xi;Xj|Y).
    seed : sequence of int
        The attributes to start from; a second one is the child of the first.
    relevance : array (d,), optional
        I(Xi;Y), added to every candidate's score.
    size : int, optional
        Stop when the tree has this many attributes.

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
    size = d if size is None else min(size, d)
    base = np.zeros(d) if relevance is None else relevance
    order = np.empty(size, dtype=np.intp)
    mothers = np.full(d, -1, dtype=np.intp)
    best = np.full(d, -np.inf)  # each outsider's largest dependence on the tree
    outside = np.ones(d, dtype=bool)
    best_mother = np.full(d, d, dtype=np.intp)
    for position in range(size):
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
