"""Averaged one-dependence estimators: AODE, and WAODE with weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from pgm_nb.allowed import Allowed, whole
from pgm_nb.arrays import Codes, Floats, Ints, Places, rebuilt
from pgm_nb.counts import Counts
from pgm_nb.counts.kernels import CompiledModule, in_threads, thread_count
from pgm_nb.engine.variables import Potential, Variables
from pgm_nb.graphs import AveragedStars
from pgm_nb.learning import Trace, naive
from pgm_nb.models.about import About, Choice, Option, imaginary_rows, with_smoothing
from pgm_nb.models.hidden.mixtures import PairTables, in_blocks, pair_layout, pair_sums, use_compiled
from pgm_nb.models.inspection import Mark
from pgm_nb.models.table import TableClassifier
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.words import percent

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.detail import Detail
    from pgm_nb.information import Information

__all__ = ["AveragedOneDependence", "OneDependence", "log_scores"]

KERNELS = ("auto", "numpy", "compiled")
COMPILED = CompiledModule("pgm_nb.models.averaged_compiled", load_seconds=0.8, compile_seconds=4.0)
_NUMPY_NS, _COMPILED_NS = 12.0, 0.25  # per factor
_AT_ONCE = 1024, 4096  # rows that the compiled kernel takes: enough to pay for its tables
_LEAST = 1e-250
NAIVE = "none"  # the state of the hidden variable in which no attribute is the parent


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

    __reduce__ = rebuilt

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
    def totals(self) -> tuple[tuple[NDArray[np.bool_], Floats], ...]:
        """For each number m of imaginary rows: the columns that have it, and log(n(y, xp) + m) of all xp."""
        singles = self.counts.singles.astype(np.float64)
        return tuple((self.rows == m, np.log(singles + m)) for m in np.unique(self.rows))

    @cached_property
    def pairs(self) -> PairTables:
        """Log of n(y, xp, xj) + m/v_j for every parent p and all other columns j.

        Where columns differ in m/v, the tables of children that come before their parents are stored apart.
        """
        d, (parent, child) = len(self.cards), self.children
        layout, added = self.layout.copy(), self.rows / self.cards
        n, sizes = self.counts.pairs.astype(np.float64), np.diff(self.counts.layout.pair_starts())
        first, second = np.triu_indices(d, 1)
        cells = np.log(n + np.repeat(added[second], sizes))
        if (added != added[0]).any():
            layout[:, 0] += np.where(parent < child, 0, len(n))
            cells = np.concatenate((cells, np.log(n + np.repeat(added[first], sizes))))
        bags = (np.arange(d), np.arange(d + 1) * (d - 1), child, np.ones(len(child)))
        scales, sizes = np.ones(len(self.counts.singles)), self.cards.astype(np.int64)
        return PairTables(sizes, self.counts.n_classes, *bags, layout, cells, np.zeros(d), scales)

    @cached_property
    def children(self) -> tuple[Places, Places]:
        """Every parent, and every other attribute, parent after parent."""
        d = len(self.cards)
        parent, child = np.divmod(np.arange(d * d), d)
        return parent[parent != child], child[parent != child]

    @cached_property
    def layout(self) -> Ints:
        """Where the counts of each of these pairs are, as in `PairTables`."""
        return pair_layout(self.counts, *self.children)

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
    kernel : {"auto", "numpy", "compiled"}
        How to add up the logs; the results agree to 1e-12. "auto" takes the faster one.
    n_threads : int, optional
        By default one per processor core; any number gives the same result.
    """
    n, d = codes.shape[1], len(model.cards)
    seconds = 1e-9 * _NUMPY_NS * d * d * (model.counts.n_classes + 1) * n
    if kernel == "auto" and n < np.mean(model.cards) ** 2 / 4:  # too few to pay for its tables
        kernel = "numpy"
    if COMPILED.chosen(kernel, KERNELS, seconds):
        scores = _multiplied(model, codes, thread_count(n_threads))
    else:
        scores = _averaged(model, codes)
    return _with_naive(model, codes, scores)


def _averaged(model: OneDependence, codes: Codes, kernel: str = "numpy") -> Floats:
    """Log of the sum over all parents, (rows, k)."""
    (d, n), k = codes.shape, model.counts.n_classes
    compiled = use_compiled(kernel, model.cards, k, d * (d - 1), n)
    return in_blocks(lambda rows: _average(model, rows, compiled), codes, d * k)


