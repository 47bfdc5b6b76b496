"""Clusters of rows with principal components of their own: their densities, and the search for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places, revived
from pgm_nb.explain.growth import Contender, Curve, Frame, Story, joined, said
from pgm_nb.words import percent, plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "GaussianCluster",
    "Iteration",
    "LocalPCATrace",
    "Space",
    "class_densities",
    "class_scores",
    "class_terms",
    "cluster",
    "grow_clusters",
    "learn_space",
    "marginal",
]

FLAT = 1e-10  # a variance below this share of the largest one is rounding: the covariance is rank deficient
STILL = 1e-7  # a column that moves less than this, in units of its spread, follows from the others


@dataclass(frozen=True, eq=False)
class Space:
    """The space of the distances: columns in units of their spread, along directions that vary.

    Attributes
    ----------
    mean, scale : arrays (d,)
        Mean and standard deviation of every column in training; scale is zero where it is constant.
    correlation : array (d, d)
        Covariance of the scaled columns; zero rows for constant ones.
    basis : array (d, r)
        Orthonormal directions, in scaled columns, in which the training rows vary.
    """

    mean: Floats
    scale: Floats
    correlation: Floats
    basis: Floats

    def scaled(self, X: Floats) -> Floats:
        """Return rows as scaled columns, zero in constant ones and NaN where unknown."""
        return np.divide(X - self.mean, self.scale, out=np.zeros(X.shape), where=self.scale > 0)

    def restricted(self, known: NDArray[np.bool_]) -> Space:
        """Return the space in which only these columns are known."""
        places = np.flatnonzero(known)
        correlation = self.correlation[np.ix_(places, places)]
        return Space(self.mean[places], self.scale[places], correlation, _directions(correlation))


@dataclass(frozen=True, eq=False)
class GaussianCluster:
    """Rows of one class with their Gaussian, in scaled columns.

    Attributes
    ----------
    owner : int
        Code of the class.
    rows : int
        How many rows it was fitted to.
    mean, covariance : arrays (d,), (d, d)
    variances : array (r,)
        Of the principal components, largest first.
    axes : array (d, r)
        The principal components as columns of unit length: the loadings.
    regularised : bool
        Whether it stands in for a class all of whose clusters are rank deficient.
    """

    owner: int
    rows: int
    mean: Floats
    covariance: Floats
    variances: Floats
    axes: Floats
    regularised: bool = False

    def log_density(self, Z: Floats) -> Floats:
        """Log of the product of one Gaussian per principal component, natural log, (n,)."""
        with np.errstate(over="ignore"):
            along = (Z - self.mean) @ (self.axes / np.sqrt(self.variances))
            far: Floats = np.einsum("ij,ij->i", along, along)
        log_scale = -0.5 * (len(self.variances) * np.log(2 * np.pi) + np.log(self.variances).sum())
        logs: Floats = log_scale - 0.5 * far
        return logs


def learn_space(X: Floats) -> Space:
    """Return the space of a training table.

    Examples
    --------
    >>> import numpy as np
    >>> space = learn_space(np.array([[0.0, 0.0, 7.0], [1.0, 2.0, 7.0], [3.0, 6.0, 7.0]]))
    >>> space.basis.shape  # the second column is twice the first, the third is constant
    (3, 1)
    """
    known = ~np.isnan(X)
    if not known.all():
        return _learn_space_of_known(X, known)
    mean = X.mean(axis=0)
    off = X - mean
    with np.errstate(over="ignore", invalid="ignore"):
        scale = np.sqrt(np.mean(off**2, axis=0))
    scale[np.ptp(X, axis=0) == 0] = 0
    Z = np.divide(off, scale, out=np.zeros_like(off), where=scale > 0)
    correlation = Z.T @ Z / len(Z)
    return Space(mean, scale, correlation, _directions(correlation))


def _learn_space_of_known(X: Floats, known: NDArray[np.bool_]) -> Space:
    """Return the space of a table with unknown cells; a column without any value is constant."""
    rows = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, X, 0.0).sum(axis=0) / rows
    off = np.where(known, X - mean, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        scale = np.sqrt((off**2).sum(axis=0) / rows)
    lowest, highest = (
        np.where(known, X, end).min(axis=0) if end > 0 else np.where(known, X, end).max(axis=0)
        for end in (np.inf, -np.inf)
    )
    scale[~(highest > lowest)] = 0
    Z = np.divide(off, scale, out=np.zeros_like(off), where=scale > 0)
    correlation = _covariance(Z, known)
    return Space(mean, scale, correlation, _directions(correlation))


def _covariance(off: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return the covariance of deviations from the mean, of which some are unknown (and zero here).

    Variances are those of the known cells. S_ij = sum over rows with both known / sqrt(n_i n_j) is a product
    of a matrix with its transpose, so no variance along any direction is negative.
    """
    reached = off / np.sqrt(np.maximum(known.sum(axis=0), 1))
    covariance: Floats = reached.T @ reached
    return covariance


