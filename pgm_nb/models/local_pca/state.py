"""What a local-PCA mixture learns: as it is, as a graph, as ellipses in a plane, and in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places, revived, stored
from pgm_nb.data import Encoder, MissingReport, learn_encoder
from pgm_nb.data.frame import is_number
from pgm_nb.errors import DataError
from pgm_nb.graphs.clusters import ClusterTree, LocalCluster
from pgm_nb.models.base import Packed
from pgm_nb.models.continuous import stack_numbers
from pgm_nb.models.files import pack_classes, unpack_classes
from pgm_nb.models.gaussian.density import Gaussians, class_information
from pgm_nb.models.local_pca.density import GaussianCluster, Space, cluster
from pgm_nb.models.local_pca.search import LocalPCATrace
from pgm_nb.views.chart.gaussians import Ellipse
from pgm_nb.words import did_you_mean, listed

__all__ = [
    "MixtureState",
    "WordNumbers",
    "cluster_tree",
    "dots",
    "ellipses",
    "pack",
    "plane",
    "unpack",
    "word_scores",
]


@dataclass(frozen=True, eq=False)
class WordNumbers:
    """Which columns hold words, and the number of every word.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [30.0, 40.0, 50.0, 60.0], "sex": ["f", "f", "m", None]})
    >>> words = WordNumbers.learn(frame, np.array([0, 0, 1, 1]), 2)
    >>> words.cells(frame).round(2).tolist()
    [[30.0, -0.71], [40.0, -0.71], [50.0, 1.41], [60.0, nan]]
    """

    #: of the columns of words; a missing cell is no state
    encoder: Encoder = field(default_factory=lambda: Encoder(()))
    scores: tuple[Floats, ...] = ()  #: the number of every state

    @classmethod
    def learn(cls, frame: pd.DataFrame, y: Places, n_classes: int) -> Self:
        """Learn the numbers of the words of a training table."""
        places = [place for place in range(frame.shape[1]) if not is_number(frame.iloc[:, place])]
        if not places:
            return cls()
        encoder, codes, _, _ = learn_encoder(frame.iloc[:, places], None, discretizer=None, missing="state")
        columns = tuple(
            replace(column, states=column.states[:-1], missing_state=False)
            if column.missing_state
            else column
            for column in encoder.columns
        )
        scores = []
        for column, coded in zip(columns, codes, strict=True):
            known = coded < column.card
            cells = y[known] * column.card + coded[known]
            counts = np.bincount(cells, minlength=n_classes * column.card).reshape(n_classes, column.card)
            scores.append(word_scores(counts.astype(np.float64)))
        return cls(Encoder(columns), tuple(scores))

    def cells(self, frame: pd.DataFrame) -> Floats:
        """Return a table as numbers, (n, d); NaN for a word that training did not have."""
        if not self.scores:
            return stack_numbers(frame, range(frame.shape[1]))
        names = [str(name) for name in frame.columns]
        coded = set(self.encoder.names)
        measured = [place for place, name in enumerate(names) if name not in coded]
        cells = np.empty(frame.shape, order="F")
        cells[:, measured] = stack_numbers(frame, measured)
        words = frame.iloc[:, [names.index(name) for name in self.encoder.names]]
        for name, codes, scores in zip(
            self.encoder.names, self.encoder.encode(words), self.scores, strict=True
        ):
            cells[:, names.index(name)] = np.append(scores, np.nan)[codes]
        return cells

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"encoder": self.encoder.to_dict(), "scores": [scores.tolist() for scores in self.scores]}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return what `to_dict` wrote."""
        scores = tuple(np.array(numbers, dtype=np.float64) for numbers in record["scores"])
        encoder = Encoder.from_dict(record["encoder"])
        if [len(found) for found in scores] != list(encoder.cards) or not all(
            np.isfinite(found).all() for found in scores
        ):
            raise ValueError("the words do not have one finite number each")
        return cls(encoder, scores)


def word_scores(counts: Floats) -> Floats:
    """Return a number for every state of a column from its counts by class, (k, v).

    The first axis of correspondence analysis: of all numbers of mean 0 and variance 1 over the rows, those
    whose means differ most between the classes. With two classes the order is that of P(class | state). One
    imaginary row, spread as all rows are, is added to every state, so that rare words stay near the middle.
    The commonest state has a number that is not positive.

    Examples
    --------
    >>> word_scores(np.array([[30.0, 0.0], [0.0, 10.0]])).round(3)
    array([-0.577,  1.732])
    """
    total = counts.sum()
    states = counts.shape[1]
    if states < 2 or total == 0:
        return np.zeros(states)
    base = counts.sum(axis=1, keepdims=True) / total
    shares = (counts + base) / (total + states)
    rows, columns = shares.sum(axis=1, keepdims=True), shares.sum(axis=0, keepdims=True)
    expected = rows @ columns
    present = rows[:, 0] > 0
    residuals = ((shares - expected) / np.sqrt(np.where(expected > 0, expected, 1.0)))[present]
    _, values, axes = np.linalg.svd(residuals, full_matrices=False)
    if not values[0] > 1e-12:  # the classes do not differ: any numbers do
        return np.zeros(states)
    scores: Floats = axes[0] / np.sqrt(columns[0])
    weights = counts.sum(axis=0) / total
    scores = scores - weights @ scores
    scores /= np.sqrt(weights @ scores**2)
    return -scores if scores[int(counts.sum(axis=0).argmax())] > 0 else scores


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
    named = revived(tuple[str, ...] | None, description["named"])
    return MixtureState(
        target=description["target"],
        classes=classes,
        named=named,
        missing=revived(MissingReport, description["missing"]),
        space=space,
        clusters=tuple(clusters),
        trace=LocalPCATrace.from_dict(description["trace"]),
        words=WordNumbers.from_dict(description["words"]),
    )
