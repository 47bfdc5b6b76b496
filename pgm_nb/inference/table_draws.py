"""Draws of the tables of a forest: the same for every case, so that most are made once and kept.

Every table has a source of chance of its own. A case reads the entries that its evidence touches from the
draws, so that two cases that share a value share what is drawn for it. Tables that are too large to keep are
drawn anew for each case, cut down to the states that are possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.inference.factors import Factors
from pgm_nb.inference.table_posterior import CLASS_ROWS, LEAST, TablePosterior

__all__ = ["TableDraws"]

MOST_NUMBERS = 1 << 19  # that the draws of a table may take to be kept: 4 MB
ALL_NUMBERS = 1 << 23  # of all tables together: 64 MB


@dataclass(frozen=True, eq=False)
class TableDraws:
    """So many draws of the tables.

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
    _kept: dict[int, Floats] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of a copy what can be drawn again."""
        return {"posterior": self.posterior, "n": self.n, "seed": self.seed, "_kept": {}}

    @cached_property
    def log_prior(self) -> Floats:
        """Log shares of the classes, (n, k)."""
        y = self.posterior.families.y
        prior = self._chance(len(self.posterior.families.tables)).standard_gamma(
            y + CLASS_ROWS, size=(self.n, len(y))
        )
        prior += LEAST
        found: Floats = np.log(prior / prior.sum(axis=1, keepdims=True))
        return found

    @cached_property
    def _keeps(self) -> tuple[bool, ...]:
        """Which tables are kept: the same whatever was asked before."""
        sizes = self.n * np.array([table.size for table in self.posterior.families.tables])
        fits = sizes <= MOST_NUMBERS
        found: list[bool] = (fits & (np.cumsum(sizes * fits) <= ALL_NUMBERS)).tolist()
        return tuple(found)

    def shares(self, i: int, own: Places, above: Sequence[Places] = ()) -> Floats:
        """Return probabilities of some states of an attribute, (n, k, v), (n, k, v_mother, v) and so on.

        Parameters
        ----------
        i : int
            The place of the attribute in the families.
        own : array of int
            Its states.
        above : sequence of array of int
            The states of its mothers.
        """
        if not self._keeps[i]:
            return self._some(i, own, above)
        if i not in self._kept:
            self._kept[i] = self._drawn(i, self.posterior.mixtures[i].rows)
        return _taken(self._kept[i], own, above)

    def factors(self, possible: Sequence[Places | None]) -> Factors:
        """Return log tables, cut down to the states that are possible.

        Every draw of every class is a class of its own: first all draws of the first class. The columns are
        places in the list of those attributes that play a part.

        Parameters
        ----------
        possible : sequence of array of int or None
            For each attribute of the families the states that the evidence leaves possible; None for one that
            plays no part, whose children must play none either.
        """
        families = self.posterior.families
        states = {i: found for i, found in enumerate(possible) if found is not None}
        place = {i: at for at, i in enumerate(states)}
        tables = []
        for i, own in states.items():
            drawn = self.shares(i, own, [states[m] for m in families.given[i]])
            logs = np.log(np.moveaxis(drawn, 0, 1) + LEAST)
            tables.append(logs.reshape(-1, *drawn.shape[2:]))
        mothers = tuple(place[families.mothers[i]] if families.mothers[i] >= 0 else -1 for i in states)
        more = families.others and tuple(tuple(place[m] for m in families.others[i]) for i in states)
        return Factors(
            self.log_prior.T.ravel(),
            tuple(range(len(states))),
            mothers,
            tuple(tables),
            more if any(more) else (),
        )

    def _some(self, i: int, own: Places, above: Sequence[Places]) -> Floats:
        """Draw some entries of a large table; all other states are one."""
        rows = _taken(self.posterior.mixtures[i].rows, np.arange(self.posterior.families.cards[i]), above)
        if len(own) < rows.shape[-1]:
            some = rows[..., own]
            rest = rows.sum(axis=-1, keepdims=True) - some.sum(axis=-1, keepdims=True)
            rows = np.concatenate([some, rest], axis=-1)
        return self._drawn(i, rows)[..., : len(own)]

    def _drawn(self, i: int, rows: Floats) -> Floats:
        """Draw from Dirichlet distributions, (priors, k, ..., v) -> (n, k, ..., v)."""
        rng, shares = self._chance(i), self.posterior.mixtures[i].shares
        pick = rng.permutation(np.repeat(np.arange(len(rows)), rng.multinomial(self.n, shares)))
        drawn = rng.standard_gamma(rows[pick])
        drawn += LEAST
        drawn /= drawn.sum(axis=-1, keepdims=True)
        found: Floats = drawn
        return found

    def _chance(self, i: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, i])


def _taken(table: Floats, own: Places, above: Sequence[Places]) -> Floats:
    """Return the entries of some states, (n, k, ..., v); mothers have the axes from the third on."""
    for axis, states in enumerate((*above, own), start=2):
        if len(states) < table.shape[axis]:
            table = table.take(states, axis=axis)
    return table
