"""The joint log score of a forest as a sum: one addend for each attribute.

The addends are log P(x_i | what is known before it, y). Where the mother of an attribute is known, the addend
is an entry of its table. Where she is not, she is summed out: the message of the attribute travels up through
the unknown attributes above it, and the addend is the change it makes at the first known one (or at the
class). So every prefix of the sum is an exact marginal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.inference.cliques import COMPILED, KERNELS, clique_terms_of, log_ratio, read_entries
from pgm_nb.inference.factors import Factors
from pgm_nb.inference.incomplete import NUMPY_NS, SMALL, cells_of

__all__ = ["forest_terms", "forest_terms_of", "log_ratio"]

_BLOCK = 1 << 12  # rows handled at once
_TIMES = 12  # the time to load a kernel counts so many times less: in training others are loaded already
_CELLS = 1 << 22  # numbers that the messages of a block may hold: 32 MB


def forest_terms(factors: Factors, codes: Codes) -> Floats:
    """Return what each attribute adds to log P(y, known attributes), (n, d, k), in the order of the factors.

    Parameters
    ----------
    factors : Factors
        The log tables, every mother before her children.
    codes : array (d, n)
        Coded rows; a code equal to the number of states means unknown.

    Examples
    --------
    >>> table = np.log([[0.9, 0.1], [0.4, 0.6]])  # P(x|y)
    >>> coin = Factors(np.log([0.5, 0.5]), (0,), (-1,), (table,))
    >>> np.exp(forest_terms(coin, np.array([[0, 1, 2]], dtype=np.uint8))).round(1)[:, 0]
    array([[0.9, 0.4],
           [0.1, 0.6],
           [1. , 1. ]])
    """
    return forest_terms_of([factors], np.zeros(codes.shape[1], dtype=np.intp), codes)


def forest_terms_of(several: Sequence[Factors], which: Places, codes: Codes, kernel: str = "auto") -> Floats:
    """Return the terms of rows that are each scored by a model of their own, (n, d, k).

    Parameters
    ----------
    several : sequence of Factors
        Log tables of the same graph.
    which : array (n,)
        Which of them scores each row.
    codes : array (d, n)
        Coded rows; a code equal to the number of states means unknown.
    kernel : str
        How to sum unknown attributes out where attributes have several mothers; see `clique_terms_of`. A
        forest is taken apart by NumPy, but with "steady" by that compiled kernel where it saves time.

    Examples
    --------
    >>> tables = np.log([[[0.9, 0.1], [0.4, 0.6]], [[0.5, 0.5], [0.2, 0.8]]])
    >>> coins = [Factors(np.log([0.5, 0.5]), (0,), (-1,), (table,)) for table in tables]
    >>> terms = forest_terms_of(coins, np.array([0, 1]), np.array([[0, 0]], dtype=np.uint8))
    >>> np.exp(terms).round(1)[:, 0]
    array([[0.9, 0.4],
           [0.5, 0.2]])
    """
    factors = several[0]
    if factors.others or _are_many(factors, codes, kernel):
        return clique_terms_of(several, which, codes, kernel)
    used = codes[list(factors.columns)]
    model = _Models(several)
    result = np.empty((used.shape[1], len(factors.tables), len(factors.log_prior)))
    incomplete = (used >= factors.cards[:, None]).any(axis=0)
    if not incomplete.any():
        model.complete_rows(used, which, result)
        return result
    for rows, fill in ((~incomplete, model.complete_rows), (incomplete, model.incomplete_rows)):
        part = np.empty((int(rows.sum()), *result.shape[1:]))
        fill(used[:, rows], which[rows], part)
        result[rows] = part
    return result


def _are_many(factors: Factors, codes: Codes, kernel: str) -> bool:
    """Return whether the rows are to be taken apart by the kernel for several mothers, which is compiled."""
    if kernel != "steady":
        return False
    seconds = 1e-9 * _TIMES * NUMPY_NS * cells_of(factors) * codes.shape[1]
    return COMPILED.is_warm() and COMPILED.chosen(kernel, KERNELS, seconds)


class _Models:
    """One graph; for each attribute the log tables of several models, (m, k, v) or (m, k, v_mother, v)."""

    def __init__(self, several: Sequence[Factors]) -> None:
        self.several, self.factors = several, several[0]

    @cached_property
    def tables(self) -> list[Floats]:
        """The log tables."""
        return _stacked([one.tables for one in self.several])

    @cached_property
    def chances(self) -> list[Floats]:
        """The tables as probabilities."""
        return _stacked([one.chances for one in self.several])

    @cached_property
    def log_totals(self) -> list[Floats]:
        """Log of the sums over the states."""
        return _stacked([one.log_totals for one in self.several])

    @cached_property
    def all_possible(self) -> bool:
        """Whether no state is impossible."""
        return all(bool(np.isfinite(table).all()) for table in self.tables)

    def complete_rows(self, codes: Codes, which: Places, result: Floats) -> None:
        """Read one entry per attribute and row."""
        if len(self.several) * sum(table.size for table in self.factors.tables) > result.size:
            read_entries(self.several, codes.astype(np.intp), which, result)
            return
        for position, (mother, table) in enumerate(zip(self.factors.mothers, self.tables, strict=True)):
            m, k = table.shape[:2]
            cells = np.ascontiguousarray(np.moveaxis(table.reshape(m, k, -1), 1, -1))
            index = codes[position].astype(np.intp)
            if mother >= 0:
                index += codes[mother].astype(np.intp) * table.shape[-1]
            index += which * cells.shape[1]
            result[:, position] = cells.reshape(-1, k).take(index, axis=0)

    def incomplete_rows(self, codes: Codes, which: Places, result: Floats) -> None:
        """Pass messages, some rows at once."""
        cells = len(self.tables) * len(self.factors.log_prior) * int(self.factors.cards.max())
        step = max(1, min(_BLOCK, _CELLS // cells))
        for start in range(0, codes.shape[1], step):
            block = slice(start, start + step)
            _Block(self, codes[:, block].astype(np.intp), which[block], result[block]).fill()


class _Block:
    """Rows whose attributes are revealed one by one.

    `arrived` holds the messages from the children of an unknown attribute about its states, (rows, k, v), and
    `sent` the message it has passed on to its mother, (rows, k, v_mother), or to the class, (rows, k).
    """

    def __init__(self, models: _Models, codes: Places, which: Places, result: Floats) -> None:
        self.models, self.codes, self.which, self.result = models, codes, which, result
        self.mothers = models.factors.mothers
        self.unknown = codes >= models.factors.cards[:, None]
        self.ratio = np.subtract if models.all_possible else log_ratio
        self.arrived: dict[int, Floats] = {}
        self.sent: dict[int, Floats] = {}

    def fill(self) -> None:
        """Reveal the attributes in order, and record what each one adds."""
        n = self.codes.shape[1]
        for position, table in enumerate(self.models.tables):
            code = np.minimum(self.codes[position], table.shape[-1] - 1)
            here = (slice(None),) * (table.ndim - 2)
            message = table[(self.which, *here, code)]  # (rows, k[, v_mother])
            rows: Places = np.arange(n)
            unknown = self.unknown[position]
            if unknown.any():
                nothing = self.models.log_totals[position]
                message[unknown] = nothing[self.which[unknown]]
                self.arrived[position] = np.zeros((n, table.shape[1], table.shape[-1]))
                self.sent[position] = message.copy()
                if not nothing.any():  # an unknown attribute adds nothing
                    self.result[unknown, position] = 0.0
                    rows = rows[~unknown]
            self._carry(position, rows, message[rows])

    def _carry(self, position: int, rows: Places, new: Floats) -> None:
        """Carry the first message of an attribute up to the first known one above it, in some rows."""
        old = np.zeros_like(new)
        place = position
        while (mother := self.mothers[place]) >= 0:
            known = ~self.unknown[mother, rows]
            state = self.codes[mother, rows[known]]
            change = self.ratio(new[known], old[known])
            self.result[rows[known], position] = change[np.arange(len(state)), :, state]
            rows, old, new = rows[~known], old[~known], new[~known]
            if len(rows) == 0:
                return
            self.arrived[mother][rows] = self.ratio(self.arrived[mother][rows], old) + new
            old = self.sent[mother][rows]
            new = self.sent[mother][rows] = self._summed_out(mother, rows)
            place = mother
        self.result[rows, position] = self.ratio(new, old)

    def _summed_out(self, position: int, rows: Places) -> Floats:
        """Log of sum_x P(x|mother,y) exp(arrived(y,x)): (rows, k, v_mother), or (rows, k) with no mother."""
        arrived, table = self.arrived[position][rows], self.models.chances[position]
        top = arrived.max(axis=-1, keepdims=True)
        top = np.where(np.isneginf(top), 0.0, top)
        weights = np.exp(arrived - top)
        if len(table) == 1:
            total = np.einsum("k...v,rkv->rk...", table[0], weights)
        else:
            total = np.einsum("rk...v,rkv->rk...", table[self.which[rows]], weights)
        with np.errstate(divide="ignore"):
            message: Floats = np.log(total)
        message += top if table.ndim == 4 else top[..., 0]
        low = total < SMALL  # terms may have been lost
        if low.any():
            some = np.flatnonzero(low.any(axis=tuple(range(1, low.ndim))))
            logs, said = self.models.tables[position][self.which[rows[some]]], arrived[some]
            exact = np.logaddexp.reduce(logs + (said[:, :, None] if logs.ndim == 4 else said), axis=-1)
            message[some] = np.where(low[some], exact, message[some])
        return message


def _stacked(several: Sequence[Sequence[Floats]]) -> list[Floats]:
    """Stack the tables of some models, attribute by attribute; those of a single one are not copied."""
    if len(several) == 1:
        return [table[None] for table in several[0]]
    return [np.stack(same) for same in zip(*several, strict=True)]