def _centre(Z: Floats) -> tuple[Floats, Floats]:
    """Return mean and covariance of rows in scaled columns.

    A column that none of the rows has a value of gets the mean and the variance of all rows of the table:
    0 and 1.
    """
    known = ~np.isnan(Z)
    if known.all():
        mean = Z.mean(axis=0)
        off = Z - mean
        return mean, off.T @ off / len(Z)
    counts = known.sum(axis=0)
    mean = np.where(known, Z, 0.0).sum(axis=0) / np.maximum(counts, 1)
    covariance = _covariance(np.where(known, Z - mean, 0.0), known)
    np.fill_diagonal(covariance, np.where(counts > 0, np.diag(covariance), 1.0))
    return mean, covariance


def _directions(correlation: Floats) -> Floats:
    """Return the directions in which scaled columns vary; the columns themselves when they all do."""
    variances, axes = np.linalg.eigh(correlation)
    varying = variances > FLAT * max(variances[-1], 0.0) if len(variances) else np.zeros(0, dtype=bool)
    return np.eye(len(correlation)) if varying.all() else axes[:, varying]


def cluster(
    owner: int, rows: int, mean: Floats, covariance: Floats, basis: Floats, *, regularised: bool = False
) -> GaussianCluster | None:
    """Return a cluster with its principal components, None when its covariance is rank deficient."""
    variances, axes = np.linalg.eigh(basis.T @ covariance @ basis)
    if len(variances) and not variances[0] > FLAT * variances[-1]:
        return None
    axes = basis @ axes[:, ::-1]
    largest = np.abs(axes).argmax(axis=0) if len(axes) else np.zeros(axes.shape[1], dtype=np.intp)
    axes = axes * np.where(
        axes[largest, np.arange(axes.shape[1])] < 0, -1.0, 1.0
    )  # the largest loading is positive
    return GaussianCluster(owner, rows, mean, covariance, variances[::-1], axes, regularised)


def fit_cluster(owner: int, Z: Floats, basis: Floats) -> GaussianCluster | None:
    """Return the cluster of some rows, None when its covariance is rank deficient."""
    if len(Z) <= basis.shape[1]:  # the rank of n centred rows is at most n - 1
        return None
    return cluster(owner, len(Z), *_centre(Z), basis)


def round_cluster(owner: int, Z: Floats, space: Space, spread: float) -> GaussianCluster:
    """Return a class as one cluster even if its covariance is rank deficient."""
    mean, covariance = _centre(Z)
    return _rounded(owner, len(Z), mean, len(Z) * covariance, space.basis, spread)


def _rounded(
    owner: int, rows: int, mean: Floats, squares: Floats, basis: Floats, spread: float
) -> GaussianCluster:
    """Return a cluster of covariance (n S + r t I) / (n + r): n S of its rows, t the spread within classes.

    There are as many imaginary rows of a round cloud as directions r: it leads where rows are too few
    (Friedman's regularised discriminant analysis, 1989, shrinks towards the same).
    """
    r = basis.shape[1]
    covariance = (squares + r * spread * basis @ basis.T) / (rows + r)
    made = cluster(owner, rows, mean, covariance, basis, regularised=True)
    if made is None:
        raise np.linalg.LinAlgError("a covariance with every direction filled in is still rank deficient")
    return made


