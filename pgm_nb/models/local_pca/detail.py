"""What the local-PCA mixture says about a cluster of its picture, or about one of its main directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pgm_nb.explain.detail import MOST_ROWS, Detail, DetailTable, ranked_shares
from pgm_nb.graphs.base import Headline
from pgm_nb.words import percent

if TYPE_CHECKING:
    from pgm_nb.graphs import ClusterTree

__all__ = ["cluster_detail", "component_detail"]

Mark = Callable[[str], str]


def cluster_detail(structure: ClusterTree, name: str, mark: Mark) -> Detail:
    """Describe a cluster: its size, its centre, and how its spread divides over its directions."""
    part = dict(zip(structure.names, structure.clusters, strict=True))[name]
    of_class = sum(other.rows for other in structure.clusters if other.label == part.label)
    numbers = (
        Headline("Rows", f"{part.rows:,}", "Rows of the table in this cluster."),
        Headline(f"Of {part.label}", percent(part.rows, of_class), "Share of the rows of its class in use."),
    )
    said = f"A cluster of rows of {mark(part.label)}, with a centre and main directions of its own."
    small = "It has fewer rows than directions, so its shape is drawn towards the average shape."
    explained = {f"PC{number}": share for number, share in enumerate(part.explained, 1)}
    centre = DetailTable(
        "Its centre",
        "attribute",
        structure.attributes[:MOST_ROWS],
        ("mean",),
        tuple((f"{value:.4g}",) for value in part.mean[:MOST_ROWS]),
    )
    directions = ranked_shares("Share of its spread along each direction", "direction", "share", explained)
    return Detail(name, (said, small) if part.regularised else (said,), numbers, (directions,), (centre,))


def component_detail(structure: ClusterTree, name: str, mark: Mark) -> Detail:
    """Describe a main direction of a cluster: its share of the spread, and the attributes that make it up."""
    owner, explained, loadings = {
        f"{owner} PC{number + 1}": (owner, part.explained[number], part.loadings[number])
        for owner, part in zip(structure.names, structure.clusters, strict=True)
        for number in range(len(part.variances))
    }[name]
    said = (
        f"A main direction of cluster {mark(owner)}: its rows vary most along the first direction, and along "
        "each next one most of what is left."
    )
    by_attribute = zip(structure.attributes, loadings, strict=True)
    ranked = sorted(by_attribute, key=lambda pair: -abs(pair[1]))[:MOST_ROWS]
    table = DetailTable(
        "Attributes that make it up",
        "attribute",
        tuple(attribute for attribute, _ in ranked),
        ("loading",),
        tuple((f"{value:+z.2f}",) for _, value in ranked),
        tuple((abs(value),) for _, value in ranked),
    )
    share = Headline("Of the spread", percent(explained), "Share of the cluster's variance.")
    return Detail(name, (said,), (share,), (table,))
