"""Local PCA: classes split into Gaussian clusters, each along its own principal components.

Haghpanah Jahromi and Taheri's algorithm. Every class starts as one cluster; the rows of a class that are
misclassified leave their clusters and form a new one; and so on while the training error falls. A cluster
is a Gaussian along each of its principal components, which is a Gaussian with a full covariance.

Columns are divided by their standard deviation first: that changes no classification (all densities change
by one factor), but makes ranks and loadings independent of units. Directions in which no training row
varies (constant columns, a column that is a multiple of another) say nothing, and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Cluster",
    "Iteration",
    "LocalPCATrace",
    "Space",
    "class_scores",
    "cluster",
    "grow_clusters",
    "learn_space",
    "marginal",
]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

FLAT = 1e-10  # a variance below this share of the largest one is rounding: the covariance is rank deficient


@dataclass(frozen=True, eq=False)
class Space:
    """Where distances are measured: columns in units of their spread, along directions that vary at all.

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
        """Return rows as scaled columns, zero in constant ones."""
        return np.divide(X - self.mean, self.scale, out=np.zeros(X.shape), where=self.scale > 0)

    def restricted(self, known: NDArray[np.bool_]) -> Space:
        """Return the space in which only these columns are known."""
        places = np.flatnonzero(known)
        correlation = self.correlation[np.ix_(places, places)]
        return Space(self.mean[places], self.scale[places], correlation, _directions(correlation))


@dataclass(frozen=True, eq=False)
class Cluster:
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


@dataclass(frozen=True)
class Iteration:
    """One round: the clusters of each class, the error they make, and who moved to make them."""

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

    def of_rows(self, places: Places) -> LocalPCATrace:
        """Return the trace with moved rows by their place in a longer table, of which these were used."""
        steps = tuple(
            replace(step, moved=tuple(tuple(places[list(rows)].tolist()) for rows in step.moved))
            for step in self.iterations
        )
        return replace(self, iterations=steps)

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe form; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> LocalPCATrace:
        """Read what `to_dict` wrote."""
        steps = tuple(
            Iteration(
                tuple(step["clusters"]),
                tuple(step["ignored"]),
                tuple(step["regularised"]),
                step["error"],
                tuple(tuple(rows) for rows in step["moved"]),
            )
            for step in data["iterations"]
        )
        return cls(tuple(data["classes"]), steps, data["kept"], data["reason"])


def learn_space(X: Floats) -> Space:
    """Return the space of a training table.

    Examples
    --------
    >>> import numpy as np
    >>> space = learn_space(np.array([[0.0, 0.0, 7.0], [1.0, 2.0, 7.0], [3.0, 6.0, 7.0]]))
    >>> space.basis.shape  # the second column is twice the first, the third is constant
    (3, 1)
    """
    mean = X.mean(axis=0)
    off = X - mean
    with np.errstate(over="ignore", invalid="ignore"):
        scale = np.sqrt(np.mean(off**2, axis=0))
    scale[np.ptp(X, axis=0) == 0] = 0
    Z = np.divide(off, scale, out=np.zeros_like(off), where=scale > 0)
    correlation = Z.T @ Z / len(Z)
    return Space(mean, scale, correlation, _directions(correlation))


def _directions(correlation: Floats) -> Floats:
    """Return the directions in which scaled columns vary; the columns themselves when they all do."""
    variances, axes = np.linalg.eigh(correlation)
    varying = variances > FLAT * max(variances[-1], 0.0) if len(variances) else np.zeros(0, dtype=bool)
    return np.eye(len(correlation)) if varying.all() else axes[:, varying]


def cluster(
    owner: int, rows: int, mean: Floats, covariance: Floats, basis: Floats, *, regularised: bool = False
) -> Cluster | None:
    """Return a cluster with its principal components, None when its covariance is rank deficient."""
    variances, axes = np.linalg.eigh(basis.T @ covariance @ basis)
    if len(variances) and not variances[0] > FLAT * variances[-1]:
        return None
    axes = basis @ axes[:, ::-1]
    largest = np.abs(axes).argmax(axis=0) if len(axes) else np.zeros(axes.shape[1], dtype=np.intp)
    axes = axes * np.where(
        axes[largest, np.arange(axes.shape[1])] < 0, -1.0, 1.0
    )  # the largest loading is positive
    return Cluster(owner, rows, mean, covariance, variances[::-1], axes, regularised)


