"""Hidden parents and bags: weights from conditional mutual information, and which threshold predicts best.

As the threshold falls, bags only gain members. So in cross-validation each fold is counted once, and every
step of the path only adds the new members to the mixtures that were there: all steps together add up the
mixtures of hidden naive Bayes once, and each of them takes its logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import MOST_BITS, Floats, revived
from pgm_nb.counts import count
from pgm_nb.counts.kernels import in_threads, thread_count
from pgm_nb.engine.sums import normalise
from pgm_nb.graphs import Bags, HiddenParents
from pgm_nb.information import conditional_mutual_information
from pgm_nb.models.hidden.mixtures import Hierarchical, mixtures, sum_of_logarithms
from pgm_nb.models.hidden.pair_sums import pair_sums, use_compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from pgm_nb.arrays import Codes, Places
    from pgm_nb.counts import Counts
    from pgm_nb.explain.growth import Story
    from pgm_nb.information import Information

__all__ = [
    "Setting",
    "Sweep",
    "average_dependence",
    "bags",
    "best_threshold",
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
