"""Hidden parents and bags: weights from conditional mutual information, and the sweep over thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.arrays import Floats
from pgm_nb.graphs import Bags, HiddenParents

if TYPE_CHECKING:
    import pandas as pd

    from pgm_nb.explain.growth.story import Story
    from pgm_nb.information import Information


__all__ = [
    "Setting",
    "Sweep",
    "average_dependence",
    "bags",
    "hidden_parents",
    "parent_weights",
    "sweep",
    "threshold_path",
]

MOST_THRESHOLDS = 100  # a longer path is thinned out to this many


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
        settings = tuple(Setting(**setting) for setting in data["settings"])
        return cls(data["algorithm"], data["threshold"], settings)


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
