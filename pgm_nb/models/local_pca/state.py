"""What a local-PCA mixture learns: as it is, as a graph, as ellipses in a plane, and in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places, stored
from pgm_nb.data import MissingReport
from pgm_nb.errors import DataError
from pgm_nb.graphs.clusters import ClusterTree, LocalCluster
from pgm_nb.models.base import Packed
from pgm_nb.models.files import pack_classes, unpack_classes
from pgm_nb.models.gaussian.density import Gaussians, class_information
from pgm_nb.models.local_pca.clusters import GaussianCluster, Space, cluster
from pgm_nb.models.local_pca.trace import LocalPCATrace
from pgm_nb.models.local_pca.words import WordNumbers
from pgm_nb.views.chart.gaussians import Ellipse
from pgm_nb.words import did_you_mean, listed

__all__ = ["MixtureState", "cluster_tree", "dots", "ellipses", "pack", "plane", "unpack"]


def plane(attributes: Sequence[str], names: Sequence[str]) -> Places:
    """Return the places of the two attributes of a plane.

    Examples
    --------
    >>> plane(["dose", "age"], ["age", "sex", "dose"])
    array([2, 0])
    """
    for name in attributes:
        if name not in names:
            raise DataError(
                f"there is no attribute {name!r}{did_you_mean(str(name), names)} "
                f"(attributes: {listed(names)})."
            )
    if len(attributes) != 2 or attributes[0] == attributes[1]:
        raise DataError(f"a plane needs two different attributes, but got {listed(attributes)}.")
    return np.array([names.index(name) for name in attributes])


def ellipses(
    clusters: Sequence[GaussianCluster], space: Space, labels: Sequence[str], pair: Places
) -> list[Ellipse]:
    """Return each cluster in the plane of two attributes, in their own units, with its two axes."""
    drawn = []
    for label, part in zip(labels, clusters, strict=True):
        variances, axes = np.linalg.eigh(part.covariance[np.ix_(pair, pair)])
        (a, b), (c, d) = (axes * np.sqrt(np.maximum(variances, 0))).T * space.scale[pair]
        x, up = space.mean[pair] + space.scale[pair] * part.mean[pair]
        long, short = (float(c), float(d)), (float(a), float(b))
        drawn.append(Ellipse(label, part.owner, (float(x), float(up)), (long, short)))
    return drawn


def dots(cells: Floats, owner: Places) -> list[tuple[float, float, int]]:
    """Return the rows of a plane whose two cells and class are known.

    Examples
    --------
    >>> dots(np.array([[1.0, 2.0], [3.0, np.nan]]), np.array([0, 1]))
    [(1.0, 2.0, 0)]
    """
    shown = ~np.isnan(cells).any(axis=1) & (owner >= 0)
    return list(zip(*cells[shown].T.tolist(), owner[shown].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class MixtureState:
    """All that `fit` learns."""

    target: str
    classes: NDArray[Any]
    named: tuple[str, ...] | None  #: column names of the training table, None if it had none
    missing: MissingReport
    space: Space
    clusters: tuple[GaussianCluster, ...]
    trace: LocalPCATrace
    words: WordNumbers  #: the numbers that words have in the model


def cluster_tree(learned: MixtureState, names: tuple[str, ...], prior: Floats) -> ClusterTree:
    """Return the graph: the class, its clusters and their principal components."""
    labels = tuple(map(str, learned.classes.tolist()))
    clusters = tuple(
        LocalCluster(
            labels[part.owner],
            part.rows,
            tuple((learned.space.mean + learned.space.scale * part.mean).tolist()),
            tuple(part.variances.tolist()),
            tuple(map(tuple, part.axes.T.tolist())),
            part.regularised,
        )
        for part in learned.clusters
    )
    ignored = dict(zip(labels, learned.trace.iterations[learned.trace.kept].ignored, strict=True))
    relevance = dict(zip(names, _relevance(learned, prior).tolist(), strict=True))
    return ClusterTree(learned.target, names, labels, clusters, ignored, relevance)


def _relevance(learned: MixtureState, prior: Floats) -> Floats:
    """I(Xi;Y) in bits under the model: each class a mixture of its clusters, weighted by their rows."""
    clusters, space = learned.clusters, learned.space
    owner = np.array([part.owner for part in clusters])
    rows = np.array([float(part.rows) for part in clusters])
    share = rows / np.bincount(owner, rows)[owner]
    varying = np.flatnonzero(space.scale > 0)
    bits = np.zeros(len(space.scale))
    parts = Gaussians(
        np.array([part.mean[varying] for part in clusters]),
        np.array([np.diag(part.covariance)[varying] for part in clusters]),
    )
    bits[varying] = class_information(parts, share * prior[owner], owner)
    return bits


def pack(learned: MixtureState) -> Packed:
    """Return what JSON holds, and arrays by name."""
    description = {
        "target": learned.target,
        "classes": pack_classes(learned.classes),
        "named": learned.named,
        "missing": asdict(learned.missing),
        "trace": learned.trace.to_dict(),
        "words": learned.words.to_dict(),
    }
    space, clusters = learned.space, learned.clusters
    arrays = {
        "space_mean": space.mean,
        "space_scale": space.scale,
        "space_correlation": space.correlation,
        "space_basis": space.basis,
        "owner": np.array([part.owner for part in clusters]),
        "rows": np.array([part.rows for part in clusters]),
        "regularised": np.array([part.regularised for part in clusters]),
        "mean": np.array([part.mean for part in clusters]),
        "covariance": np.array([part.covariance for part in clusters]),
    }
    return description, arrays


def unpack(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> MixtureState:
    """Read what `pack` gave."""
    classes, d = unpack_classes(description["classes"]), len(arrays["space_mean"])
    space = Space(
        stored(arrays, "space_mean", (d,)),
        stored(arrays, "space_scale", (d,), least=0),
        stored(arrays, "space_correlation", (d, d)),
        stored(arrays, "space_basis", (d, None)),
    )
    owners = stored(arrays, "owner", (None,), "whole numbers", least=0, most=len(classes) - 1)
    if len(np.unique(owners)) < len(classes):
        raise ValueError("a class has no cluster")
    n, clusters = len(owners), []
    for owner, rows, mean, covariance, regularised in zip(
        owners,
        stored(arrays, "rows", (n,), "whole numbers", least=1),
        stored(arrays, "mean", (n, d)),
        stored(arrays, "covariance", (n, d, d)),
        stored(arrays, "regularised", (n,), "flags"),
        strict=True,
    ):
        part = cluster(int(owner), int(rows), mean, covariance, space.basis, regularised=bool(regularised))
        if part is None:
            raise ValueError("a cluster has a rank-deficient covariance")
        clusters.append(part)
    named = description["named"]
    return MixtureState(
        target=description["target"],
        classes=classes,
        named=None if named is None else tuple(named),
        missing=MissingReport(**description["missing"]),
        space=space,
        clusters=tuple(clusters),
        trace=LocalPCATrace.from_dict(description["trace"]),
        words=WordNumbers.from_dict(description.get("words")),  # older files have none
    )
