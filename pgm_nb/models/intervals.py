"""How sure the probabilities of the class are: credible intervals, or why there are none."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from pgm_nb.allowed import Allowed
from pgm_nb.arrays import Codes, Flags, Floats
from pgm_nb.certainty.draws import TableDraws, TablePosterior, bounds, drawn_scores, drawn_terms, supposed
from pgm_nb.certainty.network_draws import KeptChains
from pgm_nb.engine.evidence import Evidence
from pgm_nb.engine.sums import posteriors
from pgm_nb.engine.sums import terms as attribute_terms
from pgm_nb.errors import QueryError
from pgm_nb.lazy import once
from pgm_nb.training.class_parameters import ClassParameters

if TYPE_CHECKING:
    from pgm_nb.engine.junction import JunctionTree
    from pgm_nb.models.forest import ForestClassifier
    from pgm_nb.models.table import TableClassifier

__all__ = ["DRAWS", "LEVEL", "CaseIntervals", "ForestIntervals", "Intervals", "credible_interval"]

LEVEL = 0.9  # of an interval, unless another is asked for
DRAWS = 400  # of the tables, for one interval
NOTHING_FOUND = (
    "Training for the class found nothing better than the tables as counted; if attributes repeat each other "
    "all the same, this interval is too narrow."
)
HOLDS = 1.4  # how far training holds for some of the attributes is drawn so much wider; by simulation


class Intervals:
    """Credible intervals of the probabilities of the class of a model; here of one that has none.

    Parameters
    ----------
    model : Classifier
        The fitted model.
    shift : array (k,), optional
        What the base rates of another population add to the log scores.
    """

    def __init__(self, model: Any, shift: Floats | None = None) -> None:
        self.model, self.shift = model, shift

    @property
    def coverage(self) -> str:
        """How often intervals of 90% held the truth in simulations, in one sentence; empty without any."""
        return ""

    @property
    def caution(self) -> str:
        """What is to be said beside every interval of this model, in one sentence; mostly nothing."""
        return ""

    @property
    def why_not(self) -> str:
        """Why the model has no credible interval, in one sentence; empty if it has one."""
        about = self.model.about
        return about.no_interval or (
            f"{about.title} has no credible interval: how unsure its numbers are together is known for naive "
            "Bayes, TAN, GNB, KDB, class trees and bell curves only."
        )

    def why_not_given(self, given: Mapping[str, Any]) -> str:
        """Why there is no interval given what is known, in one sentence; empty if there is one.

        A model that is no joint distribution has one for plain values only.
        """
        if self.why_not or self.model.about.is_joint:
            return self.why_not
        other = [name for name, value in given.items() if isinstance(value, Evidence | Mapping)]
        if not other:
            return ""
        return (
            f"{self.model.about.title} has a credible interval for plain values only, but {other[0]!r} is "
            f"given as {given[other[0]]}; give one value, or leave it out."
        )

    def prepare(self) -> None:
        """Draw what all intervals need, so that the first one does not wait for it; `rows_behind` does."""

    def given(self, known: Mapping[str, Any], level: float) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities of the classes, and the ends of their intervals, given evidence."""
        raise NotImplementedError

    def of_tree(self, tree: JunctionTree, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the ends given the evidence of a junction tree; asked only of a model that is joint."""
        raise NotImplementedError

    def of_case(self, known: Mapping[str, Any], level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the ends given plain values; asked only of a model that is not joint."""
        raise NotImplementedError

    def _moved(self, point: Floats) -> Floats:
        """Return the probabilities of the classes in the population asked about, (k,)."""
        if self.shift is None:
            return point
        with np.errstate(divide="ignore"):
            moved: Floats = posteriors((np.log(point) + self.shift)[None], self.shift)[0]
        return moved


def credible_interval(model: Any, given: Mapping[str, Any], level: float) -> pd.DataFrame:
    """Return the class, its probability and the ends of its interval; see `Classifier.credible_interval`."""
    check_is_fitted(model)
    between = Allowed(1e-9, 1 - 1e-9, "a number between 0 and 1", advice="0.9 is usual")
    between.check("level", level, QueryError)
    why_not = model.intervals_.why_not_given(given)
    if why_not:
        raise QueryError(why_not)
    target = str(model.structure_.target)
    names = [f"{name}_" if name == target else name for name in ("probability", "low", "high")]
    numbers = model.intervals_.given(given, level)
    return pd.DataFrame({target: model.classes_.tolist(), **dict(zip(names, numbers, strict=True))})


class ForestIntervals(Intervals):
    """Intervals from draws of the tables that the evidence touches.

    With parameters trained for the class, what the draws change in each term of the score is carried through
    the weight of the term. Weights and bias are drawn around what was learned, and the draws are stretched as
    far as tables learned without some of the rows differ more than draws would. Where the draws lie to one
    side of the tables, training made up for it: they are moved to lie around the trained scores. How far
    training holds for the part of the attributes that is known is drawn as well. How sure it is that training
    for the class was right at all is counted: as many of the draws come from the generative tables as the
    cross-validated log-loss of the two leaves open. The case counts as a row in these alone: without its
    class it says nothing about parameters that were trained to predict the class.
    """

    model: ForestClassifier

    @property
    def why_not(self) -> str:
        """Why the model has no credible interval, in one sentence; empty if it has one."""
        if self.model.smoothing is None:
            return (
                "Tables without smoothing have no prior, so there is no credible interval; fit with a "
                "smoothing other than None."
            )
        return ""

    @property
    def coverage(self) -> str:
        """How often intervals of 90% held the truth in simulations, in one sentence; empty without any."""
        if not self.model.about.chooses_links:
            return (
                "Of such intervals, 88 to 92 of 100 held the truth in simulations where the model was right; "
                "where it is not, the interval says less."
            )
        given = getattr(self.model, "structure", None) is not None
        learned = "" if given else ", and 86 to 93 where links had to be learned"
        return (
            "Of such intervals, 87 to 92 of 100 held the truth in simulations where links were right"
            f"{learned}; where the model is wrong, the interval says less."
        )

    @property
    def caution(self) -> str:
        """What is to be said beside every interval: that training found nothing, if it did not."""
        found = self.model.class_parameters_
        return NOTHING_FOUND if found is not None and not found.changes_something else ""

    def prepare(self) -> None:
        """Draw what the tables lean on, and find how sure training is."""
        found = self.model.class_parameters_
        if not self.why_not:
            _ = self._draws.posterior.rows, found and found.spread

    def given(self, known: Mapping[str, Any], level: float) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities of the classes, and the ends of their intervals, given evidence."""
        tree = self.model.junction_tree().observe(known)
        return self.model.class_posterior(tree), *self.of_tree(tree, level)

    def of_tree(self, tree: JunctionTree, level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the ends of the interval of every class, (k,) each, given the evidence of a tree.

        The draws are the same for the same evidence.
        """
        if self.shift is not None:
            tree = self.model.junction_tree().observe(tree.evidence)
        _ = tree.beliefs  # refuses impossible evidence
        stated = self.model.class_posterior(tree)
        point = self._moved(stated)
        with np.errstate(divide="ignore"):
            _, by_class = tree.log_likelihoods()
        if self.shift is not None:
            by_class = by_class + self.shift[:, None]
        seen, found = supposed(point, DRAWS), self.model.class_parameters_
        if found is None or not found.changes_something:
            scores = self._generative_draws(tree, seen)
        else:
            scores = self._class_draws(found, tree, stated, seen)
        return bounds(scores + by_class, point, level)

    @property
    def _draws(self) -> TableDraws:
        counts = self.model.learned_.counts
        return once(self.model, "draws", counts, lambda: TableDraws(TablePosterior(counts), DRAWS))

    def _generative_draws(self, tree: JunctionTree, seen: Flags) -> Floats:
        """Return log P(y, evidence) under draws of the tables, (k, n)."""
        prior, evidence = drawn_scores(self._draws, tree.attribute_likelihoods, seen)
        return prior + evidence

    def _class_draws(
        self, parameters: ClassParameters, tree: JunctionTree, point: Floats, seen: Flags
    ) -> Floats:
        """Return scores trained for the class under draws of the tables, (k, n)."""
        rng = np.random.default_rng(0)
        weights = tree.attribute_likelihoods
        known = [weight is not None for weight in weights]
        _, by_term, _ = parameters.at(np.array([sum(known)]))
        rank = {column: i for i, column in enumerate(self.model._class_factors.columns)}
        share = by_term[0][[rank[column] for column in self.model.factors_.columns]]
        states = [None if weight is None else np.flatnonzero(weight) for weight in weights]
        codes = self._certain(weights)
        if all(found is None or len(found) == 1 for found in states):
            plain = [None if found is None else int(found[0]) for found in states]
            prior, terms = drawn_terms(self._draws, plain)
            change = terms - attribute_terms(self.model.factors_, codes)[0][:, :, None]
            moved = np.einsum("skn,s->kn", change, share)
        else:
            prior, evidence = drawn_scores(self._draws, weights)
            here = tree.beliefs.log_class[0] - self.model.factors_.log_prior
            moved = (evidence - here[:, None]) * float(share[known].mean())
        number, most = max(1, sum(known)), float(parameters.known[-1])
        share_known = np.log(number) / np.log(most) if most > 1 else 1.0
        stretch = 1 + (parameters.spread - 1) * share_known
        moved = stretch * (moved + prior - self.model.factors_.log_prior[:, None])
        moved -= share_known * np.median(moved, axis=1, keepdims=True)
        by_class = attribute_terms(self.model._class_factors, codes)
        moved += share_known * _weight_draws(parameters, by_class[0], rng)
        gained = parameters.gained(self.model._class_factors, codes, by_class)[0]
        open_still = HOLDS * np.sqrt(share_known * (1 - share_known))  # as of what holds or does not
        moved += open_still * gained[:, None] * rng.standard_normal(DRAWS)
        with np.errstate(divide="ignore"):
            trained = np.log(point)[:, None] + moved
        doubt = round(DRAWS * _doubt(parameters, int(self.model.learned_.counts.y.sum())))
        counted = self._generative_draws(tree, seen)[:, :doubt] if doubt else trained[:, :0]
        return np.concatenate([counted, trained[:, doubt:]], axis=1)

    def _certain(self, weights: Sequence[Floats | None]) -> Codes:
        """Return the evidence as a coded row, (d, 1); where several states are possible, none is known."""
        codes = np.array(self.model.encoder_.cards, dtype=np.uint16)[:, None]
        for column, weight in zip(self.model.factors_.columns, weights, strict=True):
            if weight is not None and np.count_nonzero(weight) == 1:
                codes[column] = weight.argmax()
        return codes


class CaseIntervals(Intervals):
    """Intervals from the scores of a case under draws of the tables; unknown cells are summed out."""

    model: TableClassifier[Any]
    why_not = ""
    coverage = (
        "Of such intervals, 88 to 92 of 100 held the truth in simulations where the links were right, and up "
        "to 96 where there were more links than needed; where the model is wrong, the interval says less."
    )

    @property
    def _kept_chains(self) -> KeptChains:
        """What the tables borrow from, drawn once for all cases, until other rows are learned."""
        return once(self.model, "chains", self.model.learned_.counts, KeptChains)

    @abstractmethod
    def _drawn_case(self, states: list[int | None], seen: Flags) -> Floats:
        """Return the scores of a case under draws of the tables, (k, n).

        `states` holds the state of every column, `seen` the class that each draw counts the case in, (n, k).
        """

    def of_case(self, known: Mapping[str, Any], level: float = LEVEL) -> tuple[Floats, Floats]:
        """Return the ends of the interval of every class, (k,) each, given plain values.

        The draws are the same for the same values.
        """
        return self._ends(self.model._case_codes(known), level)[1:]

    def given(self, known: Mapping[str, Any], level: float) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities of the classes, and the ends of their intervals, given plain values."""
        return self._ends(self._given_codes(known), level)

    def _given_codes(self, given: Mapping[str, Any]) -> Codes:
        """Return evidence as a coded case, (d, 1); refuse what is none."""
        variables, codes = self.model.asked_variables(), self.model._case_codes({})
        place = {name: i for i, name in enumerate(self.model.encoder_.names)}
        for name, value in given.items():
            variable = variables.heard(name)
            if variable.is_unknown(value):
                continue
            if name == variables.target.name:
                raise QueryError(f"the class {name!r} is given, so there is nothing to ask; remove it")
            codes[place[name]] = variable.state(value)
        return codes

    def _states(self, codes: Codes) -> list[int | None]:
        """Return the state of every column of a coded case; None where it is unknown."""
        pairs = zip(codes[:, 0].tolist(), self.model.encoder_.cards, strict=True)
        return [code if code < card else None for code, card in pairs]

    def _ends(self, codes: Codes, level: float) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities of the classes given a coded case, (d, 1), and the ends."""
        point = self._moved(self.model.posterior(self.model.score_codes(codes))[0])
        scores = self._drawn_case(self._states(codes), supposed(point, DRAWS))
        if self.shift is not None:
            scores = scores + self.shift[:, None]
        return point, *bounds(scores, point, level)


def _weight_draws(parameters: ClassParameters, terms: Floats, rng: np.random.Generator) -> Floats:
    """Return what draws of the weights and the bias change in the scores, (k, n), given the terms (s, k)."""
    k = terms.shape[1]
    if not parameters.factor.size:
        return np.zeros((k, DRAWS))
    features = np.concatenate([terms, np.eye(k)])
    drawn: Floats = features.T @ (parameters.factor @ rng.standard_normal((len(features), DRAWS)))
    return drawn


def _doubt(parameters: ClassParameters, rows: int) -> float:
    """Return how probable it is that the generative tables predict the class better than what was trained.

    The odds are those of the rows left out in cross-validation.
    """
    losses = dict(parameters.path)
    if "generative" not in losses:
        return 0.0
    gain = (losses["generative"] - min(losses.values())) * rows * np.log(2)
    return float(1 / (1 + np.exp(min(gain, 700.0)))) if gain > 0 else 1.0
