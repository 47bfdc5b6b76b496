"""Hidden parents as mixtures: P(ai | hidden parent, c) = sum_j W_ij P(ai | aj, c), scored for coded rows.

Jiang, Zhang, Cai 2009. With a number of imaginary rows the tables P(ai | aj, c) are never stored: they are
read from the counts, for the members of the bags only. An attribute without a bag has the factor P(ai | c),
as in naive Bayes.

Hierarchical smoothing, P(x) -> P(x|y) -> P(x|u,y) for every pair of a bag, gives each table what it would be
in a tree with the parent u (see `tables.hierarchical`). These tables cannot be read from the counts cell
by cell, so they are stored: four times the memory of the counts where every pair takes part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.arrays import Codes, Floats, Places, rebuilt
from pgm_nb.counts.dense import one_blas_thread
from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count
from pgm_nb.engine.sums import log_joint
from pgm_nb.engine.sums import terms as attribute_terms
from pgm_nb.engine.variables import Potential, Variables
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.hierarchical import TRACE, smooth_stack

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pgm_nb.arrays import Ints
    from pgm_nb.counts import Counts

__all__ = [
    "Hierarchical",
    "Mixtures",
    "PairTables",
    "hidden_terms",
    "in_blocks",
    "log_scores",
    "mixtures",
    "pair_layout",
    "pair_sums",
    "potentials",
    "sum_of_logarithms",
    "use_compiled",
]

KERNELS = ("auto", "numpy", "compiled")
COMPILED = CompiledModule("pgm_nb.models.hidden.compiled", load_seconds=1.0, compile_seconds=4.0)
_AT_ONCE = 1 << 18  # numbers that NumPy handles at once: 2 MB
_NUMPY_NS, _COMPILED_NS = 12.0, 0.2  # per term
_MOST_ROWS = 4096  # handled at once
_MOST_SUMS = 1 << 23  # ... and their sums: 64 MB


@dataclass(frozen=True, eq=False)
class PairTables:
    """Bags of columns, and a table for every member: a term is w_ij (n(c, xi, xj) + a_i) s(c, xj).

    Attributes
    ----------
    cards : array (d,)
        Numbers of states.
    n_classes : int
        Number of classes k.
    owners : array (a,)
        Columns with a bag.
    starts : array (a + 1,)
        Where each owner's bag begins in `members`; the last entry is the end.
    members : array (p,)
        Columns in the bags, one bag after the other.
    weights : array (p,)
        w_ij.
    layout : array (p, 5)
        Where the table of each member begins in `cells`, its strides along the owner's states, the member's
        and the classes, and where the member's part of `scales` begins.
    cells : array
        n(c, xi, xj), or other numbers in its place.
    added : array (a,)
        a_i.
    scales : array
        s(c, xj) of a column as (k, v_j) in C order, as in `Counts.singles`.
    """

    cards: Ints
    n_classes: int
    owners: Places
    starts: Places
    members: Places
    weights: Floats
    layout: Ints
    cells: Floats | NDArray[np.integer]
    added: Floats
    scales: Floats

    __reduce__ = rebuilt

    @cached_property
    def owner_of(self) -> Places:
        """Position in `owners` of the owner of each member."""
        return np.repeat(np.arange(len(self.owners)), np.diff(self.starts))

    def some(self, kept: NDArray[np.bool_]) -> tuple[Places, PairTables]:
        """Return some of the members, and which owners have them."""
        places, sizes = np.unique(self.owner_of[kept], return_counts=True)
        part = replace(
            self,
            owners=self.owners[places],
            starts=np.concatenate(([0], np.cumsum(sizes))),
            members=self.members[kept],
            weights=self.weights[kept],
            layout=np.ascontiguousarray(self.layout[kept]),
            added=self.added[places],
        )
        return places, part


def pair_layout(counts: Counts, own: Places, other: Places) -> Ints:
    """Return the layout of tables n(c, xi, xj) in `Counts.pairs` for pairs of columns, (p, 5).

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> counts = count(np.zeros((2, 1), dtype=np.uint8), [0], (2, 3), 1)
    >>> pair_layout(counts, np.array([0, 1]), np.array([1, 0])).tolist()  # (xi, xj) is 2 x 3, then 3 x 2
    [[0, 3, 1, 6, 2], [0, 1, 3, 6, 0]]
    """
    k, cards, states = counts.n_classes, np.asarray(counts.cards, dtype=np.int64), counts.layout.states()
    low, high, first = np.minimum(own, other), np.maximum(own, other), own < other
    before = k * cards[low] * (states[high] - states[low + 1])  # the pairs (low, low + 1), ...
    begin = counts.layout.column_starts()[low] + before
    strides = (np.where(first, cards[other], 1), np.where(first, 1, cards[own]), cards[own] * cards[other])
    return np.stack((begin, *strides, k * states[other]), axis=1)


def pair_sums(
    pairs: PairTables, own: Codes | Places, codes: Codes, *, compiled: bool = False, n_threads: int = 1
) -> Floats:
    """Return the sum over the members of every owner's bag, for every class and row: (a, k, rows).

    Parameters
    ----------
    pairs : PairTables
        The terms.
    own, codes : arrays (d, rows)
        The states of columns as owners and as members; mostly the same array. A code equal to the number of
        states means unknown and adds nothing.
    compiled : bool
        Whether the compiled kernel is to do it; the results agree to rounding.
    n_threads : int
        Threads that share the owners; any number gives the same result.
    """
    sums = np.zeros((len(pairs.owners), pairs.n_classes, codes.shape[1]))
    seen: NDArray[np.bool_] = np.any(own < pairs.cards[:, None], axis=1)
    told: NDArray[np.bool_] = np.any(codes < pairs.cards[:, None], axis=1)
    kept = seen[pairs.owners[pairs.owner_of]] & told[pairs.members]
    if not kept.all():
        places, part = pairs.some(kept)
        if len(places):
            sums[places] = pair_sums(part, own, codes, compiled=compiled, n_threads=n_threads)
    elif len(pairs.members):
        (_compiled_sums if compiled else _numpy_sums)(pairs, own, codes, sums, n_threads)
    return sums


def _numpy_sums(pairs: PairTables, own: Codes | Places, codes: Codes, sums: Floats, n_threads: int) -> None:
    """Look one cell up for every member, row and class; rows in pieces that stay in the cache."""
    step = max(1, _AT_ONCE // len(pairs.members))
    cards, owner, member = pairs.cards[:, None], pairs.owners[pairs.owner_of], pairs.members
    begin, by_own, by_other, by_class, scale = (part[:, None] for part in pairs.layout.T)
    weight, added = pairs.weights[:, None], pairs.added[pairs.owner_of, None]

    def task(first: int, last: int) -> None:
        for start in range(first * step, last * step, step):
            mine, other = own[:, start : start + step], codes[:, start : start + step]
            share = weight * ((mine < cards)[owner] & (other < cards)[member])
            x, z = (np.where(part < cards, part, 0).astype(np.int64) for part in (mine, other))
            cell = begin + by_own * x[owner] + by_other * z[member]
            scaled = scale + z[member]
            for c in range(pairs.n_classes):
                terms = pairs.cells[cell + c * by_class] + added
                terms *= pairs.scales[scaled + c * cards[member]]
                terms *= share
                np.add.reduceat(terms, pairs.starts[:-1], axis=0, out=sums[:, c, start : start + step])

    n_pieces = -(-codes.shape[1] // step)
    in_threads(task, np.full(n_pieces, _NUMPY_NS * sums[0].size * len(member) / n_pieces), n_threads)


def _compiled_sums(
    pairs: PairTables, own: Codes | Places, codes: Codes, sums: Floats, n_threads: int
) -> None:
    """Do the same in compiled code."""
    from pgm_nb.models.hidden.compiled import add_counts, add_numbers

    whole = pairs.cells.dtype == np.int32
    add: Callable[..., None] = add_counts if whole else add_numbers
    given = (
        *(np.ascontiguousarray(part, dtype=np.uint16) for part in (own, codes)),
        *(pairs.cards, pairs.owners, pairs.starts, pairs.members, pairs.weights, pairs.layout),
        pairs.cells if whole else pairs.cells.astype(np.float64, copy=False),
        *(pairs.added, pairs.scales, sums),
    )
    in_threads(
        lambda first, last: add(*given, first, last),
        _COMPILED_NS * sums[0].size * np.diff(pairs.starts).astype(np.float64),
        n_threads,
    )


def use_compiled(kernel: str, cards: Ints | Places, n_classes: int, n_pairs: int, n_rows: int) -> bool:
    """Return whether to use the compiled kernel; "auto" does so where the waiting pays.

    The compiled kernel lays out a small table per member, which some dozens of rows must pay for.
    """
    if kernel == "auto" and n_rows < np.mean(cards) ** 2 / 4:
        kernel = "numpy"
    return COMPILED.chosen(kernel, KERNELS, 1e-9 * _NUMPY_NS * (n_classes + 1) * n_pairs * n_rows)


def in_blocks(score: Callable[[Codes], Floats], codes: Codes, n_sums: int) -> Floats:
    """Score rows in blocks, (n, k): a row has so many sums at a time."""
    step = max(1, min(_MOST_ROWS, _MOST_SUMS // max(n_sums, 1)))
    parts = [score(codes[:, start : start + step]) for start in range(0, max(codes.shape[1], 1), step)]
    return np.concatenate(parts)


PRIOR = 1.0  # imaginary rows of the class prior
_CELLS = 1 << 15  # cells that are smoothed at once: they stay in the cache
_CELL_NS = 700.0  # per cell that has an order
_LEAST = 1e-260  # products may become as small as this


@dataclass(frozen=True, eq=False)
class Levels:
    """P(x|y) of every attribute, by hierarchical smoothing.

    Attributes
    ----------
    ordered : tuple of int
        How many of the first states of every attribute have an order.
    estimates : tuple of arrays (k, v_i)
        The probabilities.
    left_out : tuple of arrays (k, v_i)
        The same where one of the state's rows is left out; 0 where there is none.
    """

    ordered: tuple[int, ...]
    estimates: tuple[Floats, ...]
    left_out: tuple[Floats, ...]


@dataclass(frozen=True)
class Hierarchical:
    """The choice of hierarchical smoothing for attributes of which the first states have an order.

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> codes = np.array([[0, 0, 1, 1, 1]], dtype=np.uint8)
    >>> levels = Hierarchical((0,)).levels(count(codes, np.array([0, 0, 1, 1, 1]), (2,), 2))
    >>> levels.estimates[0].round(2)
    array([[0.88, 0.12],
           [0.06, 0.94]])
    """

    ordered: tuple[int, ...]

    def levels(self, counts: Counts) -> Levels:
        """Estimate P(x|y) of every attribute; those with as many states at once."""
        k, d = counts.n_classes, len(counts.cards)
        estimates, left_out = [np.empty(0)] * d, [np.empty(0)] * d
        for columns in _alike(counts.cards, self.ordered):
            v = counts.cards[columns[0]]
            stack = np.stack([counts.single(column) for column in columns])  # (t, k, v)
            whole = stack.sum(axis=1)
            rows = whole.sum(axis=1, keepdims=True)
            top = (whole + TRACE / v) / (rows + TRACE)
            out = np.where(whole > 0, (whole - 1 + TRACE / v) / (np.maximum(rows - 1, 0) + TRACE), 0.0)
            found = smooth_stack(
                stack.reshape(-1, v),
                np.arange(len(columns)) * k,
                np.repeat(top, k, axis=0),
                np.repeat(out, k, axis=0),
                self.ordered[columns[0]],
            )
            for column, one, other in zip(
                columns, found.estimate.reshape(-1, k, v), found.left_out.reshape(-1, k, v), strict=True
            ):
                estimates[column], left_out[column] = one, other
        return Levels(self.ordered, tuple(estimates), tuple(left_out))


@dataclass(frozen=True, eq=False)
class StoredTables:
    """P(ai | aj, c) of the members of all bags.

    Attributes
    ----------
    levels : Levels
        P(ai | c).
    cells : array
        The tables, each (k, v_j, v_i) in C order.
    begin : array (p,)
        Where the table of each member begins.
    """

    levels: Levels
    cells: Floats
    begin: Places

    def smallest(self) -> float:
        """Return the smallest probability of all tables."""
        least = min(float(table.min()) for table in self.levels.estimates)
        return min(least, float(self.cells.min())) if len(self.cells) else least


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
    tables : StoredTables, optional
        P(ai | c) and P(ai | aj, c) where they cannot be read from the counts.
    """

    counts: Counts
    smoothing: float
    owners: Places
    starts: Places
    members: Places
    weights: Floats
    tables: StoredTables | None = None

    __reduce__ = rebuilt

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
    def pairs(self) -> PairTables:
        """The terms W_ij P(ai | aj, c): (n(c,ai,aj) + m/v_i) / (n(c,aj) + m), or stored probabilities."""
        own, cards = self.owners[self.owner_of], np.asarray(self.counts.cards, dtype=np.int64)
        layout, cells = pair_layout(self.counts, own, self.members), self.counts.pairs
        added = self.smoothing / cards[self.owners]
        scales = 1.0 / (self.counts.singles.astype(np.float64) + self.smoothing)
        if self.tables is not None:  # each is (k, v_j, v_i)
            places = (self.tables.begin, np.ones_like(own), cards[own], cards[own] * cards[self.members])
            layout, cells = np.stack((*places, layout[:, 4]), axis=1), self.tables.cells
            added, scales = np.zeros(len(self.owners)), np.ones_like(scales)
        bags = (self.owners, self.starts, self.members, self.weights)
        return PairTables(cards, self.counts.n_classes, *bags, layout, cells, added, scales)

    @cached_property
    def smallest(self) -> float:
        """No probability P(ai | aj, c) or P(ai | c) is below this."""
        if self.tables is not None:
            return self.tables.smallest()
        return self.smoothing / max(self.counts.cards) / (self.counts.n_rows + self.smoothing)


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
    tables = _stored_tables(counts, smoothing, owner, members, thread_count(n_threads))
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
    (d, n), k, n_pairs = codes.shape, model.counts.n_classes, len(model.members)
    compiled, threads = use_compiled(kernel, model.pairs.cards, k, n_pairs, n), thread_count(n_threads)

    def score(rows: Codes) -> Floats:
        sums = pair_sums(model.pairs, rows, rows, compiled=compiled, n_threads=threads)
        known = rows < model.pairs.cards[:, None]
        if not known.all():
            _repair(model, rows, known, sums)
        return sum_of_logarithms(sums, model.smallest)

    return scores + in_blocks(score, codes, d * k)


