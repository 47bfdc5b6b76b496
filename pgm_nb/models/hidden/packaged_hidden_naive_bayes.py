"""Packaged hidden naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from pgm_nb.errors import DataError
from pgm_nb.models.hidden.base import HiddenClassifier
from pgm_nb.models.hidden.search import Sweep, average_dependence, bags, sweep, threshold_path
from pgm_nb.models.hidden.thresholds import folds, validate_thresholds
from pgm_nb.models.options import Choice, Option

if TYPE_CHECKING:
    from pgm_nb.counts import Counts
    from pgm_nb.graphs import Bags
    from pgm_nb.inference.arrays import Codes, Floats, Places
    from pgm_nb.information import Information

__all__ = ["PackagedHiddenNaiveBayes"]


class PackagedHiddenNaiveBayes(HiddenClassifier):
    """Packaged hidden naive Bayes (Ji, Yu, Zhang): hidden parents mixed from close attributes only.

    The bag of Ai holds the Aj with I(Ai;Aj|C) >= threshold, with the weights of `HiddenNaiveBayes` scaled
    up to one; an attribute without a bag hangs on the class alone. A threshold below every I(Ai;Aj|C) gives
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

    short_name: ClassVar[str] = "phnb"
    title: ClassVar[str] = "Packaged hidden naive Bayes (PHNB)"
    summary: ClassVar[str] = (
        "Every attribute depends on the class and on a hidden parent, a mixture of the attributes closest to "
        "it, its bag."
    )
    chooses_links: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "threshold",
            "Bags",
            "How close two attributes must be, given the class, to be in each other's bags.",
            (
                Choice("average", "Closer than average", "the bags of the paper", {"threshold": "average"}),
                Choice(
                    "auto", "Best in cross-validation", "chosen on the training rows", {"threshold": "auto"}
                ),
            ),
            parse=float,
            metavar="BITS",
            flag_help="attributes that share at least this many bits are in each other's bags: 'average' of "
            "all pairs (the default), 'auto' for the best log-loss in cross-validation, or a number",
        ),
        *HiddenClassifier.options,
    )
    structure_: Bags

    def __init__(
        self,
        *,
        threshold: str | float = "average",
        discretizer: str | Mapping[str, str | Sequence[float]] | None = "quantile",
        n_bins: int | None = None,
        smoothing: float = 1.0,
        missing: str = "state",
    ) -> None:
        super().__init__(discretizer=discretizer, n_bins=n_bins, smoothing=smoothing, missing=missing)
        self.threshold = threshold

    @property
    def threshold_(self) -> float:
        """The threshold in bits that the bags were packed with."""
        return cast("float", self.structure_.threshold)

    def _learn(self, info: Information, names: Sequence[str], target: str) -> tuple[Bags, Sweep]:
        if isinstance(self.threshold, str):
            return self._packed(info, names, target, average_dependence(info.dependence))
        return self._packed(info, names, target, float(self.threshold))

    def _search(
        self,
        info: Information,
        names: Sequence[str],
        target: str,
        counts: Counts,
        codes: Codes,
        y: Places,
    ) -> tuple[Bags, Sweep]:
        self._check_threshold()
        if self.threshold != "auto":
            return self._learn(info, names, target)
        path = threshold_path(info.dependence)
        order = np.argsort(-info.relevance, kind="stable")  # the same folds for any order of the columns
        fold = folds(codes, y, order)
        scores = validate_thresholds(codes, y, counts.cards, counts.n_classes, path, self._m, fold)
        best = len(path) - 1 - int(np.argmin(scores[0][::-1]))  # ties: the smaller bags
        return self._packed(info, names, target, float(path[best]), scores)

    def _packed(
        self,
        info: Information,
        names: Sequence[str],
        target: str,
        threshold: float,
        scores: tuple[Floats, Floats] | None = None,
    ) -> tuple[Bags, Sweep]:
        algorithm = self.threshold if isinstance(self.threshold, str) else "given"
        story = sweep(info.dependence, algorithm, threshold, threshold_path(info.dependence), scores)
        return bags(info, names, target, threshold), story

    def _check_threshold(self) -> None:
        threshold: object = self.threshold
        if threshold in ("average", "auto") and isinstance(threshold, str):
            return
        if isinstance(threshold, bool | str) or not isinstance(threshold, int | float | np.number):
            good = False
        else:
            good = bool(np.isfinite(threshold))
        if not good:
            raise DataError(
                f"threshold must be 'average', 'auto' or a finite number of bits, and is {threshold!r}; "
                "'average' is the default"
            )
