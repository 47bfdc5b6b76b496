"""The engine: the score of a row as a sum, one addend for each attribute, unknown ones summed out exactly.

The addends are log P(x_i | what is known before it, y). Where the parents of an attribute are known, the
addend is an entry of its table. Where some are not, the attribute's message about its parents is handed to
the last of them to join, whose cluster holds the others too; its own message changes, and so on up to a
cluster whose parents are known, or to the class. So every prefix of the sum is an exact marginal, and the sum
of all is the joint log-probability of the class and what is known.

`_Block` says this in NumPy, for all rows at once, in graphs where the parents of an attribute are parents of
each other. `compiled_sums.reveal` says it row by row for any graph, with products in place of sums of
logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count
from pgm_nb.engine.elimination import eliminate
from pgm_nb.tables.factors import Factors

__all__ = [
    "COMPILED",
    "KERNELS",
    "embedded",
    "hooks",
    "log_joint",
    "log_ratio",
    "normalise",
    "posteriors",
    "scores",
    "terms",
    "terms_of",
]

KERNELS = ("auto", "steady", "numpy", "compiled")
COMPILED = CompiledModule("pgm_nb.engine.compiled_sums", load_seconds=0.8, compile_seconds=6.0)
_CELL_NS, _STEP_NS, _COMPILED_NS = 20.0, 12_000.0, 3.0  # per row: cells of all tables, and attributes
_LOOK_UP_NS = 20.0  # that NumPy takes to look up an entry
_PATTERN_NS = 1e6  # that NumPy takes for a row of an unchordal graph
_CELLS = 1 << 21  # numbers that the clusters of a block of rows may hold: 16 MB
_ROOM, _MOST_ROOM = 1 << 14, 1 << 22  # cells that the messages of a row may take in compiled code
_BLOCK = 1 << 14  # rows handled at once
_FEW_ROWS = 64  # up to here all attributes are looked up at once
_SMALL = 1e-200  # a sum below this share of the largest term may have lost others to underflow


def log_ratio(a: Floats, b: Floats) -> Floats:
    """Return log(p/q) from log p and log q; what is impossible stays impossible.

    Examples
    --------
    >>> log_ratio(np.array([-1.0, -np.inf]), np.array([-3.0, -np.inf]))
    array([  2., -inf])
    """
    impossible = np.isneginf(a)
    return np.where(impossible, -np.inf, a - np.where(np.isneginf(b), 0.0, b))


def hooks(given: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return for each attribute the last of its parents to join, -1 for none: its cluster holds them all.

    Examples
    --------
    >>> hooks([(), (0,), (1, 0)])
    (-1, 0, 1)
    """
    return tuple(max(parents, default=-1) for parents in given)


def embedded(message: Floats, parents: Sequence[int], cluster: Sequence[int]) -> Floats:
    """Arrange a message about some attributes (its last axes) along the axes of a cluster that holds them.

    Examples
    --------
    >>> embedded(np.zeros((5, 2, 3, 4)), (7, 1), (1, 0, 7)).shape  # rows, classes, states of 7 and of 1
    (5, 2, 4, 1, 3)
    """
    lead = message.ndim - len(parents)
    kept = [place for place in cluster if place in parents]
    turned = message.transpose([*range(lead), *(lead + list(parents).index(place) for place in kept)])
    sizes = dict(zip(kept, turned.shape[lead:], strict=True))
    return turned.reshape(*turned.shape[:lead], *(sizes.get(place, 1) for place in cluster))


def terms(factors: Factors, codes: Codes, kernel: str = "auto") -> Floats:
    """Return what each attribute adds to log P(y, known attributes), (n, d, k), in the order of the factors.

    Parameters
    ----------
    factors : Factors
        The log tables of a forest or of a chordal graph, every parent before its children.
    codes : array (d, n)
        Coded rows; a code equal to the number of states means unknown.
    kernel : {"auto", "steady", "numpy", "compiled"}
        How to sum unknown attributes out; the results agree to 1e-12. "steady" is the same for the same rows
        whatever the process has done before.

    Examples
    --------
    >>> table = np.log([[0.9, 0.1], [0.4, 0.6]])  # P(x|y)
    >>> coin = Factors(np.log([0.5, 0.5]), (0,), (-1,), (table,))
    >>> np.exp(terms(coin, np.array([[0, 1, 2]], dtype=np.uint8))).round(1)[:, 0]
    array([[0.9, 0.4],
           [0.1, 0.6],
           [1. , 1. ]])
    """
    return terms_of([factors], np.zeros(codes.shape[1], dtype=np.intp), codes, kernel)


