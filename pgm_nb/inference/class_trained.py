"""Parameters learned for the class, on a graph that stays as it is.

    score(y | x) = prior[y] + b[y] + sum_s w_s T_s(x, y) + sum_s theta_s[cell of x, y]

T_s are the log tables of the generative model, one term per attribute. Their weights w and then the numbers
theta of their cells maximise the penalised conditional likelihood of the class (`conditional`), starting from
and pulled towards the generative model. What is learned from is never what was already used: the terms of a
row come from tables that were estimated without its fold. The strength of the penalty is chosen by
cross-validation on the training rows, and so is whether cells, weights, or neither are worth having.

With all attributes known the terms say the same more than once and are worth less than one each; with one
attribute known its term is exactly right. So weights, bias and the fading of the cells depend on the share of
the attributes that is known: learned at a few shares on rows with cells hidden, and interpolated, down to the
generative model itself where nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from pgm_nb.arrays import Codes, Floats, Places
from pgm_nb.inference.class_parameters import ClassParameters, TermsOf, generative
from pgm_nb.inference.conditional import Cells, Penalty, Sparse, Weights, class_losses, fit_cells, fit_weights
from pgm_nb.inference.factors import Factors
from pgm_nb.inference.families import Families

__all__ = ["fit_class_parameters"]

FOLDS = 5
STRENGTHS = (30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)  # of the ridge, from stiff to free
SMOOTHER = 10.0  # differences between neighbours cost so many times the ridge
SHARES = (1 / 3, 2 / 3)  # of the attributes known; beside one of them, and all
WORSE = 1.01  # stop freeing the cells when the loss has risen by this factor
MOST_ROWS = 50_000  # more rows than this teach weights and cells nothing new

Estimate: TypeAlias = Callable[[Families], Factors]


def fit_class_parameters(
    families: Families,
    codes: Codes,
    y: Places,
    estimate: Estimate,
    terms_of: TermsOf,
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
    terms_of : callable
        (factors, codes) -> what each attribute adds to the joint log score, (n, s, k).
    ordered : sequence of int, optional
        As in `estimate_hierarchical`.
    """
    rows = np.lexsort([y, *codes[list(families.columns)][::-1]])  # the same folds for any order of the rows
    codes, y = codes[:, rows], y[rows]
    if len(y) > MOST_ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(len(y), MOST_ROWS, replace=False))
        codes, y = codes[:, chosen], y[chosen]
    return _Search(
        families, codes, y, estimate, terms_of, tuple(ordered) or (0,) * len(families.tables)
    ).run()


class _Layout:
    """Where the parameters lie: first one for every state, then one for every pair of states.

    A row falls into one cell per attribute: the pair of states, or the state alone while there is no mother
    or she is unknown. The cell of a pair adds up the parameters of the pair and of the state.
    """

    def __init__(self, families: Families, ordered: Sequence[int]) -> None:
        self.families = families
        self.main: list[Places] = []
        self.pair: list[Places | None] = []
        size = 0
        for table in families.tables:
            self.main.append(size + np.arange(table.shape[-1]))
            size += table.shape[-1]
        for table in families.tables:
            pairs = None if table.ndim == 2 else size + np.arange(table[0].size).reshape(table.shape[1:])
            self.pair.append(pairs)
            size += 0 if pairs is None else pairs.size
        self.size = size
        self.laplacian = self._differences(ordered)
        both = [(m, p) for m, p in zip(self.main, self.pair, strict=True) if p is not None]
        states = [np.broadcast_to(main, pairs.shape).ravel() for main, pairs in both]
        cells = np.concatenate([np.arange(size), *(pairs.ravel() for _, pairs in both)])
        parameters = np.concatenate([np.arange(size), *states])
        self.sums = csr_array((np.ones(len(cells)), (cells, parameters)), shape=(size, size))

    def rows(self, codes: Codes) -> Sparse:
        """Which cells each row falls into; an unknown attribute gives none."""
        families = self.families
        index = np.empty((codes.shape[1], len(families.tables)), dtype=np.intp)
        known = np.empty(index.shape, dtype=bool)
        for i, (column, mother) in enumerate(zip(families.columns, families.mothers, strict=True)):
            own = codes[column].astype(np.intp)
            known[:, i] = own < families.cards[i]
            own = np.where(known[:, i], own, 0)
            index[:, i] = self.main[i][own]
            pairs = self.pair[i]
            if pairs is not None:
                above = codes[families.columns[mother]].astype(np.intp)
                both = above < families.cards[mother]
                index[:, i] = np.where(both, pairs[np.where(both, above, 0), own], index[:, i])
        starts = np.concatenate([[0], known.sum(axis=1).cumsum()])
        shape = (codes.shape[1], self.size)
        return csr_array((np.ones(int(starts[-1])), index[known], starts), shape=shape)

    def tables(self, theta: Floats) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
        """Numbers (p, k) as tables: of states alone, and of states with their mothers'."""
        mains = tuple(np.ascontiguousarray(theta[places].T) for places in self.main)
        cells = tuple(
            main if pairs is None else main[:, None, :] + np.moveaxis(theta[pairs], -1, 0)
            for main, pairs in zip(mains, self.pair, strict=True)
        )
        return mains, cells

    def _differences(self, ordered: Sequence[int]) -> Sparse:
        edges = []
        for i, (mother, order) in enumerate(zip(self.families.mothers, ordered, strict=True)):
            edges.append((self.main[i][: order - 1], self.main[i][1:order]) if order > 1 else _NO_EDGE)
            pairs = self.pair[i]
            if pairs is None:
                continue
            above = ordered[mother]
            edges.append((pairs[:, : order - 1], pairs[:, 1:order]) if order > 1 else _NO_EDGE)
            edges.append((pairs[: above - 1], pairs[1:above]) if above > 1 else _NO_EDGE)
        left = np.concatenate([a.ravel() for a, _ in edges])
        right = np.concatenate([b.ravel() for _, b in edges])
        one, number = np.ones(len(left)), np.arange(len(left))
        signs = np.concatenate([one, -one])
        places = (np.concatenate([number, number]), np.concatenate([left, right]))
        difference = csr_array((signs, places), shape=(len(left), self.size))
        return csr_array(difference.T @ difference)


