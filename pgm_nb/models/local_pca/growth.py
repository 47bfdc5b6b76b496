"""The growth of a local-PCA mixture: which clusters formed in every round, as a tree and in a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pgm_nb.data import as_labels
from pgm_nb.explain.growth import Growth
from pgm_nb.views.chart.gaussians import REACH, Ellipse, ellipse_line
from pgm_nb.views.graph.drawing import Arc, Drawing, Node
from pgm_nb.views.style import class_colour, colours
from pgm_nb.views.svg import Panel, themed_svg
from pgm_nb.views.svg import label as text_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pgm_nb.models.local_pca.clusters import LocalPCATrace

    Floats = NDArray[np.float64]

__all__ = ["PlaneFrame", "cluster_growth", "plane_svg", "splits_drawing"]

MOST_POINTS = 1500  # rows drawn as dots, evenly chosen of more
_LEFT, _TOP, _WIDTH, _HEIGHT, _BELOW = 70.0, 34.0, 620.0, 440.0, 46.0
Point = tuple[float, float]
FLAT = 1e-12  # share of the larger variance below which an ellipse would be a line


def cluster_growth(model: Any, trace: LocalPCATrace, view: str, X: Any, y: Any) -> Growth:
    """Describe how clusters split off round by round."""
    story = trace.story(model.about.title)

    def draw(theme: str) -> tuple[str]:
        if view == "plane":
            return (_plane_picture(model, trace, X, y, theme),)
        return (_splits_picture(model.structure_.target, trace, theme),)

    return Growth(story, view, "Round", draw)


def splits_drawing(target: str, rounds: Sequence[Mapping[str, int]], rows: Mapping[str, int]) -> Drawing:
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
    >>> drawing = splits_drawing("state", [{"ill": 3}], {"ill": 40, "well": 60})
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


def _splits_picture(target: str, trace: LocalPCATrace, theme: str) -> str:
    """Draw which clusters formed in every round, as a tree."""
    from pgm_nb.views.graph.render import draw

    moved = [
        {label: len(rows) for label, rows in zip(trace.classes, step.moved, strict=True)}
        for step in trace.iterations[1:]
    ]
    return draw(splits_drawing(target, moved, dict.fromkeys(trace.classes, 0)), theme=theme).decode()


def _plane_picture(model: Any, trace: LocalPCATrace, X: Any, y: Any, theme: str) -> str:
    """Draw the training rows and each round's clusters in the plane of the two top attributes."""
    import pandas as pd

    names = tuple(model.importance_["attribute"][:2])
    cells = model.plane_cells(X, names)
    owner = pd.Index(model.classes_).get_indexer(pd.Index(as_labels(y)))
    used = ~np.isnan(cells).any(axis=1)
    rounds = []
    for step, member in zip(trace.iterations, trace.members(owner), strict=True):
        moved = [row for rows in step.moved for row in rows if used[row]]
        ellipses = _ellipses(cells, np.where(used, member, -1), owner, trace.classes)
        rounds.append(PlaneFrame(ellipses, tuple((float(x), float(up)) for x, up in cells[moved])))
    kept = np.flatnonzero(used)
    kept = kept[:: -(-len(kept) // MOST_POINTS)]
    points = [(float(cells[i, 0]), float(cells[i, 1]), int(owner[i])) for i in kept]
    return plane_svg((names[0], names[1]), trace.classes, points, rounds, theme=theme)


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


@dataclass(frozen=True, slots=True)
class PlaneFrame:
    """The clusters of a round, and the rows that moved to make them.

    Examples
    --------
    >>> PlaneFrame((), ((1.0, 2.0),)).moved
    ((1.0, 2.0),)
    """

    ellipses: tuple[Ellipse, ...]
    moved: tuple[Point, ...]


def plane_svg(
    names: tuple[str, str],
    classes: Sequence[str],
    points: Sequence[tuple[float, float, int]],
    rounds: Sequence[PlaneFrame],
    *,
    theme: str = "light",
) -> str:
    """Draw rows as dots; ellipses and rings around rows that moved are there at their round only.

    What belongs to round k has the class ``only s<k>``.

    Parameters
    ----------
    names : pair of str
        The attributes across and up.
    classes : sequence of str
        Names of the classes, for the legend.
    points : sequence of (x, y, class)
        The rows.
    rounds : sequence of PlaneFrame
        What changes from round to round.
    theme : {"light", "dark", "auto"}
        Colours of the page.

    Examples
    --------
    >>> one = Ellipse("ill 1", 0, (50.0, 120.0), ((5.0, 2.0), (-1.0, 10.0)))
    >>> svg = plane_svg(("age", "pressure"), ["ill"], [(48.0, 118.0, 0)], [PlaneFrame((one,), ())])
    >>> svg.count('class="only s1"')
    1
    """
    ends = [point for each in rounds for ellipse in each.ellipses for point in ellipse_line(ellipse)]
    everything = [*ends, *((x, y) for x, y, _ in points)]
    spans = _span([x for x, _ in everything]), _span([y for _, y in everything])
    panel = Panel(_LEFT, _TOP, _WIDTH, _HEIGHT, *spans)
    parts = [*_legend(classes, theme), panel.frame(theme, *names)]
    for x, y, owner in points:
        across, down = panel.place(x, y)
        parts.append(
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="2.4" fill="{class_colour(owner)}" opacity="0.5"/>'
        )
    ring = colours(theme)["text"]
    for step, each in enumerate(rounds, start=1):
        shapes = [part for ellipse in each.ellipses for part in _shape(ellipse, panel, theme)]
        rings = [
            f'<circle cx="{across:.1f}" cy="{down:.1f}" r="5" fill="none" stroke="{ring}"/>'
            for across, down in (panel.place(*at) for at in each.moved)
        ]
        parts.append(f'<g class="only s{step}">{"".join(shapes)}{"".join(rings)}</g>')
    width = max(_LEFT + _WIDTH + 20, 24.0 + sum(30 + 8 * len(name) for name in classes))
    return themed_svg((0.0, 0.0, width, _TOP + _HEIGHT + _BELOW), parts, theme)


def _shape(ellipse: Ellipse, panel: Panel, theme: str) -> list[str]:
    colour, (x, y) = class_colour(ellipse.owner), ellipse.centre
    path = " ".join("{:.1f},{:.1f}".format(*panel.place(*point)) for point in ellipse_line(ellipse))
    parts = [
        f'<polygon points="{path}" fill="{colour}" fill-opacity="0.08" stroke="{colour}" stroke-width="1.6"/>'
    ]
    for a, b in ellipse.axes:
        (x1, y1), (x2, y2) = (panel.place(x + s * REACH * a, y + s * REACH * b) for s in (-1, 1))
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        parts.append(f'<line {ends} stroke="{colour}" stroke-width="1" stroke-dasharray="4 3"/>')
    across, down = panel.place(x, y)
    parts.append(text_at(ellipse.name, across, down - 5, colours(theme)["text"], size=11))
    return parts


def _legend(classes: Sequence[str], theme: str) -> list[str]:
    parts, left = [], 16.0
    for place, name in enumerate(classes):
        parts.append(f'<circle cx="{left:.1f}" cy="14" r="5" fill="{class_colour(place)}"/>')
        parts.append(text_at(name, left + 10, 18, colours(theme)["text"], anchor="start"))
        left += 30 + 8 * len(name)
    return parts


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room
