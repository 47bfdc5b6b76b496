"""The trace of a local-PCA mixture: its rounds, which of them was kept, why they ended, and their story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pgm_nb.explain.growth.story import Contender, Curve, Frame, Story, joined, said
from pgm_nb.words import percent, plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Iteration", "LocalPCATrace"]

Places = NDArray[np.intp]
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