_NO_EDGE = (np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp))


class _Step(NamedTuple):
    """Something that was tried: the log-loss in bits, and what was learned without each fold in turn."""

    name: str
    loss: float
    offsets: list[Floats]  #: weighted scores of all rows
    thetas: list[Floats]
    strength: float | None = None


class _Search:
    """One fit: terms out of fold, weights, the path of strengths, and the shares known."""

    def __init__(
        self,
        families: Families,
        codes: Codes,
        y: Places,
        estimate: Estimate,
        terms_of: TermsOf,
        ordered: Sequence[int],
    ) -> None:
        self.families, self.codes, self.y = families, codes, y
        self.estimate, self.terms_of = estimate, terms_of
        self.fold = stratified_folds(y, FOLDS)
        self.parts = [recount(families, codes[:, self.fold == f], y[self.fold == f]) for f in range(FOLDS)]
        self.prior = estimate(families).log_prior
        self.layout = _Layout(families, ordered)
        self.converged = True
        self.tables: dict[tuple[int, ...], Factors] = {}

    def run(self) -> ClassParameters:
        """Learn everything, or say that a search did not end and learn nothing."""
        rows = self.layout.rows(self.codes)
        tried = self.begin()
        tried += self.free_cells(rows, tried[-1])
        best = min(tried, key=lambda step: step.loss)
        plain = replace(generative(self.families), path=tuple((step.name, step.loss) for step in tried))
        if best is tried[0] and self.converged:
            return plain
        thetas, strength = best.thetas, best.strength
        terms = self.out_of_fold(self.codes)
        weights = self.weigh(terms, self.y)
        theta = np.zeros((self.layout.size, len(self.prior)))
        if strength is not None:
            scores = self.scores(terms, weights)
            found = self.fit(rows, scores, self.y, strength, np.mean(thetas, axis=0), 1e-6)
            self.converged &= found.converged
            theta = found.theta
        d = len(self.families.tables)
        numbers = sorted({round(share * d) for share in SHARES} & set(range(2, d)))
        nodes = [self.at_number(number, thetas) for number in numbers]
        one = slice(0, int(d > 1))  # a single attribute is all there is
        if not self.converged:
            return replace(plain, converged=False)
        mains, cells = self.layout.tables(theta)
        return replace(
            plain,
            known=np.array([*plain.known[one], *numbers, d]),
            bias=np.array([*plain.bias[one], *(bias for bias, _, _ in nodes), weights.bias]),
            weights=np.array([*plain.weights[one], *(weight for _, weight, _ in nodes), weights.weights]),
            fades=np.array([*plain.fades[one], *(fade for _, _, fade in nodes), 1.0]),
            mains=mains,
            cells=cells,
            strength=strength,
        )

    def without(self, *folds: int) -> Factors:
        """Tables from the rows of all other folds."""
        key = tuple(sorted(set(folds)))
        if key not in self.tables:
            left = [part for f, part in enumerate(self.parts) if f not in key]
            tables = tuple(
                sum(several[1:], several[0]) for several in zip(*(p.tables for p in left), strict=True)
            )
            y = sum((part.y for part in left[1:]), left[0].y)
            self.tables[key] = self.estimate(replace(self.families, y=y, tables=tables))
        return self.tables[key]

    def out_of_fold(self, codes: Codes, aside: int | None = None) -> Floats:
        """Return what each attribute adds to each row's scores, by tables that do not know the row's fold.

        Nor do they know the rows of the fold that is put aside, if one is.
        """
        terms = np.empty((len(self.y), len(self.families.tables), len(self.prior)))
        for f in range(FOLDS):
            here = self.fold == f
            factors = self.without(f) if aside is None else self.without(f, aside)
            terms[here] = self.terms_of(factors, codes[:, here])
        return terms

    def begin(self) -> list[_Step]:
        """Score all rows by the generative model, and by weights, learned without each fold in turn."""
        nothing = np.zeros((self.layout.size, len(self.prior)))
        offsets, plain, weighted = [], *np.empty((2, len(self.y), len(self.prior)))
        for f in range(FOLDS):
            aside = self.fold == f
            terms = self.out_of_fold(self.codes, aside=f)
            found = self.weigh(terms[~aside], self.y[~aside])
            offsets.append(self.scores(terms, found))
            plain[aside] = self.prior + terms[aside].sum(axis=1)
            weighted[aside] = offsets[-1][aside]
        rest = (offsets, [nothing] * FOLDS)
        return [_Step("generative", self.loss(plain), *rest), _Step("weights", self.loss(weighted), *rest)]

    def free_cells(self, rows: Sparse, before: _Step) -> list[_Step]:
        """Free the cells step by step, without each fold in turn, while rows left out gain."""
        others = [self.fold != f for f in range(FOLDS)]
        parts = [rows[learn] for learn in others]
        steps = [before]
        for strength in STRENGTHS:
            scores, thetas = np.empty_like(before.offsets[0]), []
            for f, learn in enumerate(others):
                offset, start = before.offsets[f], steps[-1].thetas[f]
                found = self.fit(parts[f], offset[learn], self.y[learn], strength, start, 1e-5)
                if not found.converged:
                    return steps[1:]
                thetas.append(found.theta)
                scores[~learn] = offset[~learn] + rows[~learn] @ (self.layout.sums @ found.theta)
            name, loss = f"cells {strength:g}", self.loss(scores)
            steps.append(_Step(name, loss, before.offsets, thetas, strength))
            if loss > WORSE * min(step.loss for step in steps):
                break
        return steps[1:]

    def at_number(self, known: int, thetas: list[Floats]) -> tuple[Floats, Floats, float]:
        """Learn bias, weights and the fading of the cells from rows with so many attributes known."""
        codes = hide(self.families, self.codes, known)
        terms = self.out_of_fold(codes)
        found = self.weigh(terms, self.y)
        if not any(theta.any() for theta in thetas):
            return found.bias, found.weights, 0.0
        rows = self.layout.rows(codes)
        added = np.empty((len(self.y), 1, len(self.prior)))
        for f, theta in enumerate(thetas):
            here = self.fold == f
            added[here, 0] = rows[here] @ (self.layout.sums @ theta)
        fading = fit_weights(added, self.scores(terms, found), self.y, towards=0.0)
        self.converged &= fading.converged
        return found.bias + fading.bias, found.weights, float(fading.weights[0])

    def scores(self, terms: Floats, found: Weights) -> Floats:
        """Return weighted scores, (n, k)."""
        scores: Floats = self.prior + found.bias + np.einsum("nsk,s->nk", terms, found.weights)
        return scores

    def weigh(self, terms: Floats, y: Places) -> Weights:
        """Learn weights, and remember whether that ended."""
        found = fit_weights(terms, self.prior, y)
        self.converged &= found.converged
        return found

    def fit(
        self, rows: Sparse, offset: Floats, y: Places, strength: float, start: Floats, tolerance: float
    ) -> Cells:
        """Learn the numbers of the cells."""
        penalty = Penalty(strength, SMOOTHER * strength, self.layout.laplacian)
        return fit_cells(rows, offset, y, penalty, self.layout.sums, start, tolerance)

    def loss(self, scores: Floats) -> float:
        """Return the log-loss in bits per row."""
        return float(class_losses(scores, self.y)[0].mean() / np.log(2))


