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

from pgm_nb.arrays import Codes, Flags, Floats, Ints, Places
from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count
from pgm_nb.errors import QueryError

__all__ = ["MOST_CELLS", "Network", "Sums", "log_joint_network", "network_terms", "sums_of"]

BLOCK = 1 << 14  # rows handled at once
MOST_CELLS = 1 << 22  # of a table that is summed, for one row
BATCH_CELLS = 1 << 23  # numbers held at once

KERNELS = ("auto", "numpy", "compiled")
COMPILED = CompiledModule("pgm_nb.inference.compiled_network", load_seconds=0.8, compile_seconds=6.0)
PATTERN_SECONDS = 1e-3  # that NumPy takes for the rows that lack the same attributes
ROWS_ALIKE = 64  # as many of them are taken together in the time of one after the other
ROW_CELLS = 1 << 14  # of a table, beyond which a row is left to NumPy
ROW_NS = 300.0  # per attribute

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

    @cached_property
    def laid(self) -> tuple[Ints, Ints, Ints, Ints, Ints, Floats, Floats]:
        """States, counts of members, members, their steps, starts and tables, as compiled code reads them."""
        d, widest = len(self.parents), 1 + max(map(len, self.parents))
        members, steps = np.zeros((2, d, widest), dtype=np.int64)
        for position, parents in enumerate(self.parents):
            family = (*parents, position)
            members[position, : len(family)] = family
            for axis in range(len(family)):
                steps[position, axis] = prod(self.cards[member] for member in family[axis + 1 :])
        sizes = np.array([len(flat) for flat in self.flat], dtype=np.int64)
        logs = np.concatenate(self.flat)
        counts = np.array([1 + len(parents) for parents in self.parents], dtype=np.int64)
        cards = np.array(self.cards, dtype=np.int64)
        chances = np.ascontiguousarray(np.exp(logs.T))
        return cards, counts, members, steps, np.cumsum(sizes) - sizes, chances, logs

    def cells(self, position: int, codes: Codes) -> Places:
        """Return the cell that each row has in the table of an attribute, all parents and itself known."""
        cell = np.zeros(codes.shape[1], dtype=np.intp)
        for member in (*self.parents[position], position):
            cell *= self.cards[member]
            cell += codes[self.columns[member]]
        return cell


def log_joint_network(network: Network, codes: Codes, kernel: str = "auto") -> Floats:
    """Log P(y, known attributes) of every row, natural log, (n, k).

    A code equal to the number of states means unknown: that attribute is summed out exactly. `kernel` is
    "numpy", which takes the rows that lack the same attributes together, "compiled", which takes them one by
    one, or "auto"; the results agree to 1e-12.

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
    some = unknown.any(axis=0)
    complete, rows = np.flatnonzero(~some), np.flatnonzero(some)
    result[complete] = _same_unknown(network, codes, complete, np.zeros(len(unknown), dtype=bool))
    patterns = _patterns(unknown[:, rows])
    small = sum(table.size for table in network.tables) <= MOST_CELLS
    alike = kernel == "auto" and len(patterns) * ROWS_ALIKE <= len(rows)  # enough rows to take together
    if small and not alike and COMPILED.chosen(kernel, KERNELS, PATTERN_SECONDS * len(patterns)):
        part = np.empty((len(rows), result.shape[1]))
        left = _row_by_row(network, codes[:, rows], part)
        result[rows] = part
        patterns = [some[left[some]] for some in patterns]
    for places in patterns:
        if len(places):
            here = rows[places]
            result[here] = _same_unknown(network, codes, here, unknown[:, here[0]])
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


def _row_by_row(network: Network, codes: Codes, result: Floats) -> Flags:
    """Score rows by compiled code; return those it leaves: too near to zero, or with too large a table."""
    from pgm_nb.inference import compiled_network

    n, d = codes.shape[1], len(network.parents)
    used = np.ascontiguousarray(codes[list(network.columns)], dtype=np.uint16)
    given = (used, *network.laid, network.log_prior, ROW_CELLS)
    small = np.zeros(n, dtype=np.uint8)

    def add(first: int, last: int) -> None:
        compiled_network.sum_out_rows(*given, result, small, first, last)

    in_threads(add, np.full(n, ROW_NS * d), thread_count(None))
    return small > 0


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
    return _planned(network, unknown, unknown)


def network_terms(network: Network, codes: Codes) -> Floats:
    """Return what each attribute adds to the score of complete rows, (n, attributes, k)."""
    return np.stack(
        [flat[network.cells(position, codes)] for position, flat in enumerate(network.flat)], axis=1
    )


def _same_unknown(network: Network, codes: Codes, rows: Places, unknown: NDArray[np.bool_]) -> Floats:
    """Score rows that lack the same attributes, (rows, k)."""
    sums = sums_of(network, unknown)
    at_once = max(1, min(BLOCK, BATCH_CELLS // (sums.cells * len(network.log_prior))))
    if sums.steps and 1 < len(rows) <= at_once:
        found = _one_apart(network, codes[:, rows], unknown)
        if found is not None:
            return found
    parts = []
    for start in range(0, len(rows), at_once):
        some = codes[:, rows[start : start + at_once]]
        parts.append(_summed(network, some, sums, unknown)[0])
    return np.concatenate(parts) if parts else np.empty((0, len(network.log_prior)))


def _one_apart(network: Network, codes: Codes, unknown: NDArray[np.bool_]) -> Floats | None:
    """Score rows that differ in one attribute alone, (rows, k), all its states at once; None for others.

    So a case is asked about an attribute. It is the last to go, and what does not depend on it is summed
    once and not for every row.
    """
    used = codes[list(network.columns)]
    apart = np.flatnonzero(~unknown & (used != used[:, :1]).any(axis=1))
    if len(apart) != 1:
        return None
    (varied,) = apart.tolist()
    free = unknown.copy()
    free[varied] = True
    try:
        sums = _planned(network, unknown, free)
    except QueryError:  # too large a table with one attribute more
        return None
    score, left = _summed(network, codes[:, :1], sums, free)
    by_state = score.T + np.sum([table[0] for _, table in left], axis=0)
    found: Floats = by_state[:, used[varied].astype(np.intp)].T
    return found


def _planned(network: Network, unknown: NDArray[np.bool_], free: NDArray[np.bool_]) -> Sums:
    """Plan the sums over what is unknown; what is `free` beyond that stays."""
    needed = _needed(network, unknown)
    scopes = [_scope(network, position, free) for position in needed]
    summed = [position for position in needed if unknown[position]]
    steps, cells = _plan(network, [scope for scope in scopes if scope], summed)
    return Sums(tuple(needed), tuple(scopes), tuple(steps), cells)


def _summed(
    network: Network, codes: Codes, sums: Sums, unknown: NDArray[np.bool_]
) -> tuple[Floats, list[tuple[Scope, Floats]]]:
    """Sum attributes out of rows: the scores that no longer depend on any, (rows, k), and what is left."""
    score = np.repeat(network.log_prior[None], codes.shape[1], axis=0)
    factors: list[tuple[Scope, Floats]] = []
    for position, scope in zip(sums.needed, sums.scopes, strict=True):
        if scope:
            factors.append((scope, _sliced(network, position, codes, unknown)))
        else:
            score += network.flat[position][network.cells(position, codes)]
    for position in sums.steps:
        taking_part = [factor for factor in factors if position in factor[0]]
        factors = [factor for factor in factors if position not in factor[0]]
        scope, table = _sum_out(taking_part, position)
        if scope:
            factors.append((scope, table))
        else:
            score += table
    return score, factors


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
        for other in merged & sizes.keys():
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
