"""The growth of a local-PCA mixture: which clusters formed in every round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.data import as_frame
from pgm_nb.explain.growth import Growth
from pgm_nb.models.local_pca.rounds import Round, rounds_svg
from pgm_nb.models.local_pca.story import cluster_story, members
from pgm_nb.views.ellipses import Ellipse
from pgm_nb.views.graph.drawing import Arc, Drawing, Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pgm_nb.models.local_pca.search import LocalPCATrace

    Floats = NDArray[np.float64]

__all__ = ["plane_picture", "rounds_drawing", "rounds_growth", "rounds_picture"]

MOST_POINTS = 1500  # rows drawn as dots, evenly chosen of more
FLAT = 1e-12  # share of the larger variance below which an ellipse would be a line


def rounds_growth(model: Any, trace: LocalPCATrace, view: str, X: Any, y: Any) -> Growth:
    """Tell how clusters split off round by round."""
    story = cluster_story(trace, model.title)

    def draw(theme: str) -> tuple[str]:
        if view == "plane":
            return (plane_picture(model, trace, X, y, theme),)
        return (rounds_picture(model.structure_.target, trace, theme),)

    return Growth(story, view, "Round", draw)


def rounds_drawing(target: str, rounds: Sequence[Mapping[str, int]], rows: Mapping[str, int]) -> Drawing:
    """Draw the class, its labels as first clusters, and the clusters that formed in every later round.

    Parameters
    ----------
    target : str
        Name of the class.
    rounds : sequence of mapping of str to int
        How many rows of each label formed a new cluster in the second round, the third, and so on.
    rows : mapping of str to int
        Labels, with the number of their rows where it is known (0 where not).

    Examples
    --------
    >>> drawing = rounds_drawing("state", [{"ill": 3}], {"ill": 40, "well": 60})
    >>> [(node.lines, node.step) for node in drawing.nodes[1:]]
    [(('ill', '40 rows'), 1), (('well', '60 rows'), 1), (('ill, round 2', '3 rows moved'), 2)]
    """
    nodes = [Node("n0", (target,), "class")]
    arcs: list[Arc] = []
    latest: dict[str, str] = {}
    for place, (label, count) in enumerate(rows.items()):
        latest[label] = f"k{place}"
        lines = (label, f"{count:,} rows") if count else (label,)
        nodes.append(Node(latest[label], lines, "cluster", fill="shade 2", step=1))
        arcs.append(Arc("n0", latest[label], "class", step=1))
    for step, moved in enumerate(rounds, start=2):
        for label, count in moved.items():
            if not count:
                continue
            ident = f"{latest[label].split('r')[0]}r{step}"
            lines = (f"{label}, round {step}", f"{count:,} row{'s' if count > 1 else ''} moved")
            nodes.append(Node(ident, lines, "cluster", step=step))
            arcs.append(Arc(latest[label], ident, "tree", step=step))
            latest[label] = ident
    return Drawing("rounds", tuple(nodes), tuple(arcs), flow="LR")


def rounds_picture(target: str, trace: LocalPCATrace, theme: str) -> str:
    """Draw which clusters formed in every round, as a tree."""
    from pgm_nb.views.graph.render import draw

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