def stratified_folds(y: Places, folds: int) -> Places:
    """Return the fold of every row; every class is spread evenly, by a fixed shuffle."""
    order = np.random.default_rng(0).permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.intp)
    fold[order] = np.arange(len(y)) % folds
    return fold


def recount(families: Families, codes: Codes, y: Places) -> Families:
    """Count the families of the same graph in other rows."""
    k = len(families.y)
    tables = []
    for column, mother, table in zip(families.columns, families.mothers, families.tables, strict=True):
        cell = y.astype(np.intp)
        if mother >= 0:
            cell = cell * table.shape[1] + codes[families.columns[mother]]
        cell = cell * table.shape[-1] + codes[column]
        tables.append(np.bincount(cell, minlength=table.size).reshape(table.shape))
    return Families(np.bincount(y, minlength=k), families.columns, families.mothers, tuple(tables))


def hide(families: Families, codes: Codes, known: int) -> Codes:
    """Return the rows with only so many of the graph's attributes known, chosen at random by a fixed seed."""
    columns = list(families.columns)
    draw = np.random.default_rng(0).random((len(columns), codes.shape[1]))
    rank = draw.argsort(axis=0).argsort(axis=0)
    hidden = codes.copy()
    hidden[columns] = np.where(rank < known, codes[columns], np.array(families.cards)[:, None])
    return hidden