def _average(model: OneDependence, codes: Codes, compiled: bool) -> Floats:
    """Log of the sum over all parents for some rows, (rows, k); unknown ones are summed over their states."""
    known = codes < model.cards[:, None]
    scores = _log_sum(_stars(model, codes, codes, compiled))
    rows = np.flatnonzero(~known.all(axis=0))
    if len(rows) == 0:
        return scores
    v = int(model.cards[~known.all(axis=1)].max())
    step = max(1, codes.shape[1] // v)
    for some in np.split(rows, range(step, len(rows), step)):  # each row once for every state
        states = np.where(known[:, some, None], model.cards[:, None, None], np.arange(v))
        parents = np.minimum(states, model.cards[:, None, None]).reshape(len(codes), -1)
        stars = _stars(model, parents, np.repeat(codes[:, some], v, axis=1), compiled)
        each = _log_sum(stars).reshape(len(some), v, -1)
        scores[some] = np.logaddexp(scores[some], np.logaddexp.reduce(each, axis=1))
    return scores


def _stars(model: OneDependence, parents: Codes | Places, codes: Codes, compiled: bool) -> Floats:
    """Log of w_p P(y, xp) prod_j P(xj | y, xp) over the known children j of every parent p, (d, k, rows).

    A parent that is unknown in `parents` takes no part: its star is minus infinity.
    """
    cards = model.cards[:, None]
    stars = pair_sums(model.pairs, parents, codes, compiled=compiled)  # of log(n(y, xp, xj) + m/v_j)
    known, takes_part = codes < cards, parents < cards
    state = np.where(takes_part, parents, 0)
    for c in range(model.counts.n_classes):
        place = (model.starts[:, None] + c * cards) + state
        stars[:, c] += np.where(takes_part, model.log_joints[place], -np.inf)
        for columns, logs in model.totals:
            children = known[columns].sum(axis=0) - (known & columns[:, None])
            stars[:, c] -= children * logs[place]  # each is divided by n(y, xp) + m
    return stars


def _multiplied(model: OneDependence, codes: Codes, n_threads: int) -> Floats:
    """Do the same in compiled code without logs; rows too near to zero, or too large, are left to them."""
    from pgm_nb.models.averaged_compiled import average_counts, average_numbers

    counts, n = model.counts, codes.shape[1]
    whole = counts.pairs.dtype == np.int32
    average: Callable[..., None] = average_counts if whole else average_numbers
    scores = np.zeros((n, counts.n_classes))
    given = (
        np.ascontiguousarray(codes, dtype=np.uint16),
        *(model.cards.astype(np.int64), counts.layout.states(), model.layout),
        counts.pairs if whole else counts.pairs.astype(np.float64),
        *(counts.singles.astype(np.float64), model.rows, np.exp(model.log_joints), scores),
    )
    step = int(np.clip(-(-n // 4), *_AT_ONCE))

    def task(first: int, last: int) -> None:
        for start in range(first * step, last * step, step):
            average(*given, start, min(n, start + step))

    in_threads(
        task,
        np.full(-(-n // step), _COMPILED_NS * step * len(codes) ** 2 * counts.n_classes),
        n_threads,
    )
    left = np.empty(0, dtype=np.intp)
    if n and not _LEAST < scores.min() <= scores.max() < 1 / _LEAST:
        left = np.flatnonzero(~((scores > _LEAST) & (scores < 1 / _LEAST)).all(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        np.log(scores, out=scores)
    for v, column in zip(model.cards.tolist(), codes, strict=True):
        scores -= np.where(column < v, np.log(v), 0.0)[:, None]
    if len(left):
        scores[left] = _averaged(model, codes[:, left], "auto")
    return scores


def _with_naive(model: OneDependence, codes: Codes, scores: Floats) -> Floats:
    """Add the rows without any parent, in which naive Bayes answers: known cells alike, the others summed."""
    rows = np.arange(codes.shape[1])
    for column, admissible in enumerate(model.admissible):  # no known state is one, no unknown cell surely is
        rows = rows[~np.append(admissible, admissible.all())[codes[column, rows]]]
    if len(rows) == 0:
        return scores
    prior, tables = model.naive
    naive = np.tile(prior, (len(rows), 1))
    for column, (table, admissible) in enumerate(zip(tables, model.admissible, strict=True)):
        without = np.logaddexp.reduce(np.where(admissible, -np.inf, table), axis=1)  # unknown, but no parent
        naive += np.column_stack((table, without)).T[codes[column, rows]]
    scores[rows] = np.logaddexp(scores[rows], naive)
    return scores


def _log_sum(logs: Floats) -> Floats:
    """Log of the sum over the first axis of (p, k, rows), as (rows, k); minus infinity adds nothing."""
    largest = logs.max(axis=0)
    largest[np.isneginf(largest)] = 0.0
    total: Floats = _log(np.exp(logs - largest).sum(axis=0)) + largest
    return total.T


def _log(values: Floats) -> Floats:
    return np.log(values, out=np.full(values.shape, -np.inf), where=values > 0)


def potentials(model: OneDependence, variables: Variables) -> Iterator[Potential]:
    """Return the factors one by one; P(C | any attributes) in their product is the model's.

    The hidden variable H has a state for every parent p, and one for naive Bayes where a row can be without
    any parent. The factor of (H, C, Xp) is w_p P(c, xp) where H = p, that of (H, C, Xp, Xj) is P(xj | c, xp)
    there, and both are 1 elsewhere.
    """
    target, attributes = variables.target.name, variables.attributes
    hidden = "parent"
    while hidden in variables.names:
        hidden += "_"
    labels = [attribute.name for attribute in attributes]
    alone = not any(admissible.all() for admissible in model.admissible)
    if alone:
        labels.append(NAIVE if NAIVE not in labels else f"{NAIVE} of them")
    states = {hidden: labels}
    for parent, attribute in enumerate(attributes):
        table = np.ones((len(labels), *model.joint(parent).shape))
        table[parent] = np.exp(model.joint(parent))
        if alone:
            prior, tables = model.naive
            table[-1] = np.where(model.admissible[parent], 0.0, np.exp(tables[parent]))
            if parent == 0:
                table[-1] *= np.exp(prior)[:, None]
        yield Potential((hidden, target, attribute.name), table, states)
        for child, other in enumerate(attributes):
            if child == parent:
                continue
            n, m = model.counts.pair(parent, child), model.rows[child]
            table = np.ones((len(labels), *n.shape))
            table[parent] = (n + m / n.shape[-1]) / (n.sum(axis=-1, keepdims=True) + m)
            yield Potential((hidden, target, attribute.name, other.name), table, states)


PAPER = "paper"  # smoothing as the paper of the weighting has it
INFORMATION = "information"

SMOOTHED = with_smoothing(
    "'paper' (the default; without weights one imaginary row in every cell, with weights one in "
    "every table), or a number of imaginary rows spread over the states of every table",
    PAPER,
)
WEIGHTING = Option(
    "weighting",
    "Parents",
    "How much each attribute counts as the parent of all others.",
    (
        Choice("equal", "All alike", "as in AODE", {"weighting": None}, name="AODE"),
        Choice(
            INFORMATION,
            "By information",
            "the more an attribute says about the class, the more its star counts (WAODE)",
            {"weighting": INFORMATION},
            name="WAODE",
        ),
    ),
)


class AveragedOneDependence(TableClassifier[Counts]):
    """AODE (Webb, Boughton, Wang 2005): every attribute in turn is the parent of all others.

    P(y, x) is the average over the parents p of P(y, xp) prod_j P(xj | y, xp). A parent takes part in a row
    if its state has at least `frequency_limit` training rows; if none has, naive Bayes answers. Nothing is
    searched for, and the sum is made in logs, so that many attributes do not underflow.

    An unknown cell is summed out exactly: it leaves the stars in which it is a child, and the star in which
    it is the parent is summed over its states.

    Parameters
    ----------
    weighting : None or "information"
        None averages all stars alike. "information" weights each by I(Xp;Y), what its parent says about the
        class (WAODE; Jiang, Zhang 2006). Without any information all are alike.
    frequency_limit : int, optional
        Training rows that a parent's state must have to take part. None is as the papers and Weka have it:
        1 with ``weighting=None``, 0 with weights.
    discretizer, n_bins, missing
        As in `NaiveBayes`.
    smoothing : "paper" or float
        "paper" adds one to every cell with ``weighting=None``, P(y,xp) = (n+1)/(N + k v_p) and P(xj|y,xp) =
        (n+1)/(n(y,xp) + v_j); with weights it spreads one imaginary row over every table, P(y,xp) =
        (n + 1/(k v_p))/(N + 1) and P(xj|y,xp) = (n + 1/v_j)/(n(y,xp) + 1). Both are as in Weka. A number m
        spreads m rows over every table.

    Attributes
    ----------
    structure_ : AveragedStars
    trace_ : Trace
        The attributes by what they say about the class; nothing is chosen.
    divergence_ : None
    importance_ : DataFrame
    classes_, feature_names_in_, n_features_in_, encoder_, missing_

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.AveragedOneDependence(weighting="information", n_bins=5).fit(X, y)
    >>> {name: round(share, 2) for name, share in model.structure_.shares.items()}
    {'sepal length': 0.18, 'sepal width': 0.1, 'petal length': 0.35, 'petal width': 0.36}
    >>> round(model.score(X, y), 2)
    0.97
    """

    about: ClassVar[About] = TableClassifier.about.but(
        no_interval="Averaged one-dependence has no credible interval: the same rows are counted in every "
        "star, so drawing the tables of the stars one by one would make it look surer than it is.",
        allowed={
            **imaginary_rows(PAPER, advice="averaged one-dependence needs imaginary rows"),
            "weighting": Allowed(words=(None, INFORMATION)),
            "frequency_limit": whole(0, what="a number of rows", none=True),
        },
        short_name="aode",
        title="Averaged one-dependence (AODE)",
        brief="AODE",
        summary="Every attribute in turn is the parent of all others; the answers of all these stars are "
        "averaged.",
        options=(
            WEIGHTING,
            *SMOOTHED,
        ),
        no_divergence="not given: an average of stars has no weight of its own",
        links_compare=False,
        predicts_attributes=True,
        growth_introduction="Nothing is searched for: every attribute takes a turn as the parent of all "
        "others. The attributes that say most about the class come first.",
    )
    _statistics: ClassVar[type[Counts]] = Counts
    structure_: AveragedStars

    def __init__(
        self,
        *,
        weighting: str | None = None,
        frequency_limit: int | None = None,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str = PAPER,
        missing: str = "state",
    ) -> None:
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)
        self.weighting = weighting
        self.frequency_limit = frequency_limit

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[AveragedStars, Trace]:
        star, trace = naive(info, names, target)
        relevance = np.maximum(info.relevance, 0.0)
        even = np.full(len(names), 1 / len(names))
        total = relevance.sum()
        shares = relevance / total if self.weighting == INFORMATION and total > 0 else even
        graph = AveragedStars(
            target, tuple(names), dict(zip(names, shares.tolist(), strict=True)), relevance=star.relevance
        )
        return graph, trace

    def _keep(self, counts: Counts, structure: Any, names: Sequence[str]) -> Counts:
        return counts

    def _estimate(self) -> None:
        shares = np.array([self.structure_.shares[name] for name in self.encoder_.names])
        rows: float | None = None if self.weighting is None else 1.0
        if self.smoothing != PAPER:
            rows = float(cast("float", self.smoothing))
        least = (1 if self.weighting is None else 0) if self.frequency_limit is None else self.frequency_limit
        self.factors_ = OneDependence(self.learned_.counts, shares, rows, least)

    def score_codes(self, codes: Codes) -> Floats:
        """Log P(y, known attributes) of coded rows, (n, k)."""
        return log_scores(self.factors_, codes)

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self.factors_.log_prior

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes by the information they carry about the class, with the shares of their stars."""
        table = super().importance_
        return table.assign(share=[self.structure_.shares[name] for name in table["attribute"]])

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = super()._describe_attribute(name, mark)
        place = self.encoder_.names.index(name)
        table = states_by_class(self, name, np.exp(self.factors_.naive[1][place]))
        share = percent(self.structure_.shares[name], digits=1)
        said = f"The star in which it is the parent of all others has a share of {share} in the answer."
        return replace(found, sentences=(*found.sentences, said), tables=(table,))

    def _describe_link(self, source: str, target: str, mark: Mark) -> str:
        share = percent(self.structure_.shares[source], digits=1)
        return (
            f"In the star of {mark(source)}, {mark(target)} depends on it and on "
            f"{self.structure_.class_words(mark)}. This star has a share of {share} in the answer."
        )

    def _network(self, form: str | None) -> Any:
        """Compile to a Markov network of pgmpy in which a hidden variable chooses the parent.

        Its class posterior given any attributes is this model's (pgmpy's VariableElimination returns it
        unnormalised). Summing unknown attributes out there takes tables that grow with their number; this
        model needs no such tables.
        """
        from pgm_nb.engine.pgmpy import to_markov_network

        variables = self.asked_variables()
        return to_markov_network(variables, list(potentials(self.factors_, variables)))

    def _joint_factors(self, codes: Codes) -> Iterator[Potential]:
        """Return the factors, with the hidden variable that chooses the parent."""
        return potentials(self.factors_, self.asked_variables())