def terms_of(several: Sequence[Factors], which: Places, codes: Codes, kernel: str = "auto") -> Floats:
    """Return the terms of rows that are each scored by a model of their own, (n, d, k).

    Parameters
    ----------
    several : sequence of Factors
        Log tables of the same graph.
    which : array (n,)
        Which of them scores each row.
    codes, kernel
        As in `terms`.

    Examples
    --------
    >>> tables = np.log([[[0.9, 0.1], [0.4, 0.6]], [[0.5, 0.5], [0.2, 0.8]]])
    >>> coins = [Factors(np.log([0.5, 0.5]), (0,), (-1,), (table,)) for table in tables]
    >>> found = terms_of(coins, np.array([0, 1]), np.array([[0, 0]], dtype=np.uint8))
    >>> np.exp(found).round(1)[:, 0]
    array([[0.9, 0.4],
           [0.5, 0.2]])
    """
    graph = _Graph(several)
    used = codes[list(several[0].columns)].astype(np.intp)
    result = np.empty((used.shape[1], len(graph.given), len(several[0].log_prior)))
    incomplete = (used >= graph.cards[:, None]).any(axis=0)
    if not incomplete.any():
        graph.complete(used, which, result, kernel)
        return result
    rows = np.flatnonzero(~incomplete)
    part = np.empty((len(rows), *result.shape[1:]))
    graph.complete(used[:, rows], which[rows], part, kernel)
    result[rows] = part
    rows = np.flatnonzero(incomplete)
    seconds = 1e-9 * (_CELL_NS * graph.cells + _STEP_NS * len(graph.given)) * len(rows)
    if COMPILED.chosen(kernel, KERNELS, seconds):
        result[rows], lost = graph.compiled(used[:, rows], which[rows])
        rows = rows[lost]
    for start in range(0, len(rows), graph.rows_at_once):
        block = rows[start : start + graph.rows_at_once]
        result[block] = _Block(graph, used[:, block], which[block]).terms()
    return result


def log_joint(factors: Factors, codes: Codes, kernel: str = "auto") -> Floats:
    """Log P(y, known attributes) for every row, natural log, (n, k).

    A code equal to the number of states means unknown: that attribute is summed out exactly.

    Parameters
    ----------
    factors : Factors
        The log tables.
    codes : array (d, n)
        Coded rows, one column of the table per row of the array.
    kernel : {"auto", "numpy", "compiled"}
        How to sum unknown attributes out; the results agree to 1e-12.

    Raises
    ------
    QueryError
        If the unknown attributes depend on each other in a way that needs too large a table.

    Examples
    --------
    >>> table = np.log(np.array([[[0.9, 0.1], [0.2, 0.8]]]))  # P(b | a), one class
    >>> found = Factors(np.zeros(1), (0, 1), (-1, 0), (np.log([[0.5, 0.5]]), table))
    >>> np.exp(log_joint(found, np.array([[0, 2], [1, 1]]))).ravel().round(3)  # b = 1; a = 0, unknown
    array([0.05, 0.45])
    """
    n = codes.shape[1]
    result = np.empty((n, len(factors.log_prior)))
    if not factors.tables:  # nothing but the class
        result[:] = factors.log_prior
        return result
    complete = factors.are_complete(codes)
    if complete.all():
        _complete_rows(factors, codes, result)
        return result
    if complete.any():
        part = np.empty((int(complete.sum()), result.shape[1]))
        _complete_rows(factors, codes[:, complete], part)
        result[complete] = part
    rows = np.flatnonzero(~complete)
    result[rows], left = scores(factors, codes[:, rows], kernel)
    if len(left):
        result[rows[left]] = eliminate(factors, codes[:, rows[left]])
    return result