def marginal(part: GaussianCluster, known: NDArray[np.bool_], space: Space) -> GaussianCluster:
    """Return a cluster with the unknown columns integrated out; `space` is that of the known ones.

    The marginal of a Gaussian is the Gaussian of the mean and covariance of the columns that are left.
    """
    places = np.flatnonzero(known)
    mean, covariance = part.mean[places], part.covariance[np.ix_(places, places)]
    left = cluster(part.owner, part.rows, mean, covariance, space.basis, regularised=part.regularised)
    spread = float(np.trace(covariance)) / max(len(places), 1) or 1.0  # that of all rows, in these units
    return left or _rounded(part.owner, part.rows, mean, covariance * part.rows, space.basis, spread)


def class_scores(clusters: Sequence[GaussianCluster], Z: Floats, n_classes: int, vote: str) -> Floats:
    """Log density of each class: its best cluster's (`"winner"`) or all summed (`"sum"`), (n, k)."""
    scores = np.full((len(Z), n_classes), -np.inf)
    join = np.maximum if vote == "winner" else np.logaddexp
    for part in clusters:
        scores[:, part.owner] = join(scores[:, part.owner], part.log_density(Z))
    return scores


def class_densities(
    space: Space, clusters: Sequence[GaussianCluster], cells: Floats, n_classes: int, vote: str
) -> Floats:
    """Natural log of the density of the known cells in every class, (n, k); zero for a row without any.

    Parameters
    ----------
    space, clusters
        Where distances are measured, and the clusters there.
    cells : array (n, d)
        The rows, in their own units; NaN where unknown.
    n_classes : int
        Number of classes k.
    vote : {"winner", "sum"}
        A class is as likely as its best cluster, or as its clusters' densities summed.

    Examples
    --------
    >>> from pgm_nb.models.local_pca.clusters import fit_cluster, learn_space
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0], [6.0, 3.0]])
    >>> space = learn_space(X)
    >>> whole = fit_cluster(0, space.scaled(X), space.basis)
    >>> class_densities(space, [whole], np.array([[3.0, np.nan]]), 1, "winner").round(4)  # N(3; 3, 5)
    array([[-1.7237]])
    """
    scores = np.zeros((len(cells), n_classes))
    for rows, known in _patterns(~np.isnan(cells)):
        there, parts = _restricted(space, clusters, known)
        scores[rows] = class_scores(parts, there.scaled(cells[rows][:, known]), n_classes, vote)
        scores[rows] -= np.log(there.scale[there.scale > 0]).sum()  # back to the columns' own units
    return scores


def scaled_densities(
    space: Space, clusters: Sequence[GaussianCluster], Z: Floats, n_classes: int, vote: str
) -> Floats:
    """Return the log density of rows in scaled columns in every class, (n, k); zero if nothing is known."""
    known = ~np.isnan(Z)
    if known.all():
        return class_scores(clusters, Z, n_classes, vote)
    scores = np.zeros((len(Z), n_classes))
    for rows, columns in _patterns(known):
        _, parts = _restricted(space, clusters, columns)
        scores[rows] = class_scores(parts, Z[rows][:, columns], n_classes, vote)
    return scores


def class_terms(
    space: Space, clusters: Sequence[GaussianCluster], cells: Floats, order: Places, n_classes: int, vote: str
) -> Floats:
    """Return what `class_densities` gains as the columns become known in this order, (n, 1 + d, k).

    A sum over the second axis up to any column is the density of the columns so far. With ``vote="sum"``
    the densities of m clusters are added, so each class starts from log m: the first term, which is zero for
    ``"winner"``. The term of an unknown cell is zero, and so is that of a column that follows from those
    before it; such columns leave out a constant, the same for all classes. In a row in which it does not
    follow, though it did in training, its term is what it changes.

    Examples
    --------
    >>> from pgm_nb.models.local_pca.clusters import fit_cluster, learn_space
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 1.0], [6.0, 3.0]])
    >>> space = learn_space(X)
    >>> whole = fit_cluster(0, space.scaled(X), space.basis)
    >>> row, order = np.array([[3.0, 2.0]]), np.array([0, 1])
    >>> terms = class_terms(space, [whole], row, order, 1, "winner")
    >>> terms.ravel().round(4)  # log N(3; 3, 5), then log N(2; 2, 0.8): x1 given x0
    array([ 0.    , -1.7237, -0.8074])
    >>> bool(np.isclose(terms.sum(), class_densities(space, [whole], row, 1, "winner")))
    True
    """
    n, d = cells.shape
    terms = np.zeros((n, 1 + d, n_classes))
    for rows, known in _patterns(~np.isnan(cells)):
        there, parts = _restricted(space, clusters, known)
        column_of = np.flatnonzero(known)
        turn = np.argsort(np.argsort(order)[column_of])  # the known columns, in the given order
        used = _independent(there, turn)
        Z = there.scaled(cells[rows][:, known])
        if _all_within(there, parts, Z):
            so_far = _chained(parts, Z, used, n_classes, vote)
        else:
            used = turn
            so_far = _joined(there, parts, Z, turn, n_classes, vote)
        with np.errstate(invalid="ignore"):
            gains = np.diff(so_far, axis=1, prepend=0.0)
        gains[np.isnan(gains)] = 0.0  # what is impossible already stays as it is
        gains[:, 1:] -= np.log(np.where(there.scale > 0, there.scale, 1.0)[used])[:, None]
        steps = np.append(0, 1 + np.argsort(order)[column_of[used]])
        terms[np.arange(n)[rows][:, None], steps] = gains
    return terms


