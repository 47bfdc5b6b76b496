"""Gaussian naive Bayes: measured columns become Gaussian leaves, the others tables.

All that is learned is additive. A mean and a variance learned from n values have the posterior of the
reference prior: n s^2 over the variance is chi-squared with n - 1 degrees of freedom; given the variance the
mean is normal around that of the values, with variance / n. A row of a table has a Dirichlet posterior, with
the imaginary rows of its smoothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from sklearn.utils.validation import check_is_fitted

from pgm_nb.allowed import NOT_NEGATIVE, POSITIVE
from pgm_nb.arrays import Codes, Floats, Places, revived, stored
from pgm_nb.certainty.draws import bounds
from pgm_nb.data import Column, Encoder, MissingReport, learn_encoder
from pgm_nb.data.column import MOST_STATES
from pgm_nb.data.target import target_name
from pgm_nb.engine.questions import Prior
from pgm_nb.engine.sums import log_joint
from pgm_nb.errors import DataError
from pgm_nb.explain.detail import DetailTable, state_table
from pgm_nb.explain.explanation import Terms
from pgm_nb.graphs.star import GaussianStar
from pgm_nb.information import Information
from pgm_nb.learning import Trace, naive
from pgm_nb.models.about import About, Option
from pgm_nb.models.base import Packed, whole_or_unfitted
from pgm_nb.models.coded_rows import written_out
from pgm_nb.models.continuous import (
    ContinuousClassifier,
    batch_classes,
    check_priors,
    codes_of,
    number_columns,
    stack_numbers,
)
from pgm_nb.models.files import pack_classes, unpack_classes
from pgm_nb.models.gaussian_density import (
    Gaussians,
    Moments,
    class_information,
    log_densities,
    log_likelihoods,
    moments,
)
from pgm_nb.models.inspection import Mark
from pgm_nb.models.intervals import DRAWS, LEVEL, Intervals
from pgm_nb.tables.factors import Factors

if TYPE_CHECKING:
    from pgm_nb.explain.detail import Detail

__all__ = [
    "GaussianNaiveBayes",
    "absent_cells",
    "drawn_densities",
    "drawn_prior",
    "drawn_tables",
    "learn_columns",
]


@dataclass(frozen=True, eq=False)
class GaussianState:
    """All that `fit` learns; additive, so that `partial_fit` adds."""

    target: str
    classes: NDArray[Any]
    named: tuple[str, ...] | None  #: column names of the training table, None if it had none
    measured: tuple[int, ...]  #: places of the columns that are Gaussian leaves
    encoder: Encoder  #: of the other columns
    missing: MissingReport
    class_weight: Floats  #: rows (or their weights) of each class
    moments: Moments
    tables: tuple[Floats, ...]  #: counts (k, v) of the other columns
    epsilon: float  #: what `var_smoothing` adds to every variance


def nothing_learned(
    target: str,
    classes: NDArray[Any],
    named: tuple[str, ...] | None,
    measured: tuple[int, ...],
    encoder: Encoder,
    missing: MissingReport,
) -> GaussianState:
    """Return what is known before the first row: the columns and classes."""
    k = len(classes)
    return GaussianState(
        target,
        classes,
        named,
        measured,
        encoder,
        missing,
        class_weight=np.zeros(k),
        moments=Moments(*(np.zeros((k, len(measured))) for _ in range(3))),
        tables=tuple(np.zeros((k, card)) for card in encoder.cards),
        epsilon=0.0,
    )


def add_rows(
    learned: GaussianState,
    cells: Floats,
    states: Codes,
    codes: Places,
    weights: Floats | None,
    var_smoothing: float,
) -> GaussianState:
    """Add rows to what was learned: measured cells (n, d), states of the other columns (d', n), class codes.

    All variances are smoothed by a share of the largest variance of a column among all rows so far.
    """
    k = len(learned.classes)
    total = learned.moments + moments(cells, codes, k, weights)
    epsilon = float(var_smoothing * total.together().variance.max(initial=0.0))
    return replace(
        learned,
        class_weight=learned.class_weight + np.bincount(codes, weights, minlength=k),
        moments=total,
        tables=tuple(
            table + _counted(column, codes, table.shape, weights)
            for table, column in zip(learned.tables, states, strict=True)
        ),
        epsilon=epsilon,
    )


def _counted(states: Codes, codes: Places, shape: tuple[int, ...], weights: Floats | None) -> Floats:
    """Count the states of a column by class; the code behind the last state is for unknown cells."""
    k, size = shape[0], shape[1] + 1
    counts = np.bincount(codes * size + states, weights, minlength=k * size).astype(np.float64)
    return counts.reshape(k, size)[:, :-1]


def pack(learned: GaussianState, n_columns: int) -> Packed:
    """Return what JSON holds, and arrays by name."""
    description = {
        "target": learned.target,
        "classes": pack_classes(learned.classes),
        "n_columns": n_columns,
        "named": learned.named,
        "measured": learned.measured,
        "encoder": learned.encoder.to_dict(),
        "missing": asdict(learned.missing),
        "epsilon": learned.epsilon,
    }
    arrays = {
        "class_weight": learned.class_weight,
        "weight": learned.moments.weight,
        "mean": learned.moments.mean,
        "squares": learned.moments.squares,
    }
    return description, arrays | {f"table{i}": table for i, table in enumerate(learned.tables)}


def unpack(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> GaussianState:
    """Read what `pack` gave."""
    encoder = Encoder.from_dict(description["encoder"])
    named, classes = description["named"], unpack_classes(description["classes"])
    k, measured = len(classes), tuple(description["measured"])
    places = sorted({*measured} & {*range(int(description["n_columns"]))})
    if places != list(measured) or len(measured) + len(encoder.columns) != description["n_columns"]:
        raise ValueError("the columns are not those of the encoder")
    weight, mean, squares = (
        stored(arrays, name, (k, len(measured)), least=least)
        for name, least in (("weight", 0), ("mean", -np.inf), ("squares", 0))
    )
    epsilon = float(description["epsilon"])
    if not 0 <= epsilon < np.inf:
        raise ValueError(f"what is added to variances is {epsilon}")
    return GaussianState(
        target=description["target"],
        classes=classes,
        named=named,
        measured=measured,
        encoder=encoder,
        missing=revived(MissingReport, description["missing"]),
        class_weight=stored(arrays, "class_weight", (k,), least=0),
        moments=Moments(weight, mean, squares),
        tables=tuple(stored(arrays, f"table{i}", (k, card), least=0) for i, card in enumerate(encoder.cards)),
        epsilon=epsilon,
    )


_TINY = np.finfo(np.float64).tiny
NO_STATES: Codes = np.empty((0, 0), dtype=np.uint8)


def learn_columns(table: Floats | pd.DataFrame) -> tuple[tuple[int, ...], Floats, Encoder, Codes]:
    """Return which columns are measured, their cells, and the encoder and codes of the others."""
    if not isinstance(table, pd.DataFrame):
        return tuple(range(table.shape[1])), table, Encoder(()), NO_STATES
    measured = number_columns(table)
    rest = [place for place in range(table.shape[1]) if place not in measured]
    if not rest:
        return tuple(measured), stack_numbers(table, measured), Encoder(()), NO_STATES
    encoder, codes, _, _ = learn_encoder(table.iloc[:, rest], None, discretizer=None, missing="state")
    columns = tuple(  # a missing cell is unknown, not a state: its code becomes the number of states
        replace(column, states=column.states[:-1], missing_state=False) if column.missing_state else column
        for column in encoder.columns
    )
    return tuple(measured), stack_numbers(table, measured), Encoder(columns), codes


def grown(learned: GaussianState, rows: pd.DataFrame) -> GaussianState:
    """Return what was learned, with a place for the states that further rows add."""
    before = learned.encoder
    if not before.columns:
        return learned
    words = rows[list(before.names)]
    encoder = before.grown(words, before.encode(words), empty=False, most=MOST_STATES)
    tables = tuple(np.zeros((len(learned.classes), card)) for card in encoder.cards)
    for table, old, places in zip(tables, learned.tables, before.places(encoder), strict=True):
        table[:, places] = old
    return replace(learned, encoder=encoder, tables=tables)


def absent_cells(
    names: tuple[str, ...], measured: tuple[int, ...], cells: Floats, encoder: Encoder, states: Codes
) -> dict[str, NDArray[np.bool_]]:
    """Return the unknown cells of each column that has any."""
    absent = {}
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = bool(np.isnan(cells.sum()))  # one cheap pass
    for j, place in enumerate(measured) if gaps else ():
        absent[names[place]] = np.isnan(cells[:, j])
    for column, coded in zip(encoder.columns, states, strict=True):
        absent[column.name] = coded == column.card
    return {name: where for name, where in absent.items() if where.any()}


def m_estimate(counts: Floats, m: float) -> Floats:
    """(n + m/v) / (N + m) along the last axis."""
    estimates: Floats = (counts + m / counts.shape[1]) / (counts.sum(axis=1, keepdims=True) + m)
    return estimates


def borrowed(learned: GaussianState) -> tuple[Floats, Floats]:
    """Return means and variances; a class without any value in a column has those of all classes there.

    So a measurement that was never made in a class neither speaks for the class nor forbids it. A column
    without any value at all has mean 0 and variance 1 in every class, and says nothing.
    """
    mean, variance = learned.moments.mean, learned.moments.variance
    empty = (learned.moments.weight == 0) & (learned.class_weight > 0)[:, None]
    if not empty.any():
        return mean, variance + learned.epsilon
    whole = learned.moments.together()
    nowhere = whole.weight == 0
    mean = np.where(empty, np.where(nowhere, 0.0, whole.mean), mean)
    variance = np.where(empty, np.where(nowhere, 1.0, whole.variance), variance)
    return mean, variance + learned.epsilon


def proper(
    mean: Floats, variance: Floats, seen: NDArray[np.bool_], learned: GaussianState, names: tuple[str, ...]
) -> tuple[Floats, str]:
    """Return variances that can be divided by, and a sentence on what is wrong with them, if anything.

    A class without rows gets no posterior, and a column that never varies does not matter; any positive
    variance does for both.
    """
    finite = np.isfinite(variance) & np.isfinite(mean)
    noise = 8 * np.finfo(np.float64).eps * np.abs(mean)  # of rounding: a smaller deviation is none
    with np.errstate(over="ignore"):
        flat = ~(variance > np.maximum(noise**2, _TINY))
    if (finite & ~flat)[seen].all():
        return (variance if seen.all() else np.where(flat, 1.0, variance)), ""
    usable = np.where(flat, 1.0, variance)
    for j, place in enumerate(learned.measured):
        name, rows = names[place], np.flatnonzero(seen)
        if not finite[rows, j].all():
            return usable, f"column {name!r} holds numbers too large to square: divide it by a power of ten."
        constant = flat[rows, j].all() and np.ptp(mean[rows, j]) <= noise[rows, j].max()
        if flat[rows, j].any() and not constant:
            where = learned.classes[rows[flat[rows, j]][0]]
            return usable, (
                f"column {name!r} has zero variance in class {where!s}, so its density there is a spike: "
                "use var_smoothing > 0 (1e-9 is the default), or leave the column out."
            )
    return usable, ""


def gaussian_star(
    learned: GaussianState,
    names: tuple[str, ...],
    gaussians: Gaussians,
    tables: Sequence[Floats],
    prior: Floats,
) -> GaussianStar:
    """Return the star: leaves with their Gaussians, and I(Xi;Y) in bits under the model.

    Parameters
    ----------
    learned, names
        What was learned, and the names of all columns.
    gaussians : Gaussians
        Of the measured columns.
    tables : sequence of arrays (k, v)
        Log P(state | class) of the other columns.
    prior : array (k,)
    """
    deviation = np.sqrt(gaussians.variance)
    leaves = {
        names[place]: tuple(zip(gaussians.mean[:, j].tolist(), deviation[:, j].tolist(), strict=True))
        for j, place in enumerate(learned.measured)
    }
    measured = [names[place] for place in learned.measured]
    bits = dict(zip(measured, class_information(gaussians, prior).tolist(), strict=True))
    for column, table in zip(learned.encoder.columns, tables, strict=True):
        bits[column.name] = _table_information(table, prior)
    labels = tuple(map(str, learned.classes.tolist()))
    return GaussianStar(learned.target, names, labels, leaves, {name: bits[name] for name in names})


def _table_information(table: Floats, prior: Floats) -> float:
    """I(Xi;Y) in bits of a table of log P(state | class)."""
    given = np.exp(table)
    bits = float((prior[:, None] * given * (table - np.log(prior @ given))).sum() / np.log(2))
    return max(bits, 0.0)


def ranked(star: GaussianStar, prior: Floats, n_rows: int) -> Trace:
    """Return the attributes ranked by I(Xi;Y); nothing is searched."""
    relevance = np.array(list((star.relevance or {}).values()))
    d, shares = len(relevance), prior[prior > 0]
    info = Information(
        n_rows=n_rows,
        class_entropy=float(-(shares * np.log2(shares)).sum()),
        entropies=np.full(d, np.nan),
        relevance=relevance,
        dependence=np.zeros((d, d)),
    )
    return naive(info, star.attributes, star.target)[1]


LEAST = 1e-300  # keeps the log of a share that is drawn as zero finite


class GaussianIntervals(Intervals):
    """Intervals from draws of the Gaussians and tables that a case touches."""

    model: GaussianNaiveBayes
    why_not = ""
    coverage = (
        "Of such intervals, 88 to 91 of 100 held the truth in simulations where the model was right; "
        "where it is not, the interval says less."
    )

    def of_case(self, known: Mapping[str, Any], level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the ends of the interval of every class, (k,) each, given plain values.

        The draws are the same for the same values.
        """
        return self.given(known, level)[1:]

    def given(self, known: Mapping[str, Any], level: float) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities of the classes, and the ends of their intervals, given plain values."""
        model, rng = self.model, np.random.default_rng(0)
        row, learned = model._row(known), model.learned_
        cells, states = model._split(model._read(row, reset=False))
        point = self._moved(model.posterior(model.predict_joint_log_proba(row))[0])
        fixed = model.priors is not None
        prior = drawn_prior(learned.class_weight, fixed, model.class_log_prior_, DRAWS, rng)
        scores = prior + drawn_densities(model._gaussians, learned.moments.weight, cells[0], DRAWS, rng)
        if len(states):
            scores = scores + drawn_tables(learned.tables, float(model.smoothing), states[:, 0], DRAWS, rng)
        scores = np.where(np.isneginf(scores.max(axis=0)), prior, scores)  # far from every class: the prior
        if self.shift is not None:
            scores = scores + self.shift[:, None]
        return point, *bounds(scores, point, level)


def drawn_densities(
    gaussians: Gaussians, weight: Floats, cells: Floats, n: int, rng: np.random.Generator
) -> Floats:
    """Return the log density of the known cells of a row under draws of the Gaussians, (k, n).

    Parameters
    ----------
    gaussians : Gaussians
        What was learned.
    weight : array (k, d)
        How many values it was learned from.
    cells : array (d,)
        The row; NaN where unknown.
    n : int
        How many draws.
    rng : Generator
        The source of chance.

    Examples
    --------
    >>> one = Gaussians(np.array([[1.0]]), np.array([[4.0]]))
    >>> many = drawn_densities(one, np.array([[1e9]]), np.array([3.0]), 100, np.random.default_rng(0))
    >>> many.shape, many.mean().round(3)  # log of the density of N(1, 4) at 3
    ((1, 100), np.float64(-2.112))
    """
    known = ~np.isnan(cells)
    rows = np.maximum(weight[:, known], 1.0)[..., None]
    freedom = np.maximum(rows - 1, 1.0)
    shape = (*rows.shape[:2], n)
    variance = (
        gaussians.variance[:, known, None] * rows / (2 * rng.standard_gamma(freedom / 2, shape) + LEAST)
    )
    mean = gaussians.mean[:, known, None] + np.sqrt(variance / rows) * rng.standard_normal(shape)
    with np.errstate(over="ignore"):  # so far away that the density is zero
        apart = (cells[known, None] - mean) / np.sqrt(variance)
        logs: Floats = -0.5 * (np.log(2 * np.pi * variance) + apart**2).sum(axis=1)
    return logs


def drawn_tables(
    tables: Sequence[Floats], smoothing: float, codes: Codes, n: int, rng: np.random.Generator
) -> Floats:
    """Return the log probability of the known states of a row under draws of the tables, (k, n) or zero.

    Parameters
    ----------
    tables : sequence of arrays (k, v)
        Counts.
    smoothing : float
        Imaginary rows of every table.
    codes : array (d,)
        The row; a code equal to the number of states is unknown.
    n, rng
        As in `drawn_densities`.

    Examples
    --------
    >>> counts = [np.array([[1e9, 3e9]])]
    >>> found = drawn_tables(counts, 2.0, np.array([0]), 5, np.random.default_rng(0))
    >>> found[0, 0].round(3)  # log of a quarter
    np.float64(-1.386)
    """
    total: Floats = np.zeros((1, n))
    for counts, code in zip(tables, codes.tolist(), strict=True):
        if code >= counts.shape[1]:
            continue
        own = counts[:, code] + smoothing / counts.shape[1]
        rest = counts.sum(axis=1) + smoothing - own
        share = rng.beta(np.maximum(own, LEAST), np.maximum(rest, LEAST), (n, len(own)))
        total = total + np.log(share + LEAST).T
    return total


def drawn_prior(rows: Floats, given: bool, log_prior: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Return the log of the class prior under draws, (k, n); one that was given stays as it is.

    A class without rows keeps its probability of zero.

    Examples
    --------
    >>> drawn_prior(np.array([5.0, 5.0]), True, np.log([0.2, 0.8]), 1, np.random.default_rng(0)).round(2)
    array([[-1.61],
           [-0.22]])
    """
    if given:
        return np.repeat(log_prior[:, None], n, axis=1)
    seen = (rows > 0)[:, None]
    drawn = np.where(seen, rng.standard_gamma(rows + 1.0, (n, len(rows))).T + LEAST, 0.0)
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(drawn / drawn.sum(axis=0))
    return logs


class GaussianNaiveBayes(ContinuousClassifier):
    """Gaussian naive Bayes: given the class, every measured column is a Gaussian of its own.

    Mean and variance are of maximum likelihood (Henriksen 2016) and equal scikit-learn's ``GaussianNB``.
    Categorical and boolean columns become tables beside the Gaussian leaves.

    Parameters
    ----------
    priors : array-like of shape (k,), optional
        Class priors; the shares of the classes in training when not given.
    var_smoothing : float
        This share of the largest variance of a column is added to every variance.
    smoothing : float
        For categorical columns: m imaginary rows spread evenly over the states (an m-estimate).

    Attributes
    ----------
    theta_, var_ : arrays (k, d)
        Mean and smoothed variance of every class and measured column.
    class_count_, class_prior_ : arrays (k,)
    epsilon_ : float
        What was added to every variance.
    structure_ : GaussianStar
    trace_ : Trace
    divergence_ : None
        The empirical divergence is not defined for densities.
    importance_ : DataFrame
    classes_, feature_names_in_, n_features_in_, missing_

    Notes
    -----
    A NaN cell is unknown: at training no estimate uses it, in a row to classify its factor is one. A class
    without any value in a measured column has the mean and variance of all rows there.
    A column that never varies carries no information about the class, whatever `var_smoothing`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> from pgm_nb.models.gaussian_naive_bayes import GaussianNaiveBayes
    >>> X, y = pnb.load_sample("iris")
    >>> model = GaussianNaiveBayes().fit(X, y)
    >>> mean, deviation = model.structure_.gaussians["petal width"][0]  # of setosa
    >>> round(mean, 3), round(deviation, 3)
    (0.244, 0.106)
    >>> model.score(X, y)
    0.96
    """

    _intervals: ClassVar[type[Intervals]] = GaussianIntervals
    about: ClassVar[About] = ContinuousClassifier.about.but(
        allowed={"var_smoothing": NOT_NEGATIVE, "smoothing": POSITIVE},
        short_name="gaussian",
        title="Gaussian naive Bayes",
        summary="Every attribute depends on the class alone; each measurement follows a bell curve in every "
        "class.",
        empty_cells="This model leaves empty cells out of its estimates and uses the rest of the row.",
        predicts_attributes=True,
        options=(
            Option(
                "smoothing",
                parse=float,
                metavar="M",
                flag_help="a number of imaginary rows spread over the states of each categorical column "
                "(default: 2)",
            ),
        ),
    )
    divergence_ = None

    def __init__(
        self, *, priors: ArrayLike | None = None, var_smoothing: float = 1e-9, smoothing: float = 2.0
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.smoothing = smoothing

    @whole_or_unfitted
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the Gaussians and tables from a table and its class labels.

        Parameters
        ----------
        X : DataFrame, array, polars or Arrow table of shape (n, d)
            Measured columns, and categorical or boolean ones.
        y : array-like of shape (n,)
            Class labels; the name of a Series names the class in the graph.
        sample_weight : array-like of shape (n,), optional
            Weight of every row: whole numbers as if it were repeated, or real ones.
        """
        self._learn(X, y, None, sample_weight)
        self._check_proper()
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from one more batch of rows; the first call must name all `classes`.

        The model is the one that `fit` learns from all batches together; states that come later are added.
        """
        first = not hasattr(self, "learned_")
        named = batch_classes(classes, None if first else self.classes_)
        if first:
            return self._learn(X, y, named, sample_weight)
        self.about.check(self)
        X, y, weights = written_out(X, y, sample_weight)
        table = self._read(X, reset=False)
        codes = codes_of(y, self.classes_, len(table))
        learned = grown(self.learned_, pd.DataFrame(table))
        cells, states = self._split(table, learned)
        absent = absent_cells(self.attribute_names_, learned.measured, cells, learned.encoder, states)
        missing = learned.missing + MissingReport.of("unknown", absent, len(table))
        learned = replace(learned, missing=missing)
        return self._remember(add_rows(learned, cells, states, codes, weights, float(self.var_smoothing)))

    def _learn(self, X: Any, y: Any, classes: NDArray[Any] | None, sample_weight: ArrayLike | None) -> Self:
        """Learn the columns and the first rows."""
        self.about.check(self)
        X, y, weights = written_out(X, y, sample_weight)
        table = self._read(X, reset=True, y=y)
        if classes is None:
            target, classes, codes = self._labels(X, y, len(table))
        else:
            target, codes = target_name(y, self.attribute_names_), codes_of(y, classes, len(table))
        check_priors(self.priors, classes)
        measured, cells, encoder, states = learn_columns(table)
        absent = absent_cells(self.attribute_names_, measured, cells, encoder, states)
        empty = nothing_learned(
            target,
            classes,
            self.attribute_names_ if hasattr(self, "feature_names_in_") else None,
            measured,
            encoder,
            MissingReport.of("unknown", absent, len(table)),
        )
        return self._remember(add_rows(empty, cells, states, codes, weights, self.var_smoothing))

    def _remember(self, learned: GaussianState) -> Self:
        """Set the fitted attributes; used by learning and by loading a saved model."""
        self.learned_ = learned
        self.classes_ = learned.classes
        self.missing_ = learned.missing
        self.class_count_ = learned.class_weight
        self.epsilon_ = learned.epsilon
        self.theta_, self.var_ = borrowed(learned)
        prior = check_priors(self.priors, learned.classes)
        self.class_prior_ = learned.class_weight / learned.class_weight.sum() if prior is None else prior
        shares = self.class_prior_
        self._logs: Floats = np.log(shares, out=np.full(len(shares), -np.inf), where=shares > 0)
        self._structure: GaussianStar | None = None
        self._estimate()
        return self

    def _estimate(self) -> None:
        """Set the Gaussians and tables that score rows, and what is wrong with them, if anything."""
        learned = self.learned_
        seen = learned.class_weight > 0
        variance, self._improper = proper(self.theta_, self.var_, seen, learned, self.attribute_names_)
        self._gaussians = Gaussians(self.theta_, variance)
        tables = tuple(np.log(m_estimate(counts, float(self.smoothing))) for counts in learned.tables)
        nothing = np.zeros(len(self.classes_))
        self._factors = Factors(nothing, tuple(range(len(tables))), (-1,) * len(tables), tables)

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self._logs

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Natural log of P(class) times the density of the known attributes, (n, k)."""
        cells, states = self._split(self._read(X, reset=False))
        self._check_proper()
        scores = log_densities(self._gaussians, cells)
        if len(states):
            scores += log_joint(self._factors, states)
        scores += self.class_log_prior_
        return scores

    def terms(self, X: Any) -> Terms:
        """Split scores into what every attribute adds to each class, in the order of `importance_`."""
        names = tuple(self.importance_["attribute"])
        place = {name: column for column, name in enumerate(self.attribute_names_)}
        logs = self._cell_logs(X)[:, [place[name] for name in names]]
        return Terms(names, tuple((name,) for name in names), self.class_log_prior_, logs)

    def _cell_logs(self, X: Any) -> Floats:
        """Log density or probability of every cell for each class, (n, d, k); zero where it is unknown."""
        cells, states = self._split(self._read(X, reset=False))
        self._check_proper()
        logs = np.zeros((len(cells), self.n_features_in_, len(self.classes_)))
        logs[:, list(self.learned_.measured)] = log_likelihoods(self._gaussians, cells)
        for column, table, codes in zip(
            self.learned_.encoder.columns, self._factors.tables, states, strict=True
        ):
            known = codes < column.card
            logs[known, self.attribute_names_.index(column.name)] = table[:, codes[known]].T
        return logs

    def predict(self, X: Any, prior: Prior = None) -> NDArray[Any]:
        """Most probable class of every row."""
        scores = self.predict_joint_log_proba(X)
        if prior is not None or np.isneginf(scores.max(axis=1)).any():  # too far from every class: the prior
            scores = self.log_posterior(scores, prior)
        labels: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return labels

    def _split(
        self, table: Floats | pd.DataFrame, learned: GaussianState | None = None
    ) -> tuple[Floats, Codes]:
        """Return the measured cells and the codes of the other columns, as at training."""
        learned = learned or self.learned_
        if not isinstance(table, pd.DataFrame):
            if not learned.encoder.columns:
                return table, NO_STATES
            table = pd.DataFrame(table, columns=list(self.attribute_names_))
        cells = stack_numbers(table, learned.measured)
        if not learned.encoder.columns:
            return cells, NO_STATES
        return cells, learned.encoder.encode(table[list(learned.encoder.names)])

    def _check_proper(self) -> None:
        if self._improper:
            raise DataError(self._improper)

    @property
    def structure_(self) -> GaussianStar:
        """The star with its Gaussian leaves; computed when first used."""
        check_is_fitted(self, "learned_")
        if self._structure is None:
            self._check_proper()
            tables = self._factors.tables
            self._structure = gaussian_star(
                self.learned_, self.attribute_names_, self._gaussians, tables, self.class_prior_
            )
        return self._structure

    @property
    def learned_tables(self) -> tuple[Floats, ...]:
        """Log P(state | class) of the columns that are not measured, in the order of its encoder."""
        return self._factors.tables

    def chart_svg(
        self,
        view: str,
        *,
        plane: tuple[str, str] | None = None,
        X: Any = None,
        y: Any = None,
        theme: str = "light",
    ) -> str:
        """Draw the bell curves of every measurement, the most informative first."""
        relevance = self.structure_.relevance or {}
        ranked = sorted(self.structure_.gaussians, key=lambda name: -relevance.get(name, 0.0))
        return self.structure_.densities_svg(ranked, theme)

    def state_tables(self, columns: Sequence[Column]) -> dict[str, Floats]:
        """P(state | class) of the attributes, each (k, states)."""
        return state_tables(self, columns)

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = super()._describe_attribute(name, mark)
        alone = f"It depends on {self.structure_.class_words(mark)} alone."
        return replace(found, sentences=(*found.sentences, alone), tables=(attribute_table(self, name),))

    @property
    def trace_(self) -> Trace:
        """The attributes ranked by I(Xi;Y) under the model; nothing is searched."""
        return ranked(self.structure_, self.class_prior_, self.missing_.n_rows)

    def _row_logs(self, row: Any) -> dict[str, Floats]:
        """Log-likelihood of every attribute of one row."""
        (logs,) = self._cell_logs(row)
        return dict(zip(self.attribute_names_, logs, strict=True))

    def _coded_columns(self) -> tuple[Column, ...]:
        return self.learned_.encoder.columns

    def _bell_curves(self) -> dict[str, list[tuple[float, float, float]]]:
        """Return weight, mean and deviation of every class, for each measured attribute."""
        prior, spread = self.class_prior_.tolist(), np.sqrt(self.var_)
        return {
            self.attribute_names_[place]: list(
                zip(prior, self.theta_[:, column].tolist(), spread[:, column].tolist(), strict=True)
            )
            for column, place in enumerate(self.learned_.measured)
        }

    def _pack(self) -> Packed:
        return pack(self.learned_, self.n_features_in_)

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        self.about.check(self)
        learned = unpack(description, arrays)
        self.n_features_in_ = int(description["n_columns"])
        if learned.named is not None:
            self.feature_names_in_ = np.array(learned.named, dtype=object)
        return self._remember(learned)


def attribute_table(model: GaussianNaiveBayes, name: str) -> DetailTable:
    """Return mean and standard deviation in each class, or how often each state occurs there."""
    structure = model.structure_
    if name in structure.gaussians:
        cells = tuple((f"{mean:.4g}", f"{sd:.3g}") for mean, sd in structure.gaussians[name])
        title = f"{name}, in its own unit"
        return DetailTable(title, structure.target, structure.classes, ("mean", "± spread"), cells)
    columns = model.learned_.encoder
    place = columns.names.index(name)
    return state_table(
        name,
        columns.columns[place].labels,
        structure.target,
        structure.classes,
        np.exp(model.learned_tables[place]),
    )


def state_tables(model: GaussianNaiveBayes, columns: Sequence[Column]) -> dict[str, Floats]:
    """P(state | class) of every attribute, (k, states); for a number, the area under each bell curve.

    Of a few numbers without intervals, each has the area that is nearest to it.
    """
    gaussians = model.structure_.gaussians
    tables = {}
    for column in columns:
        if column.name in gaussians:
            ends = np.array(column.cuts if column.cuts is not None else _middles(column))
            mean, deviation = np.array(gaussians[column.name]).T[:, :, None]
            below = ndtr((ends - mean) / deviation)
            tables[column.name] = np.diff(below, axis=1, prepend=0.0, append=1.0)
    words = [(c.name, state) for c in columns if c.name not in gaussians for state in c.states]
    if words:  # one row for each state, in which nothing else is known
        rows = pd.DataFrame(
            {n: [s if n == name else np.nan for name, s in words] for n in model.attribute_names_}
        )
        has_rows = np.isfinite(model.class_log_prior_)  # a class that no row has had is never the case
        prior = np.where(has_rows, model.class_log_prior_, 0.0)
        given_class = np.exp(model.predict_joint_log_proba(rows) - prior)
        for name in dict(words):  # compared as Python does: NumPy takes "\0" for an empty name
            tables[name] = given_class[[owner == name for owner, _ in words]].T
    return tables


def _middles(column: Column) -> list[float]:
    """Return the middle of every two neighbours among the numbers of a column."""
    return [(low + high) / 2 for low, high in pairwise(map(float, column.states))]
