"""Attribute-weighted naive Bayes: every attribute counts as much as prediction demands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize

from pgm_nb.allowed import POSITIVE
from pgm_nb.arrays import Floats, Places
from pgm_nb.explain.explanation import Terms
from pgm_nb.graphs import WeightedStar
from pgm_nb.learning import Trace, naive
from pgm_nb.models.about import TABLE_OPTIONS, About, Option, imaginary_rows
from pgm_nb.models.base import Packed
from pgm_nb.models.inspection import Mark
from pgm_nb.models.table import BACKOFF, HIERARCHICAL, TableClassifier
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.tables.factors import Factors, estimate, estimate_backoff
from pgm_nb.tables.families import Families, families
from pgm_nb.tables.hierarchical import estimate_hierarchical

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes
    from pgm_nb.explain.detail import Detail
    from pgm_nb.graphs import Star
    from pgm_nb.information import Information
    from pgm_nb.models.table_state import TrainingRows

__all__ = ["AttributeWeightedNaiveBayes", "class_weights"]

NEWTON_STEPS, CLOSE = 20, 1e-13  # after a rough search, and how small the last step is

PENALTY = Option(
    "penalty",
    parse=float,
    metavar="P",
    flag_help="how strongly weights are pulled towards one (default: 1)",
)


class AttributeWeightedNaiveBayes(TableClassifier[Families]):
    """WANBIA (Zaidi, Cerquides, Carman, Webb 2013): P(y) prod P(xi | y)^wi, the weights from the class.

    The tables are those of naive Bayes. The weights wi >= 0 maximise the conditional log-likelihood of the
    class in the training rows, less `penalty` / 2 sum (wi - 1)^2. The paper has no such pull; without it
    weights of classes that can be told apart perfectly would grow without end. A weight of 0 leaves an
    attribute out, 1 everywhere is naive Bayes. It stays a star whose points add up, so its nomogram is valid.
    An unknown attribute is left out.

    Parameters
    ----------
    penalty : float
        How strongly weights are pulled towards one.
    discretizer, n_bins, missing
        As in `NaiveBayes`.
    smoothing : "hierarchical", "backoff" or float
        As in `NaiveBayes`.

    Attributes
    ----------
    weights_ : dict of str to float
        What every attribute's table counts.
    structure_ : WeightedStar
    divergence_ : None
    trace_, importance_, classes_, feature_names_in_, n_features_in_, encoder_, missing_
        As in `NaiveBayes`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.AttributeWeightedNaiveBayes(n_bins=5, smoothing=1.0).fit(X, y)
    >>> {name: round(weight, 1) for name, weight in model.weights_.items()}
    {'sepal length': 0.0, 'sepal width': 0.9, 'petal length': 0.9, 'petal width': 0.8}
    """

    about: ClassVar[About] = TableClassifier.about.but(
        allowed={
            **imaginary_rows(HIERARCHICAL, BACKOFF, advice="attribute weights need tables without zeros"),
            "penalty": replace(POSITIVE, low=1e-6),  # with less, equal columns share weights in no single way
        },
        short_name="wanb",
        title="Attribute-weighted naive Bayes",
        brief="Weighted NB",
        summary="Every attribute depends on the class alone and counts as much as prediction demands.",
        options=(PENALTY, *TABLE_OPTIONS),
        has_nomogram=True,
        no_divergence="not defined: tables that count more or less than once are no distribution",
    )
    _statistics: ClassVar[type[Families]] = Families
    _searches_pairs: ClassVar[bool] = False
    structure_: WeightedStar
    weights_: dict[str, float]

    def __init__(
        self,
        *,
        penalty: float = 1.0,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str = HIERARCHICAL,
        missing: str = "state",
    ) -> None:
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)
        self.penalty = penalty

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Star, Trace]:
        return naive(info, names, target)

    def _keep(self, counts: Any, structure: Any, names: Sequence[str]) -> Families:
        return families(counts, range(len(names)), np.full(len(names), -1))

    def _estimate(self) -> None:
        counts = self.learned_.counts
        if self.smoothing == HIERARCHICAL:
            ordered = tuple(self.encoder_.columns[column].n_ordered for column in counts.columns)
            self.factors_ = estimate_hierarchical(counts, ordered)
        elif isinstance(self.smoothing, str):
            self.factors_ = estimate_backoff(counts)
        else:
            self.factors_ = estimate(counts, float(self.smoothing or 1.0))
        self._weigh_tables(np.ones(len(counts.columns)))

    def _weigh_tables(self, weights: Floats) -> None:
        """Set the weights, in column order."""
        self.weights_ = dict(zip(self.encoder_.names, weights.tolist(), strict=True))
        star = self.structure_
        self.structure_ = WeightedStar(star.target, star.attributes, star.relevance, self.weights_)
        self._weighted = tuple(w * table for w, table in zip(weights, self.factors_.tables, strict=True))

    def _train(self, rows: TrainingRows) -> None:
        whole = np.vstack([rows.y[None], rows.codes])
        (y, *codes), times = np.unique(whole, axis=1, return_counts=True)  # in any order of the rows the same
        logs = np.stack([table[:, code] for table, code in zip(self.factors_.tables, codes, strict=True)])
        self._weigh_tables(class_weights(self.factors_.log_prior, logs, y, float(self.penalty), times))

    @property
    def potentials_(self) -> Factors:
        """Log tables that add up to the scores of complete rows."""
        return replace(self.factors_, tables=self._weighted)

    def score_codes(self, codes: Codes) -> Floats:
        """Log score of coded rows, (n, k); an unknown attribute adds nothing."""
        scores = np.repeat(self.factors_.log_prior[None], codes.shape[1], axis=0)
        for code, table in zip(codes, self._with_unknown(), strict=True):
            scores += table[code]
        return scores

    def _with_unknown(self) -> list[Floats]:
        """Return every weighted table as (v + 1, k), the last line zero."""
        return [np.vstack([table.T, np.zeros(len(table))]) for table in self._weighted]

    def coded_terms(self, codes: Codes) -> Terms:
        """Split scores by attribute, the most informative first."""
        names = tuple(self.importance_["attribute"])
        tables, column = self._with_unknown(), {name: i for i, name in enumerate(self.encoder_.names)}
        values = np.stack([tables[column[name]][codes[column[name]]] for name in names], axis=1)
        return Terms(names, tuple((name,) for name in names), self.class_log_prior_, values)

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self.factors_.log_prior

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes by the information they carry about the class, and how many times each counts."""
        table = super().importance_
        return table.assign(counts=table["attribute"].map(self.weights_))

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        found = super()._describe_attribute(name, mark)
        place = self.encoder_.names.index(name)
        table = states_by_class(self, name, np.exp(self.factors_.tables[place]))
        said = f"In the probability of {self.structure_.class_words(mark)}, its table counts "
        times = f"{self.weights_[name]:.2f} times; in naive Bayes every table counts once."
        return replace(found, sentences=(*found.sentences, said + times), tables=(table,))

    def _network(self, form: str | None) -> Any:
        """Compile to a Markov network of pgmpy with one factor P(xi | y)^wi per attribute.

        Its class posterior given all attributes is this model's.
        """
        from pgm_nb.engine.pgmpy import to_markov_network
        from pgm_nb.training.class_parameters import markov_potentials

        variables = self.asked_variables()
        return to_markov_network(variables, markov_potentials(self.potentials_, variables))

    def _pack(self) -> Packed:
        description, arrays = super()._pack()
        return description, arrays | {"weights": np.array(list(self.weights_.values()))}

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        from pgm_nb.arrays import stored

        super()._unpack(description, arrays)
        size = (len(self.encoder_.names),)
        self._weigh_tables(stored(arrays, "weights", size, "numbers", least=0))
        return self


