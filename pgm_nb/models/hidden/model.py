"""Hidden naive Bayes and packaged hidden naive Bayes: mixtures over attributes in the place of a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from pgm_nb.allowed import FINITE
from pgm_nb.arrays import Floats
from pgm_nb.counts import Counts
from pgm_nb.explain.detail import Detail, ranked_shares
from pgm_nb.explain.explanation import Terms
from pgm_nb.models.about import About, Choice, Option, imaginary_rows, with_smoothing
from pgm_nb.models.hidden.mixtures import (
    Hierarchical,
    Mixtures,
    hidden_terms,
    log_scores,
    mixtures,
    potentials,
)
from pgm_nb.models.hidden.search import (
    Sweep,
    average_dependence,
    bags,
    best_threshold,
    hidden_parents,
    sweep,
    threshold_path,
)
from pgm_nb.models.inspection import Mark
from pgm_nb.models.table import HIERARCHICAL, TableClassifier
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.words import information, percent, plural

if TYPE_CHECKING:
    from pgm_nb.arrays import Codes
    from pgm_nb.data import Encoder
    from pgm_nb.explain.growth import Growth
    from pgm_nb.graphs import Bags, HiddenParents, StrongestParents
    from pgm_nb.information import Information
    from pgm_nb.models.table_state import TrainingRows

__all__ = ["HiddenClassifier", "HiddenNaiveBayes", "PackagedHiddenNaiveBayes"]

SMOOTHED = with_smoothing(
    "a number of imaginary rows spread over the states of every table (default: 1, as in the "
    "papers), or 'hierarchical' (every level of a table borrows from the one above, as far as the rows "
    "demand)",
)


class HiddenClassifier(TableClassifier[Counts]):
    """c(E) = argmax P(c) prod_i sum_j W_ij P(ai | aj, c); a subclass decides which j take part."""

    about: ClassVar[About] = TableClassifier.about.but(
        no_interval="Hidden naive Bayes has no credible interval: the same rows are counted in every part "
        "of its mixtures, so drawing its tables one by one would make it look surer than it is.",
        allowed=imaginary_rows(
            HIERARCHICAL, advice="hidden naive Bayes needs imaginary rows; the papers have 1.0"
        ),
        options=SMOOTHED,
        default_bins=5,
        no_divergence="not defined: the mixtures point both ways, so their product is not a joint "
        "distribution",
    )
    _statistics: ClassVar[type[Counts]] = Counts
    structure_: HiddenParents | StrongestParents
    trace_: Sweep

    def __init__(
        self,
        *,
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str = 1.0,
        missing: str = "state",
    ) -> None:
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)

    def _keep(self, counts: Counts, structure: Any, names: Sequence[str]) -> Counts:
        return counts

    def _estimate(self) -> None:
        column = {name: i for i, name in enumerate(self.encoder_.names)}
        weights = np.zeros((len(column), len(column)))
        for owner, bag in self.structure_.weights.items():
            for member, weight in bag.items():
                weights[column[owner], column[member]] = weight
        counts, smoothing = self.learned_.counts, self._smoothing(self.encoder_)
        tables = smoothing.levels(counts) if isinstance(smoothing, Hierarchical) else smoothing
        self.factors_: Mixtures = mixtures(counts, weights, tables, n_threads=None)

    def _smoothing(self, encoder: Encoder) -> float | Hierarchical:
        """Imaginary rows, or the hierarchy of tables; `allowed` refuses None."""
        if self.smoothing == HIERARCHICAL:
            return Hierarchical(tuple(column.n_ordered for column in encoder.columns))
        return float(cast("float", self.smoothing))

    def score_codes(self, codes: Codes) -> Floats:
        """Log score of coded rows, (n, k); an unknown attribute is left out of the mixtures."""
        return log_scores(self.factors_, codes)

    def coded_terms(self, codes: Codes) -> Terms:
        """Split scores by attribute, the most informative first."""
        column = {name: i for i, name in enumerate(self.encoder_.names)}
        names = tuple(self._by_relevance())
        values = hidden_terms(self.factors_, codes)[:, [column[name] for name in names]]
        attributes = tuple((name, *_heaviest_first(self.structure_.bag(name))) for name in names)
        return Terms(names, attributes, self.class_log_prior_, values)

    def _by_relevance(self) -> list[str]:
        relevance = self.structure_.relevance or {}
        return sorted(self.structure_.attributes, key=lambda name: -relevance[name])

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return self.factors_.log_prior

    def _describe_attribute(self, name: str, mark: Mark) -> Detail:
        """Add its hidden parent and its table to what every model knows about an attribute."""
        found = super()._describe_attribute(name, mark)
        structure = self.structure_
        bag, target = structure.bag(name), structure.class_words(mark)
        place = self.encoder_.names.index(name)
        table = states_by_class(self, name, np.exp(self.factors_.alone.tables[place]))
        threshold = getattr(structure, "threshold", None)
        if not bag:
            said = f"No other attribute shares enough information with it, so it depends on {target} alone."
        elif threshold is None:
            said = (
                f"Its hidden parent is a mixture of {plural(len(bag), 'other attribute')}, each weighted by "
                f"the information it shares with this one, given {target}."
            )
        else:
            said = (
                f"Its bag holds the {plural(len(bag), 'attribute')} sharing at least "
                f"{information(threshold, 2, scale=self.structure_.scale)} with it, given {target}."
            )
        mixed = (ranked_shares("Shares in its hidden parent", "attribute", "share", bag),) if bag else ()
        return replace(found, sentences=(*found.sentences, said), tables=(*mixed, table))

    def _describe_link(self, source: str, target: str, mark: Mark) -> str:
        share = self.structure_.bag(target).get(source, 0.0)
        return f"{mark(source)} has a share of {percent(share)} in the hidden parent of {mark(target)}."

    def _read_trace(self, record: Mapping[str, Any]) -> Sweep:
        return Sweep.from_dict(record)

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes by the information they carry about the class (gain, in bits), with their bags.

        `members` counts the contributors to the hidden parent, `strongest` is the one of largest weight W
        and `share` that weight. There is no KL divergence: the product of the mixtures is not a normalised
        joint distribution.
        """
        check_is_fitted(self)
        relevance = self.structure_.relevance or {}
        rows = []
        for name in self._by_relevance():
            bag = self.structure_.bag(name)
            strongest = max(bag, key=bag.__getitem__) if bag else None
            rows.append((name, relevance[name], len(bag), strongest, bag[strongest] if strongest else 0.0))
        return pd.DataFrame(rows, columns=["attribute", "gain", "members", "strongest", "share"])

    def growth_views(self, rows: bool) -> tuple[str, ...]:
        """Return the views that can show its growth."""
        return ("links", "bags") if "bags" in self.structure_.views else ("links",)

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Describe how links and bags form as the threshold falls."""
        from pgm_nb.models.hidden.growth import threshold_growth

        return threshold_growth(self, self.trace_, view, most)

    def _network(self, form: str | None) -> Any:
        """Compile to a Markov network of pgmpy with an explicit hidden variable per bag.

        Its class posterior given *all* attributes is this model's (pgmpy's VariableElimination returns it
        unnormalised). Given some attributes only, pgmpy sums the others out of the product of factors; this
        model leaves them out of the mixtures, and the two differ. See `docs/models.md`.
        """
        from pgm_nb.engine.pgmpy import to_markov_network

        variables = self.asked_variables()
        return to_markov_network(variables, potentials(self.factors_, variables))


def _heaviest_first(bag: Mapping[str, float]) -> list[str]:
    return sorted(bag, key=lambda name: -bag[name])


class HiddenNaiveBayes(HiddenClassifier):
    """Hidden naive Bayes (Jiang, Zhang, Cai 2009): each attribute has a hidden parent mixed from all others.

    P(ai | hidden parent, c) = sum_j W_ij P(ai | aj, c), W_ij = I(Ai;Aj|C) / sum_j I(Ai;Aj|C).

    Parameters
    ----------
    discretizer, n_bins, missing
        As in `NaiveBayes`, but 5 bins when `n_bins` is not given.
    smoothing : float or "hierarchical"
        A number m: P(c) = (n(c) + m/k) / (n + m) and P(ai | aj, c) = (n(c,ai,aj) + m/v_i) / (n(c,aj) + m).
        The default, 1, is the paper's. "hierarchical" estimates P(ai), P(ai | c) and P(ai | aj, c), each
        level borrowing from the one above, by a weight under which rows left out are most likely; P(c) is as
        with m = 1.

    Attributes
    ----------
    structure_ : HiddenParents
    trace_ : Sweep
    divergence_ : None
        The product of the mixtures is not a normalised joint distribution, so it has no KL divergence.
    importance_ : DataFrame
    classes_, feature_names_in_, n_features_in_, encoder_, missing_

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.HiddenNaiveBayes().fit(X, y)
    >>> {name: round(weight, 2) for name, weight in model.structure_.bag("petal width").items()}
    {'sepal length': 0.29, 'sepal width': 0.43, 'petal length': 0.28}
    """

    about: ClassVar[About] = HiddenClassifier.about.but(
        short_name="hnb",
        title="Hidden naive Bayes (HNB)",
        summary="Every attribute depends on the class and on a hidden parent, a mixture of all other "
        "attributes.",
    )

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[HiddenParents, Sweep]:
        return hidden_parents(info, names, target), Sweep("hidden", None)


class PackagedHiddenNaiveBayes(HiddenClassifier):
    """Packaged hidden naive Bayes (Ji, Yu, Zhang): hidden parents mixed from close attributes only.

    The bag of Ai holds the Aj with I(Ai;Aj|C) >= threshold, with the weights of `HiddenNaiveBayes` scaled
    up to one; an attribute without a bag depends on the class alone. A threshold below every I(Ai;Aj|C) gives
    hidden naive Bayes, one above them all naive Bayes.

    Parameters
    ----------
    threshold : {"average", "auto"} or float
        The mean of I(Ai;Aj|C) over all pairs; the value with the best cross-validated log-loss on the
        training rows; or a number of bits.
    discretizer, n_bins, smoothing, missing
        As in `HiddenNaiveBayes`.

    Attributes
    ----------
    structure_ : Bags
    threshold_ : float
        The threshold in bits.
    trace_ : Sweep
        Bags, their sizes and, with "auto", the validated scores as functions of the threshold.
    divergence_, importance_, classes_, feature_names_in_, n_features_in_, encoder_, missing_
        As in `HiddenNaiveBayes`.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> X, y = pnb.load_sample("iris")
    >>> model = pnb.PackagedHiddenNaiveBayes().fit(X, y)
    >>> list(model.structure_.bag("petal length")), round(model.threshold_, 3)
    (['sepal length'], 0.251)
    """

    about: ClassVar[About] = HiddenClassifier.about.but(
        allowed={
            **HiddenClassifier.about.allowed,
            "threshold": replace(FINITE, what="a number of bits", words=("average", "auto")),
        },
        short_name="phnb",
        title="Packaged hidden naive Bayes (PHNB)",
        summary="Every attribute depends on the class and on a hidden parent, a mixture of the attributes "
        "closest to it, its bag.",
        chooses_links=True,
        options=(
            Option(
                "threshold",
                "Bags",
                "How close two attributes must be, given the class, to be in each other's bags.",
                (
                    Choice(
                        "average", "Closer than average", "the bags of the paper", {"threshold": "average"}
                    ),
                    Choice(
                        "auto",
                        "Best in cross-validation",
                        "chosen on the training rows",
                        {"threshold": "auto"},
                    ),
                ),
                parse=float,
                metavar="BITS",
                flag_help="attributes that share at least this many bits are in each other's bags: "
                "'average' of all pairs (the default), 'auto' for the best log-loss in cross-validation, or "
                "a number",
            ),
            *HiddenClassifier.about.options,
        ),
    )
    structure_: Bags

    def __init__(
        self,
        *,
        threshold: str | float = "average",
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float | str = 1.0,
        missing: str = "state",
    ) -> None:
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)
        self.threshold = threshold

    @property
    def threshold_(self) -> float:
        """The threshold of the bags, in bits."""
        return cast("float", self.structure_.threshold)

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Bags, Sweep]:
        if isinstance(self.threshold, str):
            return self._packed(info, names, target, average_dependence(info.dependence))
        return self._packed(info, names, target, float(self.threshold))

    def _search(self, info: Information, counts: Counts, rows: TrainingRows) -> tuple[Bags, Sweep]:
        names, smoothing = rows.encoder.names, self._smoothing(rows.encoder)
        if self.threshold != "auto":
            return self._learn(info, names, rows.target)
        best, scores = best_threshold(rows.codes, rows.y, counts.cards, counts.n_classes, info, smoothing)
        return self._packed(info, names, rows.target, best, scores)

    def _packed(
        self,
        info: Information,
        names: Sequence[str],
        target: str,
        threshold: float,
        scores: tuple[Floats, Floats] | None = None,
    ) -> tuple[Bags, Sweep]:
        algorithm = self.threshold if isinstance(self.threshold, str) else "given"
        trace = sweep(info.dependence, algorithm, threshold, threshold_path(info.dependence), scores)
        return bags(info, names, target, threshold), trace
