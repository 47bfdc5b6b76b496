"""Credible intervals of models that are a forest given the class, by drawing their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pgm_nb.arrays import Codes, Flags, Floats
from pgm_nb.inference import Factors, Families, JunctionTree, posteriors
from pgm_nb.inference.class_parameters import ClassParameters
from pgm_nb.inference.credible import bounds, drawn_scores, drawn_terms
from pgm_nb.inference.table_draws import TableDraws, supposed
from pgm_nb.inference.table_posterior import TablePosterior
from pgm_nb.inference.terms import forest_terms
from pgm_nb.models.credible import DRAWS, LEVEL, Credible

if TYPE_CHECKING:
    from pgm_nb.data import Encoder
    from pgm_nb.models.table_state import TableState

__all__ = ["DrawnTables"]

NOTHING_FOUND = (
    "Training for the class found nothing better than the tables as counted; if attributes repeat each other "
    "all the same, this interval is too narrow."
)
HOLDS = 1.4  # how far training holds for some of the attributes is drawn so much wider; by simulation


class DrawnTables(Credible):
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

    chooses_links: ClassVar[bool]
    smoothing: Any
    structure: Any = None  # given by an expert, in models that take one
    learned_: TableState[Families]
    encoder_: Encoder
    factors_: Factors
    class_parameters_: ClassParameters | None
    _class_factors: Factors
    _table_draws: TableDraws | None = None

    if TYPE_CHECKING:

        def junction_tree(self) -> JunctionTree:
            """Return the joint distribution."""

        def class_posterior(self, tree: JunctionTree) -> Floats:
            """Return the posterior of the class."""

    @property
    def no_interval(self) -> str:
        """Why the model has no credible interval, in one sentence; empty if it has one."""
        if self.smoothing is None:
            return (
                "Tables without smoothing have no prior, so there is no credible interval; fit with a "
                "smoothing other than None."
            )
        return ""

    @property
    def about_interval(self) -> str:
        """How often intervals of 90% held the truth in simulations, in one sentence; empty without any."""
        if not self.chooses_links:
            return (
                "Of such intervals, 88 to 92 of 100 held the truth in simulations where the model was right; "
                "where it is not, the interval says less."
            )
        learned = "" if self.structure is not None else ", and 86 to 93 where links had to be learned"
        return (
            "Of such intervals, 87 to 92 of 100 held the truth in simulations where links were right"
            f"{learned}; where the model is wrong, the interval says less."
        )

    @property
    def interval_caution(self) -> str:
        """What is to be said beside every interval: that training found nothing, if it did not."""
        found = self.class_parameters_
        return NOTHING_FOUND if found is not None and not found.changes_something else ""

    def prepare_intervals(self) -> None:
        """Draw what the tables lean on, and find how sure training is."""
        found = self.class_parameters_
        if not self.no_interval:
            _ = self._draws.posterior.rows, found and found.spread

    def _interval(self, given: Mapping[str, Any], level: float) -> tuple[Floats, Floats, Floats]:
        tree = self.junction_tree().observe(given)
        return self.class_posterior(tree), *self.tree_interval(tree, level)

    def tree_interval(
        self, tree: JunctionTree, level: float = LEVEL, shift: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Return the ends of the interval of every class, (k,) each, given the evidence of a tree.

        The draws are the same for the same evidence. `shift` is what other base rates add to the log scores.
        """
        _ = tree.beliefs  # refuses impossible evidence
        stated = point = self.class_posterior(tree)
        with np.errstate(divide="ignore"):
            _, by_class = tree.log_likelihoods()
            if shift is not None:
                by_class = by_class + shift[:, None]
                point = posteriors((np.log(stated) + shift)[None], shift)[0]
        seen, found = supposed(point, DRAWS), self.class_parameters_
        if found is None or not found.changes_something:
            scores = self._generative_draws(tree, seen)
        else:
            scores = self._class_draws(found, tree, stated, seen)
        return bounds(scores + by_class, point, level)

    @property
    def _draws(self) -> TableDraws:
        counts = self.learned_.counts
        found = self._table_draws
        if found is None or found.posterior.families is not counts:
            found = self._table_draws = TableDraws(TablePosterior(counts), DRAWS)
        return found

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
        rank = {column: i for i, column in enumerate(self._class_factors.columns)}
        share = by_term[0][[rank[column] for column in self.factors_.columns]]
        states = [None if weight is None else np.flatnonzero(weight) for weight in weights]
        codes = self._certain(weights)
        if all(found is None or len(found) == 1 for found in states):
            plain = [None if found is None else int(found[0]) for found in states]
            prior, terms = drawn_terms(self._draws, plain)
            change = terms - forest_terms(self.factors_, codes)[0][:, :, None]
            moved = np.einsum("skn,s->kn", change, share)
        else:
            prior, evidence = drawn_scores(self._draws, weights)
            here = tree.beliefs.log_class[:, 0] - self.factors_.log_prior
            moved = (evidence - here[:, None]) * float(share[known].mean())
        number, most = max(1, sum(known)), float(parameters.known[-1])
        share_known = np.log(number) / np.log(most) if most > 1 else 1.0
        stretch = 1 + (parameters.spread - 1) * share_known
        moved = stretch * (moved + prior - self.factors_.log_prior[:, None])
        moved -= share_known * np.median(moved, axis=1, keepdims=True)
        by_class = forest_terms(self._class_factors, codes)
        moved += share_known * _weight_draws(parameters, by_class[0], rng)
        gained = parameters.gained(self._class_factors, codes, by_class)[0]
        open_still = HOLDS * np.sqrt(share_known * (1 - share_known))  # as of what holds or does not
        moved += open_still * gained[:, None] * rng.standard_normal(DRAWS)
        with np.errstate(divide="ignore"):
            trained = np.log(point)[:, None] + moved
        doubt = round(DRAWS * _doubt(parameters, int(self.learned_.counts.y.sum())))
        counted = self._generative_draws(tree, seen)[:, :doubt] if doubt else trained[:, :0]
        return np.concatenate([counted, trained[:, doubt:]], axis=1)

    def _certain(self, weights: Sequence[Floats | None]) -> Codes:
        """Return the evidence as a coded row, (d, 1); where several states are possible, none is known."""
        codes = np.array(self.encoder_.cards, dtype=np.uint16)[:, None]
        for column, weight in zip(self.factors_.columns, weights, strict=True):
            if weight is not None and np.count_nonzero(weight) == 1:
                codes[column] = weight.argmax()
        return codes


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
