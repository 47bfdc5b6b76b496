"""Attributes with several parents: the joint log-probability of rows, unknown cells summed out exactly.

Given the class, P(x) = prod P(xi | parents, y) over a directed graph without cycles. What is known cuts the
graph, and an unknown attribute without known descendants sums to one, so most sums are small. The others are
summed out one at a time, always the one whose table is smallest; this is what a junction tree of the unknown
attributes does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from pgm_nb.arrays import Codes, Flags, Floats, Places
from pgm_nb.errors import QueryError
from pgm_nb.tables.factors import Factors
from pgm_nb.words import listed

__all__ = [
    "MOST_CELLS",
    "Factor",
    "Sums",
    "best_states",
    "eliminate",
    "log_factors",
    "summed_with_slopes",
    "sums_of",
]

BLOCK = 1 << 14  # rows handled at once
MOST_CELLS = 1 << 22  # of a table that is summed, for one row
BATCH_CELLS = 1 << 23  # numbers held at once

Scope = tuple[int, ...]
Factor = tuple[Scope, Floats]  # the variables of the axes, and logs


def eliminate(factors: Factors, codes: Codes) -> Floats:
    """Log P(y, known attributes) of every row, natural log, (n, k); rows that lack the same are one piece.

    Raises
    ------
    QueryError
        If summing out needs a table of more than `MOST_CELLS` numbers.

    Examples
    --------
    >>> table = np.log(np.array([[[0.9, 0.1], [0.2, 0.8]]]))  # P(b | a), one class
    >>> found = Factors(np.zeros(1), (0, 1), (-1, 0), (np.log([[0.5, 0.5]]), table))
    >>> np.exp(eliminate(found, np.array([[0, 2], [1, 1]]))).ravel().round(3)  # b = 1; a = 0, unknown
    array([0.05, 0.45])
    """
    used = codes[list(factors.columns)].astype(np.intp)
    unknown = used >= factors.cards[:, None]
    result = np.empty((codes.shape[1], len(factors.log_prior)))
    for rows in _patterns(unknown):
        result[rows] = _same_unknown(factors, used[:, rows], unknown[:, rows[0]])
    return result


def _patterns(unknown: Flags) -> list[Places]:
    """Return the rows (columns of the array) that lack the same attributes, for every such group."""
    packed = np.packbits(unknown, axis=0)
    words = np.zeros((-(-len(packed) // 8) * 8, packed.shape[1]), dtype=np.uint8)
    words[: len(packed)] = packed
    keys = np.ascontiguousarray(words.T).view(np.uint64)
    _, place = np.unique(keys[:, 0] if keys.shape[1] == 1 else keys, axis=0, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(place.ravel()))
    return np.split(order, ends[:-1])


@dataclass(frozen=True)
class Sums:
    """How unknown attributes are summed out of a factors.

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


def sums_of(factors: Factors, unknown: Flags) -> Sums:
    """Plan the sums over these attributes.

    Examples
    --------
    >>> table = np.log(np.array([[[0.9, 0.1], [0.2, 0.8]]]))
    >>> found = Factors(np.zeros(1), (0, 1), (-1, 0), (np.log([[0.5, 0.5]]), table))
    >>> sums_of(found, np.array([True, False]))
    Sums(needed=(0, 1), scopes=((0,), (0,)), steps=(0,), cells=2)
    """
    return _planned(factors, unknown, unknown)


