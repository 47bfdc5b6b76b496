"""How sure the tables of a forest are: Dirichlet posteriors of their rows, and draws from them.

A row of a table, P(x | context), has a Dirichlet posterior with n(context, x) + r m(x) + b. m is what the
other contexts of the same level say (the other states of the mother in the same class, or the other classes),
r how far it is to be believed, b the same for every state. r grows with how alike the contexts are (their
concentration a) and with how many rows the others have, by 1/r = 1/a + 1/rows. Neither a nor b is fixed: the
counts of each attribute weigh all pairs by how probable they make every context given the others, and each
draw takes one of them. A context never votes for its own prior, so that no row is used twice.

This is the hierarchical prior of `hierarchical` without its point estimate: that one picks the single most
useful concentration for prediction and leans further than what a fair interval allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from pgm_nb.arrays import Floats, Ints, Places
from pgm_nb.inference.factors import Factors
from pgm_nb.inference.families import Families

__all__ = ["Mixture", "TablePosterior", "prior_counts"]

ALIKE = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0)  # concentrations a: rows that the other contexts are worth
EVEN = (0.1, 0.25, 0.5, 1.0, 2.0)  # rows b that every state gets
FEW = 0.02  # pairs with less than this share of the weight are left out
MOST = 1 << 21  # cells that the priors of one table may hold
LEAST = 1e-300  # keeps the log of a share that is drawn as zero finite
CLASS_ROWS = 1.0  # imaginary rows that every class gets


def prior_counts(counts: Ints, a: Floats, b: Floats) -> Floats:
    """Return the imaginary rows of every state of every context for some pairs (a, b), (pairs, ..., v).

    Examples
    --------
    >>> counts = np.array([[6, 2], [0, 0]])
    >>> prior_counts(counts, np.array([8.0]), np.array([1.0])).round(2)
    array([[[1.  , 1.  ],
            [3.  , 1.67]]])
    """
    a, b = (values.reshape(-1, *(1,) * (counts.ndim - 1)) for values in (a, b))
    rows = counts.sum(axis=-1)
    trust = np.divide(a, a + rows, out=np.zeros((len(a), *rows.shape)), where=a > 0)
    worth = trust * rows  # what the rows of a context are worth to the others
    others = worth.sum(axis=-1, keepdims=True) - worth
    believed = np.divide(a * others, a + others, out=np.zeros_like(others), where=others > 0)
    scale = np.divide(believed, others, out=np.zeros_like(others), where=others > 0)
    weighed = trust[..., None] * counts
    elsewhere = weighed.sum(axis=-2, keepdims=True) - weighed
    found: Floats = scale[..., None] * elsewhere + b[..., None]
    return found


@dataclass(frozen=True, eq=False)
class Mixture:
    """The Dirichlet posteriors of one table under some priors, and the share of the draws that each gets.

    Attributes
    ----------
    rows : array (priors, k, ..., v)
        Real and imaginary rows.
    shares : array (priors,)
        How probable each prior is.
    """

    rows: Floats
    shares: Floats

    @classmethod
    def of(cls, counts: Ints) -> Mixture:
        """Weigh the priors by the Dirichlet-multinomial probability of every context given the others.

        Examples
        --------
        >>> apart = Mixture.of(np.array([[90, 10], [10, 90]]))
        >>> alike = Mixture.of(np.array([[50, 50], [52, 48]]))
        >>> [round(float(found.shares @ found.rows.sum(axis=(1, 2)))) for found in (apart, alike)]
        [203, 252]
        """
        a, b = (grid.ravel() for grid in np.meshgrid(np.array(ALIKE), np.array(EVEN), indexing="ij"))
        at_once = max(1, MOST // counts.size)
        logs = np.concatenate(
            [
                _log_probability(counts, prior_counts(counts, a[i : i + at_once], b[i : i + at_once]))
                for i in range(0, len(a), at_once)
            ]
        )
        shares = np.exp(logs - logs.max())
        shares /= shares.sum()
        kept = np.argsort(-shares, kind="stable")[:at_once]
        kept = kept[shares[kept] >= min(FEW, shares.max())]
        return cls(counts + prior_counts(counts, a[kept], b[kept]), shares[kept] / shares[kept].sum())


def _log_probability(counts: Ints, prior: Floats) -> Floats:
    total = prior.sum(axis=-1)
    cells = gammaln(prior + counts) - gammaln(prior)
    rows = gammaln(total) - gammaln(total + counts.sum(axis=-1))
    axes = tuple(range(1, cells.ndim))
    found: Floats = cells.sum(axis=axes) + rows.sum(axis=axes[:-1])
    return found


@dataclass(frozen=True, eq=False)
class TablePosterior:
    """The posterior of the tables of a forest, given its counts.

    Examples
    --------
    >>> counts = Families(np.array([20, 80]), (0,), (-1,), (np.array([[20, 0], [4, 76]]),))
    >>> drawn = TablePosterior(counts).draw([np.array([0])], 1000, np.random.default_rng(0))
    >>> drawn.log_prior.shape, drawn.tables[0].shape  # one state is possible
    ((2000,), (2000, 1))
    """

    families: Families

    @cached_property
    def mixtures(self) -> tuple[Mixture, ...]:
        """The posteriors of every table."""
        return tuple(Mixture.of(counts) for counts in self.families.tables)

    def draw(self, possible: Sequence[Places | None], n: int, rng: np.random.Generator) -> Factors:
        """Draw tables, cut down to the states that are possible.

        Parameters
        ----------
        possible : sequence of array of int or None
            For each attribute of the families the states that the evidence leaves possible; None for one that
            plays no part, whose children must play none either.
        n : int
            How many draws.
        rng : Generator
            The source of chance.

        Returns
        -------
        Factors
            Every draw of every class is a class of its own: first all draws of the first class. The columns
            are places in the list of those attributes that play a part.
        """
        families = self.families
        used = [i for i, states in enumerate(possible) if states is not None]
        place = {i: at for at, i in enumerate(used)}
        tables = []
        for i in used:
            drawn = self._draw_table(i, possible[i], [possible[m] for m in families.given[i]], n, rng)
            tables.append(drawn.reshape(-1, *drawn.shape[2:]))
        prior = rng.standard_gamma(families.y + CLASS_ROWS, size=(n, len(families.y))) + LEAST
        logs = np.log(prior / prior.sum(axis=1, keepdims=True)).T.ravel()
        mothers = tuple(place[families.mothers[i]] if families.mothers[i] >= 0 else -1 for i in used)
        more = families.others and tuple(tuple(place[m] for m in families.others[i]) for i in used)
        return Factors(logs, tuple(range(len(used))), mothers, tuple(tables), more if any(more) else ())

    def _draw_table(
        self, i: int, own: Places | None, above: Sequence[Places | None], n: int, rng: np.random.Generator
    ) -> Floats:
        """Return log tables, (k, n, v) or (k, n, v_mother, v), with an axis more for every further mother."""
        mixture = self.mixtures[i]
        rows = mixture.rows
        for axis, states in enumerate(above, start=2):
            if states is not None:
                rows = rows[(slice(None),) * axis + (states,)]
        if own is not None and len(own) < rows.shape[-1]:  # all other states are one
            some = rows[..., own]
            rest = rows.sum(axis=-1, keepdims=True) - some.sum(axis=-1, keepdims=True)
            rows = np.concatenate([some, rest], axis=-1)
        pick = rng.permutation(np.repeat(np.arange(len(rows)), rng.multinomial(n, mixture.shares)))
        drawn = rng.standard_gamma(rows[pick]) + LEAST
        logs = np.log(drawn / drawn.sum(axis=-1, keepdims=True) + LEAST)
        size = rows.shape[-1] if own is None else len(own)
        return np.ascontiguousarray(np.moveaxis(logs[..., :size], 0, 1))
