"""The rows that parameters for the class are learned from: which, in which folds, with what hidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from pgm_nb.arrays import Codes, Floats, Ints, Places
from pgm_nb.certainty.draws import TablePosterior
from pgm_nb.certainty.training_spread import training_spread, weight_factor
from pgm_nb.counts.kernels import in_threads, thread_count
from pgm_nb.engine.sums import terms as attribute_terms
from pgm_nb.engine.sums import terms_of
from pgm_nb.lazy import Later
from pgm_nb.tables.factors import Factors
from pgm_nb.tables.families import Families
from pgm_nb.training.cells import Layout, Penalty, Sparse
from pgm_nb.training.class_parameters import ClassParameters, generative
from pgm_nb.training.conditional import (
    BIAS_PENALTY,
    LEVEL_PENALTY,
    SPREAD_PENALTY,
    Cells,
    CellSearch,
    Weights,
    class_losses,
    fit_weights,
)

__all__ = ["fit_class_parameters", "hide", "recount", "some_of", "sorted_rows", "stratified_folds"]

MOST_KEY = 1 << 62  # numbers that rows are sorted by stay below this


def stratified_folds(y: Places, folds: int) -> Places:
    """Return the fold of every row; every class is spread evenly, by a fixed shuffle."""
    order = np.random.default_rng(0).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.intp)
    fold[order] = np.arange(len(y)) % folds
    return fold


def some_of(rows: Places, most: int) -> Places:
    """Return the rows, or so many of them by a fixed draw if there are more.

    Examples
    --------
    >>> some_of(np.arange(3), 3), len(some_of(np.arange(9), 4))
    (array([0, 1, 2]), 4)
    """
    if len(rows) <= most:
        return rows
    return rows[np.sort(np.random.default_rng(0).choice(len(rows), most, replace=False))]


def sorted_rows(codes: Codes, cards: Sequence[int], y: Places) -> Places:
    """Return the places of the rows in the order of their states, first to last attribute, then class.

    As `np.lexsort`, but by a few long numbers instead of many short ones, of which the first nearly decides.

    Examples
    --------
    >>> sorted_rows(np.array([[1, 0, 1], [0, 1, 0]]), (2, 2), np.array([1, 0, 0]))
    array([1, 2, 0])
    """
    keys, size = [np.zeros(len(y), dtype=np.int64)], 1
    for column, card in zip((*codes, y), (*cards, int(y.max(initial=0)) + 1), strict=True):
        room = int(card) + 1  # a cell may be unknown
        if size * room > MOST_KEY:
            keys.append(np.zeros(len(y), dtype=np.int64))
            size = 1
        keys[-1] = keys[-1] * room + column
        size *= room
    order = np.argsort(keys[0], kind="stable")
    if len(keys) > 1:
        same = np.diff(keys[0][order]) == 0
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        some = order[tied]
        order[tied] = some[np.lexsort([key[some] for key in keys[::-1]])]
    return order


def recount(families: Families, codes: Codes, y: Places, part: Places, parts: int) -> list[Ints]:
    """Count classes, then the families of the same graph, in each part of the rows: (parts, k, ...) each."""
    k = len(families.y)
    group = part * k + y.astype(np.intp)
    counts = [np.bincount(group, minlength=parts * k).reshape(parts, k)]
    for column, mothers, table in zip(families.columns, families.given, families.tables, strict=True):
        cell = group
        for mother, states in zip(mothers, table.shape[1:], strict=False):
            cell = cell * states + codes[families.columns[mother]]
        cell = cell * table.shape[-1] + codes[column]
        counts.append(np.bincount(cell, minlength=parts * table.size).reshape(parts, *table.shape))
    return counts


def hide(families: Families, codes: Codes, known: int) -> Codes:
    """Return the rows with only so many of the graph's attributes known, chosen at random by a fixed seed."""
    columns = list(families.columns)
    draw = np.random.default_rng(0).random((len(columns), codes.shape[1]))
    rank = draw.argsort(axis=0).argsort(axis=0)
    hidden = codes.copy()
    hidden[columns] = np.where(rank < known, codes[columns], np.array(families.cards)[:, None])
    return hidden


