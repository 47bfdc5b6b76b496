"""The search for clusters: what is misclassified becomes a cluster of its own; and its rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.arrays import Floats, Places, revived
from pgm_nb.explain.growth import Contender, Curve, Frame, Story, joined, said
from pgm_nb.models.local_pca.density import (
    FLAT,
    GaussianCluster,
    Space,
    fit_cluster,
    round_cluster,
    scaled_densities,
)
from pgm_nb.words import percent, plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Iteration", "LocalPCATrace", "grow_clusters"]

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