def scores(factors: Factors, codes: Codes, kernel: str = "auto") -> tuple[Floats, Places]:
    """Return log P(y, known attributes) of rows, (n, k), and the rows of an unchordal graph that are left.

    These are left where the compiled kernel is not used, or could not take them: `elimination` has them.
    """
    n = codes.shape[1]
    result, left = np.empty((n, len(factors.log_prior))), []
    for start in range(0, n, _BLOCK):
        block = slice(start, start + _BLOCK)
        if factors.is_chordal:
            result[block] = factors.log_prior + terms(factors, codes[:, block], kernel).sum(axis=1)
            continue
        graph, some = _Graph([factors]), codes[list(factors.columns), block].astype(np.intp)
        lost = np.arange(some.shape[1])
        small = graph.cells <= _MOST_ROOM
        if small and COMPILED.chosen(kernel, KERNELS, 1e-9 * _PATTERN_NS * len(lost)):
            found, lost = graph.compiled(some, np.zeros(len(lost), dtype=np.intp))
            result[block] = factors.log_prior + found.sum(axis=1)
        left.append(lost + start)
    return result, np.concatenate(left) if left else np.empty(0, dtype=np.intp)


def _complete_rows(factors: Factors, codes: Codes, result: Floats) -> None:
    """Sum one table entry per attribute and class: rows in blocks, columns in order."""
    if codes.shape[1] <= _FEW_ROWS:
        parts = np.empty((len(factors.columns) + 1, *result.shape))
        parts[0] = factors.log_prior
        factors.cells.take(factors.places(codes[list(factors.columns)]), axis=0, out=parts[1:])
        np.add.reduce(parts, axis=0, out=result)
        return
    flat = [np.ascontiguousarray(table.reshape(len(table), -1).T) for table in factors.tables]
    for start in range(0, codes.shape[1], _BLOCK):
        block = slice(start, start + _BLOCK)
        score = result[block]
        score[:] = factors.log_prior
        for column, mothers, card, table in zip(
            factors.columns, factors.given, factors.cards, flat, strict=True
        ):
            index, step = codes[column, block].astype(np.intp), card
            for mother in reversed(mothers):
                index += codes[factors.columns[mother], block].astype(np.intp) * step
                step = step * factors.cards[mother]
            score += table.take(index, axis=0)


