"""The searches of `structures` for wide tables, on rows of dependences instead of the matrix of all pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import Places
from pgm_nb.errors import StructureError
from pgm_nb.graphs import CherryTree, Tree
from pgm_nb.learning.constraints import Constraints
from pgm_nb.learning.trace import Trace
from pgm_nb.learning.wide import WideSearch, wide_search

if TYPE_CHECKING:
    from pgm_nb.information import WideInformation

__all__ = ["wide_cherry_tree", "wide_tan", "wide_trace"]


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
