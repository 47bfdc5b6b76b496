"""Averaged one-dependence estimators: AODE, and WAODE with weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from pgm_nb.allowed import Allowed, whole
from pgm_nb.arrays import Floats
from pgm_nb.counts import Counts
from pgm_nb.engine.variables import Potential
from pgm_nb.graphs import AveragedStars
from pgm_nb.learning import Trace, naive
from pgm_nb.models.about import About, Choice, Option, imaginary_rows, with_smoothing
from pgm_nb.models.averaged.scores import OneDependence, log_scores, potentials
from pgm_nb.models.inspection import Mark
from pgm_nb.models.table import TableClassifier
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.words import percent

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.arrays import Codes
    from pgm_nb.explain.detail import Detail
    from pgm_nb.information import Information

__all__ = ["AveragedOneDependence"]

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
