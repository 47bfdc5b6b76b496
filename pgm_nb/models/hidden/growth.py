"""The growth of hidden parents: links and bags that fill as the threshold falls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.explain.growth import Growth
from pgm_nb.information import Information, information
from pgm_nb.models.hidden.search import Sweep, bags
from pgm_nb.models.hidden.story import link_steps, sweep_story
from pgm_nb.views.links import Link, links_svg

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["links_picture", "threshold_growth"]


def threshold_growth(model: Any, trace: Sweep, view: str, most: int) -> Growth:
    """Tell how bags fill as the threshold falls."""
    told = information(model.learned_.counts)
    names, target = model.encoder_.names, model.structure_.target
    story, thresholds = sweep_story(told.dependence, names, trace, model.title, target)

    def draw(theme: str) -> tuple[str, ...]:
        if view == "bags":
            packed = (bags(told, names, target, threshold) for threshold in thresholds)
            return tuple(each.draw("bags", theme=theme).decode() for each in packed)
        return (links_picture(told, names, target, thresholds, most, theme),)

    return Growth(story, view, "Threshold", draw)


def links_picture(
    told: Information, names: Sequence[str], target: str, thresholds: Sequence[float], most: int, theme: str
) -> str:
    """Draw the most telling attributes, close ones side by side, and their links by threshold."""
    shown = np.sort(np.argsort(-told.relevance, kind="stable")[:most])
    ties = told.dependence[np.ix_(shown, shown)]
    steps = link_steps(ties, thresholds)
    rows, columns = np.nonzero(np.triu(steps))
    named = [names[i] for i in shown]
    links = [
        Link(named[i], named[j], float(ties[i, j]), int(steps[i, j]))
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
    ]
    relevance = dict(zip(named, told.relevance[shown].tolist(), strict=True))
    around = [named[i] for i in _close_ones_together(ties)]
    return links_svg(around, relevance, links, target=target, theme=theme)


def _close_ones_together(ties: Floats) -> list[int]:
    """Order the attributes so that those that share most are neighbours: the leaves of a cluster tree."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    if len(ties) < 3:
        return list(range(len(ties)))
    apart = ties.max() - ties
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), "average", optimal_ordering=True)
    order: list[int] = leaves_list(tree).tolist()
    return order