class _Graph:
    """One graph; for each attribute the log tables of several models, (m, k, parents, v)."""

    def __init__(self, several: Sequence[Factors]) -> None:
        self.several, self.given, self.cards = several, several[0].given, several[0].cards
        self.hooks = hooks(self.given)
        self.cells = max(sum(table.size for table in several[0].tables), 1)
        self.rows_at_once = max(1, _CELLS // self.cells)

    @cached_property
    def tables(self) -> list[Floats]:
        """The log tables of all models, attribute by attribute."""
        return [np.stack(same) for same in zip(*(one.tables for one in self.several), strict=True)]

    @cached_property
    def chances(self) -> list[Floats]:
        """The tables without logs."""
        return [np.exp(table) for table in self.tables]

    @cached_property
    def whole(self) -> Any:
        """Which tables add up to one under every model: not repaired ones, nor those with contexts unseen."""
        return np.all([one.whole for one in self.several], axis=0)

    @cached_property
    def logs(self) -> Floats:
        """All tables of all models end to end, (m, cells, k)."""
        return np.stack([one.cells for one in self.several])

    def entries(self, position: int, codes: Places, which: Places, own: Places) -> Floats:
        """Read one entry per row where an attribute is in the states `own` and its parents are known."""
        index = tuple(codes[parent] for parent in self.given[position])
        found: Floats = self.tables[position].swapaxes(0, 1)[(slice(None), which, *index, own)].T
        return found

    def complete(self, codes: Places, which: Places, result: Floats, kernel: str) -> None:
        """Read one entry per attribute and row, (n, d, k); every kernel reads the same."""
        exact = "auto" if kernel == "steady" else kernel
        if len(self.several) * self.cells > result.size:  # large tables are not copied for few rows
            for number, factors in enumerate(self.several):
                rows = np.flatnonzero(which == number)
                for position, (parents, table) in enumerate(zip(self.given, factors.tables, strict=True)):
                    states = tuple(codes[place, rows] for place in (*parents, position))
                    result[rows, position] = table[(slice(None), *states)].T
        elif codes.size and COMPILED.chosen(exact, KERNELS, 1e-9 * _LOOK_UP_NS * result.size):
            from pgm_nb.engine import compiled_sums

            laid, graph = np.ascontiguousarray(codes.T, dtype=np.uint16), self.several[0].layout
            places = which.astype(np.int64)
            compiled_sums.look_up(laid, places, graph.parents, graph.steps, graph.starts, self.logs, result)
        else:
            size = self.logs.shape[1]
            for position, cells in enumerate(self.several[0].places(codes)):
                flat = self.logs.reshape(-1, result.shape[2])
                result[:, position] = flat.take(which * size + cells, axis=0)

    def compiled(self, codes: Places, which: Places) -> tuple[Floats, Places]:
        """Take rows apart by compiled code; also return those that it could not take."""
        from pgm_nb.engine import compiled_sums

        chances = np.ascontiguousarray(np.exp(self.logs).swapaxes(1, 2))
        graph, laid = self.several[0].layout, np.ascontiguousarray(codes.T, dtype=np.uint16)
        result, lost = np.empty((len(laid), len(self.given), chances.shape[1])), np.zeros(len(laid), np.uint8)
        task: Any = partial(
            compiled_sums.reveal,
            *(laid, which.astype(np.int64), *graph, self.whole.astype(np.int64), chances, self.logs),
            *(min(max(_ROOM, chances.shape[2]), _MOST_ROOM), result, lost),
        )
        in_threads(task, np.full(len(laid), _COMPILED_NS * self.cells), thread_count(None))
        return result, np.flatnonzero(lost)


class _Block:
    """Rows whose attributes are revealed one by one.

    `arrived` holds what children have said about an attribute and its parents, (rows, k, parents, v), and
    `sent` what it has passed on itself, (rows, k, parents). Both are kept for the rows in which an attribute
    of the cluster is unknown.
    """

    def __init__(self, graph: _Graph, codes: Places, which: Places) -> None:
        self.graph, self.codes, self.which = graph, codes, which
        self.unknown = codes >= graph.cards[:, None]
        self.open = [
            self.unknown[[*parents, position]].any(axis=0) for position, parents in enumerate(graph.given)
        ]
        self.place = [np.cumsum(rows) - 1 for rows in self.open]  # of a row in `arrived` and `sent`
        self.arrived: dict[int, Floats] = {}
        self.sent: dict[int, Floats] = {}

    def terms(self) -> Floats:
        """Reveal the attributes in order, and return what each one adds."""
        n, k = self.codes.shape[1], self.graph.tables[0].shape[1]
        result = np.empty((n, len(self.open), k))
        for position, rows_open in enumerate(self.open):
            shut = np.flatnonzero(~rows_open)
            own = self.codes[position]
            result[shut, position] = self.graph.entries(
                position, self.codes[:, shut], self.which[shut], own[shut]
            )
            rows = np.flatnonzero(rows_open)
            if len(rows):
                table = self.graph.tables[position]
                self.arrived[position] = np.zeros((len(rows), *table.shape[1:]))
                self.sent[position] = np.zeros((len(rows), *table.shape[1:-1]))
                result[rows, position] = 0.0
                if self.graph.whole[position]:  # then an unknown attribute adds nothing
                    rows = rows[~self.unknown[position, rows]]
                result[rows, position] = self._carry(position, rows)
        return result

    def _carry(self, position: int, rows: Places) -> Floats:
        """Carry the message of an attribute up to a cluster whose parents are known; return the change."""
        added = np.zeros((len(rows), self.graph.tables[0].shape[1]))
        left = np.arange(len(rows))  # rows whose message is still on its way
        while len(left):
            here = rows[left]
            at = self.place[position][here]
            old = self.sent[position][at]
            new = self.sent[position][at] = self._message(position, here, self.arrived[position][at])
            change = log_ratio(new, old)
            parents = self.graph.given[position]
            shut = ~self.unknown[list(parents)][:, here].any(axis=0)
            states = tuple(self.codes[parent, here[shut]] for parent in parents)
            moved = change[shut]
            added[left[shut]] = moved[(np.arange(len(moved)), slice(None), *states)] if parents else moved
            left, change = left[~shut], change[~shut]
            if not len(left):
                break
            hook = self.graph.hooks[position]
            cluster = (*self.graph.given[hook], hook)
            self.arrived[hook][self.place[hook][rows[left]]] += embedded(change, parents, cluster)
            position = hook
        return added

    def _message(self, position: int, rows: Places, arrived: Floats) -> Floats:
        """Return log of what an attribute says about its parents, (rows, k, parents)."""
        state, card = self.codes[position, rows], self.graph.cards[position]
        table = self.graph.tables[position]
        message = np.empty(arrived.shape[:-1])
        known = np.flatnonzero(state < card)
        if len(known):
            entries = np.moveaxis(table, -1, 1)[self.which[rows[known]], state[known]]
            message[known] = entries + np.moveaxis(arrived, -1, 1)[known, state[known]]
        unknown = np.flatnonzero(state >= card)
        if len(unknown):
            message[unknown] = self._summed(position, rows[unknown], arrived[unknown])
        return message

    def _summed(self, position: int, rows: Places, arrived: Floats) -> Floats:
        """Log of sum_x P(x | parents, y) exp(arrived), (rows, k, parents)."""
        chances = self.graph.chances[position]
        top = arrived.max(axis=tuple(range(2, arrived.ndim)), keepdims=True)
        top = np.where(np.isneginf(top), 0.0, top)
        weights = np.exp(arrived - top)
        if len(chances) == 1:
            total = np.einsum("...v,r...v->r...", chances[0], weights)
        else:
            total = np.einsum("r...v,r...v->r...", chances[self.which[rows]], weights)
        low = total < _SMALL  # terms may have been lost
        with np.errstate(divide="ignore"):
            message: Floats = np.log(total) + top[..., 0]
        if low.any():
            logs = self.graph.tables[position][self.which[rows]] + arrived
            exact = np.logaddexp.reduce(logs, axis=-1)
            message = np.where(low, exact, message)
        return message


AT_HAND = 1 << 13  # numbers that are normalised at once: close to the processor, and no new memory each time


def normalise(log_scores: Floats, log_prior: Floats) -> Floats:
    """Log posterior from log joint; a row that no class can have made gets the class prior.

    The largest score of a row is taken off first: a sum of scores far from zero would lose their difference.
    """
    return _by_blocks(log_scores, log_prior, shares=False)


def posteriors(log_scores: Floats, log_prior: Floats) -> Floats:
    """Posterior from log joint, without a logarithm in between: the exponential of `normalise`.

    Examples
    --------
    >>> posteriors(np.log([[0.1, 0.3], [1e-300, 1e-300]]), np.log([0.5, 0.5]))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    return _by_blocks(log_scores, log_prior, shares=True)


def _by_blocks(log_scores: Floats, log_prior: Floats, *, shares: bool) -> Floats:
    found: Floats = np.empty(log_scores.shape)
    step = max(1, AT_HAND // log_scores.shape[1])
    for start in range(0, len(log_scores), step):
        rows = slice(start, start + step)
        found[rows] = _normalised(log_scores[rows].T.copy(), log_prior, shares=shares).T
    return found


def _normalised(columns: Floats, log_prior: Floats, *, shares: bool) -> Floats:
    """Do the same with scores that lie class after class, (k, n), in their place."""
    largest = columns.max(axis=0)
    hopeless = np.isneginf(largest)
    if hopeless.any():
        columns[:, hopeless] = log_prior[:, None]
        largest[hopeless] = log_prior.max()
    columns -= largest
    if shares:
        np.exp(columns, out=columns)
        columns /= columns.sum(axis=0)
    else:
        columns -= np.log(np.exp(columns).sum(axis=0))
    return columns
