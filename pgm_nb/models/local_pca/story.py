"""The story of a local-PCA mixture: round by round, which rows left their clusters for a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pgm_nb.explain.growth.story import Curve, Frame, Rival, Story, joined, said
from pgm_nb.words import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pgm_nb.models.local_pca.search import Iteration, LocalPCATrace

    Places = NDArray[np.intp]

__all__ = ["cluster_story", "members"]

HELP = (
    ("Training error", "Share of the rows learned from that the clusters classify wrongly."),
    ("Clusters", "Clouds of cases in use, of all classes together."),
    ("Moved", "Rows that were misclassified and left their clusters to form new ones."),
    ("Ignored", "Clusters with too few rows, or too flat, to be measured; they have no say."),
)


def cluster_story(trace: LocalPCATrace, title: str) -> Story:
    """Tell the rounds of a local-PCA mixture.

    Examples
    --------
    >>> from pgm_nb.models.local_pca.search import Iteration, LocalPCATrace
    >>> rounds = (Iteration((1, 1), (0, 0), (False, False), 0.1, ((), ())),
    ...           Iteration((2, 1), (0, 0), (False, False), 0.0, ((3, 4), ())))
    >>> trace = LocalPCATrace(("ill", "well"), rounds, 1, "no training row is misclassified")
    >>> cluster_story(trace, "Local PCA").frames[1].sentence
    'The misclassified rows leave their clusters: 2 rows of ill form a new one. The training error falls from
     10.0% to 0.0%. It ends here, because no training row is misclassified.'
    """
    frames = []
    for number, step in enumerate(trace.iterations):
        before = trace.iterations[number - 1].error if number else None
        ends = number == len(trace.iterations) - 1
        sentence = joined(
            _moves(trace.classes, step) if number else said("Every class begins as one cluster."),
            _ignored(sum(step.ignored)),
            _error(step.error, before),
            said(f"It ends here, because {trace.reason}.") if ends else (),
            said("These clusters are the model's.") if number == trace.kept and not ends else (),
        )
        kept = " (the model's)" if number == trace.kept else ""
        rivals = tuple(
            Rival((label, str(step.clusters[c]), str(step.ignored[c])), f"{len(step.moved[c]):,}",
                  float(len(step.moved[c])))
            for c, label in enumerate(trace.classes)
        )  # fmt: skip
        frames.append(Frame(f"Round {number + 1}{kept}", sentence, _facts(step), rivals))
    errors = tuple(step.error for step in trace.iterations)
    sizes = tuple(float(sum(step.clusters)) for step in trace.iterations)
    return Story(
        title,
        "Every class begins as one cluster; the rows that are misclassified form new ones, as long as the "
        "training error falls.",
        tuple(frames),
        "The classes",
        ("Class", "Clusters", "Ignored"),
        "Moved",
        (Curve("Training error", "%", errors, 1), Curve("Clusters", "", sizes, 0)),
        trace.kept,
        HELP,
    )


def members(trace: LocalPCATrace, y: Places) -> tuple[Places, ...]:
    """Return the cluster of every row at every round; round by round new clusters get new numbers.

    Parameters
    ----------
    trace : LocalPCATrace
        Who moved; rows by their place in the table.
    y : array (n,)
        Class code of every row.

    Examples
    --------
    >>> from pgm_nb.models.local_pca.search import Iteration, LocalPCATrace
    >>> rounds = (Iteration((1, 1), (0, 0), (False, False), 0.1, ((), ())),
    ...           Iteration((2, 1), (0, 0), (False, False), 0.0, ((2,), ())))
    >>> [m.tolist() for m in members(LocalPCATrace(("ill", "well"), rounds, 1, ""), np.array([0, 1, 0]))]
    [[0, 1, 0], [0, 1, 2]]
    """
    k = len(trace.classes)
    member = y.astype(np.intp)
    rounds = []
    for number, step in enumerate(trace.iterations):
        member = member.copy()
        for c, rows in enumerate(step.moved):
            member[list(rows)] = number * k + c  # the first k are the classes themselves
        rounds.append(member)
    return tuple(rounds)


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
        return said("One cluster is too small or too flat to be measured, and has no say.")
    return said(f"{count} clusters are too small or too flat to be measured, and have no say.")


def _error(error: float, before: float | None) -> tuple[str, ...]:
    if before is None:
        return said(f"They misclassify {error:.1%} of the rows.")
    if error < before:
        return said(f"The training error falls from {before:.1%} to {error:.1%}.")
    way = "stays at" if error == before else "rises to"
    return said(f"The training error {way} {error:.1%}.")


def _facts(step: Iteration) -> tuple[tuple[str, str], ...]:
    facts = [("Training error", f"{step.error:.1%}"), ("Clusters", str(sum(step.clusters)))]
    facts.append(("Moved", plural(sum(map(len, step.moved)), "row")))
    if any(step.ignored):
        facts.append(("Ignored", str(sum(step.ignored))))
    return tuple(facts)
