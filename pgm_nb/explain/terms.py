"""A joint log score as a sum: one addend for each step of the model.

The steps of a forest given the class are log P(x_i | what is known before it, y). Where the mother of an
attribute is known, the step is an entry of its table. Where she is not, she is summed out: the message of
the attribute travels up through the unknown attributes above it, and the step is the change it makes at the
first known one (or at the class). So every prefix of the steps is an exact marginal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.inference import Factors

__all__ = ["Terms", "forest_terms", "log_ratio"]

_BLOCK = 1 << 12  # rows handled at once
_ROUNDING = 1e-12
_CELLS = 1 << 22  # numbers that the messages of a block may hold: 32 MB


@dataclass(frozen=True, eq=False)
class Terms:
    """A joint log score as a sum, in natural logs: log P(y, x) = prior[y] + sum over s of values[:, s, y].

    The sum is up to a constant per row. A step is one factor of the model; a prefix of the steps is a
    smaller model, so the cumulative sum scores all of them at once.

    Attributes
    ----------
    names : tuple of str
        What each step is called, such as "worst area" or "component 2 of cluster 1".
    attributes : tuple of tuple of str
        The attributes each step is about: child and mother, or a joined group.
    prior : array (k,)
        Log of the class prior.
    values : array (n, steps, k)
        What each step adds, for every row and class.

    Examples
    --------
    >>> terms = Terms(("age",), (("age",),), np.log([0.5, 0.5]), np.log([[[0.2, 0.6]]]))
    >>> np.exp(terms.scores()).round(2)
    array([[0.1, 0.3]])
    """

    names: tuple[str, ...]
    attributes: tuple[tuple[str, ...], ...]
    prior: Floats
    values: Floats

    def __post_init__(self) -> None:
        for name in ("prior", "values"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def row(self, number: int) -> Floats:
        """Return the steps of one row, (steps, k)."""
        steps: Floats = self.values[number]
        return steps

    def with_rows(self, rows: NDArray[np.bool_], other: Terms) -> Terms:
        """Return the same terms, but with these rows' steps taken from the rows of another."""
        values = self.values.copy()
        values[rows] = other.values
        return replace(self, values=values)

    def scores(self) -> Floats:
        """Joint log scores of all rows, (n, k)."""
        total: Floats = self.prior + self.values.sum(axis=1)
        return total

    def prefix_scores(self) -> Floats:
        """Joint log scores after 0, 1, ... all steps, (n, steps + 1, k).

        Examples
        --------
        >>> terms = Terms(("age",), (("age",),), np.log([0.5, 0.5]), np.log([[[0.2, 0.6]]]))
        >>> np.exp(terms.prefix_scores()).round(2)
        array([[[0.5, 0.5],
                [0.1, 0.3]]])
        """
        n, steps, k = self.values.shape
        scores = np.empty((n, steps + 1, k))
        scores[:, 0] = self.prior
        np.cumsum(self.values, axis=1, out=scores[:, 1:])
        scores[:, 1:] += self.prior
        return scores


def log_ratio(a: Floats, b: Floats) -> Floats:
    """Return log(p/q) from log p and log q; what is impossible stays impossible.

    Examples
    --------
    >>> log_ratio(np.array([-1.0, -np.inf]), np.array([-3.0, -np.inf]))
    array([  2., -inf])
    """
    impossible = np.isneginf(a)
    return np.where(impossible, -np.inf, a - np.where(np.isneginf(b), 0.0, b))


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

    `arrived` holds the messages from the children of an unknown attribute about its states, (rows, k, v), and
    `sent` the message it has passed on to its mother, (rows, k, v_mother), or to the class, (rows, k).
    """

    def __init__(self, factors: Factors, codes: Places, result: Floats) -> None:
        self.factors, self.codes, self.result = factors, codes, result
        self.unknown = codes >= factors.cards[:, None]
        self.tables = [np.exp(table) for table in factors.tables]
        self.arrived: dict[int, Floats] = {}
        self.sent: dict[int, Floats] = {}

    def fill(self) -> None:
        """Reveal the attributes in order, and record what each one adds."""
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
                if not nothing.any():  # an unknown attribute adds nothing
                    self.result[unknown, position] = 0.0
                    rows = rows[~unknown]
            self._carry(position, rows, message[rows])

    def _carry(self, position: int, rows: Places, new: Floats) -> None:
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
