"""The joint log score of a chordal graph as a sum: one addend for each attribute.

Like `terms`, for attributes with several mothers. The mothers of an attribute are all in one cluster, that
of the last of them to join: the hook. Where all mothers are known, the addend is an entry of the table. Where
some are not, the message of the attribute about its mothers is handed to the hook, whose own message changes,
and so on up to a cluster whose mothers are known, or to the class. So every prefix of the sum is an exact
marginal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count
from pgm_nb.inference.factors import Factors

__all__ = ["COMPILED", "clique_terms", "clique_terms_of", "embedded", "hooks", "log_ratio", "read_entries"]

KERNELS = ("auto", "steady", "numpy", "compiled")
COMPILED = CompiledModule("pgm_nb.inference.compiled_cliques", load_seconds=0.8, compile_seconds=6.0)
_CELL_NS, _STEP_NS, _COMPILED_NS = 20.0, 12_000.0, 1.5  # per row: cells of all tables, and attributes
_LOOK_UP_NS = 20.0  # that NumPy takes to look up an entry
_CELLS = 1 << 21  # numbers that the clusters of a block of rows may hold: 16 MB
_ROUNDING = 1e-12
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
    """Return for each attribute the last of its mothers to join, -1 for none: her cluster holds them all.

    Examples
    --------
    >>> hooks([(), (0,), (1, 0)])
    (-1, 0, 1)
    """
    return tuple(max(mothers, default=-1) for mothers in given)


def embedded(message: Floats, mothers: Sequence[int], cluster: Sequence[int]) -> Floats:
    """Arrange a message about some attributes (its last axes) along the axes of a cluster that holds them.

    Examples
    --------
    >>> embedded(np.zeros((5, 2, 3, 4)), (7, 1), (1, 0, 7)).shape  # rows, classes, states of 7 and of 1
    (5, 2, 4, 1, 3)
    """
    lead = message.ndim - len(mothers)
    kept = [place for place in cluster if place in mothers]
    turned = message.transpose([*range(lead), *(lead + list(mothers).index(place) for place in kept)])
    sizes = dict(zip(kept, turned.shape[lead:], strict=True))
    return turned.reshape(*turned.shape[:lead], *(sizes.get(place, 1) for place in cluster))


def clique_terms(factors: Factors, codes: Codes, kernel: str = "auto") -> Floats:
    """Return what each attribute adds to log P(y, known attributes), (n, d, k), in the order of the factors.

    Parameters
    ----------
    factors : Factors
        The log tables, every mother before her children.
    codes : array (d, n)
        Coded rows; a code equal to the number of states means unknown.
    kernel : {"auto", "steady", "numpy", "compiled"}
        How to sum unknown attributes out; the results agree to 1e-12. "steady" is the same for the same rows
        whatever the process has done before.
    """
    return clique_terms_of([factors], np.zeros(codes.shape[1], dtype=np.intp), codes, kernel)


def clique_terms_of(several: Sequence[Factors], which: Places, codes: Codes, kernel: str = "auto") -> Floats:
    """Return the terms of rows that are each scored by a model of their own, (n, d, k).

    Parameters
    ----------
    several : sequence of Factors
        Log tables of the same graph.
    which : array (n,)
        Which of them scores each row.
    codes : array (d, n)
        Coded rows; a code equal to the number of states means unknown.
    kernel : {"auto", "steady", "numpy", "compiled"}
        How to sum unknown attributes out; the results agree to 1e-12. "steady" is the same for the same rows
        whatever the process has done before.
    """
    graph = _Cliques(several)
    used = codes[list(several[0].columns)].astype(np.intp)
    result = np.empty((used.shape[1], len(graph.given), len(several[0].log_prior)))
    incomplete = (used >= several[0].cards[:, None]).any(axis=0)
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
        rows = graph.compiled(used, which, rows, result)
    for start in range(0, len(rows), graph.rows_at_once):
        block = rows[start : start + graph.rows_at_once]
        result[block] = _Block(graph, used[:, block], which[block]).terms()
    return result


def read_entries(several: Sequence[Factors], codes: Places, which: Places, result: Floats) -> None:
    """Write one entry of the log tables per attribute and row, (n, d, k), and touch no other entry.

    Slower per row than with the tables laid out for it, but large tables are not copied.
    """
    for number, factors in enumerate(several):
        rows = np.flatnonzero(which == number)
        mine = codes[:, rows]
        for position, (mothers, table) in enumerate(zip(factors.given, factors.tables, strict=True)):
            states = tuple(mine[place] for place in (*mothers, position))
            result[rows, position] = table[(slice(None), *states)].T


class _Cliques:
    """One graph; for each attribute the log tables of several models, (m, k, mothers, v)."""

    def __init__(self, several: Sequence[Factors]) -> None:
        self.several, self.given, self.cards = several, several[0].given, several[0].cards
        self.hooks = hooks(self.given)
        self.cells = max(sum(table.size for table in several[0].tables), 1)
        self.rows_at_once = max(1, _CELLS // self.cells)
        self.joined = [sorted(mothers) for mothers in self.given]

    @cached_property
    def tables(self) -> list[Floats]:
        """The log tables of all models, attribute by attribute."""
        return [np.stack(same) for same in zip(*(one.tables for one in self.several), strict=True)]

    @cached_property
    def chances(self) -> list[Floats]:
        """The tables without logs."""
        return [np.exp(table) for table in self.tables]

    @cached_property
    def sums_to_one(self) -> list[bool]:
        """Which tables are probabilities: not repaired ones, nor those with a context never seen."""
        return [bool((np.abs(table.sum(axis=-1) - 1) < _ROUNDING).all()) for table in self.chances]

    def entries(self, position: int, codes: Places, which: Places, own: Places) -> Floats:
        """Read one entry per row where an attribute is in the states `own` and its mothers are known."""
        index = tuple(codes[mother] for mother in self.given[position])
        found: Floats = self.tables[position].swapaxes(0, 1)[(slice(None), which, *index, own)].T
        return found

    def complete(self, codes: Places, which: Places, result: Floats, kernel: str) -> None:
        """Read one entry per attribute and row, (n, d, k); every kernel reads the same."""
        if len(self.several) * self.cells > result.size:
            read_entries(self.several, codes, which, result)
            return
        exact = "auto" if kernel == "steady" else kernel
        if codes.size and COMPILED.chosen(exact, KERNELS, 1e-9 * _LOOK_UP_NS * result.size):
            self._look_up(codes, which, result)
            return
        for position, (mothers, table) in enumerate(zip(self.given, self.tables, strict=True)):
            m, k, *states = table.shape
            cells = np.ascontiguousarray(np.moveaxis(table.reshape(m, k, -1), 1, -1))
            index = which
            for place, size in zip((*mothers, position), states, strict=True):
                index = index * size + codes[place]
            result[:, position] = cells.reshape(-1, k).take(index, axis=0)

    def _look_up(self, codes: Places, which: Places, result: Floats) -> None:
        from pgm_nb.inference import compiled_cliques

        counts, starts, _, members, _, steps, _ = self.layout
        logs = self._laid_out(self.tables)
        laid = np.ascontiguousarray(codes.T, dtype=np.uint16)
        apart = np.ascontiguousarray(logs.transpose(0, 2, 1))
        compiled_cliques.complete_terms(
            laid, which.astype(np.int64), counts, starts, members, steps, apart, result
        )

    def compiled(self, codes: Places, which: Places, rows: Places, result: Floats) -> Places:
        """Take rows apart by compiled code; return those that come too near to zero for it."""
        from pgm_nb.inference import compiled_cliques

        chances, logs = self._laid_out(self.chances), self._laid_out(self.tables)
        counts, starts, over, members, sizes, steps, along = self.layout
        spans = steps // np.asarray(self.cards, dtype=np.int64)[:, None]
        laid = np.ascontiguousarray(codes[:, rows].T, dtype=np.uint16)
        part, small = np.empty((len(rows), *result.shape[1:])), np.zeros(len(rows), dtype=np.uint8)
        whole, above = np.array(self.sums_to_one, dtype=np.uint8), np.array(self.hooks, dtype=np.int64)
        given: tuple[Any, ...] = (counts, starts, over, members, sizes, spans, along, whole, above)
        terms: Any = partial(
            compiled_cliques.clique_terms,
            *(laid, which[rows].astype(np.int64), *given, chances, logs, part, small),
        )
        in_threads(terms, np.full(len(rows), _COMPILED_NS * self.cells), thread_count(None))
        result[rows] = part
        left: Places = rows[np.flatnonzero(small)]
        return left

    def _laid_out(self, tables: Sequence[Floats]) -> Floats:
        """Return all tables side by side, (m, k, cells), mothers in the order in which they join."""
        parts = []
        for mothers, joined, table in zip(self.given, self.joined, tables, strict=True):
            axes = [2 + mothers.index(mother) for mother in joined]
            turned = table.transpose(0, 1, *axes, table.ndim - 1)
            parts.append(turned.reshape(*table.shape[:2], -1))
        return np.concatenate(parts, axis=2)

    @cached_property
    def layout(self) -> tuple[Any, ...]:
        """The graph as the compiled kernels read it: from `counts` to `along`."""
        clusters = [(*mothers, position) for position, mothers in enumerate(self.joined)]
        shape = len(clusters), max(map(len, clusters))
        members, sizes, steps, along = (np.zeros(shape, dtype=np.int64) for _ in range(4))
        for position, cluster in enumerate(clusters):
            states = [int(self.cards[place]) for place in cluster]
            apart = [int(np.prod(states[axis + 1 :])) for axis in range(len(cluster))]
            for rows, values in ((members, cluster), (sizes, states), (steps, apart)):
                rows[position, : len(cluster)] = values
            for axis, place in enumerate(clusters[self.hooks[position]] if len(cluster) > 1 else ()):
                if place in cluster:
                    along[position, axis] = apart[cluster.index(place)] // states[-1]
        lengths = np.array([table[0, 0].size for table in self.tables], dtype=np.int64)
        messages = lengths // np.asarray(self.cards, dtype=np.int64)
        return (
            np.array([len(mothers) for mothers in self.given], dtype=np.int64),
            np.cumsum(lengths) - lengths,
            np.cumsum(messages) - messages,
            *(members, sizes, steps, along),
        )


class _Block:
    """Rows whose attributes are revealed one by one.

    `arrived` holds what children have said about an attribute and its mothers, (rows, k, mothers, v), and
    `sent` what it has passed on itself, (rows, k, mothers). Both are kept for the rows in which an attribute
    of the cluster is unknown.
    """

    def __init__(self, graph: _Cliques, codes: Places, which: Places) -> None:
        self.graph, self.codes, self.which = graph, codes, which
        self.unknown = codes >= graph.cards[:, None]
        self.open = [
            self.unknown[[*mothers, position]].any(axis=0) for position, mothers in enumerate(graph.given)
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
                if self.graph.sums_to_one[position]:  # then an unknown attribute adds nothing
                    rows = rows[~self.unknown[position, rows]]
                result[rows, position] = self._carry(position, rows)
        return result

    def _carry(self, position: int, rows: Places) -> Floats:
        """Carry the message of an attribute up to a cluster whose mothers are known; return the change."""
        added = np.zeros((len(rows), self.graph.tables[0].shape[1]))
        left = np.arange(len(rows))  # rows whose message is still on its way
        while len(left):
            here = rows[left]
            at = self.place[position][here]
            old = self.sent[position][at]
            new = self.sent[position][at] = self._message(position, here, self.arrived[position][at])
            change = log_ratio(new, old)
            mothers = self.graph.given[position]
            shut = ~self.unknown[list(mothers)][:, here].any(axis=0)
            states = tuple(self.codes[mother, here[shut]] for mother in mothers)
            moved = change[shut]
            added[left[shut]] = moved[(np.arange(len(moved)), slice(None), *states)] if mothers else moved
            left, change = left[~shut], change[~shut]
            if not len(left):
                break
            hook = self.graph.hooks[position]
            cluster = (*self.graph.given[hook], hook)
            self.arrived[hook][self.place[hook][rows[left]]] += embedded(change, mothers, cluster)
            position = hook
        return added

    def _message(self, position: int, rows: Places, arrived: Floats) -> Floats:
        """Return log of what an attribute says about its mothers, (rows, k, mothers)."""
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
        """Log of sum_x P(x | mothers, y) exp(arrived), (rows, k, mothers)."""
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