def _same_unknown(factors: Factors, codes: Places, unknown: Flags) -> Floats:
    """Score rows that lack the same attributes, (rows, k)."""
    sums, n = sums_of(factors, unknown), codes.shape[1]
    at_once = max(1, min(BLOCK, BATCH_CELLS // (sums.cells * len(factors.log_prior))))
    if sums.steps and 1 < n <= at_once:
        found = _one_apart(factors, codes, unknown)
        if found is not None:
            return found
    parts = [
        _summed(factors, codes[:, start : start + at_once], sums, unknown)[0]
        for start in range(0, n, at_once)
    ]
    return np.concatenate(parts)


def _one_apart(factors: Factors, codes: Places, unknown: Flags) -> Floats | None:
    """Score rows that differ in one attribute alone, (rows, k), all its states at once; None for others.

    So a case is asked about an attribute. It is the last to go, and what does not depend on it is summed
    once and not for every row.
    """
    apart = np.flatnonzero(~unknown & (codes != codes[:, :1]).any(axis=1))
    if len(apart) != 1:
        return None
    (varied,) = apart.tolist()
    free = unknown.copy()
    free[varied] = True
    try:
        sums = _planned(factors, unknown, free)
    except QueryError:  # too large a table with one attribute more
        return None
    score, left = _summed(factors, codes[:, :1], sums, free)
    by_state = score.T + np.sum([table[0] for _, table in left], axis=0)
    found: Floats = by_state[:, codes[varied]].T
    return found


def _planned(factors: Factors, unknown: Flags, free: Flags) -> Sums:
    """Plan the sums over what is unknown; what is `free` beyond that stays."""
    needed = _needed(factors, unknown)
    scopes = [_scope(factors, position, free) for position in needed]
    summed = [position for position in needed if unknown[position]]
    steps, cells = _plan(factors, [scope for scope in scopes if scope], summed)
    return Sums(tuple(needed), tuple(scopes), tuple(steps), cells)


def _summed(
    factors: Factors, codes: Places, sums: Sums, unknown: Flags
) -> tuple[Floats, list[tuple[Scope, Floats]]]:
    """Sum attributes out of rows: the scores that no longer depend on any, (rows, k), and what is left."""
    score = np.repeat(factors.log_prior[None], codes.shape[1], axis=0)
    left: list[tuple[Scope, Floats]] = []
    for position, scope in zip(sums.needed, sums.scopes, strict=True):
        if scope:
            left.append((scope, _sliced(factors, position, codes, unknown)))
        else:
            states = tuple(codes[member] for member in (*factors.given[position], position))
            score += factors.tables[position][(slice(None), *states)].T
    for position in sums.steps:
        taking_part = [part for part in left if position in part[0]]
        left = [part for part in left if position not in part[0]]
        scope, table = _sum_out(taking_part, position)
        if scope:
            left.append((scope, table))
        else:
            score += table
    return score, left


def _needed(factors: Factors, unknown: Flags) -> list[int]:
    """Return the attributes that matter: not those that are unknown, and all their descendants too."""
    matters = ~unknown
    for position in reversed(range(len(factors.given))):
        if matters[position]:
            matters[list(factors.given[position])] = True
    return [int(position) for position in np.flatnonzero(matters)]


def _scope(factors: Factors, position: int, unknown: Flags) -> Scope:
    return tuple(member for member in (*factors.given[position], position) if unknown[member])


def _plan(factors: Factors, found: Sequence[Scope], summed: Sequence[int]) -> tuple[list[int], int]:
    """Return the order in which attributes are summed out, and the cells of the largest table."""
    scopes = [set(scope) for scope in found]
    touched = {position: _joined(scopes, position) for position in summed}
    sizes = {position: _size(factors, scope) for position, scope in touched.items()}
    steps, most = [], 1
    while sizes:
        position = min(sizes, key=lambda p: (sizes[p], p))
        if sizes[position] > MOST_CELLS:
            raise _refusal(factors, [p for p in summed if p in sizes], sizes[position])
        most = max(most, sizes.pop(position))
        merged = touched.pop(position) - {position}
        scopes = [*(scope for scope in scopes if position not in scope), merged]
        for other in merged & sizes.keys():
            touched[other] = _joined(scopes, other)
            sizes[other] = _size(factors, touched[other])
        steps.append(position)
    return steps, most


def _joined(scopes: Sequence[set[int]], position: int) -> set[int]:
    return set().union(*(scope for scope in scopes if position in scope))


def _size(factors: Factors, scope: set[int]) -> int:
    return prod(int(factors.cards[member]) for member in scope)


def _refusal(factors: Factors, left: Sequence[int], cells: int) -> QueryError:
    """Say what to do; how large the sum would be is a note for those who see the traceback."""
    named = ", ".join(repr(factors.names[position]) for position in left[:5]) if factors.names else ""
    which = f", for instance of {named}" if named else ""
    error = QueryError(
        "too many attributes that depend on each other are unknown; give values of some of them"
        f"{which}, or learn with fewer mothers or states"
    )
    error.add_note(f"{cells:,} combinations of values to add up; {MOST_CELLS:,} are the most.")
    return error


def _sliced(factors: Factors, position: int, codes: Places, unknown: Flags) -> Floats:
    """Return the table of an attribute at what is known of its family, (rows or 1, k, unknown ones ...)."""
    members = (*factors.given[position], position)
    table = factors.tables[position]
    kept = [axis for axis, member in enumerate(members) if unknown[member]]
    known = [axis for axis, member in enumerate(members) if not unknown[member]]
    moved = table.transpose(*(axis + 1 for axis in known), 0, *(axis + 1 for axis in kept))
    if not known:
        return moved[None]
    states = tuple(codes[members[axis]] for axis in known)
    sliced: Floats = moved[states]
    return sliced


def _sum_out(factors: Sequence[tuple[Scope, Floats]], position: int) -> tuple[Scope, Floats]:
    """Multiply tables, given as logs, and sum one attribute out of the product."""
    scope = tuple(sorted({member for one, _ in factors for member in one} - {position}))
    axes = (*scope, position)
    logs = sum((_aligned(table, one, axes) for one, table in factors), start=np.zeros(1))
    top = logs.max(axis=-1, keepdims=True)
    top[np.isneginf(top)] = 0.0
    with np.errstate(divide="ignore"):
        summed: Floats = np.log(np.exp(logs - top).sum(axis=-1)) + top[..., 0]
    return scope, summed


def summed_with_slopes(
    factors: Sequence[tuple[Scope, Floats]], steps: Sequence[int]
) -> tuple[Floats, list[Floats]]:
    """Multiply tables, sum attributes out, and say how probable the cells of each table are.

    Parameters
    ----------
    factors : sequence of (scope, table)
        The attributes of each table and its log, (k, states ...), in the order of the scope.
    steps : sequence of int
        The attributes in the order in which they are summed out: all that are in a scope.

    Returns
    -------
    total : array (k,)
        The log of the sum.
    slopes : list of arrays (k, states ...)
        Its derivative by each log table, which is the posterior of these attributes.

    Examples
    --------
    >>> a, b = np.log([[0.5, 0.5]]), np.log([[0.9, 0.2]])  # P(a), and P(b = 1 | a)
    >>> total, slopes = summed_with_slopes([((0,), a), ((0,), b)], [0])
    >>> np.exp(total).round(3), slopes[0].round(3)
    (array([0.55]), array([[0.818, 0.182]]))
    """
    tables, scopes = [table for _, table in factors], [scope for scope, _ in factors]
    alive = list(range(len(tables)))
    made: list[tuple[int, list[int], Scope, Floats]] = []
    for position in steps:
        parts = [i for i in alive if position in scopes[i]]
        scope = tuple(sorted({member for i in parts for member in scopes[i]} - {position}))
        axes = (*scope, position)
        logs = sum((_aligned(tables[i], scopes[i], axes) for i in parts), start=np.zeros(1))
        top = logs.max(axis=-1, keepdims=True)
        top[np.isneginf(top)] = 0.0
        shares = np.exp(logs - top)
        total = shares.sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares /= total  # P(position | the others of the table)
            tables.append((np.log(total) + top)[..., 0])
        scopes.append(scope)
        made.append((len(tables) - 1, parts, axes, np.nan_to_num(shares, copy=False)))
        alive = [i for i in alive if i not in parts] + [len(tables) - 1]
    slopes = [np.zeros(0)] * len(tables)
    for i in alive:
        slopes[i] = np.ones_like(tables[i])
    score: Floats = np.sum([tables[i] for i in alive], axis=0)
    for result, parts, axes, shares in reversed(made):
        whole = shares * slopes[result][..., None]
        for i in parts:
            slopes[i] = _back(whole, axes, scopes[i])
    return score, slopes[: len(factors)]


def _aligned(table: Floats, scope: Scope, axes: Scope) -> Floats:
    """Return a table with an axis for each of these attributes; of length one for those it does not have.

    The axes before those of its scope, of rows and classes, stay as they are.
    """
    lead = table.ndim - len(scope)
    order = sorted(range(len(scope)), key=lambda axis: axes.index(scope[axis]))
    shape = [table.shape[lead + scope.index(member)] if member in scope else 1 for member in axes]
    turned = table.transpose(*range(lead), *(lead + axis for axis in order))
    return turned.reshape(*table.shape[:lead], *shape)


def _back(whole: Floats, axes: Scope, scope: Scope) -> Floats:
    """Sum a table over the attributes that a scope does not have, and put the rest in its order."""
    rest = [member for member in axes if member in scope]
    out = tuple(1 + axis for axis, member in enumerate(axes) if member not in scope)
    summed = whole.sum(axis=out) if out else whole
    found: Floats = summed.transpose(0, *(1 + rest.index(member) for member in scope))
    return found


def best_states(
    factors: Sequence[Factor], cards: Mapping[int, int], names: Sequence[str] = ()
) -> tuple[float, dict[int, int]]:
    """Return the largest sum of log factors, and the states that reach it.

    Parameters
    ----------
    factors : sequence of (variables, array)
        Logs, one axis for each variable.
    cards : mapping of int to int
        The number of states of every variable whose state is wanted.
    names : sequence of str
        What the variables are called, for errors.

    Raises
    ------
    QueryError
        If a table of more than `MOST_CELLS` numbers would be needed.

    Examples
    --------
    >>> chance = np.log([[0.9, 0.1], [0.2, 0.8]])  # P(b | a)
    >>> value, states = best_states([((0,), np.log([0.5, 0.5])), ((0, 1), chance)], {0: 2, 1: 2})
    >>> round(float(np.exp(value)), 3), states
    (0.45, {0: 0, 1: 0})
    """
    left = [factor for factor in factors if factor[0]]
    total = sum(float(logs) for scope, logs in factors if not scope)
    steps: list[tuple[int, tuple[int, ...], Places]] = []
    waiting = dict(cards)
    while waiting:
        beside = {v: _beside(v, left) for v in waiting}
        chosen = min(waiting, key=lambda v: (prod(cards[u] for u in beside[v]) * cards[v], v))
        scope = (*beside[chosen], chosen)
        if (cells := prod(cards[u] for u in scope)) > MOST_CELLS:
            unknown = listed([names[v] if names else str(v) for v in sorted(waiting)])
            raise QueryError(
                f"too many attributes that depend on each other are unknown ({unknown}), and a table of "
                f"{cells:,} combinations would be needed; set values of some of them"
            )
        table = np.zeros([cards[u] for u in scope])
        for variables, logs in left:
            if chosen in variables:
                table = table + _aligned(logs[None], variables, scope)[0]
        left = [factor for factor in left if chosen not in factor[0]]
        steps.append((chosen, scope[:-1], table.argmax(axis=-1)))
        best = table.max(axis=-1)
        if scope[:-1]:
            left.append((scope[:-1], best))
        else:
            total += float(best)
        del waiting[chosen]
    states: dict[int, int] = {}
    for variable, others, choice in reversed(steps):
        states[variable] = int(choice[tuple(states[u] for u in others)])
    return total, {v: states[v] for v in cards}


def _beside(variable: int, factors: Sequence[Factor]) -> tuple[int, ...]:
    """Return the variables that share a factor with one of them."""
    found = {v for scope, _ in factors if variable in scope for v in scope}
    return tuple(sorted(found - {variable}))


def log_factors(factors: Factors, place: int) -> list[Factor]:
    """Return log P(y, x) of one class as a sum of tables over columns.

    Examples
    --------
    >>> found = Factors(np.log([0.3, 0.7]), (4,), (-1,), (np.log([[0.5, 0.5], [0.1, 0.9]]),))
    >>> [(scope, np.exp(logs).round(2).tolist()) for scope, logs in log_factors(found, 1)]
    [((), 0.7), ((4,), [0.1, 0.9])]
    """
    found: list[Factor] = [((), np.asarray(factors.log_prior[place]))]
    for position, (parents, table) in enumerate(zip(factors.given, factors.tables, strict=True)):
        family = (*parents, position)
        found.append((tuple(factors.columns[member] for member in family), table[place]))
    return found
