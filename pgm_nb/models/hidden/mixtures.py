"""Hidden parents as mixtures: P(ai | hidden parent, c) = sum_j W_ij P(ai | aj, c), scored for coded rows.

Jiang, Zhang, Cai 2009. The tables P(ai | aj, c) are never laid out: they are read off the counts, for the
members of the bags only. An attribute without a bag has the factor P(ai | c), as in naive Bayes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts.kernels import thread_count
from pgm_nb.inference.factors import Factors, log_joint
from pgm_nb.models.hidden.sums import log_mixtures, use_compiled

if TYPE_CHECKING:
    from pgm_nb.counts import Counts
    from pgm_nb.inference.arrays import Codes, Floats, Places

__all__ = ["Mixtures", "log_scores", "mixtures"]

_BLOCK = 4096  # rows handled at once


@dataclass(frozen=True, eq=False)
class Mixtures:
    """The parameters of hidden naive Bayes.

    Attributes
    ----------
    counts : Counts
        All pair tables.
    smoothing : float
        Imaginary rows m: every table is (n + m/v) / (N + m).
    owners : array (a,)
        Columns that have a hidden parent, in column order.
    starts : array (a + 1,)
        Where each owner's bag begins in `members`; the last entry is the end.
    members : array (p,)
        Columns in the bags, one bag after the other.
    weights : array (p,)
        W_ij, the share of every member in its owner's mixture; each bag's sum is one.
    """

    counts: Counts
    smoothing: float
    owners: Places
    starts: Places
    members: Places
    weights: Floats

    @property
    def log_prior(self) -> Floats:
        """Log of P(c) = (n(c) + m/k) / (n + m)."""
        return self.alone.log_prior

    @cached_property
    def alone(self) -> Factors:
        """Logs of P(c) and P(ai|c) of every column, as in naive Bayes with the same smoothing."""
        counts, m = self.counts, self.smoothing
        k, n = counts.n_classes, counts.n_rows
        tables = []
        for column, v in enumerate(counts.cards):
            single = np.asarray(counts.single(column), dtype=np.float64)
            tables.append(np.log((single + m / v) / (single.sum(axis=1, keepdims=True) + m)))
        d = len(counts.cards)
        return Factors(np.log((counts.y + m / k) / (n + m)), tuple(range(d)), (-1,) * d, tuple(tables))

    @cached_property
    def naive(self) -> Factors:
        """The part of naive Bayes: the class prior, and the attributes without a bag."""
        hidden = set(self.owners.tolist())
        columns = tuple(c for c in self.alone.columns if c not in hidden)
        tables = tuple(self.alone.tables[c] for c in columns)
        return Factors(self.log_prior, columns, (-1,) * len(columns), tables)

    @cached_property
    def shares(self) -> Floats:
        """The weights as a matrix (a, d), zero outside the bags."""
        matrix = np.zeros((len(self.owners), len(self.counts.cards)))
        matrix[self.owner_of, self.members] = self.weights
        return matrix

    @cached_property
    def owner_of(self) -> Places:
        """Position in `owners` of the owner of each member."""
        return np.repeat(np.arange(len(self.owners)), np.diff(self.starts))

    @cached_property
    def layout(self) -> tuple[Places, Places, Places, Places]:
        """Where each member's pair table begins, and its strides: along the owner, the member, the class."""
        k, cards = self.counts.n_classes, np.asarray(self.counts.cards, dtype=np.intp)
        own, other = self.owners[self.owner_of], self.members
        low, high = np.minimum(own, other), np.maximum(own, other)
        before = k * cards[low] * (self.states[high] - self.states[low + 1])  # the pairs (low, low + 1), ...
        begin = self.counts.layout.column_starts()[low] + before
        first = own < other
        return (
            begin,
            np.where(first, cards[other], 1),
            np.where(first, 1, cards[own]),
            cards[own] * cards[other],
        )

    @cached_property
    def inverse(self) -> Floats:
        """1 / (n(c, aj) + m) for all states of all columns, laid out as `Counts.singles`."""
        inverse: Floats = 1.0 / (self.counts.singles.astype(np.float64) + self.smoothing)
        return inverse

    @cached_property
    def states(self) -> Places:
        """Where each column's states begin among all states."""
        return self.counts.layout.states()

    @cached_property
    def inverse_lanes(self) -> Floats:
        """`inverse` with some classes side by side, (groups of classes, states, lanes), padded with zeros."""
        from pgm_nb.models.hidden.compiled import LANES

        k, cards = self.counts.n_classes, np.asarray(self.counts.cards)
        first = (k - 1) * np.repeat(self.states[:-1], cards) + np.arange(cards.sum())  # of the first class
        stride = np.repeat(cards, cards)
        lanes = np.zeros((-(-k // LANES), len(first), LANES))
        for c in range(k):
            lanes[c // LANES, :, c % LANES] = self.inverse[first + c * stride]
        return lanes

    @property
    def smallest(self) -> float:
        """No probability P(ai | aj, c) or P(ai | c) is below this."""
        return self.smoothing / max(self.counts.cards) / (self.counts.n_rows + self.smoothing)


def mixtures(counts: Counts, weights: Floats, smoothing: float) -> Mixtures:
    """Put the parameters together.

    Parameters
    ----------
    counts : Counts
        All pair tables of the training rows.
    weights : array (d, d)
        W_ij, the share of column j in the hidden parent of column i; a row of zeros means no bag.
    smoothing : float
        Imaginary rows m.

    Examples
    --------
    >>> import numpy as np
    >>> from pgm_nb.counts import count
    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 1, 1]], dtype=np.uint8)
    >>> counts = count(codes, np.array([0, 0, 1, 1]), (2, 2), 2)
    >>> found = mixtures(counts, np.array([[0.0, 1.0], [1.0, 0.0]]), smoothing=1.0)
    >>> np.exp(log_scores(found, codes)[0]).round(4)  # 1/2 . (1.5/2)(1.5/3) and 1/2 . (0.5/1)(0.5/1)
    array([0.1875, 0.125 ])
    """
    owner, members = np.nonzero(weights)
    owners, sizes = np.unique(owner, return_counts=True)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    shares = weights[owner, members]
    return Mixtures(counts, smoothing, owners, starts, np.ascontiguousarray(members), shares)


def log_scores(
    model: Mixtures, codes: Codes, *, kernel: str = "auto", n_threads: int | None = None
) -> Floats:
    """Log of P(c) prod_i P(ai | hidden parent, c) for every row, natural log, (n, k).

    A code equal to the number of states means unknown: such a member leaves the mixtures, whose weights are
    then scaled up to one; with no member left the factor is P(ai|c). The factor of an unknown attribute
    itself is one.

    Parameters
    ----------
    model : Mixtures
        The parameters.
    codes : array (d, n)
        Coded rows.
    kernel : {"auto", "numpy", "compiled"}
        How to add up the mixtures; "auto" takes the faster one.
    n_threads : int, optional
        By default one per processor core; any number gives the same result.
    """
    scores = log_joint(model.naive, codes)
    if len(model.owners) == 0:
        return scores
    compiled = use_compiled(kernel, model.counts, len(model.members), codes.shape[1])
    threads = thread_count(n_threads)
    for start in range(0, codes.shape[1], _BLOCK):
        rows = slice(start, start + _BLOCK)
        scores[rows] += log_mixtures(model, codes[:, rows], compiled=compiled, n_threads=threads)
    return scores