FOLDS = 5
TRIED_ROWS = 1000  # so many rows left out are enough to choose by: fewer folds are tried where there are more
STRENGTHS = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)  # of the ridge, from stiff to free
SMOOTHER = 10.0  # differences between neighbours cost so many times the ridge
SHARES = (1 / 3, 2 / 3)  # of the attributes known; beside one of them, and all
SHARED_ROWS = 10_000  # rows with cells hidden to learn from at each share
SHARED_CLUSTERS = 2_000  # ... where attributes have several mothers, and each row costs more
ERRORS = 1.0  # standard errors by which rows left out must gain before the generative tables are left
WORSE = 1.01  # stop freeing the cells when the loss has risen by this factor, or twice running
MOST_WEIGHTS = 300  # whose covariance is kept
SPREAD_ROWS = 1000  # rows that show how much the trained scores vary
FEW_CHAINS = 6  # ... are enough for the mean over these rows of how much draws of the tables do
MOST_NUMBERS = 300_000  # that are learned for the cells of a graph in which attributes have several mothers
MOST_ROWS = 20_000  # more rows than this teach weights and cells nothing new (docs/performance.md)
SIDE_BY_SIDE = 500_000  # rows times attributes times classes from which folds are learned in threads
ROUGH, FINE = 3e-5, 1e-6  # improvements of the mean loss that end a search: to choose by, and to keep
ROUGH_OF_MANY, FINE_OF_MANY = 1e-4, 3e-5  # ... where there are more than MOST_ROWS rows
FEW_OF_MANY = 10_000  # ... of which so many choose how free the cells are, and MOST_ROWS learn those kept
Estimate: TypeAlias = Callable[[Families], Factors]
Learned = TypeVar("Learned")


def fit_class_parameters(
    families: Families,
    codes: Codes,
    y: Places,
    estimate: Estimate,
    ordered: Sequence[int] = (),
) -> ClassParameters:
    """Learn weights, cells and their dependence on the share known from training rows.

    Parameters
    ----------
    families : Families
        The graph, and the counts of all training rows; `Families.by_relevance` makes the result the same
        for any order of the columns.
    codes : array (d, n)
        Coded training rows, every attribute of the graph known.
    y : array (n,)
        Class codes.
    estimate : callable
        Tables from counts, such as `estimate_hierarchical`.
    ordered : sequence of int, optional
        As in `estimate_hierarchical`.
    """
    rows = sorted_rows(codes[list(families.columns)], families.cards, y)  # the same folds for any order
    some = some_of(rows, MOST_ROWS)
    effort = _Effort()
    if len(some) < len(rows):
        effort = _Effort(ROUGH_OF_MANY, FINE_OF_MANY, FEW_OF_MANY)
    ordered = tuple(ordered) or (0,) * len(families.tables)
    return _Search(families, codes[:, some], y[some], estimate, ordered, effort).run()


class _Effort(NamedTuple):
    """What ends a search, to choose by and to keep, and how many rows choose."""

    rough: float = ROUGH
    fine: float = FINE
    few: int = MOST_ROWS


class _Step(NamedTuple):
    """Something that was tried: the log-loss in bits, and what was learned without each fold in turn."""

    name: str
    losses: Floats  #: of the rows of the folds that are tried, in bits
    thetas: list[Floats]
    strength: float | None = None

    @property
    def loss(self) -> float:
        """The mean over the rows."""
        return float(self.losses.mean())


