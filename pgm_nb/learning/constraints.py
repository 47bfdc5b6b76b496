"""What an expert knows beforehand: edges the tree must have, edges it must not have, and their price."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.errors import StructureError
from pgm_nb.learning.trace import Constraint
from pgm_nb.words import did_you_mean, listed

if TYPE_CHECKING:
    from pgm_nb.information import Information

__all__ = ["Constraints", "Edges", "completions", "prices", "prices_of", "read_constraints"]

Edges = Sequence[Sequence[str]]  #: pairs of attribute names, in either order
Pair = tuple[int, int]


@dataclass(frozen=True)
class Constraints:
    """Required and forbidden edges between columns, checked by `read_constraints`.

    Examples
    --------
    >>> constraints = read_constraints([("b", "c")], [("a", "b")], ("a", "b", "c"), "y")
    >>> constraints.admissible(np.ones((3, 3)) - np.eye(3))
    array([[  0., -inf,   1.],
           [-inf,   0.,   1.],
           [  1.,   1.,   0.]])
    """

    d: int  #: number of attributes
    required: tuple[Pair, ...] = ()
    forbidden: tuple[Pair, ...] = ()

    def without(self, pair: Pair) -> Constraints:
        """Lift one constraint, keep the others."""
        return Constraints(
            self.d,
            tuple(edge for edge in self.required if edge != pair),
            tuple(edge for edge in self.forbidden if edge != pair),
        )

    def is_required(self) -> np.ndarray:
        """Symmetric mask (d, d) of the required edges."""
        return _mask(self.required, self.d)

    def is_forbidden(self) -> np.ndarray:
        """Symmetric mask (d, d) of the forbidden edges."""
        return _mask(self.forbidden, self.d)

    def admissible(self, dependence: np.ndarray) -> np.ndarray:
        """Weights of the edges, -inf for those that are forbidden or close a cycle with required ones."""
        if not (self.required or self.forbidden):
            return dependence
        _, part = _parts(_mask(self.required, self.d))
        closes = (part[:, None] == part[None, :]) & ~self.is_required() & ~np.eye(self.d, dtype=bool)
        return np.where(closes | _mask(self.forbidden, self.d), -np.inf, dependence)

    def weights(self, information: Information) -> np.ndarray:
        """Admissible weights, with a head start for required edges that no other edge can make up.

        A tree that grows by the heaviest edge then finishes a group of required edges, in order of their
        gain, before it takes any other edge: no attribute of the group can join in another way.
        """
        weights = self.admissible(information.dependence)
        if not self.required:
            return weights
        head_start = 1 + information.relevance.max() + information.dependence.max()
        return np.where(self.is_required(), weights + head_start, weights)


def read_constraints(
    required: Edges | None, forbidden: Edges | None, names: Sequence[str], target: str, mothers: int = 1
) -> Constraints:
    """Check an expert's edges and turn their names into columns.

    Parameters
    ----------
    required, forbidden : list of pairs of str, optional
        Edges between attributes, in either direction.
    names : sequence of str
        Attribute names in column order.
    target : str
        Name of the class.
    mothers : int
        How many mothers an attribute can have. In a tree it is one, and required edges close no cycle; with
        two, three attributes can be required with each other.

    Raises
    ------
    StructureError
        For an edge that is not one between two attributes of the table, and when no tree can meet all
        constraints; the message says which and why.

    Examples
    --------
    >>> read_constraints([("age", "pulse"), ("pulse", "age")], None, ("age", "pulse", "sex"), "disease")
    Constraints(d=3, required=((0, 1),), forbidden=())
    """
    must = _read_edges("required", required, names, target)
    must_not = _read_edges("forbidden", forbidden, names, target)
    constraints = Constraints(len(names), must, must_not)
    _check_consistent(constraints, names, mothers)
    return constraints


def completions(constraints: Constraints, mothers: int) -> tuple[Constraints, ...]:
    """Return the constraints as a search can meet them that gives an attribute so many mothers.

    Attributes that are required with each other join one after the other, each with all of them that are in
    the tree already: so these must be linked. Where required edges close a circle of four, one of the two
    links across it is required as well: there are several ways. None if a wider circle, or too many
    attributes that are all required with each other, leave no way.

    Examples
    --------
    >>> square = read_constraints([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], None, "abcd", "y", 2)
    >>> [set(way.required) - set(square.required) for way in completions(square, 2)]
    [{(0, 2)}, {(1, 3)}]
    """
    if _can_be_met(constraints, mothers):
        return (constraints,)
    ends = sorted({column for edge in constraints.required for column in edge})
    taken = {frozenset(edge) for edge in (*constraints.required, *constraints.forbidden)}
    more = (pair for pair in combinations(ends, 2) if frozenset(pair) not in taken)
    ways = (replace(constraints, required=(*constraints.required, pair)) for pair in more)
    return tuple(way for way in ways if _can_be_met(way, mothers))


def _can_be_met(constraints: Constraints, mothers: int) -> bool:
    """Say whether required edges form a chordal graph whose cliques fit into clusters."""
    import networkx as nx

    graph = nx.Graph(constraints.required)
    if nx.is_forest(graph) if constraints.required else True:
        return True
    chordal = nx.is_chordal(graph)
    return chordal and max(map(len, nx.chordal_graph_cliques(graph))) <= mothers + 1


def prices(
    search: Callable[[Information, Constraints], tuple[np.ndarray, np.ndarray]],
    information: Information,
    constraints: Constraints,
    names: Sequence[str],
) -> tuple[tuple[Constraint, ...], float]:
    """Return what each constraint costs, and what all cost together, in bits.

    The price of a constraint is the weight that the same search finds without it (the others kept) minus
    the weight with all; the total is against no constraints at all, and is not the sum of the prices.
    Whole trees are compared, before `max_clusters` cuts them. Prices of the exact search and of TAN are
    never negative. The greedy and the optimal search do not find the best tree of all (they are bound to
    their first pair), so a constraint can improve it by chance: then its price is negative.

    Returns
    -------
    constraints : tuple of Constraint
    total : float
    """

    def dependence(given: Constraints) -> float:
        _, mothers = search(information, given)
        children = np.flatnonzero(mothers >= 0)
        return math.fsum(information.dependence[mothers[children], children])  # the same edges, the same sum

    return prices_of(dependence, constraints, names)


def prices_of(
    dependence: Callable[[Constraints], float], constraints: Constraints, names: Sequence[str]
) -> tuple[tuple[Constraint, ...], float]:
    """Return the prices as `prices` does, from what a search finds under some constraints.

    Examples
    --------
    >>> held = read_constraints([("a", "b")], None, ("a", "b"), "y")
    >>> table, total = prices_of(lambda given: 1.0 - 0.25 * len(given.required), held, ("a", "b"))
    >>> table[0].price, total
    (0.25, 0.25)
    """
    if not (constraints.required or constraints.forbidden):
        return (), 0.0
    held = dependence(constraints)
    table = tuple(
        Constraint(kind, names[edge[0]], names[edge[1]], dependence(constraints.without(edge)) - held)
        for kind, edges in (("required", constraints.required), ("forbidden", constraints.forbidden))
        for edge in edges
    )
    return table, dependence(Constraints(constraints.d)) - held


def _read_edges(kind: str, edges: Edges | None, names: Sequence[str], target: str) -> tuple[Pair, ...]:
    """Turn pairs of names into pairs of columns; an edge given twice counts once."""
    if edges is None:
        return ()
    if not isinstance(edges, (list, tuple)):
        raise StructureError(
            f"{kind}= must be a list of pairs of attribute names, such as [('age', 'sex')], but is {edges!r}"
        )
    column = {name: i for i, name in enumerate(names)}
    found: dict[frozenset[int], Pair] = {}
    for edge in edges:
        if not (
            isinstance(edge, (list, tuple)) and len(edge) == 2 and all(isinstance(end, str) for end in edge)
        ):
            raise StructureError(
                f"every edge in {kind}= must be a pair of attribute names, such as ('age', 'sex'), "
                f"but one is {edge!r}; write {kind}=[('age', 'sex')] for a single edge"
            )
        for end in edge:
            _check_end(kind, end, edge, column, target)
        i, j = (column[end] for end in edge)
        if i == j:
            raise StructureError(
                f"an edge joins two different attributes, but {kind}= has one from {edge[0]!r} to itself; "
                "leave it out"
            )
        found.setdefault(frozenset((i, j)), (i, j))
    return tuple(found.values())


def _check_end(kind: str, end: str, edge: Sequence[str], column: dict[str, int], target: str) -> None:
    if end in column:
        return
    first, second = edge
    if end == target:
        raise StructureError(
            f"{kind}= takes edges between attributes, but {first!r} - {second!r} has the class at one end; "
            "the class is joined to every attribute anyway, so leave this edge out"
        )
    help_ = did_you_mean(end, column) or f"; the attributes are {listed(list(column))}"
    raise StructureError(
        f"the edge {first!r} - {second!r} in {kind}= names {end!r}, which is not an attribute of the table"
        f"{help_}"
    )


def _check_consistent(constraints: Constraints, names: Sequence[str], mothers: int) -> None:
    """Check that some tree has every required edge and no forbidden one."""
    unwanted = {frozenset(edge) for edge in constraints.forbidden}
    for i, j in constraints.required:
        if frozenset((i, j)) in unwanted:
            raise StructureError(
                f"the edge {names[i]!r} - {names[j]!r} is both required and forbidden; "
                "leave it out of one of the two"
            )
    if constraints.required:
        _check_no_cycle(constraints, names, mothers)
    if constraints.forbidden:
        _check_connected(constraints, names)


def _check_no_cycle(constraints: Constraints, names: Sequence[str], mothers: int) -> None:
    n_parts, _ = _parts(constraints.is_required())
    if n_parts == constraints.d - len(constraints.required):  # every edge of a forest joins two parts
        return
    if mothers > 1 and completions(constraints, mothers):
        return
    import networkx as nx

    graph = nx.Graph(constraints.required)
    largest = max(nx.find_cliques(graph), key=len)
    if mothers > 1 and len(largest) > mothers + 1:
        raise StructureError(
            f"{listed([repr(names[i]) for i in sorted(largest)])} are all required with each other, which "
            f"takes order={len(largest) + 1}; leave an edge out, or raise the order"
        )
    if mothers > 1:
        raise StructureError(
            f"with up to {mothers} mothers each, the required edges close circles for which further links "
            "across are needed; require these too, or leave an edge out"
        )
    cycle = [names[i] for i, _ in nx.find_cycle(graph)]
    path = " - ".join(repr(name) for name in [*cycle, cycle[0]])
    raise StructureError(
        f"the edges of a tree close no cycle, but these required ones do: {path}; leave one out"
    )


def _check_connected(constraints: Constraints, names: Sequence[str]) -> None:
    n_parts, part = _parts(~_mask(constraints.forbidden, constraints.d))
    if n_parts > 1:
        smallest = int(np.argmin(np.bincount(part)))
        cut_off = listed([repr(name) for name, its in zip(names, part, strict=True) if its == smallest])
        raise StructureError(
            f"with these edges forbidden, nothing can join {cut_off} to the rest; allow an edge that does"
        )


def _parts(joined: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the number of connected parts of a graph, and the part of every node."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n_parts, part = connected_components(csr_array(joined), directed=False)
    return int(n_parts), part


def _mask(edges: Sequence[Pair], d: int) -> np.ndarray:
    """Return the symmetric matrix (d, d) that is true at the edges."""
    mask = np.zeros((d, d), dtype=bool)
    for i, j in edges:
        mask[i, j] = mask[j, i] = True
    return mask
