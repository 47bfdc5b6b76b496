"""Trees for the class: which attributes say more about it together than each by itself.

Given its mother, an attribute says about the class

    I(Xi;Y|Xm) = I(Xi;Y) + I(Xi;Xm|Y) - I(Xi;Xm)

The last two terms are the interaction of the pair, symmetric in the two (the explaining-away residual of
Bilmes 2000). So the tree with the largest sum of I(Xi;Y|Xm) is the maximum spanning tree over the
interactions, whatever its root. The searches of the papers keep the redundancy I(Xi;Xm), because they
describe all columns; for the class alone it is of no use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.graphs import CherryTree, HigherCherryTree
from pgm_nb.information import interaction_information
from pgm_nb.information.sets import Interactions, SetInformation
from pgm_nb.learning.constraints import Constraints, prices, read_constraints
from pgm_nb.learning.higher import (
    Grown,
    families_graph,
    family_prices,
    grow_families,
    plain_steps,
    price_of,
    ranked_mothers,
)
from pgm_nb.learning.structures import check_not_cut, cherry_graph
from pgm_nb.learning.trace import Trace
from pgm_nb.learning.trees import rooted, tan_tree

if TYPE_CHECKING:
    from pgm_nb.counts import Counts
    from pgm_nb.information import Information
    from pgm_nb.learning.constraints import Edges

__all__ = ["class_families", "class_tree", "priced_interactions"]

ALGORITHM = "class"


def class_tree(
    information: Information,
    counts: Counts,
    names: Sequence[str],
    target: str,
    *,
    max_clusters: int | None = None,
    required: Edges | None = None,
    forbidden: Edges | None = None,
) -> tuple[CherryTree, Trace]:
    """Find the tree whose pairs say most about the class together.

    It is the maximum spanning tree over the interactions, each less what a table of its size would show by
    chance (`priced_interactions`), rooted at the attribute that says most about the class. The order of
    importance and the prices of constraints are in bits about the class: I(Xi;Y|Xm). Parameters as in
    `pgm_nb.learning.greedy`.

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> from pgm_nb.information import information
    >>> a, b = np.array([0, 0, 1, 1] * 9), np.array([0, 1, 0, 1] * 9)
    >>> counts = count(np.array([a, b, a]), a ^ b, (2, 2, 2), 2)  # the third column repeats the first
    >>> tree, _ = class_tree(information(counts), counts, ("a", "b", "again"), "y")
    >>> sorted(map(sorted, tree.mothers.items()))
    [['a', 'b'], ['again', 'b']]
    """
    constraints = read_constraints(required, forbidden, names, target)
    interactions = priced_interactions(counts)
    about_class = replace(information, dependence=_from_zero(interactions))
    order, mothers = tan_tree(about_class, constraints)
    says = _by_column(information.relevance, interactions, order, mothers)
    chain = CherryTree(
        target,
        tuple(names[i] for i in order),
        {names[i]: names[mothers[i]] for i in order[1:]},
        relevance={names[i]: says[i] for i in order.tolist()},
        dependence={names[i]: 0.0 for i in order[1:]},
    ).chain()
    column = {name: i for i, name in enumerate(names)}
    order = np.array([column[name] for name in chain])
    if max_clusters is not None:
        check_not_cut(constraints, names, order, max_clusters)
        order = order[: max_clusters + 1]
    mother_of = {int(i): (int(mothers[i]),) if mothers[i] >= 0 else () for i in order}
    shared = {int(i): float(information.dependence[mothers[i], i]) for i in order[1:]}
    steps = partial(plain_steps, information, names, Grown(tuple(order.tolist()), mother_of, shared, ()))
    graph = cherry_graph(information, names, target, order, mothers)
    return graph, Trace(ALGORITHM, steps, *prices(tan_tree, about_class, constraints, names))


def class_families(
    information: Information,
    table: SetInformation,
    counts: Counts,
    names: Sequence[str],
    target: str,
    order: int,
    max_clusters: int | None = None,
    constraints: Constraints | None = None,
) -> tuple[HigherCherryTree, Trace]:
    """Grow a cherry tree of an order by interactions: always the attribute and the set with the largest.

    A set must be worth what its table would show by chance. With order 3 it is the tree of `class_tree`.
    """
    d = len(names)
    both = Interactions(table)
    about_class = replace(
        information, relevance=np.zeros(d), dependence=_from_zero(priced_interactions(counts))
    )

    def grow(given: Constraints | None) -> Grown:
        return grow_families(about_class, both, names, order - 2, d, first_is_free=False, constraints=given)

    grown = grow(constraints)
    columns, mothers = list(grown.order), dict(grown.mothers)
    if d > 1:
        columns[:2] = rooted(columns[:2], information.relevance)
        mothers |= {columns[0]: (), columns[1]: (columns[0],)}
    mothers = {child: ranked_mothers(information, child, given) for child, given in mothers.items()}
    says = {
        child: max(0.0, float(information.relevance[child]) + _interaction(both, child, given))
        for child, given in mothers.items()
    }
    chain = HigherCherryTree(
        target,
        tuple(names[i] for i in columns),
        {names[i]: tuple(names[m] for m in mothers[i]) for i in columns[1:]},
        {names[i]: says[i] for i in columns},
        {names[i]: 0.0 for i in columns[1:]},
    ).chain()
    column = {name: i for i, name in enumerate(names)}
    size = d if max_clusters is None else min(d, max_clusters + 1)
    if constraints is not None and max_clusters is not None:
        check_not_cut(constraints, names, np.array([column[name] for name in chain]), max_clusters)
    kept = tuple(column[name] for name in chain[:size])
    mothers = {child: mothers[child] for child in kept}
    shared = {child: float(table.shared(given, [child]).bits[0]) for child, given in mothers.items() if given}
    chosen = Grown(kept, mothers, shared, ())
    graph = families_graph(information, table, names, target, chosen)
    priced = family_prices(grow, constraints, names)
    return graph, Trace(ALGORITHM, partial(plain_steps, information, names, chosen), *priced)


def priced_interactions(counts: Counts) -> np.ndarray:
    """Return I(Xi;Xj|Y) - I(Xi;Xj), less what its table would show by chance, as a symmetric matrix.

    Without a price, a column with many states seems to act together with any other.

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> a, b = np.array([0, 0, 1, 1] * 9), np.array([0, 1, 0, 1] * 9)
    >>> priced_interactions(count(np.array([a, b]), a ^ b, (2, 2), 2))[0, 1].round(3)  # 1 - 1/(72 ln 2)
    np.float64(0.98)
    """
    states = np.array([(counts.single(i).sum(axis=0) > 0).sum() for i in range(len(counts.cards))])
    more_classes = int((counts.y > 0).sum()) - 1
    freedom = np.outer(states - 1, states - 1) * more_classes
    priced: np.ndarray = interaction_information(counts) - price_of(freedom, counts.n_rows)
    np.fill_diagonal(priced, 0.0)
    return priced


def _from_zero(interactions: np.ndarray) -> np.ndarray:
    """Add a constant, so that no pair is below zero: every spanning tree has as many edges."""
    moved: np.ndarray = interactions - min(0.0, float(interactions.min()))
    return moved


def _by_column(
    relevance: np.ndarray, interactions: np.ndarray, order: np.ndarray, mothers: np.ndarray
) -> np.ndarray:
    """Return what every attribute says about the class given its mother, in bits."""
    says = relevance.copy()
    children = order[1:]
    says[children] += interactions[mothers[children], children]
    found: np.ndarray = np.maximum(says, 0.0)
    return found


def _interaction(both: Interactions, child: int, given: Sequence[int]) -> float:
    return float(both.shared(given, [child]).bits[0]) if given else 0.0