def _repair(model: Mixtures, codes: Codes, known: NDArray[np.bool_], sums: Floats) -> None:
    """Scale the weights of what is known up to one, and set the factor of what is unknown to one."""
    with one_blas_thread(model.shares.size * known.shape[1], large=1 << 20):  # many thin products
        left = model.shares @ known.astype(np.float64)  # the weight that is left of every bag, (a, rows)
    bare = left <= 0
    sums /= np.where(bare, 1.0, left)[:, None]
    for place in np.flatnonzero(bare.any(axis=1)):
        owner, rows = model.owners[place], np.flatnonzero(bare[place])
        table = np.exp(model.alone.tables[owner])  # P(ai | c), (k, v)
        sums[place][:, rows] = table[:, np.minimum(codes[owner, rows], table.shape[1] - 1)]
    np.copyto(sums, 1.0, where=~known[model.owners][:, None])


def sum_of_logarithms(values: Floats, smallest: float) -> Floats:
    """Sum of log values over the first axis, (rows, k) from (..., k, rows).

    The values, none below `smallest` and none above one, are multiplied as long as their product cannot be
    too small for a float; only then is a logarithm taken.

    Examples
    --------
    >>> sum_of_logarithms(np.full((3, 2, 1), np.exp(-1.0)), 0.1)
    array([[-3., -3.]])
    """
    most = max(1, int(np.log(_LEAST) / np.log(min(smallest, 0.5)))) if smallest > 0 else 1
    total = np.zeros(values.shape[1:])
    for first in range(0, len(values), most):
        total += np.log(np.multiply.reduce(values[first : first + most], axis=0))
    return total.T


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
    result = attribute_terms(model.alone, codes)  # log P(ai|c), zero for an unknown ai
    if len(model.owners) == 0:
        return result
    known = codes < np.asarray(model.counts.cards)[:, None]
    left = model.shares @ known  # the weight that is left of every bag, (a, n)
    mixed = (left > 0) & known[model.owners]
    mixture = pair_sums(model.pairs, codes, codes).transpose(0, 2, 1)  # (a, n, k)
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


