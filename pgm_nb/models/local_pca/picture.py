"""The picture of a local-PCA mixture: its clusters in the plane of two attributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pgm_nb.arrays import Floats, Places
from pgm_nb.errors import DataError
from pgm_nb.models.local_pca.clusters import GaussianCluster, Space
from pgm_nb.views.ellipses import Ellipse
from pgm_nb.words import did_you_mean, listed

__all__ = ["dots", "ellipses", "plane"]


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
        raise DataError(f"a plane needs two different attributes, but {listed(attributes)} was asked for.")
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
