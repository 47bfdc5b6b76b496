"""A case in another population: a fitted model as it is where the classes are more or less common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Codes, Floats
from pgm_nb.engine.questions import base_rate_shift, log_base_rates, move_tree
from pgm_nb.engine.sums import posteriors
from pgm_nb.explain.cases import CaseAnalysis
from pgm_nb.explain.next_measurement import Measure, Prospects

if TYPE_CHECKING:
    from pgm_nb.engine.junction import JunctionTree
    from pgm_nb.explain.explanation import Terms
    from pgm_nb.tables.factors import Factors

__all__ = ["Population", "in_population"]


def in_population(analysis: CaseAnalysis, prior: Mapping[Any, float] | None) -> CaseAnalysis:
    """Return the analysis of cases that come from where the classes have these base rates.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("wdbc")
    >>> analysis = CaseAnalysis.of(pnb.NaiveBayes().fit(X, y), X)
    >>> rare = in_population(analysis, {"benign": 0.99, "malignant": 0.01})
    >>> rare.posterior({}).classes.round(6).tolist()
    [0.99, 0.01]
    """
    return analysis if prior is None else replace(analysis, model=Population(analysis.model, prior))


class Population:
    """A fitted model with other base rates of the class; all else is the model's own.

    Parameters
    ----------
    model : CaseModel
        The fitted model.
    prior : mapping of class to float
        How common each class is.
    """

    def __init__(self, model: Any, prior: Mapping[Any, float]) -> None:
        classes = model.classes_.tolist()
        self._model = model
        self._shift = base_rate_shift(model.class_log_prior_, log_base_rates(prior, classes), classes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the base rates."""
        prior: Floats = self._model.class_log_prior_ + self._shift
        return prior

    @property
    def potentials_(self) -> Factors:
        """Log tables that add up to the scores of complete rows."""
        own: Factors = self._model.potentials_
        return replace(own, log_prior=own.log_prior + self._shift)

    def case_scores(self, known: Any, varied: Any = None) -> Floats:
        """Joint log scores of one case or several."""
        scores: Floats = self._model.case_scores(known, varied) + self._shift
        return scores

    def case_terms(self, known: Any) -> Terms:
        """Return the scores of a case as a sum; the first addend is the base rate."""
        terms: Terms = self._model.case_terms(known)
        return replace(terms, prior=terms.prior + self._shift)

    def junction_tree(self) -> JunctionTree:
        """Return the joint distribution of this population."""
        return move_tree(self._model.junction_tree(), self._shift)

    def class_posterior(self, tree: JunctionTree) -> Floats:
        """Return the posterior of the class given the evidence of a tree of this population."""
        own = self._model.class_posterior(self._model.junction_tree().observe(tree.evidence))
        moved: Floats = self._moved(own[None])[1][0]
        return moved

    @property
    def intervals_(self) -> Any:
        """How sure the probabilities of the class are, in this population."""
        own = self._model.intervals_
        return type(own)(self._model, self._shift)

    def prospects(
        self,
        given: Mapping[str, Any] | None = None,
        X: Any = None,
        *,
        measures: Sequence[Measure] | None = None,
    ) -> Prospects:
        """Return what is not known of a case; values that go with common classes are more likely."""
        own: Prospects = self._model.prospects(given, X, measures=measures)

        def look(codes: Codes) -> tuple[Floats, Floats]:
            logs, stated = own.look(codes)
            more, moved = self._moved(stated)
            return logs + more, moved

        return replace(own, look=look)

    def _moved(self, stated: Floats) -> tuple[Floats, Floats]:
        """Return by how much more likely rows are here, in logs, (n,), and their posteriors here, (n, k)."""
        with np.errstate(divide="ignore"):
            scores = np.log(stated) + self._shift
        moved: Floats = posteriors(scores, self.class_log_prior_)
        return np.logaddexp.reduce(scores, axis=1), moved