def _all_within(space: Space, parts: Sequence[GaussianCluster], Z: Floats) -> bool:
    """Say whether rows and clusters lie where the training rows vary: nothing is lost by looking only there.

    A row can lie outside (one column was twice another in training, and is not here), and so can the mean of
    a cluster whose rows have gaps.
    """
    d, r = space.basis.shape
    if r == d:
        return True
    varying = space.scale > 0
    points = np.vstack([Z, *(part.mean for part in parts)])
    off = np.abs(points - points @ space.basis @ space.basis.T)[:, varying]
    return bool((off <= STILL * (1.0 + np.abs(points[:, varying]))).all())


def _chained(
    parts: Sequence[GaussianCluster], Z: Floats, columns: Places, n_classes: int, vote: str
) -> Floats:
    """Log density of the classes as these columns become known, (n, 1 + columns, k), by the chain rule."""
    so_far = np.full((len(Z), 1 + len(columns), n_classes), -np.inf)
    join = np.maximum if vote == "winner" else np.logaddexp
    for part in parts:
        so_far[..., part.owner] = join(so_far[..., part.owner], _chain(part, Z, columns))
    return so_far


def _joined(
    space: Space,
    parts: Sequence[GaussianCluster],
    Z: Floats,
    columns: Places,
    n_classes: int,
    vote: str,
) -> Floats:
    """Return what `_chained` does for rows outside the training rows' directions: each prefix by itself."""
    so_far = np.empty((len(Z), 1 + len(columns), n_classes))
    so_far[:, 0] = class_scores([_nothing_known(part) for part in parts], Z[:, :0], n_classes, vote)
    known = np.zeros(Z.shape[1], dtype=bool)
    for step, column in enumerate(columns, start=1):
        known[column] = True
        _, left = _restricted(space, parts, known)
        so_far[:, step] = class_scores(left, Z[:, known], n_classes, vote)
    return so_far


def _nothing_known(part: GaussianCluster) -> GaussianCluster:
    """Return a cluster of no columns, in which every row has density one."""
    none = np.empty(0)
    return replace(part, mean=none, covariance=np.empty((0, 0)), variances=none, axes=np.empty((0, 0)))


