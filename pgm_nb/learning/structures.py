"""The searches: from relevance and dependence to an explicit graph and its trace.

Every search but the naive one takes an expert's `required` and `forbidden` edges, pairs of attribute names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, Star, Tree, mothers_first
from pgm_nb.information import WideInformation, weight
from pgm_nb.learning.constraints import Constraints, Edges, prices, read_constraints
from pgm_nb.learning.trace import Trace, retrace, star_steps
from pgm_nb.learning.trees import best_subtree, exact_tree, greedy_tree, grow, optimal_tree, tan_tree
from pgm_nb.learning.wide import wide_cherry_tree, wide_search, wide_tan, wide_trace
from pgm_nb.words import did_you_mean

if TYPE_CHECKING:
    from pgm_nb.information import Information

__all__ = [
    "best_weight",
    "check_not_cut",
    "cherry_graph",
    "exact",
    "greedy",
    "naive",
    "optimal",
    "score",
    "tan",
]

PROVEN = 1e-9  # bits within which a weight has reached its bound
CHERRY_TREES = {"greedy": greedy_tree, "optimal": optimal_tree, "exact": exact_tree}


def naive(information: Information, names: Sequence[str], target: str) -> tuple[Star, Trace]:
    """Return the star of naive Bayes: nothing is searched; the trace ranks the attributes by I(Xi;Y)."""
    graph = Star(target, tuple(names), relevance=_by_name(names, information.relevance))
    return graph, Trace("naive", partial(star_steps, information.relevance, names))


def tan(
    information: Information,
    names: Sequence[str],
    target: str,
    *,
    required: Edges | None = None,
    forbidden: Edges | None = None,
) -> tuple[Tree, Trace]:
    """Tree augmented naive Bayes: the maximum spanning tree over I(Xi;Xj|Y) (Friedman et al. 1997).

    The root is the attribute that says most about the class, ties by column order. With constraints it
    is the best tree that meets them.
    """
    constraints = read_constraints(required, forbidden, names, target)
    if isinstance(information, WideInformation):
        return wide_tan(information, names, target, constraints)
    order, mothers = tan_tree(information, constraints)
    graph = Tree(
        target,
        tuple(names),
        {names[i]: names[mothers[i]] for i in order[1:]},
        relevance=_by_name(names, information.relevance),
        dependence=_edge_weights(information, names, order[1:], mothers),
    )
    steps = partial(retrace, information, names, order, mothers, constraints, start=1, criterion="dependence")
    return graph, Trace("tan", steps, *prices(tan_tree, information, constraints, names))


def greedy(
    information: Information,
    names: Sequence[str],
    target: str,
    *,
    max_clusters: int | None = None,
    required: Edges | None = None,
    forbidden: Edges | None = None,
) -> tuple[CherryTree, Trace]:
    """GNB-A: the best first cherry, then always the cherry with the largest gain (Kovács et al. 2024).

    A required edge is taken as soon as one of its ends is in the tree.

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
    required, forbidden : list of pairs of str, optional
        Edges between attributes that the tree must have, and that it must not have.

    Returns
    -------
    CherryTree, Trace

    Raises
    ------
    StructureError
        If no tree meets the constraints, or `max_clusters` cuts a required edge off.
    """
    return _cherry_tree("greedy", information, names, target, max_clusters, required, forbidden)


def optimal(
    information: Information,
    names: Sequence[str],
    target: str,
    *,
    max_clusters: int | None = None,
    required: Edges | None = None,
    forbidden: Edges | None = None,
) -> tuple[CherryTree, Trace]:
    """GNB-O: the best tree that has the best first cherry (Kovács et al. 2024).

    The paper takes a maximum arborescence of a digraph with weights I(Xv;Y) + I(Xu;Xv|Y). The first
    term does not depend on the mother, so the arborescence is the maximum spanning tree over
    I(Xu;Xv|Y) forced to hold the first pair: O(d^2) instead of Chu-Liu-Edmonds, the same tree.
    Parameters as in `greedy`; the first cherry is the best that the constraints admit.
    """
    return _cherry_tree("optimal", information, names, target, max_clusters, required, forbidden)


def exact(
    information: Information,
    names: Sequence[str],
    target: str,
    *,
    max_clusters: int | None = None,
    required: Edges | None = None,
    forbidden: Edges | None = None,
) -> tuple[CherryTree, Trace]:
    """Find the best cherry tree of all: the maximum spanning tree over I(Xi;Xj|Y).

    Its weight is sum I(Xi;Y), the same for every tree, plus the tree's sum of I(Xi;Xj|Y); so no
    cherry tree (that meets the constraints) weighs more. It is read from its heaviest cherry on.
    With `max_clusters` it is the heaviest tree with so many clusters, or, where there are too many to try
    them all, the heaviest that `best_subtree` finds; the trace is then called "improved part", and has the
    `bound` that no such tree exceeds. Parameters as in `greedy`.
    """
    return _cherry_tree("exact", information, names, target, max_clusters, required, forbidden)


def score(
    information: Information, names: Sequence[str], target: str, structure: Tree | CherryTree
) -> tuple[CherryTree, Trace]:
    """Weigh a given tree: no search, but the same numbers and trace.

    Its attributes must be columns; columns it does not have are left out, as by `max_clusters`.
    """
    index = {name: i for i, name in enumerate(names)}
    for name in structure.attributes:
        if name not in index:
            raise StructureError(
                f"the structure has an attribute {name!r}, but the table has no such column"
                f"{did_you_mean(name, names)}"
            )
    order = np.array([index[name] for name in mothers_first(structure.attributes, structure.mothers)])
    mothers = np.full(len(names), -1)
    for child, mother in structure.mothers.items():
        mothers[index[child]] = index[mother]
    graph = cherry_graph(information, names, target, order, mothers)
    if isinstance(information, WideInformation):
        return graph, wide_trace(information, names, order.tolist(), mothers)
    return graph, Trace("given", partial(retrace, information, names, order, mothers, start=2))


def best_weight(information: Information) -> float:
    """Return the weight in bits of the best cherry tree (or TAN) for these data; NaN without the pairs."""
    if isinstance(information, WideInformation):
        return wide_search(information, Constraints(len(information.relevance))).best_weight
    if np.isnan(information.dependence[0, 0]):
        return float("nan")
    _, mothers = grow(information.dependence, [0])
    return weight(information, mothers)


def _cherry_tree(
    algorithm: str,
    information: Information,
    names: Sequence[str],
    target: str,
    max_clusters: int | None,
    required: Edges | None,
    forbidden: Edges | None,
) -> tuple[CherryTree, Trace]:
    """Search for a tree, order it by importance, cut it to size and trace it."""
    search = CHERRY_TREES[algorithm]
    constraints = read_constraints(required, forbidden, names, target)
    if isinstance(information, WideInformation):
        return wide_cherry_tree(algorithm, information, names, target, max_clusters, constraints)
    bound = None
    if algorithm == "exact" and max_clusters is not None and max_clusters + 1 < len(names):
        order, mothers, bound = _part(information, constraints, names, max_clusters)
        total = weight(information, mothers, order.tolist())
        algorithm = "best part" if total > bound - PROVEN else "improved part"
    else:
        order, mothers = search(information, constraints)
    if algorithm != "greedy":  # the greedy search itself takes the attributes in order of importance
        index = {name: i for i, name in enumerate(names)}
        chain = cherry_graph(information, names, target, order, mothers).chain()
        order = np.array([index[name] for name in chain])
    if max_clusters is not None:
        check_not_cut(constraints, names, order, max_clusters)
        order = order[: max_clusters + 1]
    graph = cherry_graph(information, names, target, order, mothers)
    steps = partial(retrace, information, names, order, mothers, constraints, start=2)
    return graph, Trace(algorithm, steps, *prices(search, information, constraints, names), bound)


def _part(
    information: Information, constraints: Constraints, names: Sequence[str], max_clusters: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the best tree with so many clusters that was found, and what none exceeds."""
    ends = {end for edge in constraints.required for end in edge}
    if len(ends) > max_clusters + 1:
        raise StructureError(
            f"max_clusters={max_clusters} has no room for the {len(ends)} attributes of the required edges; "
            f"set max_clusters to {len(ends) - 1} or more"
        )
    found = best_subtree(information, constraints, max_clusters + 1)
    return found.order, found.mothers, found.bound


