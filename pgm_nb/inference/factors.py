"""Families of counts in, log-probability tables out, and the joint log-probability of rows.

Naive Bayes, TAN and generalized naive Bayes are alike here: given the class, each is a forest over the
attributes. P(y, x) = P(y) prod P(x_i | x_mother(i), y), and a cherry junction tree read along its
mothers is exactly that product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import Codes, Flags, Floats, Ints, Places
from pgm_nb.inference.families import Families, all_mothers, reordered

if TYPE_CHECKING:
    from pgm_nb.inference.chordal import Chordal
    from pgm_nb.inference.incomplete import Distant, Laid

__all__ = [
    "EVEN",
    "EVEN_ALONE",
    "WEIGHTS",
    "Factors",
    "backoff_weight",
    "estimate",
    "estimate_backoff",
    "estimate_unsmoothed",
    "log_joint",
]

FEW_ROWS = 64  # up to here all attributes are looked up at once
ROUNDING = 1e-12  # of sums of probabilities
BLOCK = 1 << 14  # rows handled at once: keeps the work in cache
EVEN = 2.0  # imaginary rows spread evenly over the states of an attribute with a mother
EVEN_ALONE = 5.0  # ... of an attribute without one
WEIGHTS = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)  # imaginary rows spread as P(x|y)


@dataclass(frozen=True, eq=False)
class Factors:
    """Log-probability tables of a forest given the class, or of a chordal graph.

    Attributes
    ----------
    log_prior : array (k,)
        log P(y).
    columns, mothers : tuple of int
        As in `Families`: the column each table reads, and its mother's position (-1: none).
    tables : tuple of arrays
        log P(x|y) as (k, v), or log P(x|mother,y) as (k, v_mother, v).
    others : tuple of tuples of int
        As in `Families`: the positions of further mothers, whose axes stand after the mother's.
    """

    log_prior: Floats
    columns: tuple[int, ...]
    mothers: tuple[int, ...]
    tables: tuple[Floats, ...]
    others: tuple[tuple[int, ...], ...] = ()

    @property
    def given(self) -> tuple[tuple[int, ...], ...]:
        """Positions of all mothers of each attribute, in the order of the axes of its table."""
        return all_mothers(self.mothers, self.others)

    @cached_property
    def cards(self) -> Places:
        """Number of states of each attribute."""
        return np.array([table.shape[-1] for table in self.tables])

    @cached_property
    def packed(self) -> _Packed:
        """The tables one after the other, made when they are first used."""
        return _Packed.of(self)

    @cached_property
    def chances(self) -> tuple[Floats, ...]:
        """The tables as probabilities, made when they are first used."""
        return tuple(np.exp(table) for table in self.tables)

    @cached_property
    def log_totals(self) -> tuple[Floats, ...]:
        """Log of the sum of each table over the states of the attribute, made when it is first used.

        Zero, but for repaired tables and states of a mother that were never seen.
        """
        totals = tuple(np.logaddexp.reduce(table, axis=-1) for table in self.tables)
        for total in totals:
            total[np.abs(total) < ROUNDING] = 0.0
        return totals

    @cached_property
    def laid(self) -> Laid:
        """The tables of a forest as compiled code reads them, made when they are first used."""
        from pgm_nb.inference.incomplete import lay_out

        return lay_out(self)

    @cached_property
    def distant(self) -> Distant:
        """The tables of a forest given ancestors, made when they are first used."""
        from pgm_nb.inference.incomplete import given_ancestors

        return given_ancestors(self)

    @cached_property
    def chordal(self) -> Chordal | None:
        """The tables of a graph with up to two mothers as compiled code reads them, or None."""
        from pgm_nb.inference.chordal import lay_out

        return lay_out(self)

    def in_order(self, columns: Sequence[int]) -> Factors:
        """Return the same tables listed in the order of these columns."""
        old, mothers, others = reordered(self.columns, self.mothers, self.others, columns)
        return Factors(self.log_prior, tuple(columns), mothers, tuple(self.tables[i] for i in old), others)


@dataclass(frozen=True, eq=False)
class _Packed:
    """All tables in one array, so that few rows of many attributes are looked up in one step.

    Attributes
    ----------
    cells : array (cells of all tables, k)
        log P, the tables one after the other.
    columns, above : arrays (attributes,)
        The column of each attribute, and that of its mother (its own if it has none).
    start, step, cards : arrays (attributes, 1)
        Where its table begins, how many cells further the next state of its mother is (0 without one), and
        how many states it has.
    more : tuple of pairs of arrays
        The same as `above` and `step` for second mothers, third ones and so on.
    """

    cells: Floats
    columns: Places
    above: Places
    start: Places
    step: Places
    cards: Places
    more: tuple[tuple[Places, Places], ...] = ()

    @classmethod
    def of(cls, factors: Factors) -> _Packed:
        """Lay the tables of a forest out."""
        k, columns, cards = len(factors.log_prior), np.array(factors.columns), factors.cards
        mothers = np.array(factors.mothers)
        sizes = np.array([table[0].size for table in factors.tables])
        steps = np.where(mothers >= 0, cards, 0)
        more = []
        for place, also in enumerate(factors.others):
            for other in also:
                steps[place] *= cards[other]
        for level in range(max(map(len, factors.others), default=0)):
            above, step = columns.copy(), np.zeros(len(columns), dtype=np.intp)
            for place, also in enumerate(factors.others):
                if level < len(also):
                    above[place] = columns[also[level]]
                    step[place] = np.prod(cards[list(also[level + 1 :])], dtype=np.intp) * cards[place]
            more.append((above, step[:, None]))
        return cls(
            np.concatenate([table.reshape(k, -1) for table in factors.tables], axis=1).T.copy(),
            columns,
            np.where(mothers >= 0, columns[mothers], columns),
            (np.cumsum(sizes) - sizes)[:, None],
            steps[:, None],
            cards[:, None],
            tuple(more),
        )

    def are_complete(self, codes: Codes) -> Flags:
        """Return which rows have no unknown attribute."""
        known = np.empty(codes.shape[1], dtype=bool)
        cards = self.cards
        if cards.max() <= np.iinfo(codes.dtype).max:
            cards = cards.astype(codes.dtype)  # compared as they are, eight bytes for one otherwise
        at_once = max(1, BLOCK * 8 // len(self.columns))
        for first in range(0, len(known), at_once):
            some = codes[:, first : first + at_once]
            known[first : first + at_once] = (some[self.columns] < cards).all(axis=0)
        return known

    def add_up(self, log_prior: Floats, codes: Codes, result: Floats) -> None:
        """Sum the prior and one cell per attribute, in the order of the attributes."""
        parts = np.empty((len(self.columns) + 1, *result.shape))
        parts[0] = log_prior
        place = self.start + codes[self.columns].astype(np.intp) + self.step * codes[self.above]
        for above, step in self.more:
            place += step * codes[above]
        self.cells.take(place, axis=0, out=parts[1:])
        np.add.reduce(parts, axis=0, out=result)


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
        given_class = np.where(marginal > 0, marginal / n_y[:, None], marginal.sum(axis=0) / n)
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


def log_joint(factors: Factors, codes: Codes) -> Floats:
    """Log P(y, known attributes) for every row, natural log, (n, k).

    A code equal to the number of states means unknown: that attribute is summed out exactly.

    Parameters
    ----------
    factors : Factors
        The log tables.
    codes : array (d, n)
        Coded rows, one column of the table per row of the array.
    """
    n = codes.shape[1]
    result = np.empty((n, len(factors.log_prior)))
    if not factors.tables:  # nothing but the class
        result[:] = factors.log_prior
        return result
    from pgm_nb.inference.incomplete import sum_out

    complete = factors.packed.are_complete(codes)
    if complete.all():
        _complete_rows(factors, codes, result)
        return result
    unknown = ~complete
    summing = _incomplete_cliques if factors.others else sum_out
    if unknown.all():
        summing(factors, codes, result)
        return result
    for rows, score in ((complete, _complete_rows), (unknown, summing)):
        part = np.empty((int(rows.sum()), result.shape[1]))
        score(factors, codes[:, rows], part)
        result[rows] = part
    return result


def _m_estimate(counts: Ints, m: float) -> Floats:
    """(n + m/v) / (N + m) along the last axis."""
    estimates: Floats = (counts + m / counts.shape[-1]) / (counts.sum(axis=-1, keepdims=True) + m)
    return estimates


def _log(values: Floats) -> Floats:
    """Natural log where zero becomes -inf without a warning."""
    return np.log(values, out=np.full(values.shape, -np.inf), where=values > 0)


def _complete_rows(factors: Factors, codes: Codes, result: Floats) -> None:
    """Sum one table entry per attribute and class: rows in blocks, columns in order."""
    if codes.shape[1] <= FEW_ROWS:
        factors.packed.add_up(factors.log_prior, codes, result)
        return
    flat = [np.ascontiguousarray(table.reshape(len(table), -1).T) for table in factors.tables]
    for start in range(0, codes.shape[1], BLOCK):
        block = slice(start, start + BLOCK)
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


def _incomplete_cliques(factors: Factors, codes: Codes, result: Floats) -> None:
    """Sum unknown attributes out of a chordal graph, at once or attribute by attribute."""
    from pgm_nb.inference import chordal, cliques

    rows = np.arange(codes.shape[1])
    if chordal.chosen(factors, len(rows)):
        rows = chordal.add_up(factors, chordal.untrained(factors), codes, result)
    if len(rows):
        result[rows] = factors.log_prior + cliques.clique_terms(factors, codes[:, rows]).sum(axis=1)
