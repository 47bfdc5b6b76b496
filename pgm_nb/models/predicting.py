"""What every model says about the class of rows: probabilities, also in another population, and decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.arrays import Floats
from pgm_nb.engine.questions import Prior, base_rate_shift, log_base_rates
from pgm_nb.engine.sums import normalise, posteriors
from pgm_nb.errors import QueryError
from pgm_nb.models.about import About
from pgm_nb.scoring.decisions import read_costs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Predicting", "check_meaning"]


class Predicting:
    """Predictions from joint log scores, which are all that a model must give."""

    about: ClassVar[About]
    classes_: NDArray[Any]

    if TYPE_CHECKING:

        @property
        def class_log_prior_(self) -> Floats:
            """Log of the class prior."""

        def predict_joint_log_proba(self, X: Any) -> Floats:
            """Return joint log scores."""

    def empty_as(self, meaning: str) -> Self:
        """Return the model to which an empty cell is unknown, or the state "missing"; here always unknown.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> model = pnb.GaussianNaiveBayes().fit(*pnb.load_sample("iris"))
        >>> model.empty_as("unknown") is model
        True
        """
        check_meaning(meaning)
        if meaning == "missing":
            raise QueryError(
                f"{self.about.title} has no state for an empty cell: an empty value is always unknown "
                "there; leave it so"
            )
        return self

    def predict_log_proba(self, X: Any, prior: Prior = None) -> Floats:
        """Log of the class posterior of every row, (n, k); `prior` as in `predict_proba`."""
        return self.log_posterior(self.predict_joint_log_proba(X), prior)

    def predict_proba(self, X: Any, prior: Prior = None) -> Floats:
        """Class posterior of every row, (n, k), columns as in `classes_`.

        Parameters
        ----------
        X : table
            The rows; an empty cell is unknown.
        prior : mapping of class to float, optional
            How common each class is where the rows come from, if that is not as in training: a share for
            every class, adding up to one. P'(y|x) is proportional to P(y|x) p'(y) / p(y), so the odds of two
            classes change by the same factor in every row. What the attributes say is taken to be the same in
            both populations. The rates that are replaced are those in training (`class_log_prior_`), also
            where parameters were trained for the class.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("wdbc")  # 37% are malignant
        >>> quintiles = {"discretizer": "quantile", "n_bins": 5, "smoothing": 1.0, "parameters": "generative"}
        >>> model = pnb.NaiveBayes(**quintiles).fit(X[["worst radius"]], y)
        >>> row = X[["worst radius"]].iloc[[40]]
        >>> print(model.predict_proba(row).round(3))
        [[0.848 0.152]]
        >>> print(model.predict_proba(row, prior={"benign": 0.99, "malignant": 0.01}).round(3))
        [[0.997 0.003]]
        """
        return self.posterior(self.predict_joint_log_proba(X), prior)

    def predict(self, X: Any, prior: Prior = None) -> NDArray[Any]:
        """Most probable class of every row; `prior` as in `predict_proba`."""
        best = np.argmax(self.predict_log_proba(X, prior), axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def decide(
        self,
        X: Any,
        costs: Mapping[Any, float] | pd.DataFrame,
        *,
        label: Any = None,
        prior: Prior = None,
    ) -> NDArray[Any]:
        """Decide for every row: the class of least expected cost.

        Parameters
        ----------
        X : table
            The rows; an empty cell is unknown.
        costs : mapping or DataFrame
            ``{"miss": 10, "false alarm": 1}``: what it costs to miss the class that counts, and to see it
            where it is not. Or ``{(true, decided): cost}`` for every pair of different classes (a right
            decision costs nothing unless it is given too). Or a table of costs, the true classes down and the
            decided ones across.
        label : object, optional
            The class that counts, for the first way of giving costs.
        prior : mapping of class to float, optional
            How common the classes are where the rows come from, as in `predict_proba`.

        Returns
        -------
        array
            A class for every row. With a miss and a false alarm it is `label` where its probability reaches
            false alarm / (false alarm + miss), else the most probable of the other classes. Of decisions that
            cost the same, the more probable class is taken.

        Examples
        --------
        >>> import pgm_nb as pnb
        >>> X, y = pnb.load_sample("wdbc")
        >>> quintiles = {"discretizer": "quantile", "n_bins": 5, "smoothing": 1.0, "parameters": "generative"}
        >>> model = pnb.NaiveBayes(**quintiles).fit(X[["worst radius"]], y)
        >>> row = X[["worst radius"]].iloc[[40]]  # malignant with 15%
        >>> print(model.predict(row), model.decide(row, {"miss": 10, "false alarm": 1}, label="malignant"))
        ['benign'] ['malignant']
        """
        check_is_fitted(self)
        found = read_costs(costs, self.classes_.tolist(), label)
        labels: NDArray[Any] = self.classes_[found.decide(self.predict_proba(X, prior))]
        return labels

    def log_posterior(self, log_scores: Floats, prior: Prior = None) -> Floats:
        """Return the log posterior that follows from joint log scores, (n, k)."""
        return normalise(*self._moved(log_scores, prior))

    def posterior(self, log_scores: Floats, prior: Prior = None) -> Floats:
        """Return the posterior that follows from joint log scores, (n, k)."""
        return posteriors(*self._moved(log_scores, prior))

    def _moved(self, log_scores: Floats, prior: Prior) -> tuple[Floats, Floats]:
        """Return scores and class prior as they are in another population, if one is asked about."""
        if prior is None:
            return log_scores, self.class_log_prior_
        shift = self.base_rate_shift(prior)
        return log_scores + shift, self.class_log_prior_ + shift

    def in_population(self, posterior: Floats, prior: Prior) -> Floats:
        """Return a posterior of the class, (k,), as it is where the classes have other base rates."""
        if prior is None:
            return posterior
        log_posterior = np.log(posterior, out=np.full(len(posterior), -np.inf), where=posterior > 0)
        moved: Floats = self.posterior(log_posterior[None], prior)[0]
        return moved

    def base_rate_shift(self, prior: Mapping[Any, float]) -> Floats:
        """Return what other base rates add to the log scores of the classes, (k,)."""
        check_is_fitted(self)
        classes = self.classes_.tolist()
        return base_rate_shift(self.class_log_prior_, log_base_rates(prior, classes), classes)


def check_meaning(meaning: str) -> None:
    """Refuse what an empty cell cannot mean.

    Examples
    --------
    >>> check_meaning("unknown")
    """
    if meaning not in ("unknown", "missing"):
        raise QueryError(f"an empty cell can be 'unknown' or 'missing', but not {meaning!r}")