def check_not_cut(
    constraints: Constraints, names: Sequence[str], order: np.ndarray, max_clusters: int
) -> None:
    """Check that every required edge is among the clusters that are kept."""
    position = np.argsort(order)  # cluster p brings the attribute at position p
    needed = {edge: int(position[list(edge)].max()) for edge in constraints.required}
    for (i, j), clusters in needed.items():
        if clusters > max_clusters:
            raise StructureError(
                f"max_clusters={max_clusters} cuts off the required edge {names[i]!r} - {names[j]!r}; "
                f"all required edges are within the first {max(needed.values())} clusters: "
                "set max_clusters to that or more"
            )


def cherry_graph(
    information: Information, names: Sequence[str], target: str, order: np.ndarray, mothers: np.ndarray
) -> CherryTree:
    """Return the cherry tree of columns in an order, with its weights."""
    return CherryTree(
        target,
        tuple(names[i] for i in order),
        {names[i]: names[mothers[i]] for i in order[1:]},
        relevance={names[i]: float(information.relevance[i]) for i in order},
        dependence=_edge_weights(information, names, order[1:], mothers),
    )


def _by_name(names: Sequence[str], values: np.ndarray) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _edge_weights(
    information: Information, names: Sequence[str], children: np.ndarray, mothers: np.ndarray
) -> dict[str, float]:
    return dict(
        zip(
            [names[c] for c in children],
            information.dependence_of(mothers[children], children).tolist(),
            strict=True,
        )
    )
