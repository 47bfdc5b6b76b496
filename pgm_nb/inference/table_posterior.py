"""How sure the tables of a forest are: Dirichlet posteriors of their rows.

A row of a table, P(x | context), has a Dirichlet posterior with n(context, x) + r m(x) + b. m is what the
other contexts of the same level say (the other states of the mother in the same class, or the other classes),
r how far it is to be believed, b the same for every state. r grows with how alike the contexts are (their
concentration a) and with how many rows the others have, by 1/r = 1/a + 1/rows. Neither a nor b is fixed: the
counts of each attribute weigh all pairs by how probable they make every context given the others, and each
draw takes one of them. That compares any two contexts twice, each given the other, so half of the log counts.
A context never votes for its own prior, so that no row is used twice.

This is the hierarchical prior of `hierarchical` without its point estimate: that one picks the single most
useful concentration for prediction and leans further than what a fair interval allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from pgm_nb.arrays import Floats, Ints
from pgm_nb.inference.families import Families

__all__ = ["Mixture", "TablePosterior", "prior_counts"]

ALIKE = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0)  # concentrations a: rows that the other contexts are worth
EVEN = (0.1, 0.25, 0.5, 1.0, 2.0)  # rows b that every state gets
ONCE = 0.5  # of the log-probabilities of contexts given the others, which compare any two of them twice
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
        [203, 240]
        """
        a, b = (grid.ravel() for grid in np.meshgrid(np.array(ALIKE), np.array(EVEN), indexing="ij"))
        at_once = max(1, MOST // counts.size)
        logs = np.concatenate(
            [
                _log_probability(counts, prior_counts(counts, a[i : i + at_once], b[i : i + at_once]))
                for i in range(0, len(a), at_once)
            ]
        )
        shares = np.exp(ONCE * (logs - logs.max()))
        shares /= shares.sum()
        kept = np.argsort(-shares, kind="stable")[:at_once]
        kept = kept[shares[kept] >= min(FEW, shares.max())]
        return cls(counts + prior_counts(counts, a[kept], b[kept]), shares[kept] / shares[kept].sum())


def _log_probability(counts: Ints, prior: Floats) -> Floats:
    """Return the log-probability of the counts under each prior; cells and contexts without rows add 0."""
    total, size = prior.sum(axis=-1), counts.sum(axis=-1)
    cells, rows = counts > 0, size > 0
    before, above = prior[:, cells], total[:, rows]
    found: Floats = (gammaln(before + counts[cells]) - gammaln(before)).sum(axis=1)
    found += (gammaln(above) - gammaln(above + size[rows])).sum(axis=1)
    return found


@dataclass(frozen=True, eq=False)
class TablePosterior:
    """The posterior of the tables of a forest, given its counts.

    Examples
    --------
    >>> counts = Families(np.array([20, 80]), (0,), (-1,), (np.array([[20, 0], [4, 76]]),))
    >>> TablePosterior(counts).mixtures[0].rows.shape[1:]
    (2, 2)
    """

    families: Families

    @cached_property
    def mixtures(self) -> tuple[Mixture, ...]:
        """The posteriors of every table."""
        return tuple(Mixture.of(counts) for counts in self.families.tables)
