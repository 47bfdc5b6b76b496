"""The searches: from relevance and dependence to an explicit graph and the trace of how it came about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.graphs import CherryTree, Star, Tree
from pgm_nb.learning.trace import Trace, retrace
from pgm_nb.learning.trees import grow

if TYPE_CHECKING:
    from pgm_nb.information import Information

__all__ = ["best_weight", "exact", "greedy", "naive", "optimal", "tan"]


def naive(information: Information, names: Sequence[str], target: str) -> tuple[Star, Trace]:
    """Naive Bayes: nothing to search; the trace ranks the attributes by I(Xi;Y)."""
    d = len(names)
    order = np.argsort(-information.relevance, kind="stable")
    mothers = np.full(d, -1)
    graph = Star(target, tuple(names), relevance=_by_name(names, information.relevance))
    return graph, retrace(information, names, order, mothers, algorithm="naive", start=1)


def tan(information: Information, names: Sequence[str], target: str) -> tuple[Tree, Trace]:
    """Tree augmented naive Bayes: the maximum spanning tree over I(Xi;Xj|Y) (Friedman et al. 1997).

    The root is the attribute that tells most about the class, ties by column order.
    """
    root = int(np.argmax(information.relevance))
    order, mothers = grow(information.dependence, [root])
    graph = Tree(
        target,
        tuple(names),
        {names[i]: names[mothers[i]] for i in range(len(names)) if i != root},
        relevance=_by_name(names, information.relevance),
        dependence=_edge_weights(information, names, order[1:], mothers),
    )
    trace = retrace(
        information, names, order, mothers, algorithm="tan", start=1, criterion="dependence"
    )
    return graph, trace


def greedy(
    information: Information, names: Sequence[str], target: str, *, max_clusters: int | None = None
) -> tuple[CherryTree, Trace]:
    """GNB-A: the best first cherry, then always the cherry with the largest gain (Kovács et al. 2024).

    Parameters
    ----------
    information : Information
        Relevance I(Xi;Y) and dependence I(Xi;Xj|Y) in bits.
    names : sequence of str
        Attribute names in column order.
    target : str
        Name of the class.
    max_clusters : int, optional
        Stop after this many clusters; what stands then is still a cherry tree.

    Returns
    -------
    CherryTree, Trace
    """
    order, mothers = grow(
        information.dependence,
        _first_pair(information),
        relevance=information.relevance,
        size=_size(max_clusters),
    )
    return _cherry_tree(information, names, target, order, mothers, "greedy")


def optimal(
    information: Information, names: Sequence[str], target: str, *, max_clusters: int | None = None
) -> tuple[CherryTree, Trace]:
    """GNB-O: the best tree that holds the best first cherry (Kovács et al. 2024).

    The paper takes a maximum arborescence of a digraph with weights I(Xv;Y) + I(Xu;Xv|Y). The first
    term does not depend on the mother, so the arborescence is the maximum spanning tree over
    I(Xu;Xv|Y) forced to hold the first pair: O(d^2) instead of Chu-Liu-Edmonds, the same tree.
    """
    order, mothers = grow(information.dependence, _first_pair(information))
    return _in_chain_order(information, names, target, order, mothers, "optimal", max_clusters)


def exact(
    information: Information, names: Sequence[str], target: str, *, max_clusters: int | None = None
) -> tuple[CherryTree, Trace]:
    """Find the best cherry tree of all: the maximum spanning tree over I(Xi;Xj|Y).

    Its weight is sum I(Xi;Y), the same for every tree, plus the tree's sum of I(Xi;Xj|Y); so no
    cherry tree weighs more. It is read from its heaviest cherry on.
    """
    _, mothers = grow(information.dependence, [0])
    children = np.flatnonzero(mothers >= 0)
    if len(children) == 0:
        return _cherry_tree(information, names, target, np.array([0]), mothers, "exact")
    pairs = np.sort(np.column_stack([mothers[children], children]), axis=1)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    relevance = information.relevance
    triplets = relevance[pairs].sum(axis=1) + information.dependence[pairs[:, 0], pairs[:, 1]]
    first = pairs[np.argmax(triplets)].tolist()
    in_tree = np.zeros_like(information.dependence)
    in_tree[mothers[children], children] = in_tree[children, mothers[children]] = 1
    order, mothers = grow(in_tree, first)  # the same edges, now read from the heaviest cherry on
    return _in_chain_order(information, names, target, order, mothers, "exact", max_clusters)


def best_weight(information: Information) -> float:
    """Weight in bits of the best cherry tree (or TAN) there is for these data."""
    _, mothers = grow(information.dependence, [0])
    children = np.flatnonzero(mothers >= 0)
    return float(information.relevance.sum() + information.dependence[mothers[children], children].sum())


def _first_pair(information: Information) -> list[int]:
    """Return the pair with the largest I(Y,Xi,Xj), ties by column order (Kovács et al. 2024, Alg. 1)."""
    relevance = information.relevance
    if len(relevance) == 1:
        return [0]
    triplet = relevance[:, None] + relevance[None, :] + information.dependence
    triplet[np.tril_indices(len(relevance))] = -np.inf
    i, j = np.unravel_index(int(np.argmax(triplet)), triplet.shape)
    return [int(i), int(j)]


def _in_chain_order(
    information: Information,
    names: Sequence[str],
    target: str,
    order: np.ndarray,
    mothers: np.ndarray,
    algorithm: str,
    max_clusters: int | None,
) -> tuple[CherryTree, Trace]:
    """Order a tree by importance, cut it to size and tell its story."""
    whole = _graph(information, names, target, order, mothers)
    index = {name: i for i, name in enumerate(names)}
    chain = np.array([index[name] for name in whole.chain()])[: _size(max_clusters)]
    return _cherry_tree(information, names, target, chain, mothers, algorithm)


def _cherry_tree(
    information: Information,
    names: Sequence[str],
    target: str,
    order: np.ndarray,
    mothers: np.ndarray,
    algorithm: str,
) -> tuple[CherryTree, Trace]:
    graph = _graph(information, names, target, order, mothers)
    return graph, retrace(information, names, order, mothers, algorithm=algorithm, start=2)


def _graph(
    information: Information, names: Sequence[str], target: str, order: np.ndarray, mothers: np.ndarray
) -> CherryTree:
    return CherryTree(
        target,
        tuple(names[i] for i in order),
        {names[i]: names[mothers[i]] for i in order[1:]},
        relevance={names[i]: float(information.relevance[i]) for i in order},
        dependence=_edge_weights(information, names, order[1:], mothers),
    )


def _size(max_clusters: int | None) -> int | None:
    """Return how many attributes a tree of so many clusters has."""
    return None if max_clusters is None else max_clusters + 1


def _by_name(names: Sequence[str], values: np.ndarray) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _edge_weights(
    information: Information, names: Sequence[str], children: np.ndarray, mothers: np.ndarray
) -> dict[str, float]:
    return {names[c]: float(information.dependence[mothers[c], c]) for c in children}