def _patterns(known: NDArray[np.bool_]) -> Iterator[tuple[Places | slice, NDArray[np.bool_]]]:
    """Yield the rows that have the same columns known, and which; rows without known cells are left out."""
    if known.all():
        yield slice(None), np.ones(known.shape[1], dtype=bool)
        return
    patterns, group = np.unique(known, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        if pattern.any():
            yield np.flatnonzero(group.ravel() == number), pattern


def _restricted(
    space: Space, clusters: Sequence[GaussianCluster], known: NDArray[np.bool_]
) -> tuple[Space, Sequence[GaussianCluster]]:
    """Return the space and the clusters of which only some columns are known."""
    if known.all():
        return space, clusters
    there = space.restricted(known)
    return there, [marginal(part, known, there) for part in clusters]


def _independent(space: Space, order: Places) -> Places:
    """Return the columns, in this order, that can move while those before them are held still.

    There are as many as directions in which the rows vary. Columns are vectors whose inner products are
    their correlations, and Gram and Schmidt's method removes the part along those before.
    """
    d, r = space.basis.shape
    if r == d:
        return order
    variances, axes = np.linalg.eigh(space.basis.T @ space.correlation @ space.basis)
    vectors = space.basis @ (axes * np.sqrt(np.maximum(variances, 0)))
    chosen, along = [], np.empty((0, r))
    for column in order:
        left = vectors[column]
        for _ in range(2):  # the second pass removes what rounding left
            left = left - along.T @ (along @ left)
        length = float(np.linalg.norm(left))
        if length > STILL:
            chosen.append(int(column))
            along = np.vstack([along, left / length])
    return np.array(chosen, dtype=np.intp)


def _chain(part: GaussianCluster, Z: Floats, columns: Places) -> Floats:
    """Log density of a cluster as its columns become known one by one, (n, 1 + columns); zero at first.

    The covariance of the columns is R'R, so the deviations are R' times independent numbers of variance one:
    log N = sum_j (-log(2 pi) / 2 - log R_jj - e_j^2 / 2), and the first j of them are those of j columns.
    """
    from scipy.linalg import solve_triangular

    R = np.linalg.qr((part.axes[columns] * np.sqrt(part.variances)).T, mode="r")
    with np.errstate(over="ignore", invalid="ignore"):
        e = solve_triangular(R, (Z - part.mean)[:, columns].T, trans="T", check_finite=False).T
        each = -0.5 * (np.log(2 * np.pi) + e**2) - np.log(np.abs(np.diag(R)))
    each[np.isnan(each)] = -np.inf  # farther away than can be squared
    chain = np.zeros((len(Z), 1 + len(columns)))
    np.cumsum(each, axis=1, out=chain[:, 1:])
    return chain


HELP = (
    ("Training error", "Share of the training rows that the clusters misclassify."),
    ("Clusters", "Groups of similar rows in use, over all classes."),
    ("Moved", "Misclassified rows that left their clusters to form new ones."),
    ("Ignored", "Clusters with too few rows, or too flat, to be measured; they are not used."),
)


@dataclass(frozen=True)
class Iteration:
    """One round: the clusters of each class, their error, and the rows that moved to form them."""

    clusters: tuple[int, ...]  #: clusters in use, by class
    ignored: tuple[int, ...]  #: rank-deficient clusters, by class
    regularised: tuple[bool, ...]  #: whether a class had none but rank-deficient ones, by class
    error: float  #: share of training rows misclassified
    moved: tuple[tuple[int, ...], ...]  #: rows that left their clusters for a new one, by class


@dataclass(frozen=True)
class LocalPCATrace:
    """The rounds of learning, which of them was kept, and why it ended."""

    classes: tuple[str, ...]
    iterations: tuple[Iteration, ...]
    kept: int  #: the round with the smallest training error, the first of equals
    reason: str

    def to_frame(self) -> pd.DataFrame:
        """One row per round and class: clusters, ignored clusters, rows that moved; the round's error."""
        import pandas as pd

        rows = [
            (
                number,
                label,
                step.clusters[c],
                step.ignored[c],
                len(step.moved[c]),
                step.error,
                number == self.kept,
            )
            for number, step in enumerate(self.iterations)
            for c, label in enumerate(self.classes)
        ]
        names = ["iteration", "class", "clusters", "ignored", "moved", "error", "kept"]
        return pd.DataFrame(rows, columns=names)

    def story(self, title: str) -> Story:
        """Describe the rounds in words and numbers; `title` is the name of the model.

        Examples
        --------
        >>> rounds = (Iteration((1, 1), (0, 0), (False, False), 0.1, ((), ())),
        ...           Iteration((2, 1), (0, 0), (False, False), 0.0, ((3, 4), ())))
        >>> trace = LocalPCATrace(("ill", "well"), rounds, 1, "no training row is misclassified")
        >>> print(trace.story("Local PCA").frames[1].sentence)
        The misclassified rows leave their clusters: 2 rows of ill form a new one. The training error falls
        from 10.0% to 0.0%. Learning stops here because no training row is misclassified.
        """
        frames = []
        for number, step in enumerate(self.iterations):
            before = self.iterations[number - 1].error if number else None
            ends = number == len(self.iterations) - 1
            sentence = joined(
                _moves(self.classes, step) if number else said("Every class starts as one cluster."),
                _ignored(sum(step.ignored)),
                _error(step.error, before),
                said(f"Learning stops here because {self.reason}.") if ends else (),
                said("The model uses these clusters.") if number == self.kept and not ends else (),
            )
            kept = " (the model's)" if number == self.kept else ""
            contenders = tuple(
                Contender((label, str(step.clusters[c]), str(step.ignored[c])), f"{len(step.moved[c]):,}",
                      float(len(step.moved[c])))
                for c, label in enumerate(self.classes)
            )  # fmt: skip
            frames.append(Frame(f"Round {number + 1}{kept}", sentence, _facts(step), contenders))
        errors = tuple(step.error for step in self.iterations)
        sizes = tuple(float(sum(step.clusters)) for step in self.iterations)
        return Story(
            title,
            "Every class starts as one cluster. Misclassified rows form new clusters as long as the training "
            "error falls.",
            tuple(frames),
            "The classes",
            ("Class", "Clusters", "Ignored"),
            "Moved",
            (Curve("Training error", "%", errors, 1), Curve("Clusters", "", sizes, 0)),
            self.kept,
            HELP,
        )

    def members(self, y: Places) -> tuple[Places, ...]:
        """Return the cluster of every row at every round; `y` is the class code of every row.

        Round by round new clusters get new numbers.

        Examples
        --------
        >>> rounds = (Iteration((1, 1), (0, 0), (False, False), 0.1, ((), ())),
        ...           Iteration((2, 1), (0, 0), (False, False), 0.0, ((2,), ())))
        >>> [m.tolist() for m in LocalPCATrace(("ill", "well"), rounds, 1, "").members(np.array([0, 1, 0]))]
        [[0, 1, 0], [0, 1, 2]]
        """
        k = len(self.classes)
        member = y.astype(np.intp)
        rounds = []
        for number, step in enumerate(self.iterations):
            member = member.copy()
            for c, rows in enumerate(step.moved):
                member[list(rows)] = number * k + c  # the first k are the classes themselves
            rounds.append(member)
        return tuple(rounds)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe form; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LocalPCATrace:
        """Read what `to_dict` wrote."""
        found: LocalPCATrace = revived(cls, data)
        if not 0 <= found.kept < len(found.iterations) or any(
            len(cells) != len(found.classes)
            for step in found.iterations
            for cells in (step.clusters, step.ignored, step.regularised, step.moved)
        ):
            raise ValueError("the rounds of learning are not those of the classes")
        return found


def _moves(classes: Sequence[str], step: Iteration) -> tuple[str, ...]:
    moved = [(label, len(rows)) for label, rows in zip(classes, step.moved, strict=True) if rows]
    each = [f"{plural(count, 'row')} of {{}}" for _, count in moved]
    pieces = " and ".join([", ".join(each[:-1]), each[-1]] if len(each) > 1 else each)
    verb = "form a new one" if len(moved) == 1 else "form new ones"
    return said(
        f"The misclassified rows leave their clusters: {pieces} {verb}.", *(label for label, _ in moved)
    )


def _ignored(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    if count == 1:
        return said("One cluster is too small or too flat to be measured and is not used.")
    return said(f"{count} clusters are too small or too flat to be measured and are not used.")


def _error(error: float, before: float | None) -> tuple[str, ...]:
    if before is None:
        return said(f"The clusters misclassify {percent(error, digits=1)} of the rows.")
    if error < before:
        return said(
            f"The training error falls from {percent(before, digits=1)} to {percent(error, digits=1)}."
        )
    way = "stays at" if error == before else "rises to"
    return said(f"The training error {way} {percent(error, digits=1)}.")


def _facts(step: Iteration) -> tuple[tuple[str, str], ...]:
    facts = [("Training error", f"{percent(step.error, digits=1)}"), ("Clusters", str(sum(step.clusters)))]
    facts.append(("Moved", plural(sum(map(len, step.moved)), "row")))
    if any(step.ignored):
        facts.append(("Ignored", str(sum(step.ignored))))
    return tuple(facts)


def grow_clusters(
    Z: Floats, y: Places, space: Space, classes: Sequence[str], *, vote: str, log_prior: Floats, max_iter: int
) -> tuple[tuple[GaussianCluster, ...], LocalPCATrace]:
    """Split classes into clusters while the training error falls.

    Parameters
    ----------
    Z : array (n, d)
        Training rows as scaled columns; NaN where unknown.
    y : array (n,)
        Class codes.
    space : Space
        What `learn_space` gave.
    classes : sequence of str
        Names of the classes, for the trace.
    vote : {"winner", "sum"}
        As in `class_scores`.
    log_prior : array (k,)
        Log of the class priors.
    max_iter : int
        Rounds at most.

    Returns
    -------
    clusters : tuple of GaussianCluster
        Those in use in the best round, by class.
    trace : LocalPCATrace
    """
    k, spread = len(classes), _spread_within(Z, y, space)
    member = y.astype(np.intp)  # the cluster of every row; the first k are the classes
    moved: tuple[tuple[int, ...], ...] = ((),) * k
    steps: list[Iteration] = []
    best: tuple[GaussianCluster, ...] = ()
    kept, reason = 0, f"max_iter={max_iter} was reached"
    for number in range(max_iter):
        clusters, ignored = _refit(Z, y, member, space, spread)
        wrong = (scaled_densities(space, clusters, Z, k, vote) + log_prior).argmax(axis=1) != y
        used = np.bincount([part.owner for part in clusters], minlength=k)
        spare = [any(part.regularised for part in clusters if part.owner == c) for c in range(k)]
        error = float(wrong.mean())
        steps.append(Iteration(tuple(used.tolist()), ignored, tuple(spare), error, moved))
        if number and error >= steps[kept].error:
            reason = "the training error stopped falling"
            break
        best, kept = clusters, number
        if not wrong.any():
            reason = "no training row is misclassified"
            break
        after = _move(member, y, wrong, k)
        if np.array_equal(after, member):
            reason = "no new cluster could be formed"
            break
        moved = tuple(tuple(np.flatnonzero(wrong & (y == c)).tolist()) for c in range(k))
        member = after
    return best, LocalPCATrace(tuple(classes), tuple(steps), kept, reason)


def _move(member: Places, y: Places, wrong: NDArray[np.bool_], k: int) -> Places:
    """Let the misclassified rows of each class form a new cluster, unless they already are one."""
    after, new = member.copy(), int(member.max()) + 1
    for c in range(k):
        leaving = wrong & (y == c)
        if not leaving.any():
            continue
        origin = member[leaving]
        if (origin == origin[0]).all() and np.count_nonzero(member == origin[0]) == len(origin):
            continue
        after[leaving] = new + c
    return after


def _refit(
    Z: Floats, y: Places, member: Places, space: Space, spread: float
) -> tuple[tuple[GaussianCluster, ...], tuple[int, ...]]:
    """Fit every cluster; return those in use, and how many of each class are rank deficient."""
    clusters: list[GaussianCluster] = []
    ignored = [0] * (int(y.max()) + 1)
    for c in range(len(ignored)):
        names = np.unique(member[y == c])
        fitted = [fit_cluster(c, Z[member == name], space.basis) for name in names]
        usable = [part for part in fitted if part is not None]
        ignored[c] = len(fitted) - len(usable)
        if not usable:
            rows = Z[y == c]
            usable = [fit_cluster(c, rows, space.basis) or round_cluster(c, rows, space, spread)]
        clusters += usable
    return tuple(clusters), tuple(ignored)


def _spread_within(Z: Floats, y: Places, space: Space) -> float:
    """Return the average variance of a direction within classes; that of all rows if classes have none."""
    known = ~np.isnan(Z)
    if known.all():
        means = np.array([Z[y == c].mean(axis=0) for c in range(int(y.max()) + 1)])
        off = Z - means[y]
    else:
        sums = np.array([np.where(known, Z, 0.0)[y == c].sum(axis=0) for c in range(int(y.max()) + 1)])
        rows = np.array([known[y == c].sum(axis=0) for c in range(int(y.max()) + 1)])
        off = np.where(known, Z - (sums / np.maximum(rows, 1))[y], 0.0)
    r = max(space.basis.shape[1], 1)
    within = float((off**2).sum()) / (len(Z) * r)
    whole: float = np.trace(space.correlation).item() / r
    return within if within > FLAT * whole else whole
