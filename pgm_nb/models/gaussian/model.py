"""Gaussian naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from sklearn.utils.validation import check_is_fitted

from pgm_nb.allowed import NOT_NEGATIVE, POSITIVE
from pgm_nb.arrays import Codes, Floats
from pgm_nb.data import Column, MissingReport
from pgm_nb.data.target import target_name
from pgm_nb.engine.questions import Prior
from pgm_nb.engine.sums import log_joint
from pgm_nb.errors import DataError
from pgm_nb.explain.detail import DetailTable, state_table
from pgm_nb.explain.explanation import Terms
from pgm_nb.graphs.star import GaussianStar
from pgm_nb.learning import Trace
from pgm_nb.models.about import About, Option
from pgm_nb.models.base import Packed, whole_or_unfitted
from pgm_nb.models.coded_rows import written_out
from pgm_nb.models.continuous import (
    ContinuousClassifier,
    batch_classes,
    check_priors,
    codes_of,
    stack_numbers,
)
from pgm_nb.models.gaussian.density import Gaussians, log_densities, log_likelihoods
from pgm_nb.models.gaussian.drawn import GaussianIntervals
from pgm_nb.models.gaussian.state import (
    NO_STATES,
    GaussianState,
    absent_cells,
    add_rows,
    borrowed,
    gaussian_star,
    grown,
    learn_columns,
    m_estimate,
    nothing_learned,
    pack,
    proper,
    ranked,
    unpack,
)
from pgm_nb.models.inspection import Mark
from pgm_nb.models.intervals import Intervals
from pgm_nb.tables.factors import Factors

if TYPE_CHECKING:
    from pgm_nb.explain.detail import Detail

__all__ = ["GaussianNaiveBayes", "attribute_table", "state_tables"]


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
    >>> from pgm_nb.models.gaussian.model import GaussianNaiveBayes
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
        owner = np.array([name for name, _ in words], dtype=object)
        tables |= {name: given_class[owner == name].T for name in dict(words)}
    return tables


def _middles(column: Column) -> list[float]:
    """Return the middle of every two neighbours among the numbers of a column."""
    return [(low + high) / 2 for low, high in pairwise(map(float, column.states))]
