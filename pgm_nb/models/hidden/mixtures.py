"""Hidden parents as mixtures: P(ai | hidden parent, c) = sum_j W_ij P(ai | aj, c), scored for coded rows.

Jiang, Zhang, Cai 2009. With a number of imaginary rows the tables P(ai | aj, c) are never stored: they are
read from the counts, for the members of the bags only. Those of hierarchical smoothing are stored. An
attribute without a bag has the factor P(ai | c), as in naive Bayes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import Codes, Floats
from pgm_nb.counts.kernels import thread_count
from pgm_nb.inference.factors import Factors, log_joint
from pgm_nb.inference.terms import forest_terms
from pgm_nb.inference.variables import Potential, Variables
from pgm_nb.models.hidden.smoothed import PRIOR, Levels, PairTables, pair_tables
from pgm_nb.models.hidden.sums import log_mixtures, mixture_sums, use_compiled

if TYPE_CHECKING:
    from pgm_nb.arrays import Places
    from pgm_nb.counts import Counts

__all__ = ["Mixtures", "hidden_terms", "log_scores", "mixtures", "pair_layout", "potentials"]

_BLOCK = 4096  # rows handled at once


@dataclass(frozen=True, eq=False)
class Mixtures:
    """The parameters of hidden naive Bayes.

    Attributes
    ----------
    counts : Counts
        All pair tables.
    smoothing : float
        Imaginary rows m: every table is (n + m/v) / (N + m); with `tables` only that of the class.
    owners : array (a,)
        Columns that have a hidden parent, in column order.
    starts : array (a + 1,)
        Where each owner's bag begins in `members`; the last entry is the end.
    members : array (p,)
        Columns in the bags, one bag after the other.
    weights : array (p,)
        W_ij, the share of every member in its owner's mixture; each bag's sum is one.
    tables : PairTables, optional
        P(ai | c) and P(ai | aj, c) where they cannot be read from the counts.
    """

    counts: Counts
    smoothing: float
    owners: Places
    starts: Places
    members: Places
    weights: Floats
    tables: PairTables | None = None

    @property
    def log_prior(self) -> Floats:
        """Log of P(c) = (n(c) + m/k) / (n + m)."""
        return self.alone.log_prior

    @cached_property
    def alone(self) -> Factors:
        """Logs of P(c) and P(ai|c) of every column, as in naive Bayes with the same smoothing."""
        counts, m = self.counts, self.smoothing
        k, n = counts.n_classes, counts.n_rows
        if self.tables is None:
            tables = []
            for column, v in enumerate(counts.cards):
                single = np.asarray(counts.single(column), dtype=np.float64)
                tables.append(np.log((single + m / v) / (single.sum(axis=1, keepdims=True) + m)))
        else:
            tables = [np.log(table) for table in self.tables.levels.estimates]
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
        """The start of each member's table, and its strides: along the owner, the member, the class."""
        own, other = self.owners[self.owner_of], self.members
        if self.tables is None:
            return pair_layout(self.counts, own, other)
        cards = np.asarray(self.counts.cards, dtype=np.intp)
        return self.tables.begin, np.ones_like(own), cards[own], cards[own] * cards[other]

    @cached_property
    def distinct(self) -> tuple[Places, Places, Places]:
        """A member of every table, the table of every member, and the steps along the classes (tables, k)."""
        begin, _, _, class_stride = self.layout
        _, first, which = np.unique(begin, return_index=True, return_inverse=True)
        return first, which, class_stride[first][:, None] * np.arange(self.counts.n_classes)

    @cached_property
    def inverse(self) -> Floats:
        """1 / (n(c, aj) + m) for all states of all columns, laid out as `Counts.singles`."""
        inverse: Floats = 1.0 / (self.counts.singles.astype(np.float64) + self.smoothing)
        return inverse

    @cached_property
    def states(self) -> Places:
        """The first state of each column among all states."""
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

    @cached_property
    def smallest(self) -> float:
        """No probability P(ai | aj, c) or P(ai | c) is below this."""
        if self.tables is not None:
            return self.tables.smallest()
        return self.smoothing / max(self.counts.cards) / (self.counts.n_rows + self.smoothing)


def pair_layout(counts: Counts, own: Places, other: Places) -> tuple[Places, Places, Places, Places]:
    """Return where the counts of pairs begin, and their strides: along the first, the second, the class."""
    k, cards, states = counts.n_classes, np.asarray(counts.cards, dtype=np.intp), counts.layout.states()
    low, high = np.minimum(own, other), np.maximum(own, other)
    before = k * cards[low] * (states[high] - states[low + 1])  # the pairs (low, low + 1), ...
    begin = counts.layout.column_starts()[low] + before
    first = own < other
    return begin, np.where(first, cards[other], 1), np.where(first, 1, cards[own]), cards[own] * cards[other]


