"""Hidden parents as mixtures: P(ai | hidden parent, c) = sum_j W_ij P(ai | aj, c), scored for coded rows.

Jiang, Zhang, Cai 2009. The tables P(ai | aj, c) are never laid out: they are read off the counts, for the
members of the bags only. An attribute without a bag has the factor P(ai | c), as in naive Bayes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.counts.threads import in_threads, thread_count
from pgm_nb.inference.factors import Factors, log_joint
from pgm_nb.inference.hidden_choose import numpy_nanoseconds, use_compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pgm_nb.counts import Counts
    from pgm_nb.inference.arrays import Codes, Floats, Places

__all__ = ["Mixtures", "log_scores", "mixture_sums", "mixtures"]

_BLOCK = 1024  # rows handled at once
_CELLS = 1 << 18  # numbers that NumPy handles at once: 2 MB
_LOGARITHMS = 16  # attributes whose probabilities are multiplied before a logarithm is taken, at most


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
        cards = np.asarray(self.counts.cards, dtype=np.intp)
        own, other = self.owners[self.owner_of], self.members
        d = len(cards)
        low, high = np.minimum(own, other), np.maximum(own, other)
        place = low * (2 * d - low - 1) // 2 + high - low - 1  # the pair's number in the order of `Layout`
        begin = self.counts.layout.pair_starts()[place]
        first = own < other
        return (
            begin,
            np.where(first, cards[other], 1),
            np.where(first, 1, cards[own]),
            cards[own] * cards[other],
        )

    @cached_property
    def inverse(self) -> Floats:
        """1 / (n(c, aj) + m) for all columns, laid out as `Counts.singles`."""
        inverse: Floats = 1.0 / (self.counts.singles.astype(np.float64) + self.smoothing)
        return inverse

    @cached_property
    def single_starts(self) -> Places:
        """Where each column's table begins in `inverse`."""
        return self.counts.n_classes * self.counts.layout.states()[:-1]

    @property
    def factors_per_logarithm(self) -> int:
        """How many probabilities can be multiplied before their product could be too small for a float."""
        smallest = self.smoothing / max(self.counts.cards) / (self.counts.n_rows + self.smoothing)
        return int(np.clip(-600 / np.log(min(smallest, 0.5)), 1, _LOGARITHMS))


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
    n, n_pairs, k = codes.shape[1], len(model.members), model.counts.n_classes
    compiled = use_compiled(kernel, model.counts, model.starts, n)
    n_blocks = -(-n // _BLOCK)

    def task(first: int, last: int) -> None:
        for block in range(first, last):
            rows = slice(block * _BLOCK, (block + 1) * _BLOCK)
            scores[rows] += _log_mixtures(model, codes[:, rows], compiled)

    work = np.full(n_blocks, numpy_nanoseconds(n_pairs, min(n, _BLOCK), k))
    in_threads(task, work, thread_count(n_threads))
    return scores


def mixture_sums(model: Mixtures, codes: Codes, *, compiled: bool = False) -> Floats:
    """sum_j W_ij P(ai | aj, c) over the known members j, for every owner, class and row: (a, k, rows)."""
    if not compiled:
        return _numpy_sums(model, codes)
    from pgm_nb.inference.hidden_compiled import add_mixtures

    counts = model.counts
    sums = np.zeros((len(model.owners), counts.n_classes, codes.shape[1]))
    begin, own_stride, other_stride, class_stride = model.layout
    add_mixtures(
        np.ascontiguousarray(codes, dtype=np.uint16),
        np.asarray(counts.cards, dtype=np.int64),
        model.owners,
        model.starts,
        model.members,
        model.weights,
        counts.pairs.astype(np.int32, copy=False),
        begin,
        own_stride,
        other_stride,
        class_stride,
        model.inverse,
        model.single_starts,
        float(model.smoothing),
        sums,
    )
    return sums


def _numpy_sums(model: Mixtures, codes: Codes) -> Floats:
    """Gather one count per member, row and class; rows in pieces that stay in the cache."""
    counts, m, n = model.counts, model.smoothing, codes.shape[1]
    k, cards = counts.n_classes, np.asarray(counts.cards)
    sums = np.zeros((len(model.owners), k, n))
    own, other = model.owners[model.owner_of], model.members
    begin, own_stride, other_stride, class_stride = (array[:, None] for array in model.layout)
    single = model.single_starts[other][:, None]
    imaginary = (m / cards[own])[:, None]
    step = max(1, _CELLS // len(other))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        code = codes[:, rows].astype(np.intp)
        known = code < cards[:, None]
        code[~known] = 0
        share = model.weights[:, None] * known[other] if not known.all() else model.weights[:, None]
        pair = begin + own_stride * code[own] + other_stride * code[other]
        alone = single + code[other]
        for c in range(k):
            smoothed = counts.pairs[pair + c * class_stride] + imaginary
            smoothed *= model.inverse[alone + c * cards[other][:, None]]  # P(ai | aj, c)
            smoothed *= share
            np.add.reduceat(smoothed, model.starts[:-1], axis=0, out=sums[:, c, rows])
    return sums


def _log_mixtures(model: Mixtures, codes: Codes, compiled: bool) -> Floats:
    """Sum over the owners of log P(ai | hidden parent, c), (rows, k)."""
    mixture = mixture_sums(model, codes, compiled=compiled)
    known = codes < np.asarray(model.counts.cards)[:, None]
    if not known.all():
        _repair(model, codes, known, mixture)
    firsts = np.arange(0, len(mixture), model.factors_per_logarithm)
    total: Floats = np.log(np.multiply.reduceat(mixture, firsts, axis=0)).sum(axis=0)
    return total.T


def _repair(model: Mixtures, codes: Codes, known: NDArray[np.bool_], mixture: Floats) -> None:
    """Scale the weights of what is known up to one, and set the factor of what is unknown to one."""
    left = model.shares @ known  # the weight that is left of every bag, (a, rows)
    for place, owner in enumerate(model.owners):
        table = np.exp(model.alone.tables[owner])  # P(ai | c), (k, v)
        bare = left[place] <= 0
        mixture[place][:, ~bare] /= left[place, ~bare]
        mixture[place][:, bare] = table[:, np.minimum(codes[owner, bare], table.shape[1] - 1)]
        mixture[place][:, ~known[owner]] = 1.0
