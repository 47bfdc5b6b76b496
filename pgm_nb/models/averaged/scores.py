"""Averaged one-dependence: from pair counts to the scores of rows.

P(y, x) = sum over parents p of w_p P(y, xp) prod_{j != p} P(xj | y, xp). A parent takes part in a row if its
state had at least so many training rows; where none does, naive Bayes answers. The sum is made in logs.

Every table is an m-estimate, (n + m/v) / (N + m), where v is k v_p for the joint table P(y, xp) and v_j for
P(xj | y, xp). Adding one to every cell (Laplace) is m = v.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.counts import Counts
from pgm_nb.counts.kernels import in_threads, thread_count
from pgm_nb.inference import posteriors
from pgm_nb.models.averaged.products import COMPILED, Products
from pgm_nb.models.hidden.mixtures import pair_layout
from pgm_nb.models.hidden.sums import numpy_nanoseconds, use_compiled

__all__ = ["OneDependence", "class_shares", "log_scores"]

KERNELS = ("auto", "numpy", "compiled", "products")
_BLOCK = 4096  # rows handled at once
_CELLS = 1 << 18  # numbers that NumPy handles at once
_MOST_STORED = 1 << 27  # logs of counts that are kept: 1 GB
_COMPILED_NS = 0.25  # per pair, row and class
_FEW = 16  # rows whose logs are taken one by one
_ONE = 1.0


@dataclass(frozen=True, eq=False)
class OneDependence:
    """The parameters of averaged one-dependence.

    Parameters
    ----------
    counts : Counts
        All pair tables.
    weights : array (d,)
        The share w_p of every parent; their sum is one.
    smoothing : float or None
        Imaginary rows m of every table; None adds one to every cell.
    least_rows : int
        Training rows that the state of a parent must have to take part.

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 1, 1]], dtype=np.uint8)
    >>> counts = count(codes, np.array([0, 0, 1, 1]), (2, 2), 2)
    >>> model = OneDependence(counts, np.array([0.5, 0.5]))
    >>> np.exp(log_scores(model, codes)[0]).round(4)  # (3/8 2/4 + 2/8 2/3) / 2, (1/8 1/2 + 1/8 1/2) / 2
    array([0.1771, 0.0625])
    """

    counts: Counts
    weights: Floats
    smoothing: float | None = None
    least_rows: int = 1

    @cached_property
    def cards(self) -> Places:
        """Numbers of states."""
        return np.asarray(self.counts.cards, dtype=np.intp)

    @cached_property
    def rows(self) -> Floats:
        """Imaginary rows of P(xj | y, xp), by the column j."""
        return (
            self.cards.astype(float) if self.smoothing is None else np.full(len(self.cards), self.smoothing)
        )

    @cached_property
    def starts(self) -> Places:
        """Where the table n(y, xi) of each column begins in `Counts.singles`."""
        return self.counts.n_classes * self.counts.layout.states()[:-1]

    def single(self, column: int) -> Floats:
        """Return n(y, xi) as floats, (k, v)."""
        return np.asarray(self.counts.single(column), dtype=np.float64)

    def joint(self, column: int) -> Floats:
        """Log of w_p P(y, xp), (k, v); minus infinity for a state that is no parent."""
        n, k, v = self.counts.n_rows, self.counts.n_classes, int(self.cards[column])
        m = float(k * v) if self.smoothing is None else self.smoothing
        chances = (self.single(column) + m / (k * v)) / (n + m) * self.weights[column]
        return _log(np.where(self.admissible[column], chances, 0.0))

    @cached_property
    def admissible(self) -> tuple[NDArray[np.bool_], ...]:
        """Which states of each column can be a parent's: seen often enough, and with a share."""
        return tuple(
            (self.counts.single(i).sum(axis=0) >= self.least_rows) & (self.weights[i] > 0)
            for i in range(len(self.cards))
        )

    @cached_property
    def log_joints(self) -> Floats:
        """`joint` of all columns, laid out as `Counts.singles`."""
        return np.concatenate([self.joint(i).ravel() for i in range(len(self.cards))])

    @cached_property
    def totals(self) -> tuple[tuple[float, NDArray[np.bool_], Floats], ...]:
        """For each number m of imaginary rows: the columns that have it, and log(n(y, xp) + m) of all xp."""
        singles = self.counts.singles.astype(np.float64)
        return tuple((float(m), self.rows == m, np.log(singles + m)) for m in np.unique(self.rows))

    @cached_property
    def log_prior(self) -> Floats:
        """Log of P(y), (k,): the score of a row of which nothing is known."""
        scores: Floats = log_scores(self, self.cards[:, None].astype(np.uint16), kernel="numpy")[0]
        return scores

    @cached_property
    def naive(self) -> tuple[Floats, tuple[Floats, ...]]:
        """Log P(y) and log P(xj | y) of naive Bayes with the same imaginary rows."""
        k, y = self.counts.n_classes, self.counts.y
        m = float(k) if self.smoothing is None else self.smoothing
        tables = []
        for i, (v, rows) in enumerate(zip(self.cards, self.rows, strict=True)):
            single = self.single(i)
            tables.append(np.log((single + rows / v) / (single.sum(axis=1, keepdims=True) + rows)))
        return np.log((y + m / k) / (self.counts.n_rows + m)), tuple(tables)

    @cached_property
    def products(self) -> Products:
        """The same factors without logs, for many complete rows."""
        return Products(self)

    @cached_property
    def pairs(self) -> tuple[Places, Places]:
        """Every parent, and every other attribute, parent after parent."""
        d = len(self.cards)
        parent, child = np.divmod(np.arange(d * d), d)
        return parent[parent != child], child[parent != child]

    @cached_property
    def layout(self) -> tuple[Places, Places, Places, Places]:
        """Where the counts of each pair begin, and their strides along the parent, the child, the class."""
        return pair_layout(self.counts, *self.pairs)

    @cached_property
    def stored(self) -> tuple[Floats, Places]:
        """Log of n(y, xp, xj) + m/v_j of all pairs, and where the table of each begins.

        Where columns differ in m/v, the tables of children that come before their parents follow apart.
        """
        begin, parent, child = self.layout[0], *self.pairs
        added = self.rows / self.cards
        n = self.counts.pairs.astype(np.float64)
        if (added == added[0]).all():
            return np.log(n + added[0]), begin
        first, second = np.triu_indices(len(self.cards), 1)
        sizes = np.diff(self.counts.layout.pair_starts())
        later, earlier = (np.log(n + np.repeat(added[columns], sizes)) for columns in (second, first))
        return np.concatenate((later, earlier)), np.where(parent < child, begin, begin + len(n))


