"""Hidden naive Bayes and packaged hidden naive Bayes: mixtures over attributes in the place of a tree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from pgm_nb.allowed import FINITE
from pgm_nb.arrays import MOST_BITS, Floats, revived
from pgm_nb.counts import Counts, count
from pgm_nb.counts.kernels import in_threads, thread_count
from pgm_nb.engine.sums import normalise
from pgm_nb.explain.detail import Detail, ranked_shares
from pgm_nb.explain.explanation import Terms
from pgm_nb.graphs import Bags, HiddenParents
from pgm_nb.information import conditional_mutual_information
from pgm_nb.models.about import About, Choice, Option, imaginary_rows, with_smoothing
from pgm_nb.models.hidden.mixtures import (
    Hierarchical,
    Mixtures,
    hidden_terms,
    log_scores,
    mixtures,
    pair_sums,
    potentials,
    sum_of_logarithms,
    use_compiled,
)
from pgm_nb.models.inspection import Mark
from pgm_nb.models.table import HIERARCHICAL, TableClassifier
from pgm_nb.models.table_detail import states_by_class
from pgm_nb.words import information, percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from pgm_nb.arrays import Codes, Places
    from pgm_nb.data import Encoder
    from pgm_nb.explain.growth import Growth, Story
    from pgm_nb.graphs import StrongestParents
    from pgm_nb.information import Information
    from pgm_nb.models.table_state import TrainingRows

__all__ = [
    "HiddenClassifier",
    "HiddenNaiveBayes",
    "PackagedHiddenNaiveBayes",
    "Setting",
    "Sweep",
    "average_dependence",
    "bags",
    "folds",
    "hidden_parents",
    "parent_weights",
    "sweep",
    "threshold_path",
    "validate_thresholds",
]

MOST_THRESHOLDS = 100  # a longer path is thinned out to this many
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Setting:
    """The bags at one threshold; the scores are None where nothing was validated.

    Examples
    --------
    >>> Setting(0.1, in_bags=3, mean_size=2.0).log_loss is None
    True
    """

    threshold: float  #: bits
    in_bags: int  #: attributes that have a bag; the others are in the one bag NB
    mean_size: float  #: members per bag
    log_loss: float | None = None  #: bits per row, cross-validated on the training rows
    accuracy: float | None = None  #: cross-validated on the training rows


@dataclass(frozen=True)
class Sweep:
    """The trace of a threshold: how bags and scores change with it, and which one was chosen.

    Examples
    --------
    >>> story = Sweep("average", 0.1, (Setting(0.0, 3, 2.0), Setting(0.1, 2, 1.0)))
    >>> story.to_frame()["mean_size"].tolist()
    [2.0, 1.0]
    >>> Sweep.from_dict(story.to_dict()) == story
    True
    """

    algorithm: str
    threshold: float | None  #: bits; None when every attribute takes part
    settings: tuple[Setting, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row per threshold, from the lowest (hidden naive Bayes) to the highest (naive Bayes)."""
        import pandas as pd

        names = [field.name for field in fields(Setting)]
        return pd.DataFrame([asdict(setting) for setting in self.settings], columns=names)

    def story(self, dependence: Floats, names: Sequence[str], title: str, target: str) -> Story:
        """Describe how the bags fill as the threshold falls; `dependence` is I(Xi;Xj|Y) in bits, (d, d)."""
        from pgm_nb.models.hidden.growth import sweep_story

        return sweep_story(dependence, names, self, title, target)[0]

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe form; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Sweep:
        """Read what `to_dict` wrote."""
        found: Sweep = revived(cls, data, MOST_BITS)
        return found


