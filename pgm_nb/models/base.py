"""What the table models share: rows become codes, codes become counts, counts become a classifier."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from pgm_nb.counts import count
from pgm_nb.data import Encoder, MissingReport, as_frame, encode_target, learn_encoder
from pgm_nb.errors import DataError
from pgm_nb.graphs import CherryTree
from pgm_nb.inference import Families, estimate, estimate_unsmoothed, families, log_joint, normalise
from pgm_nb.inference.arrays import Floats, Places
from pgm_nb.information import Divergence, information, joint_entropy, kl_divergence, weight
from pgm_nb.learning import Trace, best_weight
from pgm_nb.models.questions import Questions

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from pgm_nb.graphs import Star, Tree
    from pgm_nb.information import Information

__all__ = ["Learned", "TableClassifier"]


@dataclass(frozen=True, eq=False)
class Learned:
    """All that `fit` learns; a saved model holds this and the parameters, nothing else."""

    target: str
    classes: np.ndarray
    encoder: Encoder
    families: Families
    structure: Star | Tree | CherryTree
    trace: Trace
    divergence: Divergence
    missing: MissingReport
    named: bool  #: the training table had column names of its own


class TableClassifier(Questions, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A classifier whose parameters are tables of counts along a tree given the class.

    A subclass says one thing only: which tree (`_learn`).
    """

    def __init__(
        self,
        *,
        discretizer: str | Mapping[str, Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | None = 2.0,
        missing: str = "state",
    ) -> None:
        self.discretizer = discretizer
        self.n_bins = n_bins
        self.smoothing = smoothing
        self.missing = missing

    @abstractmethod
    def _learn(
        self, info: Information, names: Sequence[str], target: str
    ) -> tuple[Star | Tree | CherryTree, Trace]:
        """Search the structure."""

    def fit(self, X: Any, y: Any) -> Self:
        """Learn bins, structure and parameters from a table and its class labels.

        Parameters
        ----------
        X : DataFrame, array, polars or Arrow table of shape (n, d)
            Numeric, categorical, boolean or ordered columns; NaN where a cell is missing.
        y : array-like of shape (n,)
            Class labels; the name of a Series names the class in the graph.

        Returns
        -------
        self
        """
        self._check_smoothing()
        frame = self._frame(X, reset=True, y=y)
        target = _target_name(y, [str(name) for name in frame.columns])
        labels = column_or_1d(y, warn=True)
        check_consistent_length(frame, labels)
        classes, y_codes = encode_target(labels)
        encoder, codes, kept, missing = learn_encoder(
            frame, y_codes, discretizer=self.discretizer, n_bins=self.n_bins, missing=self.missing
        )
        if kept is not None:
            y_codes = y_codes[kept]
            _check_classes_survive(classes, y_codes)

        counts = count(codes, y_codes, encoder.cards, len(classes))
        info = information(counts)
        structure, trace = self._learn(info, encoder.names, target)
        column = {name: i for i, name in enumerate(encoder.names)}
        attributes = [column[name] for name in structure.attributes]
        mothers = _mothers(structure, column)
        entropy = joint_entropy(codes, y_codes, encoder.cards)
        divergence = Divergence(
            kl=kl_divergence(info, entropy, mothers, attributes),
            weight=weight(info, mothers, attributes),
            weight_naive=weight(info, np.full(len(column), -1)),
            weight_best=best_weight(info),
            joint_entropy=entropy,
        )
        return self._remember(
            Learned(
                target=target,
                classes=classes,
                encoder=encoder,
                families=families(counts, attributes, mothers),
                structure=structure,
                trace=trace,
                divergence=divergence,
                missing=missing,
                named=hasattr(self, "feature_names_in_"),
            )
        )

    def _remember(self, learned: Learned) -> Self:
        """Set the fitted attributes; used by `fit` and by loading a saved model."""
        self.learned_ = learned
        self._junction_tree = None
        self.classes_ = learned.classes
        self.structure_ = learned.structure
        self.trace_ = learned.trace
        self.divergence_ = learned.divergence
        self.missing_ = learned.missing
        self.encoder_ = learned.encoder
        self.n_features_in_ = len(learned.encoder.names)
        if learned.named:
            self.feature_names_in_ = np.array(learned.encoder.names, dtype=object)
        if self.smoothing is None:
            self.factors_, self._repaired = estimate_unsmoothed(learned.families)
        else:
            self.factors_ = estimate(learned.families, float(self.smoothing))
        return self

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Natural log of P(class, known attributes) for every row and class, (n, k).

        With ``smoothing=None`` a row that every class gives zero is scored again with the repaired
        tables of Kovács et al. 2024.
        """
        check_is_fitted(self)
        codes = self.encoder_.encode(self._frame(X, reset=False))
        scores = log_joint(self.factors_, codes)
        if self.smoothing is None:
            impossible = np.isneginf(scores).all(axis=1)
            if impossible.any():
                scores[impossible] = log_joint(self._repaired, codes[:, impossible])
        return scores

    def predict_log_proba(self, X: Any) -> Floats:
        """Log of the class posterior of every row, (n, k)."""
        return normalise(self.predict_joint_log_proba(X), self.factors_.log_prior)

    def predict_proba(self, X: Any) -> Floats:
        """Class posterior of every row, (n, k), columns as in `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Most probable class of every row."""
        best = np.argmax(self.predict_log_proba(X), axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes in the order they joined: mother, gain, weight and KL so far, in bits."""
        check_is_fitted(self)
        steps = self.trace_.steps
        rows: list[tuple[str, str | None, float]] = []
        if steps[0].mother is not None:  # a first pair: its mother stands before it, with her own relevance
            alone = (self.structure_.relevance or {})[steps[0].mother]
            rows = [
                (steps[0].mother, None, alone),
                (steps[0].attribute, steps[0].mother, steps[0].gain - alone),
            ]
            steps = steps[1:]
        rows += [(step.attribute, step.mother, step.gain) for step in steps]
        table = pd.DataFrame(rows, columns=["attribute", "mother", "gain"])
        table["weight"] = table["gain"].cumsum()
        table["kl"] = self.divergence_.kl + self.divergence_.weight - table["weight"]
        return table

    def save(self, path: str | Path) -> None:
        """Write the model to one file that `pgm_nb.load` reads back: JSON and arrays, no pickle."""
        from pgm_nb.models.files import save

        check_is_fitted(self)
        save(self, path)

    def _frame(self, X: Any, *, reset: bool, y: Any = None) -> pd.DataFrame:
        """Turn what came in into a checked frame, and hold it against what `fit` saw."""
        if hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__"):
            frame = as_frame(X)
            if reset:
                validate_data(self, frame, y, skip_check_array=True)
            else:
                validate_data(self, frame, reset=False, skip_check_array=True)
            return frame
        checks = {"dtype": None, "ensure_all_finite": "allow-nan"}
        if reset:
            validate_data(self, X, y, skip_check_array=True)
        return as_frame(validate_data(self, X, reset=reset, **checks))

    def _check_smoothing(self) -> None:
        smoothing: object = self.smoothing
        if smoothing is None:
            return
        if not isinstance(smoothing, int | float | np.number) or not 0 < float(smoothing) < np.inf:
            raise DataError(
                f"smoothing must be a positive number or None, and is {smoothing!r}; "
                "2.0 is the default, None the unsmoothed rule of the paper"
            )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        if not hasattr(self, "learned_"):
            bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
            return bundle
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _repr_html_(self) -> str:
        from pgm_nb.models.card import card

        check_is_fitted(self)
        return card(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _mothers(structure: Star | Tree | CherryTree, column: Mapping[str, int]) -> Places:
    """Mother of each column, -1 for none.

    Smoothed tables depend on the root. TAN's is the most relevant attribute; a cherry tree's first
    pair has no direction of its own, so here too the more relevant of the two is the root.
    """
    mothers = np.full(len(column), -1, dtype=np.intp)
    for child, mother in structure.mothers.items():
        mothers[column[child]] = column[mother]
    if isinstance(structure, CherryTree) and len(structure.order) > 1:
        first, second = structure.order[:2]
        relevance = structure.relevance or {}
        if relevance[second] > relevance[first]:
            mothers[column[second]], mothers[column[first]] = -1, column[second]
    return mothers


def _target_name(y: Any, names: Sequence[str]) -> str:
    """Name of the class variable: the Series' own, else "class", kept apart from the attributes."""
    name = getattr(y, "name", None)
    target = str(name) if name is not None else "class"
    while target in names:
        target += "_"
    return target


def _check_classes_survive(classes: np.ndarray, y_codes: np.ndarray) -> None:
    lost = [str(classes[i]) for i in np.flatnonzero(np.bincount(y_codes, minlength=len(classes)) == 0)]
    if lost:
        raise DataError(
            f"every row of class {', '.join(lost)} has a missing cell, so dropping rows loses the class; "
            "use missing='state' or missing='mode'"
        )