def _fitted(owner: int, Z: Floats, basis: Floats) -> Cluster | None:
    if len(Z) <= basis.shape[1]:  # the rank of n centred rows is at most n - 1
        return None
    mean = Z.mean(axis=0)
    off = Z - mean
    return cluster(owner, len(Z), mean, off.T @ off / len(Z), basis)


def _regularised(owner: int, Z: Floats, space: Space, spread: float) -> Cluster:
    """Return a class as one cluster even if its covariance is rank deficient."""
    mean = Z.mean(axis=0)
    off = Z - mean
    return _rounded(owner, len(Z), mean, off.T @ off, space.basis, spread)


def _rounded(owner: int, rows: int, mean: Floats, squares: Floats, basis: Floats, spread: float) -> Cluster:
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


def _spread_within(Z: Floats, y: Places, space: Space) -> float:
    """Return the average variance of a direction within classes; that of all rows if classes have none."""
    means = np.array([Z[y == c].mean(axis=0) for c in range(int(y.max()) + 1)])
    off = Z - means[y]
    r = max(space.basis.shape[1], 1)
    within = float((off**2).sum()) / (len(Z) * r)
    whole: float = np.trace(space.correlation).item() / r
    return within if within > FLAT * whole else whole


def marginal(part: Cluster, known: NDArray[np.bool_], space: Space) -> Cluster:
    """Return a cluster with the unknown columns integrated out; `space` is that of the known ones.

    The marginal of a Gaussian is the Gaussian of the mean and covariance of the columns that are left.
    """
    places = np.flatnonzero(known)
    mean, covariance = part.mean[places], part.covariance[np.ix_(places, places)]
    left = cluster(part.owner, part.rows, mean, covariance, space.basis, regularised=part.regularised)
    spread = float(np.trace(covariance)) / max(len(places), 1)
    return left or _rounded(part.owner, part.rows, mean, covariance * part.rows, space.basis, spread)


def class_scores(clusters: Sequence[Cluster], Z: Floats, n_classes: int, vote: str) -> Floats:
    """Log density of each class: its best cluster's (`"winner"`) or all summed (`"sum"`), (n, k)."""
    scores = np.full((len(Z), n_classes), -np.inf)
    join = np.maximum if vote == "winner" else np.logaddexp
    for part in clusters:
        scores[:, part.owner] = join(scores[:, part.owner], part.log_density(Z))
    return scores


def grow_clusters(
    Z: Floats, y: Places, space: Space, classes: Sequence[str], *, vote: str, log_prior: Floats, max_iter: int
) -> tuple[tuple[Cluster, ...], LocalPCATrace]:
    """Split classes into clusters while the training error falls.

    Parameters
    ----------
    Z : array (n, d)
        Training rows as scaled columns.
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
    clusters : tuple of Cluster
        Those in use in the best round, by class.
    trace : LocalPCATrace
    """
    k, spread = len(classes), _spread_within(Z, y, space)
    member = y.astype(np.intp)  # the cluster of every row; the first k are the classes
    moved: tuple[tuple[int, ...], ...] = ((),) * k
    steps: list[Iteration] = []
    best: tuple[Cluster, ...] = ()
    kept, reason = 0, f"max_iter={max_iter} was reached"
    for number in range(max_iter):
        clusters, ignored = _refit(Z, y, member, space, spread)
        wrong = (class_scores(clusters, Z, k, vote) + log_prior).argmax(axis=1) != y
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
) -> tuple[tuple[Cluster, ...], tuple[int, ...]]:
    """Fit every cluster; return those in use, and how many of each class are rank deficient."""
    clusters: list[Cluster] = []
    ignored = [0] * (int(y.max()) + 1)
    for c in range(len(ignored)):
        names = np.unique(member[y == c])
        fitted = [_fitted(c, Z[member == name], space.basis) for name in names]
        usable = [part for part in fitted if part is not None]
        ignored[c] = len(fitted) - len(usable)
        if not usable:
            rows = Z[y == c]
            usable = [_fitted(c, rows, space.basis) or _regularised(c, rows, space, spread)]
        clusters += usable
    return tuple(clusters), tuple(ignored)
