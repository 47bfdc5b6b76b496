"""Gaussian naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from pgm_nb.data import Encoder, encode_target
from pgm_nb.data.encode import Codes
from pgm_nb.data.names import listed
from pgm_nb.errors import DataError
from pgm_nb.graphs.gaussian import GaussianStar
from pgm_nb.inference import Factors, log_joint, normalise
from pgm_nb.inference.arrays import Floats, Places
from pgm_nb.inference.gaussian import (
    Gaussians,
    Moments,
    class_information,
    log_densities,
    log_likelihoods,
    moments,
)
from pgm_nb.information import Information
from pgm_nb.learning import Trace, naive
from pgm_nb.models.base import Packed, _target_name
from pgm_nb.models.continuous import (
    ContinuousClassifier,
    UnknownCells,
    check_priors,
    codes_of,
    missing_report,
    one_row,
    pack_classes,
    stack_numbers,
    unpack_classes,
)
from pgm_nb.models.gaussian_columns import (
    NO_STATES,
    Learned,
    absent_cells,
    both_reports,
    learn_columns,
    m_estimate,
    proper,
)

__all__ = ["GaussianNaiveBayes"]

_TINY = np.finfo(np.float64).tiny


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
    A NaN cell is unknown: at training no estimate uses it, in a row to classify its factor is one.
    A column that never varies says nothing about the class, whatever `var_smoothing`.

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

    short_name: ClassVar[str] = "gaussian"
    title: ClassVar[str] = "Gaussian naive Bayes"
    divergence_ = None

    def __init__(
        self, *, priors: ArrayLike | None = None, var_smoothing: float = 1e-9, smoothing: float = 2.0
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.smoothing = smoothing

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the Gaussians and tables from a table and its class labels.

        Parameters
        ----------
        X : DataFrame, array, polars or Arrow table of shape (n, d)
            Measured columns, and categorical or boolean ones.
        y : array-like of shape (n,)
            Class labels; the name of a Series names the class in the graph.
        sample_weight : array-like of shape (n,), optional
            Weight of every row.
        """
        self._learn(X, y, None, sample_weight)
        self._check_proper()
        return self

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from one more batch of rows; the first call must name all `classes`.

        As in scikit-learn, `var_smoothing` looks at one batch at a time, so its tiny share depends on the
        batches; with ``var_smoothing=0`` any batches give what `fit` gives. States of a
        categorical column must all occur, or be declared as pandas categories, in the first batch.
        """
        first = not hasattr(self, "learned_")
        if first and classes is None:
            raise DataError("classes must be passed on the first call to partial_fit: name all of them.")
        if first:
            return self._learn(X, y, encode_target(classes)[0], sample_weight)
        if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise DataError(
                f"classes={listed(np.asarray(classes).tolist())} differ from those of the first call to "
                f"partial_fit ({listed(self.classes_.tolist())}): name the same, or leave them out."
            )
        self._check_parameters()
        table = self._read(X, reset=False)
        codes = codes_of(y, self.classes_, len(table))
        cells, states = self._split(table)
        self._refuse_new_states(table, states)
        absent = absent_cells(self._names, self.learned_.measured, cells, self.learned_.encoder, states)
        missing = both_reports(self.learned_.missing, missing_report("unknown", absent, len(table)))
        return self._remember(
            self._add(replace(self.learned_, missing=missing), cells, states, codes, sample_weight)
        )

    def _learn(self, X: Any, y: Any, classes: NDArray[Any] | None, sample_weight: ArrayLike | None) -> Self:
        """Learn the columns and the first rows."""
        self._check_parameters()
        table = self._read(X, reset=True, y=y)
        if classes is None:
            target, classes, codes = self._labels(y, len(table))
        else:
            target, codes = _target_name(y, self._names), codes_of(y, classes, len(table))
        check_priors(self.priors, classes)
        measured, cells, encoder, states = learn_columns(table)
        k = len(classes)
        empty = Learned(
            target=target,
            classes=classes,
            named=self._names if hasattr(self, "feature_names_in_") else None,
            measured=measured,
            encoder=encoder,
            missing=missing_report(
                "unknown", absent_cells(self._names, measured, cells, encoder, states), len(table)
            ),
            class_weight=np.zeros(k),
            moments=Moments(*(np.zeros((k, len(measured))) for _ in range(3))),
            tables=tuple(np.zeros((k, card)) for card in encoder.cards),
            epsilon=0.0,
        )
        return self._remember(self._add(empty, cells, states, codes, sample_weight))

    def _add(
        self, learned: Learned, cells: Floats, states: Codes, codes: Places, sample_weight: ArrayLike | None
    ) -> Learned:
        """Add rows to what was learned."""
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, cells, dtype=np.float64, ensure_non_negative=True)
        k = len(learned.classes)
        batch = moments(cells, codes, k, weights)
        whole = batch.together() if weights is None else moments(cells, np.zeros_like(codes), 1)
        spread = whole.variance.max(initial=0.0)  # scikit-learn too leaves the weights out here
        tables = []
        for table, column in zip(learned.tables, states, strict=True):
            size = table.shape[1] + 1  # the last place is for unknown cells
            counted = np.bincount(codes * size + column, weights, minlength=k * size).reshape(k, size)
            tables.append(table + counted[:, :-1])
        epsilon = float(self.var_smoothing * spread)
        before = learned.moments
        if before.weight.any():  # scikit-learn takes off the new epsilon where it had added the old one
            drift = before.weight * (learned.epsilon - epsilon)
            before = Moments(before.weight, before.mean, before.squares + drift)
        return replace(
            learned,
            class_weight=learned.class_weight + np.bincount(codes, weights, minlength=k),
            moments=before + batch,
            tables=tuple(tables),
            epsilon=epsilon,
        )

    def _remember(self, learned: Learned) -> Self:
        """Set the fitted attributes; used by learning and by loading a saved model."""
        self.learned_ = learned
        self.classes_ = learned.classes
        self.missing_ = learned.missing
        self.class_count_ = learned.class_weight
        self.epsilon_ = learned.epsilon
        self.theta_ = learned.moments.mean
        self.var_ = learned.moments.variance + learned.epsilon
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
        variance, self._improper = proper(self.theta_, self.var_, seen, learned, self._names)
        self._gaussians = Gaussians(self.theta_, variance)
        tables = tuple(np.log(m_estimate(counts, float(self.smoothing))) for counts in learned.tables)
        nothing = np.zeros(len(self.classes_))
        self._factors = Factors(nothing, tuple(range(len(tables))), (-1,) * len(tables), tables)

    @property
    def _log_prior(self) -> Floats:
        return self._logs

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Natural log of P(class) times the density of the known attributes, (n, k)."""
        cells, states = self._split(self._read(X, reset=False))
        self._check_proper()
        scores = log_densities(self._gaussians, cells)
        if len(states):
            scores += log_joint(self._factors, states)
        scores += self._log_prior
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Most probable class of every row."""
        scores = self.predict_joint_log_proba(X)
        if np.isneginf(scores.max(axis=1)).any():  # a row beyond all measure gets the prior
            scores = normalise(scores, self._log_prior)
        labels: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return labels

    def _split(self, table: Floats | pd.DataFrame) -> tuple[Floats, Codes]:
        """Return the measured cells and the codes of the other columns, as at training."""
        learned = self.learned_
        if not isinstance(table, pd.DataFrame):
            if not learned.encoder.columns:
                return table, NO_STATES
            table = pd.DataFrame(table, columns=list(self._names))
        cells = stack_numbers(table, learned.measured)
        if not learned.encoder.columns:
            return cells, NO_STATES
        return cells, learned.encoder.encode(table[list(learned.encoder.names)])

    def _check_proper(self) -> None:
        if self._improper:
            raise DataError(self._improper)

    def _refuse_new_states(self, table: Floats | pd.DataFrame, states: Codes) -> None:
        for column, coded in zip(self.learned_.encoder.columns, states, strict=True):
            cells = pd.DataFrame(table)[column.name]
            new = cells[(coded == column.card) & cells.notna().to_numpy()]
            if len(new):
                raise DataError(
                    f"column {column.name!r} has a state that the first batch lacked ({new.iloc[0]!r}): "
                    "declare all states as pandas categories before the first call to partial_fit."
                )

    @property
    def structure_(self) -> GaussianStar:
        """The star with its Gaussian leaves; worked out when first asked for."""
        check_is_fitted(self, "learned_")
        if self._structure is None:
            self._check_proper()
            names, deviation = self._names, np.sqrt(self._gaussians.variance)
            leaves = {
                names[place]: tuple(zip(self.theta_[:, j].tolist(), deviation[:, j].tolist(), strict=True))
                for j, place in enumerate(self.learned_.measured)
            }
            bits = dict(zip(names, self._relevance().tolist(), strict=True))
            labels = tuple(map(str, self.classes_.tolist()))
            self._structure = GaussianStar(self.learned_.target, names, labels, leaves, bits)
        return self._structure

    def _relevance(self) -> Floats:
        """I(Xi;Y) in bits under the model, of every column in order."""
        prior = self.class_prior_
        bits = np.zeros(self.n_features_in_)
        bits[list(self.learned_.measured)] = class_information(self._gaussians, prior)
        for column, table in zip(self.learned_.encoder.columns, self._factors.tables, strict=True):
            given = np.exp(table)
            marginal = prior @ given
            told = float((prior[:, None] * given * (table - np.log(marginal))).sum() / np.log(2))
            bits[self._names.index(column.name)] = max(told, 0.0)
        return bits

    @property
    def trace_(self) -> Trace:
        """There is nothing to search: the attributes ranked by I(Xi;Y) under the model."""
        relevance = np.array(list((self.structure_.relevance or {}).values()))
        d, prior = len(relevance), self.class_prior_[self.class_prior_ > 0]
        told = Information(
            n_rows=self.missing_.n_rows,
            class_entropy=float(-(prior * np.log2(prior)).sum()),
            entropies=np.full(d, np.nan),
            relevance=relevance,
            dependence=np.zeros((d, d)),
        )
        return naive(told, self._names, self.learned_.target)[1]

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes by I(Xi;Y) under the model, in bits; the divergence `kl` is not defined."""
        return pd.DataFrame(
            [(step.attribute, None, step.gain, step.weight, np.nan) for step in self.trace_.steps],
            columns=["attribute", "mother", "gain", "weight", "kl"],
        )

    def to_pgmpy(self, row: Any) -> list[Any]:
        """Return one row as pgmpy factors over the class: the prior, then every attribute's likelihood.

        Parameters
        ----------
        row : mapping, Series or table of one row
            The attributes; NaN where unknown (a factor of ones).

        Returns
        -------
        list of DiscreteFactor
            Their normalised product is the posterior of `predict_proba`.
        """
        from pgm_nb.inference.row_factors import row_factors

        cells, states = self._split(self._read(one_row(row, self._names), reset=False))
        self._check_proper()
        logs = {self.learned_.target: self._log_prior}
        told = log_likelihoods(self._gaussians, cells)[0]
        parts = {self._names[place]: told[j] for j, place in enumerate(self.learned_.measured)}
        for column, table, code in zip(
            self.learned_.encoder.columns, self._factors.tables, states, strict=True
        ):
            parts[column.name] = table[:, code[0]] if code[0] < column.card else np.zeros(len(table))
        logs |= {name: parts[name] for name in self._names}
        return row_factors(self.learned_.target, list(map(str, self.classes_.tolist())), logs)

    def _pack(self) -> Packed:
        learned = self.learned_
        description = {
            "target": learned.target,
            "classes": pack_classes(learned.classes),
            "n_columns": self.n_features_in_,
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

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        self.n_features_in_ = int(description["n_columns"])
        named = description["named"]
        if named is not None:
            self.feature_names_in_ = np.array(named, dtype=object)
        encoder = Encoder.from_dict(description["encoder"])
        return self._remember(
            Learned(
                target=description["target"],
                classes=unpack_classes(description["classes"]),
                named=None if named is None else tuple(named),
                measured=tuple(description["measured"]),
                encoder=encoder,
                missing=UnknownCells(**description["missing"]),
                class_weight=arrays["class_weight"],
                moments=Moments(arrays["weight"], arrays["mean"], arrays["squares"]),
                tables=tuple(arrays[f"table{i}"] for i in range(len(encoder.columns))),
                epsilon=float(description["epsilon"]),
            )
        )

    def _check_parameters(self) -> None:
        for name, value, least in (
            ("var_smoothing", self.var_smoothing, 0),
            ("smoothing", self.smoothing, _TINY),
        ):
            if not isinstance(value, int | float | np.number) or not least <= float(value) < np.inf:
                must = "a positive number" if least else "a number that is not negative"
                raise DataError(f"{name} must be {must}, but is {value!r}.")