def log_scores(
    model: OneDependence, codes: Codes, *, kernel: str = "auto", n_threads: int | None = None
) -> Floats:
    """Log P(y, known attributes) of every row, natural log, (n, k).

    A code equal to the number of states means unknown and is summed out exactly: as a child it leaves a
    star, as the parent it is summed over its states. The rows without any parent, which naive Bayes would
    score, are part of the sum.

    Parameters
    ----------
    model : OneDependence
        The parameters.
    codes : array (d, n)
        Coded rows.
    kernel : {"auto", "numpy", "compiled", "products"}
        How to add up the logs, or to multiply; the results agree to 1e-12. "auto" takes the fastest one.
    n_threads : int, optional
        By default one per processor core; any number gives the same result.
    """
    if _multiplies(model, codes, kernel):
        result, left = model.products.scores(codes, n_threads)
        left = _left(model, codes, left)
        if len(left):
            result[left] = _summed(model, codes[:, left], "compiled", n_threads)
        return result
    return _summed(model, codes, kernel, n_threads)


def class_shares(
    model: OneDependence, codes: Codes, *, kernel: str = "auto", n_threads: int | None = None
) -> Floats:
    """Posterior of the class in every row, (n, k): what `posteriors` makes of `log_scores`.

    Where factors are multiplied, no logarithm is taken; parameters as in `log_scores`.

    Examples
    --------
    >>> from pgm_nb.counts import count
    >>> codes = np.array([[0, 0, 1, 1], [0, 1, 1, 1]], dtype=np.uint8)
    >>> model = OneDependence(count(codes, np.array([0, 0, 1, 1]), (2, 2), 2), np.array([0.5, 0.5]))
    >>> class_shares(model, codes)[0].round(4)  # 0.1771 and 0.0625, divided by their sum
    array([0.7391, 0.2609])
    """
    if not _multiplies(model, codes, kernel):
        return posteriors(_summed(model, codes, kernel, n_threads), model.log_prior)
    result, left = model.products.shares(codes, n_threads)
    left = _left(model, codes, left)
    if len(left):
        result[left] = posteriors(_summed(model, codes[:, left], "compiled", n_threads), model.log_prior)
    return result


