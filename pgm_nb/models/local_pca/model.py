"""The local-PCA mixture: the numbers of words, what is learned, and the estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from pgm_nb.allowed import Allowed, whole
from pgm_nb.arrays import Floats, Places, revived, stored
from pgm_nb.data import Column, Encoder, MissingReport, as_labels, learn_encoder
from pgm_nb.data.frame import is_number
from pgm_nb.errors import DataError
from pgm_nb.explain.detail import MOST_ROWS, Detail, DetailTable, ranked_shares
from pgm_nb.explain.explanation import Terms
from pgm_nb.graphs.base import Headline
from pgm_nb.graphs.clusters import ClusterTree, LocalCluster
from pgm_nb.models.about import About, Choice, Option
from pgm_nb.models.base import Packed, whole_or_unfitted
from pgm_nb.models.continuous import ContinuousClassifier, check_priors, stack_numbers
from pgm_nb.models.files import pack_classes, unpack_classes
from pgm_nb.models.gaussian_density import Gaussians, class_information
from pgm_nb.models.inspection import Mark
from pgm_nb.models.local_pca.clusters import (
    GaussianCluster,
    LocalPCATrace,
    Space,
    class_densities,
    class_terms,
    cluster,
    grow_clusters,
    learn_space,
)
from pgm_nb.views.chart.gaussians import Ellipse
from pgm_nb.words import did_you_mean, listed, percent

if TYPE_CHECKING:
    from pgm_nb.explain.growth import Growth
    from pgm_nb.graphs import Graph
    from pgm_nb.views.graph.drawing import Element

__all__ = ["LocalPCAMixture", "WordNumbers", "word_scores"]


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


MOST_DOTS = 2_000  # rows that a chart draws as dots


class LocalPCAMixture(ContinuousClassifier):
    """Each class a few Gaussian clusters, each along its own principal components.

    Every class starts as one cluster. The training rows of a class that are misclassified leave their
    clusters and form a new one, all are fitted again, and so on while the training error falls; the round
    with the smallest error is kept. Clusters with a rank-deficient covariance are ignored, and counted.

    Parameters
    ----------
    vote : {"winner", "sum"}
        A class is as likely as its best cluster, or as its clusters' densities summed (as in the paper, not
        weighted by their rows).
    priors : array-like of shape (k,), optional
        Class priors; all classes are equally likely when not given, as in the paper.
    max_iter : int
        Rounds of splitting at most.

    Attributes
    ----------
    structure_ : ClusterTree
    trace_ : LocalPCATrace
        Round by round: clusters of each class, training error, which rows moved.
    n_iter_ : int
        Rounds made.
    clusters_per_class_ : float
        Average number of clusters in use, as the paper reports it.
    divergence_ : None
        The empirical divergence is not defined for densities.
    importance_ : DataFrame
    classes_, feature_names_in_, n_features_in_, missing_

    Notes
    -----
    A column of words becomes one column of numbers inside the model: those by which the classes differ most
    (the first axis of correspondence analysis; with two classes, words in the order of how common the second
    class is among their rows). A word that training did not have is unknown. Directions in which no training
    row varies (constant columns, a column that is a multiple of another) carry no information and are left
    out. A class *all* of whose clusters are rank deficient (fewer rows than columns, say) is kept as one
    cluster of its n rows, whose covariance S is blended with a round cloud: (n S + r t I) / (n + r), with r
    the number of directions in which the table varies and t the average variance within classes (columns in
    units of their spread). `trace_` and `structure_` mark such classes.

    A NaN cell is unknown, and is integrated out of every cluster exactly. At training the mean and variance
    of a column in a cluster are those of its known cells; the covariance of two columns is the sum over the
    rows in which both are known, divided by the square root of the product of their numbers of known cells.
    A column without any value in a cluster has the mean and variance of all rows there. `missing_` counts
    the cells.

    References
    ----------
    M. Haghpanah Jahromi, M. Taheri. A non-parametric mixture of Gaussian naive Bayes classifiers based on
    local independent features.

    Examples
    --------
    >>> import pgm_nb as pnb
    >>> from pgm_nb.models.local_pca.model import LocalPCAMixture
    >>> X, y = pnb.load_sample("iris")
    >>> model = LocalPCAMixture().fit(X, y)
    >>> round(model.score(X, y), 2), model.clusters_per_class_
    (0.98, 1.0)
    """

    about: ClassVar[About] = ContinuousClassifier.about.but(
        allowed={"vote": Allowed(words=("winner", "sum")), "max_iter": whole(1)},
        short_name="local-pca",
        title="Local-PCA mixture",
        summary="Every class is a few clouds of cases, each with its own main directions.",
        empty_cells="This model leaves empty cells out of its estimates and uses the rest of the row.",
        links_compare=False,
        slow=True,
        grows_by="round",
        options=(
            Option(
                "vote",
                "Clusters vote",
                "How the clusters of a class decide together about a row.",
                (
                    Choice(
                        "winner",
                        "The nearest one",
                        "the cluster in which the row is most likely",
                        {"vote": "winner"},
                    ),
                    Choice("sum", "All together", "each by how likely the row is in it", {"vote": "sum"}),
                ),
            ),
        ),
    )
    divergence_ = None

    def __init__(self, *, vote: str = "winner", priors: ArrayLike | None = None, max_iter: int = 100) -> None:
        self.vote = vote
        self.priors = priors
        self.max_iter = max_iter

    @whole_or_unfitted
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the clusters from a table and its class labels.

        Parameters
        ----------
        X : DataFrame, array, polars or Arrow table of shape (n, d)
            Columns of numbers or words; NaN where a cell is unknown.
        y : array-like of shape (n,)
            Class labels; the name of a Series names the class in the graph.
        """
        self.about.check(self)
        table = self._read(X, reset=True, y=y)
        target, classes, codes = self._labels(X, y, len(table))
        prior = check_priors(self.priors, classes)
        words = WordNumbers()
        if isinstance(table, pd.DataFrame):
            words = WordNumbers.learn(table, codes, len(classes))
        cells = _numbers(table, words)
        absent = np.isnan(cells)
        gaps = {name: absent[:, j] for j, name in enumerate(self.attribute_names_) if absent[:, j].any()}
        space = learn_space(cells)
        if not np.isfinite(space.scale).all():
            wide = self.attribute_names_[int(np.flatnonzero(~np.isfinite(space.scale))[0])]
            raise DataError(
                f"column {wide!r} holds numbers too large to square: divide it by a power of ten."
            )
        clusters, trace = grow_clusters(
            space.scaled(cells),
            codes,
            space,
            tuple(map(str, classes.tolist())),
            vote=self.vote,
            log_prior=_log(prior, len(classes)),
            max_iter=int(self.max_iter),
        )
        return self._remember(
            MixtureState(
                target,
                classes,
                self.attribute_names_ if hasattr(self, "feature_names_in_") else None,
                MissingReport.of("unknown", gaps, len(cells)),
                space,
                clusters,
                trace,
                words,
            )
        )

    def _remember(self, learned: MixtureState) -> Self:
        """Set the fitted attributes; used by `fit` and by loading a saved model."""
        self.learned_ = learned
        self.classes_ = learned.classes
        self.trace_ = learned.trace
        self.n_iter_ = len(learned.trace.iterations)
        self.missing_ = learned.missing
        self.clusters_per_class_ = len(learned.clusters) / len(learned.classes)
        self._structure: ClusterTree | None = None
        return self

    def _cells(self, table: Floats | pd.DataFrame) -> Floats:
        """Return the table as numbers, words by the numbers that training gave them."""
        if not isinstance(table, pd.DataFrame) and self.learned_.words.scores:
            table = pd.DataFrame(table, columns=list(self.attribute_names_))
        return _numbers(table, self.learned_.words)

    def plane_cells(self, X: Any, attributes: Sequence[str]) -> Floats:
        """Return these attributes of a table as the numbers the model sees, (n, attributes)."""
        places = [self.attribute_names_.index(name) for name in attributes]
        return self._cells(self._read(X, reset=False))[:, places]

    @property
    def class_log_prior_(self) -> Floats:
        """Log of the class prior, (k,)."""
        return _log(check_priors(self.priors, self.classes_), len(self.classes_))

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Natural log of the class prior times the class's density of the known attributes, (n, k)."""
        cells = self._cells(self._read(X, reset=False))
        return self._class_densities(cells) + self.class_log_prior_

    def _class_densities(self, cells: Floats) -> Floats:
        learned = self.learned_
        return class_densities(learned.space, learned.clusters, cells, len(self.classes_), self.vote)

    def terms(self, X: Any) -> Terms:
        """Split scores by the chain rule: what changes as the attributes become known.

        In the order of `importance_`, so that a prefix of the steps is the score of a row of which only those
        attributes are known. With ``vote="sum"`` the first step is how many clusters each class adds up.
        """
        learned, names = self.learned_, tuple(self.importance_["attribute"])
        place = {name: column for column, name in enumerate(self.attribute_names_)}
        values = class_terms(
            learned.space,
            learned.clusters,
            self._cells(self._read(X, reset=False)),
            np.array([place[name] for name in names]),
            len(self.classes_),
            self.vote,
        )
        alone = tuple((name,) for name in names)
        if self.vote == "winner":
            return Terms(names, alone, self.class_log_prior_, values[:, 1:])
        return Terms(("number of clusters", *names), ((), *alone), self.class_log_prior_, values)

    @property
    def structure_(self) -> ClusterTree:
        """The class, its clusters and their principal components; computed when first used."""
        check_is_fitted(self, "learned_")
        if self._structure is None:
            self._structure = cluster_tree(
                self.learned_, self.attribute_names_, np.exp(self.class_log_prior_)
            )
        return self._structure

    @property
    def importance_(self) -> pd.DataFrame:
        """Attributes by I(Xi;Y) on their own under the model, in bits.

        The attributes of a cluster depend on each other, so these bits do not add up: `weight` and `kl`
        are not defined.
        """
        ranked = sorted((self.structure_.relevance or {}).items(), key=lambda pair: -pair[1])
        rows = [(name, None, bits, np.nan, np.nan) for name, bits in ranked]
        return pd.DataFrame(rows, columns=["attribute", "mother", "gain", "weight", "kl"])

    def draw_clusters(
        self, attributes: Sequence[str] | None = None, X: Any = None, y: Any = None, *, theme: str = "light"
    ) -> str:
        """Draw the clusters in the plane of two attributes as SVG text: ellipses with their axes.

        Parameters
        ----------
        attributes : pair of str, optional
            The attributes across and up; by default the two that carry most information about the class.
        X, y : table and labels, optional
            Rows to draw as dots.
        theme : {"light", "dark"}
            Colours for a light or a dark page.
        """
        from pgm_nb.views.chart.gaussians import ellipse_chart
        from pgm_nb.views.chart.look import to_svg

        tree, names = self.structure_, self.attribute_names_
        pair = plane(list(self.importance_["attribute"])[:2] if attributes is None else attributes, names)
        drawn = ellipses(self.learned_.clusters, self.learned_.space, tree.names, pair)
        points = []
        if X is not None and y is not None:
            owner = pd.Index(self.classes_).get_indexer(pd.Index(as_labels(y)))
            points = dots(self._cells(self._read(X, reset=False))[:, pair], owner)
        across, up = (names[place] for place in pair)
        return to_svg(ellipse_chart((across, up), tree.classes, drawn, points, theme=theme))

    def chart_svg(
        self,
        view: str,
        *,
        plane: tuple[str, str] | None = None,
        X: Any = None,
        y: Any = None,
        theme: str = "light",
    ) -> str:
        """Draw the clusters in the plane of two attributes, with at most `MOST_DOTS` rows as dots."""
        if X is not None and y is not None:
            step = max(1, -(-len(X) // MOST_DOTS))
            X, y = X.iloc[::step], y.iloc[::step]
        return self.draw_clusters(plane, X, y, theme=theme)

    def headlines(self, graph: Graph | None = None) -> tuple[Headline, ...]:
        """Return the numbers of the clusters, and how often the model is wrong on its own rows."""
        *own, undefined = super().headlines(graph)
        error = self.trace_.iterations[self.trace_.kept].error
        help = "Rows of this table that the model gets wrong."
        wrong = Headline("Mistakes", percent(error, digits=1), help)
        return (*own, wrong, undefined)

    def describe(
        self, element: Element, *, graph: Graph | None = None, row: Any = None, mark: Mark = str
    ) -> Detail:
        """Return what is known about a cluster, one of its main directions, or an attribute."""
        name = element.names[-1]
        if name in self.structure_.names:
            return cluster_detail(self.structure_, name, mark)
        if name in self.structure_.nodes and name not in (self.structure_.target, *self.attribute_names_):
            return component_detail(self.structure_, name, mark)
        return super().describe(element, graph=graph, row=row, mark=mark)

    def growth_views(self, rows: bool) -> tuple[str, ...]:
        """Return the views that can show its growth: with its training rows also the plane."""
        return ("plane", "rounds") if rows and len(self.attribute_names_) > 1 else ("rounds",)

    def growth_in(self, view: str, X: Any, y: Any, most: int) -> Growth:
        """Describe round by round how clusters split off."""
        from pgm_nb.models.local_pca.growth import cluster_growth

        return cluster_growth(self, self.trace_, view, X, y)

    def _row_logs(self, row: Any) -> dict[str, Floats]:
        """Log-likelihood of the attributes of one row together: in a cluster they depend on each other."""
        return {"attributes": self._class_densities(self._cells(self._read(row, reset=False)))[0]}

    def _coded_columns(self) -> tuple[Column, ...]:
        return self.learned_.words.encoder.columns

    def _bell_curves(self) -> dict[str, list[tuple[float, float, float]]]:
        """Return weight, mean and deviation of every cluster, for each attribute."""
        space, clusters = self.learned_.space, self.learned_.clusters
        rows = sum(part.rows for part in clusters)
        means = [space.mean + space.scale * part.mean for part in clusters]
        deviations = [space.scale * np.sqrt(np.diag(part.covariance)) for part in clusters]
        return {
            name: [
                (part.rows / rows, float(mean[column]), float(deviation[column]))
                for part, mean, deviation in zip(clusters, means, deviations, strict=True)
            ]
            for column, name in enumerate(self.attribute_names_)
        }

    def _pack(self) -> Packed:
        return pack(self.learned_)

    def _unpack(self, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        self.about.check(self)
        learned = unpack(description, arrays)
        self.n_features_in_ = len(learned.space.mean)
        if learned.named is not None:
            self.feature_names_in_ = np.array(learned.named, dtype=object)
        return self._remember(learned)


def _numbers(table: Floats | pd.DataFrame, words: WordNumbers) -> Floats:
    if isinstance(table, pd.DataFrame):
        return words.cells(table)
    return table.astype(np.float64, copy=False)


def _log(prior: Floats | None, n_classes: int) -> Floats:
    """Log of the class priors; all equal when not given."""
    if prior is None:
        return np.full(n_classes, -np.log(n_classes))
    return np.log(prior, out=np.full(n_classes, -np.inf), where=prior > 0)


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