def parent_weights(dependence: Floats, threshold: float = -math.inf) -> Floats:
    """W_ij = I(Ai;Aj|C) / sum_j I(Ai;Aj|C) over the bag {j : I(Ai;Aj|C) >= threshold}, (d, d).

    A row of zeros is an attribute without a bag. What shares nothing with Ai has no weight at any threshold.

    Examples
    --------
    >>> dependence = np.array([[0.0, 0.75, 0.25], [0.75, 0.0, 0.0], [0.25, 0.0, 0.0]])
    >>> parent_weights(dependence).tolist()
    [[0.0, 0.75, 0.25], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    >>> parent_weights(dependence, threshold=0.5).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    kept = np.where(dependence >= threshold, dependence, 0.0)
    totals = kept.sum(axis=1, keepdims=True)
    weights: Floats = np.divide(kept, totals, out=np.zeros_like(kept), where=totals > 0)
    return weights


def average_dependence(dependence: Floats) -> float:
    """Mean of I(Ai;Aj|C) over all pairs, the same in any order of the columns; zero for a single column.

    Examples
    --------
    >>> average_dependence(np.array([[0.0, 0.5, 0.25], [0.5, 0.0, 0.75], [0.25, 0.75, 0.0]]))
    0.5
    """
    pairs = _pairs(dependence)
    return math.fsum(pairs) / len(pairs) if len(pairs) else 0.0


def threshold_path(dependence: Floats) -> Floats:
    """Thresholds from which to choose, ascending: the distinct I(Ai;Aj|C), and one above them all.

    More than a hundred are thinned out to quantiles.

    Examples
    --------
    >>> threshold_path(np.array([[0.0, 0.3, 0.1], [0.3, 0.0, 0.1], [0.1, 0.1, 0.0]])).round(3).tolist()
    [0.1, 0.3, 0.3]
    """
    values = np.unique(_pairs(dependence))
    if len(values) == 0:
        return np.zeros(1)
    if len(values) > MOST_THRESHOLDS:
        places = np.linspace(0, len(values) - 1, MOST_THRESHOLDS).round().astype(np.intp)
        values = values[places]
    return np.append(values, np.nextafter(values[-1], np.inf))


def sweep(
    dependence: Floats,
    algorithm: str,
    threshold: float,
    path: Floats,
    scores: tuple[Floats, Floats] | None = None,
) -> Sweep:
    """Return the bags at every threshold of a path, with its (log-loss, accuracy) where known."""
    settings = []
    for place, value in enumerate(path.tolist()):
        sizes = np.count_nonzero(parent_weights(dependence, value), axis=1)
        in_bags = int(np.count_nonzero(sizes))
        mean_size = float(sizes.sum() / in_bags) if in_bags else 0.0
        known = () if scores is None else (float(scores[0][place]), float(scores[1][place]))
        settings.append(Setting(value, in_bags, mean_size, *known))
    return Sweep(algorithm, threshold, tuple(settings))


def hidden_parents(information: Information, names: Sequence[str], target: str) -> HiddenParents:
    """HNB: every attribute has a hidden parent made of all others (Jiang, Zhang, Cai 2009)."""
    return HiddenParents(
        target,
        tuple(names),
        _by_name(names, parent_weights(information.dependence)),
        dict(zip(names, information.relevance.tolist(), strict=True)),
    )


def bags(information: Information, names: Sequence[str], target: str, threshold: float) -> Bags:
    """PHNB: a hidden parent of the close ones only, at least `threshold` bits (Ji, Yu, Zhang)."""
    return Bags(
        target,
        tuple(names),
        _by_name(names, parent_weights(information.dependence, threshold)),
        dict(zip(names, information.relevance.tolist(), strict=True)),
        threshold,
    )


def _by_name(names: Sequence[str], weights: Floats) -> dict[str, dict[str, float]]:
    return {
        names[i]: {names[j]: float(weights[i, j]) for j in np.flatnonzero(weights[i]).tolist()}
        for i in range(len(names))
        if weights[i].any()
    }


def _pairs(dependence: Floats) -> Floats:
    return dependence[np.triu_indices(len(dependence), 1)]


def best_threshold(
    codes: Codes,
    y: Places,
    cards: tuple[int, ...],
    n_classes: int,
    info: Information,
    smoothing: float | Hierarchical,
) -> tuple[float, tuple[Floats, Floats]]:
    """Return the threshold with the least cross-validated log-loss, and the scores of the whole path.

    Parameters
    ----------
    codes, y, cards, n_classes, smoothing
        As in `validate_thresholds`.
    info : Information
        Of the same rows; its dependence gives the path.
    """
    path = threshold_path(info.dependence)
    order = np.argsort(-info.relevance, kind="stable")  # the same folds for any order of the columns
    scores = validate_thresholds(codes, y, cards, n_classes, path, smoothing, folds(codes, y, order))
    best = len(path) - 1 - int(np.argmin(scores[0][::-1]))  # ties: the smaller bags
    return float(path[best]), scores


def folds(codes: Codes, y: Places, order: Sequence[int] | Places, n_folds: int = FOLDS) -> Places:
    """Assign the rows to folds, class by class, so that their order in the table does not matter.

    Rows are sorted by class and then by their cells, the columns as in `order`, and assigned in turn.

    Examples
    --------
    >>> codes = np.array([[1, 0, 1, 0]], dtype=np.uint8)
    >>> folds(codes, np.array([0, 0, 1, 1]), order=[0], n_folds=2).tolist()
    [1, 0, 1, 0]
    """
    keys = [codes[column] for column in reversed(list(order))]
    turn = np.lexsort((*keys, y))
    fold = np.empty(len(y), dtype=np.intp)
    fold[turn] = np.arange(len(y)) % n_folds
    return fold


def validate_thresholds(
    codes: Codes,
    y: Places,
    cards: tuple[int, ...],
    n_classes: int,
    path: Floats,
    smoothing: float | Hierarchical,
    fold: Places,
) -> tuple[Floats, Floats]:
    """Cross-validated log-loss (bits per row) and accuracy of packaged hidden naive Bayes.

    Parameters
    ----------
    codes : array (d, n)
        Coded rows, all known.
    y : array (n,)
        Class codes.
    cards, n_classes
        Number of states of each column, and of classes.
    path : array (t,)
        Thresholds in bits, ascending.
    smoothing : float or Hierarchical
        Imaginary rows m, or the hierarchy of tables.
    fold : array (n,)
        Fold of each row.
    """
    d, n = codes.shape
    numbers = np.unique(fold)
    loss, right = np.zeros((2, len(numbers), len(path)))

    def task(first: int, last: int) -> None:
        for f in range(first, last):
            test = fold == numbers[f]
            counts = count(codes[:, ~test], y[~test], cards, n_classes)
            rows, truth = np.ascontiguousarray(codes[:, test]), y[test]
            sizes = np.asarray(cards), n_classes, d * (d - 1)
            compiled = use_compiled("auto", *sizes, n)  # once for the whole path
            for place, posterior in _along(counts, rows, path, smoothing, compiled):
                loss[f, place] = -posterior[np.arange(len(truth)), truth].sum() / np.log(2)
                right[f, place] = np.count_nonzero(posterior.argmax(axis=1) == truth)

    in_threads(task, np.full(len(numbers), 20.0 * d * d * n), thread_count(None))
    return loss.sum(axis=0) / n, right.sum(axis=0) / n


def _along(
    counts: Counts, rows: Codes, path: Floats, smoothing: float | Hierarchical, compiled: bool
) -> Iterator[tuple[int, Floats]]:
    """Yield (place in the path, log posterior) from the highest threshold to the lowest.

    The weights are those of all members, so a bag's sum is the factor times the share of those that are in.
    The heaviest come first: that share is at least 1/d.
    """
    dependence = conditional_mutual_information(counts)
    weights, d = parent_weights(dependence), len(dependence)
    tables = smoothing.levels(counts) if isinstance(smoothing, Hierarchical) else smoothing
    start = mixtures(counts, np.zeros_like(weights), tables)
    sums = np.stack([np.exp(start.alone.tables[i])[:, rows[i]] for i in range(d)])  # P(ai | c), (d, k, n)
    shares = np.zeros(d)
    least, above = start.smallest, np.inf
    for place in reversed(range(len(path))):
        new = np.where((dependence >= path[place]) & (dependence < above), weights, 0.0)
        above = path[place]
        step = mixtures(counts, new, tables)
        least = min(least, step.smallest)
        if len(step.owners):
            sums[step.owners[shares[step.owners] == 0]] = 0.0
            for owner, more in zip(
                step.owners, pair_sums(step.pairs, rows, rows, compiled=compiled), strict=True
            ):
                sums[owner] += more
            shares += new.sum(axis=1)
        logs = sum_of_logarithms(sums, least / d) - np.log(shares[shares > 0]).sum()
        yield place, normalise(start.log_prior + logs, start.log_prior)


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