def class_weights(
    log_prior: Floats, logs: Floats, y: Places, penalty: float = 1.0, times: Places | None = None
) -> Floats:
    """Weights w >= 0 that maximise sum log P(y | x) - penalty / 2 sum (w - 1)^2.

    Parameters
    ----------
    log_prior : array (k,)
        log P(y).
    logs : array (d, k, n)
        log P(xi | y) of every row.
    y : array (n,)
        The classes.
    penalty : float
        Strength of the pull towards one; positive, so that the maximum is unique.
    times : array (n,), optional
        How often each row occurs; by default once.

    Examples
    --------
    >>> logs = np.log(np.array([[[0.9, 0.9, 0.1], [0.1, 0.1, 0.9]], [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]]))
    >>> class_weights(np.log([0.5, 0.5]), logs, np.array([0, 0, 1])).round(2)  # the second says nothing
    array([1.33, 1.  ])
    """
    line, n = np.arange(len(y)), np.ones(len(y)) if times is None else times.astype(float)
    ratios = logs - logs[:, y, line][:, None]  # log P(xi | other) - log P(xi | true), (d, k, n)
    base = log_prior[:, None] - log_prior[y]

    def chances(weights: Floats) -> tuple[Floats, Floats]:
        scores = base + np.einsum("d,dkn->kn", weights, ratios)
        top = scores.max(axis=0)
        found = np.exp(scores - top)
        total = found.sum(axis=0)
        return found / total, np.log(total) + top

    def loss(weights: Floats) -> tuple[float, Floats]:
        share, lost = chances(weights)
        value = float(lost @ n + penalty / 2 * ((weights - 1) ** 2).sum())
        return value, np.einsum("kn,dkn->d", share * n, ratios) + penalty * (weights - 1)

    found = minimize(
        loss, np.ones(len(logs)), jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * len(logs)
    ).x
    for _ in range(NEWTON_STEPS):  # to the last digits, whatever the order of the columns
        share, _ = chances(found)
        slope = np.einsum("kn,dkn->d", share * n, ratios) + penalty * (found - 1)
        free = (found > 0) | (slope < 0)
        part = ratios[free]
        mean = np.einsum("kn,dkn->dn", share, part)
        curve = np.einsum("dkn,kn,ekn->de", part, share * n, part, optimize=True)
        curve += penalty * np.eye(len(part)) - np.einsum("dn,n,en->de", mean, n, mean, optimize=True)
        step = np.linalg.solve(curve, slope[free])
        found[free] = np.maximum(found[free] - step, 0.0)
        if not len(step) or np.abs(step).max() < CLOSE:
            break
    weights: Floats = found
    return weights