def _stored_tables(
    counts: Counts, levels: Levels, own: Places, other: Places, n_threads: int = 1
) -> StoredTables:
    """Estimate P(ai | aj, c) for pairs of columns i (`own`) and j (`other`); threads change no digit."""
    cards = np.asarray(counts.cards)
    sizes = counts.n_classes * cards[own] * cards[other]
    begin = np.zeros(len(own), dtype=np.intp)
    cells = np.empty(int(sizes.sum()))
    pieces: list[Places] = []
    group_of = np.empty(len(cards), dtype=np.intp)
    for number, columns in enumerate(_alike(counts.cards, levels.ordered)):
        group_of[columns] = number
    turn = np.argsort(group_of[own], kind="stable")  # tables of one width one after the other
    begin[turn] = np.concatenate(([0], np.cumsum(sizes[turn])))[:-1]
    for members in np.split(turn, np.flatnonzero(np.diff(group_of[own[turn]])) + 1):
        part = np.cumsum(sizes[members]) // _CELLS
        pieces += np.split(members, np.flatnonzero(np.diff(part)) + 1)

    def task(first: int, last: int) -> None:
        for piece in pieces[first:last]:
            found = _smooth_piece(counts, levels, own[piece], other[piece])
            start = begin[piece[0]]
            cells[start : start + found.size] = found.ravel()

    if len(own):
        in_threads(task, np.array([_CELL_NS * sizes[piece].sum() for piece in pieces]), n_threads)
    return StoredTables(levels, cells, begin)


