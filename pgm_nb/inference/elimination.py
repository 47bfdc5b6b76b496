"""Attributes with several parents: the joint log-probability of rows, unknown cells summed out exactly.

Given the class, P(x) = prod P(xi | parents, y) over a directed graph without cycles. What is known cuts the
graph, and an unknown attribute without known descendants sums to one, so most sums are small. The others are
summed out one at a time, always the one whose table is smallest; this is what a junction tree of the unknown
attributes does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.errors import QueryError

__all__ = ["MOST_CELLS", "Network", "Sums", "log_joint_network", "network_terms", "sums_of"]

BLOCK = 1 << 14  # rows handled at once
MOST_CELLS = 1 << 22  # of a table that is summed, for one row
BATCH_CELLS = 1 << 23  # numbers held at once

Scope = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Network:
    """Log tables of attributes that have any number of parents.

    Attributes
    ----------
    log_prior : array (k,)
        log P(y).
    columns : tuple of int
        Column of each attribute in the coded table; parents before their children.
    parents : tuple of tuples of int
        Positions *in this list* of each attribute's parents.
    tables : tuple of arrays
        log P(x | parents, y) as (k, v_parent, ..., v).
    names : tuple of str
        What the attributes are called, for errors.
    """

    log_prior: Floats
    columns: tuple[int, ...]
    parents: tuple[Scope, ...]
    tables: tuple[Floats, ...]
    names: tuple[str, ...] = ()

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """Number of states of each attribute."""
        return tuple(table.shape[-1] for table in self.tables)

    @cached_property
    def flat(self) -> tuple[Floats, ...]:
        """Each table as (cells, k)."""
        return tuple(np.ascontiguousarray(table.reshape(len(table), -1).T) for table in self.tables)

    def cells(self, position: int, codes: Codes) -> Places:
        """Return the cell that each row has in the table of an attribute, all parents and itself known."""
        cell = np.zeros(codes.shape[1], dtype=np.intp)
        for member in (*self.parents[position], position):
            cell *= self.cards[member]
            cell += codes[self.columns[member]]
        return cell


def log_joint_network(network: Network, codes: Codes) -> Floats:
    """Log P(y, known attributes) of every row, natural log, (n, k).

    A code equal to the number of states means unknown: that attribute is summed out exactly.

    Raises
    ------
    QueryError
        If summing out needs a table of more than `MOST_CELLS` numbers.

    Examples
    --------
    >>> table = np.log(np.array([[[0.9, 0.1], [0.2, 0.8]]]))  # P(b | a), one class
    >>> found = Network(np.zeros(1), (0, 1), ((), (0,)), (np.log([[0.5, 0.5]]), table))
    >>> np.exp(log_joint_network(found, np.array([[0, 2], [1, 1]]))).ravel().round(3)  # b = 1; a = 0, unknown
    array([0.05, 0.45])
    """
    n = codes.shape[1]
    unknown = np.stack([codes[c] >= v for c, v in zip(network.columns, network.cards, strict=True)])
    if not unknown.any():
        return _same_unknown(network, codes, np.arange(n), np.zeros(len(unknown), dtype=bool))
    result = np.empty((n, len(network.log_prior)))
    packed = np.packbits(unknown, axis=0).T
    patterns, place = np.unique(packed, axis=0, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(place.ravel(), minlength=len(patterns)))
    for start, end in zip((0, *ends[:-1]), ends, strict=True):
        rows = order[start:end]
        result[rows] = _same_unknown(network, codes, rows, unknown[:, rows[0]])
    return result


@dataclass(frozen=True)
class Sums:
    """How unknown attributes are summed out of a network.

    Attributes
    ----------
    needed : tuple of int
        The attributes whose tables take part.
    scopes : tuple of tuples of int
        The unknown attributes of each of these tables.
    steps : tuple of int
        The order in which attributes are summed out.
    cells : int
        The cells of the largest table on the way, for one row and class.
    """

    needed: tuple[int, ...]
    scopes: tuple[Scope, ...]
    steps: tuple[int, ...]
    cells: int


def sums_of(network: Network, unknown: NDArray[np.bool_]) -> Sums:
    """Plan the sums over these attributes.

    Examples
    --------
    >>> table = np.log(np.array([[[0.9, 0.1], [0.2, 0.8]]]))
    >>> found = Network(np.zeros(1), (0, 1), ((), (0,)), (np.log([[0.5, 0.5]]), table))
    >>> sums_of(found, np.array([True, False]))
    Sums(needed=(0, 1), scopes=((0,), (0,)), steps=(0,), cells=2)
    """
    needed = _needed(network, unknown)
    scopes = [_scope(network, position, unknown) for position in needed]
    summed = [position for position in needed if unknown[position]]
    steps, cells = _plan(network, [scope for scope in scopes if scope], summed)
    return Sums(tuple(needed), tuple(scopes), tuple(steps), cells)


def network_terms(network: Network, codes: Codes) -> Floats:
    """Return what each attribute adds to the score of complete rows, (n, attributes, k)."""
    return np.stack(
        [flat[network.cells(position, codes)] for position, flat in enumerate(network.flat)], axis=1
    )


def _same_unknown(network: Network, codes: Codes, rows: Places, unknown: NDArray[np.bool_]) -> Floats:
    """Score rows that lack the same attributes, (rows, k)."""
    sums = sums_of(network, unknown)
    at_once = max(1, min(BLOCK, BATCH_CELLS // (sums.cells * len(network.log_prior))))
    parts = []
    for start in range(0, len(rows), at_once):
        some = codes[:, rows[start : start + at_once]]
        score = np.repeat(network.log_prior[None], some.shape[1], axis=0)
        factors: list[tuple[Scope, Floats]] = []
        for position, scope in zip(sums.needed, sums.scopes, strict=True):
            if scope:
                factors.append((scope, _sliced(network, position, some, unknown)))
            else:
                score += network.flat[position][network.cells(position, some)]
        for position in sums.steps:
            taking_part = [factor for factor in factors if position in factor[0]]
            factors = [factor for factor in factors if position not in factor[0]]
            scope, table = _sum_out(taking_part, position)
            if scope:
                factors.append((scope, table))
            else:
                score += table
        parts.append(score)
    return np.concatenate(parts) if parts else np.empty((0, len(network.log_prior)))


def _needed(network: Network, unknown: NDArray[np.bool_]) -> list[int]:
    """Return the attributes that matter: not those that are unknown, and all their descendants too."""
    matters = ~unknown
    for position in reversed(range(len(network.parents))):
        if matters[position]:
            matters[list(network.parents[position])] = True
    return [int(position) for position in np.flatnonzero(matters)]


def _scope(network: Network, position: int, unknown: NDArray[np.bool_]) -> Scope:
    return tuple(member for member in (*network.parents[position], position) if unknown[member])


def _plan(network: Network, found: Sequence[Scope], summed: Sequence[int]) -> tuple[list[int], int]:
    """Return the order in which attributes are summed out, and the cells of the largest table."""
    scopes = [set(scope) for scope in found]
    touched = {position: _joined(scopes, position) for position in summed}
    sizes = {position: _size(network, scope) for position, scope in touched.items()}
    steps, most = [], 1
    while sizes:
        position = min(sizes, key=lambda p: (sizes[p], p))
        if sizes[position] > MOST_CELLS:
            raise _refusal(network, [p for p in summed if p in sizes], sizes[position])
        most = max(most, sizes.pop(position))
        merged = touched.pop(position) - {position}
        scopes = [*(scope for scope in scopes if position not in scope), merged]
        for other in merged:
            touched[other] = _joined(scopes, other)
            sizes[other] = _size(network, touched[other])
        steps.append(position)
    return steps, most


def _joined(scopes: Sequence[set[int]], position: int) -> set[int]:
    return set().union(*(scope for scope in scopes if position in scope))


def _size(network: Network, scope: set[int]) -> int:
    return prod(network.cards[member] for member in scope)


def _refusal(network: Network, left: Sequence[int], cells: int) -> QueryError:
    """Say what to do; how large the sum would be is a note for those who see the traceback."""
    named = ", ".join(repr(network.names[position]) for position in left[:5]) if network.names else ""
    which = f", for instance of {named}" if named else ""
    error = QueryError(
        "too many attributes that depend on each other are unknown; give values of some of them"
        f"{which}, or learn with fewer mothers or states"
    )
    error.add_note(f"{cells:,} combinations of values to add up; {MOST_CELLS:,} are the most.")
    return error


def _sliced(network: Network, position: int, codes: Codes, unknown: NDArray[np.bool_]) -> Floats:
    """Return the table of an attribute at what is known of its family, (rows or 1, k, unknown ones ...)."""
    members = (*network.parents[position], position)
    table = network.tables[position]
    kept = [axis for axis, member in enumerate(members) if unknown[member]]
    known = [axis for axis, member in enumerate(members) if not unknown[member]]
    moved = table.transpose(*(axis + 1 for axis in known), 0, *(axis + 1 for axis in kept))
    if not known:
        return moved[None]
    states = tuple(codes[network.columns[members[axis]]].astype(np.intp) for axis in known)
    sliced: Floats = moved[states]
    return sliced


def _sum_out(factors: Sequence[tuple[Scope, Floats]], position: int) -> tuple[Scope, Floats]:
    """Multiply tables, given as logs, and sum one attribute out of the product."""
    scope = tuple(sorted({member for one, _ in factors for member in one} - {position}))
    axes = (*scope, position)
    total: Floats | float = 0.0
    for one, table in factors:
        order = sorted(range(len(one)), key=lambda axis: axes.index(one[axis]))
        shape = [table.shape[2 + one.index(member)] if member in one else 1 for member in axes]
        aligned = table.transpose(0, 1, *(axis + 2 for axis in order))
        total = total + aligned.reshape(*table.shape[:2], *shape)
    logs = np.asarray(total)
    top = logs.max(axis=-1, keepdims=True)
    top[np.isneginf(top)] = 0.0
    with np.errstate(divide="ignore"):
        summed: Floats = np.log(np.exp(logs - top).sum(axis=-1)) + top[..., 0]
    return scope, summed
