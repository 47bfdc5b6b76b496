"""Families of counts in, log-probability tables out.

Naive Bayes, TAN and generalized naive Bayes are alike here: given the class, each is a forest over the
attributes. P(y, x) = P(y) prod P(x_i | x_mother(i), y), and a cherry junction tree read along its
mothers is exactly that product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from pgm_nb.arrays import Codes, Flags, Floats, Ints, Places, rebuilt
from pgm_nb.tables.families import Families, all_mothers, reordered

__all__ = [
    "EVEN",
    "EVEN_ALONE",
    "WEIGHTS",
    "Factors",
    "Layout",
    "backoff_weight",
    "estimate",
    "estimate_backoff",
    "estimate_unsmoothed",
]

ROUNDING = 1e-12  # of sums of probabilities
BLOCK = 1 << 14  # rows handled at once: keeps the work in cache
EVEN = 2.0  # imaginary rows spread evenly over the states of an attribute with a mother
EVEN_ALONE = 5.0  # ... of an attribute without one
WEIGHTS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)  # imaginary rows spread as P(x|y)


class Layout(NamedTuple):
    """Where the entries of all tables are, laid end to end, as compiled code reads it."""

    cards: Ints  #: (d,)
    parents: Ints  #: (d, most parents), -1 for none
    steps: Ints  #: (d, most parents), how far the next state of a parent is
    starts: Ints  #: (d,)


@dataclass(frozen=True, eq=False)
class Factors:
    """Log-probability tables of attributes given the class and their parents.

    Attributes
    ----------
    log_prior : array (k,)
        log P(y).
    columns, mothers : tuple of int
        As in `Families`: the column each table reads, and its first parent's position (-1: none).
    tables : tuple of arrays
        log P(x|y) as (k, v), or log P(x|parent,y) as (k, v_parent, v).
    others : tuple of tuples of int
        As in `Families`: the positions of further parents, whose axes stand after the first one's.
    names : tuple of str
        What the attributes are called, for errors.
    """

    log_prior: Floats
    columns: tuple[int, ...]
    mothers: tuple[int, ...]
    tables: tuple[Floats, ...]
    others: tuple[tuple[int, ...], ...] = ()
    names: tuple[str, ...] = ()

    __reduce__ = rebuilt

    @cached_property
    def given(self) -> tuple[tuple[int, ...], ...]:
        """Positions of all parents of each attribute, in the order of the axes of its table."""
        return all_mothers(self.mothers, self.others)

    @cached_property
    def cards(self) -> Places:
        """Number of states of each attribute."""
        return np.array([table.shape[-1] for table in self.tables], dtype=np.intp)

    @cached_property
    def starts(self) -> Places:
        """Where the states of each attribute begin if all are laid end to end, and their number at last."""
        return np.concatenate([[0], np.cumsum(self.cards)]).astype(np.intp)

    def states(self, position: int) -> slice:
        """Return the place of the states of an attribute if those of all are laid end to end."""
        return slice(int(self.starts[position]), int(self.starts[position + 1]))

    @cached_property
    def is_chordal(self) -> bool:
        """Whether the parents of every attribute are parents of each other, as in a forest."""
        several = (parents for parents in self.given if len(parents) > 1)
        return all(set(parents) - {max(parents)} <= set(self.given[max(parents)]) for parents in several)

    @cached_property
    def chances(self) -> tuple[Floats, ...]:
        """The tables as probabilities, made when they are first used."""
        return tuple(np.exp(table) for table in self.tables)

    @cached_property
    def whole(self) -> Flags:
        """Which tables add up to one: not repaired ones, nor those with a state of a parent never seen."""
        return np.array([bool((np.abs(table.sum(axis=-1) - 1) < ROUNDING).all()) for table in self.chances])

    @cached_property
    def cells(self) -> Floats:
        """The tables one after the other, (cells, k)."""
        k = len(self.log_prior)
        return np.concatenate([table.reshape(k, -1) for table in self.tables], axis=1).T.copy()

    @cached_property
    def layout(self) -> Layout:
        """Where the entries of the tables are in `cells`."""
        shape = len(self.tables), max(1, *map(len, self.given))
        parents, steps = np.full(shape, -1, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for i, (given, table) in enumerate(zip(self.given, self.tables, strict=True)):
            parents[i, : len(given)] = given
            steps[i, : len(given)] = [prod(table.shape[axis + 2 :]) for axis in range(len(given))]
        sizes = np.array([table[0].size for table in self.tables], dtype=np.int64)
        return Layout(self.cards.astype(np.int64), parents, steps, np.cumsum(sizes) - sizes)

    def places(self, codes: Codes | Places) -> Places:
        """Return where complete rows, coded in the order of the attributes, find their entries, (d, n)."""
        _, parents, steps, starts = self.layout
        place = codes.astype(np.intp) + starts[:, None]
        for above, step in zip(parents.T, steps.T, strict=True):
            place += step[:, None] * codes[np.maximum(above, 0)]
        return place

    def are_complete(self, codes: Codes) -> Flags:
        """Return which rows have no unknown attribute."""
        known = np.empty(codes.shape[1], dtype=bool)
        columns, cards = np.array(self.columns), self.cards[:, None]
        if cards.max() <= np.iinfo(codes.dtype).max:
            cards = cards.astype(codes.dtype)  # compared as they are, eight bytes for one otherwise
        at_once = max(1, BLOCK * 8 // len(columns))
        for first in range(0, len(known), at_once):
            some = codes[:, first : first + at_once]
            known[first : first + at_once] = (some[columns] < cards).all(axis=0)
        return known

    def in_order(self, columns: Sequence[int]) -> Factors:
        """Return the same tables listed in the order of these columns."""
        old, mothers, others = reordered(self.columns, self.mothers, self.others, columns)
        return Factors(self.log_prior, tuple(columns), mothers, tuple(self.tables[i] for i in old), others)


def estimate(families: Families, smoothing: float) -> Factors:
    """Smoothed parameters: m-estimates, m = `smoothing` imaginary rows spread evenly over the states.

    P(y) = (n(y) + m/k) / (n + m);  P(x|y) = (n(y,x) + m/v) / (n(y) + m);
    P(x|u,y) = (n(y,u,x) + m/v) / (n(y,u) + m) for an attribute x with mother u.
    """
    return Factors(
        np.log(_m_estimate(families.y, smoothing)),
        families.columns,
        families.mothers,
        tuple(np.log(_m_estimate(counts, smoothing)) for counts in families.tables),
        families.others,
    )


def estimate_unsmoothed(families: Families) -> tuple[Factors, Factors]:
    """Empirical parameters, and their repair for rows that get zero from every class.

    The repair is the rule of Kovács et al. 2024: a zero cluster P(y,xm,x) becomes
    P(y,xm) P(y,x) / P(y), and a zero P(y,x) becomes P(y) P(x). Divided by the separator P(y,xm) this
    is local to a cell: a zero P(x|xm,y) becomes P(x|y), and if that is zero too, P(x).
    """
    n_y = families.y
    n = n_y.sum()
    empirical, repaired = [], []
    for position, counts in enumerate(families.tables):
        marginal = families.marginal(position)  # n(y, x)
        share = np.broadcast_to(marginal.sum(axis=0) / n, marginal.shape).copy()
        given_class = np.divide(marginal, n_y[:, None], out=share, where=marginal > 0)
        total = counts.sum(axis=-1, keepdims=True)
        table = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
        empirical.append(_log(table))
        repaired.append(_log(np.where(counts > 0, table, _beside(given_class, counts))))
    log_prior = _log(n_y / n)
    shape = (log_prior, families.columns, families.mothers)
    more = families.others
    return Factors(*shape, tuple(empirical), more), Factors(*shape, tuple(repaired), more)


def estimate_backoff(families: Families) -> Factors:
    """Estimate the parameters, each table with a weight of its own.

    P(y) = (n(y) + 1/k) / (n + 1);  P(x|y) = (n(y,x) + b/v) / (n(y) + b) with b = `EVEN_ALONE`;
    P(x|u,y) = (n(y,u,x) + a P(x|y) + m/v) / (n(y,u) + a + m) with m = `EVEN`, for x with mother u.
    The weight a is that of `WEIGHTS` under which the training rows, each left out in turn, are most likely.
    """
    k = len(families.y)
    tables = tuple(
        np.log(_backed_off(counts, families.marginal(position)))
        for position, counts in enumerate(families.tables)
    )
    prior = (families.y + 1 / k) / (families.y.sum() + 1)
    return Factors(np.log(prior), families.columns, families.mothers, tables, families.others)


def backoff_weight(counts: Ints, alone: Floats) -> float:
    """Return the weight of the two-way table that makes rows left out one by one most likely.

    Parameters
    ----------
    counts : array (k, v_mother, v)
        n(y,u,x).
    alone : array (k, v)
        P(x|y).

    Examples
    --------
    >>> alone = np.array([[0.5, 0.5]])
    >>> backoff_weight(np.array([[[2, 2], [2, 2]]]), alone)  # the mother does not matter
    200.0
    >>> backoff_weight(np.array([[[40, 0], [0, 40]]]), alone)  # the mother decides
    0.0
    """
    filled = counts > 0
    n, v = counts[filled], counts.shape[-1]
    total = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)[filled]
    lean = np.broadcast_to(_beside(alone, counts), counts.shape)[filled]
    weights = np.array(WEIGHTS)[:, None]
    left_out = np.log((n - 1 + weights * lean + EVEN / v) / (total - 1 + weights + EVEN))
    return WEIGHTS[int(np.argmax(left_out @ n))]


def _backed_off(counts: Ints, marginal: Ints) -> Floats:
    """P(x|y) or P(x|u,y) of one attribute."""
    v = counts.shape[-1]
    alone: Floats = (marginal + EVEN_ALONE / v) / (marginal.sum(axis=-1, keepdims=True) + EVEN_ALONE)
    if counts.ndim == 2:
        return alone
    weight = backoff_weight(counts, alone)
    given: Floats = (counts + weight * _beside(alone, counts) + EVEN / v) / (
        counts.sum(axis=-1, keepdims=True) + weight + EVEN
    )
    return given


def _beside(alone: Floats, counts: Ints) -> Floats:
    """Return P(x|y), (k, v), with an axis of one for every mother."""
    return alone.reshape(len(alone), *(1,) * (counts.ndim - 2), -1)


def _m_estimate(counts: Ints, m: float) -> Floats:
    """(n + m/v) / (N + m) along the last axis."""
    estimates: Floats = (counts + m / counts.shape[-1]) / (counts.sum(axis=-1, keepdims=True) + m)
    return estimates


def _log(values: Floats) -> Floats:
    """Natural log where zero becomes -inf without a warning."""
    return np.log(values, out=np.full(values.shape, -np.inf), where=values > 0)
