"""The steps of a forest given the class: log P(x_i | what is known before it, y), attribute by attribute.

Where the mother of an attribute is known the step is an entry of its table. Where she is not, she is summed
out: what the attribute says travels up through the unknown attributes above it, and the step is what that
changes at the first known one (or at the class). So every prefix of the steps is an exact marginal.
"""

from __future__ import annotations

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.explain.terms import log_ratio
from pgm_nb.inference import Factors

__all__ = ["forest_terms"]

_BLOCK = 1 << 12  # rows handled at once
_ROUNDING = 1e-12
_CELLS = 1 << 22  # numbers that the messages of a block may hold: 32 MB


def forest_terms(factors: Factors, codes: Codes) -> Floats:
    """Tell what each attribute adds to log P(y, known attributes), (n, d, k), in the order of the factors.

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
    used = codes[list(factors.columns)]
    n = used.shape[1]
    result = np.empty((n, len(factors.columns), len(factors.log_prior)))
    incomplete = (used >= factors.cards[:, None]).any(axis=0)
    if not incomplete.any():
        _complete_rows(factors, used, result)
        return result
    for rows, fill in ((~incomplete, _complete_rows), (incomplete, _incomplete_rows)):
        part = np.empty((int(rows.sum()), *result.shape[1:]))
        fill(factors, used[:, rows], part)
        result[rows] = part
    return result


def _complete_rows(factors: Factors, codes: Codes, result: Floats) -> None:
    """Read one entry per attribute and row."""
    for position, (mother, table) in enumerate(zip(factors.mothers, factors.tables, strict=True)):
        flat = np.ascontiguousarray(table.reshape(len(table), -1).T)
        index = codes[position].astype(np.intp)
        if mother >= 0:
            index += codes[mother].astype(np.intp) * table.shape[-1]
        result[:, position] = flat.take(index, axis=0)


def _incomplete_rows(factors: Factors, codes: Codes, result: Floats) -> None:
    cells = len(factors.tables) * len(factors.log_prior) * int(factors.cards.max())
    step = max(1, min(_BLOCK, _CELLS // cells))
    for start in range(0, codes.shape[1], step):
        block = slice(start, start + step)
        _Block(factors, codes[:, block].astype(np.intp), result[block]).fill()


class _Block:
    """Rows whose attributes are revealed one by one.

    `arrived` holds what the children of an unknown attribute have said about its states, (rows, k, v), and
    `sent` what it has passed on to its mother, (rows, k, v_mother), or to the class, (rows, k).
    """

    def __init__(self, factors: Factors, codes: Places, result: Floats) -> None:
        self.factors, self.codes, self.result = factors, codes, result
        self.unknown = codes >= factors.cards[:, None]
        self.tables = [np.exp(table) for table in factors.tables]
        self.arrived: dict[int, Floats] = {}
        self.sent: dict[int, Floats] = {}

    def fill(self) -> None:
        """Reveal the attributes in order, and write down what each one adds."""
        k, n = len(self.factors.log_prior), self.codes.shape[1]
        for position, table in enumerate(self.factors.tables):
            states = np.moveaxis(table, -1, 0)  # (v, k[, v_mother])
            message = states.take(self.codes[position], axis=0, mode="clip")
            rows: Places = np.arange(n)
            unknown = self.unknown[position]
            if unknown.any():
                nothing = _log_totals(table)
                message[unknown] = nothing
                self.arrived[position] = np.zeros((n, k, table.shape[-1]))
                self.sent[position] = message.copy()
                if not nothing.any():  # an unknown attribute says nothing
                    self.result[unknown, position] = 0.0
                    rows = rows[~unknown]
            self._tell(position, rows, message[rows])

    def _tell(self, position: int, rows: Places, new: Floats) -> None:
        """Carry the first message of an attribute up to the first known one above it, in some rows."""
        old = np.zeros_like(new)
        place = position
        while (mother := self.factors.mothers[place]) >= 0:
            known = ~self.unknown[mother, rows]
            state = self.codes[mother, rows[known]]
            change = log_ratio(new[known], old[known])
            self.result[rows[known], position] = change[np.arange(len(state)), :, state]
            rows, old, new = rows[~known], old[~known], new[~known]
            if len(rows) == 0:
                return
            self.arrived[mother][rows] = log_ratio(self.arrived[mother][rows], old) + new
            old = self.sent[mother][rows]
            new = self.sent[mother][rows] = _summed_out(self.tables[mother], self.arrived[mother][rows])
            place = mother
        self.result[rows, position] = log_ratio(new, old)


def _log_totals(table: Floats) -> Floats:
    """Log of the sum over the states: zero, but for repaired tables and states of a mother never seen."""
    totals: Floats = np.logaddexp.reduce(table, axis=-1)
    totals[np.abs(totals) < _ROUNDING] = 0.0
    return totals


def _summed_out(table: Floats, arrived: Floats) -> Floats:
    """Log of sum_x P(x|mother,y) exp(arrived(y,x)): (rows, k, v_mother), or (rows, k) without a mother."""
    top = arrived.max(axis=-1, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    weights = np.exp(arrived - top)
    total = np.einsum("k...v,rkv->rk...", table, weights)
    with np.errstate(divide="ignore"):
        message: Floats = np.log(total)
    message += top if table.ndim == 3 else top[..., 0]
    return message