class _Search:
    """One fit: terms out of fold, weights, the path of strengths, and the shares known."""

    def __init__(
        self,
        families: Families,
        codes: Codes,
        y: Places,
        estimate: Estimate,
        ordered: Sequence[int],
        effort: _Effort | None = None,
    ) -> None:
        self.effort = effort or _Effort()
        self.families, self.codes, self.y, self.estimate = families, codes, y, estimate
        self.fold = stratified_folds(y, FOLDS)
        self.tried = range(min(FOLDS, max(2, -(-FOLDS * TRIED_ROWS // len(y)))))
        self.few = some_of(np.arange(len(y)), self.effort.few)
        self.few_y, self.few_fold = y[self.few], self.fold[self.few]
        self.parts = recount(families, codes, y, self.fold, FOLDS)
        self.counts = [part.sum(axis=0) for part in self.parts]
        self.whole = estimate(families)
        self.prior = self.whole.log_prior
        self.layout = Layout(families, ordered)
        self.ended: list[bool] = []  # whether each search did
        self.tables: dict[frozenset[int], Factors] = {}

    def run(self) -> ClassParameters:
        """Learn everything, or say that a search did not end and learn nothing."""
        rows = self.layout.rows(self.codes)
        terms = self.out_of_fold(self.codes, self.fold)
        weights = self.weigh(terms, self.y)
        tried, offsets = self.begin(terms[self.few], weights)
        tried += self.free_cells(rows[self.few], offsets, tried)
        best = choose(tried)
        plain = replace(generative(self.families), path=tuple((step.name, step.loss) for step in tried))
        if best is tried[0] and self.converged:
            return plain
        d = len(self.families.tables)
        numbers = sorted({round(share * d) for share in SHARES} & set(range(2, d)))
        thetas: list[Floats] = []
        nodes: dict[int, tuple[Floats, Floats, float]] = {}

        def learn(first: int, last: int) -> None:
            for number in (d, *numbers)[first:last]:  # with all known the cells are learned
                if number == d:
                    thetas.append(self.kept(best, rows, terms, weights))
                else:
                    nodes[number] = self.at_number(number, best.thetas, weights)

        self.side_by_side(learn, 1 + len(numbers))
        theta = thetas[0]
        one = slice(0, int(d > 1))  # a single attribute is all there is
        if not self.converged:
            return replace(plain, converged=False)
        mains, cells = self.layout.tables(theta)
        return replace(
            plain,
            known=np.array([*plain.known[one], *numbers, d]),
            bias=np.array([*plain.bias[one], *(nodes[number][0] for number in numbers), weights.bias]),
            weights=np.array(
                [*plain.weights[one], *(nodes[number][1] for number in numbers), weights.weights]
            ),
            fades=np.array([*plain.fades[one], *(nodes[number][2] for number in numbers), 1.0]),
            mains=mains,
            cells=cells,
            strength=best.strength,
            stretch=self.stretch(rows, best.thetas, weights, theta),
            factor=self.factor(rows, terms, weights, theta),
        )

    @property
    def converged(self) -> bool:
        """Whether every search has ended."""
        return all(self.ended)

    def kept(self, best: _Step, rows: Sparse, terms: Floats, weights: Weights) -> Floats:
        """Learn the cells from all rows, as free as was best; zeros if they are not to be free."""
        if best.strength is None:
            return np.zeros((self.layout.size, len(self.prior)))
        start: Floats = np.mean(best.thetas, axis=0)
        search = CellSearch(rows, self.scores(terms, weights), self.y, self.layout.sums, start)
        found = search.fit(self.penalty(best.strength), self.effort.fine)
        self.ended.append(found.converged)
        return found.theta

    def factor(self, rows: Sparse, terms: Floats, weights: Weights, theta: Floats) -> Floats:
        """Return how sure weights and bias are; nothing if there are very many."""
        if terms.shape[1] > MOST_WEIGHTS:
            return np.zeros((0, 0))
        some = some_of(np.arange(len(self.y)), SPREAD_ROWS)
        scores = self.scores(terms[some], weights) + self.layout.added(rows[some], theta)
        _, shares = class_losses(scores, self.y[some])
        penalties = SPREAD_PENALTY, LEVEL_PENALTY, BIAS_PENALTY
        return weight_factor(terms[some], shares, len(self.y), *penalties)

    def stretch(
        self, rows: Sparse, thetas: Sequence[Floats], weights: Weights, theta: Floats
    ) -> Later[float]:
        """Return how many times the trained scores vary as much as draws of the tables, for later."""
        some = some_of(np.arange(len(self.y)), SPREAD_ROWS)
        codes, rows = self.codes[:, some], rows[some]
        final = self.scores(attribute_terms(self.whole, codes), weights)
        _, shares = class_losses(final + self.layout.added(rows, theta), self.y[some])
        middle, less = np.mean(thetas, axis=0), np.sqrt(len(self.few) / len(self.y))  # all learn the cells
        replicates = [
            self.scores(attribute_terms(self.without(f), codes), weights)
            + self.layout.added(rows, middle + less * (without - middle))
            for f, without in zip(self.tried, thetas, strict=True)
        ]
        posterior = TablePosterior(self.families, FEW_CHAINS)
        given = replicates, FOLDS, posterior, weights.weights, codes, shares
        return Later(lambda: training_spread(*given))

    def without(self, *folds: int) -> Factors:
        """Tables from the rows of all other folds."""
        key = frozenset(folds)
        if key not in self.tables:
            y, *tables = (
                reduce(np.subtract, (part[f] for f in sorted(key)), whole)
                for part, whole in zip(self.parts, self.counts, strict=True)
            )
            self.tables[key] = self.estimate(replace(self.families, y=y, tables=tuple(tables)))
        return self.tables[key]

    def out_of_fold(self, codes: Codes, fold: Places, *aside: int) -> Floats:
        """Return what each attribute adds to each row's scores, by tables that do not know the row's fold.

        Nor do they know the rows of the fold that is put aside, if one is.
        """
        return terms_of([self.without(f, *aside) for f in range(FOLDS)], fold, codes, "steady")

    def begin(self, terms: Floats, start: Weights) -> tuple[list[_Step], list[Floats]]:
        """Score few rows by the generative model, and by weights, learned without each fold in turn.

        The second list has the weighted scores of these rows, from what was learned without each fold.
        """
        offsets, plain, weighted = [], self.prior + terms.sum(axis=1), np.empty((len(terms), len(self.prior)))
        for f, (offset, converged) in enumerate(self.each(lambda f: self.weighed(f, start))):
            self.ended.append(converged)
            offsets.append(offset)
            weighted[self.few_fold == f] = offset[self.few_fold == f]
        nothing = [np.zeros((self.layout.size, len(self.prior)))] * len(self.tried)
        steps = [("generative", plain), ("weights", weighted)]
        return [_Step(name, self.losses(scores), nothing) for name, scores in steps], offsets

    def weighed(self, f: int, start: Weights) -> tuple[Floats, bool]:
        """Return the weighted scores of few rows, learned without a fold, and whether that ended."""
        learn, unaware = self.few_fold != f, self.out_of_fold(self.codes[:, self.few], self.few_fold, f)
        found = fit_weights(unaware[learn], self.prior, self.few_y[learn], start=start, tolerance=1e-5)
        return self.scores(unaware, found), found.converged

    def each(self, learn: Callable[[int], Learned]) -> list[Learned]:
        """Learn without each of the folds that are tried, side by side where there is much to learn from."""
        found: dict[int, Learned] = {}

        def some(first: int, last: int) -> None:
            found.update((f, learn(f)) for f in self.tried[first:last])

        self.side_by_side(some, len(self.tried))
        return [found[f] for f in self.tried]

    def side_by_side(self, task: Callable[[int, int], None], tasks: int) -> None:
        """Run tasks in threads where there is much to learn from."""
        size = len(self.few) * len(self.families.tables) * len(self.prior)
        in_threads(task, np.full(tasks, float(size)), thread_count(None) if size >= SIDE_BY_SIDE else 1)

    def freed(self, searches: Sequence[CellSearch], strength: float, f: int) -> Cells:
        """Free the cells as far as this strength allows, without a fold."""
        return searches[f].fit(self.penalty(strength), self.effort.rough)

    def free_cells(self, rows: Sparse, offsets: list[Floats], before: Sequence[_Step] = ()) -> list[_Step]:
        """Free the cells step by step, without each fold in turn, while rows left out do not lose by it."""
        if self.families.others and self.layout.size * len(self.prior) > MOST_NUMBERS:
            return []  # there would be too many to learn: weights alone
        inside = [self.few_fold == f for f in self.tried]
        asides = [rows[here] for here in inside]
        searches = self.each(
            lambda f: CellSearch(
                *(rows[~inside[f]], offsets[f][~inside[f]], self.few_y[~inside[f]], self.layout.sums)
            )
        )
        steps: list[_Step] = []
        scores = np.empty_like(offsets[0])
        for strength in STRENGTHS:
            found = self.each(partial(self.freed, searches, strength))
            if not all(one.converged for one in found):
                return steps
            for one, offset, aside, here in zip(found, offsets, asides, inside, strict=True):
                scores[here] = offset[here] + self.layout.added(aside, one.theta)
            thetas = [one.theta for one in found]
            steps.append(_Step(f"cells {strength:g}", self.losses(scores), thetas, strength))
            last = [step.loss for step in (*before, *steps)][-3:]
            if len(last) == 3 and last[0] < last[1] < last[2]:
                break
            if steps[-1].loss > WORSE * min(step.loss for step in steps):
                break
        return steps

    def at_number(self, known: int, thetas: list[Floats], start: Weights) -> tuple[Floats, Floats, float]:
        """Learn bias, weights and the fading of the cells from rows with so many attributes known."""
        some = some_of(np.arange(len(self.y)), SHARED_CLUSTERS if self.families.others else SHARED_ROWS)
        codes, y, fold = hide(self.families, self.codes[:, some], known), self.y[some], self.fold[some]
        terms = self.out_of_fold(codes, fold)
        found = self.weigh(terms, y, start)
        if not any(theta.any() for theta in thetas):
            return found.bias, found.weights, 0.0
        aside = [fold == f for f in self.tried]
        added = [
            self.layout.added(self.layout.rows(codes[:, here]), theta)
            for here, theta in zip(aside, thetas, strict=True)
        ]
        scores = self.scores(terms, found)
        fading = fit_weights(
            np.concatenate(added)[:, None],
            np.concatenate([scores[here] for here in aside]),
            np.concatenate([y[here] for here in aside]),
            towards=0.0,
        )
        self.ended.append(fading.converged)
        return found.bias + fading.bias, found.weights, float(fading.weights[0])

    def scores(self, terms: Floats, found: Weights) -> Floats:
        """Return weighted scores, (n, k)."""
        scores: Floats = self.prior + found.bias + np.einsum("nsk,s->nk", terms, found.weights)
        return scores

    def weigh(
        self, terms: Floats, y: Places, start: Weights | None = None, tolerance: float = 1e-6
    ) -> Weights:
        """Learn weights, and remember whether that ended."""
        found = fit_weights(terms, self.prior, y, start=start, tolerance=tolerance)
        self.ended.append(found.converged)
        return found

    def penalty(self, strength: float) -> Penalty:
        """Return the price of the numbers of the cells."""
        return Penalty(strength, SMOOTHER * strength, self.layout.laplacian)

    def losses(self, scores: Floats) -> Floats:
        """Return the log-loss of each row of the folds that are tried, in bits."""
        here = self.few_fold < len(self.tried)
        losses: Floats = class_losses(scores[here], self.few_y[here])[0] / np.log(2)
        return losses


def choose(tried: Sequence[_Step]) -> _Step:
    """Return the step with the least loss, or the first if the gain over it may be chance.

    The first is the generative model: with few rows it is the safer one.
    """
    best = min(tried, key=lambda step: step.loss)
    gain = tried[0].losses - best.losses
    return best if gain.mean() > ERRORS * gain.std() / np.sqrt(len(gain)) else tried[0]
