"""Rows with unknown attributes: these are summed out exactly, along the tree, by NumPy or compiled code."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Ints, Places
from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count

if TYPE_CHECKING:
    from pgm_nb.inference.factors import Factors

__all__ = [
    "COMPILED",
    "COMPILED_NS",
    "KERNELS",
    "NUMPY_NS",
    "Distant",
    "Laid",
    "cells_of",
    "given_ancestors",
    "lay_out",
    "sum_out",
    "wide_codes",
]

KERNELS = ("auto", "numpy", "compiled")
COMPILED = CompiledModule("pgm_nb.inference.compiled", load_seconds=0.8, compile_seconds=6.0)
BLOCK = 1 << 14  # rows handled at once
MESSAGE_CELLS = 1 << 22  # numbers a block of messages may hold: 32 MB
SMALL = 1e-200  # a sum below this share of the largest term may have lost others to underflow
DISTANT_CELLS, DISTANT_STATES = 1 << 20, 64  # beyond this only the tables given the mother are made
NUMPY_NS, COMPILED_NS = 25.0, 6.0  # per cell of a table that a row may need


def sum_out(factors: Factors, codes: Codes, result: Floats, kernel: str = "auto") -> None:
    """Write log P(y, known attributes) of rows with unknown ones, (n, k).

    Parameters
    ----------
    factors : Factors
        The log tables of a forest.
    codes : array (d, n)
        Coded rows.
    result : array (n, k)
        Where the scores go.
    kernel : {"auto", "numpy", "compiled"}
        How to sum; the results agree to 1e-12.
    """
    if all(mother < 0 for mother in factors.mothers):
        _star_rows(factors, codes, result)
        return
    seconds = 1e-9 * NUMPY_NS * cells_of(factors) * codes.shape[1]
    if COMPILED.chosen(kernel, KERNELS, seconds):
        _compiled_rows(factors, codes, result)
    else:
        _numpy_rows(factors, codes, result)


def _star_rows(factors: Factors, codes: Codes, result: Floats) -> None:
    """Sum one table entry per known attribute and class: without mothers an unknown one adds log 1."""
    tables = [
        np.append(table.T, np.logaddexp.reduce(table, axis=1)[None], axis=0) for table in factors.tables
    ]
    for start in range(0, codes.shape[1], BLOCK):
        block = slice(start, start + BLOCK)
        score = result[block]
        score[:] = factors.log_prior
        for column, table in reversed(list(zip(factors.columns, tables, strict=True))):
            code = np.minimum(codes[column, block].astype(np.intp), len(table) - 1)
            score += table.take(code, axis=0)


class Laid(NamedTuple):
    """The tables of a forest as the compiled kernels read them."""

    mothers: Ints
    cards: Ints
    starts: Ints
    whole: NDArray[np.uint8]  #: whether the chances add up to one: a context without rows may have none
    chances: Floats  #: (k, cells)
    turned: Floats  #: (k, cells), the states of the mother side by side


def lay_out(factors: Factors) -> Laid:
    """Lay the tables of a forest out for the compiled kernels.

    Examples
    --------
    >>> from pgm_nb.inference.factors import Factors
    >>> coin = Factors(np.log([0.5, 0.5]), (0,), (-1,), (np.log([[0.9, 0.1], [0.4, 0.6]]),))
    >>> lay_out(coin).whole
    array([1], dtype=uint8)
    """
    packed, tables = factors.packed, [_chances(table) for table in factors.tables]
    cards, starts = (places.ravel().astype(np.int64) for places in (packed.cards, packed.start))
    turned = [table.swapaxes(1, -1).reshape(len(table), -1) for table in tables]
    return Laid(
        np.array(factors.mothers, dtype=np.int64),
        cards,
        starts,
        np.array([np.abs(table.sum(axis=-1) - 1).max() <= 1e-12 for table in tables]).astype(np.uint8),
        np.ascontiguousarray(_chances(packed.cells.T)),
        np.ascontiguousarray(np.concatenate(turned, axis=1)),
    )


def _chances(logs: Floats) -> Floats:
    """Return probabilities; only what is impossible is zero, so that the kernels know it from the rarest."""
    return np.where(np.isneginf(logs), 0.0, np.maximum(np.exp(logs), np.finfo(float).tiny))


class Distant(NamedTuple):
    """The tables of a forest given the mother, her mother, and so on."""

    starts: Ints  #: (attributes, levels)
    chances: Floats  #: k times the tables one after the other, the states of the ancestor side by side
    logs: Floats
    cells: int  #: of the tables of one class


def given_ancestors(factors: Factors, levels: int = 4) -> Distant:
    """Return P(x | ancestor, y) for the first ancestors of every attribute, fewer where this would be large.

    Examples
    --------
    >>> from pgm_nb.inference.factors import Factors
    >>> same, half = np.array([[[0.9, 0.1], [0.1, 0.9]]]), np.array([[0.5, 0.5]])
    >>> chain = Factors(np.zeros(1), (0, 1, 2), (-1, 0, 1), tuple(map(np.log, (half, same, same))))
    >>> found = given_ancestors(chain)
    >>> first = int(found.starts[2, 1])  # the last attribute, given the mother of its mother
    >>> found.chances[first : first + 4].round(2)
    array([0.82, 0.18, 0.18, 0.82])
    """
    k, mothers = len(factors.log_prior), factors.mothers
    tables = [table if table.ndim == 3 else table[:, None] for table in factors.chances]
    if sum(table.size for table in tables) > DISTANT_CELLS or factors.cards.max() > DISTANT_STATES:
        levels = 1
    starts, parts, size = np.zeros((len(tables), levels), dtype=np.int64), [], 0
    for i, own in enumerate(tables):
        table, above = own, mothers[i]
        for level in range(levels):
            starts[i, level] = size
            parts.append(table.swapaxes(1, 2).reshape(k, -1))
            size += parts[-1].shape[1]
            if above < 0:
                break
            table, above = tables[above] @ table, mothers[above]
    chances = np.maximum(np.concatenate(parts, axis=1), np.finfo(float).tiny).ravel()  # they are divided by
    return Distant(starts, chances, np.log(chances), size)


def wide_codes(factors: Factors, codes: Codes) -> NDArray[np.uint16]:
    """Return the codes of the attributes of a forest as the compiled kernels read them, (attributes, n)."""
    columns = list(factors.columns)
    used = codes if columns == list(range(len(codes))) else codes[columns]
    return np.ascontiguousarray(used, dtype=np.uint16)


def cells_of(factors: Factors) -> float:
    """Return how many cells of tables a row may need.

    Examples
    --------
    >>> from pgm_nb.inference.factors import Factors
    >>> tables = np.zeros((2, 3)), np.zeros((2, 3, 5))  # two classes; three states, and five
    >>> cells_of(Factors(np.zeros(2), (0, 1), (-1, 0), tables))
    16.0
    """
    return len(factors.log_prior) * float(np.mean(factors.cards)) * len(factors.columns)


def _compiled_rows(factors: Factors, codes: Codes, result: Floats) -> None:
    """Multiply and sum probabilities row by row; rows that come too near to zero are summed in logs."""
    from pgm_nb.inference import compiled

    given, used, n = factors.laid, wide_codes(factors, codes), codes.shape[1]
    small = np.zeros(n, dtype=np.uint8)

    def add(first: int, last: int) -> None:
        compiled.sum_out(used, *given, factors.log_prior, result, small, first, last)

    in_threads(add, np.full(len(small), COMPILED_NS * cells_of(factors)), thread_count(None))
    again = np.flatnonzero(small)
    if len(again):
        part = np.empty((len(again), result.shape[1]))
        _numpy_rows(factors, codes[:, again], part)
        result[again] = part


def _numpy_rows(factors: Factors, codes: Codes, result: Floats) -> None:
    """Pass messages from the leaves up, in logs, summing unknown attributes out.

    message[c](y, xm) = log sum_x P(x|xm,y) exp(messages into c at (y, x)), where the sum has a
    single term if x is known.
    """
    senders = [_Sender(table) for table in factors.tables]
    widest = max(len(factors.log_prior) * max(table.shape[1:]) for table in factors.tables)
    rows_at_once = max(1, min(BLOCK, MESSAGE_CELLS // widest))
    for start in range(0, codes.shape[1], rows_at_once):
        block = slice(start, start + rows_at_once)
        score = result[block]
        score[:] = factors.log_prior
        arrived: dict[int, Floats] = {}  # position -> sum of messages from its children, (rows, k, v)
        for position in reversed(range(len(senders))):
            code = codes[factors.columns[position], block].astype(np.intp)
            message = senders[position].message(code, arrived.pop(position, None))
            mother = factors.mothers[position]
            if mother < 0:
                score += message
            elif mother in arrived:
                arrived[mother] += message
            else:
                arrived[mother] = message


class _Sender:
    """One attribute that sends messages to its mother, or to the class."""

    def __init__(self, table: Floats) -> None:
        self.table = table  # log P(x | y) as (k, v), or log P(x | xm, y) as (k, v_mother, v)
        self.card = table.shape[-1]
        self.by_state = np.ascontiguousarray(np.moveaxis(table, -1, 0))  # (v, k[, v_mother])

    @cached_property
    def alone(self) -> Floats:
        """The message of an unknown attribute without children, (k[, v_mother])."""
        total: Floats = np.logaddexp.reduce(self.by_state, axis=0)
        return total

    @cached_property
    def chances(self) -> Floats:
        """The table without logs, ready to be multiplied: (k, v, v_mother), or (k, v, 1)."""
        table = self.table if self.table.ndim == 3 else self.table[:, None]
        return np.ascontiguousarray(np.exp(table).transpose(0, 2, 1))

    def message(self, code: Places, into: Floats | None) -> Floats:
        """Return the message of every row, (rows, k[, v_mother]); `into` has come from the children."""
        message = np.empty((len(code), *self.by_state.shape[1:]))
        known = np.flatnonzero(code < self.card)
        message[known] = self.by_state[code[known]]
        if into is not None:
            arriving = into[known, :, code[known]]
            message[known] += arriving if self.table.ndim == 2 else arriving[:, :, None]
        unknown = np.flatnonzero(code >= self.card)
        if len(unknown):
            message[unknown] = self.alone if into is None else self._summed(into[unknown])
        return message

    def _summed(self, into: Floats) -> Floats:
        """Sum the attribute out of rows whose children have sent messages, (rows, k, v).

        A product of matrices, after the largest message of a row and class is taken off. Where what is left
        is so small that terms may have been lost, the sum is made in logs.
        """
        largest = into.max(axis=2, keepdims=True)
        largest[~np.isfinite(largest)] = 0.0
        sums = np.exp(into - largest).transpose(1, 0, 2) @ self.chances  # (k, rows, v_mother or 1)
        summed = sums.transpose(1, 0, 2)
        row, owner, mother = np.nonzero(summed < SMALL)
        message: Floats = np.log(summed, out=np.full(summed.shape, -np.inf), where=summed > 0) + largest
        table = self.table if self.table.ndim == 3 else self.table[:, None]
        step = max(1, MESSAGE_CELLS // self.card)
        for start in range(0, len(row), step):
            part = tuple(places[start : start + step] for places in (row, owner, mother))
            message[part] = np.logaddexp.reduce(table[part[1:]] + into[part[:2]], axis=1)
        flat: Floats = message if self.table.ndim == 3 else message[..., 0]
        return flat