def _smooth_piece(counts: Counts, levels: Levels, own: Places, other: Places) -> Floats:
    """P(ai | aj, c) of pairs whose first columns have as many states, (contexts, v), pair after pair."""
    v, ordered = counts.cards[own[0]], levels.ordered[own[0]]
    u = np.asarray(counts.cards)[other]
    lengths = counts.n_classes * u
    starts = np.concatenate(([0], np.cumsum(lengths)))
    pair = np.repeat(np.arange(len(own)), lengths)
    label, state = np.divmod(np.arange(starts[-1]) - starts[pair], u[pair])
    begin, by_own, by_other, by_class, _ = pair_layout(counts, own, other)[pair].T
    first = begin + label * by_class + state * by_other
    table = counts.pairs[first[:, None] + by_own[:, None] * np.arange(v)]
    columns, place = np.unique(own, return_inverse=True)
    above, out = (
        np.stack([part[column] for column in columns])[place[pair], label]
        for part in (levels.estimates, levels.left_out)
    )
    return smooth_stack(table, starts[:-1], above, out, ordered).estimate


def _alike(cards: Sequence[int], ordered: Sequence[int]) -> list[list[int]]:
    """Return the columns with as many states, and as many with an order, together."""
    groups: dict[tuple[int, int], list[int]] = {}
    for column, kind in enumerate(zip(cards, ordered, strict=True)):
        groups.setdefault(kind, []).append(column)
    return list(groups.values())
