"""Draws of the tables of a forest: the same for every case, so that most are made once and kept.

Every table has a source of chance of its own. A case reads the entries that its evidence touches from the
draws, so that two cases that share a value share what is drawn for it. Of a table with mothers, one state is
drawn on its own, for each case anew but with the same chance: that is faster than to draw the whole table
before the first answer. So are tables that are too large to keep, cut down to the states that are possible.

A case that is asked about comes from the same population as the rows, so it is one row more, of a class that
is not known. Each draw takes it to be of one class, as often as that class is probable (`supposed`). A
Dirichlet distribution is a set of gamma numbers divided by their total; a row more is an exponential number
more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from pgm_nb.arrays import Flags, Floats, Places
from pgm_nb.inference.factors import Factors
from pgm_nb.inference.table_posterior import CLASS_ROWS, LEAST, TablePosterior

__all__ = ["TableDraws", "supposed"]

MOST_NUMBERS = 1 << 19  # that the draws of a table may take to be kept: 4 MB
ALL_NUMBERS = 1 << 23  # of all tables together: 64 MB
ENOUGH = 1 << 14  # numbers that are drawn of a table: what is summed over many cells needs fewer draws
AT_MOST = 4  # times is a draw of a table used


def supposed(point: Floats, n: int) -> Flags:
    """Say of which class every draw takes the case to be, (n, k): as often as the class is probable.

    Examples
    --------
    >>> supposed(np.array([0.8, 0.2]), 10).sum(axis=0)
    array([8, 2])
    """
    ends = np.rint(n * np.cumsum(point)).astype(np.intp)
    ends[-1] = n
    label = np.repeat(np.arange(len(point)), np.diff(ends, prepend=0))
    found: Flags = np.random.default_rng(n).permutation(label)[:, None] == np.arange(len(point))
    return found


@dataclass(frozen=True, eq=False)
class TableDraws:
    """So many draws of the tables; of large tables fewer, each of which is used several times.

    Examples
    --------
    >>> from pgm_nb.inference.families import Families
    >>> counts = Families(np.array([20, 80]), (0,), (-1,), (np.array([[20, 0], [4, 76]]),))
    >>> draws = TableDraws(TablePosterior(counts), 1000)
    >>> draws.shares(0, np.array([0])).shape  # one state is possible
    (1000, 2, 1)
    """

    posterior: TablePosterior
    n: int
    seed: int = 0
    _kept: dict[int, tuple[Floats, Floats]] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of a copy what can be drawn again."""
        return {"posterior": self.posterior, "n": self.n, "seed": self.seed, "_kept": {}}

    @cached_property
    def _class_rows(self) -> Floats:
        y = self.posterior.families.y
        found: Floats = self._chance(len(self.posterior.families.tables)).standard_gamma(
            y + CLASS_ROWS, size=(self.n, len(y))
        )
        return found + LEAST

    def log_prior(self, seen: Flags | None = None) -> Floats:
        """Log shares of the classes, (n, k); with the class of the case, if one is supposed."""
        rows = self._class_rows
        if seen is not None:
            rows = rows + self._one_more(len(self.posterior.families.tables), seen)
        found: Floats = np.log(rows / rows.sum(axis=1, keepdims=True))
        return found

    @cached_property
    def _keeps(self) -> tuple[bool, ...]:
        """Which tables are kept: the same whatever was asked before."""
        sizes = self.n * np.array([table.size for table in self.posterior.families.tables])
        fits = sizes <= MOST_NUMBERS
        found: list[bool] = (fits & (np.cumsum(sizes * fits) <= ALL_NUMBERS)).tolist()
        return tuple(found)

    def shares(self, i: int, own: Places, above: Sequence[Places] = (), seen: Flags | None = None) -> Floats:
        """Return probabilities of some states of an attribute, (n, k, v), (n, k, v_mother, v) and so on.

        Parameters
        ----------
        i : int
            The place of the attribute in the families.
        own : array of int
            Its states.
        above : sequence of array of int
            The states of its mothers.
        seen : array (n, k), optional
            Of which class each draw takes the case to be. It counts where its cell of the table is known.
        """
        if self._keeps[i] and (len(own) > 1 or not above):
            if i not in self._kept:
                self._kept[i] = self._drawn(i, self.posterior.rows[i])
            drawn, total = self._kept[i]
            drawn, total = _taken(drawn, (*above, own)), _taken(total, above)
        else:
            drawn, total = self._some(i, own, above)
        if seen is None or drawn[0, 0].size > 1:
            return drawn
        more = self._one_more(i, seen).reshape(drawn.shape)
        total = total.reshape(drawn.shape)
        found: Floats = (drawn * total + more) / (total + more)
        return found

    def factors(self, possible: Sequence[Places | None], seen: Flags | None = None) -> Factors:
        """Return log tables, cut down to the states that are possible.

        Every draw of every class is a class of its own: first all draws of the first class. The columns are
        places in the list of those attributes that play a part.

        Parameters
        ----------
        possible : sequence of array of int or None
            For each attribute of the families the states that the evidence leaves possible; None for one that
            plays no part, whose children must play none either.
        seen : array (n, k), optional
            Of which class each draw takes the case to be.
        """
        families = self.posterior.families
        states = {i: found for i, found in enumerate(possible) if found is not None}
        place = {i: at for at, i in enumerate(states)}
        tables = []
        for i, own in states.items():
            drawn = self.shares(i, own, [states[m] for m in families.given[i]], seen)
            logs = np.log(np.moveaxis(drawn, 0, 1) + LEAST)
            tables.append(logs.reshape(-1, *drawn.shape[2:]))
        mothers = tuple(place[families.mothers[i]] if families.mothers[i] >= 0 else -1 for i in states)
        more = families.others and tuple(tuple(place[m] for m in families.others[i]) for i in states)
        return Factors(
            self.log_prior(seen).T.ravel(),
            tuple(range(len(states))),
            mothers,
            tuple(tables),
            more if any(more) else (),
        )

    def _some(self, i: int, own: Places, above: Sequence[Places]) -> tuple[Floats, Floats]:
        """Draw some entries of a large table; all other states are one."""
        rows = _taken(self.posterior.rows[i], above)
        if len(own) < rows.shape[-1]:
            some = rows[..., own]
            rest = rows.sum(axis=-1, keepdims=True) - some.sum(axis=-1, keepdims=True)
            rows = np.concatenate([some, rest], axis=-1)
        drawn, total = self._drawn(i, rows)
        return drawn[..., : len(own)], total

    def _drawn(self, i: int, rows: Floats) -> tuple[Floats, Floats]:
        """Draw from Dirichlet distributions, (priors, k, ..., v) -> (n, k, ..., v), and their totals."""
        rng, n = self._chance(i), max(self.n // AT_MOST, min(self.n, ENOUGH // rows[0].size))
        pick = rng.permutation(np.arange(n) % len(rows))
        drawn = rng.standard_gamma(rows[pick])
        drawn += LEAST
        total = drawn.sum(axis=-1)
        drawn /= total[..., None]
        if n < self.n:  # some of them several times
            again = rng.permutation(np.arange(self.n) % n)
            return drawn[again], total[again]
        return drawn, total

    def _one_more(self, i: int, seen: Flags) -> Floats:
        """Return the rows that the case adds, (n, k)."""
        found: Floats = seen * np.random.default_rng([self.seed, i, 1]).standard_exponential((self.n, 1))
        return found

    def _chance(self, i: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, i])


def _taken(table: Floats, states: Sequence[Places]) -> Floats:
    """Return the entries of some states, (n, k, ...); the first of them has the third axis, and so on."""
    for axis, some in enumerate(states, start=2):
        if len(some) < table.shape[axis]:
            table = table.take(some, axis=axis)
    return table