def _multiplies(model: OneDependence, codes: Codes, kernel: str) -> bool:
    """Return whether factors are multiplied, not their logs added up."""
    d, n = codes.shape
    seconds = 1e-9 * numpy_nanoseconds(d * (d - 1), n, model.counts.n_classes)
    wanted = "numpy" if kernel == "compiled" or not Products.fits(model, n) else kernel
    return COMPILED.chosen(wanted, KERNELS, seconds)


def _left(model: OneDependence, codes: Codes, left: Places) -> Places:
    """Return the rows for the sum of logs: those too near to zero, and where naive Bayes takes part."""
    if (codes.max(axis=1, initial=0) == model.cards).any():
        return np.union1d(left, _alone(model, codes))
    return left


def _summed(model: OneDependence, codes: Codes, kernel: str, n_threads: int | None) -> Floats:
    """Add up logs, (n, k)."""
    d, n = codes.shape
    if kernel == "products":
        kernel = "compiled"
    compiled = d > 1 and len(model.counts.pairs) < _MOST_STORED
    compiled = compiled and use_compiled(kernel, model.counts, d * (d - 1), n)
    threads = thread_count(n_threads)
    parts = [
        _block(model, codes[:, start : start + _BLOCK], compiled, threads) for start in range(0, n, _BLOCK)
    ]
    return np.concatenate(parts) if parts else np.empty((0, model.counts.n_classes))


def _block(model: OneDependence, codes: Codes, compiled: bool, n_threads: int) -> Floats:
    """Score some rows, (rows, k)."""
    known = codes < model.cards[:, None]
    code = np.where(known, codes, 0).astype(np.intp)
    stars = _children(model, code, known, compiled, n_threads)  # (d, k, rows)
    for c in range(model.counts.n_classes):
        place = (model.starts + c * model.cards)[:, None] + code
        stars[:, c] += model.log_joints[place]
        for _, columns, logs in model.totals:
            others = known[columns].sum(axis=0) - columns[:, None]  # children with this many imaginary rows
            stars[:, c] -= others * logs[place]
    if not known.all():
        for parent in np.flatnonzero(~known.all(axis=1)):
            rows = np.flatnonzero(~known[parent])
            stars[parent][:, rows] = _summed_out(model, int(parent), codes[:, rows])
    scores = _log_sum(stars)
    return _with_naive(model, code, known, scores)


def _with_naive(model: OneDependence, code: Places, known: NDArray[np.bool_], scores: Floats) -> Floats:
    """Add the rows without any parent, in which naive Bayes answers: known cells alike, the others summed."""
    rows = _alone(model, np.where(known, code, model.cards[:, None]))
    if len(rows) == 0:
        return scores
    prior, tables = model.naive
    naive = np.tile(prior, (len(rows), 1))
    for column, (table, admissible) in enumerate(zip(tables, model.admissible, strict=True)):
        with_parent = np.logaddexp.reduce(np.where(admissible, -np.inf, table), axis=1)
        seen = known[column, rows]
        naive += np.where(seen[:, None], table.T[code[column, rows]], with_parent)
    scores[rows] = np.logaddexp(scores[rows], naive)
    return scores


def _alone(model: OneDependence, codes: Codes | Places) -> Places:
    """Return the rows that may be without any parent: no known state is one, no unknown cell surely is."""
    rows = np.arange(codes.shape[1])
    for column, admissible in enumerate(model.admissible):
        rows = rows[~np.append(admissible, admissible.all())[codes[column, rows]]]
    return rows


