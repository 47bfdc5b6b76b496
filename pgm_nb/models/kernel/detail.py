"""What kernel semi-naive Bayes says about one factor of the graph of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pgm_nb.explain.detail import Detail, DetailTable, share_table

if TYPE_CHECKING:
    from pgm_nb.graphs import JoinedStar
    from pgm_nb.models.kernel.model import KernelSemiNaiveBayes
    from pgm_nb.views.graph.drawing import Element

__all__ = ["factor_detail"]


def factor_detail(
    model: KernelSemiNaiveBayes, graph: JoinedStar, row: Any, element: Element, mark: Callable[[str], str]
) -> Detail:
    """Describe an attribute or a joined group at a row: its values, and the class given them alone."""
    names = [name for name in element.names if name != graph.target]
    if element.kind == "link":
        names = list(next(group for group in graph.groups if names[-1] in group))
    title = " · ".join(names)
    if names[0] in graph.unknown:
        said = f"The value of {mark(names[0])} is unknown in this row, so it has no influence."
        return Detail(title, (said,))
    values = ", ".join(f"{mark(name)} is {mark(str(row[name].iloc[0]))}" for name in names)
    sentences = [f"In this row, {values}."]
    found = graph.strongest(tuple(names))
    if found is not None:
        first, second, correlation = found
        two = "the two" if len(names) == 2 else f"{mark(first)} and {mark(second)}"
        sentences.append(
            f"Near these values {two} occur together {1 + correlation:.2f} times as often as by chance, "
            f"{'so they' if len(names) == 2 else f'and all {len(names)}'} count as one factor."
        )
    return Detail(title, tuple(sentences), tables=_alone(model, row, names))


def _alone(model: KernelSemiNaiveBayes, row: Any, names: Sequence[str]) -> tuple[DetailTable, ...]:
    """Return the probability of each class if only these cells were known."""
    others = [name for name in row.columns if name not in names]
    posterior = model.empty_as("unknown").predict_proba(row.assign(**dict.fromkeys(others)))[0]
    labels = [str(label) for label in model.classes_]
    return (share_table("With nothing else known", model.structure_.target, labels, [""], posterior),)
