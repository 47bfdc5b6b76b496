"""The pictures of growths that are no trees: links by a falling threshold, clusters by their rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.data import as_frame
from pgm_nb.graphs.growth_pictures import rounds_drawing
from pgm_nb.learning.cluster_story import members
from pgm_nb.learning.sweep_story import link_steps
from pgm_nb.views.ellipses import Ellipse
from pgm_nb.views.links import Link, links_svg
from pgm_nb.views.rounds import Round, rounds_svg

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pgm_nb.information import Information
    from pgm_nb.learning.local_pca_trace import LocalPCATrace

    Floats = NDArray[np.float64]

__all__ = ["links_picture", "plane_picture", "rounds_picture"]

MOST_POINTS = 1500  # rows drawn as dots, evenly chosen of more
FLAT = 1e-12  # share of the larger variance below which an ellipse would be a line


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


def rounds_picture(target: str, trace: LocalPCATrace, theme: str) -> str:
    """Draw which clusters formed in every round, as a tree."""
    from pgm_nb.views.render import draw

    moved = [
        {label: len(rows) for label, rows in zip(trace.classes, step.moved, strict=True)}
        for step in trace.iterations[1:]
    ]
    return draw(rounds_drawing(target, moved, dict.fromkeys(trace.classes, 0)), theme=theme).decode()


def plane_picture(model: Any, trace: LocalPCATrace, X: Any, y: Any, theme: str) -> str:
    """Draw the training rows in the plane of the two most telling attributes, with each round's clusters."""
    import pandas as pd

    names = tuple(model.importance_["attribute"][:2])
    frame = as_frame(X)
    frame.columns = pd.Index(model.attribute_names_)
    cells = frame[list(names)].to_numpy(dtype=float)
    owner = pd.Index(model.classes_).get_indexer(pd.Index(np.asarray(y)))
    used = ~frame.isna().any(axis=1).to_numpy()
    rounds = []
    for step, member in zip(trace.iterations, members(trace, owner), strict=True):
        moved = [row for rows in step.moved for row in rows]
        ellipses = _ellipses(cells, np.where(used, member, -1), owner, trace.classes)
        rounds.append(Round(ellipses, tuple((float(x), float(up)) for x, up in cells[moved])))
    kept = np.flatnonzero(used)
    kept = kept[:: -(-len(kept) // MOST_POINTS)]
    points = [(float(cells[i, 0]), float(cells[i, 1]), int(owner[i])) for i in kept]
    return rounds_svg((names[0], names[1]), trace.classes, points, rounds, theme=theme)


def _ellipses(
    cells: Floats, member: NDArray[np.intp], owner: NDArray[np.intp], classes: Sequence[str]
) -> tuple[Ellipse, ...]:
    """Return the ellipse of every cluster that is wide enough to have one."""
    ellipses = []
    numbers = dict.fromkeys(range(len(classes)), 0)
    for cluster in np.unique(member[member >= 0]).tolist():
        inside = member == cluster
        label = int(owner[inside][0])
        numbers[label] += 1
        points = cells[inside]
        if len(points) < 3:
            continue
        variances, axes = np.linalg.eigh(np.cov(points, rowvar=False, bias=True))
        if variances[0] <= FLAT * variances[1]:
            continue
        (a, b), (c, d) = (axes * np.sqrt(variances)).T.tolist()
        x, up = points.mean(axis=0).tolist()
        ellipses.append(Ellipse(f"{classes[label]} {numbers[label]}", label, (x, up), ((c, d), (a, b))))
    return tuple(ellipses)