def _summed_out(model: OneDependence, parent: int, codes: Codes) -> Floats:
    """Log score of a parent's star in rows that do not know it, (k, rows): the sum over its states."""
    (d, n), k, v = codes.shape, model.counts.n_classes, int(model.cards[parent])
    message = np.repeat(model.joint(parent)[None], n, axis=0)  # (rows, k, v)
    known = codes < model.cards[:, None]
    children = np.flatnonzero(known.any(axis=1))
    if len(children) == 0:
        return _log_sum(message.transpose(2, 1, 0)).T
    pairs = parent * (d - 1) + children - (children > parent)
    begin, parent_stride, child_stride, class_stride = (part[pairs] for part in model.layout)
    cells = np.multiply.outer(class_stride, np.arange(k))[:, :, None]
    cells = cells + np.multiply.outer(parent_stride, np.arange(v))[:, None]  # (children, k, v)
    stored = n > _FEW and len(model.counts.pairs) < _MOST_STORED
    if stored:
        begin = model.stored[1][pairs]
    added = (model.rows / model.cards)[children][:, None, None, None]
    step = max(1, _CELLS // cells.size)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        seen = known[children, rows]
        place = begin[:, None] + child_stride[:, None] * np.where(seen, codes[children, rows], 0)
        places = place[:, :, None, None] + cells[:, None]
        logs = model.stored[0][places] if stored else np.log(model.counts.pairs[places] + added)
        message[rows] += np.einsum("crkv,cr->rkv", logs, seen.astype(np.float64))
    single = slice(model.starts[parent], model.starts[parent] + k * v)
    for _, columns, logs in model.totals:
        message -= known[columns].sum(axis=0)[:, None, None] * logs[single].reshape(k, v)
    return _log_sum(message.transpose(2, 1, 0)).T


def _children(
    model: OneDependence, code: Places, known: NDArray[np.bool_], compiled: bool, n_threads: int
) -> Floats:
    """Sum over the known children j of log(n(y, xp, xj) + m/v_j) for every parent, (d, k, rows)."""
    d, n = code.shape
    sums = np.zeros((d, model.counts.n_classes, n))
    if d == 1:
        return sums
    if compiled:
        return _compiled(model, code, known, sums, n_threads)
    parent, child = model.pairs
    begin, parent_stride, child_stride, class_stride = (part[:, None] for part in model.layout)
    added = (model.rows / model.cards)[child][:, None]
    step, starts = max(1, _CELLS // len(parent)), np.arange(d) * (d - 1)

    def task(first: int, last: int) -> None:
        for piece in range(first, last):
            rows = slice(piece * step, (piece + 1) * step)
            some, seen = code[:, rows], known[child, rows]
            place = begin + parent_stride * some[parent] + child_stride * some[child]
            for c in range(model.counts.n_classes):
                logs = np.log(model.counts.pairs[place + c * class_stride] + added)
                np.add.reduceat(logs * seen, starts, axis=0, out=sums[:, c, rows])

    seconds = numpy_nanoseconds(len(parent), min(n, step), model.counts.n_classes)
    in_threads(task, np.full(-(-n // step), seconds), n_threads)
    return sums


def _compiled(
    model: OneDependence, code: Places, known: NDArray[np.bool_], sums: Floats, n_threads: int
) -> Floats:
    """Do the same with the kernel of the hidden parents: a mixture in which every weight is one."""
    from pgm_nb.models.hidden.compiled import LANES, multiply_mixtures

    d, k = len(code), model.counts.n_classes
    stored, begin = model.stored
    arguments = (
        np.ascontiguousarray(np.where(known, code, model.cards[:, None]), dtype=np.uint16),
        model.cards.astype(np.int64),
        *(np.arange(d), np.arange(d + 1) * (d - 1), model.pairs[1], np.full(d * (d - 1), _ONE)),
        *(np.empty(0, dtype=np.int32), stored, begin, *model.layout[1:]),
        *(np.empty((-(-k // LANES), 1, LANES)), np.zeros(d + 1, dtype=np.int64), _ONE, 1, sums),
    )
    in_threads(
        lambda first, last: multiply_mixtures(*arguments, first, last),
        np.full(d, (d - 1) * _COMPILED_NS * sums[0].size),
        n_threads,
    )
    return sums


def _log_sum(logs: Floats) -> Floats:
    """Log of the sum over the first axis of (p, k, rows), as (rows, k); minus infinity adds nothing."""
    largest = logs.max(axis=0)
    largest[np.isneginf(largest)] = 0.0
    total: Floats = _log(np.exp(logs - largest).sum(axis=0)) + largest
    return total.T


def _log(values: Floats) -> Floats:
    return np.log(values, out=np.full(values.shape, -np.inf), where=values > 0)