def mixtures(
    counts: Counts, weights: Floats, smoothing: float | Levels, *, n_threads: int | None = 1
) -> Mixtures:
    """Return the parameters.

    Parameters
    ----------
    counts : Counts
        All pair tables of the training rows.
    weights : array (d, d)
        W_ij, the share of column j in the hidden parent of column i; a row of zeros means no bag.
    smoothing : float or Levels
        Imaginary rows m, or P(ai | c) by hierarchical smoothing from the same counts.
    n_threads : int, optional
        None: one per processor core; any number gives the same result.

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
    members, shares = np.ascontiguousarray(members), weights[owner, members]
    if not isinstance(smoothing, Levels):
        return Mixtures(counts, smoothing, owners, starts, members, shares)
    places = pair_layout(counts, owner, members)
    tables = pair_tables(counts, smoothing, owner, members, places, thread_count(n_threads))
    return Mixtures(counts, PRIOR, owners, starts, members, shares, tables)


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


def hidden_terms(model: Mixtures, codes: Codes) -> Floats:
    """Return what each attribute adds to the log score, (n, d, k), in column order.

    An attribute with a bag adds the log of its mixture over the known members, their weights scaled up to
    one; one without a bag, or with none of it known, adds log P(ai|c); an unknown one nothing.

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> from pgm_nb.models.hidden.mixtures import mixtures
    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 1, 1]], dtype=np.uint8)
    >>> counts = count(codes, np.array([0, 0, 1, 1]), (2, 2), 2)
    >>> model = mixtures(counts, np.array([[0.0, 1.0], [1.0, 0.0]]), smoothing=1.0)
    >>> np.exp(hidden_terms(model, codes)[0]).round(2)
    array([[0.75, 0.5 ],
           [0.5 , 0.5 ]])
    """
    result = forest_terms(model.alone, codes)  # log P(ai|c), zero for an unknown ai
    if len(model.owners) == 0:
        return result
    known = codes < np.asarray(model.counts.cards)[:, None]
    left = model.shares @ known  # the weight that is left of every bag, (a, n)
    mixed = (left > 0) & known[model.owners]
    mixture = mixture_sums(model, codes).transpose(0, 2, 1)  # (a, n, k)
    owner, row = np.nonzero(mixed)
    result[row, model.owners[owner]] = np.log(mixture[mixed] / left[mixed][:, None])
    return result


def _hidden_names(model: Mixtures, variables: Variables) -> tuple[str, ...]:
    """Name the hidden parents after their attributes, and unlike any variable."""
    names = {*variables.names}
    hidden = []
    for owner in model.owners:
        name = f"hidden parent of {variables.attributes[owner].name}"
        while name in names:
            name += "_"
        names.add(name)
        hidden.append(name)
    return tuple(hidden)


def potentials(model: Mixtures, variables: Variables) -> list[Potential]:
    """Return the factors of a Markov network; P(C | all attributes) in it is the closed formula's.

    The hidden parent H_i of Ai has the members of its bag as states. With a factor W_i(H_i) and, for each
    member j, a factor g(H_i, Ai, Aj, C) that is P(ai | aj, c) where H_i = j and 1 elsewhere, summing H_i out
    gives the mixture exactly, in tables of |bag| v_i v_j k cells.
    """
    factors = [_alone(model, variables, None)]
    factors += [_alone(model, variables, column) for column in model.naive.columns]
    for place, name in enumerate(_hidden_names(model, variables)):
        factors += _bag(model, variables, place, name)
    return factors


def _alone(model: Mixtures, variables: Variables, column: int | None) -> Potential:
    """P(c), or P(ai | c) of an attribute without a bag."""
    if column is None:
        return Potential((variables.target.name,), np.exp(model.log_prior))
    names = (variables.target.name, variables.attributes[column].name)
    return Potential(names, np.exp(model.alone.tables[column]))


def _bag(model: Mixtures, variables: Variables, place: int, hidden: str) -> list[Potential]:
    """W_i(H_i), and g(H_i, Ai, Aj, C) for every member j."""
    owner = int(model.owners[place])
    bag = slice(model.starts[place], model.starts[place + 1])
    members = model.members[bag]
    labels = [variables.attributes[j].name for j in members]
    factors = [Potential((hidden,), model.weights[bag], {hidden: labels})]
    for state, j in enumerate(members):
        given = _given(model, owner, int(j), int(model.starts[place]) + state)
        table = np.ones((len(members), *given.shape))
        table[state] = given
        names = (hidden, variables.attributes[owner].name, labels[state], variables.target.name)
        factors.append(Potential(names, table, {hidden: labels}))
    return factors


def _given(model: Mixtures, i: int, j: int, member: int) -> Floats:
    """P(ai | aj, c) as an array (v_i, v_j, k)."""
    n = np.moveaxis(model.counts.pair(i, j), 0, -1)
    if model.tables is None:
        m = model.smoothing
        given: Floats = (n + m / len(n)) / (n.sum(axis=0) + m)
        return given
    start = int(model.tables.begin[member])
    return model.tables.cells[start : start + n.size].reshape(n.shape[::-1]).transpose()
